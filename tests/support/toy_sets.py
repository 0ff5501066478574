"""Small data sets in the place of those that the figures load, and k-NN by brute force."""

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


def components(X, n_train, d):
    """Return the points on d principal components of the first `n_train`, by their SVD."""
    centred = X - X[:n_train].mean(axis=0)
    return centred @ np.linalg.svd(centred[:n_train], full_matrices=False)[2][:d].T


def squares(Q, X, metrics, parts):
    """Return squared distances of queries to points, each point under the metric of its part."""
    out = np.empty((len(Q), len(X)))
    for i, (x, part) in enumerate(zip(X, parts, strict=True)):
        out[:, i] = np.einsum("ij,jk,ik->i", Q - x, metrics[part], Q - x)
    return out


def nn_error(Q, z, X, y, k, metrics=None, parts=None, leave_out=False):
    """Return the error of k-NN in per cent: the first of the classes with the most votes."""
    metrics = [np.eye(X.shape[1])] if metrics is None else metrics
    parts = np.zeros(len(X), dtype=int) if parts is None else parts
    distances = squares(Q, X, metrics, parts)
    if leave_out:
        np.fill_diagonal(distances, np.inf)
    classes = np.unique(y)
    wrong = 0
    for row, label in zip(distances, z, strict=True):
        near = y[np.argsort(row, kind="stable")[:k]]
        wrong += classes[np.argmax([(near == c).sum() for c in classes])] != label
    return 100 * wrong / len(Q)


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
