"""The root of an inverse covariance, from the data and not from the d x d matrix."""

import numpy as np
import scipy.linalg


def centred(X):
    """The rows of `X` minus their mean.

    The first row is taken off before the mean, so a column that is constant becomes zero and not a rounding
    error of its mean.
    """
    D = X - X[0]
    return D - D.mean(axis=0)


def centred_by_class(X, labels):
    """The rows of `X` minus the mean of their class."""
    D = np.empty_like(X)
    for c in np.unique(labels):
        D[labels == c] = centred(X[labels == c])
    return D


def principal_deviations(D, count, rcond=None):
    """Standard deviations and axes of centred data, without the directions that have no variance.

    With ``D = U S V^T``, the covariance ``D^T D / count`` has the eigenvalues ``S**2 / count`` and the
    eigenvectors ``V``. The decomposition of `D`, n x d, costs O(n**2 d) when n < d, and it keeps half of the
    digits that forming the covariance would lose.

    Parameters
    ----------
    D : numpy.ndarray, shape (n, d)
        Centred data.
    count : int
        What the sums of squares are divided by.
    rcond : float, optional
        A singular value of `D` counts as zero unless it is above ``rcond`` times the largest. The default is
        the rule of :func:`numpy.linalg.matrix_rank`, ``max(n, d) * eps``.

    Returns
    -------
    sigma : numpy.ndarray, shape (r,)
        Standard deviations, descending, all positive; r is the numerical rank of `D`.
    V : numpy.ndarray, shape (r, d)
        The orthonormal axes, one in each row.
    """
    rcond = max(D.shape) * np.finfo(np.float64).eps if rcond is None else rcond
    S, V = _singular_values(D)
    r = np.count_nonzero(rcond * S[0] < S)
    return S[:r] / np.sqrt(count), V[:r]


def _singular_values(D):
    try:
        return np.linalg.svd(D, full_matrices=False)[1:]
    except np.linalg.LinAlgError:  # divide and conquer fails on some matrices of low rank; QR iterations do not
        return scipy.linalg.svd(D, full_matrices=False, lapack_driver="gesvd", check_finite=False)[1:]
