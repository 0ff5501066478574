"""What Athitsos et al. (2005) say in passing, as tasks: §§ 7.5, 8.3 and 11.

Not handled here: ranks, which :mod:`paper_figures.boostmap.tasks` measures.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from paper_figures.boostmap.problem import AS_PRINTED, SIGMA, load_problem, space_of
from paper_figures.tasks import TaskJob
from refimpl.boostmap import BoostMapOptions, CandidateDistances, boostmap, selective_triples
from refimpl.boostmap import algorithm as bm
from refimpl.boostmap.edges import chamfer
from refimpl.boostmap.rounds import embeddings
from refimpl.rivals.fastmap import fastmap
from refimpl.typing import FloatArray, IntArray

DRAWN = 10_000_000  # triples of images, tried for the triangle inequality
AT_ONCE = 1_000_000
TIMES = 12
N_THRESHOLDS = BoostMapOptions().n_thresholds


def triangle_inequality(
    job: TaskJob, *, data_set: str, enlarge: int, most: int, images: int
) -> dict[str, Any]:
    """Return the share of triples of edge images, in per cent, whose detour is shorter (§ 11)."""
    problem = load_problem(job, data_set, SIGMA, enlarge, most)
    rng = job.rng
    picked = rng.choice(len(problem.database), images, replace=False)
    D = chamfer(problem.database[picked], kernels=job.kernels)
    slack = 1e-9 * float(D.max())
    broken = 0
    largest = 0.0
    for _ in range(DRAWN // AT_ONCE):
        x, y, z = rng.integers(images, size=(3, AT_ONCE))
        detour = D[x, y] + D[y, z]
        longer = D[x, z] > detour + slack
        broken += int(longer.sum())
        if longer.any():
            largest = max(largest, float((D[x, z][longer] / detour[longer]).max()))
    return {"broken": 100 * broken / DRAWN, "largest": largest, "images": images}


def retrieval_times(
    job: TaskJob,
    *,
    data_set: str,
    enlarge: int,
    most: int,
    sizes: dict[str, Any],
    queries: int,
    settings: dict[str, tuple[int, int]],
) -> dict[str, Any]:
    """Return processor milliseconds a query of both steps of a retrieval (§§ 7.5 and 8.3).

    Every step is done :data:`TIMES` times.

    `settings` holds d and p of "FastMap" and "BoostMap"; BoostMap's filter step is timed with and
    without weights that depend on the query. Its second phase has random ranges: the time of a
    scan does not depend on what they are.
    """
    problem = load_problem(job, data_set, SIGMA, enlarge, most)
    rng = job.rng
    picked = rng.permutation(len(problem.database))[: sizes["candidates"]]
    candidates = problem.database[picked]
    asked = problem.queries[:queries]
    kernels = job.kernels
    times: dict[str, list[float]] = {}

    def timed(name: str, step: Callable[[], Any]) -> Any:
        for _ in range(TIMES):
            begin = time.process_time()
            value = step()
            spent = time.process_time() - begin
            times.setdefault(name, []).append(1000 * spent / queries)
        return value

    space = space_of(job, candidates)
    d, p = settings["FastMap"]
    rival = fastmap(space, d, rng=rng, clip=True)
    X = rival.embed(space, problem.database)
    Q = timed("FastMap, embed", lambda: _each(asked, lambda query: rival.embed(space, query)))
    timed("FastMap, filter", lambda: np.argpartition(rival.pairwise(Q, X), p, axis=1)[:, :p])
    timed("FastMap, refine", lambda: _refine(job, asked, problem.database, p))
    d, p = settings["BoostMap"]
    first = rng.integers(len(picked), size=(d, 2))
    D = chamfer(asked, candidates, kernels=kernels)
    used = candidates[np.unique(first)]
    timed(
        "BoostMap, embed", lambda: _each(asked, lambda query: chamfer(query, used, kernels=kernels))
    )
    Q = np.ascontiguousarray(D[:, first[:, 0]])
    X = np.ascontiguousarray(chamfer(problem.database, candidates[first[:, 0]], kernels=kernels))
    same = np.ones((queries, d))
    nearest = kernels.weighted_l1_nearest
    timed("BoostMap, filter", lambda: nearest(Q, same, X, p, threads=1))
    alpha = np.ones(d)
    second = [
        (c % d, c % d, float(np.median(Q[:, c % d])), np.inf, 1, 0.5)
        for c in range(sizes["query_sensitive"])
    ]
    A = timed("BoostMap, weights of a query", lambda: bm.query_weights(Q, alpha, second))
    timed("BoostMap, filter with weights of a query", lambda: nearest(Q, A, X, p, threads=1))
    timed("BoostMap, refine", lambda: _refine(job, asked, problem.database, p))
    return {"milliseconds": times, "settings": {k: list(v) for k, v in settings.items()}}


def _each(asked: Any, step: Callable[[Any], FloatArray]) -> FloatArray:
    """Return the rows that `step` gives for queries that come one at a time, as in `_refine`."""
    return np.concatenate([step(query[np.newaxis]) for query in asked])


def _refine(job: TaskJob, asked: Any, database: Any, p: int) -> IntArray:
    """Return the 10 nearest of the first p objects by exact distances, query by query."""
    found = [
        np.argsort(chamfer(query[np.newaxis], database[:p], kernels=job.kernels)[0])[:10]
        for query in asked
    ]
    return np.array(found)


def own_splitters(
    job: TaskJob, *, data_set: str, enlarge: int, most: int, sizes: dict[str, Any], draw: int
) -> dict[str, Any]:
    """Return how often phase two picks the same embedding twice, if it may pick any pair (§ 8.3).

    Every round tries each embedding with each splitter; the ranges are those of least error.
    `draw` counts the trainings.
    """
    problem = load_problem(job, data_set, SIGMA, enlarge, most)
    rng = job.rng
    picked = rng.permutation(len(problem.database))[: sizes["candidates"] + sizes["objects"]]
    C = problem.database[picked[: sizes["candidates"]]]
    T = picked[sizes["candidates"] :]
    kernels = job.kernels
    X = problem.database[T]
    given = CandidateDistances(chamfer(C, X, kernels=kernels), chamfer(C, kernels=kernels))
    labels = problem.labels[T]
    chosen = selective_triples(
        chamfer(X, kernels=kernels), labels, sizes["k_most"], sizes["triples"], rng=rng
    )
    options = BoostMapOptions(n_references=sizes["M_1"], n_best=sizes["M_2"], **AS_PRINTED)
    model = boostmap(
        given, chosen, sizes["d"], rng=rng, options=options, kernels=kernels, threads=1
    )
    training = bm.Problem(given.D, given.between, chosen.objects, chosen.y)
    names = list(zip(model.first.tolist(), model.second.tolist(), strict=True))
    F = embeddings(training, names)
    margin = np.zeros(len(chosen.y))
    for x_1, x_2, alpha in zip(
        model.round_first.tolist(),
        model.round_second.tolist(),
        model.round_alpha.tolist(),
        strict=True,
    ):
        row = embeddings(training, [(x_1, x_2)])[0]
        margin, _, _ = kernels.next_weights(row, chosen.objects, chosen.y, margin, alpha, threads=1)
    choices = bm.Choices(N_THRESHOLDS, every_pair, bm.ranges_of_least_error)
    rounds = bm.query_sensitive_rounds(
        F, chosen.objects, chosen.y, margin, choices, rng=rng, kernels=kernels, threads=1
    )
    same = [r.c == r.g for r, _ in zip(rounds, range(sizes["query_sensitive"]), strict=False)]
    return {"same": int(sum(same)), "rounds": len(same), "d": model.d}


def every_pair(d: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return c and g of d * d classifiers: each coordinate split by each."""
    return np.repeat(np.arange(d), d), np.tile(np.arange(d), d)
