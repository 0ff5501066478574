"""The loss Z of classifiers of triples, its minimum, and the weights of the next round.

Eqs. 9 and 12-14 of Athitsos et al. (2005). The kernels that look for a minimum see many embeddings
at once and every triple of each.

Arguments that :data:`refimpl.kernels.contract.CONTRACT` does not allow raise TypeError or
ValueError.

Not handled here: margins and what needs no exponential (:mod:`refimpl.kernels.triples`).

Both twins give the same bits, since Z is made of :mod:`refimpl.kernels.exponentials`. Threads share
the embeddings, never the triples of an embedding.
"""

import numpy as np

from refimpl.kernels.contract import checked
from refimpl.kernels.exponentials import MOST, exp, fixed_sum, fixed_sums
from refimpl.kernels.stumps import on_grid
from refimpl.kernels.triples import margins, signed_margins
from refimpl.typing import FloatArray, Int32Array

__all__ = ["middle_of", "minimize_z", "next_weights", "z", "z_values"]

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
HUGE = 2.0**1000  # the largest value of an embedding, and of a least alpha


@checked
def z_values(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    w: FloatArray,
    alpha: FloatArray,
    S: FloatArray | None = None,
    *,
    threads: int | None = None,
) -> FloatArray:
    """Compute Z_j(h, alpha) of many classifiers, each at its own alpha: eq. 12.

    Source: Athitsos et al. (2005).

    Parameters
    ----------
    F, triples, y, w, threads
        As for :func:`weighted_errors`.
    alpha : ndarray, shape (m,), float64
    S : ndarray, shape (m, n), float64, optional
        *Splitters*: 1 for the objects that each classifier accepts as q, else 0 (eq. 17). With
        None every classifier accepts all objects.

    Returns
    -------
    ndarray, shape (m,), float64

    Raises
    ------
    TypeError, ValueError
        As :func:`weighted_errors`.

    See Also
    --------
    minimize_z : The alpha of least Z.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.kernels import z_values
    >>> F, triples = np.array([[0.0, 1.0, 5.0]]), np.array([[0, 1, 2]], dtype=np.int32)
    >>> Z = z_values(F, triples, np.ones(1), np.ones(1), np.array([0.5]))
    >>> bool(abs(Z[0] - np.exp(-0.5 * 4)) < 1e-12)
    True
    """
    w = on_grid(w)
    margins_of = zip(signed_margins(F, triples, y, S), alpha, strict=True)
    # BM:eq12, BM:7.3:1, BM:7.3:11
    return np.array([fixed_sum(_factors(u, w, a)) for u, a in margins_of])


def z(u: FloatArray, w: FloatArray, alpha: float) -> tuple[float, float, float]:
    """Return Z_j at alpha and its first two derivatives, from u_i = y_i h(q_i, a_i, b_i).

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
    Z, minus_Z1, Z2 = fixed_sums(np.stack([e, first, first * u]))
    return Z, -minus_Z1, Z2


def _factors(u: FloatArray, w: FloatArray, alpha: float) -> FloatArray:
    with np.errstate(over="ignore"):  # exp takes infinities
        return w * exp(-alpha * u)  # BM:eq12


@checked
def minimize_z(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    w: FloatArray,
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
    F, triples, y, w, threads
        As for :func:`weighted_errors`.
    least : ndarray, shape (m,), float64
        The least alpha allowed for each classifier, l in the paper.
    S : ndarray, shape (m, n), float64, optional
        Splitters, as for :func:`z_values`.

    Returns
    -------
    alpha, Z : ndarray, shape (m,), float64
        If a classifier is wrong on no triple of positive weight, Z has an infimum but no minimum;
        then alpha is where a classifier with all margins at their weighted mean would have Z =
        2**-52.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit :data:`refimpl.kernels.contract.CONTRACT`; for example, if a
        value of F is NaN or larger than 2**1000.

    See Also
    --------
    z_values : Z at a given alpha.

    Examples
    --------
    Two triples of equal margins, one right and one wrong: no alpha is better than 0.

    >>> import numpy as np
    >>> from refimpl.kernels import minimize_z
    >>> F, triples = np.array([[0.0, 1.0, 5.0]]), np.array([[0, 1, 2], [0, 1, 2]], dtype=np.int32)
    >>> alpha, Z = minimize_z(F, triples, np.array([1.0, -1.0]), np.full(2, 0.5), np.zeros(1))
    >>> alpha.tolist(), Z.tolist()
    ([0.0], [1.0])
    """
    w = on_grid(w)
    minima = [
        _minimum(u, w, float(l))
        for u, l in zip(signed_margins(F, triples, y, S), least, strict=True)
    ]
    # BM:eq13, BM:eq14, BM:7.3:3, BM:7.3:9, BM:7.3:10
    alpha, Z = np.array(minima).reshape(-1, 2).T.copy()
    return alpha, Z  # BM:8.1:3, BM:8.1:4, BM:8.1:6, BM:8.1:7


def _minimum(u: FloatArray, w: FloatArray, least: float) -> tuple[float, float]:
    """Return A_min and Z_min of one classifier."""
    scale = fixed_sum(w * np.abs(u))
    right = _largest(u, w)
    wrong = _largest(-u, w)
    largest = max(right, wrong)
    if largest <= NO_MARGIN or scale == 0.0:  # a constant classifier: Z does not depend on alpha
        alpha = max(least, 0.0)
        return alpha, z(u, w, alpha)[0]
    if not 1 / EASY <= largest <= EASY:  # a power of two, so that no square leaves float64's range
        power = 2.0 ** (1 - int(np.frexp(largest)[1]))
        least = max(-HUGE, min(HUGE, least / power))
        # where the weight is 0, u may be far larger
        u = np.where((np.abs(u) > NO_MARGIN) & (w > 0), u, 0.0) * power
        alpha, Z = _minimum(u, w, least)
        return alpha * power, Z
    most = max(least, 0.0) + LAST_BITS / scale
    if min(right, wrong) <= max(NEGLIGIBLE * largest, NO_MARGIN):  # Z falls, or grows, throughout
        alpha = most if right > wrong else least
        return alpha, z(u, w, alpha)[0]
    alpha, Z, low, high = _newton(u, w, least, most, scale, largest)
    if low == high:
        return alpha, Z
    return _bisection(u, w, low, high if high < most else max(most, MOST / wrong), least)


def _largest(u: FloatArray, w: FloatArray) -> float:
    """Return the largest positive u of a weight that is not 0; 0 if there is none."""
    return float(np.max(np.where(w > 0, u, 0.0), initial=0.0))


def _newton(
    u: FloatArray, w: FloatArray, least: float, most: float, scale: float, largest: float
) -> tuple[float, float, float, float]:
    """Run Newton's method within [least, most].

    Returns alpha, Z, low and high. The minimum lies between low and high; both equal alpha if
    Newton's method converged.
    """
    low = least
    alpha = max(least, 0.0)
    high = most
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
    u: FloatArray, w: FloatArray, low: float, high: float, least: float
) -> tuple[float, float]:
    """Find the zero of Z's slope between low and high, which have one sign, to the last bits.

    The bisection halves the difference of the exponents.
    """
    alpha = low
    Z, Z1, _ = z(u, w, alpha)
    if Z1 >= 0 and alpha == least:
        return alpha, Z
    for _ in range(HALVINGS):
        middle = middle_of(low, high)
        if not low < middle < high:
            break
        alpha = middle
        Z, Z1, _ = z(u, w, alpha)
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
    w: FloatArray,
    alpha: float,
    *,
    threads: int | None = None,
) -> tuple[FloatArray, float]:
    """Compute the weights of the triples after a classifier was added, and its Z: eqs. 9 and 12.

    Source: Athitsos et al. (2005).

    Parameters
    ----------
    F : ndarray, shape (n,), float64
        Values of the classifier's 1D embedding on the training objects.
    triples, y, w, threads
        As for :func:`weighted_errors`.
    alpha : float
        The weight of the classifier.

    Returns
    -------
    weights : ndarray, shape (t,), float64
        On the grid. They add up to one, but for rounding; they are 0 where Z is.
    z : float
        What :func:`z_values` gives at `alpha`.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit :data:`refimpl.kernels.contract.CONTRACT`.

    See Also
    --------
    z_values : Compute Z of many classifiers.

    Examples
    --------
    The first triple is classified right, the second wrong:

    >>> import numpy as np
    >>> from refimpl.kernels import next_weights
    >>> F, triples = np.array([0.0, 1.0, 2.0]), np.array([[0, 1, 2], [0, 1, 2]], dtype=np.int32)
    >>> w, z = next_weights(F, triples, np.array([1.0, -1.0]), np.full(2, 0.5), np.log(2.0))
    >>> w.round(12).tolist(), round(z, 12)
    ([0.2, 0.8], 1.25)
    """
    e = _factors(y * margins(F, triples), on_grid(w), alpha)
    z = fixed_sum(e)  # BM:7.3:11
    return on_grid(e / z if z > 0 else e), z  # BM:eq9, BM:7.3:12
