"""The points of the search forest's figures: database, queries, true neighbours, and trials.

What the paper leaves open is chosen on a trial: a part of the database is searched, and other
points of it are the queries. The true queries play no part in the choice.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from paper_figures.study import Job, load_kernels
from refimpl.ball_trees import nearest_neighbors
from refimpl.typing import FloatArray, IntArray

HELD_OUT = 300  # points of the database that are the queries when settings are chosen


@lru_cache(maxsize=2)
def _components(data_set: str, data_dir: str | None, d: int) -> tuple[Any, Any]:
    """Return database and queries on the leading principal components of the database.

    The mean squared length of the database is 1.
    """
    loaded = Job(0, "reference", data_dir, (data_set,)).load(data_set)
    X = loaded.X - loaded.X[: loaded.n_train].mean(axis=0)
    vectors = np.linalg.eigh(X[: loaded.n_train].T @ X[: loaded.n_train])[1][:, ::-1]
    Z = X @ vectors[:, :d]
    Z /= np.sqrt((Z[: loaded.n_train] ** 2).sum(axis=1).mean())
    return Z[: loaded.n_train].astype(np.float32), Z[loaded.n_train :].astype(np.float32)


@lru_cache(maxsize=4)
def _truth(
    data_set: str, data_dir: str | None, d: int, queries: int, K: int, kernels_name: str
) -> IntArray:
    """Return the true neighbours of the queries."""
    X, Q = _components(data_set, data_dir, d)
    return nearest_neighbors(Q[:queries], X, K, kernels=load_kernels(kernels_name)).indices


def load_problem(job: Job, at: dict[str, Any]) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return database, queries, their true neighbours."""
    X, Q = _components(at["data_set"], job.data_dir, at["d"])
    near = _truth(at["data_set"], job.data_dir, at["d"], at["queries"], at["K"], job.kernels_name)
    return X, Q[: at["queries"]], near


def load_trial(
    job: Job, at: dict[str, Any]
) -> tuple[FloatArray, FloatArray, IntArray, dict[str, Any]]:
    """Return the same for the choice of settings on a part of the database, and its parameters.

    K and the counts shrink with the database, so that the neighbours lie as near as among all
    points.
    """
    X, _ = _components(at["data_set"], job.data_dir, at["d"])
    order = job.rng_for("trial", at["data_set"]).permutation(len(X))
    share = at["trial"] / len(X)
    small = at | {
        "K": max(1, round(share * at["K"])),
        "share": share,
        "counts": [max(1, round(share * count)) for count in at["counts"]],
    }
    Q = X[order[:HELD_OUT]]
    X = X[order[HELD_OUT : HELD_OUT + at["trial"]]]
    return X, Q, nearest_neighbors(Q, X, small["K"], kernels=job.kernels).indices, small
