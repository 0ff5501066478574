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
from functools import partial
from itertools import islice
from typing import TypeAlias

import numpy as np
import scipy

from refimpl.lmnn.certificate import Certificate
from refimpl.lmnn.coordinates import Coordinates
from refimpl.lmnn.model import Check
from refimpl.lmnn.problem import Evaluation, LargeMarginProblem, zero_metric
from refimpl.typing import FloatArray

__all__ = ["Memory", "descend", "descent"]

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

    L : the factors to start from, (partitions, r, d)
    tol : the relative gap to reach; the smoothing shrinks towards it, and the caller ends the steps

    The last check is `stuck` if nothing has moved for PATIENCE full checks.
    """
    solver = Descent(problem, L, tol)
    for t in range(1, max_checks + 1):
        check, stage = solver.check(t)
        yield check
        if check.stuck:
            return
        stage()


class Descent:
    """The smoothed problem, the factor V that the steps have reached, and the best L so far.

    Three stages may follow a full check, and :meth:`check` takes the first that applies:
    :meth:`grow` if pairs were missing, :meth:`approach` if V is not yet near the minimum of the
    smoothed problem, and :meth:`sharpen` if it is.
    """

    def __init__(self, problem: LargeMarginProblem, L: FloatArray, tol: float) -> None:
        self.coordinates = problem.coordinates
        self.inner = problem.within(self.coordinates.U)
        self.smoothed = Multiplied(self.inner, self.coordinates)
        most = zero_metric(problem.mu, problem.classes, problem.k)
        V, self.smoothed.epsilon = _inside(_square(self.coordinates.inward(L)), most)
        self.V = V
        self.size = V.shape[0] * V.shape[1]
        self.tol = tol
        self.best, self.L = np.inf, L
        self.iterations = ITERATIONS  # before the next full check
        self.rest = np.inf  # the part of the last minimum's gap that its barrier does not make
        self.still = 0  # the number of last full checks in which nothing moved
        self._look()

    def _look(self) -> tuple[FloatArray, Evaluation, int]:
        """Return the factor of d columns, eq. 3 there, and the number of pairs that were new."""
        L, now, added, _ = full_check(self.inner, self.coordinates, self.V, self.smoothed.h)
        self.smoothed.follow()
        return L, now, added

    def check(self, t: int) -> tuple[Check, Callable[[], None]]:
        """Take steps, and make the t-th full check. Return its state and the stage that follows."""
        smoothed = self.smoothed
        barrier = smoothed.epsilon * self.size
        enough = ENOUGH * min(LEAST_GRADIENT, max(BARRIER * self.tol, barrier / self.best))
        early = t <= EARLY
        steps = ITERATIONS // 4 if early else self.iterations
        self.V, norm = smoothed.descend(self.V, steps, enough)
        L, now, added = self._look()
        settled = added <= FEW * len(self.inner.i)
        longest = self.iterations == MOST * ITERATIONS
        best, bound = self.best, smoothed.certificate.bound
        if now.objective < best:
            self.best, self.L = now.objective, L
        proven = min(smoothed.certificate.improve(self.best), self.best)
        fell = best - self.best > MOVES * (best - bound)
        rose = proven - bound > MOVES * (self.best - bound)
        at_end = longest or barrier <= 1.01 * BARRIER * self.tol * self.best
        self.still = self.still + 1 if settled and at_end and not (fell or rose) else 0
        state = smoothed.state(t, self.L, self.best, proven, now, norm)
        # at the minimum of the smoothed problem this is the gap; far from it, it says nothing
        apart = max(abs(now.objective - smoothed.last.alpha), barrier)
        far = norm > FAR and not longest
        if not settled:
            stage = self.grow
        elif far or now.objective - proven > 2 * apart:
            stage = partial(self.approach, early)
        else:
            stage = partial(self.sharpen, apart - barrier, barrier if norm <= enough else np.inf)
        return replace(state, stuck=self.still == PATIENCE), stage

    def grow(self) -> None:
        """Go on with more pairs. Earlier gradients were those of fewer."""
        self.smoothed.memory = Memory(MEMORY)

    def approach(self, early: bool) -> None:
        """Go on with the same problem, after the first checks with twice as many steps."""
        if not early:
            self.iterations = min(2 * self.iterations, MOST * ITERATIONS)

    def sharpen(self, rest: float, barrier: float) -> None:
        """Go on with the next problem, from the slopes at this one's minimum.

        It has a weaker barrier and, while h is large, narrower hinges. Later h shrinks only where
        the `rest` of the gap, beside the barrier's part, exceeds that part and has not halved. The
        working set loses the pairs that are far from active.
        """
        smoothed = self.smoothed
        self.iterations = ITERATIONS
        smoothed.take_slopes()
        if smoothed.h > LEAST_WIDTH:
            smoothed.h = max(LEAST_WIDTH, smoothed.h / SHRINK)
        elif rest > max(self.rest / 2, barrier):
            smoothed.h /= SHRINK
        self.rest = rest
        weakest = BARRIER * self.tol * self.best / self.size
        smoothed.epsilon = max(smoothed.epsilon / WEAKER, weakest)
        reset(self.inner, self.coordinates, self.V)
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
