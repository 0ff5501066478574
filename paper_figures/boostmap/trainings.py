"""What Figures 5 to 11 and Tables 1 to 3 of Athitsos et al. (2005) measure: § 11, whole.

As the paper: 200,000 triples of 5,000 objects, 5,000 candidates, M_1 = 1,000, M_2 = 200, k' = 4,
256 dimensions; FastMap on 10,000 objects. It leaves open: m, the pivot pairs of a round (m = M_1);
the rounds of the second phase (as many as dimensions); whether the objects of the triples are
candidates (they are drawn apart). Trainings end as § 7.3 says, and ranges are those of least error
(§ 8.3). The paper trains once. We train ten times and draw FastMap three times. The variants of
one draw share candidates, objects and random numbers, so that their differences are paired. Forty
further draws compare random with selective triples in 8 dimensions: rounds are nested, so that
these are the first rounds of a longer training.

Not handled here: rows of ranks (`ranks`) and of k-nn errors (`errors`).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from paper_figures.boostmap.images import SPACE, Images, load
from paper_figures.study import SCALES, Cell, Job, Observation, grid
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
from refimpl.rivals.fastmap import fastmap
from refimpl.spaces import vote
from refimpl.typing import BoolArray, FloatArray, Labels

K_MOST = 4  # k' of § 10
SIZES: dict[str, dict[str, int]] = {
    "small": {
        "candidates": 200,
        "objects": 400,
        "triples": 5000,
        "k_most": K_MOST,
        "d": 32,
        "M_1": 60,
        "M_2": 20,
        "query_sensitive": 32,
    },
    "paper": {
        "candidates": 5000,
        "objects": 5000,
        "triples": 200_000,
        "k_most": K_MOST,
        "d": 256,
        "M_1": 1000,
        "M_2": 200,
        "query_sensitive": 256,
    },
}
DIMENSIONS = {"small": (1, 2, 4, 8, 16), "paper": (1, 2, 4, 8, 16, 32, 64, 128)}
OF_FASTMAP = {"small": 400, "paper": 10_000}  # objects
DRAWS = {"small": 2, "paper": 10}
IN_FEW = {"small": 2, "paper": 50}  # draws in FEW dimensions
FASTMAPS = {"small": 2, "paper": 3}
VARIANTS = (("Fe", "Ra"), ("Fe", "Se"), ("Pa", "Se"))
FEW = 8  # dimensions in which other k' are tried (§ 11.3), and further draws
OTHER_K_MOST = (16, 64)

FASTMAP, CLIPPED = "FastMap", "FastMap, clipped"
CHAMFER = "chamfer distance"
NEARER = "selective triples with D_X(q, a) < D_X(q, b), %"
WEAK = "weak classifiers better than random under Phi_X, %"
AS_PRINTED: dict[str, Any] = {"least_gain": 0.0, "max_rounds": 10**9}
"""Options with which the rounds are those of algorithm.py, to the bit; in the second phase with
``ranges_of_least_error`` (§ 8.3) instead of § 8.1 step 3."""


def cells(scale: str) -> Iterator[Cell]:
    """Yield the cells of a scale: the distance, FastMap, the variants, other k', few dimensions."""
    space, sizes = [SPACE[scale]], SIZES[scale]
    yield from grid(part=["exact"], space=space)
    # FastMap is nested: the best of all d from 1 to 32 is known (§ 11.2)
    every = sorted({*range(1, 33), *DIMENSIONS[scale], sizes["d"]})
    for clip in (False, True):
        yield from grid(
            part=["fastmap"],
            space=space,
            objects=[OF_FASTMAP[scale]],
            dimensions=[every],
            clip=[clip],
            draw=range(FASTMAPS[scale]),
        )
    draws = range(DRAWS[scale])
    for of, triples in VARIANTS:
        least = DIMENSIONS[scale] if of == "Fe" else ()
        yield from _trainings(scale, draws, of, triples, sizes, [*least, sizes["d"]])
    few = sizes | {"d": FEW, "query_sensitive": 0}
    for k_most in OTHER_K_MOST:
        yield from _trainings(scale, draws, "Fe", "Se", few | {"k_most": k_most}, [FEW])
    further = range(DRAWS[scale], IN_FEW[scale])
    for triples in ("Ra", "Se"):
        yield from _trainings(scale, further, "Fe", triples, few, [FEW])


def _trainings(
    scale: str,
    draws: Sequence[int],
    of: str,
    triples: str,
    sizes: dict[str, int],
    dimensions: Sequence[int],
) -> list[Cell]:
    """Return the trainings of a variant, one for each draw."""
    cell: Cell = {"part": "training", "space": SPACE[scale], "of": of, "triples": triples}
    cell |= {"sizes": sizes, "dimensions": list(dimensions)}
    return [cell | {"draw": draw} for draw in draws]


def compute(job: Job, *, part: str, space: Cell, **cell: Any) -> Iterator[Observation]:
    """Yield what one part measures."""
    yield from PARTS[part](job, load(job, **space), **cell)


def exact(job: Job, images: Images) -> Iterator[Observation]:
    """Yield k-nn errors of the chamfer distance itself."""
    errors = wrong_per_cent(job, images, images.labels[images.nearest], images.distances)
    yield {"method": CHAMFER, "errors": errors}


def wrong_per_cent(job: Job, images: Images, labels: Labels, distances: FloatArray) -> list[float]:
    """Return for k = 1, 2, ... the share of the queries whose k nearest give a wrong class."""
    rng = job.rng_for("votes")
    voted = [vote(labels[:, :k], distances[:, :k], rng=rng) for k in range(1, labels.shape[1] + 1)]
    return [100 * float((classes != images.truth).mean()) for classes in voted]


def fastmap_ranks(
    job: Job, images: Images, *, objects: int, dimensions: Sequence[int], clip: bool, draw: int
) -> Iterator[Observation]:
    """Yield ENN-k ranks of FastMap by the number of dimensions, as far as it gets."""
    rng = job.rng_for("fastmap", draw)
    picked = np.sort(rng.choice(len(images.database), objects, replace=False))
    space = images.space(images.database[picked])
    model = fastmap(space, max(dimensions), rng=rng, clip=clip)
    Q, X = model.embed(space, images.queries), model.embed(space, images.database)
    wanted = [d for d in dimensions if d <= model.d]
    # the ranks that `enn_ranks` gives, for all d in one pass over the database
    for d, ranks in zip(wanted, images.ranks_of_first(Q, X, wanted), strict=True):
        found = images.percentiles(ranks, model.truncated(d))
        yield {"method": CLIPPED if clip else FASTMAP, "dimensions": d} | found


class Drawn(NamedTuple):
    """The candidates and the objects of the triples of one draw, with their exact distances."""

    candidates: BoolArray
    labels: Labels
    distances: CandidateDistances
    D_X: FloatArray

    @property
    def Phi_X(self) -> FloatArray:
        """The distance of § 9.1: whether two objects have different classes."""
        Phi: FloatArray = (self.labels[:, np.newaxis] != self.labels).astype(np.float64)
        return Phi

    def problem(self, triples: Triples) -> bm.Problem:
        """Return what `refimpl.boostmap.algorithm` trains on."""
        return bm.Problem(self.distances.D, self.distances.between, triples.objects, triples.y)


def drawn(job: Job, images: Images, sizes: dict[str, int], draw: int) -> Drawn:
    """Return the candidates and objects of a draw, apart from one another."""
    both = sizes["candidates"] + sizes["objects"]
    picked = job.rng_for("objects", draw).permutation(len(images.database))[:both]
    C, T = np.split(picked, [sizes["candidates"]])
    candidates, objects = images.database[C], images.database[T]
    distances = CandidateDistances(images.D_X(candidates, objects), images.D_X(candidates))
    return Drawn(candidates, images.labels[T], distances, images.D_X(objects))


def options_of(sizes: dict[str, int]) -> BoostMapOptions:
    """Return the options of a training of these sizes."""
    return BoostMapOptions(
        n_references=sizes["M_1"],
        n_best=sizes["M_2"],
        query_sensitive=sizes["query_sensitive"],
        **AS_PRINTED,
    )


def training(
    job: Job,
    images: Images,
    *,
    of: str,
    triples: str,
    sizes: dict[str, int],
    dimensions: Sequence[int],
    draw: int,
) -> Iterator[Observation]:
    """Train one variant and measure it: QI in some numbers of dimensions, QS with all."""
    # k-nn errors are those of the whole model, if its triples are selective.
    objects = drawn(job, images, sizes, draw)
    rng = job.rng_for("training", draw)
    order_by = objects.Phi_X if of == "Pa" else objects.D_X
    if triples == "Se":
        chosen = selective_triples(
            objects.D_X,
            objects.labels,
            sizes["k_most"],
            sizes["triples"],
            rng=rng,
            order_by=order_by,
        )
        yield from _remarks(job, objects, chosen, of, sizes, draw)
    else:
        chosen = random_triples(order_by, sizes["triples"], rng=rng)
    model = boostmap(
        objects.distances,
        chosen,
        sizes["d"],
        rng=rng,
        options=options_of(sizes),
        kernels=job.kernels,
        threads=1,
    )
    space = images.space(objects.candidates)
    name = f"BoostMap-{of}-{triples}"
    other = "" if sizes["k_most"] == K_MOST else f", k' = {sizes['k_most']}"
    votes = triples == "Se" and sizes["query_sensitive"] > 0
    for d in sorted({min(d, model.d) for d in dimensions}):
        short, whole = model.truncated(d), d == model.d
        measured = _measured(job, images, short, space, votes and whole)
        yield {"method": f"{name}-QI{other}", "dimensions": d, "whole": whole} | measured
    if sizes["query_sensitive"]:
        measured = _measured(job, images, model, space, votes)
        yield {"method": f"{name}-QS", "dimensions": model.d, "whole": True} | measured


def _measured(job: Job, images: Images, model: BoostMap, space: Any, votes: bool) -> Observation:
    """Return the ranks of an embedding, and its k-nn errors if `votes` asks for them."""
    Q, X = model.embed(space, images.queries), model.embed(space, images.database)
    measured = images.ranks(model, Q, X)
    if votes:
        k = images.nearest.shape[1]
        distances, nearest = job.kernels.weighted_l1_nearest(Q, model.weights(Q), X, k, threads=1)
        measured["errors"] = wrong_per_cent(job, images, images.labels[nearest], distances)
    return measured


def _remarks(
    job: Job, objects: Drawn, chosen: Triples, of: str, sizes: dict[str, int], draw: int
) -> Iterator[Observation]:
    """Yield what § 10 says of selective triples: two shares in per cent."""
    if of == "Fe":
        q, a, b = chosen.objects.T
        share = float((objects.D_X[q, a] < objects.D_X[q, b]).mean())
        yield {"quantity": NEARER, "share": 100 * share}
        return
    problem = objects.problem(chosen)
    rng = job.rng_for("weak classifiers", draw)
    names = bm.candidate_classifiers(problem, sizes["M_1"], sizes["M_1"], (), rng)
    w = np.full(len(chosen), 1 / len(chosen))
    F = bm.embeddings(problem, names)
    errors = job.kernels.weighted_errors(F, chosen.objects, chosen.y, w, threads=1)
    share = float((errors < 0.5).mean())
    yield {"quantity": WEAK, "share": 100 * share}


PARTS: dict[str, Callable[..., Iterator[Observation]]] = {
    "exact": exact,
    "fastmap": fastmap_ranks,
    "training": training,
}
CELLS = {scale: list(cells(scale)) for scale in SCALES}


def data_of(cell: Cell) -> tuple[str, ...]:
    """Return the data set that a cell reads."""
    return (cell["space"]["data_set"],)


def needs(*wanted: str) -> Callable[[Cell], bool]:
    """Return which cells a view uses: parts, variants, "other k'", and "few dimensions"."""

    def uses(cell: Cell) -> bool:
        if cell["part"] != "training":
            return cell["part"] in wanted
        if cell["sizes"]["k_most"] != K_MOST:
            return "other k'" in wanted
        short = cell["sizes"]["d"] == FEW
        return ("few dimensions" if short else f"{cell['of']}-{cell['triples']}") in wanted

    return uses
