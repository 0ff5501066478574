"""Sums of decision stumps over all pairs of a query and a training vector.

Algorithm A.3 of Amores, Sebe & Radeva (2006) compares these sums.
"""

import numpy as np

from refimpl.arrays import FloatArray, IntArray
from refimpl.kernels.contract import checked


@checked
def add_similarity(
    S: FloatArray,
    Q: FloatArray,
    X: FloatArray,
    alpha: FloatArray,
    feature: IntArray,
    polarity: IntArray,
    threshold: FloatArray,
    *,
    threads: int | None = None,
) -> None:
    """Add sum_t alpha_t h_t(q - x) to S, for every q in Q and x in X, over t in ascending order.

    Eqs. 2-4 of Amores, Sebe & Radeva (2006), p. 203, and the sum of Algorithm A.3, p. 208.

    Parameters
    ----------
    S : ndarray, shape (n_Q, n_X), float64
        Output; the sums are added to the values that it holds.
    Q : ndarray, shape (n_Q, d), float64
    X : ndarray, shape (n_X, d), float64
    alpha, threshold : ndarray, shape (T,), float64
    feature, polarity : ndarray, shape (T,), int64
        A polarity is 1 or -1.

    See Also
    --------
    best_stump : Find a stump.

    Examples
    --------
    One stump, h(x) = [x_0 < 2], of weight 0.5:

    >>> S, Q, X = np.zeros((1, 2)), np.array([[3.0]]), np.array([[0.0], [2.0]])
    >>> add_similarity(S, Q, X, np.array([0.5]), np.array([0]), np.array([1]), np.array([2.0]))
    >>> S.tolist()
    [[0.0, 0.5]]
    """
    for a, f, p, theta in zip(alpha, feature, polarity, threshold, strict=True):
        difference = Q[:, f, np.newaxis] - X[:, f]
        # BD:eq2, BD:eq3, BD:eq4, BD:eqA.1, BD:A.3:4
        S += np.where(p * difference < p * theta, a, 0.0)
