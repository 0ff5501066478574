"""Table 1's active set: how many triples ever broke the margin; a change here computes them anew.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from paper_figures.lmnn.prepared import per_cent_wrong, printed_steps, sampled
from paper_figures.tasks import Job
from refimpl.lmnn import algorithm, metric_neighbors, target_neighbors
from refimpl.lmnn.algorithm import State
from refimpl.typing import BoolArray, IntArray


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
    states = printed_steps(X, y, target_neighbors(X, y, k), points.kernels, np.eye(X.shape[1]))
    ever = Ever(len(y))
    passed = []
    for now, (objective, L) in algorithm.until_converged(ever.watched(states), checks=checks):
        near = y[metric_neighbors(L[0], points.Q, X, k, kernels=job.kernels, threads=1)[1]]
        counts = {"active": int(now.N.sum()), "ever": ever.count, "pairs": len(now.i)}
        error = per_cent_wrong(near, points.z)
        passed.append({"steps": now.t, "objective": objective, "error": error} | counts)
    return {"checks": passed}


class Ever:
    """Which triples of the active set were ever active; `count` is their number."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.codes: IntArray = np.zeros(0, dtype=np.int64)
        self.triples: BoolArray = np.zeros((0, 1), dtype=bool)

    @property
    def count(self) -> int:
        """The number of triples so far."""
        return int(self.triples.sum())

    def watched(self, states: Iterator[State]) -> Iterator[State]:
        """Pass the states on, and note which triples are active."""
        for now in states:
            if now.found is not None:  # pairs may be new, and none goes
                codes = now.i * self.n + now.l
                triples = np.zeros_like(now.N)
                triples[np.isin(codes, self.codes)] = self.triples
                self.codes, self.triples = codes, triples
            self.triples |= now.N
            yield now
