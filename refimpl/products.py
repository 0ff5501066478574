"""Products of matrices and vectors whose rounding does not depend on the number of threads.

BLAS divides a large product among its threads, so the order of summation depends on their number.
Here ``np.einsum`` computes products with a vector, in a fixed order and on one thread; for large
matrices the kernels ``matrix_vector`` and ``vector_matrix`` add in the same order on several
threads. Products of tall matrices are cut into blocks of rows whose sizes depend on the
shapes alone; several threads may share the blocks, and sums over blocks are taken in the blocks'
order. Each block is one product of BLAS, which must run on one thread, as in the trainings of LMNN
(``refimpl.resources.on_one_blas_thread``). A small product is a single block.

Not handled here: products of square matrices, and products that threads do not share.
"""

import numpy as np

from refimpl.resources import share
from refimpl.typing import FloatArray, Kernels

__all__ = ["length", "rows_times", "times_vector", "transposed_times", "vector_times"]

BLOCK = 2**23  # multiplications in a block: about half a millisecond
LEAST_ROWS = 256  # with fewer rows BLAS is slower
MOST_SUMS = 16  # largest number of blocks whose products are added: each needs memory

LARGE = 2**15  # size of a matrix from which a kernel saves time


def times_vector(
    A: FloatArray, v: FloatArray, kernels: Kernels | None = None, threads: int | None = None
) -> FloatArray:
    """Return A v; threads share it if A is large and there are `kernels`.

    Parameters
    ----------
    A : ndarray, shape (n, d), float64
    v : ndarray, shape (d,), float64
    kernels : module, optional
    threads : int, optional

    Returns
    -------
    ndarray, shape (n,), float64

    Examples
    --------
    >>> import numpy as np
    >>> times_vector(np.eye(2), np.array([1.0, 2.0]))
    array([1., 2.])
    """
    if kernels is None or A.size < LARGE:
        product: FloatArray = np.einsum("ij,j->i", A, v)
        return product
    return kernels.matrix_vector(A, v, threads=threads)


def vector_times(
    u: FloatArray, A: FloatArray, kernels: Kernels | None = None, threads: int | None = None
) -> FloatArray:
    """Return u^T A; threads share it if A is large and there are `kernels`.

    Parameters
    ----------
    u : ndarray, shape (n,), float64
    A : ndarray, shape (n, d), float64
    kernels : module, optional
    threads : int, optional

    Returns
    -------
    ndarray, shape (d,), float64

    Examples
    --------
    >>> import numpy as np
    >>> vector_times(np.array([1.0, 2.0]), np.eye(2))
    array([1., 2.])
    """
    if kernels is None or A.size < LARGE:
        product: FloatArray = np.einsum("i,ij->j", u, A)
        return product
    return kernels.vector_matrix(u, A, threads=threads)


def length(v: FloatArray) -> np.float64:
    """Return the Euclidean length of a vector.

    Examples
    --------
    >>> import numpy as np
    >>> float(length(np.array([3.0, 4.0])))
    5.0
    """
    root: np.float64 = np.sqrt(np.einsum("i,i", v, v))
    return root


def rows_times(
    A: FloatArray, B: FloatArray, *, out: FloatArray | None = None, threads: int | None = None
) -> FloatArray:
    """Return A B, computed in blocks of rows of A.

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

    Examples
    --------
    >>> import numpy as np
    >>> rows_times(np.ones((3, 2)), np.eye(2)).shape
    (3, 2)
    """
    product = np.empty((len(A), B.shape[1])) if out is None else out
    blocks = blocks_of(len(A), B.size)
    share(lambda i: np.matmul(A[blocks[i]], B, out=product[blocks[i]]), len(blocks), threads)
    return product


def transposed_times(A: FloatArray, B: FloatArray, *, threads: int | None = None) -> FloatArray:
    """Return A^T B: the sum of the products of blocks of rows, at most 16, in their order.

    Parameters
    ----------
    A : ndarray, shape (n, r), float64
    B : ndarray, shape (n, d), float64
    threads : int, optional
        None for all processors. The result does not depend on it.

    Returns
    -------
    ndarray, shape (r, d), float64

    Examples
    --------
    >>> import numpy as np
    >>> transposed_times(np.ones((3, 1)), np.ones((3, 2)))
    array([[3., 3.]])
    """
    blocks = blocks_of(len(A), A.shape[1] * B.shape[1], MOST_SUMS)
    sums = np.empty((len(blocks), A.shape[1], B.shape[1]))
    share(lambda i: np.matmul(A[blocks[i]].T, B[blocks[i]], out=sums[i]), len(blocks), threads)
    for part in sums[1:]:
        sums[0] += part
    total: FloatArray = sums[0].copy() if len(sums) > 1 else sums[0]
    return total


def blocks_of(n: int, each: int, most: int | None = None) -> list[slice]:
    """Return slices that cut n rows, with `each` multiplications in a row, into `most` at most.

    There is at least one slice, and all have the same length but the last.
    """
    rows = max(LEAST_ROWS, BLOCK // max(1, each))
    if most is not None:
        rows = max(rows, -(-n // most))
    return [slice(start, start + rows) for start in range(0, n, rows)] or [slice(0, 0)]
