"""The two solvers of :mod:`refimpl.lmnn`, each with a proof.

*The default* (:func:`descend`) takes L-BFGS steps on a smoothed problem, since the sub-gradient
method of the paper needs very many small steps. The hinges are smoothed to a width h, and the
barrier -epsilon log det M keeps M inside the cone of positive semidefinite matrices. L-BFGS finds
the factor L of M = L^T L, in coordinates where the pull is the identity. Then h and epsilon shrink.
The problem in L is not convex, but the problem in M is, so the slopes of the hinges give a bound of
the distance to the optimum (``certificate.py``).

With a small h the steps are many. So the hinges are smoothed around the slopes of the problem
before: with such a slope a in [0, 1] the smoothed hinge of a slack z is the largest
s z - (h / 2) (s - a)^2 over s in [0, 1], which the slope s reaches. Where s = a this is the hinge's
own tangent, so the minimum tends to that of eq. 3 while h need not shrink further. This is the
method of multipliers.

A full check finds the descent in one of four stages:

- *growing*: the check added many pairs. L-BFGS forgets its gradients, which were of fewer pairs.
- *far*: the working set has settled, but the minimum of the smoothed problem is not near. There are
  more steps before the next check.
- *near*: the next smoothed problem follows, with slopes from here, narrower hinges and a weaker
  barrier. The working set is reset.
- *stuck*: neither the objective nor the bound has moved for some checks. The descent ends.

*The printed solver* (:func:`descend_as_printed`) takes the steps of § 3 as in ``algorithm.py``, by
coordinates in which the sum of C_ij over target neighbours is the identity for each metric. Eq. 3
is the same in all coordinates, but in these the steps come near its optimum far sooner.

Each computes the objective in a full check of all triples, in the original coordinates, and has the
best metric of all full checks.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Literal

import numpy as np
import scipy

from refimpl.lmnn import algorithm
from refimpl.lmnn.algorithm import Examples, Pairs, State
from refimpl.lmnn.certificate import PROVABLE, Coordinates, Slopes, dual_bound
from refimpl.lmnn.lbfgs import Memory, descent
from refimpl.lmnn.model import Check
from refimpl.lmnn.problem import Evaluation, LargeMarginProblem, zero_metric
from refimpl.typing import FloatArray

# How the smoothed problem comes nearer to eq. 3. Narrow hinges and a weak barrier make the steps of
# L-BFGS short, so both shrink by stages, each from the end of the one before.
WIDTH = 0.3  # h at first
SHRINK = 3.0  # h shrinks by this factor
LEAST_WIDTH = 0.03  # h shrinks below it only if the slopes do not settle
FIRST = 0.03  # the share of the pull at the start that the first barrier makes
WEAKER = 10.0  # epsilon shrinks by this factor
BARRIER = 0.2  # the share of the gap to reach that the last barrier makes

# How many steps there are between two full checks. A full check costs as much as some steps, and
# steps on a working set that lacks pairs are lost.
ITERATIONS = 60  # the usual number
EARLY = 4  # the first full checks come after a quarter of it: the working set still grows
MANY_FIRST = 5  # of many points the start knows few impostors, so the first check comes sooner,
MANY_ITERATIONS = 30  # and a bound that suffices is found before the usual number
MOST = 16  # the number grows up to this factor if the steps do not close the gap
# the steps end early where the norm of the gradient, relative to that of the pull, is below this
# share of the part of the gap that the barrier makes
ENOUGH = 0.5
LEAST_GRADIENT = 0.003  # before the first full check, and at most
MEMORY = 30  # the number of gradients that L-BFGS remembers
KEPT = 5  # the slopes of this number of last steps before a full check make the bound,
MIXED = 20  # and of these so many are mixed

# What a full check decides
FEW = 1e-3  # a working set to which a check adds less than this share has settled
FAR = 0.1  # a gradient so large, compared with that of the pull, is far from the minimum
MOVES = 0.01  # the objective, or the bound, moves if it closes this share of the gap
PATIENCE = 8  # the steps end after this number of full checks in which neither moves
WIDENINGS = 30  # how often a full check widens the free directions
CLEAR = 0.5  # a reset of the working set keeps pairs that satisfy the margin by up to this much


class Smoothed:
    """Eq. 3 over the working set, with smoothed hinges and barrier, as a function of a factor."""

    def __init__(self, problem: LargeMarginProblem, spare: FloatArray) -> None:
        self.problem = problem
        self.spare = spare
        self.evaluations = 0
        self.epsilon = 0.0
        self.h = WIDTH
        self.last: Evaluation

    def __call__(self, v: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and its derivative; v holds the numbers of V, (partitions, r, d)."""
        V = v.reshape(self.problem.partitions, -1, self.problem.d)
        self.last = self.evaluate(V)
        gradient = self.problem.gradient_L(self.last)
        smooth = self.last.smooth
        if self.spare.any():
            gradient += 2 * V * self.spare[:, None, :]
            smooth += float((V * V * self.spare[:, None, :]).sum())
        self.evaluations += 1
        if self.epsilon == 0:
            return smooth, gradient.ravel()
        log_det = float(np.linalg.slogdet(V)[1].sum())
        barrier = np.linalg.inv(V).transpose(0, 2, 1)
        return smooth - 2 * self.epsilon * log_det, (gradient - 2 * self.epsilon * barrier).ravel()

    def evaluate(self, V: FloatArray) -> Evaluation:
        """Return eq. 3 of the factor V with smoothed hinges."""
        return self.problem.evaluate(V, self.h)

    def descend(self, V: FloatArray, iterations: int) -> tuple[FloatArray, float]:
        """Take L-BFGS steps from V; return where they end, and the relative norm there."""
        end = scipy.optimize.minimize(
            self,
            V.ravel(),
            jac=True,
            method="L-BFGS-B",
            options={
                "maxiter": iterations,
                "maxfun": 10 * iterations,
                "maxcor": MEMORY,
                "ftol": 0.0,
                "gtol": 0.0,
            },
        )
        return end.x.reshape(V.shape), _relative_norm(end.jac, end.x)

    def state(
        self,
        t: int,
        L: FloatArray,
        objective: float,
        bound: float,
        now: Evaluation,
        gradient_norm: float,
    ) -> Check:
        """Return the state after the t-th full check, whose evaluation is `now`."""
        return Check(
            t=t,
            L=L,
            objective=objective,
            bound=bound,
            active=now.active,
            pairs=len(self.problem.i),
            evaluations=self.evaluations,
            h=self.h,
            epsilon=self.epsilon,
            gradient_norm=gradient_norm,
        )


class Certificate:
    """Collects the slopes of a problem, and computes the bound from the `most` latest sets."""

    def __init__(self, problem: LargeMarginProblem, coordinates: Coordinates, most: int) -> None:
        self.problem = problem
        self.coordinates = coordinates
        self.most = most
        self.bound = 0.0
        self.slopes: list[Slopes] = []
        targets = problem.targets.ravel()
        metric = problem.partition[targets]
        first = coordinates.U[metric, np.repeat(np.arange(problem.n), problem.k)]
        second = coordinates.U[metric, targets]
        self.targets = ((first - second) ** 2).sum(axis=1)
        pull = np.concatenate([np.ones(problem.n * problem.k), np.zeros(len(problem.i))])
        self.pull = self._slopes(0.0, pull)

    def _slopes(self, alpha: float, weights: FloatArray) -> Slopes:
        G = self.problem.gradient_M(weights, self.coordinates.U)
        count = np.abs(weights).sum()
        near = weights[: len(self.targets)] @ self.targets
        # the sum of all squared differences, each with the magnitude of its weight
        squares = max(0.0, 2 * near - np.trace(G, axis1=1, axis2=2).sum())
        error = (
            2 * np.sqrt(count * squares) * self.coordinates.error
            + count * self.coordinates.error**2
        )
        r = np.arange(G.shape[1])
        G[:, r, r] += self.coordinates.spare
        return Slopes(alpha, G, error)

    def add(self, alpha: float, weights: FloatArray) -> None:
        """Add slopes: `alpha` and `weights` of an evaluation of the working set, or their means."""
        self.slopes.append(self._slopes(alpha, weights))
        del self.slopes[: -self.most]

    def improve(self, objective: float) -> float:
        """Return the best bound so far; `objective` is the lowest objective so far."""
        self.bound = max(self.bound, dual_bound(self.slopes, self.pull, objective))
        return self.bound


class Multiplied(Smoothed):
    """The same function, with the hinge of each triple smoothed around an earlier slope."""

    def __init__(self, problem: LargeMarginProblem, coordinates: Coordinates) -> None:
        super().__init__(problem, coordinates.spare)
        self.certificate = Certificate(problem, coordinates, MIXED)
        self.slopes = np.zeros((0, problem.k))
        self.rest = np.inf  # the part of the last minimum's gap that its barrier did not make
        self.at: FloatArray
        self.memory = Memory(MEMORY)
        self._codes = np.zeros(0, dtype=np.int64)
        self.follow()

    def evaluate(self, V: FloatArray) -> Evaluation:
        """Return eq. 3 of the factor V with hinges smoothed around `slopes`."""
        self.at = V
        return self.problem.evaluate_around(self.problem.used.mapped(V), self.h, self.slopes)

    def descend(
        self, V: FloatArray, iterations: int, enough: float = 0.0
    ) -> tuple[FloatArray, float]:
        """Take L-BFGS steps until the norm is `enough`, and give the last slopes to the bound."""
        latest: deque[tuple[float, FloatArray]] = deque(maxlen=KEPT)
        for v, gradient in islice(descent(self, V.ravel(), self.memory), iterations):
            norm = _relative_norm(gradient, v)
            latest.append((self.last.alpha, self.last.weights))
            if norm <= enough:
                break
        for alpha, weights in latest:
            self.certificate.add(alpha, weights)
        return v.reshape(V.shape), norm

    def follow(self) -> None:
        """Give the triples that are new to the working set the slope 0."""
        problem = self.problem
        codes = problem.i * problem.n + problem.l
        _, new, old = np.intersect1d(codes, self._codes, assume_unique=True, return_indices=True)
        slopes = np.zeros((len(codes), problem.k), order="F")  # the kernels take a column each
        slopes[new] = self.slopes[old]
        self.slopes = slopes
        self._codes = codes

    def take_slopes(self) -> None:
        """Smooth the hinges around the slopes of the last evaluation from now on."""
        slacks = self.problem.slacks_of_pairs(self.problem.used.mapped(self.at))
        self.slopes = np.asfortranarray(np.clip(self.slopes + slacks / self.h, 0.0, 1.0))

    def narrow(self, rest: float, enough: float) -> None:
        """Shrink h: below LEAST_WIDTH only if `rest` is above `enough` and has not halved."""
        if self.h > LEAST_WIDTH:
            self.h = max(LEAST_WIDTH, self.h / SHRINK)
        elif rest > max(self.rest / 2, enough):
            self.h /= SHRINK
        self.rest = rest


def descend(
    problem: LargeMarginProblem, L: FloatArray, tol: float, *, max_checks: int
) -> Iterator[Check]:
    """Yield the state of the default solver, from the factors L, after each full check."""
    # the smoothing shrinks towards the relative gap `tol`; the caller ends the steps
    tol = max(tol, PROVABLE)
    coordinates = problem.coordinates
    inner = problem.within(coordinates.U)
    smoothed = Multiplied(inner, coordinates)
    most = zero_metric(problem.mu, problem.classes, problem.k)
    V, smoothed.epsilon = _inside(_square(coordinates.inward(L)), most)
    size = V.shape[0] * V.shape[1]
    best = np.inf
    many = problem.order is not None
    usual = MANY_ITERATIONS if many else ITERATIONS
    iterations = usual  # before the next full check
    still = 0  # the number of last full checks in which nothing moved
    full_check(inner, coordinates, V, smoothed.h)
    smoothed.follow()
    for t in range(1, max_checks + 1):
        barrier = smoothed.epsilon * size
        enough = ENOUGH * min(LEAST_GRADIENT, max(BARRIER * tol, barrier / best))
        early = MANY_FIRST if many and t == 1 else ITERATIONS // 4
        V, norm = smoothed.descend(V, early if t <= EARLY else iterations, enough)
        reached, now, added, _ = full_check(inner, coordinates, V, smoothed.h)
        smoothed.follow()
        settled = added <= FEW * len(inner.i)
        longest = iterations == MOST * ITERATIONS
        before, bound = best, smoothed.certificate.bound
        if now.objective < best:
            best, L = now.objective, reached
        proven = min(smoothed.certificate.improve(best), best)
        moved = before - best > MOVES * (before - bound) or proven - bound > MOVES * (best - bound)
        at_end = longest or barrier <= 1.01 * BARRIER * tol * best
        still = still + 1 if settled and at_end and not moved else 0
        # at the minimum of the smoothed problem this is the gap; far from it, it says nothing
        apart = max(abs(now.objective - smoothed.last.alpha), barrier)
        far = (norm > FAR and not longest) or now.objective - proven > 2 * apart
        stage = _stage(settled, far, still)
        yield replace(smoothed.state(t, L, best, proven, now, norm), stuck=stage == "stuck")
        if stage == "stuck":
            return
        if stage == "growing":
            smoothed.memory = Memory(MEMORY)
        elif stage == "far":
            iterations = iterations if t <= EARLY else min(2 * iterations, MOST * ITERATIONS)
        else:  # near
            iterations = usual
            smoothed.take_slopes()
            smoothed.narrow(apart - barrier, barrier if norm <= enough else np.inf)
            smoothed.epsilon = max(smoothed.epsilon / WEAKER, BARRIER * tol * best / size)
            reset(inner, coordinates, V)
            smoothed.follow()


def _stage(settled: bool, far: bool, still: int) -> Literal["growing", "far", "near", "stuck"]:
    """Return the stage of the descent, as the list at the top of this file names it."""
    if still == PATIENCE:
        return "stuck"
    if not settled:
        return "growing"
    return "far" if far else "near"


def full_check(
    problem: LargeMarginProblem, coordinates: Coordinates, V: FloatArray, h: float
) -> tuple[FloatArray, Evaluation, int, int]:
    """Return L, eq. 3 there over all triples, and the numbers of new pairs and of impostors."""
    # Pairs that differ in a free direction do not enter the working set. Instead the factor t of
    # the free directions grows until these pairs are satisfied.
    for _ in range(WIDENINGS):
        L = coordinates.outward(V)
        Z = coordinates.mapped(L)
        i, l = problem.impostors(Z)
        free = coordinates.is_free(i, l, problem.partition)
        if not free.any():
            break
        slack = problem.slacks_at(Z, i[free], l[free])
        coordinates.widen(i[free], l[free], problem.partition, slack.max(axis=1))
    added = problem.add_pairs(i[~free], l[~free])
    now = problem.evaluate_at(Z, h)
    if free.any():  # no t was large enough, so add the violations of these pairs
        rest = problem.mu * float(np.maximum(problem.slacks_at(Z, i[free], l[free]), 0.0).sum())
        now = replace(now, objective=now.objective + rest)
    return L, now, added, len(i)


def reset(problem: LargeMarginProblem, coordinates: Coordinates, V: FloatArray) -> None:
    """Reset the working set to the pairs that violate the margin, or nearly do."""
    Z = coordinates.mapped(coordinates.outward(V))
    i, l = problem.impostors(Z, 1.0 + CLEAR)
    kept = ~coordinates.is_free(i, l, problem.partition)
    problem.set_pairs(i[kept], l[kept])


def _relative_norm(gradient: FloatArray, v: FloatArray) -> float:
    """Return the norm of the gradient, divided by that of the pull."""
    return float(np.linalg.norm(gradient)) / max(1e-300, float(np.linalg.norm(2 * v)))


def _square(V: FloatArray) -> FloatArray:
    """Return factors with as many rows as columns, of the same metrics."""
    d = V.shape[2]
    if V.shape[1] > d:
        return np.stack([np.linalg.qr(factor)[1] for factor in V])
    return np.concatenate([V, np.zeros((len(V), d - V.shape[1], d))], axis=1)


def _inside(V: FloatArray, most: float) -> tuple[FloatArray, float]:
    """Return square factors V as the barrier needs them, and the epsilon of the first barrier."""
    # `most` is eq. 3 of M = 0. The pull, the sum of the squares of V, is no larger at the optimum.
    # The least of v^2 - 2 epsilon log v is at v = sqrt(epsilon). With a singular value far below
    # this all steps would be short.
    left, values, right = np.linalg.svd(V)
    values = np.minimum(values, np.sqrt(most))
    epsilon = FIRST * max(float((values**2).sum()), 1e-12 * most) / values.size
    inside: FloatArray = (left * np.maximum(values, np.sqrt(epsilon))[:, None]) @ right
    return inside, epsilon


# ------------------------------------------------------------------------------ the printed solver

# the steps end when forty full checks gain less than this share, or a tenth of tol if that is less
LITTLE = 1e-4
LEAST_PULL = 1e-6  # of the mean pull: each direction counts as if it had so much more
LOST = 1e-9  # of a factor: less is left by rounding where points do not differ


class Inward:
    """The step of § 3, taken by coordinates in which the pull is the identity, from factors L."""

    def __init__(self, coordinates: Coordinates, L: FloatArray) -> None:
        self.R = coordinates.A
        self.back = np.swapaxes(self.R, -1, -2)
        self.inner = coordinates.inward(L)

    def gradient(self, G: FloatArray) -> FloatArray:
        """Return the gradient in these coordinates."""
        product: FloatArray = self.back @ G @ self.R
        return product

    def __call__(self, L: FloatArray, G: FloatArray, t: int) -> FloatArray:
        """Return the factor after the step, in the coordinates of X."""
        self.inner = algorithm.metric_step(self.inner, self.gradient(G), t)
        return self.inner @ self.back


class Watch:
    """Passes states on, and the mean slopes between full checks to a certificate."""

    def __init__(self, problem: LargeMarginProblem) -> None:
        self.problem = problem
        self.certificate = Certificate(problem, problem.coordinates, MIXED)
        self.own = np.repeat(np.arange(problem.n), problem.k)
        self._begin()

    def _begin(self) -> None:
        self.seen = 0
        self.alpha = 0.0
        self.weights = np.zeros(())

    def pass_on(self, states: Iterator[State]) -> Iterator[State]:
        """Yield the states."""
        for now in states:
            if now.found is not None:
                if self.seen:
                    self.certificate.add(self.alpha / self.seen, self.weights / self.seen)
                self._begin()
                self.problem.set_pairs(now.i, now.l)
            self._add(now)
            yield now

    def _add(self, now: State) -> None:
        problem = self.problem
        free = problem.coordinates.is_free(now.i, now.l, problem.partition)
        N = now.N & ~free[:, None]  # the bound needs these pairs to count as satisfied
        pair, place = np.divmod(np.flatnonzero(N), problem.k)
        counts = np.bincount(now.i[pair] * problem.k + place, minlength=problem.targets.size)
        push = problem.mu * np.concatenate([counts, -np.bincount(pair, minlength=len(N))])
        push[: len(counts)] += 1
        self.alpha = self.alpha + problem.mu * len(pair)
        self.weights = self.weights + push
        self.seen += 1


def _vanishes(coordinates: Coordinates, L: FloatArray) -> bool:
    """Return whether the factors L have no direction in which points differ, but for rounding."""
    left = coordinates.inward(L) @ np.swapaxes(coordinates.A, -1, -2)
    scale = coordinates.scale
    return bool(np.abs(left * scale).max() <= LOST * np.abs(L * scale).max())


def descend_as_printed(
    problem: LargeMarginProblem, L: FloatArray | None, tol: float, *, max_checks: int
) -> Iterator[Check]:
    """Yield the state of the printed solver, from the factors L or None, after each full check."""
    pull = problem.pull_gradient()
    if not pull.any():
        raise ValueError(
            "X must have target neighbours that differ from their points with solver='printed'; "
            "got target neighbours equal to their points"
        )
    coordinates = problem.coordinates_with(LEAST_PULL)
    if L is None or _vanishes(coordinates, L):  # no step leads away from zeros
        L = np.swapaxes(coordinates.A, -1, -2)
        L = L * np.sqrt(problem.targets.size / problem.evaluate(L).pull)
    inward = Inward(coordinates, L)
    watch = Watch(problem)

    def look(examples: Examples, Z: FloatArray, near: FloatArray, **how: object) -> Pairs:
        return problem.impostors(Z)  # within the limits of memory

    examples = Examples(problem.X, problem.classes, problem.targets, problem.partition)
    states = algorithm.steps(
        examples,
        problem.mu,
        L,
        step=inward,
        look=look,
        kernels=problem.kernels,
        threads=problem.threads,
    )
    checks = algorithm.until_converged(
        watch.pass_on(states), tol=min(LITTLE, 0.1 * tol), checks=max_checks
    )
    scale = np.linalg.norm(inward.gradient(pull))
    for number, (now, best) in enumerate(checks, 1):
        yield Check(
            t=number,
            L=best[1],
            objective=best[0],
            bound=min(watch.certificate.improve(best[0]), best[0]),
            active=int(now.N.sum()),
            pairs=len(now.i),
            evaluations=now.t + 1,
            h=0.0,
            epsilon=0.0,
            gradient_norm=float(np.linalg.norm(inward.gradient(now.G)) / scale),
        )
