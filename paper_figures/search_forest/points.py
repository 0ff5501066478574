"""The points of the search forest's figures: database, queries, true neighbours, and trials.

What the paper leaves open is chosen on a trial: a part of the database is searched, and other
points of it are the queries. The true queries play no part in the choice.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from paper_figures.study import Job
from refimpl.ball_trees import nearest_neighbors
from refimpl.typing import FloatArray, IntArray

HELD_OUT = 300  # points of the database that are the queries when settings are chosen


class Problem(NamedTuple):
    """Database X, queries Q, the K nearest of each, the numbers of returned items, X's share."""

    X: FloatArray
    Q: FloatArray
    near: IntArray
    counts: Sequence[int]
    share: float = 1.0  # of a trial: that of the whole database

    @property
    def K(self) -> int:
        """The number of true neighbours."""
        return int(self.near.shape[1])


@lru_cache(maxsize=2)
def _components(job: Job, data_set: str, d: int) -> tuple[Any, Any]:
    """Return database and queries on the database's components; its mean squared length is 1."""
    loaded = job.load(data_set)
    X = loaded.X - loaded.X[: loaded.n_train].mean(axis=0)
    vectors = np.linalg.eigh(X[: loaded.n_train].T @ X[: loaded.n_train])[1][:, ::-1]
    Z = X @ vectors[:, :d]
    Z /= np.sqrt((Z[: loaded.n_train] ** 2).sum(axis=1).mean())
    return Z[: loaded.n_train].astype(np.float32), Z[loaded.n_train :].astype(np.float32)


@lru_cache(maxsize=4)
def whole(
    job: Job, *, data_set: str, d: int, queries: int, K: int, counts: tuple[int, ...] = ()
) -> Problem:
    """Return the whole database with the first of its queries."""
    X, Q = _components(job, data_set, d)
    near = nearest_neighbors(Q[:queries], X, K, kernels=job.kernels).indices
    return Problem(X, Q[:queries], near, counts)


def trial(job: Job, size: int, *, data_set: str, d: int, K: int, counts: Sequence[int]) -> Problem:
    """Return `size` points of the database, and others as queries, to choose settings."""
    # K and the counts shrink, so that the neighbours lie as near as among all points
    X, _ = _components(job, data_set, d)
    order = job.rng_for("trial", data_set).permutation(len(X))
    share = size / len(X)
    Q, X = X[order[:HELD_OUT]], X[order[HELD_OUT : HELD_OUT + size]]
    near = nearest_neighbors(Q, X, max(1, round(share * K)), kernels=job.kernels).indices
    return Problem(X, Q, near, [max(1, round(share * count)) for count in counts], share)
