"""What the figures beyond Athitsos et al. (2005) compute: edge detectors, readings of § 7.3.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.
"""

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from paper_figures.boostmap.detectors import EdgesLost, detected_problem
from paper_figures.boostmap.problem import (
    AS_PRINTED,
    SIGMA,
    Problem,
    knn_errors,
    load_problem,
    rank_percentiles,
    space_of,
)
from paper_figures.registry import Job
from refimpl.boostmap import (
    BoostMap,
    BoostMapOptions,
    CandidateDistances,
    Triples,
    boostmap,
    random_triples,
    selective_triples,
)
from refimpl.boostmap import algorithm as bm
from refimpl.boostmap.bounds import least_z
from refimpl.boostmap.edges import chamfer
from refimpl.boostmap.model import from_rounds
from refimpl.boostmap.rounds import addition, modification
from refimpl.kernels.losses import weights_of
from refimpl.rivals.fastmap import fastmap
from refimpl.spaces import CallableSpace, enn_ranks, percentile
from refimpl.typing import BoolArray, FloatArray, Int32Array, Kernels

SUCCESS, K = 98, 10  # § 11.2
SHOWN = (95, 99)
DIMENSIONS = 11  # of FastMap in § 11.2


# ----------------------------------------------------------------------------------- edge detectors


def edges(
    job: Job, *, data_set: str, enlarge: int, most: int, detector: Sequence[Any], n_train: int
) -> dict[str, Any]:
    """Return k-nn errors with an edge detector, and the p of § 11.2 for FastMap.

    The errors are those of the chamfer distance; FastMap has 11 dimensions.

    Returns None in their place, and the number of images, if some have no edge at all.
    """
    try:
        problem = detected_problem(job, data_set, detector, enlarge, most)
    except EdgesLost as lost:
        return {"lost": lost.images, "errors": None, "candidates": None, "edge_pixels": None}
    labels = problem.labels[problem.nearest]
    errors = knn_errors(labels, problem.distances, problem.truth, job.rng_for("votes"))
    return {
        "lost": 0,
        "errors": errors,
        "candidates": _fastmap_candidates(job, problem, n_train),
        "edge_pixels": float(problem.database.sum(axis=(1, 2)).mean()),
    }


def _fastmap_candidates(job: Job, problem: Problem, n_train: int) -> int:
    rng = job.rng_for("edges")
    picked = np.sort(rng.choice(len(problem.database), n_train, replace=False))
    space = space_of(job, problem.database[picked])
    model = fastmap(space, DIMENSIONS, rng=rng)
    Q = model.embed(space, problem.queries)
    X = model.embed(space, problem.database)
    ranks = enn_ranks(model, Q, X, problem.nearest, [K], kernels=job.kernels)
    return int(percentile(ranks[:, 0], SUCCESS))


# -------------------------------------------------------------------------------- readings of § 7.3


def reading(
    job: Job,
    *,
    data_set: str,
    enlarge: int,
    most: int,
    triples: str,
    sizes: dict[str, Any],
    queries: int,
    reading: dict[str, Any],
) -> dict[str, Any]:
    """Return ENN-k ranks of query-insensitive embeddings under one reading of §§ 7 and 10.

    `reading` holds what differs: "m", "M_2", "triples", "objects", "sigma", "steps" ("add",
    "printed"), "octaves" (weights only at powers of 2**octaves), "same" (objects of the triples are
    the candidates), "draw".
    """
    problem = load_problem(job, data_set, reading.get("sigma", SIGMA), enlarge, most)
    sizes = (
        {"m": sizes["M_1"]}
        | sizes
        | {name: reading[name] for name in reading if name in (*sizes, "m")}
    )
    rng = job.rng_for("reading", triples, reading.get("draw", 0))
    picked = rng.permutation(len(problem.database))[: sizes["candidates"] + sizes["objects"]]
    C = picked[: sizes["candidates"]]
    T = picked[sizes["candidates"] :]
    T = C[: sizes["objects"]] if reading.get("same") else T
    candidates = problem.database[C]
    objects = problem.database[T]
    labels = problem.labels[T]
    D_X = chamfer(objects, kernels=job.kernels)
    if triples == "Se":
        chosen = selective_triples(D_X, labels, sizes["k_most"], sizes["triples"], rng=rng)
    else:
        chosen = random_triples(D_X, sizes["triples"], rng=rng)
    distances = CandidateDistances(
        chamfer(candidates, objects, kernels=job.kernels), chamfer(candidates, kernels=job.kernels)
    )
    model = _train(job, distances, chosen, sizes, reading, rng)
    return _measured(job, model, problem, candidates, queries)


def _train(
    job: Job,
    distances: CandidateDistances,
    triples: Triples,
    sizes: dict[str, Any],
    reading: dict[str, Any],
    rng: np.random.Generator,
) -> BoostMap:
    kernels = job.kernels
    threads = sizes["threads"]
    if "octaves" in reading:
        # the other kernels come by `__getattr__`, which a protocol does not see
        kernels = cast(Kernels, CoarseWeights(kernels, reading["octaves"]))
    if "steps" in reading:
        problem = bm.Problem(distances.D, distances.between, triples.objects, triples.y)
        rounds = _rounds(problem, sizes, reading["steps"], rng, kernels, threads)
        return from_rounds(list(rounds))
    options = BoostMapOptions(
        n_references=sizes["M_1"], n_pairs=sizes["m"], n_best=sizes["M_2"], **AS_PRINTED
    )
    return boostmap(
        distances, triples, sizes["d"], rng=rng, options=options, kernels=kernels, threads=threads
    )


def _measured(
    job: Job, model: BoostMap, problem: Problem, candidates: BoolArray, queries: int
) -> dict[str, Any]:
    space = CallableSpace(
        lambda A, B: chamfer(A, B, kernels=job.kernels), candidates, pairwise=True
    )
    Q = model.embed(space, problem.queries[:queries])
    X = model.embed(space, problem.database)
    part = Problem(
        problem.database,
        problem.queries[:queries],
        problem.labels,
        problem.truth[:queries],
        problem.distances[:queries],
        problem.nearest[:queries],
    )
    ranks = rank_percentiles(job, model, Q, X, part)["ranks"]
    return {
        "ranks": {k: [values[p - 1] for p in SHOWN] for k, values in ranks.items()},
        "d": model.d,
        "rounds": len(model.round_alpha),
        "pairs": int((model.second >= 0).sum()),
    }


def _rounds(
    problem: bm.Problem,
    sizes: dict[str, Any],
    steps: str,
    rng: np.random.Generator,
    kernels: Kernels,
    threads: int | None,
) -> Iterator[tuple[int, int, float, float]]:
    """Yield the rounds of § 7.3 under another reading of its steps, at most 4 d rounds.

    `steps` is "add", for additions alone, or "printed", for steps 1-2 as printed.
    """
    between, triples, y = problem.between, problem.triples, problem.y
    margin = np.zeros(len(y))
    H: dict[tuple[int, int], float] = {}
    F: dict[tuple[int, int], FloatArray] = {}
    for _ in range(4 * sizes["d"]):
        h = None
        if steps == "printed" and H:
            h, alpha = _printed_removal(problem, H, F, margin, kernels, threads)
            if h is None:
                h, alpha = modification(problem, H, F, margin, kernels, threads)
        if h is None:
            if len(H) == sizes["d"]:
                return
            tried = sizes["M_1"], sizes["m"], sizes["M_2"]
            w, _, _ = weights_of(margin)
            h, alpha = addition(problem, tried, (), margin, w, rng, kernels, threads)
        F[h] = bm.embeddings(problem, [h])[0]
        margin, _, _ = kernels.next_weights(F[h], triples, y, margin, alpha, threads=threads)
        bm.add_to(H, h, alpha)
        yield (*h, float(between[h[1], h[0]]) if h[1] >= 0 else 0.0, alpha)
        if h not in H:
            del F[h]


def _printed_removal(
    problem: bm.Problem,
    H: dict[tuple[int, int], float],
    F: dict[tuple[int, int], FloatArray],
    margin: FloatArray,
    kernels: Kernels,
    threads: int | None,
) -> tuple[Any, float]:
    """Return the classifier that the printed steps 1-2 take out, and minus its weight; or None."""
    names = list(H)
    weights = np.array(list(H.values()))
    values = [F[h] for h in names]
    g, _ = least_z(values, problem.triples, problem.y, margin, weights, kernels, threads, below=1.0)
    return (None, 0.0) if g is None else (names[g], -float(weights[g]))


class CoarseWeights:
    """Kernels whose ``minimize_z`` looks at weights on a coarse grid only: powers of 2**octaves."""

    def __init__(self, kernels: Kernels, octaves: int) -> None:
        self._kernels = kernels
        self._octaves = octaves

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernels, name)

    def minimize_z(
        self,
        F: FloatArray,
        triples: Int32Array,
        y: FloatArray,
        margin: FloatArray,
        least: FloatArray,
        threads: int | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the power of 2**octaves nearest to the best weight by logarithm, and its Z."""
        alpha, _ = self._kernels.minimize_z(F, triples, y, margin, least, threads=threads)
        size = np.where(alpha == 0, 1.0, np.abs(alpha))
        coarse = np.sign(alpha) * 2.0 ** (self._octaves * np.round(np.log2(size) / self._octaves))
        alpha = np.maximum(coarse, least)
        return alpha, self._kernels.z_values(F, triples, y, margin, alpha, threads=threads)
