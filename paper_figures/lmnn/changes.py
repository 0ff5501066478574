"""How much of the active set changes in a step, and what equation 6 saves beside equation 5.

:func:`changes` is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.
:func:`reduce` makes the rows.
"""

from collections.abc import Callable, Sequence
from time import process_time

import numpy as np

from paper_figures.lmnn.prepared import problem_of, sampled
from paper_figures.lmnn.table1 import CHECKS, KERNELS, SIZES, K
from paper_figures.lmnn.table1_rows import grouped, mean_row
from paper_figures.registry import Context, Gathered, Job, Result, Task
from paper_figures.rows import absent_rows
from refimpl.lmnn import algorithm, target_neighbors
from refimpl.lmnn.problem import Evaluation, LargeMarginProblem
from refimpl.resources import on_one_blas_thread
from refimpl.typing import BoolArray, FloatArray

SAMPLES = 3
LAST = 20  # so many steps at the end are counted by themselves
FACTORS = (1.0, 0.3, 0.1)  # of the step size of algorithm.py, which the paper does not print
CHANGED = "triples that enter or leave in a step, of the active ones (%)"
LATE = f"triples that enter or leave in one of the last {LAST} steps (%)"
PRODUCTS = "outer products of equation 6, of those of equation 5 (%)"
SECONDS = "time of equation 6, of that of equation 5 (%)"
OBJECTIVE = "eq. 3, the least of the full checks"
MEASURES = {
    "changed": CHANGED,
    "late": LATE,
    "products": PRODUCTS,
    "seconds": SECONDS,
    "objective": OBJECTIVE,
}


class Watched(LargeMarginProblem):
    """A problem that counts which triples enter and leave the active set from step to step.

    A full check looks again at the metric of the last step; this is no step.
    """

    def begin(self) -> None:
        """Begin to count."""
        self.at: FloatArray | None = None
        self.active: BoolArray = np.zeros(0, dtype=bool)
        self.counts: list[tuple[int, int]] = []  # changed triples, and active ones before
        self.products: list[tuple[int, int]] = []  # pairs with a new weight, and with a weight
        self.seconds: list[tuple[float, float]] = []

    def evaluate(self, L: FloatArray, h: float = 0.0) -> Evaluation:
        """Return eqs. 2 and 3 over the working set, and count what changed since the last step."""
        self.now = super().evaluate(L, h)
        active = self.slacks_of_pairs(self.now.Z) > 0
        if self.at is not None and L is not self.at:
            changed = int((active != self.active).sum())
            self.counts.append((changed, int(self.active.sum())))
        self.at, self.active = L, active
        return self.now

    def gradient_M(self, weights: FloatArray, X: FloatArray | None = None) -> FloatArray:
        """Return eq. 5 or, of differences of weights, the change of eq. 6; time both."""
        if X is not None or weights is self.now.weights:
            return super().gradient_M(weights, X)
        both = {"6": weights, "5": self.now.weights}
        turns = sorted(
            both, reverse=len(self.seconds) % 2 == 1
        )  # whoever is first fills the caches
        gradients, seconds = {}, {}
        for name in turns:
            begin = process_time()
            gradients[name] = super().gradient_M(both[name])
            seconds[name] = process_time() - begin
        self.seconds.append((seconds["6"], seconds["5"]))
        self.products.append((int((weights != 0).sum()), int((self.now.weights != 0).sum())))
        return gradients["6"]


def smaller(factor: float) -> Callable[[FloatArray, FloatArray, float, int], FloatArray]:
    """Return :func:`refimpl.lmnn.algorithm.metric_step` with so many times its step size."""

    def step(L: FloatArray, G: FloatArray, objective: float, t: int) -> FloatArray:
        M = np.swapaxes(L, -1, -2) @ L
        eta = factor * algorithm.step_size(M, G, objective, t)
        return algorithm.project(M - eta * G)

    return step


def changes(
    job: Job,
    *,
    data_set: str,
    preparation: str,
    n: int,
    sample: int,
    d: int,
    k: int,
    checks: int,
    factor: float,
) -> dict[str, float]:
    """Take the paper's steps from the scaled Euclidean metric, and count changes in each step.

    Returns
    -------
    dict
        Percentages, each of sums over the steps: ``changed`` and ``late`` (the last steps alone)
        of the triples that were active before the step, ``products`` of the pairs with a weight in
        eq. 5, ``seconds`` of the processor time that eq. 5 takes; the least ``objective`` of the
        full checks; and the number of ``steps``.
    """
    points = sampled(job, data_set, preparation, n, sample, d, k)
    X = points.X
    targets = target_neighbors(X, points.y, k)
    problem = problem_of(Watched, points, targets)
    problem.begin()
    near = ((X[:, None] - X[targets]) ** 2).sum(axis=2).mean()
    start = np.eye(X.shape[1])[None] / np.sqrt(near)
    steps = algorithm.steps(problem, start, smaller(factor), checks=checks)
    objective = np.inf
    for _, best, _ in on_one_blas_thread(steps):
        objective = best[0]
    return {
        "objective": objective,
        "changed": _share(problem.counts),
        "late": _share(problem.counts[-LAST:]),
        "products": _share(problem.products),
        "seconds": _share(problem.seconds),
        "steps": len(problem.counts),
    }


def _share(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the sum of the first numbers in per cent of the sum of the second; 0 of none."""
    part, whole = np.sum(pairs, axis=0)
    return 100.0 * float(part / whole) if whole else 0.0


def tasks(context: Context) -> list[Task]:
    """Return a task for each sample of Table 1's first preparation and each step size."""
    at = SIZES[context.scale]
    same = {"data_set": at["data_set"], "d": at["d"], "k": K, "checks": CHECKS}
    same["preparation"] = at["kinds"][0]
    return [
        Task(
            "changes",
            changes,
            same | {"n": n, "sample": sample, "factor": factor},
            (at["data_set"],),
            KERNELS,
        )
        for n, count in at["samples"].items()
        for factor in FACTORS
        for sample in range(min(count, SAMPLES))
    ]


def reduce(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the shares by the number of points and the step size, means over the samples."""
    rows = absent_rows(results, {"N": None, "step": None, "measure": None})
    steps = []
    for (n, factor), group in grouped(results, "n", "factor").items():
        steps += [r.value["steps"] for r in group]
        for name, measure in MEASURES.items():
            keys = {"N": n, "step": factor, "measure": measure}
            rows.append(mean_row(keys, None, [r.value[name] for r in group]))
    taken = f"{max(steps)} of them, " if steps else ""
    note = (
        f"The paper's steps, {taken}on samples of Table 1, with the step size of this code "
        "(step 1) and with smaller ones: the paper prints none. Triples that enter and triples "
        "that leave both count, so that the share may be above 100 %. Triples that a full check "
        "finds are not counted as entering."
    )
    products = (
        "Outer products are pairs of points whose weight in the gradient is new (equation 6) or is "
        "not 0 (equation 5). Processor time is that of this code, whose gradient is a product of "
        "matrices over all points. It depends little on how many pairs have a weight."
    )
    return Gathered(rows, [note, products])
