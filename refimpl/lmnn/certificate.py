"""Lower bounds on eq. 3 of Weinberger & Saul (2008), from the slopes of the hinges.

For slopes 0 <= alpha_ijl <= mu with

    G(alpha) = sum C_ij + sum alpha_ijl (C_ij - C_il)  positive semidefinite, for the pairs of each metric,

the sum of the alphas is no more than the least value of eq. 3 over all triples, whatever the working set. Slopes at
successive steps are mixed, and scaled down, until G is in the cone, by more than rounding can have moved it.

Not handled here: which slopes (``smoothed.py``, ``printed.py``), and the coordinates (``coordinates.py``).
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

EPS = np.finfo(np.float64).eps


@dataclass(frozen=True)
class Slopes:
    """What the bound needs of one set of slopes.

    Attributes
    ----------
    alpha : float
        Their sum.
    G : ndarray, shape (partitions, r, r), float64
        G(alpha).
    error : float
        How far, in the largest eigenvalue, rounding may have moved G.
    """

    alpha: float
    G: np.ndarray
    error: float = 0.0


class Certificate:
    """Collects slopes of a problem; the latest give the bound.

    Parameters
    ----------
    problem : refimpl.lmnn.problem.LargeMarginProblem
    coordinates : refimpl.lmnn.coordinates.Coordinates
        Of the same points.
    most : int
        Sets of slopes that are mixed.
    """

    def __init__(self, problem, coordinates, most):
        self.problem, self.coordinates, self.most = problem, coordinates, most
        self.bound, self.slopes = 0.0, []
        first = coordinates.U[problem.partition[problem.targets.ravel()], np.repeat(np.arange(problem.n), problem.k)]
        second = coordinates.U[problem.partition[problem.targets.ravel()], problem.targets.ravel()]
        self.targets = ((first - second) ** 2).sum(axis=1)
        self.pull = self._slopes(0.0, np.concatenate([np.ones(problem.n * problem.k), np.zeros(len(problem.i))]))

    def _slopes(self, alpha, weights):
        G = self.problem.gradient_M(weights, self.coordinates.U)
        count, near = np.abs(weights).sum(), weights[: len(self.targets)] @ self.targets
        squares = max(0.0, 2 * near - np.trace(G, axis1=1, axis2=2).sum())  # of all differences, each by its weight
        error = 2 * np.sqrt(count * squares) * self.coordinates.error + count * self.coordinates.error**2
        r = np.arange(G.shape[1])
        G[:, r, r] += self.coordinates.spare
        return Slopes(alpha, G, error)

    def add(self, alpha, weights):
        """Take slopes of the problem's working set as it is now: `alpha` and `weights` of an evaluation, or means."""
        self.slopes.append(self._slopes(alpha, weights))
        del self.slopes[: -self.most]

    def improve(self, objective):
        """The best bound so far, with the slopes at hand; `objective` is the best that has been reached."""
        self.bound = max(self.bound, dual_bound(self.slopes, self.pull, objective))
        return self.bound


def dual_bound(slopes, pull, objective=np.inf, cuts_at_most=25):
    """The largest lower bound on eq. 3 that a mixture of slopes gives.

    Parameters
    ----------
    slopes : list of Slopes
    pull : Slopes
        Those that are all 0: its G is the pull's gradient, near the identity.
    objective : float, optional
        Above the bound; the search ends when little of what lies between them is still to be gained.

    Returns
    -------
    float
        A scaled mixture's sum of alphas, whose G is in the cone.
    """
    if not slopes:
        return 0.0
    sums = np.array([one.alpha for one in slopes])
    errors = np.array([one.error for one in slopes])
    S = np.stack([one.G - pull.G for one in slopes])
    mixture, cuts, best = np.eye(len(sums))[-1], [], 0.0
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
                cuts.append(([v @ one[alpha] @ v for one in S], v @ pull.G[alpha] @ v - error))
        A = np.array([row for row, _ in cuts])
        program = linprog(
            -sums, A_ub=np.vstack([-A, np.ones(len(sums))]), b_ub=np.append([b for _, b in cuts], 1.0), bounds=(0, None)
        )
        if program.x is None or -program.fun <= best + max(1e-7 * best, 0.01 * min(objective - best, best)):
            break
        mixture = np.maximum(program.x, 0.0) / max(1.0, program.x.sum())
    return best


def _feasible_scale(C, S, error):
    """The largest s in [0, 1] found with C + s S in the cone by more than the error, for every partition."""
    scale = 1.0
    for one, other in zip(C, S, strict=True):
        lowest = np.linalg.eigvalsh(one)[0]
        for _ in range(60):
            mixed = one + scale * other
            margin = error + 8 * len(mixed) * EPS * np.linalg.norm(mixed)  # the eigenvalue's own rounding
            if lowest <= margin:  # C itself is not surely inside
                return 0.0
            least = np.linalg.eigvalsh(mixed)[0]
            if least >= margin:
                break
            scale *= (1 - 1e-12) * (lowest - margin) / (lowest - least)  # by concavity in s this one is in the cone
        else:
            return 0.0
    return scale
