"""Products of a matrix and a vector, added up in an order that is stated: for the large nodes of search trees.

The orders are those of ``np.einsum`` where it adds with SSE, so that large and small products are of one kind there;
BLAS has its own, which depends on its threads.

Arguments that :data:`refimpl.kernels.contract.CONTRACT` does not allow raise TypeError or ValueError.

Not handled here: small products, which are left to ``np.einsum`` (``refimpl/products.py``).
"""

import numpy as np

from refimpl.kernels.contract import checked

HELD = 2**20  # numbers held at a time


@checked
@np.errstate(over="ignore", invalid="ignore")
def matrix_vector(A, v, *, threads=None):
    """A v: each row's products are added in two lanes, those of even and of odd columns, and then the lanes.

    Of eight columns the last two are added first, then the two before them, and so on; the columns behind the last
    whole eight are added in their order.

    Parameters
    ----------
    A : ndarray, shape (n, d), float64
    v : ndarray, shape (d,), float64
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    ndarray, shape (n,), float64
    """
    n, d = A.shape
    out, whole, block = np.empty(n), d - d % 8, max(1, HELD // max(1, d))
    pairs = [c + k for c in range(0, whole, 8) for k in (6, 4, 2, 0)] + list(range(whole, d, 2))
    for start in range(0, n, block):
        part = slice(start, start + block)
        products = np.zeros((len(A[part]), d + d % 2))
        np.multiply(A[part], v, out=products[:, :d])
        lanes = np.zeros((len(products), 2))
        for c in pairs:
            lanes += products[:, c : c + 2]
        out[part] = lanes[:, 0] + lanes[:, 1]
    return out


@checked
@np.errstate(over="ignore", invalid="ignore")
def vector_matrix(u, A, *, threads=None):
    """u^T A: the rows u_i A_i are added in their order.

    Parameters
    ----------
    u : ndarray, shape (n,), float64
    A : ndarray, shape (n, d), float64
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    ndarray, shape (d,), float64
    """
    n, d = A.shape
    out, block = np.zeros(d), max(1, HELD // max(1, d))
    for start in range(0, n, block):
        rows = u[start : start + block, np.newaxis] * A[start : start + block]
        rows[0] += out
        out = np.add.accumulate(rows, axis=0)[-1].copy()
    return out
