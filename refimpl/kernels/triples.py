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
    x : ndarray, shape (t,), float64

    Returns
    -------
    float
    """
    padded = np.zeros(-(-len(x) // LANES) * LANES)
    padded[: len(x)] = x
    lanes = np.add.reduce(padded.reshape(-1, LANES), axis=0)  # row after row
    return float(np.cumsum(lanes)[-1])


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
    q, a, b = F[triples].T
    return np.abs(q - b) - np.abs(q - a)


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
    return np.array([(w * (np.abs(y - sign) / 2)).sum() for sign in signs])  # eq. 11 with eq. 3


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
    sums = np.empty((len(F), 4))
    for c, u in enumerate(_signed_margins(F, triples, y, None)):
        sides = (u > 0) * w, (u < 0) * w
        sums[c] = [fixed_sum(side) for side in sides] + [fixed_sum(side * np.abs(u)) for side in sides]
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
    return np.array([z(u, w, a)[0] for u, a in zip(_signed_margins(F, triples, y, S), alpha, strict=True)])


def _signed_margins(F, triples, y, S):
    """y_i S(q_i) F~(q_i, a_i, b_i) for one classifier after the other."""
    for c, F_c in enumerate(F):
        yield y * margins(F_c, triples) * (1.0 if S is None else S[c][triples[:, 0]])


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
    e = w * exp(-alpha * u)  # eq. 12
    first = e * u
    return fixed_sum(e), -fixed_sum(first), fixed_sum(first * u)


@checked
def minimize_z(F, triples, y, w, least, S=None, *, threads=None):
    """A_min and Z_min of many classifiers: eqs. 13-14 of Athitsos et al. (2005).

    Z_j is convex in alpha. Newton's method, kept inside a bracket by bisection, from 0 or from `least`.

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
    """
    found = [_minimum(u, w, l) for u, l in zip(_signed_margins(F, triples, y, S), least, strict=True)]
    alpha, Z = np.array(found).reshape(-1, 2).T
    return alpha, Z


def _minimum(u, w, least):
    scale = fixed_sum(w * np.abs(u))
    low, high = least, max(least, 0.0)  # the least alpha; where the search begins
    if scale == 0.0:  # a constant classifier: Z does not depend on alpha
        return high, z(u, w, high)[0]
    most = high + LAST_BITS / scale
    alpha, high = high, most
    for _ in range(STEPS):
        Z, Z1, Z2 = z(u, w, alpha)
        if (Z1 >= 0 and alpha == least) or (Z1 <= 0 and alpha == most):
            break
        if Z1 < 0:
            low = alpha
        else:
            high = alpha
        step = -Z1 / Z2
        if np.abs(step) * scale <= TOLERANCE:
            break
        newton = alpha + step
        if not low < newton < high:
            newton = least if newton <= least < alpha else most if newton >= most > alpha else (low + high) / 2
        alpha = newton
    return alpha, Z


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
        best.append(int(np.argmax(gains)))
        errors.append(w.sum() / 2 - gains[best[-1]])
    return np.array(errors), np.array(best, dtype=np.int64)
