"""Measures of how good a similarity is for a task, and how many landmark pairs are enough.

Source: Kar & Jain (2011), Definitions 1 and 4, Theorems 2, 3 and 5. The expectations over two more
points are replaced by means over a sample. A point is not compared with itself.

Not handled here: finding the weights w that make a similarity look best. They are an argument.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from refimpl.arrays import as_reals, for_kernel
from refimpl.checks import as_count, as_generator, as_number, one_of, positive
from refimpl.ftune.linear_models import LOSSES, LossName
from refimpl.ftune.model import require_antisymmetric
from refimpl.ftune.problems import as_classes
from refimpl.ftune.similarities import Similarity, as_similarity
from refimpl.typing import ArrayLike, FloatArray, IntArray, Labels

__all__ = [
    "Goodness",
    "goodness",
    "goodness_of_loss",
    "hinge_at_margin",
    "pairs_for_family",
    "pairs_for_loss",
    "pairs_for_margin",
    "transferred_margins",
]

LEAST, MOST = 1e-50, 1e50  # of the theorems' arguments, whose squared quotients stay finite


@dataclass(frozen=True, eq=False)
class Goodness:
    """The goodness of a similarity on a sample: (epsilon, gamma, B), or (epsilon, B) for a loss.

    Attributes
    ----------
    epsilon : float
        Definition 1: the share of points below the margin. Definition 4: the mean loss.
    B : float
        The largest |w|.
    margins : ndarray, shape (m,), float64
        G(x), the expectation of eq. 3, for each point of the sample.
    C_f : float
        The range of f: its largest value minus its smallest.
    sample : ndarray, shape (m,), int64
        The points of the sample, as indices of training objects.

    See Also
    --------
    goodness, goodness_of_loss : Compute it.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import Ramp
    >>> from refimpl.ftune.goodness import goodness
    >>> K = np.kron(np.eye(2), np.ones((2, 2)))
    >>> goodness(K, [0, 0, 1, 1], Ramp(1.0), 0.5).epsilon
    0.0
    """

    epsilon: float
    B: float
    margins: FloatArray
    C_f: float
    sample: IntArray


def transferred_margins(
    S: FloatArray, y: Labels, f: Callable[[FloatArray], FloatArray], *, w: FloatArray | None = None
) -> tuple[FloatArray, float]:
    """Return G(x), the left side of eq. 3, for each point of a sample: § 2.1 and Definition 4.

    Parameters
    ----------
    S : ndarray, shape (m, m), float64
        K between the points of the sample.
    y : ndarray, shape (m,)
        Labels of at least two classes, with at least two points each.
    f : callable
        An antisymmetric function of an array.
    w : ndarray, shape (m, m), float64, optional
        w(x', x''); 1 by default.

    Returns
    -------
    margins : ndarray, shape (m,), float64
    C_f : float
        The range of f over the differences of the sample.

    See Also
    --------
    goodness : Compute the share of margins that are too small.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune.goodness import transferred_margins
    >>> K = np.kron(np.eye(2), np.ones((2, 2)))
    >>> transferred_margins(K, np.array([0, 0, 1, 1]), np.sign)
    (array([1., 1., 1., 1.]), 2.0)
    """
    S, y = for_kernel(S), np.asarray(y)
    G = np.empty(len(S))
    low = np.inf
    high = -np.inf
    for x in range(len(S)):
        own = y == y[x]
        other = np.flatnonzero(~own)
        own[x] = False
        same = np.flatnonzero(own)
        values = f(S[x, same, None] - S[x, other])  # FT:eq1, FT:eq2  f is the identity or the sign
        low = min(low, values.min(), -values.max())  # ERRATUM FT-2
        high = max(high, values.max(), -values.min())
        G[x] = (values if w is None else w[np.ix_(same, other)] * values).mean()  # FT:eq3
    return G, float(high - low)


def goodness(
    K: Similarity | ArrayLike,
    y: ArrayLike,
    f: Callable[[FloatArray], FloatArray],
    gamma: float,
    *,
    w: ArrayLike | None = None,
    sample: int | None = None,
    rng: np.random.Generator | None = None,
) -> Goodness:
    """Compute the epsilon for which K is (epsilon, gamma, B)-good with f: Definition 1.

    With f the identity and w = 1 it is Balcan & Blum's criterion (eq. 1). With f the sign and
    w(x', x'') = w(x') w(x'') it is that of Wang, Yang & Feng (eq. 2). Both differ from the original
    by the factor C_f, which is 2 if f ranges from -1 to 1.

    Parameters
    ----------
    K : refimpl.ftune.similarities.Similarity, or array_like, shape (n, n)
    y : array_like, shape (n,)
        Labels of at least two classes.
    f : callable
        The transfer function: an antisymmetric function of an array, for example
        :class:`refimpl.ftune.Ramp`.
    gamma : float
        The margin, in units of C_f.
    w : array_like, shape (n, n), optional
        w(x', x''); 1 by default. Theorem 2's classifier keeps the promise of the goodness only if w
        is symmetric (ERRATUM FT-9).
    sample : int, optional
        The number of points to draw; by default all points are used. K is looked up for each pair
        of points in the sample.
    rng : numpy.random.Generator, optional
        Needed with `sample` only.

    Returns
    -------
    Goodness

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, f is not antisymmetric, or a class has one point in the sample.

    See Also
    --------
    goodness_of_loss : The goodness for a loss.
    pairs_for_margin : How many landmark pairs it needs.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import Ramp
    >>> from refimpl.ftune.goodness import goodness
    >>> K = np.array([[1.0, 0.8, 0.9, 0.1], [0.8, 1.0, 0.2, 0.1],
    ...               [0.9, 0.2, 1.0, 0.7], [0.1, 0.1, 0.7, 1.0]])
    >>> goodness(K, [0, 0, 1, 1], Ramp(1.0), 0.2).epsilon
    0.25
    """
    gamma = as_number(gamma, "gamma")
    on = _on_a_sample(K, y, f, w, sample, rng)
    epsilon = float((on.margins < on.C_f * gamma).mean())  # FT:def1
    return Goodness(epsilon, on.B, on.margins, on.C_f, on.sample)


def goodness_of_loss(
    K: Similarity | ArrayLike,
    y: ArrayLike,
    f: Callable[[FloatArray], FloatArray],
    loss: LossName | Callable[[FloatArray], FloatArray],
    *,
    w: ArrayLike | None = None,
    sample: int | None = None,
    rng: np.random.Generator | None = None,
) -> Goodness:
    """Compute the epsilon for which K is (epsilon, B)-good for a loss: Definition 4.

    Parameters
    ----------
    loss : callable or {"squared_hinge", "hinge", "logistic"}
        A function from margins to losses, for example :func:`hinge_at_margin`, or the name of a
        loss.
    K, y, f, w, sample
        As for :func:`goodness`.
    rng : numpy.random.Generator, optional
        Needed with `sample` only.

    Returns
    -------
    Goodness

    Raises
    ------
    TypeError, ValueError
        As :func:`goodness`.

    See Also
    --------
    goodness : The goodness by a margin.
    pairs_for_loss : How many landmark pairs it needs.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune import Ramp
    >>> from refimpl.ftune.goodness import goodness_of_loss
    >>> K = np.kron(np.eye(2), np.ones((2, 2)))
    >>> goodness_of_loss(K, [0, 0, 1, 1], Ramp(1.0), "hinge").epsilon
    0.0
    """
    if not callable(loss):
        one_of(loss, LOSSES, "loss")
        loss = LOSSES[loss]
    on = _on_a_sample(K, y, f, w, sample, rng)
    epsilon = float(loss(on.margins).mean())  # FT:def4
    return Goodness(epsilon, on.B, on.margins, on.C_f, on.sample)


def hinge_at_margin(gamma: float) -> Callable[[FloatArray], FloatArray]:
    """Return L(x) = max(0, 1 - x / gamma), the hinge loss at margin gamma: § 2.2.

    Its Lipschitz constant C_L is 1 / gamma.

    Parameters
    ----------
    gamma : float
        Above 0.

    Returns
    -------
    callable
        A function of an array.

    Raises
    ------
    TypeError, ValueError
        If gamma is not a number above 0.

    See Also
    --------
    goodness_of_loss : Takes this function.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.ftune.goodness import hinge_at_margin
    >>> hinge_at_margin(0.5)(np.array([0.0, 0.25, 1.0]))
    array([1. , 0.5, 0. ])
    """
    gamma = positive(gamma, "gamma")
    return lambda x: np.maximum(0.0, 1.0 - x / gamma)


def pairs_for_margin(gamma: float, epsilon_1: float, delta: float, *, B: float = 1.0) -> int:
    """Return how many landmark pairs give an error of at most epsilon + epsilon_1: Theorem 2.

    They do so with probability 1 - delta.

    Parameters
    ----------
    gamma, epsilon_1, delta : float
        From 1e-50 to 1e50, as B; delta below 1.
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

    See Also
    --------
    goodness : Computes epsilon.

    Examples
    --------
    >>> from refimpl.ftune.goodness import pairs_for_margin
    >>> pairs_for_margin(0.5, 0.1, 0.1)
    170
    """
    gamma, epsilon_1, delta, B = _in_range(gamma=gamma, epsilon_1=epsilon_1, delta=delta, B=B)
    d = 8 * B**2 / gamma**2 * math.log(2 / (delta * epsilon_1))  # ERRATUM FT-3
    return _whole(d)  # FT:thm2


def pairs_for_loss(epsilon_1: float, delta: float, *, B: float = 1.0, C_L: float = 1.0) -> int:
    """Return how many landmark pairs give a mean loss of at most epsilon + epsilon_1: Theorem 5.

    They do so with probability 1 - delta.

    Parameters
    ----------
    epsilon_1, delta : float
        From 1e-50 to 1e50, as B and C_L; delta below 1.
    B : float, default 1.0
        The largest |w|, for a transfer function with values from -1 to 1 (§ 2.1); for another one
        the largest |w f|.
    C_L : float, default 1.0
        The loss's Lipschitz constant: 1 / gamma for the hinge loss at margin gamma, 1 for the
        logistic loss.

    Returns
    -------
    int
        d = (16 B^2 C_L^2 / epsilon_1^2) ln(4 B C_L / (delta epsilon_1)), rounded up. It is the same
        in every unit of the loss.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    See Also
    --------
    goodness_of_loss : Computes epsilon.

    Examples
    --------
    >>> from refimpl.ftune.goodness import pairs_for_loss
    >>> pairs_for_loss(0.5, 0.1)
    281
    """
    epsilon_1, delta, B, C_L = _in_range(epsilon_1=epsilon_1, delta=delta, B=B, C_L=C_L)
    range_of_loss = B * C_L / epsilon_1
    # FT:thm5, ERRATUM FT-10
    return _whole(16 * range_of_loss**2 * math.log(4 * range_of_loss / delta))


def pairs_for_family(
    covering: int | Callable[[float], int],
    epsilon_1: float,
    delta: float,
    *,
    B: float = 1.0,
    C_L: float = 1.0,
) -> int:
    """Return how many landmark pairs are enough for all transfer functions at once: Theorem 3.

    Parameters
    ----------
    covering : int or callable
        N(F, r), the covering number of the family at the scale r = epsilon_1 / (4 C_L B): a number,
        or a function of r. For a finite family pass the number of its functions.
    epsilon_1, delta, B, C_L
        As for :func:`pairs_for_loss`.

    Returns
    -------
    int
        d = (64 B^2 C_L^2 / epsilon_1^2) ln(16 B C_L N(F, r) / (delta epsilon_1)), rounded up.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    See Also
    --------
    pairs_for_loss : For one function.

    Examples
    --------
    >>> from refimpl.ftune.goodness import pairs_for_family
    >>> pairs_for_family(6, 0.5, 0.1)
    1936
    """
    epsilon_1, delta, B, C_L = _in_range(epsilon_1=epsilon_1, delta=delta, B=B, C_L=C_L)
    if callable(covering):
        covering = covering(epsilon_1 / (4 * C_L * B))
    N = as_count(covering, "covering")
    range_of_loss = B * C_L / epsilon_1
    # FT:thm3, ERRATUM FT-10
    # N may be an integer beyond float64
    return _whole(64 * range_of_loss**2 * (math.log(16 * range_of_loss / delta) + math.log(N)))


def _on_a_sample(
    K: Similarity | ArrayLike,
    y: ArrayLike,
    f: Callable[[FloatArray], FloatArray],
    w: ArrayLike | None,
    sample: int | None,
    rng: np.random.Generator | None,
) -> Goodness:
    """Compute the goodness on a sample, without epsilon."""
    labels = as_classes(y)
    K = as_similarity(K, len(labels))
    points = np.arange(len(labels))
    if sample is not None:
        m = min(as_count(sample, "sample", 4), len(labels))
        points = np.sort(as_generator(rng).choice(len(labels), m, replace=False))
    kept = labels[points]
    _require_two_of_each(kept)
    weights = None if w is None else _as_weights(w, len(labels))[np.ix_(points, points)]
    S = K.within(points, points)
    require_antisymmetric(f, S[:1] - S[:1].T, "f")
    G, C_f = transferred_margins(S, kept, f, w=weights)
    B = 1.0 if weights is None else float(np.abs(weights).max())
    return Goodness(np.nan, B, G, C_f, points)


def _require_two_of_each(y: Labels) -> None:
    """Raise ValueError unless there are two classes, and two points of each class."""
    names, counts = np.unique(y, return_counts=True)
    if len(names) < 2 or counts.min() < 2:
        raise ValueError(
            "y must have at least two classes with at least two points each in the sample; "
            f"got {len(names)} class(es), class {names[counts.argmin()]} with {counts.min()} of "
            f"{len(y)} points (draw a larger sample)"
        )


def _as_weights(w: ArrayLike, n: int) -> FloatArray:
    weights = as_reals(w, "w", "a matrix")
    if weights.shape != (n, n) or not np.isfinite(weights).all():
        raise ValueError(f"w must hold finite numbers of shape ({n}, {n}); got {weights.shape}")
    return weights


def _in_range(**values: float) -> list[float]:
    below = dict.fromkeys(values, MOST) | {"delta": 1.0}
    return [as_number(v, name, minimum=LEAST, below=below[name]) for name, v in values.items()]


def _whole(d: float) -> int:
    return max(1, math.ceil(d))
