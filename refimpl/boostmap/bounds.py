"""The least Z among many classifiers of triples: BoostMap of Athitsos et al. (2005), § 7.3 steps 1,
3 and 9.

Every round of § 7.3 looks at every classifier chosen so far. A lower bound on Z needs no
exponential for each triple, and rules most classifiers out. The others are evaluated in the order
of their bounds, until no bound is low enough. The result is the same as that of the full search,
also for ties.

Not handled here: Z itself (:mod:`refimpl.kernels.losses`).
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from refimpl.kernels.losses import weights_of
from refimpl.kernels.stumps import GRID
from refimpl.typing import FloatArray, Int32Array, IntArray, Kernels

__all__ = ["best_of_bound", "least_z", "least_z_min", "margin_sums", "z_bound"]
__all__ += ["z_min_bound"]

Values: TypeAlias = FloatArray | Sequence[FloatArray]
"""Values of 1D embeddings on the training objects, an embedding in each row."""

# classifiers that are evaluated before the bounds are looked at again: the first ones often rule
# out the others
AT_FIRST, AT_ONCE = 2, 8
CAUTION = 1 + 1e-9  # makes variances smaller and largest margins larger than rounding errors may
NEWTON_STEPS = 4
ASIDE = 1e-3  # how far from the minimum the tangents touch, relative to alpha
SLACK = 1e-9  # far above the rounding errors of a bound or of Z


def least_z(
    F: Values,
    triples: Int32Array,
    y: FloatArray,
    margin: FloatArray,
    alpha: FloatArray,
    kernels: Kernels,
    threads: int | None,
    *,
    below: float = np.inf,
    sums: FloatArray | None = None,
) -> tuple[int | None, float]:
    """Return argmin over c of Z_j(h_c, alpha_c) and that Z, as the full search finds them.

    A classifier that :func:`z_bound` rules out is not evaluated.

    Parameters
    ----------
    F : sequence of m arrays, shape (n,), float64
        Values of the classifiers' embeddings on the training objects.
    triples : ndarray, shape (t, 3), int32
    y, margin : ndarray, shape (t,), float64
        Proximity orders of the triples, and their margins, which make their weights.
    alpha : ndarray, shape (m,), float64
    kernels : module
    threads : int or None
    below : float, default infinity
        Only a Z below this counts.
    sums : ndarray, shape (m, 8), float64, optional
        What :func:`margin_sums` returns for these weights, if it is known already.

    Returns
    -------
    place : int or None
        The index of the least Z, the first of equal values; None if no Z is below `below`.
    z : float
    """
    if sums is None:
        sums = margin_sums(F, triples, y, weights_of(margin)[0], kernels, threads)
    bound = z_bound(sums, least_total(len(y)), alpha)

    def evaluate(places: IntArray) -> tuple[FloatArray, FloatArray]:
        chosen = np.array([F[c] for c in places])
        z = kernels.z_values(chosen, triples, y, margin, alpha[places], threads=threads)
        return z, alpha[places]

    g, z, _ = _least(bound, evaluate, below)
    return g, z


def least_z_min(
    F: Values,
    triples: Int32Array,
    y: FloatArray,
    margin: FloatArray,
    least: FloatArray,
    kernels: Kernels,
    threads: int | None,
    *,
    below: float = np.inf,
    sums: FloatArray | None = None,
) -> tuple[int | None, float, float]:
    """Return argmin over c of Z_min(h_c, j, l_c), with its alpha and Z.

    Parameters
    ----------
    F, triples, y, margin, kernels, threads, below, sums
        As for :func:`least_z`.
    least : ndarray, shape (m,), float64
        The least alpha l_c of each classifier.

    Returns
    -------
    place : int or None
    alpha, z : float
    """
    if sums is None:
        sums = margin_sums(F, triples, y, weights_of(margin)[0], kernels, threads)
    total = least_total(len(y))
    bound = z_bound(sums, total, best_of_bound(sums, least))
    if np.count_nonzero(bound <= below + SLACK) > AT_FIRST:
        bound = np.maximum(bound, z_min_bound(sums, total, least))

    def evaluate(places: IntArray) -> tuple[FloatArray, FloatArray]:
        chosen = np.array([F[c] for c in places])
        alpha, z = kernels.minimize_z(chosen, triples, y, margin, least[places], threads=threads)
        return z, alpha

    g, z, alpha = _least(bound, evaluate, below)
    return g, alpha, z


def margin_sums(
    F: Values,
    triples: Int32Array,
    y: FloatArray,
    w: FloatArray,
    kernels: Kernels,
    threads: int | None,
) -> FloatArray:
    """Return ``kernels.margin_sums`` of :func:`floored` weights, shape (m, 8).

    The bounds are made of these sums.

    Parameters
    ----------
    F, triples, y, kernels, threads
        As for :func:`least_z`; F may be empty.
    w : ndarray, shape (t,), float64
        The weights of the triples.

    Returns
    -------
    ndarray, shape (m, 8), float64
    """
    if len(F) == 0:
        return np.empty((0, 8))
    return kernels.margin_sums(np.asarray(F), triples, y, floored(w), threads=threads)


def floored(w: FloatArray) -> FloatArray:
    """Return weights on the grid of ``kernels.margin_sums``, none larger than it was.

    So what bounds Z of these weights bounds Z.
    """
    return np.floor(w / GRID) * GRID


def least_total(t: int) -> float:
    """Return a lower bound of the sum of t :func:`floored` weights."""
    return 1.0 - 2 * t * GRID


def z_bound(sums: FloatArray, total: float, alpha: FloatArray) -> FloatArray:
    """Return a lower bound of Z_j(h, alpha), by Jensen's inequality on either side of 0.

    Over the triples with u > 0, the weighted mean of exp(-alpha u) is at least exp(-alpha times the
    mean of u). The same holds for u < 0. Triples with u = 0 add their weights.

    Parameters
    ----------
    sums : ndarray, shape (m, 8), float64
        What :func:`margin_sums` returns.
    total : float
        Sum of the weights, or less.
    alpha : ndarray, shape (m,), float64

    Returns
    -------
    ndarray, shape (m,), float64
    """
    right, wrong, right_u, wrong_u = sums[:, :4].T
    with np.errstate(over="ignore"):
        bound_right = right * np.exp(-_times(alpha, _mean(right_u, right)))
        bound_wrong = wrong * np.exp(_times(alpha, _mean(wrong_u, wrong)))
        bound: FloatArray = bound_right + bound_wrong
    bound += total - right - wrong
    return bound


def best_of_bound(sums: FloatArray, least: FloatArray) -> FloatArray:
    """Return the alpha >= least at which :func:`z_bound` is least.

    Parameters
    ----------
    sums : ndarray, shape (m, 8), float64
        What :func:`margin_sums` returns.
    least : ndarray, shape (m,), float64

    Returns
    -------
    ndarray, shape (m,), float64
        Infinite where no triple is classified wrong.
    """
    right, wrong, right_u, wrong_u = sums[:, :4].T
    both = (right_u > 0) & (wrong_u > 0)
    alpha = np.where(right_u > 0, np.inf, least)
    slope = _mean(right_u, right)[both] + _mean(wrong_u, wrong)[both]
    alpha[both] = np.log(right_u[both] / wrong_u[both]) / slope
    at_least: FloatArray = np.maximum(alpha, least)
    return at_least


def z_min_bound(sums: FloatArray, total: float, least: FloatArray) -> FloatArray:
    """Return a lower bound of Z_min(h, j, l), by the variance of the margins on either side of 0.

    Of all distributions on [0, M] with the same mean m and variance v, the mean of exp(-alpha u) is
    least for the one on M and m - v / (M - m), that of exp(alpha u) for the one on 0 and m + v / m.
    The sum of both sides is convex in alpha; two tangents on either side of its minimum bound it.

    Parameters
    ----------
    sums : ndarray, shape (m, 8), float64
        What :func:`margin_sums` returns.
    total : float
        Sum of the weights, or less.
    least : ndarray, shape (m,), float64

    Returns
    -------
    ndarray, shape (m,), float64
        Minus infinity where the bound is not known, for example without an error.
    """
    # where Z grows at 0, its minimum lies below 0: there the sides change their places
    falls = sums[:, 2] >= sums[:, 3]
    right, right_u, right_uu, most = np.where(falls, sums.T[0::2], sums.T[1::2])
    wrong, wrong_u, wrong_uu, _ = np.where(falls, sums.T[1::2], sums.T[0::2])
    with np.errstate(all="ignore"):  # where a number is not finite the bound is not known
        mean, variance = _moments(right, right_u, right_uu)
        gap = most * CAUTION - mean
        share = variance / (variance + gap * gap)
        near = np.maximum(mean - variance / gap, 0.0)
        mean_wrong, variance_wrong = _moments(wrong, wrong_u, wrong_uu)
        silent = variance_wrong / (variance_wrong + mean_wrong * mean_wrong)
        far = mean_wrong + variance_wrong / mean_wrong
        factors = np.array([right * (1 - share), right * share, wrong * (1 - silent)])
        rates = np.array([-near, -most * CAUTION, far])
        rest = total - right - wrong + wrong * silent

        def terms(alpha: FloatArray) -> FloatArray:
            products: FloatArray = factors * np.exp(alpha * rates)
            return products

        alpha = np.log(right_u / wrong_u) / (mean + mean_wrong)
        for _ in range(NEWTON_STEPS):
            e = terms(alpha) * rates
            alpha = np.maximum(alpha - e.sum(axis=0) / (e * rates).sum(axis=0), 0.0)
        low, high = alpha * (1 - ASIDE), alpha * (1 + ASIDE)
        e = terms(low)
        slope = (e * rates).sum(axis=0)
        bound: FloatArray = rest + e.sum(axis=0) + slope * (high - low)
        known = (slope <= 0) & ((terms(high) * rates).sum(axis=0) >= 0)
        known &= np.isfinite(bound) & np.isfinite(gap * gap)
    return np.where(known & (falls | (least < 0)), bound, -np.inf)


def _moments(
    weight: FloatArray, total: FloatArray, squares: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the variance of one side's margins, the variance rather too small."""
    mean = total / weight
    return mean, np.maximum(squares / weight - mean * mean * CAUTION, 0.0)


def _times(alpha: FloatArray, mean: FloatArray) -> FloatArray:
    """Return alpha times the mean margin; 0 without a mean, where alpha may be infinite."""
    return np.multiply(alpha, mean, out=np.zeros_like(mean), where=mean > 0)


def _mean(total: FloatArray, weight: FloatArray) -> FloatArray:
    return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)


def _least(
    bound: FloatArray, evaluate: Callable[[IntArray], tuple[FloatArray, FloatArray]], below: float
) -> tuple[int | None, float, float]:
    """Return the index of the least value below `below`, the value, and its further results.

    No value is below its bound.
    """
    g: int | None = None
    best = below
    extra = 0.0
    order = np.argsort(bound, kind="stable")
    first, size = 0, AT_FIRST
    while first < len(order):
        places = order[first : first + size]
        first, size = first + size, min(2 * size, AT_ONCE)
        places = np.sort(places[bound[places] <= best + SLACK])  # rounding may have raised a bound
        if len(places) == 0:
            break
        z, also = evaluate(places)
        for c, z_c, also_c in zip(places.tolist(), z.tolist(), also.tolist(), strict=True):
            if z_c < best or (z_c == best and g is not None and c < g):
                g, best, extra = c, z_c, also_c
    return g, best, extra
