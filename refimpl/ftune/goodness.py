"""How good a similarity is for a task: Kar & Jain (2011), Definitions 1 and 4, and how many landmark pairs then do.

The expectations over two more points are means over a sample, a point itself left out of those of its own class.

Not handled here: the weights w that make a similarity look best; they are an argument.
"""

import math
from dataclasses import dataclass

import numpy as np

from refimpl.checks import as_count, as_generator, as_labels, as_number, positive
from refimpl.ftune.linear_models import LOSSES, require_loss
from refimpl.ftune.similarities import as_similarity

__all__ = [
    "Goodness", "goodness", "goodness_of_loss", "hinge_at_margin", "pairs_for_family", "pairs_for_loss",
    "pairs_for_margin", "transferred_margins",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Goodness:
    """What a similarity is on a sample: (epsilon, gamma, B)-good, or (epsilon, B)-good for a loss.

    Attributes
    ----------
    epsilon : float
        Definition 1: the share of points below the margin. Definition 4: the mean loss.
    B : float
        The largest |w|.
    margins : ndarray, shape (m,), float64
        G(x), the expectation of eq. 3, for each point of the sample.
    C_f : float
        How far f reaches: the largest of its values less the smallest.
    sample : ndarray, shape (m,), int64
        The points, as places among the training objects.
    """

    epsilon: float
    B: float
    margins: np.ndarray
    C_f: float
    sample: np.ndarray


def transferred_margins(S, labels, f, w=None):
    """Return G(x) of § 2.1 and Definition 4, the left side of eq. 3, for each point of a sample.

    Parameters
    ----------
    S : ndarray, shape (m, m), float64
        K between the points of the sample.
    labels : ndarray, shape (m,)
        Two points of each class at least, and two classes.
    f : callable
        Antisymmetric; takes and returns arrays.
    w : ndarray, shape (m, m), float64, optional
        w(x', x''); 1 by default.

    Returns
    -------
    margins : ndarray, shape (m,), float64
    C_f : float
        How far f reaches over the differences that it sees.
    """
    G, low, high = np.empty(len(S)), np.inf, -np.inf
    for x in range(len(S)):
        own = labels == labels[x]
        other = np.flatnonzero(~own)
        own[x] = False
        same = np.flatnonzero(own)
        values = f(S[x, same, None] - S[x, other])  # FT:eq1, FT:eq2  f is the identity or the sign
        low = min(low, values.min(), -values.max())  # ERRATUM FT-2
        high = max(high, values.max(), -values.min())
        G[x] = (values if w is None else w[np.ix_(same, other)] * values).mean()  # FT:eq3
    return G, float(high - low)


def goodness(K, labels, f, gamma, *, w=None, sample=None, rng=None):
    """Return for which epsilon K is (epsilon, gamma, B)-good with the transfer function f, on a sample: Definition 1.

    With f the identity and w = 1 it is Balcan & Blum's criterion (eq. 1), with f the sign and w(x', x'') = w(x') w(x'')
    that of Wang, Yang & Feng (eq. 2), both up to C_f, which is 2 where f reaches from -1 to 1.

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity, or array_like, shape (n, n)
    labels : array_like, shape (n,)
    f : callable
        Antisymmetric; takes and returns arrays, for example :class:`refimpl.ftune.Ramp`.
    gamma : float
        The margin, in units of C_f.
    w : array_like, shape (n, n), optional
        w(x', x''); 1 by default. Theorem 2's classifier does what the goodness promises if w is symmetric
        (ERRATUM FT-9).
    sample : int, optional
        How many points to draw; all by default. The look-ups of K are their number squared.
    rng : numpy.random.Generator, optional
        Needed with `sample`.

    Returns
    -------
    Goodness

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, f is not antisymmetric, or a class has one point in the sample.
    """
    gamma = as_number(gamma, "gamma")
    G, C_f, B, points = _on_a_sample(K, labels, f, w, sample, rng)
    return Goodness(float((G < C_f * gamma).mean()), B, G, C_f, points)  # FT:def1


def goodness_of_loss(K, labels, f, L, *, w=None, sample=None, rng=None):
    """Return for which epsilon K is (epsilon, B)-good for the loss L, on a sample: Definition 4.

    Parameters
    ----------
    L : callable or str
        A loss of the margin, array to array, for example :func:`hinge_at_margin`; or a name of
        :data:`refimpl.ftune.linear_models.LOSSES`.
    K, labels, f, w, sample, rng
        As for :func:`goodness`.

    Returns
    -------
    Goodness

    Raises
    ------
    TypeError, ValueError
        As :func:`goodness`.
    """
    if not callable(L):
        require_loss(L)
        L = LOSSES[L]
    G, C_f, B, points = _on_a_sample(K, labels, f, w, sample, rng)
    return Goodness(float(L(G).mean()), B, G, C_f, points)  # FT:def4


def hinge_at_margin(gamma):
    """Return L(x) = max(0, 1 - x / gamma), the hinge loss at margin gamma, whose C_L is 1 / gamma (§ 2.2)."""
    gamma = positive(gamma, "gamma")
    return lambda x: np.maximum(0.0, 1.0 - x / gamma)


def pairs_for_margin(gamma, epsilon_1, delta, B=1.0):
    """Return how many landmark pairs give an error of at most epsilon + epsilon_1: Theorem 2.

    They do so with probability 1 - delta.

    Parameters
    ----------
    gamma, epsilon_1, delta : float
        Positive; delta below 1.
    B : float, default 1.0
        The largest |w|.

    Returns
    -------
    int
        d = (8 B^2 / gamma^2) ln(2 / (delta epsilon_1)), rounded up.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.
    """
    gamma, epsilon_1, delta, B = _all_positive(gamma=gamma, epsilon_1=epsilon_1, delta=delta, B=B)
    d = 8 * B**2 / gamma**2 * math.log(2 / (delta * epsilon_1))  # ERRATUM FT-3
    return _whole(d)  # FT:thm2


def pairs_for_loss(epsilon_1, delta, B=1.0, C_L=1.0):
    """Return how many landmark pairs give a mean loss of at most epsilon + epsilon_1: Theorem 5.

    They do so with probability 1 - delta.

    Parameters
    ----------
    epsilon_1, delta : float
    B : float, default 1.0
    C_L : float, default 1.0
        The loss's Lipschitz constant: 1 / gamma for the hinge loss at margin gamma, 1 for the logistic loss.

    Returns
    -------
    int
        d = (16 B^2 C_L^2 / epsilon_1^2) ln(4 B / (delta epsilon_1)), rounded up.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.
    """
    epsilon_1, delta, B, C_L = _all_positive(epsilon_1=epsilon_1, delta=delta, B=B, C_L=C_L)
    return _whole(16 * (B * C_L / epsilon_1) ** 2 * math.log(4 * B / (delta * epsilon_1)))  # FT:thm5


def pairs_for_family(covering, epsilon_1, delta, B=1.0, C_L=1.0):
    """Return how many landmark pairs do for all transfer functions of a family at once: Theorem 3.

    Parameters
    ----------
    covering : int or callable
        N(F, r) at the scale r = epsilon_1 / (4 C_L B): a number (that of the functions, if there are finitely many), or
        a function of r.
    epsilon_1, delta, B, C_L
        As for :func:`pairs_for_loss`.

    Returns
    -------
    int
        d = (64 B^2 C_L^2 / epsilon_1^2) ln(16 B N(F, r) / (delta epsilon_1)), rounded up.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.
    """
    epsilon_1, delta, B, C_L = _all_positive(epsilon_1=epsilon_1, delta=delta, B=B, C_L=C_L)
    N = as_count(covering(epsilon_1 / (4 * C_L * B)) if callable(covering) else covering, "covering")
    return _whole(64 * (B * C_L / epsilon_1) ** 2 * math.log(16 * B * N / (delta * epsilon_1)))  # FT:thm3


def _on_a_sample(K, labels, f, w, sample, rng):
    """G, C_f and B on some points, and these points."""
    labels = as_labels(labels, len(labels), "labels", min_classes=2)
    K = as_similarity(K, len(labels))
    points = np.arange(len(labels))
    if sample is not None:
        m = min(as_count(sample, "sample", 4), len(labels))
        points = np.sort(as_generator(rng).choice(len(labels), m, replace=False))
    kept = labels[points]
    names, counts = np.unique(kept, return_counts=True)
    if len(names) < 2 or counts.min() < 2:
        raise ValueError(
            f"labels: class {names[counts.argmin()]} has {counts.min()} of the {len(kept)} points and there are "
            f"{len(names)} classes among them; two classes with two points each at least are needed (a larger sample)"
        )
    if w is not None:
        w = np.asarray(w, dtype=np.float64)
        if w.shape != (len(labels), len(labels)) or not np.isfinite(w).all():
            n = len(labels)
            raise ValueError(f"w has shape {w.shape}; it must hold finite numbers of shape ({n}, {n})")
        w = w[np.ix_(points, points)]
    S = K.within(points, points)
    require_antisymmetric(f, S[:1] - S[:1].T, "f")
    G, C_f = transferred_margins(S, kept, f, w)
    return G, C_f, 1.0 if w is None else float(np.abs(w).max()), points


def require_antisymmetric(f, x, name):
    """Refuse a function with f(-x) != -f(x) at some x."""
    here, there = np.asarray(f(x)), np.asarray(f(-x))
    if here.shape != x.shape or not np.isfinite(here).all():
        raise ValueError(f"{name} must return one finite number for each of its argument's")
    if not np.allclose(here, -there, rtol=1e-9, atol=1e-12):
        place = np.unravel_index(np.abs(here + there).argmax(), x.shape)
        raise ValueError(
            f"{name} is not antisymmetric: it is {here[place]:.6g} at {x[place]:.6g} and {there[place]:.6g} at "
            f"{-x[place]:.6g}; f(-x) = -f(x) is needed"
        )


def _all_positive(**values):
    if not values["delta"] < 1:
        raise ValueError(f"delta is {values['delta']}; it must be a probability between 0 and 1")
    return [positive(value, name) for name, value in values.items()]


def _whole(d):
    return max(1, math.ceil(d))
