"""Lower bounds on eq. 3 of Weinberger & Saul (2008), from the slopes of the hinges.

A slope alpha_ijl is the derivative of the hinge of a triple (i, j, l) times mu, so 0 <= alpha_ijl
<= mu. For each metric let

    G(alpha) = sum C_ij + sum alpha_ijl (C_ij - C_il).

If G is positive semidefinite for each metric, the sum of all alpha_ijl is a lower bound on the
least value of eq. 3 over all triples. The bound holds for every working set. Slopes of several
steps are mixed and scaled down until G is inside the cone of positive semidefinite matrices, by
more than rounding errors can have moved it.

Not handled here: the choice of the slopes (``smoothed.py``, ``printed.py``), and the coordinates
(``coordinates.py``).
"""

from dataclasses import dataclass

import numpy as np
import scipy

from refimpl.lmnn.coordinates import Coordinates
from refimpl.lmnn.problem import LargeMarginProblem
from refimpl.typing import FloatArray

__all__ = ["Certificate", "Slopes", "dual_bound"]

EPS = np.finfo(np.float64).eps


@dataclass(frozen=True)
class Slopes:
    """The sums over a set of slopes from which the bound is computed.

    Attributes
    ----------
    alpha : float
        The sum of the slopes.
    G : ndarray, shape (partitions, r, r), float64
        G(alpha).
    error : float
        A bound of the rounding error of G, in the spectral norm.
    """

    alpha: float
    G: FloatArray
    error: float = 0.0


class Certificate:
    """Collects the slopes of a problem, and computes the bound from the latest.

    Parameters
    ----------
    problem : refimpl.lmnn.problem.LargeMarginProblem
    coordinates : refimpl.lmnn.coordinates.Coordinates
        Coordinates of the same points.
    most : int
        The largest number of sets of slopes to mix.
    """

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


def dual_bound(
    slopes: list[Slopes], pull: Slopes, objective: float = np.inf, cuts_at_most: int = 25
) -> float:
    """Return the largest lower bound on eq. 3 that a mixture of slopes gives.

    Parameters
    ----------
    slopes : list of Slopes
    pull : Slopes
        The slopes that are all 0. Their G is the gradient of the pull, which is near the identity.
    objective : float, optional
        An objective that was reached. The search ends when it can close only a little of the gap
        between the bound and this objective.

    Returns
    -------
    float
        The sum of the slopes of a scaled mixture whose G is in the cone.
    """
    if not slopes:
        return 0.0
    sums = np.array([slope.alpha for slope in slopes])
    errors = np.array([slope.error for slope in slopes])
    S = np.stack([slope.G - pull.G for slope in slopes])
    mixture = np.eye(len(sums))[-1]
    rows: list[list[float]] = []
    limits: list[float] = []
    best = 0.0
    for _ in range(cuts_at_most):
        mixed = np.tensordot(mixture, S, axes=1)
        error = max(pull.error, mixture @ errors + max(0.0, 1 - mixture.sum()) * pull.error)
        scale = _feasible_scale(pull.G, mixed, error)
        best = max(best, scale * float(mixture @ sums) * (1 - 1e-12))
        if scale == 1.0:
            break
        for alpha in range(len(mixed)):
            values, vectors = np.linalg.eigh(pull.G[alpha] + mixed[alpha])
            for v in vectors[:, : min(5, int((values < error).sum()))].T:
                rows.append([v @ matrix[alpha] @ v for matrix in S])
                limits.append(v @ pull.G[alpha] @ v - error)
        program = scipy.optimize.linprog(
            -sums,
            A_ub=np.vstack([-np.array(rows), np.ones(len(sums))]),
            b_ub=np.append(limits, 1.0),
            bounds=(0, None),
        )
        little = max(1e-7 * best, 0.01 * min(objective - best, best))
        if program.x is None or -program.fun <= best + little:
            break
        mixture = np.maximum(program.x, 0.0) / max(1.0, program.x.sum())
    return best


def _feasible_scale(C: FloatArray, S: FloatArray, error: float) -> float:
    """Return a large s in [0, 1] for which C + s S is in the cone by more than `error`.

    This holds for the matrices of every partition.
    """
    scale = 1.0
    for pull, change in zip(C, S, strict=True):
        lowest = np.linalg.eigvalsh(pull)[0]
        for _ in range(60):
            mixed = pull + scale * change
            # with the rounding error of the eigenvalue itself
            margin = error + 8 * len(mixed) * EPS * np.linalg.norm(mixed)
            if lowest <= margin:  # C itself may be outside the cone
                return 0.0
            least = np.linalg.eigvalsh(mixed)[0]
            if least >= margin:
                break
            # the lowest eigenvalue is concave in s, so this smaller s is in the cone
            scale *= (1 - 1e-12) * (lowest - margin) / (lowest - least)
        else:
            return 0.0
    return scale
