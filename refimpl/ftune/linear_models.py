"""TRAIN of Kar & Jain (2011), § 2.1: a large margin linear classifier that minimises a loss.

min over w of |w|^2 / 2 + C sum_i L(y_i w . x_i), the problem of LIBLINEAR (Fan et al. 2008), which § 3 uses, for three
losses. Each solver ends with a certificate: the objective is within `gap` of the optimum.

A bias is a feature of constant value `bias` whose weight is penalised like the others: LIBLINEAR's -B, scikit-learn's
`intercept_scaling`. 0 leaves it out.

Not handled here: several classes (:mod:`refimpl.ftune.training` takes one against the rest), sparse input, the kernel
modules: the work is in BLAS, so both kernel modules train the same classifier.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, qr
from scipy.special import expit

from refimpl.checks import as_labels, as_matrix, as_number, one_of, positive

__all__ = ["LOSSES", "LinearModel", "loss", "train"]

PATIENCE = 10  # interior point steps that must halve the gap
LEAST_COST, MOST_COST = 1e-100, 1e12  # of an object; beyond, rounding makes the models useless
MOST_BIAS = 1e7  # likewise


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A linear classifier w . x + b and how near it is to the best one.

    Attributes
    ----------
    w : ndarray, shape (d,), float64
    b : float
        The bias: its weight times the value of its feature.
    objective : float
    gap : float
        The objective is at most this above the optimum; the bound is proven, rounding apart.
    iterations : int
    converged : bool
        Whether the gap is as small as was asked.
    """

    w: np.ndarray
    b: float
    objective: float
    gap: float
    iterations: int
    converged: bool


def _hinge(m):
    return np.maximum(0.0, 1.0 - m)


def _logistic(m):
    return np.logaddexp(0.0, -m)


LOSSES = {"hinge": _hinge, "squared_hinge": lambda m: _hinge(m) ** 2, "logistic": _logistic}
"""L by name, as functions of the margins y g(x)."""


def loss(name, margins):
    """Return L of margins y g(x).

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
    """
    require_loss(name)
    return LOSSES[name](np.asarray(margins, dtype=np.float64))


def require_loss(name):
    """Refuse the name of a loss that is not there."""
    one_of(name, LOSSES, "loss")


def as_cost(C, name):
    """Return what losses count, as a float, in the range where training works."""
    if not isinstance(C, int | float | np.integer | np.floating) or isinstance(C, bool):
        raise TypeError(f"{name} must be a number; got {C!r}")
    if not LEAST_COST <= C <= MOST_COST:
        raise ValueError(f"{name} must be between {LEAST_COST:g} and {MOST_COST:g}; got {C}")
    return float(C)


def as_bias(bias):
    """Return the value of the constant feature, as a float."""
    return as_number(bias, "bias", below=MOST_BIAS)


def train(X, y, C, loss="squared_hinge", *, bias=0.0, start=None, tol=1e-7, max_iter=200):
    """Train one classifier.

    Parameters
    ----------
    X : array_like, shape (n, d)
    y : array_like, shape (n,)
        1 and -1, or one of them alone.
    C : float
        What the losses count beside the penalty, between 1e-100 and 1e12.
    loss : {"squared_hinge", "hinge", "logistic"}
        The default is LIBLINEAR's.
    bias : float
        Value of the constant feature; 0: none.
    start : LinearModel, optional
        Where to start, for instance the model of a smaller C; the hinge loss has no use for it.
    tol : float
        The gap that ends the training, relative to the objective.
    max_iter : int
        A training that ends there says so in `converged`.

    Returns
    -------
    LinearModel

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.
    """
    X = as_matrix(X, "X")
    y = as_labels(y, len(X), "y")
    if not np.isin(y, (-1, 1)).all():
        raise ValueError(f"y holds {y[~np.isin(y, (-1, 1))][0]}; it must hold 1 and -1")
    require_loss(loss)
    bias, C, tol = as_bias(bias), as_cost(C, "C"), positive(tol, "tol")
    return next(path(X, np.asarray(y, dtype=np.float64), [C], loss, bias, start, tol, max_iter))


def path(X, y, Cs, loss, bias, start=None, tol=1e-7, max_iter=200, weights=None):
    """Yield the classifiers of :func:`train` for one C after another, each started from the last; without its checks.

    With `weights`, shape (n,), positive, the loss of object i counts C weights[i].

    Yields
    ------
    LinearModel
        For each of `Cs`.
    """
    Z = y[:, None] * X
    if bias:
        Z = np.column_stack([Z, bias * y])
    w, d = np.zeros(Z.shape[1]), X.shape[1]
    if start is not None:
        w[:d] = start.w
        if bias:
            w[-1] = start.b / bias
    solver = _interior_point if loss == "hinge" else _newton
    for C in Cs:
        w, objective, gap, iterations = solver(Z, C if weights is None else C * weights, loss, w, tol, max_iter)
        b = float(bias * w[-1]) if bias else 0.0
        yield LinearModel(w[:d], b, objective, gap, iterations, gap <= tol * objective)


def _newton(Z, C, loss, w, tol, max_iter):
    """Newton's method with a line search, for losses with a derivative. The rows of Z are y_i x_i; C may be an array.

    The objective is 1-strongly convex, so it is at most |gradient|^2 / 2 above the optimum.
    """
    m = Z @ w
    now = 0.5 * w @ w + _total(C, LOSSES[loss](m))
    for iteration in range(1, max_iter + 1):  # noqa: B007
        slope, curvature = _derivatives(loss, m)
        gradient = w + (C * (Z.T @ slope) if np.ndim(C) == 0 else Z.T @ (C * slope))
        gap = 0.5 * gradient @ gradient
        if gap <= tol * now:
            break
        active = curvature > 0
        A = Z[active] * np.sqrt((C * curvature)[active])[:, None]
        step = -cho_solve(_factor(A), gradient, check_finite=False)
        along, falls, eta = Z @ step, gradient @ step, 1.0
        while True:
            w_new, m_new = w + eta * step, m + eta * along
            then = 0.5 * w_new @ w_new + _total(C, LOSSES[loss](m_new))
            if then <= now + 1e-4 * eta * falls or eta < 1e-10:
                break
            eta /= 2
        if not then < now:
            break  # as near as rounding allows
        w, m, now = w_new, m_new, then
    return w, float(now), float(gap), iteration


def _total(C, losses):
    return C * losses.sum() if np.ndim(C) == 0 else C @ losses


def _factor(A):
    """A triangular factor of I + A^T A, for ``cho_solve``."""
    H = A.T @ A
    H[np.diag_indices_from(H)] += 1.0
    try:
        return cho_factor(H, overwrite_a=True, check_finite=False)
    except LinAlgError:  # A is so large that rounding swallows I, and has fewer rows or equal columns
        return qr(np.concatenate([A, np.eye(len(H))]), mode="r", check_finite=False)[0][: len(H)], False


def _derivatives(loss, m):
    """First and second derivatives of the loss at the margins m."""
    if loss == "logistic":
        p = expit(-m)
        return -p, p * (1 - p)
    return -2 * np.maximum(0.0, 1.0 - m), 2.0 * (m < 1)


def _interior_point(Z, C, loss, w, tol, max_iter):
    """Mehrotra's predictor-corrector steps on the hinge loss. The rows of Z are y_i x_i; C may be an array.

    min |w|^2 / 2 + C sum xi with Z w = 1 + s - xi; alpha and C - alpha are the multipliers of s and xi. A step solves
    with I + Z^T D^-1 Z (Ferris & Munson 2002), which has the size of w. The gap is that to the dual objective,
    sum alpha - |Z^T alpha|^2 / 2.
    """
    n = len(Z)
    alpha, upper, s, xi = np.full(n, C / 2), np.full(n, C / 2), np.ones(n), np.ones(n)  # upper is C - alpha
    best, dual, gaps, w = (np.inf, w), 0.0, [], Z.T @ alpha
    for iteration in range(1, max_iter + 1):
        v, m = Z.T @ alpha, Z @ w
        dual = max(dual, alpha.sum() - 0.5 * v @ v)
        now = 0.5 * w @ w + _total(C, _hinge(m))
        if now < best[0]:
            best = now, w
        gaps.append(best[0] - dual)
        if gaps[-1] <= tol * best[0] or (iteration > PATIENCE and gaps[-1] > 0.5 * gaps[-PATIENCE]):
            break  # near enough, or as near as rounding allows
        w, alpha, upper, s, xi = _predict_and_correct(Z, w - v, m + xi - 1 - s, w, alpha, upper, s, xi)
    return best[1], float(best[0]), float(max(0.0, gaps[-1])), iteration


def _predict_and_correct(Z, r_w, r_m, w, alpha, upper, s, xi):
    """One step of Mehrotra's towards alpha s = (C - alpha) xi = 0, without residuals of w = Z^T alpha and of Z w."""
    D, n = s / alpha + xi / upper, len(Z)
    factor = _factor(Z / np.sqrt(D)[:, None])

    def solve(r_s, r_xi):
        q = (r_s / alpha - r_xi / upper - r_m) / D
        d_w = cho_solve(factor, Z.T @ q - r_w, check_finite=False)
        d_alpha = q - (Z @ d_w) / D
        return d_w, d_alpha, (r_s - s * d_alpha) / alpha, (r_xi + xi * d_alpha) / upper

    _, d_alpha, d_s, d_xi = solve(-alpha * s, -upper * xi)
    t = _longest(1.0, (alpha, d_alpha), (upper, -d_alpha), (s, d_s), (xi, d_xi))
    ahead = (alpha + t * d_alpha) @ (s + t * d_s) + (upper - t * d_alpha) @ (xi + t * d_xi)
    mu = (alpha @ s + upper @ xi) / (2 * n)
    target = mu * (ahead / (2 * n * mu)) ** 3
    d_w, d_alpha, d_s, d_xi = solve(target - alpha * s - d_alpha * d_s, target - upper * xi + d_alpha * d_xi)
    t = _longest(0.995, (alpha, d_alpha), (upper, -d_alpha), (s, d_s), (xi, d_xi))
    return w + t * d_w, alpha + t * d_alpha, upper - t * d_alpha, s + t * d_s, xi + t * d_xi


def _longest(share, *pairs):
    """The longest step up to 1 that keeps `share` of the way to each bound: values and their changes."""
    t = 1.0
    for value, change in pairs:
        falls = change < 0
        if falls.any():
            t = min(t, share * float((value[falls] / -change[falls]).min()))
    return t
