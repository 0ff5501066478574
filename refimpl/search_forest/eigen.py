"""The eigensolver of the search forest's splits: eq. 18 of Li et al. (2011) asks for one leading eigenvector.

Not handled here: the matrix of eq. 18, which is given by its products (``algorithm.py``); other eigenvectors.
"""

import numpy as np
from scipy.linalg import eigh_tridiagonal

from refimpl.products import length, times_vector, vector_times

__all__ = ["STEPS", "top_eigenvector"]

STEPS, RESTARTS, LOOK = 60, 20, 5  # of the eigensolver: basis, restarts, steps between looks at the residual


def top_eigenvector(product, start, *, tol=1e-4):
    """Return the eigenvector of the largest eigenvalue of a symmetric matrix, by restarted Lanczos iterations.

    The method is that of ``scipy.sparse.linalg.eigsh``, but the result is a function of the start vector alone: that
    solver keeps a random state of its own. New basis vectors are made orthogonal to all earlier ones. The products are
    those of :mod:`refimpl.products`, so the number of BLAS threads does not count.

    Parameters
    ----------
    product : callable
        v -> A v.
    start : ndarray, shape (d,), float64
    tol : float
        The length of A v - theta v is at most this times abs(theta), unless 20 restarts do not suffice.

    Returns
    -------
    ndarray, shape (d,), float64
        Of length 1; its largest entry in absolute value (the first of them) is positive.
    """
    v = start / length(start)
    for _ in range(RESTARTS):
        v, done = _restarted(product, v, tol)
        if done:
            break
    return v if v[np.abs(v).argmax()] > 0 else -v


def _restarted(product, v, tol):
    """The best vector of the basis that starts with v, and whether it will do."""
    Q = np.empty((min(STEPS, len(v)), len(v)))
    alpha = []
    beta = []
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
            theta, y = eigh_tridiagonal(alpha, beta[:-1], select="i", select_range=(j, j))
            done = closed or beta[-1] * abs(y[-1, 0]) <= tol * abs(theta[0])
            if done:
                break
        v = w / beta[-1]
    v = vector_times(y[:, 0], Q[: j + 1])
    return v / length(v), done or len(Q) == len(v)
