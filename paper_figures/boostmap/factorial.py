"""What the readings of §§ 7 and 8 of Athitsos et al. (2005) do to the ranks, at the paper's sizes.

A task is one first phase under one reading. It is measured as it is, and with second phases on top.
Readings of one draw share their objects, triples and the random numbers of their rounds.

Not handled here: readings at smaller sizes (:mod:`paper_figures.boostmap.trials`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from paper_figures.boostmap.detectors import detected_problem
from paper_figures.boostmap.problem import AS_PRINTED, KS, Problem, space_of
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
from refimpl.boostmap.bounds import best_of_bound, floored, least_z_min, z_bound, z_min_bound
from refimpl.boostmap.edges import chamfer
from refimpl.boostmap.model import columns_of, from_rounds
from refimpl.boostmap.rounds import embeddings, removal
from refimpl.kernels.losses import weights_of
from refimpl.kernels.triples import margins
from refimpl.spaces import enn_ranks, percentile
from refimpl.typing import BoolArray, FloatArray, Int32Array, IntArray, Kernels

SHOWN = (80, 90, 95, 98, 99)
"""Percentiles that a task keeps."""
N_THRESHOLDS = BoostMapOptions().n_thresholds
NO_LIMIT = -1e6
"""The least weight of a classifier whose weight may be negative: far below any that is found."""
ROUNDS_PER_DIMENSION = 20
"""Where a first phase with negative weights ends at the latest."""
AT_ONCE = 8
SLACK = 1e-9

FirstRound = tuple[int, int, float, float]
QuerySensitive = tuple[int, int, float, float, int, float]


def factor(
    job: Job,
    *,
    data_set: str,
    enlarge: int,
    most: int,
    detector: Sequence[Any],
    triples: str,
    sizes: dict[str, Any],
    reading: dict[str, Any],
    second_phases: Sequence[dict[str, Any]],
    draw: int,
) -> dict[str, Any]:
    """Train under one reading, and return percentiles of ENN-k ranks with and without phase two.

    The edges come from a detector of :func:`paper_figures.boostmap.detectors.detect`.

    `reading` holds what differs from § 7.3 as printed: "steps" ("add": additions alone), "M_1",
    "m", "signed" (weights may be negative), "redraw" (a round without gain does not end the phase).
    `second_phases` are dicts of "splitters", "ranges_by" and "rounds", the numbers of rounds after
    which the ranks are measured. `draw` counts the draws of objects, triples and classifiers.
    """
    problem = detected_problem(job, data_set, detector, enlarge, most)
    rng = job.rng_for("factor", triples, draw)
    C, given, chosen = _given(job, problem, triples, sizes, rng)
    first = first_phase(job, given, chosen, sizes | reading, rng)
    space = space_of(job, problem.database[C])
    Q = first.embed(space, problem.queries)
    X = first.embed(space, problem.database)
    value: dict[str, Any] = {
        "d": first.d,
        "rounds": len(first.round_alpha),
        "pairs": int((first.second >= 0).sum()),
        "negative": int((first.alpha < 0).sum()),
        "cost": first.cost,
        "QI": _percentiles(job, first, Q, X, problem),
        "QS": [],
    }
    triple_problem = bm.Problem(given.D, given.between, chosen.objects, chosen.y)
    for place, choices in enumerate(second_phases):
        classifiers = list(
            second_phase(
                triple_problem,
                first,
                choices,
                job.rng_for("second phase", triples, draw, place),
                job.kernels,
                sizes["threads"],
            )
        )
        for rounds in choices["rounds"]:
            model = with_classifiers(first, classifiers[:rounds])
            ranks = _percentiles(job, model, Q, X, problem)
            value["QS"].append({"place": place, "rounds": rounds, "ranks": ranks})
    return value


def _given(
    job: Job, problem: Problem, triples: str, sizes: dict[str, Any], rng: np.random.Generator
) -> tuple[IntArray, CandidateDistances, Triples]:
    """Return the candidates' places, the distances and the triples of § 11."""
    picked = rng.permutation(len(problem.database))[: sizes["candidates"] + sizes["objects"]]
    C = picked[: sizes["candidates"]]
    T = picked[sizes["candidates"] :]
    candidates = problem.database[C]
    objects = problem.database[T]
    kernels = job.kernels
    distances = CandidateDistances(
        chamfer(candidates, objects, kernels=kernels), chamfer(candidates, kernels=kernels)
    )
    D_X = chamfer(objects, kernels=kernels)
    if triples == "Se":
        labels = problem.labels[T]
        chosen = selective_triples(D_X, labels, sizes["k_most"], sizes["triples"], rng=rng)
    else:
        chosen = random_triples(D_X, sizes["triples"], rng=rng)
    return C, distances, chosen


def _percentiles(
    job: Job, model: BoostMap, Q: FloatArray, X: FloatArray, problem: Problem
) -> dict[str, list[int]]:
    ks = [k for k in KS if k <= problem.nearest.shape[1]]
    ranks = enn_ranks(model, Q, X, problem.nearest, ks, kernels=job.kernels)
    return {str(k): [int(percentile(ranks[:, i], p)) for p in SHOWN] for i, k in enumerate(ks)}


# ---------------------------------------------------------------------------------- the first phase


def first_phase(
    job: Job,
    given: CandidateDistances,
    chosen: Triples,
    sizes: dict[str, Any],
    rng: np.random.Generator,
) -> BoostMap:
    """Return the query-insensitive embedding under a reading; `sizes` hold what it changes."""
    signed = sizes.get("signed", False)
    if sizes.get("steps") != "add" and not signed:
        options = BoostMapOptions(
            n_references=sizes["M_1"], n_pairs=sizes["m"], n_best=sizes["M_2"], **AS_PRINTED
        )
        return boostmap(
            given,
            chosen,
            sizes["d"],
            rng=rng,
            options=options,
            kernels=job.kernels,
            threads=sizes["threads"],
        )
    problem = bm.Problem(given.D, given.between, chosen.objects, chosen.y)
    alone = sizes.get("steps") == "add"
    return from_rounds(list(_rounds(problem, sizes, alone, signed, rng, job.kernels)))


def _rounds(
    problem: bm.Problem,
    sizes: dict[str, Any],
    alone: bool,
    signed: bool,
    rng: np.random.Generator,
    kernels: Kernels,
) -> Iterator[FirstRound]:
    """Yield the rounds of § 7.3; with `alone` steps 5-12 only, with `signed` no limit of weights.

    The phase ends as § 7.3 says: with d classifiers where the next step is an addition, or where no
    classifier lowers Z. With "redraw" in `sizes` the next round draws others there.
    """
    triples, y, threads = problem.triples, problem.y, sizes["threads"]
    margin = np.zeros(len(y))
    H: dict[tuple[int, int], float] = {}
    F: dict[tuple[int, int], FloatArray] = {}
    for _ in range(ROUNDS_PER_DIMENSION * sizes["d"]):
        h = None
        if H and not alone:
            h, alpha = removal(problem, H, F, margin, kernels, threads)
            if h is None:
                h, alpha = _change(problem, H, F, margin, kernels, threads)
        if h is None:
            if len(H) == sizes["d"]:
                return
            h, alpha = best_addition(problem, sizes, H, margin, signed, rng, kernels)
        F[h] = embeddings(problem, [h])[0]
        after, _, z = kernels.next_weights(F[h], triples, y, margin, alpha, threads=threads)
        if z >= bm.NO_GAIN:
            if not sizes.get("redraw", False):
                return
            continue
        margin = after
        bm.add_to(H, h, alpha)
        yield (*h, float(problem.between[h[1], h[0]]) if h[1] >= 0 else 0.0, alpha)
        if h not in H:
            del F[h]


def _change(
    problem: bm.Problem,
    H: dict[tuple[int, int], float],
    F: dict[tuple[int, int], FloatArray],
    margin: FloatArray,
    kernels: Kernels,
    threads: int | None,
) -> tuple[tuple[int, int] | None, float]:
    """Return steps 3-4 of § 7.3 without a least weight."""
    names = list(H)
    least = np.full(len(names), NO_LIMIT)
    g, alpha, _ = least_z_min(
        [F[h] for h in names],
        problem.triples,
        problem.y,
        margin,
        least,
        kernels,
        threads,
        below=bm.MODIFY_BELOW,
    )
    return (None, 0.0) if g is None else (names[g], alpha)


def best_addition(
    problem: bm.Problem,
    sizes: dict[str, Any],
    H: dict[tuple[int, int], float],
    margin: FloatArray,
    signed: bool,
    rng: np.random.Generator,
    kernels: Kernels,
) -> tuple[tuple[int, int], float]:
    """Return steps 5-10 of § 7.3; with `signed` a classifier that is mostly wrong is as good."""
    triples, y, threads = problem.triples, problem.y, sizes["threads"]
    names = bm.candidate_classifiers(problem, sizes["M_1"], sizes["m"], H, rng)
    F = embeddings(problem, names)
    w, _, _ = weights_of(margin)
    errors = kernels.weighted_errors(F, triples, y, w, threads=threads)
    order = -np.abs(errors - 0.5) if signed else errors
    best = np.argsort(order, kind="stable")[: sizes["M_2"]]
    least = np.full(len(best), NO_LIMIT if signed else 0.0)
    g, alpha, _ = least_z_min(F[best], triples, y, margin, least, kernels, threads)
    assert g is not None  # no limit was given
    return names[best[g]], alpha


# --------------------------------------------------------------------------------- the second phase


def second_phase(
    problem: bm.Problem,
    first: BoostMap,
    choices: dict[str, Any],
    rng: np.random.Generator,
    kernels: Kernels,
    threads: int | None,
) -> Iterator[QuerySensitive]:
    """Yield c, g, low, high, inside and alpha of the rounds of § 8.1 on top of an embedding.

    `choices` holds "splitters" ("one": § 8.1 step 1, "both": § 8.3), "ranges_by" ("error": § 8.3,
    "Z": § 8.1 step 3) and "rounds", the largest of which is taken.
    """
    triples, y = problem.triples, problem.y
    F = embeddings(problem, list(zip(first.first.tolist(), first.second.tolist(), strict=True)))
    margin = np.zeros(len(y))
    for x_1, x_2, alpha in zip(
        first.round_first.tolist(),
        first.round_second.tolist(),
        first.round_alpha.tolist(),
        strict=True,
    ):
        row = embeddings(problem, [(x_1, x_2)])[0]
        margin, _, _ = kernels.next_weights(row, triples, y, margin, alpha, threads=threads)
    splitters = bm.both_splitters if choices["splitters"] == "both" else bm.splitters
    ranges: Callable[..., Any] = bm.ranges_of_least_error
    if choices["ranges_by"] == "Z":
        ranges = ranges_of_least_z
    rounds = bm.query_sensitive_rounds(
        F,
        triples,
        y,
        margin,
        bm.Choices(N_THRESHOLDS, splitters, ranges),
        rng=rng,
        kernels=kernels,
        threads=threads,
    )
    for r in islice(rounds, max(choices["rounds"])):
        yield (r.c, r.g, r.low, r.high, r.inside, r.alpha)


def with_classifiers(first: BoostMap, classifiers: Sequence[QuerySensitive]) -> BoostMap:
    """Return an embedding with these query-sensitive classifiers."""
    names = ("coordinate", "by", "low", "high", "inside", "extra")
    types = (np.int64, np.int64, np.float64, np.float64, np.int64, np.float64)
    return replace(first, **dict(zip(names, columns_of(classifiers, types), strict=True)))


def ranges_of_least_z(
    Gamma: FloatArray,
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    margin: FloatArray,
    t: FloatArray,
    kernels: Kernels,
    threads: int | None = None,
) -> list[tuple[float, float, int]]:
    """Return a range for each classifier; the best classifier of all has the range of least Z_min.

    The other classifiers have the range whose bound is least. So the classifier that § 8.1 step 4
    chooses, and its range, are those of :func:`refimpl.boostmap.algorithm.ranges_of_least_z`.
    """
    ranges = bm.all_ranges(t.shape[1])
    members = bins_of(ranges, t.shape[1])
    w = floored(weights_of(margin)[0])
    sums = np.array(
        [
            sums_of_ranges(Gamma_c, F_c, triples, y, w, t_c, members)
            for Gamma_c, F_c, t_c in zip(Gamma, F, t, strict=True)
        ]
    )
    flat = sums.reshape(-1, 8)
    zero = np.zeros(len(flat))
    bound = z_bound(flat, w.sum(), best_of_bound(flat, zero))
    bound = np.maximum(bound, z_min_bound(flat, w.sum(), zero)).reshape(sums.shape[:2])
    chosen = bound.argmin(axis=1)

    def z_of(c: IntArray, place: IntArray) -> FloatArray:
        V = [bm.as_range(t[i], ranges[j]) for i, j in zip(c, place, strict=True)]
        S = np.array([bm.accepts(Gamma[i], *V_c) for i, V_c in zip(c, V, strict=True)])
        _, z = kernels.minimize_z(F[c], triples, y, margin, np.zeros(len(c)), S, threads=threads)
        return z

    c, place = _least(bound, z_of)
    chosen[c] = place
    return [bm.as_range(t_c, ranges[j]) for t_c, j in zip(t, chosen, strict=True)]


def bins_of(ranges: IntArray, k: int) -> BoolArray:
    """Return which of the k + 1 bins between thresholds each range holds."""
    low, high = np.sort(ranges, axis=1).T[:, :, np.newaxis]
    bins = np.arange(k + 1)
    between: BoolArray = (low <= bins) & (bins < high)
    held: BoolArray = between == (ranges[:, :1] < ranges[:, 1:])
    return held


def sums_of_ranges(
    Gamma_c: FloatArray,
    F_c: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    w: FloatArray,
    t_c: FloatArray,
    members: BoolArray,
) -> FloatArray:
    """Return ``kernels.margin_sums`` of one classifier under each range, in O(t + ranges)."""
    k = len(t_c)
    u = y * margins(F_c, triples)
    place = np.searchsorted(t_c, Gamma_c, side="right")[triples[:, 0]]
    side = np.where(u > 0, place, place + k + 1)  # right triples, then wrong ones
    size = np.abs(u)
    w = np.where(u == 0, 0.0, w)
    count = 2 * (k + 1)
    bins = [np.bincount(side, w * size**power, count).reshape(2, k + 1) for power in (0, 1, 2)]
    largest = np.zeros(count)
    np.maximum.at(largest, side, size)
    parts = [members @ half for sums in bins for half in sums]
    parts += [np.where(members, half, 0.0).max(axis=1) for half in largest.reshape(2, k + 1)]
    return np.stack(parts, axis=1)


def _least(bound: FloatArray, z_of: Callable[[IntArray, IntArray], FloatArray]) -> tuple[int, int]:
    """Return the row and the column of the least value; no value is below its bound."""
    order = np.argsort(bound, axis=None, kind="stable")
    best, place = np.inf, int(order[0])
    for first in range(0, len(order), AT_ONCE):
        some = order[first : first + AT_ONCE]
        some = some[bound.flat[some] <= best + SLACK]
        if not len(some):
            break
        for where, z in zip(some, z_of(*np.unravel_index(some, bound.shape)), strict=True):
            if z < best:
                best, place = float(z), int(where)
    row, column = np.unravel_index(place, bound.shape)
    return int(row), int(column)
