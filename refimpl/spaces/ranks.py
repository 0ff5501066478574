"""How good an embedding is for filter-and-refine retrieval.

Athitsos, Alon, Sclaroff & Kollios (2005), §§ 11.1 and 11.2. The *rank* of a database object for a
query is its place in the order of the embedded distances. A good embedding gives low ranks to the
true nearest neighbours of a query, so that few candidates need an exact distance.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refimpl.arrays import as_array, as_matrix, as_vectors_like, blocks
from refimpl.checks import as_count, as_kernels, as_list, as_number
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels

BLOCK = 2**20  # distances held at a time: 8 MiB, which stay in a processor's cache


def enn_ranks(
    embedding: Any,
    Q: FloatArray,
    X: FloatArray,
    neighbors: ArrayLike,
    k_values: Sequence[int],
    *,
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> IntArray:
    """Return ENN-k ranks: how deep the filter must go to find all k nearest neighbours.

    § 11.1, p. 17, of Athitsos et al. (2005).

    Parameters
    ----------
    embedding : BoostMap, or a rival's embedding
    Q : ndarray, shape (m, d), float64
        Embedded queries.
    X : ndarray, shape (n, d), float64
        Embedded database.
    neighbors : array_like of int, shape (m, largest k)
        The true nearest neighbours of each query, nearest first, as rows of X.
    k_values : sequence of int
        Values of k.
    kernels, threads
        As for :class:`refimpl.spaces.FilterAndRefine`.

    Returns
    -------
    ndarray, shape (m, len(k_values)), int64
        The worst rank of b_1, ..., b_k, where the rank of b is one plus the number of database
        objects mapped strictly closer to the query.

    Raises
    ------
    TypeError, ValueError
        If Q and X are no points of as many dimensions, `neighbors` are no rows of X, a row for
        each query, or a value of k is too large.

    See Also
    --------
    percentile : Summarise the ranks of many queries.
    best_dimensions : Choose d and p by the ranks.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.rivals.lipschitz import lipschitz
    >>> from refimpl.spaces import PrecomputedSpace, enn_ranks
    >>> space = PrecomputedSpace([[0, 4, 8], [4, 0, 4], [8, 4, 0]])
    >>> embedding = lipschitz(space, [0])
    >>> Q, X = embedding.embed(space, [[3, 1, 5]]), embedding.embed(space)
    >>> enn_ranks(embedding, Q, X, [[1, 0, 2]], [1, 2])
    array([[1, 2]])
    """
    kernels = as_kernels(kernels)
    X = as_matrix(X, "X")
    Q = as_vectors_like(Q, X, "Q")
    true = _as_neighbors(neighbors, len(Q), len(X))
    k_values = [as_count(k, "k_values") for k in as_list(k_values, "k_values", "integers")]
    if max(k_values, default=0) > true.shape[1]:
        raise ValueError(
            f"k_values must be at most {true.shape[1]}, the columns of neighbors; "
            f"got {max(k_values)}"
        )
    ranks = np.empty((len(Q), len(k_values)), dtype=np.int64)
    for block in distance_blocks(len(Q), len(X)):
        D = distances(embedding, Q[block], X, kernels, threads)
        ranks[block] = worst_ranks(D, true[block], k_values)
    return ranks


def worst_ranks(D: FloatArray, true: IntArray, k_values: Sequence[int]) -> list[list[int]]:
    """Return the worst rank of b_1, ..., b_k in each row of embedded distances, for each k."""
    farthest = np.maximum.accumulate(np.take_along_axis(D, true, axis=1), axis=1)
    of_k = farthest[:, np.array(k_values, dtype=np.int64) - 1]
    return [
        [1 + int(np.count_nonzero(row < limit)) for limit in limits]
        for row, limits in zip(D, of_k, strict=True)
    ]


def _as_neighbors(neighbors: ArrayLike, m: int, n: int) -> NDArray[Any]:
    """Return the checked true neighbours of m queries among n points."""
    true = as_array(neighbors, "neighbors", "indices")
    if true.ndim != 2 or len(true) != m or true.dtype.kind not in "iu":
        raise ValueError(
            f"neighbors must hold integers, a row of indices of X for each of {m} queries; "
            f"got {true.dtype} of shape {true.shape}"
        )
    if true.min(initial=0) < 0 or true.max(initial=0) >= n:
        raise ValueError(
            f"neighbors must hold indices of X from 0 to {n - 1}; got {true.min()} to {true.max()}"
        )
    return true


def distances(
    embedding: Any, Q: FloatArray, X: FloatArray, kernels: Kernels, threads: int | None
) -> FloatArray:
    """Return distances from embedded queries to the embedded database."""
    # weighted L1 distances are computed by the kernels
    if hasattr(embedding, "weights"):
        weights = embedding.weights(Q)
        return kernels.weighted_l1(Q, weights, X, threads=threads)
    matrix: FloatArray = embedding.pairwise(Q, X)
    return matrix


def percentile(ranks: ArrayLike, percent: float) -> NDArray[Any]:
    """Return the least rank that at least `percent` per cent of the queries do not exceed.

    § 11.1 of Athitsos et al. (2005).

    Parameters
    ----------
    ranks : array_like, shape (m, ...)
        A row for each query.
    percent : float
        From 0 to 100.

    Returns
    -------
    ndarray, shape (...)

    Raises
    ------
    TypeError, ValueError
        If `percent` is out of range, there are no ranks, or one is NaN or no number.

    See Also
    --------
    enn_ranks : The ranks that it takes.

    Examples
    --------
    >>> from refimpl.spaces import percentile
    >>> int(percentile([7, 1, 3, 5], 75))
    5
    """
    percent = as_number(percent, "percent")
    if percent > 100:
        raise ValueError(f"percent must be at most 100; got {percent!r}")
    given = as_array(ranks, "ranks", "an array")
    if given.dtype.kind not in "iuf":
        raise TypeError(f"ranks must hold numbers; got dtype {given.dtype}")
    if np.isnan(given).any():
        raise ValueError(f"ranks must hold no NaN; got {np.count_nonzero(np.isnan(given))}")
    if given.ndim == 0 or given.size == 0:
        raise ValueError(f"ranks must hold a row for each query; got shape {given.shape}")
    ordered: NDArray[Any] = np.sort(given, axis=0)
    place = max(0, int(np.ceil(percent / 100 * len(ordered) - 1e-9)) - 1)
    row: NDArray[Any] = ordered[place]
    return row


def best_dimensions(
    ranks: Mapping[int, ArrayLike], costs: Mapping[int, int], success: float
) -> tuple[int, int, int]:
    """Return the dimension d and the number p of candidates that need the fewest exact distances.

    § 11.2 of Athitsos et al. (2005).

    Parameters
    ----------
    ranks : dict of int -> array_like, shape (m,)
        For each d the ENN-k ranks of sample queries with a d-dimensional embedding.
    costs : dict of int -> int
        Exact distances that embedding a query takes, ``embedding.cost``.
    success : float
        Percentage of the queries for which all k nearest neighbours must be found.

    Returns
    -------
    d, p, total : int
        total = cost + p; of equal totals the lowest d.

    Raises
    ------
    ValueError
        If `ranks` and `costs` are of different dimensions, or empty.

    See Also
    --------
    enn_ranks : Compute the ranks.

    Examples
    --------
    >>> from refimpl.spaces import best_dimensions
    >>> best_dimensions({2: [9, 20], 8: [3, 4]}, {2: 4, 8: 16}, 100)
    (8, 4, 20)
    """
    if not ranks or set(ranks) != set(costs):
        raise ValueError(
            f"ranks and costs must be for the same dimensions; got {sorted(ranks)} "
            f"and {sorted(costs)}"
        )
    totals = [(costs[d] + int(percentile(ranks[d], success)), d) for d in ranks]
    total, d = min(totals)
    return d, total - costs[d], total


def distance_blocks(m: int, n: int) -> list[slice]:
    """Return slices that cut m queries, each with a bounded number of distances to n objects."""
    return blocks(m, BLOCK // max(1, n))
