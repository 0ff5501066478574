"""TRAIN of Kar & Jain (2011), § 2.1: a large margin linear classifier that minimises a loss.

It solves min over w of |w|^2 / 2 + C sum_i L(y_i w . x_i) for three losses L. This is the problem
of LIBLINEAR (Fan et al. 2008), which § 3 uses. Each solver ends with a certificate: the objective
is within `gap` of the optimum.

A bias is a feature of constant value `bias` whose weight is penalised like the others. It is
LIBLINEAR's -B and scikit-learn's `intercept_scaling`. 0 leaves it out.

Not handled here: several classes (:mod:`refimpl.ftune.training` takes one against the rest), sparse
input, the kernel modules. The work is in BLAS, so both kernel modules train the same classifier.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy

from refimpl.arrays import as_matrix
from refimpl.checks import as_count, as_float, as_labels, as_number, is_real, one_of, positive
from refimpl.typing import ArrayLike, BoolArray, FloatArray, Labels

__all__ = ["LOSSES", "LinearModel", "LossName", "loss", "train"]

LossName: TypeAlias = Literal["squared_hinge", "hinge", "logistic"]

PATIENCE = 10  # interior point steps that must halve the gap
LEAST_COST, MOST_COST = 1e-100, 1e12  # of an object; beyond, rounding makes the models useless
MOST_BIAS = 1e7  # likewise


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A linear classifier w . x + b, and how near it is to the best one.

    Attributes
    ----------
    w : ndarray, shape (d,), float64
    b : float
        The bias: its weight times the value of its feature.
    objective : float
    gap : float
        The objective is at most this above the optimum. The bound is proven, rounding apart.
    iterations : int
    converged : bool
        Whether the gap is as small as the training was asked for.

    See Also
    --------
    train : Train such a classifier.

    Examples
    --------
    >>> from refimpl.ftune.linear_models import train
    >>> train([[1.0], [-1.0]], [1, -1], 1.0).converged
    True
    """

    w: FloatArray
    b: float
    objective: float
    gap: float
    iterations: int
    converged: bool


def _hinge(m: FloatArray) -> FloatArray:
    return np.maximum(0.0, 1.0 - m)


def _squared_hinge(m: FloatArray) -> FloatArray:
    squares: FloatArray = _hinge(m) ** 2
    return squares


def _logistic(m: FloatArray) -> FloatArray:
    return np.logaddexp(0.0, -m)


LOSSES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "hinge": _hinge,
    "squared_hinge": _squared_hinge,
    "logistic": _logistic,
}
"""The losses L by name, as functions of the margins y g(x)."""


def loss(name: str, margins: ArrayLike) -> FloatArray:
    """Return the loss L of margins y g(x).

    Parameters
    ----------
    name : {"hinge", "squared_hinge", "logistic"}
    margins : array_like

    Returns
    -------
    ndarray, of the shape of `margins`

    Raises
    ------
    ValueError
        If there is no such loss.

    See Also
    --------
    train : Minimise a loss.

    Examples
    --------
    >>> from refimpl.ftune.linear_models import loss
    >>> loss("squared_hinge", [-1.0, 2.0])
    array([4., 0.])
    """
    one_of(name, LOSSES, "loss")
    return LOSSES[name](np.asarray(margins, dtype=np.float64))


def as_cost(C: Any, name: str) -> float:
    """Return the weight of the losses as a float, in the range where training works."""
    if not is_real(C):
        raise TypeError(f"{name} must be a number; got {C!r}")
    cost = as_float(C)
    if not LEAST_COST <= cost <= MOST_COST:
        raise ValueError(f"{name} must be between {LEAST_COST:g} and {MOST_COST:g}; got {C}")
    return cost


def train(
    X: ArrayLike,
    y: ArrayLike,
    C: float,
    *,
    loss: LossName = "squared_hinge",
    bias: float = 0.0,
    tol: float = 1e-7,
    max_iter: int = 200,
    start: LinearModel | None = None,
) -> LinearModel:
    """Train one linear classifier, the TRAIN of Algorithm 2.

    Source: Kar & Jain (2011), § 2.1; the objective is that of LIBLINEAR (Fan et al. 2008).

    Parameters
    ----------
    X : array_like, shape (n, d)
    y : array_like, shape (n,)
        1 and -1, or one of them alone.
    C : float
        The weight of the losses beside the penalty, between 1e-100 and 1e12.
    loss : {"squared_hinge", "hinge", "logistic"}
        The default is LIBLINEAR's.
    bias : float, default 0.0
        Value of the constant feature; 0 leaves it out.
    start : LinearModel, optional
        Where the steps start, for instance the model of a smaller C. The hinge loss does not use
        it.
    tol : float, default 1e-7
        The gap that ends the training, relative to the objective.
    max_iter : int, default 200
        The most steps. A training that ends there says so in `converged`.

    Returns
    -------
    LinearModel

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.

    See Also
    --------
    refimpl.ftune.ftune : Train one on every landmarked space.

    Examples
    --------
    >>> from refimpl.ftune.linear_models import train
    >>> model = train([[2.0], [1.0], [-1.0]], [1, 1, -1], 100.0)
    >>> model.w.round(2).tolist(), model.converged
    ([1.0], True)
    """
    points: FloatArray = as_matrix(X, "X")
    labels: Labels = as_labels(y, len(points), "y")
    wrong = ~np.isin(labels, (-1, 1))
    if wrong.any():
        raise ValueError(f"y must hold 1 and -1; got {labels[wrong][0]}")
    one_of(loss, LOSSES, "loss")
    bias = as_number(bias, "bias", below=MOST_BIAS)
    C = as_cost(C, "C")
    tol = positive(tol, "tol")
    max_iter = as_count(max_iter, "max_iter")
    signs = np.asarray(labels, dtype=np.float64)
    return next(path(points, signs, [C], loss, bias, start, tol, max_iter))


def path(
    X: FloatArray,
    y: FloatArray,
    Cs: Sequence[float] | FloatArray,
    loss: str,
    bias: float,
    start: LinearModel | None = None,
    tol: float = 1e-7,
    max_iter: int = 200,
    weights: FloatArray | None = None,
) -> Iterator[LinearModel]:
    """Yield the classifiers of :func:`train` for one C after another, without its checks."""
    # each training starts from the last; `weights`, (n,), are factors of C
    Z = y[:, None] * X
    if bias:
        Z = np.column_stack([Z, bias * y])
    w = np.zeros(Z.shape[1])
    d = X.shape[1]
    if start is not None:
        w[:d] = start.w
        if bias:
            w[-1] = start.b / bias
    gram = _Gram(Z) if loss == "squared_hinge" and weights is None else None
    for C in Cs:
        costs = C if weights is None else C * weights
        if loss == "hinge":
            w, objective, gap, iterations = _interior_point(Z, costs, w, tol, max_iter)
        else:
            w, objective, gap, iterations = _newton(Z, costs, loss, w, tol, max_iter, gram)
        b = float(bias * w[-1]) if bias else 0.0
        yield LinearModel(w[:d], b, objective, gap, iterations, gap <= tol * objective)


Solution: TypeAlias = tuple[FloatArray, float, float, int]
"""w, the objective, the gap, the number of steps."""


def _newton(
    Z: FloatArray,
    C: float | FloatArray,
    loss: str,
    w: FloatArray,
    tol: float,
    max_iter: int,
    gram: "_Gram | None",
) -> Solution:
    """Run Newton's method with a line search, for losses with a derivative."""
    # The rows of Z are y_i x_i; C may be an array. The objective is 1-strongly convex, so it is at
    # most |gradient|^2 / 2 above the optimum. Objects whose loss is flat count in neither
    # derivative.
    m = Z @ w
    now = 0.5 * w @ w + _total(C, LOSSES[loss](m))
    for iteration in range(1, max_iter + 1):  # noqa: B007
        slope, curvature = _derivatives(loss, m)
        active = slope != 0
        rows = Z[active]
        gradient = w + rows.T @ (C * slope)[active]
        gap = 0.5 * gradient @ gradient
        if gap <= tol * now:
            break
        products = None if gram is None else gram.of(active, rows)
        factor = _factor(rows, (C * curvature)[active], products)
        step = -scipy.linalg.cho_solve(factor, gradient, check_finite=False)
        along = Z @ step
        falls = gradient @ step
        eta = 1.0
        while True:
            w_new = w + eta * step
            m_new = m + eta * along
            then = 0.5 * w_new @ w_new + _total(C, LOSSES[loss](m_new))
            if then <= now + 1e-4 * eta * falls or eta < 1e-10:
                break
            eta /= 2
        if not then < now:
            break  # as near as rounding allows
        w, m, now = w_new, m_new, then
    return w, float(now), float(gap), iteration


def _total(C: float | FloatArray, losses: FloatArray) -> float:
    if isinstance(C, np.ndarray) and C.ndim:
        return float(C @ losses)
    return float(C * losses.sum())


class _Gram:
    """Z_a^T Z_a over the active rows a, brought up to date by the rows that come and go."""

    def __init__(self, Z: FloatArray) -> None:
        self.Z = Z
        self.active = np.zeros(len(Z), dtype=bool)
        self.total: FloatArray = np.zeros((Z.shape[1], Z.shape[1]))

    def of(self, active: BoolArray, rows: FloatArray) -> FloatArray:
        """Return the sum over the active rows, which `rows` holds."""
        come = self.Z[active & ~self.active]
        gone = self.Z[self.active & ~active]
        if len(come) + len(gone) < len(rows):
            self.total += come.T @ come
            self.total -= gone.T @ gone
        else:
            self.total = rows.T @ rows
        self.active = active
        return self.total


def _factor(
    Z: FloatArray, weights: FloatArray, gram: FloatArray | None = None
) -> tuple[FloatArray, bool]:
    """Return a triangular factor of I + Z^T diag(weights) Z, for ``cho_solve``."""
    # `gram` is Z^T Z, for equal weights
    H: FloatArray
    if gram is None:
        A = Z * np.sqrt(weights)[:, None]
        H = A.T @ A
    else:
        H = weights.max(initial=0.0) * gram
    H[np.diag_indices_from(H)] += 1.0
    try:
        factor: tuple[FloatArray, bool]
        factor = scipy.linalg.cho_factor(H, overwrite_a=True, check_finite=False)
    except scipy.linalg.LinAlgError:
        # A is so large that rounding swallows I, and has fewer rows or equal columns
        A = Z * np.sqrt(weights)[:, None]
        R = scipy.linalg.qr(np.concatenate([A, np.eye(len(H))]), mode="r", check_finite=False)[0]
        factor = R[: len(H)], False
    return factor


def _derivatives(loss: str, m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the first and second derivatives of the loss at the margins m."""
    if loss == "logistic":
        p: FloatArray = scipy.special.expit(-m)
        return -p, p * (1 - p)
    return -2 * np.maximum(0.0, 1.0 - m), np.where(m < 1, 2.0, 0.0)


def _interior_point(
    Z: FloatArray, C: float | FloatArray, w: FloatArray, tol: float, max_iter: int
) -> Solution:
    """Take Mehrotra's predictor-corrector steps on the hinge loss."""
    # The rows of Z are y_i x_i; C may be an array. The problem is min |w|^2 / 2 + C sum xi with
    # Z w = 1 + s - xi; alpha and C - alpha are the multipliers of s and xi. A step solves with
    # I + Z^T D^-1 Z (Ferris & Munson 2002), which has the size of w. The gap is that to the dual
    # objective, sum alpha - |Z^T alpha|^2 / 2.
    n = len(Z)
    at = _Point(
        w=Z.T @ np.full(n, C / 2),
        alpha=np.full(n, C / 2),
        upper=np.full(n, C / 2),
        s=np.ones(n),
        xi=np.ones(n),
    )
    best: float = np.inf
    best_w = w
    dual = 0.0
    gaps: list[float] = []
    for iteration in range(1, max_iter + 1):
        v = Z.T @ at.alpha
        m = Z @ at.w
        dual = max(dual, at.alpha.sum() - 0.5 * v @ v)
        now = float(0.5 * at.w @ at.w + _total(C, _hinge(m)))
        if now < best:
            best = now
            best_w = at.w
        gaps.append(best - dual)
        if gaps[-1] <= tol * best or (iteration > PATIENCE and gaps[-1] > 0.5 * gaps[-PATIENCE]):
            break  # near enough, or as near as rounding allows
        at = _predict_and_correct(Z, at.w - v, m + at.xi - 1 - at.s, at)
    return best_w, float(best), float(max(0.0, gaps[-1])), iteration


@dataclass(frozen=True, eq=False)
class _Point:
    """Where the interior point method is; `upper` is C - alpha."""

    w: FloatArray
    alpha: FloatArray
    upper: FloatArray
    s: FloatArray
    xi: FloatArray


def _predict_and_correct(Z: FloatArray, r_w: FloatArray, r_m: FloatArray, at: _Point) -> _Point:
    """Take one step of Mehrotra's method towards alpha s = (C - alpha) xi = 0."""
    # r_w and r_m are the residuals of w = Z^T alpha and of Z w, which the step takes away
    w, alpha, upper, s, xi = at.w, at.alpha, at.upper, at.s, at.xi
    n = len(Z)
    D = s / alpha + xi / upper
    factor = _factor(Z, 1 / D)

    def solve(
        r_s: FloatArray, r_xi: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        q = (r_s / alpha - r_xi / upper - r_m) / D
        d_w = scipy.linalg.cho_solve(factor, Z.T @ q - r_w, check_finite=False)
        d_alpha = q - (Z @ d_w) / D
        return d_w, d_alpha, (r_s - s * d_alpha) / alpha, (r_xi + xi * d_alpha) / upper

    _, d_alpha, d_s, d_xi = solve(-alpha * s, -upper * xi)
    t = _longest(1.0, (alpha, d_alpha), (upper, -d_alpha), (s, d_s), (xi, d_xi))
    ahead = (alpha + t * d_alpha) @ (s + t * d_s) + (upper - t * d_alpha) @ (xi + t * d_xi)
    mu = (alpha @ s + upper @ xi) / (2 * n)
    target = mu * (ahead / (2 * n * mu)) ** 3
    d_w, d_alpha, d_s, d_xi = solve(
        target - alpha * s - d_alpha * d_s, target - upper * xi + d_alpha * d_xi
    )
    t = _longest(0.995, (alpha, d_alpha), (upper, -d_alpha), (s, d_s), (xi, d_xi))
    return _Point(w + t * d_w, alpha + t * d_alpha, upper - t * d_alpha, s + t * d_s, xi + t * d_xi)


def _longest(share: float, *pairs: tuple[FloatArray, FloatArray]) -> float:
    """Return the longest step up to 1 that goes at most `share` of the way to each bound."""
    # A pair holds values and their changes
    t = 1.0
    for value, change in pairs:
        falls = change < 0
        if falls.any():
            t = min(t, share * float((value[falls] / -change[falls]).min()))
    return t
