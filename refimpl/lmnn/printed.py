"""The solver "printed": the steps of § 3 as in ``algorithm.py``, in other coordinates and with a
lower bound.

The steps are those of the points X R, in which the sum of C_ij over target neighbours is the
identity for each metric. Eq. 3 is the same in all coordinates, but in these the steps come near its
optimum far sooner. The bound is computed from slopes of the hinges (``certificate.py``). Here these
are the mean slopes between two full checks.

Not handled here: the steps (``algorithm.py``), when a training ends (``driver.py``).
"""

from collections.abc import Iterator

import numpy as np

from refimpl.lmnn import algorithm
from refimpl.lmnn.algorithm import Examples, Pairs, State
from refimpl.lmnn.certificate import Certificate
from refimpl.lmnn.model import Check
from refimpl.lmnn.problem import LargeMarginProblem
from refimpl.typing import FloatArray

__all__ = ["descend"]

MIXED = 20  # the number of mean slopes that are mixed for the bound
# the steps end when forty full checks gain less than this share, or a tenth of tol if that is less
LITTLE = 1e-4


def coordinates(problem: LargeMarginProblem) -> FloatArray:
    """Return R for each metric: of the points X R the pull is the identity.

    A direction with less than 1e-6 of the mean pull counts as if it had 1e-6 of it.
    """
    values, vectors = np.linalg.eigh(problem.pull_gradient())
    R: FloatArray = vectors / np.sqrt(values + 1e-6 * values.mean())[:, None, :]
    return R


class Inward:
    """The step of § 3, taken by the points X R from the factor L."""

    def __init__(self, R: FloatArray, L: FloatArray) -> None:
        self.R = R
        self.back = np.swapaxes(R, -1, -2)
        self.inner = np.swapaxes(np.linalg.solve(R, np.swapaxes(L, -1, -2)), -1, -2)

    def gradient(self, G: FloatArray) -> FloatArray:
        """Return the gradient in these coordinates."""
        product: FloatArray = self.back @ G @ self.R
        return product

    def __call__(self, L: FloatArray, G: FloatArray, t: int) -> FloatArray:
        """Return the factor after the step, in the coordinates of X."""
        self.inner = algorithm.metric_step(self.inner, self.gradient(G), t)
        return self.inner @ self.back


class Watch:
    """Passes states on, and the mean slopes between full checks to a certificate.

    Pairs that differ in a free direction count as satisfied, because the bound needs this.
    """

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
        N = now.N & ~free[:, None]
        pair, place = np.nonzero(N)
        counts = np.bincount(now.i[pair] * problem.k + place, minlength=problem.targets.size)
        push = problem.mu * np.concatenate([counts, -N.sum(axis=1)])
        push[: len(counts)] += 1
        self.alpha = self.alpha + problem.mu * len(pair)
        self.weights = self.weights + push
        self.seen += 1


def descend(
    problem: LargeMarginProblem, L: FloatArray | None, tol: float, *, max_checks: int
) -> Iterator[Check]:
    """Yield the state of :func:`refimpl.lmnn.algorithm.steps` after each of its full checks.

    Parameters
    ----------
    problem : refimpl.lmnn.problem.LargeMarginProblem
        The problem in the original coordinates of the points, centred.
    L : ndarray, shape (partitions, r, d), or None
        Factors to start from. With None, and with zeros, which no step leads away from, the start
        is the multiple of the pull's inverse under which target neighbours have a mean squared
        distance of 1.
    tol : float
        The relative gap to reach; the caller ends the steps.
    max_checks : int
        The largest number of full checks.
    """
    pull = problem.pull_gradient()
    if not pull.any():
        raise ValueError(
            "X must have target neighbours that differ from their points with solver='printed'; "
            "got target neighbours equal to their points"
        )
    R = coordinates(problem)
    if L is None or not L.any():
        L = np.swapaxes(R, -1, -2)
        L = L * np.sqrt(problem.targets.size / problem.evaluate(L).pull)
    inward = Inward(R, L)
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
