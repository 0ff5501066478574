"""Compute the root of an inverse covariance from the data, without the d x d matrix."""

import numpy as np
import scipy

from refimpl.typing import FloatArray, Labels

__all__ = ["centred", "centred_by_class", "principal_deviations"]


def centred(X: FloatArray) -> FloatArray:
    """Return the rows of `X` minus their mean.

    The first row is taken off before the mean, so a column that is constant becomes zero and not a
    rounding error of its mean.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64

    Returns
    -------
    ndarray, shape (n, d), float64

    See Also
    --------
    principal_deviations : What follows in the analyses that use it.

    Examples
    --------
    >>> import numpy as np
    >>> centred(np.array([[1.0], [3.0]]))
    array([[-1.],
           [ 1.]])
    """
    D: FloatArray = X - X[0]
    D -= D.mean(axis=0)
    return D


def centred_by_class(X: FloatArray, y: Labels) -> FloatArray:
    """Return the rows of `X` minus the mean of their class.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
    y : ndarray, shape (n,)

    Returns
    -------
    ndarray, shape (n, d), float64

    See Also
    --------
    principal_deviations : What follows in the analyses that use it.

    Examples
    --------
    >>> import numpy as np
    >>> centred_by_class(np.array([[1.0], [3.0], [9.0]]), np.array([0, 0, 1])).ravel()
    array([-1.,  1.,  0.])
    """
    D = np.empty_like(X)
    codes = np.unique(y, return_inverse=True)[1]
    for c in range(codes.max() + 1):
        D[codes == c] = centred(X[codes == c])
    return D


def principal_deviations(
    D: FloatArray, count: int, rcond: float | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return standard deviations and axes of centred data, of the directions with variance.

    With ``D = U S V^T``, the covariance ``D^T D / count`` has the eigenvalues ``S**2 / count`` and
    the eigenvectors ``V``. The decomposition of `D`, n x d, costs O(n**2 d) when n < d, and it
    keeps half of the digits that forming the covariance would lose.

    Parameters
    ----------
    D : numpy.ndarray, shape (n, d)
        Centred data.
    count : int
        What the sums of squares are divided by.
    rcond : float, optional
        A singular value of `D` counts as zero unless it is above ``rcond`` times the largest. The
        default is the rule of :func:`numpy.linalg.matrix_rank`, ``max(n, d) * eps``.

    Returns
    -------
    sigma : numpy.ndarray, shape (r,)
        Standard deviations, descending, all positive; r is the numerical rank of `D`.
    V : numpy.ndarray, shape (r, d)
        The orthonormal axes, one in each row.

    See Also
    --------
    centred, centred_by_class : The vectors that it takes.

    Examples
    --------
    >>> import numpy as np
    >>> sigma, V = principal_deviations(np.array([[-2.0, 0.0], [2.0, 0.0]]), 2)
    >>> sigma.round(6), abs(V).round(6)
    (array([2.]), array([[1., 0.]]))
    """
    if rcond is None:
        rcond = float(max(D.shape) * np.finfo(np.float64).eps)
    S, V = _singular_values(D)
    r = int(np.count_nonzero(rcond * S[0] < S))
    return S[:r] / np.sqrt(count), V[:r]


def _singular_values(D: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return singular values and right singular vectors."""
    try:
        _, S, V = np.linalg.svd(D, full_matrices=False)
    except np.linalg.LinAlgError:
        # divide and conquer fails on some matrices of low rank; QR iterations do not
        options = {"lapack_driver": "gesvd", "check_finite": False}
        _, S, V = scipy.linalg.svd(D, full_matrices=False, **options)
    return S, V
