"""The eigensolver of the search forest's splits.

Eq. 18 of Li et al. (2011) asks for the leading eigenvector of a matrix. The method is restarted
Lanczos iteration, as in ``scipy.sparse.linalg.eigsh``. The result depends on the start vector
alone, while SciPy's solver keeps a random state of its own. New basis vectors are made orthogonal
to all earlier ones. Products are those of ``np.einsum`` or, if they are large, of
:mod:`refimpl.kernels.products`, so the number of BLAS threads does not change the result.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import scipy

from refimpl.arrays import FloatArray, Int32Array
from refimpl.kernels.contract import checked
from refimpl.kernels.pairs import listed_product, require_order
from refimpl.kernels.products import matrix_vector, vector_matrix

STEPS = 60  # largest number of vectors in a basis
RESTARTS = 20
LOOK = 5  # steps between two checks of the residual
LARGE = 2**15  # size of a matrix whose products are those of refimpl.kernels.products
CLOSED = 1e-13  # a basis is complete if what is left of a product is this small
BY_INDEX = 2  # LAPACK: the eigenvalues are chosen by their numbers


@checked
@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def leading_direction(
    x: FloatArray,
    first: Int32Array,
    second: Int32Array,
    v: FloatArray,
    base: float,
    start: FloatArray,
    tol: float,
    *,
    threads: int | None = None,
) -> FloatArray:
    """Compute the leading eigenvector of X~ M X~^T: the plane of eq. 18 of Li et al. (2011).

    M is the symmetric matrix of a node's pairs: `base` / 2 for each pair of different points, and
    v / 2 more for a listed pair. The rows of `x` are the columns of X~.

    Parameters
    ----------
    x : ndarray, shape (n, d), float64
    first, second : ndarray, shape (p,), int32
        Pairs with first < second in ascending order of `first`.
    v : ndarray, shape (p,), float64
    base : float
    start : ndarray, shape (d,), float64
        The first vector of the iteration.
    tol : float
        The length of A p - theta p is at most `tol` times abs(theta), unless 20 restarts do not
        suffice.

    Returns
    -------
    ndarray, shape (d,), float64
        Of length 1. The entry of largest absolute value (the first of several) is positive.

    Raises
    ------
    ValueError
        If the pairs are not in the order that :mod:`refimpl.kernels.pairs` states, the length of
        `start` is 0 or infinite, or sums are beyond float64.

    See Also
    --------
    pair_product : The product with the weights of the pairs alone.

    Examples
    --------
    Points 0 and 1 should stay together, and point 2 should not be with them:

    >>> first, second = np.array([0, 0], dtype=np.int32), np.array([1, 2], dtype=np.int32)
    >>> x = np.array([[1.0, 0.0], [1.0, 0.1], [-1.0, 0.0]])
    >>> leading_direction(x, first, second, np.array([1.0, -1.0]), 0.0, np.ones(2), 1e-4).round(3)
    array([1.   , 0.025])
    """
    require_order(first, second, len(x))
    require_start(start)

    def product(p: FloatArray) -> FloatArray:
        u = times(x, p)
        both = listed_product(first, second, v, u) + base * (u.sum() - u)
        return times_from_left(0.5 * both, x)  # SF:eq18

    return top_eigenvector(product, start, tol=tol)


def require_start(start: FloatArray) -> None:
    """Refuse a start that has no direction, or whose length is beyond float64."""
    with np.errstate(over="ignore"):
        size = length(start)
    if not 0 < size < np.inf:
        raise ValueError(f"start must have a length above 0 and below infinity; got {size}")


Multiply: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]


def times(A: FloatArray, v: FloatArray, multiply: Multiply = matrix_vector) -> FloatArray:
    """Return A v, by the kernel `multiply` if A is large."""
    if A.size < LARGE:
        product: FloatArray = np.einsum("ij,j->i", A, v)
        return product
    return multiply(A, v)


def times_from_left(u: FloatArray, A: FloatArray, multiply: Multiply = vector_matrix) -> FloatArray:
    """Return u^T A, by the kernel `multiply` if A is large."""
    if A.size < LARGE:
        product: FloatArray = np.einsum("i,ij->j", u, A)
        return product
    return multiply(u, A)


def length(v: FloatArray) -> np.float64:
    """Return the Euclidean length of a vector."""
    root: np.float64 = np.sqrt(np.einsum("i,i", v, v))
    return root


def top_eigenvector(
    product: Callable[[FloatArray], FloatArray], start: FloatArray, *, tol: float = 1e-4
) -> FloatArray:
    """Return the eigenvector of the largest eigenvalue of a matrix A, where product(v) is A v."""
    v: FloatArray = start / length(start)
    for _ in range(RESTARTS):
        v, done = _restarted(product, v, tol)
        if done:
            break
    return v if v[np.abs(v).argmax()] > 0 else -v


def _restarted(
    product: Callable[[FloatArray], FloatArray], v: FloatArray, tol: float
) -> tuple[FloatArray, bool]:
    """Return the best vector of the basis that starts with v, and whether it is good enough."""
    Q = np.empty((min(STEPS, len(v)), len(v)))
    alpha: list[float] = []
    beta: list[float] = []
    done = False
    for j in range(len(Q)):
        Q[j] = v
        w = product(v)
        alpha.append(np.einsum("i,i", w, v))
        for _ in range(2):
            w = w - np.einsum("i,ij->j", np.einsum("ij,j->i", Q[: j + 1], w), Q[: j + 1])
        beta.append(length(w))
        # A maps the basis into itself
        closed = beta[-1] <= CLOSED * max(map(abs, alpha + beta))
        if closed or j + 1 == len(Q) or (j + 1) % LOOK == 0:
            theta, y = largest(alpha, beta[:-1])
            done = closed or beta[-1] * abs(y[-1]) <= tol * abs(theta)
            if done:
                break
        v = w / beta[-1]
    v = np.einsum("i,ij->j", y, Q[: j + 1])
    return v / length(v), done or len(Q) == len(v)


def largest(diagonal: list[float], beside: list[float]) -> tuple[float, FloatArray]:
    """Return the largest eigenvalue of a tridiagonal matrix and its eigenvector."""
    if not np.isfinite(diagonal + beside).all():
        raise ValueError("x and v must be small enough for finite sums; got NaN or an infinity")
    if len(diagonal) == 1:
        return diagonal[0], np.ones(1)
    return largest_of_arrays(np.array(diagonal), np.array(beside))


def largest_of_arrays(d: FloatArray, e: FloatArray) -> tuple[float, FloatArray]:
    """Return the result of :func:`largest` for finite arrays, of two entries or more."""
    # the calls of scipy.linalg.eigh_tridiagonal, which takes longer to prepare them than LAPACK
    n = len(d)
    lapack = scipy.linalg.lapack
    _, values, block, split, failed = lapack.dstebz(d, e, BY_INDEX, 0.0, 1.0, n, n, 0.0, "B")
    if failed == 0:
        vectors, failed = lapack.dstein(d, e, values[:1], block, split)
    if failed:
        raise np.linalg.LinAlgError(f"eigenvector not found by LAPACK (info={failed})")
    return float(values[0]), vectors[:, 0]
