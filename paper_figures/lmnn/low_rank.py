"""Low rank (figure 2): trainings, test errors, searches; a change here computes them anew.

The solvers are the printed steps, from the Euclidean metric on the points as given, and those for
use, which go on to the optimum. The paper names neither its step nor its end.
"""

from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

import numpy as np

from paper_figures.lmnn.prepared import Points, per_cent, points, printed_steps, scaled
from paper_figures.tasks import Job
from refimpl.lmnn import (
    LMNNOptions,
    algorithm,
    classify,
    lmnn,
    lmnn_rect,
    lmnn_svd,
    target_neighbors,
)
from refimpl.rivals.rotated_scan import principal_axes
from refimpl.typing import FloatArray, Kernels

QUERIES = 1000  # test points whose search is timed
BLOCKS = 10  # so many parts of them; the ways to search take turns on each part


def euclidean(
    job: Job, *, data_set: str, preparation: str, n: int, d: int, k: int, ranks: Sequence[int]
) -> dict[str, Any]:
    """Measure the Euclidean metric on d principal components, and on the first r (PCA)."""
    P = points(job, data_set, preparation, d, n)
    identity = np.eye(d)
    return _of_ranks(job, P, k, identity, {r: identity[:r] for r in ranks})


def full_metric(
    job: Job,
    *,
    data_set: str,
    preparation: str,
    n: int,
    d: int,
    k: int,
    ranks: Sequence[int],
    solver: str,
    checks: int,
    tol: float,
) -> dict[str, Any]:
    """Train a metric of full rank and measure it, and its leading eigenvectors (LMNN-SVD).

    Parameters
    ----------
    solver : {"printed", "optimum"}
    checks : int
        After so many full checks the printed steps end.
    tol : float
        The gap to the bound at which the optimum is reached.
    """
    P = points(job, data_set, preparation, d, n)
    before = process_time()
    if solver == "printed":
        training = _printed(P, k, np.eye(d), algorithm.metric_step, checks, job.kernels)
    else:
        result = lmnn(P.X, P.y, k, options=LMNNOptions(tol=tol), kernels=job.kernels)
        training = {"L": result.L[0], "objective": result.objective, "gap": result.gap}
        training["checks"] = result.full_checks
    seconds = process_time() - before
    L = training.pop("L")
    spectrum = np.linalg.svd(L, compute_uv=False) ** 2
    low = {r: lmnn_svd(L, r) for r in ranks}
    return (
        training
        | {"seconds": seconds, "spectrum": spectrum / spectrum[0]}
        | _of_ranks(job, P, k, L, low)
    )


def rect(
    job: Job,
    *,
    data_set: str,
    preparation: str,
    n: int,
    d: int,
    k: int,
    r: int,
    solver: str,
    checks: int,
    tol: float,
) -> dict[str, Any]:
    """Train a factor of r rows (LMNN-RECT), and measure it; the options of `full_metric`.

    There is no bound: "optimum" says that steps lower eq. 3 by less than `tol` times its value.
    """
    P = points(job, data_set, preparation, d, n)
    before = process_time()
    if solver == "printed":
        training = _printed(P, k, np.eye(r, d), algorithm.factor_step, checks, job.kernels)
    else:
        result = lmnn_rect(P.X, P.y, r, k, options=LMNNOptions(tol=tol), kernels=job.kernels)
        training = {"L": result.L[0], "objective": result.objective}
        training["checks"] = result.full_checks
    seconds = process_time() - before
    L = training.pop("L")
    return training | {"seconds": seconds} | measured(job, P, k, L)


def _printed(
    P: Points, k: int, L: FloatArray, step: Callable[..., FloatArray], checks: int, kernels: Kernels
) -> dict[str, Any]:
    """Take the paper's steps on the points as given, from a multiple of L.

    The multiple makes the mean squared distance of target neighbours 1, as in Table 1.
    """
    targets = target_neighbors(P.X, P.y, k)
    X = np.ascontiguousarray(P.X)
    states = printed_steps(X, P.y, targets, kernels, scaled(L, X, targets), step=step)
    passed = list(algorithm.until_converged(states, tol=1e-6, checks=checks))
    now, (objective, best) = passed[-1]
    return {"L": best[0], "objective": objective, "checks": len(passed), "steps": now.t}


def _of_ranks(
    job: Job, P: Points, k: int, L: FloatArray, low: dict[int, FloatArray]
) -> dict[str, Any]:
    return {
        "full": measured(job, P, k, L),
        "ranks": {str(r): measured(job, P, k, factor) for r, factor in low.items()},
    }


def measured(job: Job, P: Points, k: int, L: FloatArray) -> dict[str, Any]:
    """Return the test error under a factor L, the test points that are wrong, and the searches."""
    classes = classify(L, P.Q, P.X, P.y, k, kernels=job.kernels)
    wrong = np.flatnonzero(classes != P.z)
    return {"error": per_cent(classes, P.z), "wrong": wrong} | searched(job, P, k, L)


def searched(job: Job, P: Points, k: int, L: FloatArray) -> dict[str, Any]:
    """Search in four ways, which take turns on parts of the queries, on one thread.

    All get the points rotated to their principal components, as § 4.2 does it.

    Returns
    -------
    dict
        ``seconds`` of the processor for each part: "scan", which ends each sum early; "leaf", the
        trees' own loop over all points; "balls" (eq. 7); "boxes". Beside them what a query looks at
        on average: ``terms``, the share of all coordinates that the scan adds up, and ``balls`` and
        ``boxes``, the share of all points.
    """
    axes = principal_axes(P.X @ L.T)
    X = np.ascontiguousarray(P.X @ L.T @ axes.T)
    chosen = job.rng_for("timed queries", len(P.Q)).permutation(len(P.Q))[:QUERIES]
    Q = np.ascontiguousarray(P.Q[chosen] @ L.T @ axes.T)
    kernels = job.kernels
    leaf = kernels.build_tree(X, leaf_size=max(2, len(X)), threads=1)
    balls = kernels.build_tree(X, direction="principal", threads=1)
    boxes = kernels.build_tree(X, direction="axis", threads=1)
    ways: dict[str, Callable[[FloatArray], Any]] = {
        "scan": lambda part: kernels.scan_nearest(part, X, k, threads=1),
        "leaf": lambda part: kernels.tree_nearest(leaf, part, k, threads=1),
        "balls": lambda part: kernels.tree_nearest(balls, part, k, bound="ball", threads=1),
        "boxes": lambda part: kernels.tree_nearest(boxes, part, k, bound="box", threads=1),
    }
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    looks: dict[str, float] = dict.fromkeys(ways, 0.0)
    for part in np.array_split(Q, BLOCKS):
        for way, search in ways.items():
            before = process_time()
            answer = search(part)
            seconds[way].append(process_time() - before)
            looks[way] += float(answer[2].sum()) / len(Q)
    return {
        "seconds_of": seconds,
        "terms": looks["scan"] / X.size,
        "balls": looks["balls"] / len(X),
        "boxes": looks["boxes"] / len(X),
    }
