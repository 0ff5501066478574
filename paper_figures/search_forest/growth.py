"""How the time of a query grows with the database, for the three indices of § 4.3.

Li et al. (2011) say that the leaves of the forest and of k-means trees, and the buckets of hash
tables, are found in constant time. Either the database grows and the index keeps its number of
leaves, or it is divided more finely, so that a leaf keeps its number of points. The points are
drawn from a normal distribution, and the queries are some of them.
"""

from collections.abc import Callable, Iterator
from time import thread_time
from typing import Any, NamedTuple

import numpy as np

from paper_figures import plots
from paper_figures.rows import number
from paper_figures.search_forest.methods import centres_on_the_way
from paper_figures.search_forest.table1 import complete_trees
from paper_figures.store import Record
from paper_figures.study import Cell, Gathered, Grid, Job, Observation, Seen, Study, View
from refimpl.rivals.kmeans_trees import kmeans_trees
from refimpl.rivals.lsh import lsh
from refimpl.typing import FloatArray, Int32Array, IntArray, Points

BRANCHING = 8  # regions of a k-means tree's node
WIDTH = 8.0  # of a hash function; the points have a standard deviation of 1 in each coordinate
MOST_FUNCTIONS = 40
LEAF = 16  # points of a leaf as it is at first
TREES = 8
DIMENSION = 32
FINER = "as small, more of them"
LARGER = "as many, larger"
NOTE = (
    "Microseconds of one processor for a query, when all queries are asked at once. Points of a "
    "normal distribution in 32 dimensions, 8 trees or tables. Either the database grows and the "
    "index keeps its number of leaves, or it is divided more finely, so that a leaf keeps its "
    "number of points. Compared: planes, centres or hash functions on the way to the leaves; "
    "finding a bucket by its key is not counted. The forest's planes and leaves are random, as in "
    "table 1."
)


class Lists(NamedTuple):
    """Inverted lists, and how queries find theirs: ``words(Q)`` gives one list of each tree."""

    starts: IntArray
    items: Int32Array
    words: Callable[[Points], Any]
    compared: Callable[[Points], float]  # planes, centres or functions a query is compared with


def growth(
    job: Job, *, index: str, n: int, divided: int, queries: int, passes: int
) -> Iterator[Observation]:
    """Yield the processor's seconds of a query in each pass, and its candidates."""
    # A leaf holds LEAF of `divided` points. All queries are asked at once, so that a call's own
    # time does not count.
    rng = job.rng_for("growth", n)
    X = rng.standard_normal((n, DIMENSION), dtype=np.float32)
    Q = X[rng.choice(n, queries, replace=False)]
    lists = LISTS[index](job, X, LEAF * n / divided, TREES, rng)
    alive = np.ones(n, dtype=bool)
    counters = np.zeros((1, n))
    c = np.ones(TREES)

    def ask() -> IntArray:
        words = lists.words(Q)
        found = job.kernels.gather_candidates(
            lists.starts, lists.items, alive, words, c, n, counters=counters, threads=1
        )
        return found[0]

    candidates = float(ask()[-1]) / queries
    seconds = []
    for _ in range(passes):
        start = thread_time()
        ask()
        seconds.append((thread_time() - start) / queries)
    yield {"seconds": seconds, "candidates": candidates, "compared": lists.compared(Q)}


def _forest(job: Job, X: Points, leaf: float, trees: int, rng: np.random.Generator) -> Lists:
    """Return complete trees of random planes; the leaves of a point are drawn at random."""
    n = len(X)
    depth = round(np.log2(n / leaf))
    model = complete_trees(trees, depth, X.shape[1], rng)
    drawn = rng.integers(2**depth, size=(trees, n))
    items = np.argsort(drawn, axis=1, kind="stable").astype(np.int32).ravel()
    sizes = [np.bincount(of_tree, minlength=2**depth) for of_tree in drawn]
    starts = np.append(0, np.cumsum(np.concatenate(sizes)))

    def words(Q: Points) -> Int32Array:
        return job.kernels.forest_words(model, Q, threads=1)

    return Lists(starts, items, words, lambda Q: float(depth * trees))


def _kmeans(job: Job, X: Points, leaf: float, trees: int, rng: np.random.Generator) -> Lists:
    size = max(1, round(leaf))
    model = kmeans_trees(
        X, trees, rng=rng, branching=BRANCHING, leaf_size=size, kernels=job.kernels
    )
    leaves = model.leaves[np.argsort(model.starts[model.leaves], kind="stable")]
    word = np.full(len(model.first), -1, dtype=np.int32)
    word[leaves] = np.arange(len(leaves))

    def words(Q: Points) -> Int32Array:
        reached: IntArray = job.kernels.tree_leaves(model, Q.astype(np.float64), threads=1)
        return word[reached]

    starts = np.append(model.starts[leaves], len(model.members))
    items = model.members.astype(np.int32)
    return Lists(
        starts, items, words, lambda Q: centres_on_the_way(job, model, Q.astype(np.float64))
    )


def _hashing(job: Job, X: Points, leaf: float, trees: int, rng: np.random.Generator) -> Lists:
    """Return hash tables with the fewest functions that leave `leaf` points in a bucket or less."""
    # a bucket counts as often as it has points: so many would be found by a point's query
    seed = int(rng.integers(2**32))
    for k in range(1, MOST_FUNCTIONS):
        first = _tables(job, X, 1, k, seed)
        if (np.diff(first.starts) ** 2).sum() / len(X) <= leaf:
            break
    model = _tables(job, X, trees, k, seed)

    def words(Q: Points) -> Int32Array:
        buckets: Int32Array = model.buckets(Q, kernels=job.kernels, threads=1).astype(np.int32)
        return buckets

    return Lists(model.starts, model.members.astype(np.int32), words, lambda Q: float(k * trees))


def _tables(job: Job, X: FloatArray | Points, tables: int, k: int, seed: int) -> Any:
    return lsh(X, tables, k, WIDTH, rng=np.random.default_rng(seed), kernels=job.kernels)


LISTS: dict[str, Callable[..., Lists]] = {
    "forest": _forest,
    "k-means trees": _kmeans,
    "LSH": _hashing,
}


def gather(seen: Seen) -> Gathered:
    """Return microseconds of a query by index and number of items, and what a query looks at."""
    rows = seen.absent(dict.fromkeys(("index", "leaves", "items", "compared", "candidates")))
    smallest = min((item["n"] for item in seen.items), default=0)
    for item in sorted(seen.items, key=lambda item: item["divided"] < item["n"]):
        grows = item["divided"] == item["n"]
        kinds = [FINER] if grows else [LARGER]
        kinds += [LARGER] if grows and item["n"] == smallest else []
        looked = {key: round(item[key]) for key in ("compared", "candidates")}
        for kind in kinds:
            keys = {"index": item["index"], "leaves": kind, "items": item["n"]}
            rows.append(number(keys | looked, [1e6 * seconds for seconds in item["seconds"]]))
    return Gathered(rows, [NOTE])


def draw(record: Record, figure: plots.Figure) -> None:
    """Draw microseconds a query by thousands of items, a panel for each way to divide."""
    handles: dict[str, Any] = {}
    for axis, (kind,), mine in plots.panels_by(figure, record["rows"], "leaves", columns=1):
        handles |= plots.lines_by(
            axis, mine, "index", [*LISTS], lambda row: float(row["items"] / 1000)
        )
        axis.set(
            title=f"Leaves: {kind}",
            xlabel="items (thousands)",
            ylabel="microseconds a query",
            yscale="log",
        )
        plots.logarithmic(axis.xaxis)
        plots.logarithmic(axis.yaxis)
    plots.key(figure, handles)


def cells(sizes: tuple[int, ...], queries: int, passes: int) -> list[Cell]:
    """Return a cell for each index, size, and way to divide: as at first, or more finely."""
    return [
        {"index": index, "n": n, "divided": divided, "queries": queries, "passes": passes}
        for index in LISTS
        for n in sizes
        for divided in dict.fromkeys((n, sizes[0]))
    ]


STUDY = Study(
    "growth",
    growth,
    {"small": cells((1024, 4096), 100, 3), "paper": cells((16_384, 65_536, 262_144), 1000, 5)},
    (
        View(
            "growth",
            "Search time of the three indices by the number of items",
            gather,
            draw,
            "Microseconds a query by thousands of items for the forest, k-means trees and LSH: "
            "with as many leaves as before, and with leaves as small as before.",
            (5.2, 5.4),
            (
                Grid(
                    ("leaves", "index"),
                    ("items",),
                    details=("compared", "candidates"),
                    headings={"items": "items; microseconds a query"},
                ),
            ),
        ),
    ),
)
