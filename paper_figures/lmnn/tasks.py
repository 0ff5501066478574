"""What the figures of Weinberger & Saul (2008) compute; a change here computes them anew.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from paper_figures.lmnn.prepared import points, prepared
from paper_figures.tasks import Job
from refimpl.ball_trees import as_tree, nearest_neighbors
from refimpl.lmnn import leave_one_out_error, lmnn
from refimpl.typing import FloatArray, Labels


@lru_cache(maxsize=1)
def _images(
    data_set: str, data_dir: str | None, preparation: str
) -> tuple[FloatArray, Labels, int | None]:
    loaded = Job(0, "reference", data_dir, (data_set,)).load(data_set)
    return prepared(loaded.X, preparation), loaded.y, loaded.n_train


# -------------------------------------------------------------------------------------- Figures 1-3


def ball(job: Job, *, data_set: str, preparation: str, k: int) -> dict[str, Any]:
    """Return a ball of a tree, a query outside and the two distances of eq. 7 (figure 1).

    The tree is that of two principal components.
    """
    whole = points(job, data_set, preparation, 2)
    X = whole.X[:400]
    Q = whole.Q[:200]
    tree = as_tree(X, leaf_size=12, direction="principal", kernels=job.kernels)
    leaves = [j for j in range(len(tree.starts)) if 5 <= tree.ends[j] - tree.starts[j] <= 24]
    node = max(leaves, key=lambda j: tree.radii[j])
    centre = tree.centres[node]
    radius = float(tree.radii[node])
    apart = np.linalg.norm(Q - centre, axis=1)
    query = Q[np.argsort(np.abs(apart - 3 * radius))[0]]
    inside = tree.points[tree.starts[node] : tree.ends[node]]
    nearest = np.linalg.norm(inside - query, axis=1)
    neighbors = nearest_neighbors(query[None], X, 1, kernels=job.kernels)
    return {
        "inside": inside,
        "centre": centre,
        "radius": radius,
        "query": query,
        "neighbour": X[neighbors.indices[0, 0]],
        "neighbour_distance": float(neighbors.distances[0, 0]),
        "bound": max(float(np.linalg.norm(query - centre)) - radius, 0.0),
        "least": float(nearest.min()),
    }


def ellipsoids(
    job: Job, *, data_set: str, preparation: str, digits: Sequence[int], n: int, k: int, shown: int
) -> dict[str, Any]:
    """Return two principal components of some digits and the metric of each (figure 3)."""
    X, y, n_train = _images(data_set, job.data_dir, preparation)
    kept = np.flatnonzero(np.isin(y[:n_train], digits))[:n]
    X = X[kept] - X[kept].mean(axis=0)
    y = y[kept]
    X = X @ np.linalg.eigh(X.T @ X)[1][:, :-3:-1]
    several = lmnn(X, y, k, partition=y, kernels=job.kernels)
    single = lmnn(X, y, k, kernels=job.kernels)
    return {
        "points": [X[y == digit][:shown] for digit in digits],
        "metrics": several.M,
        "gap": several.gap,
        "centres": [X[y == digit].mean(axis=0) for digit in digits],
        "objective": several.objective,
        "several": 100 * leave_one_out_error(several, X, y, k, kernels=job.kernels),
        "one": 100 * leave_one_out_error(single, X, y, k, kernels=job.kernels),
        "euclidean": 100 * leave_one_out_error(np.eye(2), X, y, k, kernels=job.kernels),
    }
