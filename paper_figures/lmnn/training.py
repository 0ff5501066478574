"""Table 1's trainings: by the certified and by the printed solver, what they measure and count.

Not handled here: several metrics (`courses.py`).
"""

from collections.abc import Callable, Iterator, Sequence
from time import process_time
from typing import Any

import numpy as np

from paper_figures.lmnn.least_trace import least_trace
from paper_figures.lmnn.points import Points, per_cent_wrong, printed_steps, sampled
from paper_figures.study import Job, Observation
from refimpl.lmnn import LMNNOptions, algorithm, lmnn, metric_neighbors, target_neighbors
from refimpl.lmnn.algorithm import Examples, State
from refimpl.typing import BoolArray, FloatArray, IntArray, Kernels

K = 3
TOL = 2e-3
CHECKS = 14  # 191 steps
TIES = ("first class", "nearest")
LAST = 20  # so many steps at the end are counted by themselves


def certified(job: Job, points: Points, key: Sequence[Any], shuffled: bool) -> Observation:
    """Train on a sample to a proven optimum of eq. 3, and measure the metric."""
    # Where eq. 3 reaches 0 many metrics do; then it is that of least trace. Another order of the
    # points decides which of two equally near points is a target neighbour, and rounding.
    if shuffled:
        order = job.rng_for("order", *key).permutation(len(points.y))
        points = points._replace(X=points.X[order], y=points.y[order])
    before = process_time()
    result = lmnn(
        points.X, points.y, K, options=LMNNOptions(tol=TOL), kernels=job.kernels, threads=1
    )
    seconds = process_time() - before
    L = result.L[0]
    least = least_trace(points.X, points.y, result.targets) if result.bound <= 0 else None
    if least is not None:
        L = least
    now = next(printed_steps(points.X, points.y, result.targets, job.kernels, L))
    return {
        "seconds": seconds,
        "objective": result.objective if least is None else 0.0,
        "gap": result.gap if least is None else 0.0,
        "unique": least is None,
        "active": int(now.N.sum()),
        "total": _total(points.y),
        **_errors(job, L, points, train=True),
        "euclidean": _errors(job, np.eye(points.X.shape[1]), points, train=False),
    }


def printed(job: Job, points: Points) -> Observation:
    """Take the paper's steps from the scaled Euclidean metric, and measure the best one."""
    targets = target_neighbors(points.X, points.y, K)
    before = process_time()
    states = printed_steps(points.X, points.y, targets, job.kernels)
    checks = algorithm.until_converged(states, checks=CHECKS)
    passed = [(least, int(now.N.sum())) for now, least in checks]
    seconds = process_time() - before
    objective, L = passed[-1][0]
    return {
        "seconds": seconds,
        "objective": objective,
        "active": next(active for (least, _), active in passed if least == objective),
        "total": _total(points.y),
        **_errors(job, L[0], points, train=True),
    }


def _total(y: IntArray) -> int:
    """Return the number of pairs of points of two classes, (i, l)."""
    sizes = np.unique(y, return_counts=True)[1]
    return int((sizes * (len(y) - sizes)).sum())


def _errors(job: Job, L: FloatArray, points: Points, *, train: bool) -> dict[str, Any]:
    """Return k-nn errors (%) of the test points; if asked of training points, left out and own."""
    X, y, Q, z = points

    def near(queries: FloatArray | None) -> IntArray:
        return y[metric_neighbors(L, queries, X, K, kernels=job.kernels, threads=1)[1]]

    def wrong(classes: IntArray, truth: IntArray) -> dict[str, float]:
        return {ties: per_cent_wrong(classes, truth, ties) for ties in TIES}

    errors: dict[str, Any] = {"test": wrong(near(Q), z)}
    if train:
        others = near(None)
        own = np.column_stack([y, others[:, : K - 1]])
        errors |= {"left_out": wrong(others, y), "own": wrong(own, y)}
    return errors


def ever_active(job: Job, points: Points) -> Observation:
    """Take the paper's steps from the identity, and count the triples that were ever active."""
    # the triples that ever broke the margin are the active set of § 3
    X, y = points.X, points.y
    states = printed_steps(X, y, target_neighbors(X, y, K), job.kernels, np.eye(X.shape[1]))
    ever = Ever(len(y))
    passed = [
        {"steps": now.t, "active": int(now.N.sum()), "ever": ever.count}
        for now, _ in algorithm.until_converged(ever.watched(states), checks=CHECKS)
    ]
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


class Watch:
    """Counts which triples enter and leave N^t from step to step, and times equations 5 and 6."""

    # the triples that a full check finds are not among those of the step before

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


def changes(job: Job, points: Points, factor: float) -> Observation:
    """Take the paper's steps from the scaled Euclidean metric, and count changes in each step."""
    X = points.X
    targets = target_neighbors(X, points.y, K)
    states = printed_steps(X, points.y, targets, job.kernels, step=smaller(factor))
    examples = Examples(X, points.y, targets, np.zeros(len(X), dtype=np.int64))
    watch = Watch(examples, job.kernels)
    *_, (_, best) = algorithm.until_converged(watch.watched(states), checks=CHECKS)
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


def compute(
    job: Job,
    *,
    part: str,
    data_set: str,
    preparation: str,
    n: int,
    sample: int,
    d: int,
    shuffled: bool = False,
    factor: float = 1.0,
) -> Iterator[Observation]:
    """Yield what one training on a random sample measures."""
    points = sampled(job, data_set, preparation, n, sample, d, K)
    if part == "certified":
        yield certified(job, points, (data_set, n, sample), shuffled)
    elif part == "printed":
        yield printed(job, points)
    elif part == "ever active":
        yield ever_active(job, points)
    else:
        yield changes(job, points, factor)
