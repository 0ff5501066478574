"""Small data sets, clocks and a library in the place of those that the figures take."""

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
        return DataSet(np.asarray(X, float), np.asarray(y), {}, n_train, name=name)

    monkeypatch.setattr(data, "load", load)


def ticking(*times):
    """Return a clock that gives these times, one for each call."""
    left = iter(times)
    return lambda: next(left)


def hnswlib_of(monkeypatch, module):
    """Let a module find hnswlib, which gives each query the first points; return what it asks."""
    asked = {}

    class Index:
        def __init__(self, space, dim):
            asked.update(space=space, dim=dim)

        def init_index(self, **how):
            asked.update(how)

        def add_items(self, X, num_threads):
            pass

        def set_ef(self, ef):
            asked["ef"] = ef

        def knn_query(self, Q, k, num_threads):
            return np.tile(np.arange(k, dtype=np.uint64), (len(Q), 1)), None

    fake = SimpleNamespace(import_module=lambda name: SimpleNamespace(Index=Index))
    monkeypatch.setattr(module, "importlib", fake)
    return asked
