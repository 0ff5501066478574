"""Similarity by class: what a forest learnt from labels returns, beside searches by distance.

This goes beyond Li et al. (2011), who claim in § 1 that the forest suits any similarity of pairs,
and try it with Euclidean neighbours alone.

:func:`forest_by_class` and :func:`neighbors_by_class` are tasks: each gets a
:class:`paper_figures.registry.Job` and its parameters. Points are similar if they have the same
label. The share of a query's class among the first returned items counts an item that is not
returned as one of another class.
"""

import importlib
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from paper_figures.search_forest.methods import NOT_WORTH, selected, size_of
from paper_figures.search_forest.points import HELD_OUT, load_problem
from paper_figures.tasks import Job
from refimpl.ball_trees import nearest_neighbors
from refimpl.lmnn import lmnn
from refimpl.search_forest import ForestOptions, label_similarity, search_forest
from refimpl.typing import FloatArray, IntArray, Labels

SEED = 1  # of hnswlib's own generator


def hnswlib_version() -> str | None:
    """Return the installed version of hnswlib, which the task has as a parameter; None without."""
    return version("hnswlib") if find_spec("hnswlib") else None


def load_classes(
    job: Job, at: dict[str, Any]
) -> tuple[FloatArray, FloatArray, Labels, Labels, IntArray]:
    """Return database, queries, the labels of both, and the queries' exact neighbours."""
    X, Q, near = load_problem(job, at)
    y = job.load(at["data_set"]).y
    return X, Q, y[: len(X)], y[len(X) :][: len(Q)], near


def shares(
    starts: IntArray, items: IntArray, y: Labels, of_queries: Labels, counts: Sequence[int]
) -> list[float]:
    """Return the mean share, in per cent, of the query's class among the first returned items.

    Query i is returned ``items[starts[i]:starts[i + 1]]``, the best first.
    """
    right = y[items] == np.repeat(of_queries, np.diff(starts))
    places = np.arange(len(items)) - np.repeat(starts[:-1], np.diff(starts))
    return [100 * float(right[places < n].sum()) / (n * len(of_queries)) for n in counts]


def _training(
    job: Job, X: FloatArray, y: Labels, n_train: int, draw: int
) -> tuple[FloatArray, Labels, np.random.Generator]:
    rng = job.rng_for("classes", draw)
    rows = np.sort(rng.choice(len(X), min(n_train, len(X)), replace=False))
    return X[rows], y[rows], rng


def forest_by_class(
    job: Job,
    *,
    draw: int,
    lams: Sequence[float],
    n_train: int,
    max_depth: int,
    trees: int,
    **at: Any,
) -> dict[str, Any]:
    """Return the shares of the printed forest, learnt from the labels of `n_train` points.

    Lambda is the one of the largest mean share when other points of the database are the queries.
    The candidates come by T, the best first.
    """

    def learnt(X: FloatArray, y: Labels, lam: float, draw: int) -> Any:
        points, labels, rng = _training(job, X, y, n_train, draw)
        S = label_similarity(labels)
        options = ForestOptions(max_depth)
        try:
            return search_forest(
                points, S, trees, lam, rng=rng, options=options, kernels=job.kernels
            )
        except ValueError as error:
            if NOT_WORTH not in str(error):
                raise
            return None

    X, Q, y, z, _ = load_classes(job, at)
    order = job.rng_for("trial", at["data_set"]).permutation(len(X))
    asked, rest = order[:HELD_OUT], order[HELD_OUT : HELD_OUT + at["trial"]]
    counts = [max(1, round(count * len(rest) / len(X))) for count in at["counts"]]
    tried = []
    for lam in lams:
        forest = learnt(X[rest], y[rest], lam, 0)
        found = selected(job, forest, X[rest], X[asked])
        of_lam = shares(found.starts, found.indices, y[rest], y[asked], counts)
        tried.append([lam, float(np.mean(of_lam))])
    lam = max(tried, key=lambda of_lam: of_lam[1])[0]
    forest = learnt(X, y, lam, draw)
    found = selected(job, forest, X, Q)
    return {
        "shares": shares(found.starts, found.indices, y, z, at["counts"]),
        "setting": lam,
        "tried": tried,
    } | size_of(forest)


def neighbors_by_class(
    job: Job, *, search: str, n_train: int, draw: int, version: str | None = None, **at: Any
) -> dict[str, Any]:
    """Return the shares of a search by distance.

    Parameters
    ----------
    job : Job
    search : {"exact", "hnswlib", "LMNN"}
        Exact Euclidean neighbours; those that hnswlib's graph finds; exact neighbours under the
        metric that LMNN learns from the labels of `n_train` points.
    n_train, draw : int
        LMNN's points, which are those of the forest.
    version : str, optional
        hnswlib's; without it nothing is computed.
    **at
        Data set, database and queries.
    """
    if search == "hnswlib" and version is None:
        return {"missing": "hnswlib"}
    X, Q, y, z, near = load_classes(job, at)
    if search == "LMNN":
        points, labels, _ = _training(job, X, y, n_train, draw)
        L = lmnn(points, labels, 3, kernels=job.kernels).L[0]
        X, Q = (np.ascontiguousarray(part @ L.T) for part in (X, Q))
        near = nearest_neighbors(Q, X, near.shape[1], kernels=job.kernels).indices
    elif search == "hnswlib":
        near = _graph_neighbors(X, Q, near.shape[1])
    starts = np.arange(len(Q) + 1) * near.shape[1]
    return {"shares": shares(starts, near.ravel(), y, z, at["counts"])}


def _graph_neighbors(X: FloatArray, Q: FloatArray, K: int) -> IntArray:
    index = importlib.import_module("hnswlib").Index(space="l2", dim=X.shape[1])
    index.init_index(max_elements=len(X), M=16, ef_construction=200, random_seed=SEED)
    index.add_items(X, num_threads=1)
    index.set_ef(2 * K)
    found: IntArray = index.knn_query(Q, K, num_threads=1)[0].astype(np.int64)
    return found
