"""Decision stumps: find the best one of a round in one linear pass over the sorted features.

A *decision stump* is a classifier that compares one feature with a threshold.
"""

import numpy as np

from refimpl.arrays import BoolArray, FloatArray
from refimpl.kernels.contract import checked
from refimpl.kernels.sorting import SortedFeatures

GRID = 2.0**-52
"""Weights are rounded to multiples of this, so that their sums are exact; see
:mod:`refimpl.kernels`.
"""


def on_grid(w: FloatArray) -> FloatArray:
    """Round weights to multiples of 2**-52 (half to even)."""
    return np.rint(w / GRID) * GRID


@checked
def best_stump(
    features: SortedFeatures, w: FloatArray, l: BoolArray, *, threads: int | None = None
) -> tuple[float, int, int, float]:
    """Find the stump h(x) = [p x_f < p theta] of least weighted error, over all f, p and theta.

    The selection step of Algorithm A.2 of Amores, Sebe & Radeva (2006), p. 208. It tries a
    threshold between any two neighbouring values of a feature, and a threshold below all values,
    which makes h constant.

    The tie rule: of equal errors the lowest feature wins, then polarity 1 before -1, then the
    lowest threshold. Errors are exact (see `epsilon`), so ties are true ties.

    Parameters
    ----------
    features : SortedFeatures
        n rows, d features.
    w : ndarray, shape (n,), float64
        Non-negative weights that add up to at most one.
    l : ndarray, shape (n,), bool
        True for label 1, False for label 0.

    Returns
    -------
    epsilon : float
        Weighted error of the stump, a multiple of 2**-52.
    f : int
        Feature.
    p : int
        Polarity, 1 or -1.
    theta : float
        Threshold, the midpoint between two neighbouring values; -inf makes h constant.

    See Also
    --------
    presort : The sorted features.
    refimpl.boosted_distance.algorithm : Algorithm A.2, which finds a stump in each round.

    Examples
    --------
    >>> from refimpl.kernels import best_stump, presort
    >>> features = presort(np.array([[0.0, 5.0], [1.0, 4.0], [2.0, 6.0]]))
    >>> w, l = np.array([0.5, 0.25, 0.25]), np.array([False, True, True])
    >>> best_stump(features, w, l)
    (0.0, 0, -1, 0.5)

    Both features tell these two rows apart; the lower one wins, and polarity 1:

    >>> features = presort(np.array([[0.0, 0.0], [1.0, 1.0]]))
    >>> best_stump(features, np.full(2, 0.5), np.array([True, False]))
    (0.0, 0, 1, 0.5)
    """
    w = on_grid(w)
    w1 = w[l].sum()
    w0 = w[~l].sum()
    g = np.where(l, w, -w)
    best = (np.inf, 0, 1, 0)
    for f in range(features.n_features):
        below = mass_below(features, f, g, w1 - w0)
        for p, errors in ((1, w1 - below), (-1, w0 + below)):
            k = int(np.argmin(errors))
            if errors[k] < best[0]:
                best = (
                    float(errors[k]),
                    f,
                    p,
                    k,
                )  # BD:A.2:7  epsilon_t, the least over f, p and theta
    epsilon, f, p, k = best
    return epsilon, f, p, features.threshold(f, k, p)  # BD:A.2:8  f_t, p_t, theta_t


def mass_below(features: SortedFeatures, f: int, g: FloatArray, total: float) -> FloatArray:
    """Return the sum of g over the rows below each distinct value of feature f."""
    rows, starts, common = features.bins(f)
    mass = np.add.reduceat(g[rows], starts) if len(starts) else np.empty(0)
    mass = np.insert(mass, common, total - mass.sum())
    below: FloatArray = np.cumsum(mass) - mass
    return below
