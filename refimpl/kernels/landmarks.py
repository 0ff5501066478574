"""Landmarks: the greedy step that chooses them, and the differences of similarities to pairs of them.

Not handled here: validation (the callers do it), and the similarities themselves: K is computed by the caller.
"""

import numpy as np


def least_similar(sums, column, taken, *, threads=None):
    """Add a landmark's similarities to the sums and find the point that is least similar to all landmarks so far.

    Algorithm 1, lines 3-4 of Kar & Jain (2011): arg min over x in T of the sum over x' in L of K(x, x').

    Parameters
    ----------
    sums : ndarray, shape (n,), float64
        Output: the sums over the landmarks before; `column` is added to it.
    column : ndarray, shape (n,), float64
        K(x, z) of every point x to the newest landmark z; finite.
    taken : ndarray, shape (n,), bool
        True for the landmarks, which are no longer in T; one False at least.
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    int
        Of equal sums the lowest index.
    """
    sums += column
    return int(np.where(taken, np.inf, sums).argmin())


def transferred_differences(K, plus, minus, slopes, *, threads=None):
    """clip(s (K(x, x+) - K(x, x-)), -1, 1) for every slope s, point x and pair (x+, x-): Phi_L of Kar & Jain (2011).

    Parameters
    ----------
    K : ndarray, shape (n, r), float64
        Similarities of the points to the landmarks; finite.
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
    difference = K[:, plus] - K[:, minus]
    out = np.empty((len(slopes), *difference.shape))
    for i, s in enumerate(slopes):
        out[i] = np.sign(difference) if np.isinf(s) else np.clip(s * difference, -1.0, 1.0)
    return out
