"""Landmarks: the greedy step that chooses them, and features made of pairs of them.

A *landmark* is a training object to which all objects are compared; an object's similarities to the
landmarks are its features.
"""

import numpy as np

from refimpl.arrays import BoolArray, FloatArray, IntArray
from refimpl.kernels.contract import checked


@checked
def least_similar(
    sums: FloatArray, column: FloatArray, taken: BoolArray, *, threads: int | None = None
) -> int:
    """Add a landmark's similarities to the sums; return the point least similar to all landmarks.

    Algorithm 1, line 3 of Kar & Jain (2011): arg min over x in T of the sum over x' in L of K(x,
    x'), where L holds the landmarks and T the other points.

    Parameters
    ----------
    sums : ndarray, shape (n,), float64
        The sums over the earlier landmarks, finite. It is also the output: `column` is added to it.
    column : ndarray, shape (n,), float64
        K(x, z) of every point x to the newest landmark z; finite.
    taken : ndarray, shape (n,), bool
        True for the landmarks, which are no longer in T; at least one is False.

    Returns
    -------
    int
        The index of the point; of equal sums the lowest.

    Raises
    ------
    ValueError
        If all points are taken.

    See Also
    --------
    refimpl.ftune : Train with landmarks that are chosen in this way.

    Examples
    --------
    >>> sums, column = np.zeros(3), np.array([1.0, 0.5, 0.2])
    >>> least_similar(sums, column, np.array([True, False, False])), sums.tolist()
    (2, [1.0, 0.5, 0.2])
    """
    require_a_point(taken)
    sums += column  # FT:1:3  the sum over L
    left = np.flatnonzero(~taken)
    return int(left[sums[left].argmin()])  # FT:1:3  the arg min over T


def require_a_point(taken: BoolArray) -> None:
    """Raise ValueError if all points are taken."""
    if taken.all():
        raise ValueError(f"taken must leave a point to choose; got all {len(taken)} taken")


@checked
def transferred_differences(
    K: FloatArray,
    plus: IntArray,
    minus: IntArray,
    slopes: FloatArray,
    *,
    threads: int | None = None,
) -> FloatArray:
    """Compute clip(s (K(x, x+) - K(x, x-)), -1, 1) for every slope s, point x and pair (x+, x-).

    These are the features Phi_L of Kar & Jain (2011). The function applied to the difference
    is their *transfer function*: a ramp of slope s, or the sign.

    Parameters
    ----------
    K : ndarray, shape (n, r), float64
        Similarities of the points to the landmarks. A difference that is NaN stays NaN.
    plus, minus : ndarray, shape (d,), int64
        Columns of `K`: x_i^+ and x_i^- of each pair.
    slopes : ndarray, shape (m,), float64
        Positive; an infinite slope is the sign function, 0 at 0.

    Returns
    -------
    ndarray, shape (m, n, d), float64

    Raises
    ------
    ValueError
        If a slope is not positive.

    See Also
    --------
    least_similar : Choose the landmarks.

    Examples
    --------
    >>> K = np.array([[1.0, 0.75], [0.0, 3.0]])
    >>> pair = np.array([0]), np.array([1])
    >>> transferred_differences(K, *pair, np.array([2.0, np.inf])).tolist()
    [[[0.5], [-1.0]], [[1.0], [-1.0]]]
    """
    require_positive(slopes)
    out = np.empty((len(slopes), len(K), len(plus)))
    difference = K[:, plus] - K[:, minus]  # FT:phi
    for i, s in enumerate(slopes):
        out[i] = np.sign(difference) if np.isinf(s) else np.clip(s * difference, -1.0, 1.0)
    return out


def require_positive(slopes: FloatArray) -> None:
    """Raise ValueError if a slope is not positive."""
    if not (slopes > 0).all():
        raise ValueError(f"slopes must be positive; got {slopes[~(slopes > 0)][0]}")
