"""How much of the active set changes in a step, and what equation 6 saves beside equation 5.

:func:`changes` is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.
:func:`reduce` makes the rows.
"""

from collections.abc import Callable, Iterator, Sequence
from time import process_time
from typing import Any

import numpy as np

from paper_figures.lmnn.prepared import printed_steps, sampled
from paper_figures.lmnn.table1 import CHECKS, KERNELS, SIZES, K
from paper_figures.lmnn.table1_rows import grouped, mean_row
from paper_figures.store import Row
from paper_figures.tasks import Context, Gathered, Job, Result, Task, absent_rows
from refimpl.lmnn import algorithm, target_neighbors
from refimpl.lmnn.algorithm import Examples, State
from refimpl.typing import BoolArray, FloatArray, IntArray, Kernels

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


class Watch:
    """Counts which triples enter and leave N^t from step to step, and times equations 5 and 6.

    The triples that a full check finds are not among those of the step before.
    """

    def __init__(self, examples: Examples, kernels: Kernels) -> None:
        self.examples = examples
        self.how: dict[str, Any] = {"kernels": kernels, "threads": 1}
        self.counts: list[tuple[int, int]] = []  # changed triples, and active ones before
        self.products: list[tuple[int, int]] = []  # pairs with a new weight, and with a weight
        self.seconds: list[tuple[float, float]] = []

    def watched(self, states: Iterator[State]) -> Iterator[State]:
        """Pass the states on, and count."""
        before = None
        for now in states:
            if before is not None:
                self._step(before, now)
            before = now
            yield now

    def _step(self, before: State, now: State) -> None:
        n = len(self.examples.y)
        i, l, N = before.i, before.l, before.N
        known = np.isin(now.i * n + now.l, i * n + l)  # no pair ever goes
        N_next = now.N[known]
        self.counts.append((int((N != N_next).sum()), int(N.sum())))
        first, then = self._weights(i, N), self._weights(i, N_next)
        self.products.append((int((first != then).sum()), int((then != 0).sum())))
        sums: dict[str, Callable[[], object]] = {
            "6": lambda: (self._push(i, l, N & ~N_next), self._push(i, l, N_next & ~N)),
            "5": lambda: algorithm.gradient(self.examples, i, l, N_next, 1.0, **self.how),
        }
        turns = sorted(sums, reverse=len(self.seconds) % 2 == 1)  # the first fills the caches
        seconds = {}
        for name in turns:
            begin = process_time()
            sums[name]()
            seconds[name] = process_time() - begin
        self.seconds.append((seconds["6"], seconds["5"]))

    def _push(self, i: IntArray, l: IntArray, N: BoolArray) -> FloatArray:
        return algorithm.push(self.examples, i, l, N, **self.how)

    def _weights(self, i: IntArray, N: BoolArray) -> IntArray:
        """Return the weight of each pair in eq. 5: those of target neighbours, then the others."""
        own = np.ones_like(self.examples.targets)
        np.add.at(own, i, N)
        return np.concatenate([own.ravel(), -N.sum(axis=1)])


def smaller(factor: float) -> Callable[[FloatArray, FloatArray, int], FloatArray]:
    """Return :func:`refimpl.lmnn.algorithm.metric_step` with so many times its step size."""

    def step(L: FloatArray, G: FloatArray, t: int) -> FloatArray:
        M = np.swapaxes(L, -1, -2) @ L
        eta = factor * algorithm.step_size(M, G, t)
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
    states = printed_steps(X, points.y, targets, points.kernels, step=smaller(factor))
    examples = Examples(X, points.y, targets, np.zeros(len(X), dtype=np.int64))
    watch = Watch(examples, points.kernels)
    *_, (_, best) = algorithm.until_converged(watch.watched(states), checks=checks)
    return {
        "objective": best[0],
        "changed": _share(watch.counts),
        "late": _share(watch.counts[-LAST:]),
        "products": _share(watch.products),
        "seconds": _share(watch.seconds),
        "steps": len(watch.counts),
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


LEAST = "the least within 10 %"
AS_FAR = 1.1  # times the least objective


def _small_steps(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the least step whose objective comes within 10 % of the least, again.

    The paper says small steps, and prints no size.
    """
    small = []
    for n in dict.fromkeys(row["N"] for row in rows if row["ours"] is not None):
        lows = {r["step"]: r["ours"] for r in rows if (r["N"], r["measure"]) == (n, OBJECTIVE)}
        step = min(factor for factor, low in lows.items() if low <= AS_FAR * min(lows.values()))
        small += [row | {"step": LEAST} for row in rows if (row["N"], row["step"]) == (n, step)]
    return small


def reduce(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the shares by the number of points and the step size, means over the samples."""
    rows = absent_rows(results, {"N": None, "step": None, "measure": None})
    steps = []
    for (n, factor), group in grouped(results, "n", "factor").items():
        steps += [r.value["steps"] for r in group]
        for name, measure in MEASURES.items():
            keys = {"N": n, "step": factor, "measure": measure}
            rows.append(mean_row(keys, None, [r.value[name] for r in group]))
    rows += _small_steps(rows)
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
