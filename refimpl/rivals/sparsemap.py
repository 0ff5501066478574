"""SparseMap: Bourgain's embedding with few distances, as in § 4.1 of BoostMap.

Source: G. Hristescu & M. Farach-Colton, "Cluster-preserving embedding of proteins", technical
report 99-50, Rutgers University (1999), as described by G. Hjaltason & H. Samet, "Properties of
embedding methods for similarity searching in metric spaces", PAMI 25 (2003), 530-549, and in one
sentence by Athitsos, Alon, Sclaroff & Kollios (2005). It has two heuristics:

* *Approximate distances.* The coordinates are computed one after the other. For the distance to the
  set R_j the members of R_j are sorted by the distance of the coordinates 1, ..., j - 1, which
  costs nothing, and exact distances are computed to the sigma nearest of them only. Their minimum
  is the coordinate: never less than D_X(x, R_j), and equal to it if sigma is at least the size of
  R_j.
* *Greedy resampling.* Of all dimensions d are kept. Each step adds the one with which the distances
  of the vectors have the least stress against the exact distances, over a random sample of pairs of
  objects.

Readings of what the sources leave open
---------------------------------------
* The reference sets are Bourgain's, the small ones first; see :mod:`refimpl.rivals.lipschitz` for
  their sizes.
* The distance of the coordinates is Euclidean. Before the first coordinate all distances are equal,
  and ties go to the member that stands first in its set, whose order is random.
* The vectors of the reference objects are computed in the same way as those of any other object,
  and stored.
* Stress is Kruskal's, after the one factor for all vectors that makes it least: a Lipschitz
  embedding fixes distances up to such a factor only, which depends on the number of dimensions.
* After the resampling the kept sets stay in their order, and every vector is computed with these
  coordinates alone: a new object pays for no dimension that has been left out.
* An asymmetric distance goes from the object to the reference.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from refimpl.arrays import blocks, require_squares
from refimpl.checks import as_count, as_generator
from refimpl.results import result
from refimpl.rivals.lipschitz import LipschitzEmbedding, as_pool, bourgain
from refimpl.spaces import Space, as_space
from refimpl.spaces.references import as_dimension
from refimpl.typing import ArrayLike, FloatArray, IntArray

__all__ = ["SparseMapEmbedding", "greedy_resampling", "sparsemap"]

BLOCK_ENTRIES = 1 << 22  # numbers held for one block of queries: 32 MB


@result
@dataclass(frozen=True, eq=False)
class SparseMapEmbedding(LipschitzEmbedding):
    """Approximate distances to reference sets.

    Attributes
    ----------
    members : numpy.ndarray of int64, shape (s,)
        The reference sets one after the other, as indices of database objects.
    starts : numpy.ndarray of int64, shape (d + 1,)
        Set number j is ``members[starts[j]:starts[j + 1]]``.
    sigma : int
        How many exact distances are computed for one coordinate.
    vectors : numpy.ndarray of float64, shape (r, d)
        The vectors of the reference objects, in the order of `references`.

    Raises
    ------
    TypeError, ValueError
        From its methods, if objects, vectors or a number of dimensions do not fit the embedding.

    See Also
    --------
    sparsemap : Make one, with an example.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.sparsemap import sparsemap
    >>> from refimpl.spaces import PrecomputedSpace
    >>> space = PrecomputedSpace([[0, 4, 8], [4, 0, 4], [8, 4, 0]])
    >>> embedding = sparsemap(space, 1, rng=np.random.default_rng(0))
    >>> embedding.embed(space).shape == (3, embedding.d)
    True
    """

    sigma: int
    vectors: FloatArray

    @property
    def cost(self) -> int:
        """The largest number of exact distances that embedding a new object can take."""
        return int(min(np.minimum(np.diff(self.starts), self.sigma).sum(), len(self.references)))

    def embed(self, space: Space, Q: Any = None) -> FloatArray:
        """Map objects to vectors, as :meth:`refimpl.spaces.Embedding.embed` does.

        Which distances are computed depends on the object.
        """
        Q = as_space(space).objects if Q is None else Q
        return self._sparse(space, space.as_queries(Q), self.vectors)

    def _sparse(self, space: Space, Q: Any, vectors: FloatArray | None) -> FloatArray:
        """Return coordinates by the first heuristic; the references' own if `vectors` is None."""
        r = len(self.references)
        parts = blocks(len(Q), r if vectors is None else BLOCK_ENTRIES // (2 * r))
        F = [self._block(space, Q[part], vectors) for part in parts]
        return np.concatenate(F) if F else np.empty((0, self.d))

    def _block(self, space: Space, Q: Any, vectors: FloatArray | None) -> FloatArray:
        """Return the coordinates of one block of queries."""
        references, starts = self.references, self.starts
        positions = np.searchsorted(references, self.members)
        exact = np.full((len(Q), len(references)), np.nan)  # exact distances, each computed once
        approximate = np.zeros_like(exact)  # squared distances of the coordinates so far
        F = np.zeros((len(Q), self.d))
        V = F if vectors is None else vectors
        for j in range(self.d):
            R = positions[starts[j] : starts[j + 1]]
            near = R[candidates(approximate[:, R], self.sigma)]
            rows, columns = np.nonzero(np.isnan(np.take_along_axis(exact, near, axis=1)))
            columns = near[rows, columns]
            exact[rows, columns] = space.pair_distances(Q, rows, references[columns])
            F[:, j] = np.take_along_axis(exact, near, axis=1).min(axis=1)
            approximate += (F[:, [j]] - V[:, j]) ** 2
        return F

    def truncated(self, d: int) -> "SparseMapEmbedding":
        """Return the embedding into the first `d` dimensions, those of the smaller sets."""
        d = as_dimension(d, self.d)
        members = self.members[: self.starts[d]].copy()
        rows = np.searchsorted(self.references, np.unique(members))
        return SparseMapEmbedding(
            members, self.starts[: d + 1].copy(), self.sigma, self.vectors[rows, :d]
        )


def sparsemap(
    space: Space,
    sigma: int,
    *,
    rng: np.random.Generator,
    d: int | None = None,
    n_pairs: int = 1000,
    subset: ArrayLike | None = None,
    smallest: int = 1,
) -> SparseMapEmbedding:
    """Return the SparseMap embedding; the module's text has its two heuristics.

    Hristescu & Farach-Colton (1999).

    Parameters
    ----------
    space : refimpl.spaces.Space
    sigma : int
        How many exact distances are computed for one coordinate.
    rng : numpy.random.Generator
        Draws the reference sets as :func:`refimpl.rivals.lipschitz.bourgain` does, then the pairs.
    d : int, optional
        Keep this many dimensions by greedy resampling; the default is all ceil(log2 |X|)^2, without
        resampling.
    n_pairs : int, default 1000
        How many pairs of different objects the stress is measured on.
    subset : array_like of int, optional
        Indices of the database objects from which reference sets and pairs are drawn; the default
        is all.
    smallest : {1, 2}, default 1
        The size of the smallest sets.

    Returns
    -------
    SparseMapEmbedding

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or there are fewer than two objects.

    See Also
    --------
    bourgain : The same with all distances.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.sparsemap import sparsemap
    >>> from refimpl.spaces import PrecomputedSpace
    >>> space = PrecomputedSpace([[0, 4, 8], [4, 0, 4], [8, 4, 0]])
    >>> sparsemap(space, 1, rng=np.random.default_rng(0)).cost
    3
    """
    sigma = as_count(sigma, "sigma")
    rng = as_generator(rng)
    n_pairs = as_count(n_pairs, "n_pairs")
    sets = bourgain(space, rng=rng, subset=subset, smallest=smallest)
    if d is not None:
        as_dimension(d, sets.d)
    whole = _with_vectors(space, sets.members, sets.starts, sigma)
    if d is None:
        return whole
    pool = as_pool(space, subset)
    first = rng.integers(len(pool), size=n_pairs)
    second = (first + rng.integers(1, len(pool), size=n_pairs)) % len(pool)  # another object
    pairs = np.unique(np.column_stack([pool[first], pool[second]]), axis=0)
    kept = np.sort(greedy_resampling(*_differences(space, whole, pairs), d))
    parts = [sets.members[sets.starts[j] : sets.starts[j + 1]] for j in kept]
    starts = np.cumsum([0] + [len(R) for R in parts])
    return _with_vectors(space, np.concatenate(parts), starts, sigma)


def greedy_resampling(differences: FloatArray, D: FloatArray, d: int) -> IntArray:
    """Return the dimensions to keep, in the order in which they are chosen.

    Parameters
    ----------
    differences : numpy.ndarray, shape (n_pairs, n_dimensions)
        Of the coordinates of the objects of each pair.
    D : numpy.ndarray, shape (n_pairs,)
        Exact distances.
    d : int

    Returns
    -------
    numpy.ndarray of int64, shape (d,)
        In each step the dimension of least stress together with the dimensions before; the lowest
        index wins ties.

    See Also
    --------
    sparsemap : The embedding whose coordinates it chooses.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.sparsemap import greedy_resampling
    >>> greedy_resampling(np.array([[0.0, 2.0], [0.0, 1.0]]), np.array([2.0, 1.0]), 1)
    array([1])
    """
    # the stress does not depend on units: powers of 2, so that squares neither overflow nor vanish
    differences = np.ldexp(differences, -np.frexp(np.abs(differences).max(initial=0.0))[1])
    D = np.ldexp(D, -np.frexp(D.max(initial=0.0))[1])
    left = list(range(differences.shape[1]))
    chosen = []
    S = np.zeros(len(D))
    for _ in range(d):
        best = left[stress(np.sqrt(S[:, None] + differences[:, left] ** 2), D).argmin()]
        S = S + differences[:, best] ** 2
        chosen.append(best)
        left.remove(best)
    return np.array(chosen, dtype=np.int64)


def stress(delta: FloatArray, D: FloatArray) -> FloatArray:
    """Return Kruskal's stress of each column, the root of sum (c delta - D)^2 / sum D^2, best c."""
    squares = (delta * delta).sum(axis=0)
    explained = np.divide(
        (D[:, None] * delta).sum(axis=0) ** 2,
        squares,
        out=np.zeros_like(squares),
        where=squares > 0,
    )
    least: FloatArray = np.sqrt(np.maximum(1.0 - explained / (D * D).sum(), 0.0))
    return least


def _differences(
    space: Space, embedding: SparseMapEmbedding, pairs: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return each pair's differences of coordinates, and its exact distance."""
    objects, positions = np.unique(pairs, return_inverse=True)
    positions = positions.reshape(pairs.shape)
    queries = space.take(objects)
    F = embedding.embed(space, queries)
    D = space.pair_distances(queries, positions[:, 0], pairs[:, 1])
    if not D.any():
        raise ValueError(
            "the sampled pairs must have a distance above 0; got zeros alone (raise n_pairs, or "
            "check the distance)"
        )
    return F[positions[:, 0]] - F[positions[:, 1]], D


def _with_vectors(
    space: Space, members: IntArray, starts: IntArray, sigma: int
) -> SparseMapEmbedding:
    """Return the embedding by these sets, after the vectors of its references are computed."""
    bare = SparseMapEmbedding(members, np.asarray(starts, np.int64), sigma, np.empty((0, 0)))
    queries = space.as_queries(space.take(bare.references))
    with np.errstate(over="ignore"):
        vectors = bare._sparse(space, queries, None)  # noqa: SLF001  its own
    return replace(bare, vectors=require_squares(vectors))  # squares give candidates and stress


def candidates(approximate: FloatArray, sigma: int) -> IntArray:
    """Return the columns of the `sigma` smallest entries of each row; of equal ones the lowest."""
    if approximate.shape[1] <= sigma:
        return np.tile(np.arange(approximate.shape[1]), (len(approximate), 1))
    bound = np.partition(approximate, sigma - 1, axis=1)[:, [sigma - 1]]
    below = approximate < bound
    tied = approximate == bound
    n_tied = sigma - below.sum(axis=1, keepdims=True)
    keep = below | (tied & (tied.cumsum(axis=1) <= n_tied))
    return np.nonzero(keep)[1].reshape(len(approximate), sigma)
