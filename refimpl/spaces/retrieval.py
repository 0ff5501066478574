"""Filter-and-refine retrieval with an embedding, and classes by the nearest objects.

Athitsos, Alon, Sclaroff & Kollios (2005), §§ 4.3 and 11.1. An embedding is any object of this
package with ``embed(space, Q)``, ``cost`` and, for its distances, either ``weights(E)`` (weighted
L1: BoostMap) or ``pairwise(Q, X)`` (the rivals).

Not handled here: training, how good an embedding is (:mod:`refimpl.spaces.ranks`), approximate
filters (the filter scans all vectors), storage on disk.
"""

from typing import Any

import numpy as np

from refimpl.arrays import as_label_array, as_matrix, as_reals
from refimpl.checks import (
    as_count,
    as_generator,
    as_indices,
    as_kernels,
    as_labels,
    as_threads,
    restored_kernels,
    stored_kernels,
)
from refimpl.spaces.objects import CallableSpace, Space, as_space
from refimpl.spaces.ranks import distance_blocks
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels, Labels

# -------------------------------------------------------------------------------------------- § 4.3


class FilterAndRefine:
    """A database that is searched by its embedding first, then by exact distances.

    The embedding finds the best candidates (the filter step); exact distances are computed to the
    candidates alone (the refine step): § 4.3 of Athitsos et al. (2005), p. 6. Every object
    has a number, its *id*. The objects of the space have the ids 0, ..., n - 1; objects that are
    added later get the next ids. The id of a removed object is not used again. The database can be
    pickled if its distance can: a function of a module, and no lambda.

    Parameters
    ----------
    embedding : BoostMap, or a rival's embedding
    space : refimpl.spaces.Space
        The database, with the objects that the embedding refers to. Its vectors are computed here,
        once.
    vectors : array_like, shape (n, d), optional
        The result of an earlier ``embedding.embed(space)``.
    kernels : module, optional
        :mod:`refimpl.kernels` (default) or a module with the same names, such as ``refimpl_fast``.
    threads : int, optional

    Attributes
    ----------
    ids : ndarray, shape (n,), int64
        The objects that are in the database, ascending.
    vectors : ndarray, shape (n, d), float64
        Their embeddings.

    Raises
    ------
    TypeError, ValueError
        If `embedding` does not embed, `space` is no space, `vectors` do not fit, or `kernels` or
        `threads` is refused.

    See Also
    --------
    enn_ranks : How many candidates the filter step needs.

    Examples
    --------
    >>> from refimpl.rivals.lipschitz import lipschitz
    >>> from refimpl.spaces import CallableSpace, FilterAndRefine
    >>> space = CallableSpace(lambda x, y: abs(x - y), [1.0, 5.0, 9.0, 12.0])
    >>> index = FilterAndRefine(lipschitz(space, [0, 3]), space)
    >>> ids, distances = index.query([8.0], 1, 2)
    >>> ids, distances
    (array([[2]]), array([[1.]]))
    """

    def __init__(
        self,
        embedding: Any,
        space: Space,
        *,
        vectors: ArrayLike | None = None,
        kernels: Kernels | None = None,
        threads: int | None = None,
    ) -> None:
        if not hasattr(embedding, "embed"):
            raise TypeError(
                "embedding must have embed(space, Q), as BoostMap and its rivals have; "
                f"got a {type(embedding).__name__}"
            )
        self.embedding = embedding
        self.kernels = as_kernels(kernels)
        as_threads(threads)
        self.threads = threads
        n = len(as_space(space))
        self._spaces = [space]
        # BM:4.3:1
        self.vectors: FloatArray
        self.vectors = embedding.embed(space) if vectors is None else as_matrix(vectors, "vectors")
        if self.vectors.shape != (n, embedding.d):
            raise ValueError(
                f"vectors must be of shape ({n}, {embedding.d}), a row for each object; "
                f"got {self.vectors.shape}"
            )
        self.ids: IntArray = np.arange(n)
        self._part: IntArray = np.zeros(n, dtype=np.int64)
        self._place: IntArray = np.arange(n)
        self._next = n

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle, which takes no modules: kernels by name."""
        return self.__dict__ | {"kernels": stored_kernels(self.kernels)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, kernels=restored_kernels(state["kernels"]))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def computed(self) -> int:
        """How many exact distances the spaces have computed so far, also before this index."""
        return sum(space.computed for space in self._spaces)

    def add(self, objects: Any) -> IntArray:
        """Embed m more objects and add them; return their ids, int64, shape (m,).

        The embedding stays as it is. If the space is a matrix, to which no object can be added,
        TypeError is raised.
        """
        first = self._spaces[0]
        if not isinstance(first, CallableSpace):
            raise TypeError(
                "objects must be added to a CallableSpace; got a matrix of distances "
                "(make a new index from the larger matrix)"
            )
        part = CallableSpace(first.distance, objects, pairwise=first.pairwise)
        ids = np.arange(self._next, self._next + len(part))
        self.vectors = np.concatenate([self.vectors, self.embedding.embed(first, part.objects)])
        self.ids = np.concatenate([self.ids, ids])
        self._part = np.concatenate([self._part, np.full(len(part), len(self._spaces))])
        self._place = np.concatenate([self._place, np.arange(len(part))])
        self._spaces = [*self._spaces, part]
        self._next += len(part)
        return ids

    def remove(self, ids: ArrayLike) -> None:
        """Take objects out of the database, by their ids.

        Reference objects of the embedding may be removed, too. Distances to them are still
        computed. ValueError says that an id is unknown, or has been removed already.
        """
        gone = np.unique(as_indices(ids, self._next, "ids", "objects ever added"))
        absent = np.setdiff1d(gone, self.ids)
        if len(absent):
            raise ValueError(
                f"ids must hold objects that are still there; got {absent[0]}, "
                "which has been removed already"
            )
        keep = ~np.isin(self.ids, gone)
        self.vectors = np.ascontiguousarray(self.vectors[keep])
        self.ids = self.ids[keep]
        self._part = self._part[keep]
        self._place = self._place[keep]

    def query(self, Q: Any, k: int, p: int) -> tuple[IntArray, FloatArray]:
        """Return the k nearest of the p best candidates of each of m queries.

        Q has the form that the space takes. The filter step keeps p candidates, k <= p <= n; a
        query costs ``embedding.cost + p`` exact distances. The ids, int64, and the exact distances,
        float64, have shape (m, k): the nearest first, of equal distances the lower id. TypeError or
        ValueError says that `Q` does not fit the space, or `k` or `p` is out of range.
        """
        k = as_count(k, "k")
        p = as_count(p, "p")
        if not k <= p <= len(self):
            raise ValueError(
                f"k must be at most p, and p at most {len(self)}, the number of objects; "
                f"got k={k}, p={p}"
            )
        Q = self._spaces[0].as_queries(Q)
        candidates = self._filter(self.embedding.embed(self._spaces[0], Q), p)  # BM:4.3:2
        ids = np.empty((len(Q), k), dtype=np.int64)
        distances = np.empty((len(Q), k))
        for i in range(len(Q)):
            exact = self._exact(Q[i : i + 1], candidates[i])
            order = np.lexsort((self.ids[candidates[i]], exact))[:k]  # BM:4.3:3
            ids[i] = self.ids[candidates[i]][order]
            distances[i] = exact[order]
        return ids, distances

    def _filter(self, E: FloatArray, p: int) -> IntArray:
        """Return the rows of the p best candidates of each embedded query."""
        if hasattr(self.embedding, "weights"):
            A = self.embedding.weights(E)
            return self.kernels.weighted_l1_nearest(E, A, self.vectors, p, threads=self.threads)[1]
        best = np.empty((len(E), p), dtype=np.int64)
        for block in distance_blocks(len(E), len(self)):
            D = self.embedding.pairwise(E[block], self.vectors)
            best[block] = np.argsort(D, axis=1, kind="stable")[:, :p]
        return best

    def _exact(self, query: Any, rows: IntArray) -> FloatArray:
        """Return exact distances from one query to rows of the database."""
        exact = np.empty(len(rows))
        for part in np.unique(self._part[rows]):
            mine = self._part[rows] == part
            exact[mine] = self._spaces[part].distances(query, self._place[rows[mine]])[0]
        return exact


# ------------------------------------------------------------------------------------------- § 11.1


def vote(y: Labels, distances: FloatArray, *, rng: np.random.Generator) -> Labels:
    """Return the class that most of the k nearest have, with ties broken as § 11.1 says.

    Among the classes with most votes, the class of the nearest object wins. `rng` breaks the
    remaining ties.

    Parameters
    ----------
    y : array_like, shape (m, k)
        Classes of the k nearest database objects of each query.
    distances : array_like, shape (m, k)
        Their distances, finite.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (m,)

    Raises
    ------
    TypeError, ValueError
        If the shapes differ, there are no neighbours, a label is missing, the labels are of
        several types, a distance is not a finite number, or `rng` is no generator.

    See Also
    --------
    FilterAndRefine : Find the nearest objects.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.spaces import vote
    >>> y, D = np.array([["b", "a", "a", "b"]]), np.array([[1.0, 2.0, 2.0, 3.0]])
    >>> vote(y, D, rng=np.random.default_rng(0))
    array(['b'], dtype='<U1')
    """
    rng = as_generator(rng)
    y, distances = as_label_array(y, "y"), as_reals(distances, "distances")
    if y.ndim != 2 or y.shape != distances.shape or y.shape[1] == 0:
        raise ValueError(
            "y must have shape (m, k) with k >= 1, as distances have; "
            f"got {y.shape} and {distances.shape}"
        )
    if len(y) == 0:
        return y[:, 0]
    distances = as_matrix(distances, "distances")
    classes, codes = np.unique(as_labels(y.ravel(), y.size, "y"), return_inverse=True)
    codes = codes.reshape(y.shape)
    own = [codes == c for c in range(len(classes))]
    votes = np.stack([members.sum(axis=1) for members in own], axis=1)
    nearest = np.stack(
        [np.where(members, distances, np.inf).min(axis=1) for members in own], axis=1
    )
    # among the classes with most votes, the class of the nearest object
    nearest[votes < votes.max(axis=1, keepdims=True)] = np.inf
    last = nearest == nearest.min(axis=1, keepdims=True)
    winner = last.argmax(axis=1)
    for i in np.flatnonzero(last.sum(axis=1) > 1):  # still a tie: at random
        winner[i] = rng.choice(np.flatnonzero(last[i]))
    chosen: Labels = classes[winner]
    return chosen
