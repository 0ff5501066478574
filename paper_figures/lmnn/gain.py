"""What ball trees gain in the search for impostors, and in training (§ 4.2).

The paper prints the gain of the training, or of its search alone, in 10 and 100 dimensions, and
does not name the points: ours are all digits, as in its Figure 2. It builds its trees anew in every
iteration and searches in each; the printed steps of § 3 search rarely. Both are shown: a training
takes the printed steps, each way to search then looks for the impostors under some of its metrics,
and a training with a search in every step is the rest of it and as many searches as steps.
"""

from collections.abc import Iterator
from time import process_time
from typing import Any

import numpy as np

from paper_figures.lmnn.points import points, printed_steps
from paper_figures.rows import number
from paper_figures.store import Row
from paper_figures.study import Gathered, Grid, Job, Observation, Seen, Study, View, grid
from refimpl.lmnn import algorithm, target_neighbors
from refimpl.lmnn.algorithm import Examples, Pairs
from refimpl.rivals.rotated_scan import principal_axes
from refimpl.typing import Direction, FloatArray, IntArray, Kernels

K = 3
CHECKS = 12
EVERY = 4  # so many searches apart are the metrics that all ways search under
LEAF = 128  # points of a leaf at most, as in the package's searches
SMALL_LEAF = 16  # fewer distances, and more bounds


class Timed:
    """A search for impostors that keeps the points it was given, and counts its seconds."""

    def __init__(self) -> None:
        self.searching = 0.0
        self.looked: list[FloatArray] = []

    def __call__(self, examples: Examples, Z: FloatArray, near: FloatArray, **how: Any) -> Pairs:
        """Return the impostors of mapped points."""
        before = process_time()
        pairs = algorithm.impostors(examples, Z, near, **how)
        self.searching += process_time() - before
        self.looked.append(Z)
        return pairs


def training_gain(
    job: Job, *, data_set: str, preparation: str, n: int, d: int
) -> Iterator[Observation]:
    """Train, then search for impostors under some of the metrics in all ways; processor seconds."""
    # "rest" of the training without its "searches"; "steps" taken; of each way to search its
    # seconds, those that "built" trees, and the "share" of distances that it computes
    P = points(job, data_set, preparation, d, n)
    X, classes = np.ascontiguousarray(P.X), np.unique(P.y, return_inverse=True)[1]
    targets = target_neighbors(X, P.y, K)
    look = Timed()
    before = process_time()
    states = printed_steps(X, classes, targets, job.kernels, look=look)
    taken = [now.t for now, _ in algorithm.until_converged(states, checks=CHECKS)]
    whole = process_time() - before
    looked = look.looked
    ways = [_ways(Z, classes, targets, job.kernels) for Z in looked[EVERY - 1 :: EVERY]]
    yield {
        "rest": whole - look.searching,
        "searches": len(looked),
        "steps": taken[-1],
        "seconds_of": {way: [at[way]["seconds"] for at in ways] for way in ways[0]},
        "built": {way: [at[way]["built"] for at in ways] for way in ways[0]},
        "share": {way: [at[way]["share"] for at in ways] for way in ways[0]},
        "impostors": {way: [at[way]["impostors"] for at in ways] for way in ways[0]},
    }


def _ways(Z: FloatArray, classes: IntArray, targets: IntArray, kernels: Kernels) -> dict[str, Any]:
    """Search for the impostors of mapped points in every way."""
    axes = principal_axes(Z)
    near = ((Z[:, None] - Z[targets]) ** 2).sum(axis=2)
    radii = 1.0 + near.max(axis=1)
    before = process_time()
    i, _ = kernels.impostors(Z, Z, radii, classes, classes, threads=1)
    products = {"seconds": process_time() - before, "built": 0.0, "share": 1.0, "impostors": len(i)}
    rotated = np.ascontiguousarray(Z @ axes.T)
    return {
        "products": products,
        "scan": in_classes(kernels, rotated, classes, radii, "leaf"),
        "balls": in_classes(kernels, rotated, classes, radii, "ball"),
        "small balls": in_classes(kernels, rotated, classes, radii, "ball", SMALL_LEAF),
        "boxes": in_classes(kernels, rotated, classes, radii, "box"),
    }


def in_classes(
    kernels: Kernels,
    Z: FloatArray,
    classes: IntArray,
    radii: FloatArray,
    bound: str,
    leaf_size: int = LEAF,
) -> dict[str, Any]:
    """Find points of other classes within a squared radius of each; "leaf" rules nothing out."""
    seconds = built = 0.0
    computed = possible = impostors = 0
    for c in np.unique(classes):
        members = np.ascontiguousarray(Z[classes == c])
        others = np.flatnonzero(classes != c)
        before = process_time()
        if bound == "leaf":
            tree = kernels.build_tree(members, leaf_size=max(2, len(members)), threads=1)
        else:
            direction: Direction = "principal" if bound == "ball" else "axis"
            tree = kernels.build_tree(members, leaf_size=leaf_size, direction=direction, threads=1)
        between = process_time()
        starts, _, _, counts = kernels.tree_within(
            tree,
            np.ascontiguousarray(Z[others]),
            radii[others],
            strict=True,
            bound="ball" if bound == "ball" else "box",
            threads=1,
        )
        seconds += process_time() - before
        built += between - before
        computed += int(counts.sum())
        possible += len(others) * len(members)
        impostors += int(starts[-1])
    return {
        "seconds": seconds,
        "built": built,
        "share": computed / possible,
        "impostors": impostors,
    }


NAMES = {
    "scan": "scan",
    "balls": "balls (eq. 7)",
    "small balls": "balls (eq. 7), leaves of 16",
    "boxes": "boxes",
    "products": "products",
}
PUBLISHED = "training with ball trees, times as fast"
ALL_DIGITS = 60_000
COUNTED = "distances, times fewer than the scan"
SEARCH = "search, times as fast as the scan"
TRAINING = "training, times as fast as with the scan"
OFTEN = "training with a search in every step, times as fast as with the scan"
OFTEN_SHARE = "search in every step, share of the training (%)"
SHARE = "search, share of the training (%)"
BUILT = "building trees, share of the search (%)"
MEASURES = (COUNTED, SEARCH, TRAINING, OFTEN, SHARE, OFTEN_SHARE, BUILT)


def gains(seen: Seen) -> Gathered:
    """Return gains by counts, in the search and in the training, by points, way and dimensions."""
    rows = seen.absent({"N": None, "measure": None, "way": "all", "dimensions": None})
    lines = [line for line in seen.published("lmnn/text.csv") if line["measure"] == PUBLISHED]
    printed = {int(line["dimensions"]): line["value"] for line in lines}
    made: list[Row] = []
    for item in seen.items:
        for way in NAMES:
            of_balls = way == "balls" and item["n"] == ALL_DIGITS
            made += _of_way(item, way, printed.get(item["d"]) if of_balls else None)
    notes = [
        "The impostors of a training by the printed steps, under three of its metrics, on one "
        "thread. Every way finds the same ones, one after the other. The scan compares each point "
        "with all points of other classes by the trees' own loop, in rotated coordinates; sums end "
        "after every sixteen coordinates. § 4.2 prints the gain of the training, which searches in "
        "every iteration; the printed steps of § 3 search rarely."
    ]
    made.sort(key=lambda row: MEASURES.index(row["measure"]))
    return Gathered(rows + made, notes)


def _of_way(item: Observation, way: str, printed: float | None) -> Iterator[Row]:
    """Yield the gains of one way to search over the scan, and the shares of the search."""
    n, d = item["n"], item["d"]
    keys = {"N": n, "way": NAMES[way], "dimensions": d}
    mine, scan = (np.array(item["seconds_of"][name]) for name in (way, "scan"))
    rest, searches, steps = item["rest"], item["searches"], item["steps"]
    rarely, often = rest + searches * mine, rest + steps * mine
    if way != "scan":
        yield number(keys | {"measure": COUNTED}, 1 / np.array(item["share"][way]), digits=3)
        yield number(keys | {"measure": SEARCH}, scan / mine, digits=3)
        yield number(keys | {"measure": TRAINING}, (rest + searches * scan) / rarely, digits=3)
        yield number(keys | {"measure": OFTEN}, (rest + steps * scan) / often, printed, digits=3)
    yield number(keys | {"measure": SHARE}, 100 * searches * mine / rarely, digits=3)
    yield number(keys | {"measure": OFTEN_SHARE}, 100 * steps * mine / often, digits=3)
    if way not in ("products", "scan"):
        yield number(keys | {"measure": BUILT}, 100 * np.array(item["built"][way]) / mine, digits=3)


STUDY = Study(
    "gain",
    training_gain,
    {
        "small": grid(data_set=("digits",), preparation=("as they are",), n=(600,), d=(5, 20)),
        "paper": grid(
            data_set=("MNIST-10",),
            preparation=("normalised",),
            n=(600, 6000, ALL_DIGITS),
            d=(10, 20, 30, 50, 100),
        ),
    },
    (
        View(
            "training_gain",
            "What ball trees gain in the search for impostors, and in training",
            gains,
            layout=(
                Grid(("N", "way"), ("dimensions",), tables=("measure",), headings={"N": "digits"}),
            ),
        ),
    ),
)
