"""Products of tall matrices whose rounding does not depend on the number of threads.

BLAS divides a large product among its threads, so the order of summation depends on their number.
Here the products are cut into blocks of rows whose sizes depend on the shapes alone; several
threads may share the blocks, and sums over blocks are taken in the blocks' order. Each block is one
product of BLAS, which must run on one thread, as in the trainings of LMNN
(``refimpl.resources.on_one_blas_thread``). A small product is a single block.

:func:`nearest_by_products` finds exact nearest neighbours: a product of matrices in float32 gives
all distances at once, a bound of its errors tells which points could be among the k nearest, and
their distances are computed again in float64, exactly as the kernels sum them.
"""

from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from refimpl.arrays import blocks
from refimpl.resources import share
from refimpl.typing import FloatArray, IntArray

BLOCK = 2**23  # multiplications in a block: about half a millisecond
LEAST_ROWS = 256  # with fewer rows BLAS is slower
MOST_SUMS = 16  # largest number of blocks whose products are added: each needs memory


def rows_times(
    A: FloatArray, B: FloatArray, *, out: FloatArray | None = None, threads: int | None = None
) -> FloatArray:
    """Return A B, computed in blocks of rows of A."""
    product = np.empty((len(A), B.shape[1])) if out is None else out
    parts = blocks_of(len(A), B.size)
    share(lambda i: np.matmul(A[parts[i]], B, out=product[parts[i]]), len(parts), threads)
    return product


def transposed_times(A: FloatArray, B: FloatArray, *, threads: int | None = None) -> FloatArray:
    """Return A^T B: the sum of the products of blocks of rows, at most 16, in their order."""
    parts = blocks_of(len(A), A.shape[1] * B.shape[1], MOST_SUMS)
    sums = np.empty((len(parts), A.shape[1], B.shape[1]))
    share(lambda i: np.matmul(A[parts[i]].T, B[parts[i]], out=sums[i]), len(parts), threads)
    for part in sums[1:]:
        sums[0] += part
    total: FloatArray = sums[0].copy() if len(sums) > 1 else sums[0]
    return total


def blocks_of(n: int, each: int, most: int | None = None) -> list[slice]:
    """Return slices, 1 to `most`, that cut n rows; a row takes `each` multiplications."""
    rows = max(LEAST_ROWS, BLOCK // max(1, each))
    if most is not None:
        rows = max(rows, -(-n // most))
    return blocks(n, rows) or [slice(0, 0)]


ROWS = 256  # queries in a block: with fewer the points are read from memory too often
HELD = 1 << 25  # the most distances held for a block: with more than 131,072 points it is smaller
LISTED = 1 << 22  # the same where float32 does not tell the points apart and all may be listed
PAIRS = 1 << 20  # coordinates held for one block of exact distances
GROUP = 256  # points of a group; at first only the nearest point of a group is looked at

_Side: TypeAlias = tuple[NDArray[Any], int, float]
_Pairs: TypeAlias = tuple[IntArray, IntArray]


def nearest_by_products(
    X: FloatArray, Q: FloatArray, k: int, skip: IntArray | None
) -> tuple[FloatArray, IntArray]:
    """Return what the kernel ``tree_nearest`` does; `skip` has a point for each query, or -1."""
    squares = np.empty((len(Q), k))
    indices = np.empty((len(Q), k), dtype=np.int64)
    middle = X.mean(axis=0)
    far = max(np.abs(X - middle).max(), np.abs(Q - middle).max())
    scale = 2.0 ** -np.floor(np.log2(far)) if far > 1e-140 else 1.0
    sides: dict[type[np.floating[Any]], _Side] = {}

    def pairs(block: slice, dtype: type[np.floating[Any]], most: int | None) -> _Pairs | None:
        if dtype not in sides:
            sides[dtype] = _augmented((X - middle) * scale, dtype, k)
        skipped = None if skip is None else skip[block]
        return _candidates((Q[block] - middle) * scale, *sides[dtype], k, skipped, most)

    def keep(block: slice, i: IntArray, j: IntArray) -> None:
        q = Q[block]
        square = _exact(X, q, i, j)
        order = np.lexsort((j, square, i))
        places = np.searchsorted(i[order], np.arange(len(q)))[:, np.newaxis] + np.arange(k)
        squares[block] = square[order][places]
        indices[block] = j[order][places]

    for block in blocks(len(Q), min(ROWS, HELD // len(X))):
        found = pairs(block, np.float32, 16 * k * (block.stop - block.start))
        if found is not None:
            keep(block, *found)
            continue
        for part in blocks(block.stop, LISTED // len(X), block.start):
            keep(part, *cast(_Pairs, pairs(part, np.float64, None)))
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
    q: FloatArray,
    side: NDArray[Any],
    group: int,
    largest: float,
    k: int,
    skip: IntArray | None,
    most: int | None,
) -> _Pairs | None:
    """Return pairs (i, j) of a query and a point that could be nearest; None if over `most`."""
    # The product is ||x||^2 - 2 q x. Its rounding errors, those of its factors and those of
    # _exact stay below a quarter of the margin. So no product of a point among the k nearest
    # exceeds the k-th smallest product plus the margin.
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
    if most is not None and len(i) > most:  # each group has a pair
        return None
    near = A[i, g] <= limit[i, np.newaxis]
    if most is not None and np.count_nonzero(near) > most:
        return None
    pair, place = np.nonzero(near)
    return i[pair], g[pair] * group + place


def _exact(X: FloatArray, Q: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """Return squared distances of the pairs, as the kernels sum them."""
    parts = blocks(len(i), PAIRS // X.shape[1])
    return np.concatenate(
        [np.cumsum((Q[i[part]] - X[j[part]]) ** 2, axis=1)[:, -1] for part in parts]
    )
