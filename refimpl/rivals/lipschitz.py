"""Lipschitz embeddings with singletons and with sets, and Bourgain's, as in § 4.1 of BoostMap.

A Lipschitz embedding has a coordinate for each reference set: the distance to the nearest object of
the set. Source: Athitsos, Alon, Sclaroff & Kollios, "Learning Euclidean Embeddings for Indexing and
Classification" (2005), eqs. 5-7. The sources that it names: J. Bourgain, "On Lipschitz embedding of
finite metric spaces in Hilbert space", Israel J. Math. 52 (1985), 46-52; N. Linial, E. London & Y.
Rabinovich, "The geometry of graphs and some of its algorithmic applications", FOCS 1994, 577-591;
G. Hjaltason & H. Samet, "Properties of embedding methods for similarity searching in metric
spaces", PAMI 25 (2003), 530-549.

Readings of what the sources leave open
---------------------------------------
* An asymmetric distance goes from the object to the reference set: D_X(x, R) is the minimum of
  D_X(x, r).
* "log" in Bourgain's embedding has base 2, as the sizes 2^i suggest.
* The paper's sizes, 2^i for i = 1, ..., ceil(log |X|), end at the whole of X or beyond it: the sets
  of the last group are all equal to X, and their coordinate is zero everywhere on X. By default the
  same number of groups has the sizes 1, 2, 4, ..., all below |X|: the powers of two that Linial,
  London & Rabinovich use. ``smallest=2`` gives the printed sizes, with X itself where a set would
  have to be larger (ERRATUM BM-12).
* The elements of one set are distinct. Sets are drawn independently of one another and may
  coincide; random singletons are all different.
* The sources compare vectors with an L_p distance. :meth:`LipschitzEmbedding.pairwise` divides it
  by d^(1/p): a common factor, so no ranking depends on it, that makes the embedding of a metric
  space contractive for every p.

Not handled here: reference objects chosen by a geometric heuristic or by training.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from refimpl.checks import as_count, as_generator, as_indices, as_list, as_number
from refimpl.results import result
from refimpl.spaces import Space, as_space
from refimpl.spaces.references import Embedding, as_dimension, as_embedded
from refimpl.typing import ArrayLike, FloatArray, IntArray

__all__ = ["LipschitzEmbedding", "bourgain", "lipschitz", "random_sets", "random_singletons"]

LEAST_SUM = 1e-290  # of powers: in smaller ones large parts may have vanished


@result
@dataclass(frozen=True, eq=False)
class LipschitzEmbedding(Embedding):
    """F(x) = (D_X(x, R_1), ..., D_X(x, R_d)): eq. 7 of Athitsos et al. (2005).

    Attributes
    ----------
    members : numpy.ndarray of int64, shape (s,)
        The reference sets one after the other, as indices of database objects.
    starts : numpy.ndarray of int64, shape (d + 1,)
        Set number j is ``members[starts[j]:starts[j + 1]]``.

    Raises
    ------
    TypeError, ValueError
        From its methods, if objects, vectors or a number of dimensions do not fit the embedding.

    See Also
    --------
    lipschitz, random_singletons, random_sets, bourgain : Make one.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.lipschitz import random_singletons
    >>> from refimpl.spaces import PrecomputedSpace
    >>> space = PrecomputedSpace([[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    >>> embedding = random_singletons(space, 2, rng=np.random.default_rng(0))
    >>> embedding.d, embedding.embed(space).shape
    (2, (3, 2))
    """

    members: IntArray
    starts: IntArray

    @property
    def d(self) -> int:
        """The number of dimensions."""
        return len(self.starts) - 1

    @property
    def references(self) -> IntArray:
        """The database objects to which distances are measured, sorted: an array of int64."""
        return np.unique(self.members)

    def _coordinates(self, D: FloatArray) -> FloatArray:
        return lipschitz_coordinates(D, np.searchsorted(self.references, self.members), self.starts)

    def truncated(self, d: int) -> "LipschitzEmbedding":
        """Return the embedding into the first `d` dimensions, with the references they need."""
        d = as_dimension(d, self.d)
        return LipschitzEmbedding(
            self.members[: self.starts[d]].copy(), self.starts[: d + 1].copy()
        )

    def pairwise(self, Q: ArrayLike, X: ArrayLike, p: float = 2.0) -> FloatArray:
        """Return L_p distances between embedded objects, divided by d^(1/p): float64, (m, n).

        Q has shape (m, d), X (n, d). p is at least 1 and less than 1000; ``numpy.inf`` is the
        largest difference.
        """
        return scaled_minkowski(*as_embedded(Q, X, self.d), p)


def lipschitz_coordinates(D: FloatArray, columns: IntArray, starts: IntArray) -> FloatArray:
    """Return F(x) of eqs. 5-7; set j is the columns ``columns[starts[j]:starts[j + 1]]`` of D."""
    F = np.empty((len(D), len(starts) - 1))
    for j in range(F.shape[1]):
        R = columns[starts[j] : starts[j + 1]]
        F[:, j] = D[:, R].min(axis=1)  # BM:eq5, BM:eq6
    return F  # BM:eq7


def scaled_minkowski(Q: FloatArray, X: FloatArray, p: float) -> FloatArray:
    """Return L_p distances between the rows of two checked matrices, divided by d^(1/p)."""
    # `p` is checked here
    if p == np.inf:
        largest: FloatArray = scipy.spatial.distance.cdist(Q, X, "chebyshev")
        return largest
    p = as_number(p, "p", minimum=1.0, below=1000.0)
    scale = Q.shape[1] ** (1 / p)
    D: FloatArray = scipy.spatial.distance.cdist(Q, X, "minkowski", p=p)
    D /= scale
    # where sums of powers overflowed or vanished, each pair has a unit of its own, a power of two
    least = LEAST_SUM ** (1 / p) / scale
    some = (D.min(axis=1, initial=np.inf) <= least) | ~(D.max(axis=1, initial=0.0) < np.inf)
    for i in np.flatnonzero(some):
        lost = ~((D[i] > least) & (D[i] < np.inf))
        with np.errstate(over="ignore"):
            differences = Q[i] - X[lost]
        exponents = np.frexp(np.abs(differences).max(axis=1))[1]
        scaled = np.ldexp(differences, -exponents[:, None])
        lengths = scipy.spatial.distance.cdist(np.zeros((1, len(Q[i]))), scaled, "minkowski", p=p)
        D[i, lost] = np.ldexp(lengths[0] / scale, exponents)
    return D


def lipschitz(space: Space, sets: Iterable[ArrayLike]) -> LipschitzEmbedding:
    """Return the embedding by reference sets that the caller gives.

    Eqs. 5-7 of Athitsos et al. (2005).

    Parameters
    ----------
    space : refimpl.spaces.Space
    sets : sequence of d index lists, or a sequence of d indices for d singletons
        Indices of database objects; no set is empty.

    Returns
    -------
    LipschitzEmbedding

    Raises
    ------
    TypeError, ValueError
        If there is no set, a set is empty, or an index is not in the database.

    See Also
    --------
    random_sets, random_singletons : Draw the sets.

    Examples
    --------
    >>> from refimpl.rivals.lipschitz import lipschitz
    >>> from refimpl.spaces import PrecomputedSpace
    >>> space = PrecomputedSpace([[0, 4, 8], [4, 0, 4], [8, 4, 0]])
    >>> lipschitz(space, [[0], [1, 2]]).embed(space)
    array([[0., 4.],
           [4., 0.],
           [8., 0.]])
    """
    n = len(as_space(space))
    references = [np.atleast_1d(np.asarray(R)) for R in as_list(sets, "sets", "index lists")]
    if not references:
        raise ValueError("sets must hold at least one reference set; got none")
    for j, R in enumerate(references):
        if len(R) == 0:
            raise ValueError(f"sets[{j}] must hold at least one object; got none")
    return _embedding([as_indices(R, n, f"sets[{j}]") for j, R in enumerate(references)])


def random_singletons(space: Space, d: int, *, rng: np.random.Generator) -> LipschitzEmbedding:
    """Return the embedding by `d` different database objects drawn at random.

    § 4.1, end, of Athitsos et al. (2005). Embedding a new object costs `d` distances.

    Parameters
    ----------
    space : refimpl.spaces.Space
    d : int
        At most the number of database objects.
    rng : numpy.random.Generator

    Returns
    -------
    LipschitzEmbedding

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.

    See Also
    --------
    random_sets : Sets of several objects.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.lipschitz import random_singletons
    >>> from refimpl.spaces import PrecomputedSpace
    >>> space = PrecomputedSpace([[0, 4, 8], [4, 0, 4], [8, 4, 0]])
    >>> random_singletons(space, 2, rng=np.random.default_rng(0)).cost
    2
    """
    n = len(as_space(space))
    d = as_count(d, "d", most=n, why="the number of objects")
    return _embedding(as_generator(rng).choice(n, d, replace=False)[:, None])


def random_sets(
    space: Space, sizes: Iterable[int], *, rng: np.random.Generator, subset: ArrayLike | None = None
) -> LipschitzEmbedding:
    """Return the embedding by random reference sets of the given sizes.

    § 4.1 of Athitsos et al. (2005).

    Parameters
    ----------
    space : refimpl.spaces.Space
    sizes : array_like of int, shape (d,)
        Each between 1 and the number of objects to draw from.
    rng : numpy.random.Generator
    subset : array_like of int, optional
        Indices of the database objects to draw from; the default is all.

    Returns
    -------
    LipschitzEmbedding

    Raises
    ------
    TypeError, ValueError
        If a size or the subset does not fit.

    See Also
    --------
    random_singletons : Sets of a single object.
    bourgain : Sets of growing sizes.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.lipschitz import random_sets
    >>> from refimpl.spaces import PrecomputedSpace
    >>> space = PrecomputedSpace([[0, 4, 8], [4, 0, 4], [8, 4, 0]])
    >>> random_sets(space, [1, 3], rng=np.random.default_rng(0)).embed(space)[:, 1]
    array([0., 0., 0.])
    """
    pool = as_pool(space, subset)
    listed = enumerate(as_list(sizes, "sizes", "integers"))
    counts = [as_count(size, f"sizes[{j}]") for j, size in listed]
    if not counts:
        raise ValueError("sizes must hold at least one size; got none")
    if max(counts) > len(pool):
        raise ValueError(
            f"sizes must be at most {len(pool)}, the objects to draw from; got {max(counts)}"
        )
    rng = as_generator(rng)
    return _embedding([rng.choice(pool, size, replace=False) for size in counts])


def bourgain(
    space: Space, *, rng: np.random.Generator, subset: ArrayLike | None = None, smallest: int = 1
) -> LipschitzEmbedding:
    """Return Bourgain's embedding: § 4.1 of Athitsos et al. (2005).

    Its distortion is O(log |X|) (ERRATUM BM-11). Embedding a new object costs its distances to
    almost all objects of X or, with `subset`, of X' (§ 4.1: then no bound on the distortion holds
    for the objects outside X').

    Parameters
    ----------
    space : refimpl.spaces.Space
    rng : numpy.random.Generator
    subset : array_like of int, optional
        X', the indices of the database objects to draw from; the default is all of them, X.
    smallest : {1, 2}, default 1
        The size of the smallest sets. 2 is the paper's; the module's text says why 1 is the
        default.

    Returns
    -------
    LipschitzEmbedding
        With ceil(log2 |X|)^2 dimensions, those of the smaller sets first.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or there are fewer than two objects.

    See Also
    --------
    sparsemap : The same with fewer distances.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.lipschitz import bourgain
    >>> from refimpl.spaces import PrecomputedSpace
    >>> space = PrecomputedSpace([[0, 4, 8], [4, 0, 4], [8, 4, 0]])
    >>> bourgain(space, rng=np.random.default_rng(0)).d
    4
    """
    sizes = bourgain_sizes(len(as_pool(space, subset)), smallest)
    return random_sets(space, sizes, rng=rng, subset=subset)


def bourgain_sizes(n: int, smallest: int = 1) -> list[int]:
    """Return the ascending sizes of Bourgain's ceil(log2 n)^2 reference sets among `n` objects."""
    if as_count(n, "the number of objects") < 2:
        raise ValueError(
            "space or subset must hold at least two objects for Bourgain's embedding; got 1"
        )
    if smallest not in (1, 2):
        raise ValueError(f"smallest must be 1, or 2 for the paper's sizes; got {smallest!r}")
    log = (n - 1).bit_length()  # ceil(log2 n), exactly
    return [min(smallest * 2**i, n) for i in range(log) for _ in range(log)]  # ERRATUM BM-12


def as_pool(space: Space, subset: ArrayLike | None) -> IntArray:
    """Return the checked indices of the objects that reference sets are drawn from."""
    n = len(as_space(space))
    if subset is None:
        return np.arange(n)
    pool = as_indices(subset, n, "subset")
    if len(pool) == 0:
        raise ValueError("subset must hold the indices of objects to draw from; got none")
    if len(np.unique(pool)) < len(pool):
        raise ValueError("subset must hold each object once; got an index twice")
    return pool


def _embedding(sets: Sequence[IntArray] | IntArray) -> LipschitzEmbedding:
    starts = np.cumsum([0] + [len(R) for R in sets])
    return LipschitzEmbedding(np.concatenate(sets).astype(np.int64), starts.astype(np.int64))
