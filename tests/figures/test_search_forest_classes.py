"""The tasks of similarity by class, by loops over small sets of three classes.

Forests and metrics are those of `refimpl`, tested elsewhere. Not here: the rows
(test_figures_search_forest_results.py).
"""

from types import SimpleNamespace

import forest_toy
import numpy as np
import pytest
from forest_toy import N

from paper_figures.search_forest import classes, points
from refimpl.lmnn import lmnn
from refimpl.search_forest import ForestOptions, label_similarity, search_forest, selection

AT = {"data_set": "forest toy", "d": 3, "queries": 20, "K": 12, "counts": (4, 12)}
SHAPE = {"n_train": 60, "max_depth": 3, "trees": 3, "trial": 90}


@pytest.fixture(params=forest_toy.NAMES)
def job(request, monkeypatch):
    forest_toy.points(monkeypatch)
    monkeypatch.setattr(classes, "HELD_OUT", 20)
    return forest_toy.job(request.param)


def share(lists, y, z, counts):
    """Return the share of class z[i] in the first items of list i; what is missing is wrong."""
    pairs = list(zip(lists, z, strict=True))
    return [100 * np.mean([(y[ids[:n]] == mine).sum() / n for ids, mine in pairs]) for n in counts]


def nearest(X, Q, k):
    squares = ((Q[:, np.newaxis].astype(float) - X) ** 2).sum(axis=2)
    return np.argsort(squares, axis=1, kind="stable")[:, :k]


def test_the_share_of_a_class_counts_what_is_not_returned():
    """Query 0 of class 7 gets 7, 8, 7; query 1 of class 8 gets one item, of class 8."""
    starts = np.array([0, 3, 4])
    items = np.array([0, 1, 2, 1])
    found = classes.shares(starts, items, np.array([7, 8, 7]), np.array([7, 8]), (1, 2, 4))
    assert found == pytest.approx([100 * 2 / 2, 100 * (1 + 1) / 4, 100 * (2 + 1) / 8])


@pytest.mark.parametrize("draw", [0, 1])
def test_a_forest_that_is_learnt_from_classes(job, draw):
    lams = (0.3, 0.9, 0.05)
    value = classes.forest_by_class(job, draw=draw, lams=lams, **SHAPE, **AT)
    X, Q, _ = points.load_problem(job, AT)
    labels = job.load("forest toy").y
    y, z = labels[:N], labels[N:][:20]

    def lists(X, y, Q, lam, draw):
        if lam == 0.9:
            return [np.empty(0, dtype=int)] * len(Q), None  # no tree is worth its cost
        rng = job.rng_for("classes", draw)
        rows = np.sort(rng.choice(len(X), 60, replace=False))
        S = label_similarity(y[rows])
        forest = search_forest(X[rows], S, 3, lam, rng=rng, options=ForestOptions(3))
        T = selection(forest, Q, X)
        return [np.argsort(-row, kind="stable")[: (row > 0).sum()] for row in T], forest

    order = job.rng_for("trial", "forest toy").permutation(N)
    asked, rest = order[:20], order[20:110]
    tried = []
    for lam in lams:
        found, _ = lists(X[rest], y[rest], X[asked], lam, 0)
        tried.append(np.mean(share(found, y[rest], y[asked], (2, 7))))  # 0.6 of 4 and of 12
    assert value["tried"] == [
        [lam, pytest.approx(mean)] for lam, mean in zip(lams, tried, strict=True)
    ]
    assert value["setting"] == lams[int(np.argmax(tried))]
    found, forest = lists(X, y, Q, value["setting"], draw)
    assert value["shares"] == pytest.approx(share(found, y, z, (4, 12)))
    assert (value["trees"], value["leaves"]) == (len(forest.c), forest.n_words / len(forest.c))


def test_searches_by_distance(job, monkeypatch):
    X, Q, _ = points.load_problem(job, AT)
    labels = job.load("forest toy").y
    y, z = labels[:N], labels[N:][:20]
    told = {"n_train": 60, "draw": 1} | AT
    exact = classes.neighbors_by_class(job, search="exact", **told)
    assert exact["shares"] == pytest.approx(share(nearest(X, Q, 12), y, z, (4, 12)))
    rows = np.sort(job.rng_for("classes", 1).choice(N, 60, replace=False))
    L = lmnn(X[rows], y[rows], 3).L[0]
    metric = classes.neighbors_by_class(job, search="LMNN", **told)
    expected = share(nearest(X @ L.T, Q @ L.T, 12), y, z, (4, 12))
    assert metric["shares"] == pytest.approx(expected, abs=100 / 40)
    assert metric["shares"] != exact["shares"]


def test_hnswlib_is_asked_if_it_is_installed(job, monkeypatch):
    """Its stand-in looks at the first ef points; ef is twice the number of neighbours."""

    class Graph:
        def __init__(self, space, dim):
            assert (space, dim) == ("l2", 3)

        def init_index(self, max_elements, M, ef_construction, random_seed):
            assert (max_elements, M, ef_construction, random_seed) == (N, 16, 200, classes.SEED)

        def add_items(self, X, num_threads):
            self.X = X
            assert num_threads == 1

        def set_ef(self, ef):
            self.ef = ef

        def knn_query(self, Q, k, num_threads):
            return nearest(self.X[: self.ef], Q, k).astype(np.uint64), None

    fake = SimpleNamespace(import_module=lambda name: SimpleNamespace(Index=Graph))
    monkeypatch.setattr(classes, "importlib", fake)
    told = {"n_train": 60, "draw": 0} | AT
    value = classes.neighbors_by_class(job, search="hnswlib", version="1", **told)
    X, Q, _ = points.load_problem(job, AT)
    labels = job.load("forest toy").y
    expected = share(nearest(X[:24], Q, 12), labels[:N], labels[N:][:20], (4, 12))
    assert value["shares"] == pytest.approx(expected)
    absent = classes.neighbors_by_class(job, search="hnswlib", version=None, **told)
    assert absent == {"missing": "hnswlib"}
