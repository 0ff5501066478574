"""A small data set for the search forest's studies, and the forest on it."""

import numpy as np
from agreement import KERNELS
from toy_sets import provide

from paper_figures.search_forest import points as of_figures
from paper_figures.study import Job
from refimpl.search_forest import ForestOptions, neighbor_similarity, search_forest

NAMES = ["reference", "fast"][: len(KERNELS)]
N, M = 150, 24  # points and queries


def points(monkeypatch):
    """Let the studies load the data set "forest toy"; return its points and queries."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(N + M, 5)) * [5.0, 3.0, 2.0, 1.0, 0.1] + 7.0
    y = rng.integers(3, size=N + M)
    X[:, 2] += y
    provide(monkeypatch, "forest toy", X, y, N)
    monkeypatch.setattr(of_figures, "HELD_OUT", 20)
    return X


def job(name=NAMES[-1]):
    return Job(0, name, None, ("forest toy",))


def forest_of(job, X, K, lam, draw=0, **options):
    """Learn from 100 of the points, whose K shrinks with them."""
    rng = job.rng_for("forest", draw)
    rows = np.arange(len(X))
    if len(X) > 100:
        rows = np.sort(rng.choice(len(X), 100, replace=False))
    S = neighbor_similarity(X[rows], max(1, round(K * len(rows) / len(X))))
    options = {"max_depth": 5, "refine": 0, "offset": "eigenvector", "augment": 0.1} | options
    return search_forest(X[rows], S, 3, lam, rng=rng, options=ForestOptions(**options))


def ranked(T):
    """Return the candidates of each query, the largest T first and then the lowest index."""
    return [np.argsort(-row, kind="stable")[: (row > 0).sum()] for row in T]
