"""What other libraries do in place of eq. 3 of Weinberger & Saul (2008), computed here.

Each function gets an :class:`~tests.others.judging.Answer` that has the metric ``M`` and the
library's own target neighbours, ``targets``.

Not handled here: where it is documented (``tests/others/table.py``).
"""

import numpy as np
from scipy.optimize import minimize

from refimpl.check.judging import objective_of, squares
from refimpl.lmnn import LMNNOptions, lmnn, project, target_neighbors

SAME_METRIC = 1e-6
FAR = 1e-3  # the limit of the check for eq. 3
TOL = 1e-4


def chosen(answer):
    """Return the library's target neighbours; None unless they are nearest points of the class."""
    given = answer.case.arguments
    X, y, k = (given[name] for name in ("X", "y", "k"))
    targets = np.asarray(answer.got[0].get("targets", ()))
    if targets.shape != (len(X), k) or any(len(set(row)) < k for row in targets.tolist()):
        return None
    if (targets == np.arange(len(X))[:, None]).any() or (y[targets] != y[:, None]).any():
        return None
    D = squares(X, X)
    own, true = (
        np.sort(np.take_along_axis(D, places, axis=1))
        for places in (targets, target_neighbors(X, y, k))
    )
    return targets if np.allclose(own, true, rtol=1e-12, atol=1e-12) else None


def eq_3_with(M, targets, X, y, k, mu):
    """Return eq. 3 by given target neighbours, and a proven bound below its least value."""
    Z = X @ project(M).T
    bound = lmnn(X, y, k, mu, targets=targets, options=LMNNOptions(tol=TOL)).bound
    return objective_of(Z, y, targets).at(mu), bound


def slacks(Z, y, targets):
    """Return squared distances, those to target neighbours, and the slacks 1 + d(i, j) - d(i, l).

    The slacks, (n, k, n), are not below 0, and 0 within a class.
    """
    D = squares(Z, Z)
    near = np.take_along_axis(D, targets, axis=1)
    slack = np.maximum(1 + near[:, :, None] - D[:, None, :], 0.0)
    slack[np.broadcast_to((y[:, None] == y)[:, None], slack.shape)] = 0.0
    return D, near, slack


# -------------------------------------------------------------------------------------------- steps


def gradient_steps(rate, tol, most, least_steps=50):
    """Return whether a metric is where gradient steps for L end, from the identity.

    A step is tried with half of the rate for as long as it makes the objective worse; each step
    makes the rate 1.01 times as large. After `least_steps` they end when a step gains less than
    `tol`, at the latest after `most`. The objective is eq. 3 divided by 1 + mu.
    """

    def holds(answer):
        targets = chosen(answer)
        if targets is None:
            return False
        given = answer.case.arguments
        X, y, mu = (given[name] for name in ("X", "y", "mu"))
        L = stepped(X, y, targets, mu, (rate, tol, most, least_steps))
        want = L.T @ L
        return bool(np.abs(np.asarray(answer.got[0]["M"]) - want).max() <= SAME_METRIC * want.max())

    return holds


def stepped(X, y, targets, mu, rule):
    """Return L where the steps end."""
    rate, tol, most, least_steps = rule
    differences = X[:, None] - X
    L = np.eye(X.shape[1])
    value, G = _value_and_gradient(L, X, y, targets, mu, differences)
    for step in range(2, most):
        while True:
            following = L - rate * G
            now, G_now = _value_and_gradient(following, X, y, targets, mu, differences)
            if now <= value:
                break
            rate /= 2
        gain, L, value, G = value - now, following, now, G_now
        rate *= 1.01
        if step > least_steps and gain < tol:
            break
    return L


def _value_and_gradient(L, X, y, targets, mu, differences):
    """Return eq. 3 / (1 + mu) at L, and its gradient."""
    n, k = targets.shape
    rows = np.arange(n)
    _, near, slack = slacks(X @ L.T, y, targets)
    weights = np.zeros((n, n))  # of each difference's outer product
    active = slack > 0
    for j in range(k):
        weights[rows, targets[:, j]] += 1 + mu * active[:, j].sum(axis=1)
    weights -= mu * active.sum(axis=1)
    outer = np.einsum("il,ila,ilb->ab", weights, differences, differences)
    value = near.sum() + mu * slack.sum()
    return value / (1 + mu), 2 * L @ outer / (1 + mu)


# --------------------------------------------------------------------------------------- objectives


def own_large_margin(push):
    """Return whether a metric is optimal, within a thousandth, for another sum of slacks.

    `push` gets the slacks, the squared distances, the labels and the target neighbours; it returns
    the sum that takes the place of eq. 3's.
    """

    def holds(answer):
        targets = chosen(answer)
        if targets is None:
            return False
        reached, smallest = least(answer, push, targets)
        return reached <= smallest * (1 + FAR)

    return holds


def least(answer, push, targets):
    """Return the objective at an answer, and the least value that a search finds."""
    given = answer.case.arguments
    X, y, mu = (given[name] for name in ("X", "y", "mu"))
    L = project(np.asarray(answer.got[0]["M"]))

    def objective(flat):
        D, near, slack = slacks(X @ flat.reshape(L.shape).T, y, targets)
        return float(near.sum() + mu * push(slack, D, y, targets))

    unit = np.eye(len(L))
    starts = [L, 1.1 * L, unit, 0.3 * unit, 0.1 * unit, L + 0.1 * unit]
    ends = [minimize(objective, start.ravel(), method="L-BFGS-B") for start in starts]
    best = min(ends, key=lambda end: end.fun)
    smallest = minimize(objective, best.x, method="Nelder-Mead", options={"maxfev": 2000}).fun
    return objective(L.ravel()), min(best.fun, smallest)


def nearest_slacks(slack, D, y, targets):
    """Sum the slacks of the k nearest points of other classes, as mlpack does."""
    k = slack.shape[1]
    D = np.where(y[:, None] == y, np.inf, D)
    nearest = np.argsort(D, axis=1, kind="stable")[:, :k]
    taken = np.take_along_axis(slack, np.repeat(nearest[:, None], k, axis=1), axis=2)
    return taken.sum()
