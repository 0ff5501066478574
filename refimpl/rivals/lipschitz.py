"""Lipschitz embeddings with singletons and with sets, and Bourgain's, as in § 4.1 of BoostMap.

Athitsos, Alon, Sclaroff & Kollios, "Learning Euclidean Embeddings for Indexing and Classification" (2005),
eqs. 5-7. The sources it names: J. Bourgain, "On Lipschitz embedding of finite metric spaces in Hilbert space",
Israel J. Math. 52 (1985), 46-52; N. Linial, E. London & Y. Rabinovich, "The geometry of graphs and some of its
algorithmic applications", FOCS 1994, 577-591; G. Hjaltason & H. Samet, "Properties of embedding methods for
similarity searching in metric spaces", PAMI 25 (2003), 530-549.

Readings of what the sources leave open
---------------------------------------
* An asymmetric distance goes from the object to the reference set: D_X(x, R) is the minimum of D_X(x, r).
* "log" in Bourgain's embedding has base 2, as the sizes 2^i suggest.
* The paper's sizes, 2^i for i = 1, ..., ceil(log |X|), end at the whole of X or beyond it: the sets of the last
  group are all equal to X, and their coordinate is zero everywhere on X. By default the same number of groups
  has the sizes 1, 2, 4, ..., all below |X|: the powers of two that Linial, London & Rabinovich use.
  ``smallest=2`` gives the printed sizes, with X itself where a set would have to be larger (ERRATUM BM-12).
* The elements of one set are distinct. Sets are drawn independently of one another and may coincide; random
  singletons are all different.
* The sources compare vectors with an L_p distance. :meth:`LipschitzEmbedding.pairwise` divides it by d^(1/p):
  a common factor, so no ranking depends on it, that makes the embedding of a metric space contractive for
  every p.

Not handled here: reference objects chosen by a geometric heuristic or by training.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from refimpl.checks import as_count, as_generator, as_indices, as_number
from refimpl.results import result
from refimpl.spaces import as_space
from refimpl.spaces.references import Embedding, as_dimension, as_embedded

__all__ = ["LipschitzEmbedding", "bourgain", "lipschitz", "random_sets", "random_singletons"]


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
    """

    members: np.ndarray
    starts: np.ndarray

    @property
    def d(self):
        """The number of dimensions."""
        return len(self.starts) - 1

    @property
    def references(self):
        """The database objects to which distances are measured, sorted: an array of int64."""
        return np.unique(self.members)

    def _coordinates(self, D):
        return lipschitz_coordinates(D, np.searchsorted(self.references, self.members), self.starts)

    def truncated(self, d):
        """The embedding into the first `d` dimensions; it measures only the distances that these need."""
        d = as_dimension(d, self.d)
        return LipschitzEmbedding(self.members[: self.starts[d]].copy(), self.starts[: d + 1].copy())

    def pairwise(self, A, B, p=2.0):
        """L_p distances between embedded objects, divided by d^(1/p).

        Parameters
        ----------
        A : array_like, shape (m, d)
        B : array_like, shape (n, d)
        p : float, default 2.0
            At least 1; ``numpy.inf`` is the largest difference.

        Returns
        -------
        numpy.ndarray of float64, shape (m, n)
        """
        return scaled_minkowski(*as_embedded(A, B, self.d), p)


def lipschitz_coordinates(D, columns, starts):
    """F(x) of eqs. 5-7 of Athitsos et al. (2005), from exact distances.

    Parameters
    ----------
    D : numpy.ndarray, shape (m, r)
        Distances from the objects to the reference objects.
    columns : numpy.ndarray of int64, shape (s,)
        The reference sets one after the other, as columns of `D`.
    starts : numpy.ndarray of int64, shape (d + 1,)
        Set number j is ``columns[starts[j]:starts[j + 1]]``.

    Returns
    -------
    numpy.ndarray of float64, shape (m, d)
    """
    F = np.empty((len(D), len(starts) - 1))
    for j in range(F.shape[1]):
        R = columns[starts[j] : starts[j + 1]]
        F[:, j] = D[:, R].min(axis=1)  # BM:eq5, BM:eq6
    return F  # BM:eq7


def scaled_minkowski(A, B, p):
    """L_p distances between the rows of two checked matrices, divided by d^(1/p); p is checked here."""
    if p == np.inf:
        return cdist(A, B, "chebyshev")
    p = as_number(p, "p", minimum=1.0)
    return cdist(A, B, "minkowski", p=p) / A.shape[1] ** (1 / p)


def lipschitz(space, sets):
    """The embedding by given reference sets: eqs. 5-7 of Athitsos et al. (2005).

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
    """
    n = len(as_space(space))
    sets = [np.atleast_1d(R) for R in sets]
    if not sets:
        raise ValueError("sets is empty; pass at least one reference set")
    for j, R in enumerate(sets):
        if len(R) == 0:
            raise ValueError(f"sets[{j}] is empty; a reference set needs at least one object")
    sets = [as_indices(R, n, f"sets[{j}]") for j, R in enumerate(sets)]
    return _embedding(sets)


def random_singletons(space, d, rng):
    """The embedding by `d` different database objects drawn at random, which costs `d` distances (§ 4.1, end).

    Parameters
    ----------
    space : refimpl.spaces.Space
    d : int
        At most the number of database objects.
    rng : numpy.random.Generator

    Returns
    -------
    LipschitzEmbedding
    """
    n = len(as_space(space))
    d = as_count(d, "d")
    if d > n:
        raise ValueError(f"d is {d}; the space has {n} objects, so at most {n} singletons")
    return _embedding(as_generator(rng).choice(n, d, replace=False)[:, None])


def random_sets(space, sizes, rng, *, subset=None):
    """The embedding by random reference sets of the given sizes.

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
    """
    pool = as_pool(space, subset)
    sizes = [as_count(size, f"sizes[{j}]") for j, size in enumerate(sizes)]
    if not sizes:
        raise ValueError("sizes is empty; pass at least one size")
    if max(sizes) > len(pool):
        raise ValueError(f"sizes holds {max(sizes)}; there are {len(pool)} objects to draw from")
    rng = as_generator(rng)
    return _embedding([rng.choice(pool, size, replace=False) for size in sizes])


def bourgain(space, rng, *, subset=None, smallest=1):
    """Return Bourgain's embedding: § 4.1 of Athitsos et al. (2005). Its distortion is O(log |X|) (ERRATUM BM-11).

    Embedding a new object costs its distances to almost all objects of X or, with `subset`, of X' (§ 4.1: then
    no bound on the distortion holds for the objects outside X').

    Parameters
    ----------
    space : refimpl.spaces.Space
    rng : numpy.random.Generator
    subset : array_like of int, optional
        X', the indices of the database objects to draw from; the default is all of them, X.
    smallest : {1, 2}, default 1
        The size of the smallest sets. 2 is the paper's; the module's text says why 1 is the default.

    Returns
    -------
    LipschitzEmbedding
        With ceil(log2 |X|)^2 dimensions, those of the smaller sets first.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or there are fewer than two objects.
    """
    sizes = bourgain_sizes(len(as_pool(space, subset)), smallest)
    return random_sets(space, sizes, rng, subset=subset)


def bourgain_sizes(n, smallest=1):
    """The sizes of Bourgain's ceil(log2 n)^2 reference sets among `n` objects, in ascending order.

    Parameters
    ----------
    n : int
        At least 2.
    smallest : {1, 2}, default 1

    Returns
    -------
    list of int
    """
    if as_count(n, "the number of objects") < 2:
        raise ValueError("Bourgain's embedding needs at least two objects; the space or subset has one")
    if smallest not in (1, 2):
        raise ValueError(f"smallest is {smallest!r}; it must be 1, or 2 for the paper's sizes")
    log = (n - 1).bit_length()  # ceil(log2 n), exactly
    return [min(smallest * 2**i, n) for i in range(log) for _ in range(log)]  # ERRATUM BM-12


def as_pool(space, subset):
    """The checked indices of the objects that reference sets are drawn from."""
    n = len(as_space(space))
    if subset is None:
        return np.arange(n)
    subset = as_indices(subset, n, "subset")
    if len(subset) == 0:
        raise ValueError("subset is empty; pass the indices of the objects to draw from")
    if len(np.unique(subset)) < len(subset):
        raise ValueError("subset holds an index twice; pass each object once")
    return subset


def _embedding(sets):
    starts = np.cumsum([0] + [len(R) for R in sets])
    return LipschitzEmbedding(np.concatenate(sets).astype(np.int64), starts.astype(np.int64))
