"""The loss Z of classifiers of triples, its minimum, and the weights of the next round.

Eqs. 9 and 12-14 of Athitsos et al. (2005). The kernels that look for a minimum see many embeddings
at once and every triple of each.

The kernels take the margins m_i = y_i H(o_i) of the strong classifier so far, and not the weights
of the triples. By eq. 9 from the first round on, the weight of a triple is exp(-m_i), divided by
the sum over all triples. A weight may be too small for float64, and matter again after a
classifier that turns the triple's margin.

Both twins give the same bits, since Z is made of :mod:`refimpl.kernels.exponentials`. Threads share
the embeddings, never the triples of an embedding.
"""

import numpy as np

from refimpl.arrays import FloatArray, Int32Array
from refimpl.kernels.contract import checked
from refimpl.kernels.exponentials import MOST, exp, fixed_sum, fixed_sums
from refimpl.kernels.stumps import GRID
from refimpl.kernels.triples import margins, signed_margins

TOLERANCE = 1e-11  # largest last Newton step, in units of 1 / (weighted mean of |margin|)
STEPS = 100
LAST_BITS = 52 * np.log(2.0)
# largest last Newton step, in units of 1 / (largest |margin|): there Z is nearly a parabola
NEAR = 1e-6
# where Newton's method does not converge: the most bisections, and the first factor towards 0
HALVINGS = 200
NEARER = 2.0**-40
EASY = 2.0**150  # margins that are all larger, or all below its inverse, are rescaled
# a largest margin that counts as 0: by itself, and relative to the largest one of the other sign
NO_MARGIN = 2.0**-900
NEGLIGIBLE = 2.0**-600
HUGE = 2.0**1000  # the largest value of an embedding, of a least alpha, and of a margin of H


@checked
def z_values(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    margin: FloatArray,
    alpha: FloatArray,
    S: FloatArray | None = None,
    *,
    threads: int | None = None,
) -> FloatArray:
    """Compute Z_j(h, alpha) of many classifiers, each at its own alpha: eq. 12.

    Source: Athitsos et al. (2005).

    Parameters
    ----------
    F, triples, y, threads
        As for :func:`weighted_errors`.
    margin : ndarray, shape (t,), float64
        The margin m_i of each triple, which makes its weight.
    alpha : ndarray, shape (m,), float64
    S : ndarray, shape (m, n), float64, optional
        *Splitters*: 1 for the objects that each classifier accepts as q, else 0 (eq. 17). With
        None every classifier accepts all objects.

    Returns
    -------
    ndarray, shape (m,), float64

    See Also
    --------
    minimize_z : The alpha of least Z.

    Examples
    --------
    >>> F, triples = np.array([[0.0, 1.0, 5.0]]), np.array([[0, 1, 2]], dtype=np.int32)
    >>> Z = z_values(F, triples, np.ones(1), np.zeros(1), np.array([0.5]))
    >>> bool(abs(Z[0] - np.exp(-0.5 * 4)) < 1e-12)
    True
    """
    _, x, total = weights_of(margin)
    margins_of = zip(signed_margins(F, triples, y, S), alpha, strict=True)
    # BM:eq12, BM:7.3:1
    return np.array([fixed_sum(_factors(u, x, a)) / total for u, a in margins_of])


def z(u: FloatArray, x: FloatArray, alpha: float) -> tuple[float, float, float]:
    """Return Z_j at alpha, of u_i = y_i h(q_i, a_i, b_i), and its first two derivatives."""
    e = _factors(u, x, alpha)
    first = e * u
    Z, minus_Z1, Z2 = fixed_sums(np.stack([e, first, first * u]))
    return Z, -minus_Z1, Z2


def _factors(u: FloatArray, x: FloatArray, alpha: float) -> FloatArray:
    with np.errstate(over="ignore"):  # exp takes infinities
        return exp(x - alpha * u)  # BM:eq12


@checked
def minimize_z(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    margin: FloatArray,
    least: FloatArray,
    S: FloatArray | None = None,
    *,
    threads: int | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Find A_min and Z_min of many classifiers: eqs. 13-14 of Athitsos et al. (2005).

    Z_j is convex in alpha. Newton's method, kept inside a bracket by bisection, runs from 0 or from
    `least`. Where Newton's method does not converge, as with margins of very different sizes,
    bisection alone finds the zero of the slope.

    Parameters
    ----------
    F, triples, y, margin, threads
        As for :func:`z_values`.
    least : ndarray, shape (m,), float64
        The least alpha allowed for each classifier, l in the paper.
    S : ndarray, shape (m, n), float64, optional
        Splitters, as for :func:`z_values`.

    Returns
    -------
    alpha, Z : ndarray, shape (m,), float64
        If a classifier is wrong on no triple, Z has an infimum but no minimum; then alpha is where
        a classifier with all margins at their weighted mean would have Z = 2**-52. It is no larger
        if all triples that the classifier is wrong on have weights of at most 2**-53.

    See Also
    --------
    z_values : Z at a given alpha.

    Examples
    --------
    Two triples of equal margins, one right and one wrong: no alpha is better than 0.

    >>> F, triples = np.array([[0.0, 1.0, 5.0]]), np.array([[0, 1, 2], [0, 1, 2]], dtype=np.int32)
    >>> alpha, Z = minimize_z(F, triples, np.array([1.0, -1.0]), np.zeros(2), np.zeros(1))
    >>> alpha.tolist(), Z.tolist()
    ([0.0], [1.0])
    """
    w, x, total = weights_of(margin)
    # BM:eq13, BM:eq14, BM:7.3:3, BM:7.3:9, BM:7.3:10, BM:8.1:3, BM:8.1:4, BM:8.1:6, BM:8.1:7
    minima = [
        _minimum(u, w, x, float(l))
        for u, l in zip(signed_margins(F, triples, y, S), least, strict=True)
    ]
    alpha, Z = np.array(minima).reshape(-1, 2).T.copy()
    return alpha, Z / total


def _minimum(u: FloatArray, w: FloatArray, x: FloatArray, least: float) -> tuple[float, float]:
    """Return A_min and Z_min, times the sum of exp(x), of one classifier."""
    scale = fixed_sum(w * np.abs(u))
    right = _largest(u, w, GRID / 2)
    wrong = _largest(-u, w, GRID / 2)
    largest = float(np.abs(u).max())
    if max(right, wrong) <= NO_MARGIN or scale == 0.0:  # a constant classifier
        alpha = max(least, 0.0)
        return alpha, z(u, x, alpha)[0]
    if not 1 / EASY <= largest <= EASY:  # a power of two, so that no square leaves float64's range
        power = 2.0 ** (1 - int(np.frexp(largest)[1]))
        least = max(-HUGE, min(HUGE, least / power))
        u = np.where(np.abs(u) > NO_MARGIN, u, 0.0) * power
        alpha, Z = _minimum(u, w, x, least)
        return alpha * power, Z
    most = max(least, 0.0) + LAST_BITS / scale
    farthest = most
    if min(right, wrong) > max(NEGLIGIBLE * max(right, wrong), NO_MARGIN):
        farthest = max(most, MOST / wrong)
    else:
        alpha = most if right > wrong else least
        Z, Z1, _ = z(u, x, alpha)
        if Z1 <= 0 if right > wrong else Z1 >= 0:  # Z falls, or grows, throughout
            return alpha, Z
    alpha, Z, low, high = _newton(u, x, least, most, scale, largest)
    if low == high:
        return alpha, Z
    return _bisection(u, x, low, high if high < most else farthest, least)


def _largest(u: FloatArray, w: FloatArray, above: float) -> float:
    """Return the largest positive u of a weight above `above`; 0 if there is none."""
    return float(np.max(np.where(w > above, u, 0.0), initial=0.0))


def _newton(
    u: FloatArray, x: FloatArray, least: float, most: float, scale: float, largest: float
) -> tuple[float, float, float, float]:
    """Run Newton's method within [least, most]."""
    # Returns alpha, Z, low and high. The minimum lies between low and high; both equal alpha if
    # Newton's method converged.
    low = least
    alpha = max(least, 0.0)
    high = most
    for _ in range(STEPS):
        Z, Z1, Z2 = z(u, x, alpha)
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
            newton = (
                least
                if newton <= least < alpha
                else most
                if newton >= most > alpha
                else (low + high) / 2
            )
        alpha = newton
    return alpha, Z, low, high


def _bisection(
    u: FloatArray, x: FloatArray, low: float, high: float, least: float
) -> tuple[float, float]:
    """Find the zero of Z's slope between low and high, which have one sign, to the last bits."""
    # the bisection halves the difference of the exponents
    alpha = low
    Z, Z1, _ = z(u, x, alpha)
    if Z1 >= 0 and alpha == least:
        return alpha, Z
    for _ in range(HALVINGS):
        middle = middle_of(low, high)
        if not low < middle < high:
            break
        alpha = middle
        Z, Z1, _ = z(u, x, alpha)
        if Z1 < 0:
            low = alpha
        else:
            high = alpha
    return alpha, Z


def middle_of(low: float, high: float) -> float:
    """Return the geometric mean of two numbers of one sign; near 0, if one of them is 0."""
    small = min(abs(low), abs(high))
    large = max(abs(low), abs(high))
    middle = np.sqrt(small) * np.sqrt(large) if small > 0 else large * NEARER
    return float(middle if high > 0 else -middle)


@checked
def next_weights(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    margin: FloatArray,
    alpha: float,
    *,
    threads: int | None = None,
) -> tuple[FloatArray, FloatArray, float]:
    """Compute the margins and weights of the triples after a classifier was added, and its Z.

    Source: Athitsos et al. (2005), eqs. 9 and 12.

    Parameters
    ----------
    F : ndarray, shape (n,), float64
        Values of the classifier's 1D embedding on the training objects.
    triples, y, margin, threads
        As for :func:`z_values`.
    alpha : float
        The weight of the classifier.

    Returns
    -------
    margin : ndarray, shape (t,), float64
        The margins after.
    w : ndarray, shape (t,), float64
        The weights after. They add up to one, but for rounding.
    z : float
        What :func:`z_values` gives at `alpha` with the weights before, but for rounding.

    See Also
    --------
    z_values : Compute Z of many classifiers.

    Examples
    --------
    The first triple is classified right, the second wrong:

    >>> F, triples = np.array([0.0, 1.0, 2.0]), np.array([[0, 1, 2], [0, 1, 2]], dtype=np.int32)
    >>> margin, w, z = next_weights(F, triples, np.array([1.0, -1.0]), np.zeros(2), np.log(2.0))
    >>> margin.round(4).tolist(), w.round(12).tolist(), round(z, 12)
    ([0.6931, -0.6931], [0.2, 0.8], 1.25)
    """
    u = y * margins(F, triples)
    return reweighted(margin, u, alpha)  # BM:eq9, BM:7.3:11, BM:7.3:12


def weights_of(margin: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Return the weights of triples, and x and the sum of exp(x) of which they are made."""
    x = margin.min() - margin
    e = exp(x)
    total = fixed_sum(e)
    return e / total, x, total


def reweighted(
    margin: FloatArray, u: FloatArray, alpha: float
) -> tuple[FloatArray, FloatArray, float]:
    """Return :func:`next_weights` from u_i = y_i h(q_i, a_i, b_i)."""
    _, _, total = weights_of(margin)
    with np.errstate(over="ignore"):
        after = np.clip(margin + alpha * u, -HUGE, HUGE)
    w, _, total_after = weights_of(after)
    fallen = exp(np.array([margin.min() - after.min()]))[0]
    return after, w, float(fallen) * (total_after / total)
