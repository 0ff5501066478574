"""Table 1's active set: how many triples ever broke the margin; a change here computes them anew.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.
"""

from typing import Any

import numpy as np

from paper_figures.lmnn.prepared import per_cent_wrong, problem_of, sampled
from paper_figures.registry import Job
from refimpl.lmnn import algorithm, metric_neighbors, target_neighbors
from refimpl.lmnn.problem import Evaluation, LargeMarginProblem
from refimpl.resources import on_one_blas_thread
from refimpl.typing import BoolArray, FloatArray, IntArray


class Remembering(LargeMarginProblem):
    """A problem that remembers which triples of its working set ever were active."""

    def begin(self) -> None:
        """Begin to remember."""
        self.codes: IntArray = np.zeros(0, dtype=np.int64)
        self.ever: BoolArray = np.zeros((0, self.k), dtype=bool)

    def evaluate(self, L: FloatArray, h: float = 0.0) -> Evaluation:
        """Return eqs. 2 and 3 over the working set, and note the triples with positive slack."""
        now = super().evaluate(L, h)
        codes = self.i * self.n + self.l
        if len(codes) != len(self.codes):  # pairs are added and never removed
            ever = np.zeros((len(codes), self.k), dtype=bool)
            _, new, old = np.intersect1d(codes, self.codes, assume_unique=True, return_indices=True)
            ever[new] = self.ever[old]
            self.codes, self.ever = codes, ever
        self.ever |= self.slacks_of_pairs(now.Z) > 0
        return now


def ever_active(
    job: Job, *, data_set: str, preparation: str, n: int, sample: int, d: int, k: int, checks: int
) -> dict[str, Any]:
    """Take the paper's steps from the identity, and count the triples that were ever active.

    The triples that ever broke the margin are the active set of § 3. How many there are depends on
    the scale of the points, which the margin of 1 is compared with.

    Returns
    -------
    dict
        ``checks``: steps, eq. 3, triples active now and ever, pairs ever, and the test error.
    """
    points = sampled(job, data_set, preparation, n, sample, d, k)
    X, y = points.X, points.y
    problem = problem_of(Remembering, points, target_neighbors(X, y, k))
    problem.begin()
    passed = []
    for t, (objective, L), now in on_one_blas_thread(
        algorithm.steps(problem, np.eye(X.shape[1])[None], checks=checks)
    ):
        near = y[metric_neighbors(L[0], points.Q, X, k, kernels=job.kernels, threads=1)[1]]
        counts = {"active": now.active, "ever": int(problem.ever.sum()), "pairs": len(problem.i)}
        error = per_cent_wrong(near, points.z)
        passed.append({"steps": t, "objective": objective, "error": error} | counts)
    return {"checks": passed}
