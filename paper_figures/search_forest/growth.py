"""How the time of a query grows with the database, for the three indices of § 4.3.

Li et al. (2011) say that the leaves of the forest and of k-means trees, and the buckets of hash
tables, are found in constant time. :func:`growth` is a task: it gets a
:class:`paper_figures.registry.Job` and its parameters. The points are drawn from a normal
distribution, and the queries are some of them.
"""

from collections.abc import Callable
from time import thread_time
from typing import Any, NamedTuple

import numpy as np

from paper_figures.search_forest.methods import centres_on_the_way
from paper_figures.search_forest.timing import complete_trees
from paper_figures.tasks import Job
from refimpl.rivals.kmeans_trees import kmeans_trees
from refimpl.rivals.lsh import lsh
from refimpl.typing import FloatArray, Int32Array, IntArray, Points

BRANCHING = 8  # regions of a k-means tree's node
WIDTH = 8.0  # of a hash function; the points have a standard deviation of 1 in each coordinate
MOST_FUNCTIONS = 40


class Lists(NamedTuple):
    """Inverted lists, and how queries find theirs: ``words(Q)`` gives one list of each tree.

    ``compared(Q)`` gives the mean number of planes, centres or functions that a query is compared
    with.
    """

    starts: IntArray
    items: Int32Array
    words: Callable[[Points], Any]
    compared: Callable[[Points], float]


def growth(
    job: Job,
    *,
    index: str,
    n: int,
    divided: int,
    leaf: int,
    trees: int,
    d: int,
    queries: int,
    passes: int,
) -> dict[str, Any]:
    """Return the processor's seconds of a query in each pass, and its candidates.

    All queries are asked at once, so that a call's own time does not count.

    Parameters
    ----------
    job : Job
    index : {"forest", "k-means trees", "LSH"}
    n : int
        Points.
    divided : int
        The number of points for which the index is divided so finely that a leaf holds `leaf` of
        them: `n` if the index grows with the database.
    leaf, trees, d, queries, passes : int
    """
    rng = job.rng_for("growth", n)
    X = rng.standard_normal((n, d), dtype=np.float32)
    Q = X[rng.choice(n, queries, replace=False)]
    lists = LISTS[index](job, X, leaf * n / divided, trees, rng)
    alive = np.ones(n, dtype=bool)
    counters = np.zeros((1, n))
    c = np.ones(trees)

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
    return {"seconds": seconds, "candidates": candidates, "compared": lists.compared(Q)}


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
        return word[job.kernels.tree_leaves(model, Q.astype(np.float64), threads=1)]

    starts = np.append(model.starts[leaves], len(model.members))
    items = model.members.astype(np.int32)
    return Lists(
        starts, items, words, lambda Q: centres_on_the_way(job, model, Q.astype(np.float64))
    )


def _hashing(job: Job, X: Points, leaf: float, trees: int, rng: np.random.Generator) -> Lists:
    """Return hash tables with the fewest functions that leave `leaf` points in a bucket or less.

    A bucket counts as often as it has points: so many would be found by a point's query.
    """
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
