"""What a training of LMNN gives: a step of it, and its result.

Not handled here: the training (``training.py``), classification (``neighbors.py``).
"""

from dataclasses import dataclass

import numpy as np

from refimpl.results import result


@dataclass(frozen=True)
class Step:
    """State after a full check.

    Attributes
    ----------
    t : int
        Full checks made.
    L : ndarray, shape (partitions, r, d)
        Best maps so far.
    objective : float
        Eq. 3 over all triples at `L`. It never rises from step to step.
    bound : float
        No metric of the columns that are used has a lower objective (:mod:`refimpl.lmnn.coordinates`).
    active : int
        Triples with positive slack at the last maps tried.
    pairs : int
        Size of the working set.
    evaluations : int
        Looks at the working set so far.
    h, epsilon : float
        Width of the smoothed hinges and strength of the barrier.
    gradient_norm : float
        Norm of the gradient by L of the smoothed problem, relative to that of the pull alone.
    settled : bool
        Whether the last steps gained so little that the training is over (low rank).
    stuck : bool
        Whether the solver has ended without a proof, since neither the objective nor the bound moves.
    """

    t: int
    L: np.ndarray
    objective: float
    bound: float
    active: int
    pairs: int
    evaluations: int
    h: float
    epsilon: float
    gradient_norm: float
    settled: bool = False
    stuck: bool = False

    @property
    def gap(self):
        """How much the objective can be above the optimum, relative to it."""
        return (self.objective - self.bound) / self.objective if self.objective > 0 else 0.0


@result
@dataclass(frozen=True, eq=False)
class LMNNResult:
    """One learnt metric, or one for each partition.

    Attributes
    ----------
    L : ndarray, shape (partitions, r, d), float64
        Factors: M = L^T L. r is at most d.
    partition : ndarray, shape (n,), int64
        Partition of each training point; all 0 with one metric.
    targets : ndarray, shape (n, k), int64
        Target neighbours.
    mu : float
    objective : float
        Eq. 3 over all triples at `L`.
    bound : float
        No positive semidefinite M has a lower objective; 0 where that is not known (low rank, or a column was left out
        whose values differ by rounding at most). Columns that are sums of others but for the rounding of their
        coordinates, see :mod:`refimpl.lmnn.coordinates`, count as such sums.
    converged : bool
        Whether objective - bound is at most tol times the objective, or times a thousandth of n k or of the objective
        of M = 0 (mu for each triple), whichever is less, where the objective is less than that. Of
        :func:`lmnn_rect` it tells that the last steps gained less than tol, which proves nothing.
    message : str
        Why the training ended, and where `converged` is False how far from the optimum `L` may be.
    history : ndarray, shape (steps, 6), float64
        After each full check: the best objective so far, the bound, active triples, pairs in the working set, looks at
        the working set, and the norm of the gradient by L over that of the pull alone.
    validation_errors : ndarray, shape (steps,) or (0,), float64
        Share of the validation set misclassified after each full check.
    """

    L: np.ndarray
    partition: np.ndarray
    targets: np.ndarray
    mu: float
    objective: float
    bound: float
    converged: bool
    message: str
    history: np.ndarray
    validation_errors: np.ndarray

    def __post_init__(self):
        for name, kind in (("mu", float), ("objective", float), ("bound", float), ("converged", bool),
                           ("message", str)):  # fmt: skip
            object.__setattr__(self, name, kind(getattr(self, name)))  # a file gives arrays back

    @property
    def M(self):
        """The metrics, shape (partitions, d, d)."""
        return self.L.transpose(0, 2, 1) @ self.L

    @property
    def full_checks(self):
        """How often all triples were looked at."""
        return len(self.history)

    @property
    def gap(self):
        """How much the objective can be above the optimum, relative to it."""
        return (self.objective - self.bound) / self.objective if self.objective > 0 else 0.0
