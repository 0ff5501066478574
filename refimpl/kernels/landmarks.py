"""Landmarks: the greedy step that chooses them, and the differences of similarities to pairs of them.

Not handled here: the similarities themselves; K is computed by the caller.
"""

import numpy as np

from refimpl.kernels.contract import checked


@checked
def least_similar(sums, column, taken, *, threads=None):
    """Add a landmark's similarities to the sums and find the point that is least similar to all landmarks so far.

    Algorithm 1, line 3 of Kar & Jain (2011): arg min over x in T of the sum over x' in L of K(x, x').

    Parameters
    ----------
    sums : ndarray, shape (n,), float64
        Output: the sums over the landmarks before, finite; `column` is added to it.
    column : ndarray, shape (n,), float64
        K(x, z) of every point x to the newest landmark z; finite.
    taken : ndarray, shape (n,), bool
        True for the landmarks, which are no longer in T; at least one is False.
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    int
        Of equal sums the lowest index.
    """
    require_a_point(taken)
    sums += column  # FT:1:3  the sum over L
    left = np.flatnonzero(~taken)
    return int(left[sums[left].argmin()])  # FT:1:3  the arg min over T


def require_a_point(taken):
    """Raise ValueError if all points are taken."""
    if taken.all():
        raise ValueError(f"taken must leave a point to choose; all {len(taken)} are taken")


@checked
def transferred_differences(K, plus, minus, slopes, *, threads=None):
    """clip(s (K(x, x+) - K(x, x-)), -1, 1) for every slope s, point x and pair (x+, x-): Phi_L of Kar & Jain (2011).

    Parameters
    ----------
    K : ndarray, shape (n, r), float64
        Similarities of the points to the landmarks. A difference that is NaN stays NaN.
    plus, minus : ndarray, shape (d,), int64
        Columns of `K`: x_i^+ and x_i^- of each pair.
    slopes : ndarray, shape (m,), float64
        Positive; an infinite slope is the sign function, 0 at 0.
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    ndarray, shape (m, n, d), float64
    """
    require_positive(slopes)
    out = np.empty((len(slopes), len(K), len(plus)))
    difference = K[:, plus] - K[:, minus]  # FT:phi
    for i, s in enumerate(slopes):
        out[i] = np.sign(difference) if np.isinf(s) else np.clip(s * difference, -1.0, 1.0)
    return out


def require_positive(slopes):
    """Raise ValueError if a slope is not positive."""
    if not (slopes > 0).all():
        raise ValueError(f"slopes must be positive; got {slopes[~(slopes > 0)][0]}")
