"""``lmnn(solver="printed")``: the steps of § 3 as ``algorithm.py`` has them, with a bound taken from what they pass.

The bound needs slopes of the hinges that can be mixed (``certificate.py``): the means of those between two full checks.

Not handled here: the steps (``algorithm.py``), when they end (``driver.py``).
"""

import numpy as np

from refimpl.lmnn import algorithm
from refimpl.lmnn.certificate import Certificate
from refimpl.lmnn.model import Step
from refimpl.lmnn.problem import LargeMarginProblem

MIXED = 20  # means of slopes that are mixed for the bound
LITTLE = 1e-4  # a gain of forty full checks below this ends the steps, or a tenth of tol if that is less


class Watched(LargeMarginProblem):
    """A problem that hands the mean slopes of its evaluations to a certificate whenever the working set may grow."""

    def watch(self, coordinates):
        """Begin; pairs that differ in a direction without pull count as satisfied, since the bound needs it."""
        self.at = coordinates
        self.looks = 0
        self._begin()
        self.certificate = Certificate(self, coordinates, MIXED)

    def _begin(self):
        self.seen = 0
        self.alpha = 0.0
        self.weights = 0.0

    def evaluate(self, L, h=0.0):
        """Eqs. 2 and 3 over the working set."""
        now = super().evaluate(L, h)
        free = self.at.is_free(self.i, self.l, self.partition)
        used = self.evaluate_at(now.Z, h, without=free) if free.any() else now
        self.alpha = self.alpha + used.alpha
        self.weights = self.weights + used.weights
        self.seen += 1
        self.looks += 1
        return now

    def add_pairs(self, i, l):
        """Take pairs into the working set; returns how many were not there."""
        if self.seen:
            self.certificate.add(self.alpha / self.seen, self.weights / self.seen)
        self._begin()
        return super().add_pairs(i, l)


def descend(problem, L, tol, *, max_checks):
    """Drive :func:`refimpl.lmnn.algorithm.steps`, one step for each of its full checks.

    Parameters
    ----------
    problem : refimpl.lmnn.problem.LargeMarginProblem
        In the coordinates that the points were given in, centred.
    L : ndarray, shape (partitions, r, d), or None
        Factors to start from; None for the start of ``algorithm.py``, as for zeros, from which no step leads away.
    tol : float
        The relative gap that is wanted. The caller stops.
    max_checks : int

    Yields
    ------
    refimpl.lmnn.model.Step
    """
    pull = problem.pull_gradient()
    if not pull.any():
        raise ValueError("solver='printed' needs target neighbours that differ; here each equals its point")
    R = algorithm.coordinates(problem)
    inner = problem.within(problem.X @ R, Watched)
    inner.watch(problem.coordinates)
    back = np.swapaxes(R, -1, -2)
    found = algorithm.steps(inner, _inward(L, inner, R), tol=min(LITTLE, 0.1 * tol), checks=max_checks)
    for check, (_, best, now) in enumerate(found, 1):
        bound = min(inner.certificate.improve(best[0]), best[0])
        yield Step(
            check, best[1] @ back, best[0], bound, now.active, len(inner.i), inner.looks, 0.0, 0.0,
            np.linalg.norm(inner.gradient_M(now.weights)) / np.linalg.norm(inner.pull_gradient()),
        )  # fmt: skip


def _inward(L, inner, R):
    """The start in the coordinates of the steps: L in them, or that of ``algorithm.py``."""
    if L is None or not L.any():
        return algorithm.start(inner)
    return np.swapaxes(np.linalg.solve(R, np.swapaxes(L, -1, -2)), -1, -2)
