"""Products of a matrix and a vector in a stated order, for large nodes of search trees.

The order of summation is that of ``np.einsum`` on machines where it adds with SSE, so that small
products (:func:`refimpl.kernels.eigen.times`) and large ones are rounded alike. The order of BLAS
depends on its number of threads.

The reference leaves products to ``np.einsum`` where that adds in the stated order: it takes rows of
more than 8,192 numbers in parts.
"""

import numpy as np

from refimpl.arrays import FloatArray, blocks
from refimpl.kernels.contract import checked

HELD = 2**20  # numbers held at a time
BUFFER = 8192  # np.einsum adds up a longer row in parts


def _row_sums(A: FloatArray, v: FloatArray) -> FloatArray:
    """Return A v, added as :func:`matrix_vector` says."""
    n, d = A.shape
    out = np.empty(n)
    whole = d - d % 8
    pairs = [c + k for c in range(0, whole, 8) for k in (6, 4, 2, 0)] + list(range(whole, d, 2))
    for part in blocks(n, HELD // max(1, d)):
        products = np.zeros((len(A[part]), d + d % 2))
        np.multiply(A[part], v, out=products[:, :d])
        lanes = np.zeros((len(products), 2))
        for c in pairs:
            lanes += products[:, c : c + 2]
        out[part] = lanes[:, 0] + lanes[:, 1]
    return out


def _column_sums(u: FloatArray, A: FloatArray) -> FloatArray:
    """Return u^T A, added as :func:`vector_matrix` says."""
    n, d = A.shape
    out = np.zeros(d)
    for part in blocks(n, HELD // max(1, d)):
        rows = u[part, np.newaxis] * A[part]
        rows[0] += out
        out = np.add.accumulate(rows, axis=0)[-1].copy()
    return out


def _einsum_adds_so() -> bool:
    """Return whether ``np.einsum`` adds in the stated order on this machine."""
    A = np.sin(np.arange(1.0, 7 * 45).reshape(-1, 2).repeat(9, axis=1)[:155])
    same = []
    for d in range(2, A.shape[1] + 1):
        part = np.ascontiguousarray(A[:, :d])
        v = np.cos(np.arange(1.0, d + 1))
        u = np.cos(np.arange(1.0, len(part) + 1))
        same += [
            np.array_equal(np.einsum("ij,j->i", part, v), _row_sums(part, v)),
            np.array_equal(np.einsum("i,i", v, v), _row_sums(v[np.newaxis], v)[0]),
            np.array_equal(np.einsum("i,ij->j", u, part), _column_sums(u, part)),
        ]
    return all(same)


EINSUM_ADDS_SO = _einsum_adds_so()


def einsum_adds_so(d: int) -> bool:
    """Return whether ``np.einsum`` adds rows of d numbers in the stated order."""
    return EINSUM_ADDS_SO and 1 < d <= BUFFER


@checked
@np.errstate(over="ignore", invalid="ignore")
def matrix_vector(A: FloatArray, v: FloatArray, *, threads: int | None = None) -> FloatArray:
    """Compute A v.

    The products of a row are added in two lanes, one for the even and one for the odd columns; then
    the two lanes are added. Columns are taken in groups of eight. Within a group the last two
    columns are added first, then the two before them, and so on. Columns after the last whole group
    are added in their order.

    Parameters
    ----------
    A : ndarray, shape (n, d), float64
    v : ndarray, shape (d,), float64

    Returns
    -------
    ndarray, shape (n,), float64

    See Also
    --------
    vector_matrix : The product u^T A.
    leading_direction : Takes this for large nodes, and ``np.einsum`` for small ones.

    Examples
    --------
    >>> matrix_vector(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0])).tolist()
    [-1.0, -1.0]
    """
    if einsum_adds_so(A.shape[1]):
        product: FloatArray = np.einsum("ij,j->i", A, v)
        return product
    return _row_sums(A, v)


@checked
@np.errstate(over="ignore", invalid="ignore")
def vector_matrix(u: FloatArray, A: FloatArray, *, threads: int | None = None) -> FloatArray:
    """Compute u^T A, adding the rows u_i A_i in their order.

    Parameters
    ----------
    u : ndarray, shape (n,), float64
    A : ndarray, shape (n, d), float64

    Returns
    -------
    ndarray, shape (d,), float64

    See Also
    --------
    matrix_vector : The product A v.

    Examples
    --------
    >>> vector_matrix(np.array([1.0, -1.0]), np.array([[1.0, 2.0], [3.0, 5.0]])).tolist()
    [-2.0, -3.0]
    """
    if einsum_adds_so(A.shape[1]):
        product: FloatArray = np.einsum("i,ij->j", u, A)
        return product
    return _column_sums(u, A)
