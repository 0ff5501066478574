"""The search forest and its rivals as the figures ask them: built, then read in two ways.

A :class:`Method` builds a model of points with a setting, and gives the model's curves under the
readings of :mod:`readings`. The methods are those of `refimpl`; a draw is a stream of random
numbers of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paper_figures.search_forest.readings import ranked_list, union_curve, whole_sets
from paper_figures.tasks import Job
from refimpl.rivals.candidates import Candidates
from refimpl.rivals.kmeans_trees import KMeansTrees, kmeans_trees
from refimpl.rivals.lsh import lsh
from refimpl.search_forest import (
    ForestOptions,
    InvertedIndex,
    neighbor_similarity,
    search_forest,
    to_terms,
)
from refimpl.typing import FloatArray, IntArray

SETS = "sets"
RANKED = "ranked"
NOT_WORTH = "no tree is worth its cost"  # what an error says if lambda is too large


@dataclass(frozen=True)
class Method:
    """A method of search.

    Attributes
    ----------
    build : callable
        ``build(X, setting, at)`` gives a model of the points.
    read : mapping of str to callable
        ``read[reading](model, X, Q, near, counts)`` gives the curve under a reading.
    describe : callable
        ``describe(model)`` gives what the record says of the model.
    """

    build: Callable[[FloatArray, Any, dict[str, Any]], Any]
    read: dict[str, Callable[..., dict[str, Any]]]
    describe: Callable[[Any], dict[str, Any]] = lambda model: {}


# --------------------------------------------------------------------------- the forest


def forest_method(
    job: Job, learn: Callable[[FloatArray, float, int], Any], max_depth: int
) -> Method:
    """Return the forest; `learn(X, lam, K)` gives it, and a setting is a lambda."""

    def build(X: FloatArray, lam: float, at: dict[str, Any]) -> Any:
        try:
            return learn(X, lam, at["K"])
        except ValueError as error:
            if NOT_WORTH not in str(error):
                raise
            return None

    def sets(
        forest: Any, X: FloatArray, Q: FloatArray, near: IntArray, counts: Sequence[int]
    ) -> dict[str, Any]:
        if forest is None:
            return whole_sets((np.zeros(1), np.zeros((len(Q), 1))), counts, 0)
        words = to_terms(forest, X, kernels=job.kernels)
        ends = np.cumsum(np.bincount(words.ravel(), minlength=forest.n_words))
        # a leaf's number is that of one tree
        members = np.argsort(words.T.ravel(), kind="stable") % len(X)
        lists = to_terms(forest, Q, kernels=job.kernels)
        curve = union_curve(np.append(0, ends[:-1]), ends, members, lists, near, len(X))
        return whole_sets(curve, counts, max_depth)

    def ranked(
        forest: Any, X: FloatArray, Q: FloatArray, near: IntArray, counts: Sequence[int]
    ) -> dict[str, Any]:
        planes = 0 if forest is None else len(forest.c) * max_depth
        return ranked_list(selected(job, forest, X, Q), near, counts, planes)

    return Method(build, {SETS: sets, RANKED: ranked}, size_of)


def size_of(forest: Any) -> dict[str, Any]:
    """Return the trees of a forest, and the leaves of a tree; 0 without a forest."""
    trees = 0 if forest is None else len(forest.c)
    return {"trees": trees, "leaves": 0.0 if forest is None else forest.n_words / trees}


def selected(job: Job, forest: Any, X: FloatArray, Q: FloatArray) -> Candidates:
    """Return what a forest selects of X, best first; nothing without a forest."""
    if forest is None:
        nothing = np.empty(0, dtype=np.int64)
        return Candidates(np.zeros(len(Q) + 1, dtype=np.int64), nothing, nothing)
    index = InvertedIndex(forest, X, keep_vectors=False, kernels=job.kernels)
    chosen = index.candidates(Q)
    return Candidates(chosen.offsets, chosen.ids, np.zeros(len(chosen.ids), dtype=np.int64))


def training_points(
    job: Job, X: FloatArray, K: int, n_train: int, draw: int, threads: int | None = None
) -> tuple[FloatArray, Any, np.random.Generator]:
    """Return `n_train` of the points, their similarity, and the forest's random numbers.

    K, the number of neighbours among all of X, shrinks with the points.
    """
    rng = job.rng_for("forest", draw)
    rows = np.arange(len(X))
    if n_train < len(X):
        rows = np.sort(rng.choice(len(X), n_train, replace=False))
    K = max(1, round(K * len(rows) / len(X)))
    return X[rows], neighbor_similarity(X[rows], K, kernels=job.kernels, threads=threads), rng


def learn_forest(
    job: Job,
    X: FloatArray,
    K: int,
    *,
    lam: float,
    n_train: int,
    trees: int,
    draw: int = 0,
    threads: int | None = None,
    **options: Any,
) -> Any:
    """Learn the forest of `n_train` points; K is the number of neighbours among all of X."""
    points, S, rng = training_points(job, X, K, n_train, draw, threads)
    return search_forest(
        points,
        S,
        trees,
        lam,
        rng=rng,
        options=ForestOptions(**options),
        kernels=job.kernels,
        threads=threads,
    )


# --------------------------------------------------------------------------- the rivals


def kmeans_forest(
    job: Job, X: FloatArray, setting: Any, trees: int, share: float = 1, draw: int = 0
) -> KMeansTrees:
    """Return k-means trees of a setting: the regions of a node, and the points of a leaf.

    The points of a leaf shrink with the `share` of the whole database that X is.
    """
    branching, leaf_size = setting
    return kmeans_trees(
        X,
        trees,
        rng=job.rng_for("kmeans", draw),
        branching=branching,
        leaf_size=max(1, round(share * leaf_size)),
        kernels=job.kernels,
    )


def leaves_method(job: Job, trees: int, draw: int) -> Method:
    """Return k-means trees whose candidates are the leaves that a query reaches."""

    def build(X: FloatArray, setting: Any, at: dict[str, Any]) -> KMeansTrees:
        return kmeans_forest(job, X, setting, trees, at.get("share", 1), draw)

    def sets(
        model: KMeansTrees, X: FloatArray, Q: FloatArray, near: IntArray, counts: Sequence[int]
    ) -> dict[str, Any]:
        leaves = job.kernels.tree_leaves(model, Q.astype(np.float64))
        curve = union_curve(model.starts, model.ends, model.members, leaves, near, len(X))
        return whole_sets(curve, counts, centres_on_the_way(job, model, Q) / trees)

    def ranked(
        model: KMeansTrees, X: FloatArray, Q: FloatArray, near: IntArray, counts: Sequence[int]
    ) -> dict[str, Any]:
        found = model.colliding(Q, kernels=job.kernels)
        return ranked_list(found, near, counts, centres_on_the_way(job, model, Q))

    return Method(build, {SETS: sets, RANKED: ranked})


def centres_on_the_way(job: Job, model: KMeansTrees, Q: FloatArray) -> float:
    """Return the mean number of centres that a query is compared with in all trees."""
    on_the_way = np.zeros(len(model.first), dtype=np.int64)
    for j in range(len(model.first)):  # a node's children come after it
        on_the_way[model.first[j] : model.last[j]] = on_the_way[j] + model.last[j] - model.first[j]
    leaves = job.kernels.tree_leaves(model, Q.astype(np.float64))
    return float(on_the_way[leaves].sum(axis=1).mean())


def best_bin_first_method(job: Job, trees: int, draw: int) -> Method:
    """Return k-means trees that are searched best bin first: one list, in the order found."""

    def build(X: FloatArray, setting: Any, at: dict[str, Any]) -> KMeansTrees:
        return kmeans_forest(job, X, setting, trees, at.get("share", 1), draw)

    def ranked(
        model: KMeansTrees, X: FloatArray, Q: FloatArray, near: IntArray, counts: Sequence[int]
    ) -> dict[str, Any]:
        queries = Q.astype(np.float64)
        compared = [
            float(job.kernels.best_bin_first(model, queries, count)[2].mean()) for count in counts
        ]
        found = model.candidates(Q, max(counts), kernels=job.kernels)
        return ranked_list(found, near, counts, compared)

    return Method(build, {RANKED: ranked})


def hashing_method(job: Job, tables: int, draw: int) -> Method:
    """Return hash tables; a setting is the functions of a table and their width."""

    def build(X: FloatArray, setting: Any, at: dict[str, Any]) -> Any:
        k, w = setting
        return lsh(X, tables, k, w, rng=job.rng_for("lsh", draw), kernels=job.kernels)

    def sets(
        model: Any, X: FloatArray, Q: FloatArray, near: IntArray, counts: Sequence[int]
    ) -> dict[str, Any]:
        buckets = model.buckets(Q, kernels=job.kernels)
        starts = model.starts
        curve = union_curve(starts[:-1], starts[1:], model.members, buckets, near, len(X))
        return whole_sets(curve, counts, model.k)

    def ranked(
        model: Any, X: FloatArray, Q: FloatArray, near: IntArray, counts: Sequence[int]
    ) -> dict[str, Any]:
        found = model.candidates(Q, kernels=job.kernels)
        return ranked_list(found, near, counts, model.k * tables)

    return Method(build, {SETS: sets, RANKED: ranked})
