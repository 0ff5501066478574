"""The search forest and its rivals as the figures ask them: built, then read in two ways.

A :class:`Method` builds a model of points with a setting, and gives the model's curves under the
readings of :mod:`readings`. The methods are those of `refimpl`; a draw is a stream of random
numbers of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from paper_figures.search_forest.planes import learn_other
from paper_figures.search_forest.points import Problem
from paper_figures.search_forest.readings import ranked_list, union_curve, whole_sets
from paper_figures.study import Job
from refimpl.rivals.candidates import Candidates
from refimpl.rivals.hamming_scan import hamming_scan
from refimpl.rivals.kmeans_trees import KMeansTrees, kmeans_trees
from refimpl.rivals.lsh import lsh
from refimpl.rivals.spectral_hashing import spectral_hashing
from refimpl.search_forest import (
    ForestOptions,
    InvertedIndex,
    neighbor_similarity,
    search_forest,
    to_terms,
)
from refimpl.typing import Points

SETS = "whole sets"
RANKED = "ranked lists"
NOT_WORTH = "no tree is worth its cost"  # what an error says if lambda is too large


@dataclass(frozen=True)
class Method:
    """A method of search."""

    build: Callable[..., Any]  # build(job, problem, setting, draw, **shape): a model
    read: dict[str, Callable[[Job, Any, Problem], dict[str, Any]]]  # its curve, by the reading
    words: Callable[[Any], str]  # a setting in words
    size: Callable[[Any], dict[str, Any]] = lambda model: {}  # what the record says of a model


# --------------------------------------------------------------------------- the forest


class Grown(NamedTuple):
    """A forest, None if no tree is worth its cost, and the largest depth of its trees."""

    forest: Any
    depth: int


def build_forest(
    job: Job,
    problem: Problem,
    lam: float,
    draw: int,
    *,
    n_train: int,
    trees: int,
    max_depth: int,
    planes: str | None = None,
    **options: Any,
) -> Grown:
    """Learn a forest of `n_train` points, or of all; K shrinks with them."""
    # `planes` names planes that are not learnt; `options` are further fields of ForestOptions
    rng = job.rng_for("forest", draw)
    rows = np.arange(len(problem.X))
    if n_train < len(rows):
        rows = np.sort(rng.choice(len(rows), n_train, replace=False))
    X, K = problem.X[rows], max(1, round(problem.K * len(rows) / len(problem.X)))
    S = neighbor_similarity(X, K, kernels=job.kernels)
    if planes is not None:
        return grown(max_depth, learn_other, planes, X, S, trees, lam, max_depth, rng, job.kernels)
    how = {"options": ForestOptions(max_depth, **options), "kernels": job.kernels}
    return grown(max_depth, search_forest, X, S, trees, lam, rng=rng, **how)


def grown(depth: int, learn: Callable[..., Any], *arguments: Any, **options: Any) -> Grown:
    """Return what `learn` learns; no forest if lambda is too large for any tree."""
    try:
        return Grown(learn(*arguments, **options), depth)
    except ValueError as error:
        if NOT_WORTH not in str(error):
            raise
        return Grown(None, depth)


def grows(model: Any) -> bool:
    """Return whether a model can be searched: not a forest without a tree."""
    return not isinstance(model, Grown) or model.forest is not None


def size_of(model: Grown) -> dict[str, Any]:
    """Return the trees of a forest, and the leaves of a tree; 0 without a forest."""
    trees = 0 if model.forest is None else len(model.forest.c)
    return {"of_forest": trees, "leaves": model.forest.n_words / trees if trees else 0.0}


def forest_sets(job: Job, model: Grown, problem: Problem) -> dict[str, Any]:
    """Return the curve of the leaves that a query reaches in the first trees."""
    X, Q, near, counts, _ = problem
    forest = model.forest
    if forest is None:
        return whole_sets((np.zeros(1), np.zeros((len(Q), 1))), counts, 0)
    words = to_terms(forest, X, kernels=job.kernels)
    ends = np.cumsum(np.bincount(words.ravel(), minlength=forest.n_words))
    # a leaf's number is that of one tree
    members = np.argsort(words.T.ravel(), kind="stable") % len(X)
    lists = to_terms(forest, Q, kernels=job.kernels)
    curve = union_curve(np.append(0, ends[:-1]), ends, members, lists, near, len(X))
    return whole_sets(curve, counts, model.depth)


def forest_ranked(job: Job, model: Grown, problem: Problem) -> dict[str, Any]:
    """Return the curve of the candidates of all trees by T, the best first."""
    planes = 0 if model.forest is None else len(model.forest.c) * model.depth
    chosen = selected(job, model.forest, problem.X, problem.Q)
    return ranked_list(chosen, problem.near, problem.counts, planes)


def selected(job: Job, forest: Any, X: Points, Q: Points) -> Candidates:
    """Return what a forest selects of X, best first; nothing without a forest."""
    if forest is None:
        nothing = np.empty(0, dtype=np.int64)
        return Candidates(np.zeros(len(Q) + 1, dtype=np.int64), nothing, nothing)
    index = InvertedIndex(forest, X, keep_vectors=False, kernels=job.kernels)
    chosen = index.candidates(Q)
    return Candidates(chosen.offsets, chosen.ids, np.zeros(len(chosen.ids), dtype=np.int64))


# --------------------------------------------------------------------------- the rivals


def build_kmeans(
    job: Job, problem: Problem, setting: tuple[int, int], draw: int, *, trees: int
) -> KMeansTrees:
    """Return k-means trees of a setting: regions of a node, points of a leaf."""
    # the points of a leaf shrink with the share of the database that is searched
    branching, leaf_size = setting
    return kmeans_trees(
        problem.X,
        trees,
        rng=job.rng_for("kmeans", draw),
        branching=branching,
        leaf_size=max(1, round(problem.share * leaf_size)),
        kernels=job.kernels,
    )


def leaves_sets(job: Job, model: KMeansTrees, problem: Problem) -> dict[str, Any]:
    """Return the curve of the leaves that a query reaches in the first trees."""
    X, Q, near, counts, _ = problem
    leaves = job.kernels.tree_leaves(model, Q.astype(np.float64))
    curve = union_curve(model.starts, model.ends, model.members, leaves, near, len(X))
    return whole_sets(curve, counts, centres_on_the_way(job, model, Q) / leaves.shape[1])


def leaves_ranked(job: Job, model: KMeansTrees, problem: Problem) -> dict[str, Any]:
    """Return the curve of the leaves' points by the trees that agree."""
    found = model.colliding(problem.Q, kernels=job.kernels)
    on_the_way = centres_on_the_way(job, model, problem.Q)
    return ranked_list(found, problem.near, problem.counts, on_the_way)


def centres_on_the_way(job: Job, model: KMeansTrees, Q: Points) -> float:
    """Return the mean number of centres that a query is compared with in all trees."""
    on_the_way = np.zeros(len(model.first), dtype=np.int64)
    for j in range(len(model.first)):  # a node's children come after it
        on_the_way[model.first[j] : model.last[j]] = on_the_way[j] + model.last[j] - model.first[j]
    leaves = job.kernels.tree_leaves(model, Q.astype(np.float64))
    return float(on_the_way[leaves].sum(axis=1).mean())


def best_bin_first(job: Job, model: KMeansTrees, problem: Problem) -> dict[str, Any]:
    """Return the curve of k-means trees that are searched best bin first, in the order found."""
    queries, counts = problem.Q.astype(np.float64), problem.counts
    compared = [
        float(job.kernels.best_bin_first(model, queries, count)[2].mean()) for count in counts
    ]
    found = model.candidates(problem.Q, max(counts), kernels=job.kernels)
    return ranked_list(found, problem.near, counts, compared)


def build_tables(
    job: Job, problem: Problem, setting: tuple[int, float], draw: int, *, trees: int
) -> Any:
    """Return hash tables of a setting: functions of a table, width in rms lengths of the points."""
    k, w = setting
    return lsh(problem.X, trees, k, w, rng=job.rng_for("lsh", draw), kernels=job.kernels)


def buckets_sets(job: Job, model: Any, problem: Problem) -> dict[str, Any]:
    """Return the curve of a query's buckets in the first tables."""
    X, Q, near, counts, _ = problem
    buckets = model.buckets(Q, kernels=job.kernels)
    curve = union_curve(model.starts[:-1], model.starts[1:], model.members, buckets, near, len(X))
    return whole_sets(curve, counts, model.k)


def buckets_ranked(job: Job, model: Any, problem: Problem) -> dict[str, Any]:
    """Return the curve of the buckets' points by the tables that agree."""
    found = model.candidates(problem.Q, kernels=job.kernels)
    return ranked_list(found, problem.near, problem.counts, len(model.b))


def build_codes(job: Job, problem: Problem, bits: int, draw: int) -> Any:
    """Return spectral hashing's functions, which have no chance."""
    return spectral_hashing(problem.X, bits, kernels=job.kernels)


def codes_ranked(job: Job, model: Any, problem: Problem) -> dict[str, Any]:
    """Return the curve of a linear scan of the codes."""
    codes, of_queries = (model.encode(part, kernels=job.kernels) for part in problem[:2])
    nearest = hamming_scan(of_queries, codes, max(problem.counts), kernels=job.kernels)
    return ranked_list(nearest, problem.near, problem.counts)


METHODS = {
    "forest": Method(
        build_forest,
        {SETS: forest_sets, RANKED: forest_ranked},
        lambda lam: f"lambda {lam:g}",
        size_of,
    ),
    "k-means trees": Method(
        build_kmeans,
        {SETS: leaves_sets, RANKED: leaves_ranked},
        lambda setting: "{} regions, leaves of {}".format(*setting),
    ),
    "best bin first": Method(
        build_kmeans,
        {RANKED: best_bin_first},
        lambda setting: "{} regions, leaves of {}".format(*setting),
    ),
    "LSH": Method(
        build_tables,
        {SETS: buckets_sets, RANKED: buckets_ranked},
        lambda setting: "{} functions of width {:g}".format(*setting),
    ),
    "spectral hashing": Method(build_codes, {RANKED: codes_ranked}, lambda bits: f"{bits} bits"),
}
