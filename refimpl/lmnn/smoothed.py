"""The default solver of :mod:`refimpl.lmnn`: L-BFGS on a smoothed problem, with a proof.

The sub-gradient method of the paper (``algorithm.py``) needs very many small steps. Here the hinges
are smoothed to a width h, and the barrier -epsilon log det M keeps M inside the cone of positive
semidefinite matrices. L-BFGS finds the factor L of M = L^T L, in coordinates where the pull is the
identity (``coordinates.py``). Then h and epsilon shrink. The problem in L is not convex, but the
problem in M is convex, so the slopes of the hinges give a bound of the distance to the optimum
(``certificate.py``).

With a small h the steps of L-BFGS are many. So the hinges of :func:`descend` are smoothed around
the slopes of the stage before: with such a slope a in [0, 1] the smoothed hinge of a slack z is the
largest s z - (h / 2) (s - a)^2 over s in [0, 1], which the slope s reaches. Where s = a this is the
hinge's own tangent, so the minimum tends to that of eq. 3 while h need not shrink further. This is
the method of multipliers.

The objective is computed in a full check of all triples, in the original coordinates of the points.
The solver returns the best metric of all full checks.

Not handled here: the validation set (``driver.py``).
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

import numpy as np
import scipy

from refimpl.lmnn.certificate import Certificate
from refimpl.lmnn.coordinates import Coordinates
from refimpl.lmnn.model import Check
from refimpl.lmnn.problem import Evaluation, LargeMarginProblem
from refimpl.lmnn.starts import zero_metric
from refimpl.typing import FloatArray

__all__ = ["Memory", "descend", "descend_low_rank", "descent"]

Function: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]
Point: TypeAlias = tuple[FloatArray, float, FloatArray]

EPS = np.finfo(np.float64).eps
SMALL = 10  # steps that lower the value by no more than its rounding error end the descent
SUFFICIENT = 1e-4  # a step lowers the value by at least this share of what the slope promises
FLAT = 0.9  # and leaves at most this share of the slope
TRIES = 20  # the largest number of evaluations in a search
WIDER = 2.5  # a step that may be longer grows by this factor
CURVED = 1e-12  # the least curvature, relative to the lengths of the two changes, to remember


class Memory:
    """The last steps of a descent, and how they changed the gradient.

    Parameters
    ----------
    most : int
        The largest number of steps to remember.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.steps: list[tuple[FloatArray, FloatArray, float]] = []

    def add(self, step: FloatArray, change: FloatArray) -> None:
        """Remember a step and the change of the gradient, if the function is convex along it."""
        curvature = float(step @ change)
        if curvature > CURVED * float(np.linalg.norm(step) * np.linalg.norm(change)):
            self.steps.append((step, change, curvature))
            del self.steps[: -self.most]

    def direction(self, gradient: FloatArray) -> FloatArray:
        """Return the direction to search along: algorithm 7.4."""
        add = scipy.linalg.blas.daxpy  # without an array for the product
        direction = -gradient
        shares: list[float] = []
        for step, change, curvature in reversed(self.steps):
            share = float(step @ direction) / curvature
            direction = add(change, direction, a=-share)
            shares.append(share)
        if self.steps:
            _, change, curvature = self.steps[-1]
            direction *= curvature / float(change @ change)
        for (step, change, curvature), share in zip(self.steps, reversed(shares), strict=True):
            direction = add(step, direction, a=share - float(change @ direction) / curvature)
        return direction


def descent(
    function: Function, v: FloatArray, memory: Memory
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the point and the gradient after each step: algorithm 7.5.

    Parameters
    ----------
    function : callable
        Returns the value and the gradient at a point.
    v : ndarray, shape (n,), float64
        The point to start from.
    memory : Memory
        What is known from earlier steps. It is changed in place.

    Yields
    ------
    v, gradient : ndarray, shape (n,), float64
        The descent ends where no step lowers the value, or where SMALL steps or two failures of
        the search show that rounding errors decide. Then the last point is yielded once more.
    """
    value, gradient = function(v)
    small = 0
    while small < SMALL:
        direction = memory.direction(gradient)
        slope = float(direction @ gradient)
        reached = None
        if slope < 0:
            length = 1.0 if memory.steps else min(1.0, 1 / float(np.linalg.norm(direction)))
            reached = _search(function, (v, value, gradient), direction, length)
        if reached is None:
            small += SMALL // 2 if memory.steps else SMALL
            memory.steps.clear()
            continue
        memory.add(reached[0] - v, reached[2] - gradient)
        small += 1 if value - reached[1] <= EPS * abs(value) else 0
        v, value, gradient = reached
        yield v, gradient
    yield v, gradient


def _search(function: Function, start: Point, direction: FloatArray, length: float) -> Point | None:
    """Return a lower point along the direction, or None if no step lowers the value.

    The last point at which the function is evaluated may be another one than the point returned,
    but only if no step satisfies both conditions.
    """
    v, value, gradient = start
    slope = float(gradient @ direction)
    low, low_value, low_slope = 0.0, value, slope
    high = np.inf
    best: Point | None = None
    for _ in range(TRIES):
        point = v + length * direction
        there, after = function(point)
        if not there <= value + SUFFICIENT * length * slope:  # also if it is NaN
            high = length
            length = low + _lowest(low_value, low_slope, there, high - low)
            continue
        slope_there = float(after @ direction)
        best = (point, there, after)
        if slope_there >= FLAT * slope:
            return best
        low, low_value, low_slope = length, there, slope_there
        length = WIDER * length if high == np.inf else (low + high) / 2
    return best


def _lowest(value: float, slope: float, there: float, width: float) -> float:
    """Return where the parabola with this value and slope at 0 is lowest.

    `there` is its value at `width`. The result is between a tenth and nine tenths of the width.
    """
    bend = there - value - slope * width
    share = -slope * width / (2 * bend) if np.isfinite(bend) and bend > 0 else 0.5
    return width * min(max(share, 0.1), 0.9)


SHRINK = 3.0  # h shrinks by this factor
WEAKER = 10.0  # and the barrier by this one
LEAST_WIDTH = 0.03  # h shrinks below it only if the slopes do not settle
FIRST = 0.03  # the share of the pull at the start that the first barrier makes
BARRIER = 0.2  # the share of the gap to reach that the last barrier makes
ITERATIONS = 60  # the number of iterations of L-BFGS between two full checks
MOST = 16  # ITERATIONS grow up to this factor if they do not close the gap
MEMORY = 30  # the number of gradients that L-BFGS remembers
MIXED = 20  # the number of steps whose slopes are mixed for the bound
EARLY = 4  # the first full checks come after a quarter of ITERATIONS: the working set still grows
KEPT = 5  # the slopes of this number of last steps before a full check are kept
# the steps end early where the norm of the gradient, relative to that of the pull, is below this
# share of the part of the gap that the barrier makes
ENOUGH = 0.5
LEAST_GRADIENT = 0.003  # before the first full check, and at most
SHARE = 1e-6  # LMNN-RECT adds this share of the mean pull to the pull in its coordinates
# the steps end after this number of full checks in which neither objective nor bound moves
PATIENCE = 8
FAR = 0.1  # a gradient so large, compared with that of the pull, is far from the minimum
# early LMNN-RECT resets its working set if it has more than this number of pairs for each impostor
CROWD = 3
CLEAR = 0.5  # a reset keeps pairs that satisfy the margin by up to this much


class Smoothed:
    """Eq. 3 over the working set, with smoothed hinges and barrier, as a function of a factor."""

    def __init__(self, problem: LargeMarginProblem, spare: FloatArray) -> None:
        self.problem = problem
        self.spare = spare
        self.evaluations = 0
        self.epsilon = 0.0
        self.h = 0.3
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
        """Take L-BFGS steps from V.

        Returns
        -------
        V : ndarray
            The factor at the end of the steps.
        norm : float
            The norm of the gradient at the end, divided by that of the pull.
        """
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


class Multiplied(Smoothed):
    """The same function with hinges smoothed around earlier slopes, for :func:`descend`.

    Parameters
    ----------
    problem : LargeMarginProblem
    coordinates : Coordinates
        Its coordinates.

    Attributes
    ----------
    slopes : ndarray, shape (p, k), float64
        The slopes of the triples of the working set around which the hinges are smoothed.
    certificate : Certificate
        Gets the last slopes of each descent.
    at : ndarray
        The factor of the last evaluation.
    memory : Memory
        The last steps, which the next descent goes on from.
    """

    def __init__(self, problem: LargeMarginProblem, coordinates: Coordinates) -> None:
        super().__init__(problem, coordinates.spare)
        self.certificate = Certificate(problem, coordinates, MIXED)
        self.slopes = np.zeros((0, problem.k))
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
        """Take L-BFGS steps from V, and pass the last slopes to the certificate.

        The steps end early if the norm of the gradient, as it is returned, is at most `enough`.
        """
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
        slopes = np.zeros((len(codes), problem.k))
        slopes[new] = self.slopes[old]
        self.slopes = slopes
        self._codes = codes

    def take_slopes(self) -> None:
        """Smooth the hinges around the slopes of the last evaluation from now on."""
        slacks = self.problem.slacks_of_pairs(self.problem.used.mapped(self.at))
        self.slopes = np.clip(self.slopes + slacks / self.h, 0.0, 1.0)


def descend(
    problem: LargeMarginProblem, L: FloatArray, tol: float, *, max_checks: int
) -> Iterator[Check]:
    """Yield the state of the solver after each full check of all triples.

    Parameters
    ----------
    problem : LargeMarginProblem
        The problem in the original coordinates of the points.
    L : ndarray, shape (partitions, r, d)
        The factors to start from.
    tol : float
        The relative gap to reach. The smoothing shrinks towards it; the caller ends the steps.
    max_checks : int
        The largest number of full checks.

    Yields
    ------
    Check
        The last check is `stuck` if nothing has moved for PATIENCE full checks.
    """
    coordinates = problem.coordinates
    inner = problem.within(coordinates.U)
    V = _square(coordinates.inward(L))
    smoothed = Multiplied(inner, coordinates)
    certificate = smoothed.certificate
    size = V.shape[0] * V.shape[1]
    V, smoothed.epsilon = _inside(V, zero_metric(problem.mu, problem.classes, problem.k))
    full_check(inner, coordinates, V, smoothed.h)
    smoothed.follow()
    best = np.inf
    best_L = L
    iterations = ITERATIONS
    still = 0
    rest = np.inf
    for t in range(1, max_checks + 1):
        barrier = smoothed.epsilon * size
        enough = ENOUGH * min(LEAST_GRADIENT, max(BARRIER * tol, barrier / best))
        V, norm = smoothed.descend(V, iterations if t > EARLY else ITERATIONS // 4, enough)
        L, now, added, _ = full_check(inner, coordinates, V, smoothed.h)
        smoothed.follow()
        last_best = best
        last_bound = certificate.bound
        if now.objective < best:
            best = now.objective
            best_L = L
        bound = min(certificate.improve(best), best)
        settled = added <= 1e-3 * len(inner.i)
        if not settled:  # earlier gradients were those of other pairs
            smoothed.memory = Memory(MEMORY)
        fell = last_best - best > 0.01 * (last_best - last_bound)
        rose = bound - last_bound > 0.01 * (best - last_bound)
        # at the minimum of the smoothed problem this is the gap
        apart = max(abs(now.objective - smoothed.last.alpha), barrier)
        at_end = barrier <= 1.01 * BARRIER * tol * best or iterations == MOST * ITERATIONS
        still = still + 1 if settled and at_end and not (fell or rose) else 0
        state = smoothed.state(t, best_L, best, bound, now, norm)
        yield replace(state, stuck=still == PATIENCE)
        if still == PATIENCE:
            return
        # far from that minimum `apart` says nothing, and the slopes are not worth taking
        far = norm > FAR and iterations < MOST * ITERATIONS
        if settled and (far or now.objective - bound > 2 * apart):
            iterations = min(2 * iterations, MOST * ITERATIONS) if t > EARLY else iterations
        elif settled:
            iterations = ITERATIONS
            smoothed.take_slopes()
            if smoothed.h > LEAST_WIDTH:
                smoothed.h = max(LEAST_WIDTH, smoothed.h / SHRINK)
            elif norm <= enough and apart - barrier > max(rest / 2, barrier):
                smoothed.h /= SHRINK
            rest = apart - barrier
            smoothed.epsilon = max(smoothed.epsilon / WEAKER, BARRIER * tol * best / size)
            reset(inner, coordinates, V)
            smoothed.follow()


def full_check(
    problem: LargeMarginProblem, coordinates: Coordinates, V: FloatArray, h: float
) -> tuple[FloatArray, Evaluation, int, int]:
    """Look for active triples among all triples.

    Pairs that differ in a free direction do not enter the working set. Instead the factor t of the
    free directions grows until these pairs are satisfied.

    Returns
    -------
    L : ndarray, shape (partitions, r, d)
        Factors of d columns.
    now : Evaluation
        At these factors.
    added, impostors : int
        The number of pairs that are new to the working set, and the number of impostors.
    """
    for _ in range(30):
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


def descend_low_rank(
    problem: LargeMarginProblem, L: FloatArray, tol: float, *, max_checks: int
) -> Iterator[Check]:
    """Yield the state of LMNN-RECT after each full check, with a factor L of few rows.

    There is no barrier and no bound. The smoothing shrinks until the steps end. The parameters and
    what is yielded are as in :func:`descend`. The last check is `settled` if its relative gain is
    below `tol`.
    """
    coordinates = problem.coordinates_with(SHARE)
    inner = problem.within(coordinates.U)
    smoothed = Smoothed(inner, np.zeros((1, 1)))
    V = coordinates.inward(L)
    full_check(inner, coordinates, V, smoothed.h)
    best = np.inf
    best_L = L
    before = np.inf
    for t in range(1, max_checks + 1):
        V, norm = smoothed.descend(V, ITERATIONS if t > EARLY else ITERATIONS // 4)
        L, now, added, impostors = full_check(inner, coordinates, V, smoothed.h)
        if now.objective < best:
            best = now.objective
            best_L = L
        settled = added <= 1e-3 * len(inner.i) and before - now.smooth < tol * now.objective
        before = now.smooth
        final = settled and now.objective - now.smooth < 10 * tol * now.objective
        yield replace(smoothed.state(t, best_L, best, 0.0, now, norm), settled=final)
        if final:
            return
        if settled:
            smoothed.h /= SHRINK
            before = np.inf
        # at the start nearly all pairs may violate the margin
        if settled or (t <= EARLY and len(inner.i) > CROWD * impostors):
            reset(inner, coordinates, V)


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
    """Return square factors V as the barrier needs them, and the epsilon of the first barrier.

    `most` is eq. 3 of M = 0. The pull, which is the sum of the squares of V, is no larger at the
    optimum. The least of v^2 - 2 epsilon log v is at v = sqrt(epsilon). If a singular value of a
    metric were far below this, as where the metric has no pull, all steps would be short.
    """
    left, values, right = np.linalg.svd(V)
    values = np.minimum(values, np.sqrt(most))
    epsilon = FIRST * max(float((values**2).sum()), 1e-12 * most) / values.size
    inside: FloatArray = (left * np.maximum(values, np.sqrt(epsilon))[:, None]) @ right
    return inside, epsilon
