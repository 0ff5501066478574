"""Find exact nearest neighbours by matrix products: candidates in float32, distances in float64.

A product of matrices gives all distances at once, with rounding errors. A bound of the errors tells
which points could be among the k nearest; their distances are computed again, exactly as the
kernels sum them.

Not handled here: checks of arguments; :func:`refimpl.ball_trees.nearest_neighbors` makes them.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from refimpl.typing import FloatArray, IntArray

__all__ = ["nearest_by_products"]

BLOCK = 1 << 22  # numbers held for one block of queries
PAIRS = 1 << 20  # coordinates held for one block of exact distances
GROUP = 256  # points of a group; at first only the nearest point of a group is looked at

_Side: TypeAlias = tuple[NDArray[Any], int, float]


def nearest_by_products(
    X: FloatArray, Q: FloatArray, k: int, skip: IntArray | None
) -> tuple[FloatArray, IntArray]:
    """Return the result of the kernel ``tree_nearest``, by products and some exact distances.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
    Q : ndarray, shape (m, d), float64
    k : int
    skip : ndarray, shape (m,), int64, or None
        The index of a point of X that is no neighbour of the query; -1 for none.

    Returns
    -------
    squares : ndarray, shape (m, k), float64
        Squared distances, ascending.
    indices : ndarray, shape (m, k), int64
        Of equal distances the lowest index comes first.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.brute_search import nearest_by_products
    >>> nearest_by_products(np.array([[0.0], [1.0], [3.0]]), np.array([[2.5]]), 2, None)
    (array([[0.25, 2.25]]), array([[2, 1]]))
    """
    squares = np.empty((len(Q), k))
    indices = np.empty((len(Q), k), dtype=np.int64)
    middle = X.mean(axis=0)
    far = max(np.abs(X - middle).max(), np.abs(Q - middle).max())
    scale = 2.0 ** -np.floor(np.log2(far)) if far > 1e-140 else 1.0
    sides: dict[type[np.floating[Any]], _Side] = {}
    rows = max(1, BLOCK // len(X))
    for first in range(0, len(Q), rows):
        q = Q[first : first + rows]
        skipped = None if skip is None else skip[first : first + rows]
        for dtype in (np.float32, np.float64):
            if dtype not in sides:
                sides[dtype] = _augmented((X - middle) * scale, dtype, k)
            i, j = _candidates((q - middle) * scale, *sides[dtype], k, skipped)
            if len(i) <= 16 * k * len(q):
                break
        square = _exact(X, q, i, j)
        order = np.lexsort((j, square, i))
        places = np.searchsorted(i[order], np.arange(len(q)))[:, np.newaxis] + np.arange(k)
        squares[first : first + rows] = square[order][places]
        indices[first : first + rows] = j[order][places]
    return squares, indices


def _augmented(X: FloatArray, dtype: type[np.floating[Any]], k: int) -> _Side:
    """Return [x, ||x||^2] as columns in whole groups, the size of a group, the largest ||x||."""
    n, d = X.shape
    group = max(1, min(GROUP, n // (4 * k)))
    norms = np.einsum("ij,ij->i", X, X)
    side = np.zeros((-(-n // group) * group, d + 1), dtype=dtype)
    side[:n, :d] = X
    side[:n, d] = norms
    side[n:, d] = 1e30  # the rows that fill the last group are far from every query
    return side.T, group, float(np.sqrt(norms.max()))


def _candidates(
    q: FloatArray, side: NDArray[Any], group: int, largest: float, k: int, skip: IntArray | None
) -> tuple[IntArray, IntArray]:
    """Return pairs (i, j) of a query and a point, with all points that could be nearest.

    The product is ||x||^2 - 2 q x. Its rounding errors, those of its factors and those of
    :func:`_exact` stay below a quarter of the margin. So no product of a point among the k nearest
    exceeds the k-th smallest product plus the margin.
    """
    d = q.shape[1]
    eps = float(np.finfo(side.dtype).eps)
    margin = 4 * eps * (d + 8) * ((np.sqrt(np.einsum("ij,ij->i", q, q)) + largest) ** 2 + 1e-30)
    A = np.hstack([-2 * q, np.ones((len(q), 1))]).astype(side.dtype) @ side
    if skip is not None:
        A[np.flatnonzero(skip >= 0), skip[skip >= 0]] = np.inf
    A = A.reshape(len(q), -1, group)
    least = A.min(axis=2)
    limit = (np.partition(least, k - 1, axis=1)[:, k - 1] + margin).astype(side.dtype)
    i, g = np.nonzero(least <= limit[:, np.newaxis])
    near = A[i, g] <= limit[i, np.newaxis]
    pair, place = np.nonzero(near)
    return i[pair], g[pair] * group + place


def _exact(X: FloatArray, Q: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """Return squared distances of the pairs, as the kernels sum them."""
    step = max(1, PAIRS // X.shape[1])
    parts = [slice(first, first + step) for first in range(0, len(i), step)]
    return np.concatenate(
        [np.cumsum((Q[i[part]] - X[j[part]]) ** 2, axis=1)[:, -1] for part in parts]
    )
