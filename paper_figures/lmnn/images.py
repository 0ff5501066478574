"""The points of LMNN's figures: prepared, on principal components, divided by class.

Not handled here: the files (`paper_figures.data`), the preparations that Table 1 tries
(`tasks.py`).
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from paper_figures.registry import Job
from refimpl.typing import BoolArray, FloatArray, Labels


class Points(NamedTuple):
    """Training points X with their classes y, and test points Q with theirs, z."""

    X: FloatArray
    y: Labels
    Q: FloatArray
    z: Labels


def points(job: Job, data_set: str, preparation: str, d: int, n: int | None = None) -> Points:
    """Return a data set on the d leading principal components of its training part.

    Parameters
    ----------
    job : registry.Job
    data_set : str
    preparation : {"as they are", "normalised"}
        "normalised": each image has its mean subtracted and is divided by its length.
    d : int
    n : int, optional
        The number of training points, drawn at random once; by default all of them.

    Returns
    -------
    Points
    """
    whole = _on_components(data_set, job.data_dir, preparation, d)
    if n is None or n >= len(whole.X):
        return whole
    kept = np.sort(job.rng_for("training points", data_set, n).permutation(len(whole.X))[:n])
    return whole._replace(X=whole.X[kept], y=whole.y[kept])


@lru_cache(maxsize=2)
def _on_components(data_set: str, data_dir: str | None, preparation: str, d: int) -> Points:
    loaded = Job(0, {}, "reference", data_dir, (data_set,)).load(data_set)
    X = loaded.X
    if preparation == "normalised":
        X = X - X.mean(axis=1, keepdims=True)
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
    train = loaded.n_train
    X = X - X[:train].mean(axis=0)
    axes = np.linalg.eigh(X[:train].T @ X[:train])[1][:, : -d - 1 : -1]
    Z = X @ axes
    return Points(Z[:train], loaded.y[:train], Z[train:], loaded.y[train:])


def per_cent(classes: Labels, y: Labels) -> float:
    """Return how many per cent of the classes are wrong."""
    return 100 * float((classes != y).mean())


def in_training(y: Labels, share: float, rng: np.random.Generator) -> BoolArray:
    """Return whether a point trains; the share of each class is held out for validation."""
    trains = np.ones(len(y), dtype=bool)
    for c in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == c))
        trains[members[: int(share * len(members))]] = False
    return trains
