"""Table 1 on random samples: trainings by the certified and by the printed solver, and their
errors; a change here computes them anew.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.

Not handled here: several metrics (`courses.py`).
"""

from time import process_time
from typing import Any

import numpy as np

from paper_figures.lmnn.least_trace import least_trace
from paper_figures.lmnn.prepared import Sample, per_cent_wrong, printed_steps, sampled
from paper_figures.tasks import Job
from refimpl.lmnn import LMNNOptions, algorithm, lmnn, metric_neighbors, target_neighbors
from refimpl.typing import FloatArray, IntArray

TIES = ("first class", "nearest")


def certified(
    job: Job,
    *,
    data_set: str,
    preparation: str,
    n: int,
    sample: int,
    d: int,
    k: int,
    tol: float,
    shuffled: bool,
) -> dict[str, Any]:
    """Train on a sample to a proven optimum of eq. 3, and measure the metric.

    Where eq. 3 reaches 0 many metrics do; then the metric is that of least trace among them.
    `shuffled` passes the points in a random order, whose only effect is which of two equally near
    points is a target neighbour, and rounding.

    Returns
    -------
    dict
        ``unique``: whether eq. 3 stays above 0. With it stand the errors of
        :func:`_errors`, those of the Euclidean metric, and the counts of :func:`_counts`.
    """
    points = sampled(job, data_set, preparation, n, sample, d, k)
    if shuffled:
        order = job.rng_for("order", data_set, n, sample).permutation(len(points.y))
        points = points._replace(X=points.X[order], y=points.y[order])
    before = process_time()
    result = lmnn(
        points.X, points.y, k, options=LMNNOptions(tol=tol), kernels=job.kernels, threads=1
    )
    seconds = process_time() - before
    L = result.L[0]
    least = least_trace(points.X, points.y, result.targets) if result.bound <= 0 else None
    if least is not None:
        L = least
    now = next(printed_steps(points.X, points.y, result.targets, points.kernels, L))
    return {
        "seconds": seconds,
        "objective": result.objective if least is None else 0.0,
        "gap": result.gap if least is None else 0.0,
        "unique": least is None,
        "trace": float((L * L).sum()),
        **_counts(now),
        **_total(points.y),
        **_errors(L, points, train=True),
        "euclidean": _errors(np.eye(points.X.shape[1]), points, train=False),
    }


def printed(
    job: Job, *, data_set: str, preparation: str, n: int, sample: int, d: int, k: int, checks: int
) -> dict[str, Any]:
    """Take the paper's steps on a sample from the Euclidean metric, and measure each full check.

    The steps are those of :func:`refimpl.lmnn.algorithm.steps`, on the points as given. They start
    from the Euclidean metric at a scale that makes the mean squared distance of target neighbours
    1. A check measures the best metric so far.

    Returns
    -------
    dict
        ``checks``: for each the number of steps, eq. 3, the seconds so far, and what was counted
        and measured; ``end``: training errors at the last.
    """
    points = sampled(job, data_set, preparation, n, sample, d, k)
    targets = target_neighbors(points.X, points.y, k)
    states = printed_steps(points.X, points.y, targets, points.kernels)
    passed: list[dict[str, Any]] = []
    best = np.inf
    seconds = 0.0
    before = process_time()
    for now, (objective, L) in algorithm.until_converged(states, checks=checks):
        seconds += process_time() - before
        check = {"steps": now.t, "seconds": seconds, "pairs_ever": len(now.i)}
        if objective < best:
            best = objective
            measured = _counts(now) | {"objective": best} | _errors(L[0], points, train=False)
        passed.append(check | measured)
        before = process_time()
    return {"checks": passed, "end": _errors(L[0], points, train=True), **_total(points.y)}


def _counts(now: algorithm.State) -> dict[str, int]:
    """Return how many triples, and how many pairs of a point and an impostor, are active."""
    return {"active": int(now.N.sum()), "active_pairs": int(now.N.any(axis=1).sum())}


def _total(y: IntArray) -> dict[str, int]:
    """Return the number of points, and that of pairs of points of two classes, (i, l)."""
    sizes = np.unique(y, return_counts=True)[1]
    n = int(sizes.sum())
    return {"n": n, "total": int((sizes * (n - sizes)).sum())}


def _errors(L: FloatArray, points: Sample, *, train: bool) -> dict[str, Any]:
    """Return k-nn errors in per cent: of the test points, and of the training points.

    Training errors are measured with each point left out, and with each point among its own
    neighbours.
    """
    k = points.k

    def wrong(near: IntArray, y: IntArray) -> dict[str, float]:
        return {ties: per_cent_wrong(near, y, ties) for ties in TIES}

    near = points.y[
        metric_neighbors(L, points.Q, points.X, k, kernels=points.kernels, threads=1)[1]
    ]
    errors: dict[str, Any] = {"test": wrong(near, points.z)}
    if train:
        near = points.y[
            metric_neighbors(L, None, points.X, k, kernels=points.kernels, threads=1)[1]
        ]
        own = np.column_stack([points.y, near[:, : k - 1]])
        errors |= {"left_out": wrong(near, points.y), "own": wrong(own, points.y)}
    return errors
