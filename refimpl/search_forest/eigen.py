"""The eigensolver of the search forest's splits.

Eq. 18 of Li et al. (2011) asks for the leading eigenvector of a matrix.

Not handled here: the matrix of eq. 18, of which the solver needs only the products
(``algorithm.py``); other eigenvectors.
"""

from collections.abc import Callable

import numpy as np
import scipy

from refimpl.products import length, times_vector, vector_times
from refimpl.typing import FloatArray

__all__ = ["STEPS", "top_eigenvector"]

STEPS = 60  # largest number of vectors in a basis
RESTARTS = 20
LOOK = 5  # steps between two checks of the residual


def top_eigenvector(
    product: Callable[[FloatArray], FloatArray], start: FloatArray, *, tol: float = 1e-4
) -> FloatArray:
    """Return the eigenvector of the largest eigenvalue of a symmetric matrix.

    The method is restarted Lanczos iteration, as in ``scipy.sparse.linalg.eigsh``. The result
    depends on the start vector alone, while SciPy's solver keeps a random state of its own. New
    basis vectors are made orthogonal to all earlier ones. The products are those of
    :mod:`refimpl.products`, so the number of BLAS threads does not change the result.

    Parameters
    ----------
    product : callable
        Returns A v for a vector v.
    start : ndarray, shape (d,), float64
    tol : float, default 1e-4
        The length of A v - theta v is at most `tol` times abs(theta), unless 20 restarts do not
        suffice.

    Returns
    -------
    ndarray, shape (d,), float64
        Of length 1. The entry of largest absolute value (the first of several) is positive.

    See Also
    --------
    refimpl.search_forest.algorithm.hyperplane : Splits a node by the eigenvector of eq. 18.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> top_eigenvector(lambda v: A @ v, np.array([1.0, 0.0])).round(6)
    array([0.707107, 0.707107])
    """
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
            w = w - vector_times(times_vector(Q[: j + 1], w), Q[: j + 1])
        beta.append(length(w))
        closed = beta[-1] <= 1e-13 * max(map(abs, alpha + beta))  # A maps the basis into itself
        if closed or j + 1 == len(Q) or (j + 1) % LOOK == 0:
            theta, y = _largest(alpha, beta[:-1])
            done = closed or beta[-1] * abs(y[-1, 0]) <= tol * abs(theta[0])
            if done:
                break
        v = w / beta[-1]
    v = vector_times(y[:, 0], Q[: j + 1])
    return v / length(v), done or len(Q) == len(v)


def _largest(diagonal: list[float], beside: list[float]) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalue of a tridiagonal matrix, and its eigenvector as a column."""
    last = len(diagonal) - 1
    if last == 0:  # SciPy before 1.12 fails on a matrix of one entry
        return np.array(diagonal), np.ones((1, 1))
    theta, y = scipy.linalg.eigh_tridiagonal(
        diagonal, beside, select="i", select_range=(last, last)
    )
    return theta, y
