"""The default steps of :mod:`refimpl.lmnn`: a smoothed problem with a barrier, solved in the factor L, and the proof.

The paper's sub-gradient steps (``algorithm.py``) need very many small ones. Here the hinges are smoothed to
a width h, M is kept inside the cone by -epsilon log det M, and L of M = L^T L is found by L-BFGS in coordinates where
the pull of the target neighbours is the identity (``coordinates.py``); then h and epsilon shrink. The problem in L
is not convex, but that in M is, and the slopes of the hinges tell how far from the optimum a metric can be
(``certificate.py``). The objective is that of a full check of all triples, with the factor in the coordinates that
the points were given in; the metric returned is the best of the full checks.

Not handled here: validation (``driver.py`` does it).
"""

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize

from refimpl.lmnn.certificate import Certificate
from refimpl.lmnn.model import Step

SHRINK = 3.0
ITERATIONS = 60  # of L-BFGS between two full checks
MOST = 16  # times as many where that does not close the gap
MEMORY = 60  # gradients that L-BFGS remembers
MIXED = 40  # steps whose slopes are mixed for the bound
EARLY = 4  # full checks after a quarter of that, while the working set still grows
KEPT = 20  # steps between two full checks whose slopes are kept
SHARE = 1e-6  # of the pull's mean that is added to it in the coordinates of LMNN-RECT
PATIENCE = 8  # full checks in which neither the objective nor the bound moves, after which the steps end
CROWD = 3  # pairs of LMNN-RECT's working set for each impostor, beyond which it is made anew while it is early
CLEAR = 0.5  # pairs that miss the margin by up to this stay in the working set


class Smoothed:
    """Eq. 3 over the working set, with smoothed hinges and the barrier, as a function of a factor V."""

    def __init__(self, problem, spare, certificate=None):
        self.problem, self.spare, self.certificate = problem, spare, certificate
        self.evaluations, self.epsilon, self.h = 0, 0.0, 0.3

    def __call__(self, v):
        """The value and its derivative at the numbers v of V, shape (partitions, r, d)."""
        V = v.reshape(self.problem.partitions, -1, self.problem.d)
        self.last = self.problem.evaluate(V, self.h)
        gradient = self.problem.gradient_L(self.last)
        smooth = self.last.smooth
        if self.spare.any():
            gradient += 2 * V * self.spare[:, None, :]
            smooth += float((V * V * self.spare[:, None, :]).sum())
        self.evaluations += 1
        if self.epsilon == 0:
            return smooth, gradient.ravel()
        log_det = sum(np.linalg.slogdet(one)[1] for one in V)
        barrier = np.linalg.inv(V).transpose(0, 2, 1)
        return smooth - 2 * self.epsilon * log_det, (gradient - 2 * self.epsilon * barrier).ravel()

    def descend(self, V, iterations):
        """L-BFGS from V; returns where it ends and the relative norm of the gradient, and hands on the last slopes."""
        made = 0

        def keep(intermediate_result):
            nonlocal made
            made += 1
            if made > iterations - KEPT:
                self.certificate.add(self.last.alpha, self.last.weights)

        found = minimize(
            self, V.ravel(), jac=True, method="L-BFGS-B", callback=keep if self.certificate else None,
            options={"maxiter": iterations, "maxfun": 10 * iterations, "maxcor": MEMORY, "ftol": 0.0, "gtol": 0.0},
        )  # fmt: skip
        if self.certificate and made <= iterations - KEPT:  # it ended early
            self(found.x)
            self.certificate.add(self.last.alpha, self.last.weights)
        norm = np.linalg.norm(found.jac) / max(1e-300, np.linalg.norm(2 * found.x))
        return found.x.reshape(V.shape), norm


def descend(problem, L, tol, *, max_checks):
    """Steps of the solver, one for each full check of all triples.

    Parameters
    ----------
    problem : LargeMarginProblem
        In the coordinates that the points were given in.
    L : ndarray, shape (partitions, r, d)
        Where to start.
    tol : float
        The relative gap that is wanted; the smoothing shrinks towards it. The caller stops.
    max_checks : int

    Yields
    ------
    Step
        The last one is `stuck` if for some full checks nothing has moved.
    """
    at = problem.coordinates
    inner = problem.within(at.U)
    certificate = Certificate(inner, at, MIXED)
    smoothed = Smoothed(inner, at.spare, certificate)
    V = _inside(at.inward(L))
    full_check(inner, at, V, smoothed.h)
    size = V.shape[0] * V.shape[1]
    smoothed.epsilon = 0.03 * max(inner.evaluate(V).pull, 1e-12) / size
    best = np.inf, None
    iterations = ITERATIONS
    still = 0
    for t in range(1, max_checks + 1):
        V, norm = smoothed.descend(V, iterations if t > EARLY else ITERATIONS // 4)
        L, now, added, _ = full_check(inner, at, V, smoothed.h)
        before = best[0], certificate.bound
        if now.objective < best[0]:
            best = now.objective, L
        bound = min(certificate.improve(best[0]), best[0])
        settled = added <= 1e-3 * len(inner.i)
        moved = before[0] - best[0] > 0.01 * (before[0] - before[1]) or bound - before[1] > 0.01 * (best[0] - before[1])
        smoothing, barrier = (now.objective - now.smooth) / 2, smoothed.epsilon * size
        at_end = max(smoothing, barrier) <= 0.2 * tol * best[0] or iterations == MOST * ITERATIONS
        still = still + 1 if settled and at_end and not moved else 0
        yield Step(
            t, best[1], best[0], bound, now.active, len(inner.i), smoothed.evaluations, smoothed.h, smoothed.epsilon,
            norm, stuck=still == PATIENCE,
        )  # fmt: skip
        if still == PATIENCE:
            return
        if settled and best[0] - bound > 2 * (smoothing + barrier):
            iterations = min(2 * iterations, MOST * ITERATIONS) if t > EARLY else iterations
        elif settled:
            iterations = ITERATIONS
            smoothed.epsilon = max(smoothed.epsilon / SHRINK, 0.1 * tol * best[0] / size)
            smoothed.h /= SHRINK if smoothing > 0.1 * tol * best[0] else 1.0
            reset(inner, at, V)


def full_check(problem, at, V, h):
    """Look for violated triples among all.

    Returns factors of d columns, their evaluation, how many pairs were new to the working set, and how many found.

    Pairs that differ in a free direction stay out of the working set: the factor t of these directions grows until
    they are satisfied.
    """
    for _ in range(30):
        L = at.outward(V)
        Z = at.mapped(L)
        i, l = problem.impostors_at(Z)
        free = at.is_free(i, l, problem.partition)
        if not free.any():
            break
        slack = problem.slacks_at(Z, i[free], l[free])
        at.widen(i[free], l[free], problem.partition, slack.max(axis=1))
    added = problem.add_pairs(i[~free], l[~free])
    now = problem.evaluate_at(Z, h)
    if free.any():  # rounding at the mercy of a huge t
        rest = problem.mu * float(np.maximum(problem.slacks_at(Z, i[free], l[free]), 0.0).sum())
        now = replace(now, objective=now.objective + rest)
    return L, now, added, len(i)


def reset(problem, at, V):
    """Make the working set anew: the pairs that are violated or nearly so."""
    i, l = problem.impostors_at(at.mapped(at.outward(V)), 1.0 + CLEAR)
    kept = ~at.is_free(i, l, problem.partition)
    problem.set_pairs(i[kept], l[kept])


def descend_low_rank(problem, L, tol, *, max_checks):
    """Steps over a factor L of few rows, LMNN-RECT: no barrier and no bound, the smoothing shrinks to an end.

    Parameters and yields as for :func:`descend`; the last step says that it is final when its gain was below `tol`.
    """
    at = problem.coordinates_with(SHARE)
    inner = problem.within(at.U)
    smoothed = Smoothed(inner, np.zeros((1, 1)))
    V = at.inward(L)
    full_check(inner, at, V, smoothed.h)
    best = np.inf, None
    before = np.inf
    for t in range(1, max_checks + 1):
        V, norm = smoothed.descend(V, ITERATIONS if t > EARLY else ITERATIONS // 4)
        L, now, added, found = full_check(inner, at, V, smoothed.h)
        if now.objective < best[0]:
            best = now.objective, L
        settled = added <= 1e-3 * len(inner.i) and before - now.smooth < tol * now.objective
        before = now.smooth
        final = settled and now.objective - now.smooth < 10 * tol * now.objective
        yield Step(
            t, best[1], best[0], 0.0, now.active, len(inner.i), smoothed.evaluations, smoothed.h, 0.0, norm,
            settled=final,
        )  # fmt: skip
        if final:
            return
        if settled:
            smoothed.h /= SHRINK
            before = np.inf
        if settled or (t <= EARLY and len(inner.i) > CROWD * found):  # at the start nearly all pairs may be near
            reset(inner, at, V)


def _inside(V):
    """V square with no singular value near zero: the barrier needs M inside the cone."""
    d = V.shape[2]
    V = np.concatenate([V, np.zeros((len(V), max(0, d - V.shape[1]), d))], axis=1)
    if V.shape[1] > d:
        V = np.stack([np.linalg.qr(one)[1] for one in V])
    for alpha, one in enumerate(V):
        left, values, right = np.linalg.svd(one)
        V[alpha] = (left * np.maximum(values, 1e-3 * max(values[0], 1e-12))) @ right
    return V
