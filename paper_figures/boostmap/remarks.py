"""What Athitsos et al. (2005) say in passing: §§ 7.5, 8.3 and 11.

The triangle inequality is tried on random triples of edge images. Times are of the processor, with
§ 11.2's d and p of both methods; queries come one at a time. § 8.3 says which splitters the second
phase tends to pick: here it may pick any pair of embeddings, out of few, which is in reach.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from paper_figures.boostmap.images import SPACE, Images, load
from paper_figures.boostmap.trainings import SIZES, drawn, options_of
from paper_figures.rows import exact, means, number
from paper_figures.store import Row
from paper_figures.study import (
    SCALES,
    Cell,
    Gathered,
    Grid,
    Job,
    Observation,
    Seen,
    Study,
    View,
    grid,
)
from refimpl.boostmap import BoostMapOptions, boostmap, selective_triples
from refimpl.boostmap import algorithm as bm
from refimpl.boostmap.rounds import margins_after
from refimpl.rivals.fastmap import fastmap
from refimpl.typing import BoolArray, FloatArray, IntArray

TRIPLES = {"small": 200, "paper": 2000}  # images, of which triples are drawn
DRAWN = 10_000_000  # triples
AT_ONCE = 1_000_000
QUERIES = {"small": 50, "paper": 200}
TIMES = 12
SETTINGS = {  # d and p of both methods; FastMap's p is what its readings need here or more
    "small": {"FastMap": [8, 100], "BoostMap": [16, 50]},
    "paper": {"FastMap": [11, 5523], "BoostMap": [256, 1698]},
}
FEW = {  # sizes at which phase two may try all pairs of embeddings
    "small": {"triples": 1000, "query_sensitive": 8},
    "paper": {"triples": 20_000, "query_sensitive": 32},
}
EMBEDDINGS = {"small": (4, 8), "paper": (4, 32)}
DRAWS = {"small": 2, "paper": 5}

BROKEN = "triples of images that break the triangle inequality, %"
DETOUR = "largest distance over its detour"
MILLISECONDS = "milliseconds a query: "
SAME = "second phase: the splitter has the same embedding, % of rounds"
BY_CHANCE = "second phase: the same by chance, %"


def cells(scale: str) -> Iterator[Cell]:
    """Yield the cells of a scale."""
    space, sizes = [SPACE[scale]], SIZES[scale]
    yield from grid(part=["triangle"], space=space, images=[TRIPLES[scale]])
    yield from grid(
        part=["times"],
        space=space,
        queries=[QUERIES[scale]],
        settings=[SETTINGS[scale]],
        candidates=[sizes["candidates"]],
        rounds=[sizes["query_sensitive"]],
    )
    for d in EMBEDDINGS[scale]:
        few = sizes | FEW[scale] | {"d": d}
        yield from grid(part=["splitters"], space=space, sizes=[few], draw=range(DRAWS[scale]))


def compute(job: Job, *, part: str, space: Cell, **cell: Any) -> Iterator[Observation]:
    """Yield what one part measures."""
    yield PARTS[part](job, load(job, **space), **cell)


def triangle(job: Job, loaded: Images, *, images: int) -> Observation:
    """Return the share of triples of edge images, in per cent, whose detour is shorter (§ 11)."""
    rng = job.rng_for("triangle")
    D = loaded.D_X(loaded.database[rng.choice(len(loaded.database), images, replace=False)])
    slack = 1e-9 * float(D.max())
    broken, largest = 0, 0.0
    for _ in range(DRAWN // AT_ONCE):
        x, y, z = rng.integers(images, size=(3, AT_ONCE))
        detour = D[x, y] + D[y, z]
        longer = D[x, z] > detour + slack
        broken += int(longer.sum())
        largest = max(largest, float((D[x, z][longer] / detour[longer]).max(initial=0.0)))
    return {BROKEN: 100 * broken / DRAWN, DETOUR: largest}


def times(
    job: Job,
    images: Images,
    *,
    queries: int,
    settings: dict[str, list[int]],
    candidates: int,
    rounds: int,
) -> Observation:
    """Return processor milliseconds a query of both steps of a retrieval (§§ 7.5 and 8.3)."""
    rng = job.rng_for("times")
    chosen = images.database[rng.permutation(len(images.database))[:candidates]]
    asked = images.queries[:queries]
    spent: dict[str, list[float]] = {}

    def timed(name: str, step: Callable[[], Any]) -> Any:
        for _ in range(TIMES):
            begin = time.process_time()
            value = step()
            spent.setdefault(name, []).append(1000 * (time.process_time() - begin) / queries)
        return value

    def each(step: Callable[[BoolArray], FloatArray]) -> FloatArray:
        return np.concatenate([step(query[np.newaxis]) for query in asked])

    def refined(p: int) -> IntArray:
        found = each(lambda query: images.D_X(query, images.database[:p]))
        return found.argsort(axis=1)[:, :10]

    space = images.space(chosen)
    d, p = settings["FastMap"]
    rival = fastmap(space, d, rng=rng, clip=True)
    X = rival.embed(space, images.database)
    Q = timed("FastMap, embed", lambda: each(lambda query: rival.embed(space, query)))
    timed("FastMap, filter", lambda: np.argpartition(rival.pairwise(Q, X), p, axis=1)[:, :p])
    timed("FastMap, refine", lambda: refined(p))
    d, p = settings["BoostMap"]
    first = rng.integers(candidates, size=(d, 2))
    used = chosen[np.unique(first)]
    timed("BoostMap, embed", lambda: each(lambda query: images.D_X(query, used)))
    Q = np.ascontiguousarray(images.D_X(asked, chosen[first[:, 0]]))
    X = np.ascontiguousarray(images.D_X(images.database, chosen[first[:, 0]]))
    nearest = job.kernels.weighted_l1_nearest
    same = np.ones((queries, d))
    timed("BoostMap, filter", lambda: nearest(Q, same, X, p, threads=1))
    alpha = np.ones(d)
    second = [(c % d, c % d, float(np.median(Q[:, c % d])), np.inf, 1, 0.5) for c in range(rounds)]
    A = timed("BoostMap, weights of a query", lambda: bm.query_weights(Q, alpha, second))
    timed("BoostMap, filter with weights of a query", lambda: nearest(Q, A, X, p, threads=1))
    timed("BoostMap, refine", lambda: refined(p))
    return {"milliseconds": spent}


def splitters(job: Job, images: Images, *, sizes: dict[str, int], draw: int) -> Observation:
    """Return how often phase two picks an embedding twice where it may pick any pair (§ 8.3)."""
    # Every round tries each embedding with each splitter; the ranges are those of least error.
    objects = drawn(job, images, sizes, draw)
    rng = job.rng_for("splitters", draw)
    of: dict[str, Any] = {"kernels": job.kernels, "threads": 1}
    chosen = selective_triples(
        objects.D_X, objects.labels, sizes["k_most"], sizes["triples"], rng=rng
    )
    options = options_of(sizes | {"query_sensitive": 0})
    model = boostmap(objects.distances, chosen, sizes["d"], rng=rng, options=options, **of)
    problem = objects.problem(chosen)
    first = zip(model.round_first.tolist(), model.round_second.tolist(), strict=True)
    done = [(name, alpha, 0.0) for name, alpha in zip(first, model.round_alpha, strict=True)]
    names = list(zip(model.first.tolist(), model.second.tolist(), strict=True))
    choices = bm.Choices(BoostMapOptions().n_thresholds, every_pair, bm.ranges_of_least_error)
    rounds = bm.query_sensitive_rounds(
        bm.embeddings(problem, names),
        chosen.objects,
        chosen.y,
        margins_after(problem, done, ()),
        choices,
        rng=rng,
        **of,
    )
    same = [r.c == r.g for r, _ in zip(rounds, range(sizes["query_sensitive"]), strict=False)]
    return {"same": 100 * float(np.mean(same)), "chance": 100 / model.d}


def every_pair(d: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return c and g of d * d classifiers: each coordinate split by each."""
    return np.repeat(np.arange(d), d), np.tile(np.arange(d), d)


PARTS: dict[str, Callable[..., Observation]] = {
    "triangle": triangle,
    "times": times,
    "splitters": splitters,
}


def remarks(seen: Seen) -> Gathered:
    """Return the numbers that decide three remarks."""
    rows: list[Row] = seen.absent({"quantity": "all"})
    for item in seen.items:
        for name in (BROKEN, DETOUR):
            if name in item:
                rows.append(exact({"quantity": name}, item[name]))
        for name, spent in item.get("milliseconds", {}).items():
            rows.append(number({"quantity": MILLISECONDS + name}, spent))
    for d in reversed(EMBEDDINGS[seen.scale]):
        own = [i for i in seen.items if i["part"] == "splitters" and i["sizes"]["d"] == d]
        of = "" if d == max(EMBEDDINGS[seen.scale]) else f", of {d} embeddings"
        if own:
            rows += means([i | {"quantity": SAME + of} for i in own], ["quantity"], "same")
            rows.append(exact({"quantity": BY_CHANCE + of}, own[0]["chance"]))
    few = FEW[seen.scale]
    settings = SETTINGS[seen.scale].items()
    note = (
        f"The triangle inequality: {TRIPLES[seen.scale]:,} edge images, triples drawn at random. "
        "Times: of the processor, with the d and p of both methods "
        + ", ".join(f"{d} and {p:,} ({name})" for name, (d, p) in settings)
        + ". Queries are embedded and refined one at a time, so that the distance transforms of "
        "the images that they are compared with are made anew for each; a program that keeps them "
        "pays about a hundredth for an exact distance, and its filter is the dearer step. "
        f"All pairs of {max(EMBEDDINGS[seen.scale])} embeddings where no number is named: "
        f"{few['triples']:,} selective triples, {few['query_sensitive']} rounds."
    )
    return Gathered(rows, [note])


STUDY = Study(
    "remarks",
    compute,
    {scale: list(cells(scale)) for scale in SCALES},
    (
        View(
            "remarks",
            "§§ 7.5, 8.3 and 11: what the text says in passing",
            remarks,
            layout=(Grid(("quantity",)),),
        ),
    ),
    data=lambda cell: (cell["space"]["data_set"],),
)
