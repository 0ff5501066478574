"""Products of matrices and vectors whose rounding does not depend on the number of threads.

BLAS divides a large product among its threads, and with the parts the order of summation changes. Products with a
vector are left to ``np.einsum``, which adds in one order and on one thread; those of large matrices to the kernels
``matrix_vector`` and ``vector_matrix``, which add in the same order on several. Products of tall matrices are cut into
blocks of rows whose sizes depend on nothing but the shapes; several threads may share the blocks, and sums over blocks
are taken in the blocks' order. Each block is one product of BLAS, which must be kept on one thread meanwhile, as LMNN's
trainings do (``refimpl.resources.on_one_blas_thread``). A small product is a single block.

Not handled here: products of square matrices, and those that nobody shares.
"""

import numpy as np

from refimpl.resources import share

__all__ = ["length", "rows_times", "times_vector", "transposed_times", "vector_times"]

BLOCK = 2**23  # multiplications in a block: about half a millisecond
LEAST_ROWS = 256  # with fewer rows BLAS is slower
MOST_SUMS = 16  # blocks whose products are added up, at most: each takes memory

LARGE = 2**15  # numbers of a matrix for which a kernel pays


def times_vector(A, v, kernels=None, threads=None):
    """A v: ndarray, shape (n,), of A, shape (n, d). If A is large and `kernels` are given, threads share it."""
    if kernels is None or A.size < LARGE:
        return np.einsum("ij,j->i", A, v)
    return kernels.matrix_vector(A, v, threads=threads)


def vector_times(u, A, kernels=None, threads=None):
    """u^T A: ndarray, shape (d,), of A, shape (n, d). If A is large and `kernels` are given, threads share it."""
    if kernels is None or A.size < LARGE:
        return np.einsum("i,ij->j", u, A)
    return kernels.vector_matrix(u, A, threads=threads)


def length(v):
    """The Euclidean length of a vector."""
    return np.sqrt(np.einsum("i,i", v, v))


def rows_times(A, B, *, out=None, threads=None):
    """A B in blocks of rows of A.

    Parameters
    ----------
    A : ndarray, shape (n, d), float64
    B : ndarray, shape (d, r), float64
    out : ndarray, shape (n, r), float64, optional
        Where to write the product.
    threads : int, optional
        None for all processors. The result does not depend on it.

    Returns
    -------
    ndarray, shape (n, r), float64
    """
    out = np.empty((len(A), B.shape[1])) if out is None else out
    blocks = blocks_of(len(A), B.size)
    share(lambda i: np.matmul(A[blocks[i]], B, out=out[blocks[i]]), len(blocks), threads)
    return out


def transposed_times(A, B, *, threads=None):
    """A^T B: the sum of the products of blocks of rows, at most 16, in their order.

    Parameters
    ----------
    A : ndarray, shape (n, r), float64
    B : ndarray, shape (n, d), float64
    threads : int, optional
        None for all processors. The result does not depend on it.

    Returns
    -------
    ndarray, shape (r, d), float64
    """
    blocks = blocks_of(len(A), A.shape[1] * B.shape[1], MOST_SUMS)
    sums = np.empty((len(blocks), A.shape[1], B.shape[1]))
    share(lambda i: np.matmul(A[blocks[i]].T, B[blocks[i]], out=sums[i]), len(blocks), threads)
    for one in sums[1:]:
        sums[0] += one
    return sums[0].copy() if len(sums) > 1 else sums[0]


def blocks_of(n, each, most=None):
    """Slices that cut n rows, with `each` multiplications in one row: all of one length but the last; one at least."""
    rows = max(LEAST_ROWS, BLOCK // max(1, each))
    if most is not None:
        rows = max(rows, -(-n // most))
    return [slice(start, start + rows) for start in range(0, n, rows)] or [slice(0, 0)]
