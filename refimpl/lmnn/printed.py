"""The solver "printed": the steps of § 3 as in ``algorithm.py``, with a lower bound.

The bound is computed from slopes of the hinges (``certificate.py``). Here these are the mean slopes
between two full checks.

Not handled here: the steps (``algorithm.py``), when they end (``driver.py``).
"""

from collections.abc import Iterator

import numpy as np

from refimpl.lmnn import algorithm
from refimpl.lmnn.certificate import Certificate
from refimpl.lmnn.coordinates import Coordinates
from refimpl.lmnn.model import Check
from refimpl.lmnn.problem import Evaluation, LargeMarginProblem
from refimpl.typing import FloatArray, IntArray

__all__ = ["descend"]

MIXED = 20  # the number of mean slopes that are mixed for the bound
# the steps end when forty full checks gain less than this share, or a tenth of tol if that is less
LITTLE = 1e-4


class Watched(LargeMarginProblem):
    """A problem that collects its slopes for a certificate.

    It passes their means on whenever the working set may grow.
    """

    coordinates_given: Coordinates
    certificate: Certificate
    looks: int
    seen: int
    alpha: float
    weights: FloatArray

    def watch(self, coordinates: Coordinates) -> None:
        """Begin to collect slopes.

        Pairs that differ in a free direction count as satisfied, because the bound needs this.
        """
        self.coordinates_given = coordinates
        self.looks = 0
        self._begin()
        self.certificate = Certificate(self, coordinates, MIXED)

    def _begin(self) -> None:
        self.seen = 0
        self.alpha = 0.0
        self.weights = np.zeros(())

    def evaluate(self, L: FloatArray, h: float = 0.0) -> Evaluation:
        """Return eqs. 2 and 3 over the working set."""
        now = super().evaluate(L, h)
        free = self.coordinates_given.is_free(self.i, self.l, self.partition)
        used = self.evaluate_at(now.Z, h, without=free) if free.any() else now
        self.alpha = self.alpha + used.alpha
        self.weights = self.weights + used.weights
        self.seen += 1
        self.looks += 1
        return now

    def add_pairs(self, i: IntArray, l: IntArray) -> int:
        """Add pairs to the working set, and return the number of new pairs."""
        if self.seen:
            self.certificate.add(self.alpha / self.seen, self.weights / self.seen)
        self._begin()
        return super().add_pairs(i, l)


def descend(
    problem: LargeMarginProblem, L: FloatArray | None, tol: float, *, max_checks: int
) -> Iterator[Check]:
    """Yield the state of :func:`refimpl.lmnn.algorithm.steps` after each of its full checks.

    Parameters
    ----------
    problem : refimpl.lmnn.problem.LargeMarginProblem
        The problem in the original coordinates of the points, centred.
    L : ndarray, shape (partitions, r, d), or None
        Factors to start from. With None the start is that of ``algorithm.py``; with zeros too,
        because no step leads away from zero.
    tol : float
        The relative gap to reach; the caller ends the steps.
    max_checks : int
        The largest number of full checks.

    Yields
    ------
    refimpl.lmnn.model.Check
    """
    pull = problem.pull_gradient()
    if not pull.any():
        raise ValueError(
            "X must have target neighbours that differ from their points with solver='printed'; "
            "got target neighbours equal to their points"
        )
    R = algorithm.coordinates(problem)
    inner = problem.within_as(Watched, problem.X @ R)
    inner.watch(problem.coordinates)
    back = np.swapaxes(R, -1, -2)
    steps = algorithm.steps(
        inner, _inward(L, inner, R), tol=min(LITTLE, 0.1 * tol), checks=max_checks
    )
    for number, (_, best, now) in enumerate(steps, 1):
        bound = min(inner.certificate.improve(best[0]), best[0])
        norm = np.linalg.norm(inner.gradient_M(now.weights))
        yield Check(
            t=number,
            L=best[1] @ back,
            objective=best[0],
            bound=bound,
            active=now.active,
            pairs=len(inner.i),
            evaluations=inner.looks,
            h=0.0,
            epsilon=0.0,
            gradient_norm=float(norm / np.linalg.norm(inner.pull_gradient())),
        )


def _inward(L: FloatArray | None, inner: LargeMarginProblem, R: FloatArray) -> FloatArray:
    """Return L in the coordinates of the steps, or the start of ``algorithm.py``."""
    if L is None or not L.any():
        return algorithm.start(inner)
    return np.swapaxes(np.linalg.solve(R, np.swapaxes(L, -1, -2)), -1, -2)
