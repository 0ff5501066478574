"""How many candidates FastMap needs in § 11.2 of Athitsos et al. (2005), by its dimensions.

Not handled here: FastMap itself (:mod:`refimpl.rivals.fastmap`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from paper_figures.boostmap.detectors import EdgesLost, detected_problem
from paper_figures.boostmap.problem import space_of
from paper_figures.registry import Job
from refimpl.rivals.fastmap import fastmap
from refimpl.spaces import percentile
from refimpl.typing import FloatArray, IntArray

SUCCESS, K = 98, 10  # § 11.2
AT_ONCE = 8  # queries that are worked on at a time: their distances stay in the cache


def fastmap_by_dimension(
    job: Job,
    *,
    data_set: str,
    enlarge: int,
    most: int,
    detector: Sequence[Any],
    n_train: int,
    dimensions: int,
    clip: bool,
    draws: int,
    queries: int,
) -> dict[str, Any]:
    """Return for each draw the p of § 11.2 with 1, ..., `dimensions` dimensions.

    A draw chooses `n_train` database objects and pivots; "p" and "cost" are lists by dimension,
    which end early where FastMap does. `queries` are the first so many queries. With a detector
    that leaves images without edges, "lost" is their number and there are no draws.
    """
    try:
        problem = detected_problem(job, data_set, detector, enlarge, most)
    except EdgesLost as lost:
        return {"lost": lost.images, "draws": []}
    nearest = problem.nearest[:queries, :K]
    results = []
    for draw in range(draws):
        rng = job.rng_for("fastmap", draw)
        picked = np.sort(rng.choice(len(problem.database), n_train, replace=False))
        space = space_of(job, problem.database[picked])
        model = fastmap(space, dimensions, rng=rng, clip=clip)
        Q = model.embed(space, problem.queries[:queries])
        X = model.embed(space, problem.database)
        ranks = ranks_by_dimension(Q, X, nearest)
        results.append(
            {
                "p": [int(p) for p in percentile(ranks, SUCCESS)],
                "cost": [model.truncated(d).cost for d in range(1, model.d + 1)],
            }
        )
    return {"lost": 0, "draws": results}


def ranks_by_dimension(Q: FloatArray, X: FloatArray, nearest: IntArray) -> IntArray:
    """Return ENN-k ranks by the Euclidean distance of the first 1, ..., d coordinates.

    Parameters
    ----------
    Q, X : ndarray, shapes (m, d) and (n, d)
        Embedded queries and database.
    nearest : ndarray, shape (m, k)
        The true k nearest of each query.

    Returns
    -------
    ndarray, shape (m, d), int64
    """
    m, d = Q.shape
    ranks = np.empty((m, d), dtype=np.int64)
    columns = np.ascontiguousarray(X.T)
    for start in range(0, m, AT_ONCE):
        block = slice(start, start + AT_ONCE)
        squares = np.zeros((len(Q[block]), len(X)))
        step = np.empty_like(squares)
        for j in range(d):
            np.subtract.outer(Q[block, j], columns[j], out=step)
            step *= step
            squares += step
            farthest = np.take_along_axis(squares, nearest[block], axis=1).max(axis=1)
            nearer = squares < farthest[:, np.newaxis]
            ranks[block, j] = [1 + np.count_nonzero(row) for row in nearer]  # faster than a sum
    return ranks
