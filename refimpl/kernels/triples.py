"""Classifiers of triples (q, a, b): margins, weighted errors, Z and its minimum, the best range of a splitter.

A classifier comes from a 1D embedding F, given by its values on the training objects. The kernels that look for a
minimum see many embeddings at once and every triple of each.

Arguments that :data:`refimpl.kernels.contract.CONTRACT` does not allow raise TypeError or ValueError.

Not handled here: choosing triples, distances.

Same bits in both twins
-----------------------
* Weights are multiples of 2**-52 that add up to about one (:func:`refimpl.kernels.stumps.on_grid`), so weighted
  errors are exact in any order. :func:`weighted_errors` and :func:`best_ranges` round other weights to these.
* Z is a sum of exponentials. :func:`exp` is built from additions and multiplications in a stated order, since the
  libraries' own differ in the last bit; :func:`fixed_sum` adds in 64 interleaved lanes, the lanes in ascending
  order. Whoever follows the two gets the same bits with vectors of any width; threads share the embeddings out,
  never the triples of one.
"""

import numpy as np

from refimpl.kernels.contract import checked
from refimpl.kernels.stumps import on_grid

LANES = 64
TOLERANCE = 1e-11  # of the last Newton step, in units of 1 / (weighted mean of |margin|)
STEPS = 100
LAST_BITS = 52 * np.log(2.0)
NEAR = 1e-6  # of the last Newton step, in units of 1 / (largest |margin|): where Z is as good as a parabola
HALVINGS, NEARER = 200, 2.0**-40  # of the search where Newton's method does not end; its first steps towards 0
EASY = 2.0**150  # margins that are all larger, or all below its inverse, are rescaled
NO_MARGIN, NEGLIGIBLE = 2.0**-900, 2.0**-600  # a largest margin that counts as 0; beside that of the other sign
HUGE = 2.0**1000  # the largest value of an embedding, and of a least alpha

_LOG2E, _LN2_HIGH, _LN2_LOW = 1.4426950408889634, 0.693145751953125, 1.4286068203094173e-06
_LEAST, _MOST = -700.0, 500.0
_TAYLOR = tuple(1.0 / np.prod(np.arange(1.0, n + 1)) for n in range(13, -1, -1))  # 1/13!, ..., 1/1!, 1/0!


def exp(x):
    """e**x to two units in the last place; arguments are clipped to [-700, 500].

    x = k ln 2 + r with |r| <= ln(2) / 2, and Taylor's polynomial of degree 13 for e**r by Horner's rule.

    Parameters
    ----------
    x : ndarray, float64

    Returns
    -------
    ndarray, float64, of the same shape
    """
    x = np.clip(x, _LEAST, _MOST)
    k = np.rint(x * _LOG2E)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    p = np.full_like(r, _TAYLOR[0])
    for coefficient in _TAYLOR[1:]:
        p = p * r + coefficient
    return np.ldexp(p, k.astype(np.int64))


def fixed_sum(x):
    """Sum of the last axis in a stated order: lane i adds x[i], x[i + 64], ...; then the lanes, from the first.

    Parameters
    ----------
    x : ndarray, shape (t,) or (m, t), float64

    Returns
    -------
    float, or list of m floats
    """
    t = x.shape[-1]
    padded = np.zeros((*x.shape[:-1], -(-t // LANES), LANES))
    padded.reshape(*x.shape[:-1], -1)[..., :t] = x
    lanes = np.add.reduce(padded, axis=-2)  # row after row
    return lanes.cumsum(axis=-1)[..., -1].tolist()


def margins(F, triples):
    """F~(q, a, b) = |F(q) - F(b)| - |F(q) - F(a)| for every triple: eq. 2 of Athitsos et al. (2005), in one dimension.

    Parameters
    ----------
    F : ndarray, shape (n,), float64
        Values of a 1D embedding on the training objects.
    triples : ndarray, shape (t, 3), int32
        Objects q, a, b of each triple.

    Returns
    -------
    ndarray, shape (t,), float64
    """
    q, a, b = F.take(triples).T
    return np.abs(q - b) - np.abs(q - a)  # BM:eq2


@checked
def weighted_errors(F, triples, y, w, *, threads=None):
    """Training error Lambda_j of many classifiers: eqs. 3 and 11 of Athitsos et al. (2005).

    Parameters
    ----------
    F : ndarray, shape (m, n), float64
        Values of m 1D embeddings on the training objects.
    triples : ndarray, shape (t, 3), int32
    y : ndarray, shape (t,), float64
        1 or -1, the proximity order of each triple.
    w : ndarray, shape (t,), float64
        Weights on the grid that add up to at most one.
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    ndarray, shape (m,), float64
        Exact multiples of 2**-53; a triple whose margin is 0 counts for one half.
    """
    w, signs = on_grid(w), (np.sign(margins(F_i, triples)) for F_i in F)
    return np.array([(w * (np.abs(y - sign) / 2)).sum() for sign in signs])  # BM:eq11, ERRATUM BM-2, BM:7.3:8


@checked
def margin_sums(F, triples, y, w, *, threads=None):
    """Weights and weighted margins on either side of zero: what a bound on Z needs, without an exponential.

    Parameters
    ----------
    F, triples, y, w, threads
        As for :func:`weighted_errors`.

    Returns
    -------
    ndarray, shape (m, 4), float64
        For u_i = y_i F~(q_i, a_i, b_i): the sums of w over u > 0 and over u < 0, those of w |u| over the same.
    """
    w, sums = on_grid(w), np.empty((len(F), 4))
    for c, u in enumerate(_signed_margins(F, triples, y, None)):
        sides = np.stack([u > 0, u < 0]) * w
        sums[c] = fixed_sum(np.concatenate([sides, sides * np.abs(u)]))
    return sums


@checked
def z_values(F, triples, y, w, alpha, S=None, *, threads=None):
    """Z_j(h, alpha) of many classifiers, each at its own alpha: eq. 12 of Athitsos et al. (2005).

    Parameters
    ----------
    F, triples, y, w, threads
        As for :func:`weighted_errors`.
    alpha : ndarray, shape (m,), float64
    S : ndarray, shape (m, n), float64, optional
        Splitters: 1 for the objects that each accepts as q, else 0 (eq. 17). None accepts all.

    Returns
    -------
    ndarray, shape (m,), float64
    """
    w, margins_of = on_grid(w), zip(_signed_margins(F, triples, y, S), alpha, strict=True)
    return np.array([fixed_sum(_factors(u, w, a)) for u, a in margins_of])  # BM:eq12, BM:7.3:1, BM:7.3:11


def _signed_margins(F, triples, y, S):
    """y_i S(q_i) F~(q_i, a_i, b_i) for one classifier after the other."""
    for c, F_c in enumerate(F):
        yield y * margins(F_c, triples) * (1.0 if S is None else S[c][triples[:, 0]])  # BM:eq17


def z(u, w, alpha):
    """Z_j at alpha and its first two derivatives, from u_i = y_i h(q_i, a_i, b_i).

    Parameters
    ----------
    u, w : ndarray, shape (t,), float64
    alpha : float

    Returns
    -------
    Z, Z1, Z2 : float
    """
    e = _factors(u, w, alpha)
    first = e * u
    Z, minus_Z1, Z2 = fixed_sum(np.stack([e, first, first * u]))
    return Z, -minus_Z1, Z2


def _factors(u, w, alpha):
    with np.errstate(over="ignore"):  # exp takes infinities
        return w * exp(-alpha * u)  # BM:eq12


@checked
def minimize_z(F, triples, y, w, least, S=None, *, threads=None):
    """A_min and Z_min of many classifiers: eqs. 13-14 of Athitsos et al. (2005).

    Z_j is convex in alpha. Newton's method, kept inside a bracket by bisection, from 0 or from `least`; where it does
    not end, as with margins of very different sizes, the slope's zero is found by bisection alone.

    Parameters
    ----------
    F, triples, y, w, threads
        As for :func:`weighted_errors`.
    least : ndarray, shape (m,), float64
        The least alpha allowed for each, l.
    S : ndarray, shape (m, n), float64, optional
        Splitters, as for :func:`z_values`.

    Returns
    -------
    alpha, Z : ndarray, shape (m,), float64
        Where no triple that has a weight is misclassified, Z has no minimum but an infimum; then alpha is where a
        classifier with all margins at their weighted mean would have Z = 2**-52.

    Raises
    ------
    ValueError
        If a value of F is NaN, or larger than 2**1000.
    """
    w = on_grid(w)
    found = [_minimum(u, w, float(l)) for u, l in zip(_signed_margins(F, triples, y, S), least, strict=True)]
    alpha, Z = np.array(found).reshape(-1, 2).T.copy()  # BM:eq13, BM:eq14, BM:7.3:3, BM:7.3:9, BM:7.3:10
    return alpha, Z  # BM:8.1:3, BM:8.1:4, BM:8.1:6, BM:8.1:7


def _minimum(u, w, least):
    """A_min and Z_min of one classifier."""
    scale, right, wrong = fixed_sum(w * np.abs(u)), _largest(u, w), _largest(-u, w)
    largest = max(right, wrong)
    if largest <= NO_MARGIN or scale == 0.0:  # a constant classifier: Z does not depend on alpha
        alpha = max(least, 0.0)
        return alpha, z(u, w, alpha)[0]
    if not 1 / EASY <= largest <= EASY:  # a power of two, so that no square leaves float64's range
        power = 2.0 ** (1 - int(np.frexp(largest)[1]))
        least = max(-HUGE, min(HUGE, least / power))
        alpha, Z = _minimum(np.where(np.abs(u) > NO_MARGIN, u * power, 0.0), w, least)
        return alpha * power, Z
    most = max(least, 0.0) + LAST_BITS / scale
    if min(right, wrong) <= max(NEGLIGIBLE * largest, NO_MARGIN):  # Z falls, or grows, throughout
        alpha = most if right > wrong else least
        return alpha, z(u, w, alpha)[0]
    alpha, Z, low, high = _newton(u, w, least, most, scale, largest)
    if low == high:
        return alpha, Z
    return _bisection(u, w, low, high if high < most else max(most, _MOST / wrong), least)


def _largest(u, w):
    """The largest positive u of a weight that is not 0; 0 if there is none."""
    return float(np.max(np.where(w > 0, u, 0.0), initial=0.0))


def _newton(u, w, least, most, scale, largest):
    """Newton's method within [least, most]: alpha, Z and where the minimum lies, low = high if alpha is that place."""
    low, alpha, high = least, max(least, 0.0), most
    for _ in range(STEPS):
        Z, Z1, Z2 = z(u, w, alpha)
        if Z1 >= 0 and alpha == least:
            return alpha, Z, alpha, alpha
        if Z1 < 0:
            low = alpha
        else:
            high = alpha
        if alpha == most and Z1 <= 0:
            return alpha, Z, most, most if Z1 == 0 else np.inf
        if Z2 == 0:
            break
        step = -Z1 / Z2
        if np.abs(step) * scale <= TOLERANCE and np.abs(step) * largest <= NEAR:
            return alpha, Z, alpha, alpha
        newton = alpha + step
        if not low < newton < high:
            newton = least if newton <= least < alpha else most if newton >= most > alpha else (low + high) / 2
        alpha = newton
    return alpha, Z, low, high


def _bisection(u, w, low, high, least):
    """The zero of Z's slope between low and high, of one sign, by halving their exponents: to the last bits."""
    alpha = low
    Z, Z1, _ = z(u, w, alpha)
    if Z1 >= 0 and alpha == least:
        return alpha, Z
    for _ in range(HALVINGS):
        middle = _middle(low, high)
        if not low < middle < high:
            break
        alpha = middle
        Z, Z1, _ = z(u, w, alpha)
        if Z1 < 0:
            low = alpha
        else:
            high = alpha
    return alpha, Z


def _middle(low, high):
    """The geometric mean of two numbers of one sign; near 0, if one of them is 0."""
    small, large = min(abs(low), abs(high)), max(abs(low), abs(high))
    middle = np.sqrt(small) * np.sqrt(large) if small > 0 else large * NEARER
    return float(middle if high > 0 else -middle)


@checked
def best_ranges(values, F, triples, y, w, thresholds, ranges, *, threads=None):
    """The range of queries in which each classifier errs least: § 8.3 of Athitsos et al. (2005), O(t + r) for each.

    A query-sensitive classifier is silent outside its range (eq. 17), and silence counts for one half (eq. 3). So a
    range gains, over silence, the sum of w (1/2 - G) over the triples inside. That sum is made once for each cell
    between neighbouring thresholds; what a range gains is a difference of two running sums.

    Parameters
    ----------
    values : ndarray, shape (m, n), float64
        Values on the training objects of the 1D embeddings that split, Gamma_c.
    F : ndarray, shape (m, n), float64
        Values of the 1D embeddings that classify, F_c.
    triples, y, w, threads
        As for :func:`weighted_errors`.
    thresholds : ndarray, shape (m, k), float64
        For each classifier, ascending; cell 0 lies below the first, cell k is the last and begins at the last
        threshold.
    ranges : ndarray, shape (r, 2), int64
        (i, j) with i < j: the cells i, ..., j - 1; with i >= j: all cells but j, ..., i - 1.

    Returns
    -------
    error : ndarray, shape (m,), float64
        Lambda_j of the best range, an exact multiple of 2**-53.
    best : ndarray, shape (m,), int64
        Which of `ranges` it is, the first of equals.
    """
    w, errors, best = on_grid(w), [], []
    i, j = ranges.T
    for values_c, F_c, t_c in zip(values, F, thresholds, strict=True):
        gain = w * (1 - np.abs(y - np.sign(margins(F_c, triples)))) / 2
        cell = np.searchsorted(t_c, values_c[triples[:, 0]], side="right")
        below = np.append(0.0, np.cumsum(np.bincount(cell, gain, len(t_c) + 1)))
        gains = np.where(i < j, below[j] - below[i], below[-1] - (below[i] - below[j]))
        best.append(int(np.argmax(gains)))  # BM:8.3:2
        errors.append(w.sum() / 2 - gains[best[-1]])
    return np.array(errors), np.array(best, dtype=np.int64)
