"""Whole candidate sets, tree by tree: another reading of Li et al. (2011), § 4.

§ 4.1 says that more returned items take more trees. That may mean that the union of the leaves that
a query reaches in the first trees is returned, in no order. Figure 1 orders the candidates of all
trees instead, by T or by the trees that agree, and cuts.

Every public function but :func:`union_curve` is a task: it gets a
:class:`paper_figures.registry.Job` and its parameters. For each number of returned items the
setting is the one of the largest recall at that number on a part of the database, with other points
of it for queries.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paper_figures.registry import Job
from paper_figures.search_forest.tasks import kmeans_forest, learn_forest, load_problem, load_trial
from refimpl.rivals.lsh import lsh
from refimpl.search_forest import to_terms
from refimpl.typing import FloatArray, Int32Array, IntArray


def union_curve(
    starts: IntArray,
    ends: IntArray,
    members: Int32Array | IntArray,
    lists: IntArray | Int32Array,
    near: IntArray,
    n: int,
) -> tuple[FloatArray, FloatArray]:
    """Return mean sizes and recalls of the unions of a query's first 1, 2, ..., M lists.

    Parameters
    ----------
    starts, ends : ndarray of int, shape (L,)
        List l holds the points ``members[starts[l]:ends[l]]``.
    members : ndarray of int
    lists : ndarray of int, shape (m, M)
        The lists of each query; a negative one is empty.
    near : ndarray of int, shape (m, K)
        The neighbours of each query.
    n : int
        How many points there are.

    Returns
    -------
    sizes, recalls : ndarray, shape (M,), float64
        Recalls between 0 and 1.
    """
    M = lists.shape[1]
    sizes = np.zeros(M + 1)
    hits = np.zeros(M + 1)
    first = np.empty(n, dtype=np.int64)
    for of_query, neighbors in zip(lists, near, strict=True):
        first[:] = M  # the first list that holds a point; M if none does
        for m in range(M - 1, -1, -1):
            if of_query[m] >= 0:
                first[members[starts[of_query[m]] : ends[of_query[m]]]] = m
        sizes += np.bincount(first, minlength=M + 1)
        hits += np.bincount(first[neighbors], minlength=M + 1)
    return np.cumsum(sizes)[:M] / len(lists), np.cumsum(hits)[:M] / near.size


def at_counts(curve: tuple[FloatArray, FloatArray], counts: Sequence[int]) -> FloatArray:
    """Return recalls at numbers of returned items, interpolated between two numbers of trees.

    Beyond the items that all trees return, the recall is that of all trees.
    """
    sizes, recalls = curve
    at_these: FloatArray = np.interp(counts, [0, *sizes], [0, *recalls])
    return at_these


def _chosen(
    job: Job, at: dict[str, Any], settings: Sequence[Any], search: Callable[..., Any]
) -> dict[str, Any]:
    """Return the recall at each count by the setting that the trial chooses for that count.

    Also the sizes and recalls of each setting in use.
    """
    X, Q, near, small = load_trial(job, at)
    tried = np.array(
        [at_counts(search(X, Q, near, setting, small), small["counts"]) for setting in settings]
    )
    chosen = tried.argmax(axis=0)
    X, Q, near = load_problem(job, at)
    curves = {int(s): search(X, Q, near, settings[s], at) for s in np.unique(chosen)}
    recalls = [
        at_counts(curves[s], [count])[0] for s, count in zip(chosen, at["counts"], strict=True)
    ]
    return {
        "recall": 100 * np.array(recalls),
        "settings": [settings[s] for s in chosen],
        "curves": [[settings[s], sizes, 100 * shares] for s, (sizes, shares) in curves.items()],
    }


def union_forest(
    job: Job, *, lams: Sequence[float], n_train: int, max_depth: int, trees: int, **at: Any
) -> dict[str, Any]:
    """Return the curve of the forest's candidate sets X_q after each tree."""

    def search(
        X: FloatArray, Q: FloatArray, near: IntArray, lam: float, at: dict[str, Any]
    ) -> tuple[FloatArray, FloatArray]:
        try:
            forest = learn_forest(
                job, X, at["K"], lam=lam, n_train=n_train, max_depth=max_depth, trees=trees
            )
        except ValueError as error:
            if "no tree is worth its cost" not in str(error):
                raise
            return np.zeros(1), np.zeros(1)  # lambda is too large for the depth
        words = to_terms(forest, X, kernels=job.kernels)
        ends = np.cumsum(np.bincount(words.ravel(), minlength=forest.n_words))
        # a leaf's number is that of one tree
        members = np.argsort(words.T.ravel(), kind="stable") % len(X)
        lists = to_terms(forest, Q, kernels=job.kernels)
        return union_curve(np.append(0, ends[:-1]), ends, members, lists, near, len(X))

    return _chosen(job, at, lams, search)


def union_kmeans(job: Job, *, settings: Sequence[Any], trees: int, **at: Any) -> dict[str, Any]:
    """Return the curve of the leaves of k-means trees after each tree."""

    def search(
        X: FloatArray, Q: FloatArray, near: IntArray, setting: Any, at: dict[str, Any]
    ) -> tuple[FloatArray, FloatArray]:
        model = kmeans_forest(job, X, setting, trees, at.get("share", 1))
        leaves = job.kernels.tree_leaves(model, Q.astype(np.float64))
        return union_curve(model.starts, model.ends, model.members, leaves, near, len(X))

    return _chosen(job, at, [list(setting) for setting in settings], search)


def union_hashing(
    job: Job, *, functions: Sequence[int], widths: Sequence[float], tables: int, **at: Any
) -> dict[str, Any]:
    """Return the curve of the buckets of hash tables after each table."""

    def search(
        X: FloatArray, Q: FloatArray, near: IntArray, setting: Any, at: dict[str, Any]
    ) -> tuple[FloatArray, FloatArray]:
        k, w = setting
        model = lsh(X, tables, k, w, rng=job.rng_for("lsh"), kernels=job.kernels)
        buckets = model.buckets(Q, kernels=job.kernels)
        return union_curve(
            model.starts[:-1], model.starts[1:], model.members, buckets, near, len(X)
        )

    return _chosen(job, at, [[k, w] for k in functions for w in widths], search)
