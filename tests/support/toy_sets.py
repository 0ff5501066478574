"""Small data sets, clocks and an hnswlib in the place of those that the figures use."""

from types import SimpleNamespace

import numpy as np

from paper_figures import data
from paper_figures.data import DataSet


def provide(monkeypatch, name, X, y, n_train=None):
    """Let figures load these points as the data set `name`.

    A name must not be used for two sets: tasks keep the points of the sets that they have loaded.
    """
    known = data.load

    def load(wanted, data_dir=None, **options):
        if wanted != name:
            return known(wanted, data_dir, **options)
        return DataSet(name, np.asarray(X, float), np.asarray(y), {}, (), n_train)

    monkeypatch.setattr(data, "load", load)


def ticking(*times):
    """Return a clock that gives these times, one for each call."""
    left = iter(times)
    return lambda: next(left)


def hnswlib_of(monkeypatch, module):
    """Let a module find hnswlib, exact search in the first ef points; return what it is asked."""
    asked = {}

    class Index:
        def __init__(self, space, dim):
            asked.update(space=space, dim=dim)

        def init_index(self, **how):
            asked.update(how)

        def add_items(self, X, num_threads):
            self.X = X

        def set_ef(self, ef):
            asked["ef"] = ef

        def knn_query(self, Q, k, num_threads):
            points = self.X[: asked["ef"]].astype(float)
            lengths = ((Q[:, np.newaxis] - points) ** 2).sum(axis=2)
            return np.argsort(lengths, axis=1, kind="stable")[:, :k].astype(np.uint64), None

    fake = SimpleNamespace(import_module=lambda name: SimpleNamespace(Index=Index))
    monkeypatch.setattr(module, "importlib", fake)
    return asked
