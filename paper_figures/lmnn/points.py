"""The points of LMNN's figures: prepared images, on principal components, random samples.

Not handled here: the files (`paper_figures.data`).
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.ndimage import affine_transform

from paper_figures.study import Job
from refimpl.lmnn.algorithm import Examples, State, steps
from refimpl.resources import on_one_blas_thread
from refimpl.typing import BoolArray, FloatArray, IntArray, Kernels, Labels

HELD_OUT = 0.3  # § 5.2


class Points(NamedTuple):
    """Training points X with their classes y, from 0, and test points Q with theirs, z."""

    X: FloatArray
    y: IntArray
    Q: FloatArray
    z: IntArray


def points(job: Job, data_set: str, preparation: str, d: float, n: int | None = None) -> Points:
    """Return n points (or all) on d leading components, or on those that hold a share d < 1."""
    whole = _on_components(job, data_set, preparation, d)
    if n is None or n >= len(whole.X):
        return whole
    kept = np.sort(job.rng_for("training points", data_set, n).permutation(len(whole.X))[:n])
    return whole._replace(X=whole.X[kept], y=whole.y[kept])


@lru_cache(maxsize=1)
def _on_components(job: Job, data_set: str, preparation: str, d: float) -> Points:
    loaded = job.load(data_set)
    X = prepared(loaded.X, preparation)
    train = loaded.n_train
    X = X - X[:train].mean(axis=0)
    values, vectors = np.linalg.eigh(X[:train].T @ X[:train])
    held = np.cumsum(values[::-1]) / values.sum()
    n_components = int(np.searchsorted(held, d)) + 1 if d < 1 else int(d)
    Z = X @ vectors[:, : -n_components - 1 : -1]
    y = np.unique(loaded.y, return_inverse=True)[1]
    return Points(Z[:train], y[:train], Z[train:], y[train:])


def prepared(X: FloatArray, preparation: str) -> FloatArray:
    """Return images as they are, or "raw" (the largest value 1), "deskewed" or "normalised"."""
    if preparation == "as they are":
        return X
    X = X / X.max()
    if preparation == "deskewed":
        side = round(X.shape[1] ** 0.5)
        X = deskewed(X.reshape(-1, side, side)).reshape(len(X), -1)
    if preparation == "normalised":
        X = X - X.mean(axis=1, keepdims=True)
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
    return X


def deskewed(images: FloatArray) -> FloatArray:
    """Return images sheared until their second moments do not slant, their mass in the middle."""
    side = images.shape[1]
    rows, columns = np.mgrid[:side, :side]
    out = np.empty_like(images)
    for place, image in enumerate(images):
        mass = image.sum() or 1.0
        row = (rows * image).sum() / mass
        column = (columns * image).sum() / mass
        slant = ((rows - row) * (columns - column) * image).sum() / max(
            ((rows - row) ** 2 * image).sum(), 1e-9
        )
        shear = np.array([[1.0, 0.0], [slant, 1.0]])
        offset = np.array([row, column]) - shear @ np.array([side / 2, side / 2])
        out[place] = affine_transform(image, shear, offset=offset, order=1)
    return out


def sample_of(job: Job, data_set: str, y: Labels, n: int, sample: int, k: int) -> IntArray:
    """Return the rows of a random sample, the same for every preparation and solver."""
    # few points: each class gives equally many, so that none lacks the k + 1 that it needs
    if n >= len(y):
        return np.arange(len(y))
    rng = job.rng_for("sample", data_set, n, sample)
    classes = np.unique(y)
    if n >= 10 * (k + 1) * len(classes):
        return np.sort(rng.permutation(len(y))[:n])
    each = n // len(classes)
    rows = [rng.permutation(np.flatnonzero(y == c))[:each] for c in classes]
    return np.sort(np.concatenate(rows))


def sampled(
    job: Job, data_set: str, preparation: str, n: int, sample: int, d: int, k: int
) -> Points:
    """Return the points of :func:`points` whose rows :func:`sample_of` draws, and all queries."""
    whole = points(job, data_set, preparation, d)
    rows = sample_of(job, data_set, whole.y, n, sample, k)
    return whole._replace(X=np.ascontiguousarray(whole.X[rows]), y=whole.y[rows])


def printed_steps(
    X: FloatArray,
    y: Labels,
    targets: IntArray,
    kernels: Kernels,
    start: FloatArray | None = None,
    **how: Any,
) -> Iterator[State]:
    """Return the paper's steps of one metric with c = 1, from `start`, on one thread."""
    # by default from the multiple of the Euclidean metric under which target neighbours have a mean
    # squared distance of 1
    if start is None:
        start = scaled(np.eye(X.shape[1]), X, targets)
    classes = np.unique(y, return_inverse=True)[1]
    examples = Examples(X, classes, targets, np.zeros(len(X), dtype=np.int64))
    return on_one_blas_thread(steps(examples, 1.0, start[None], kernels=kernels, threads=1, **how))


def scaled(L: FloatArray, X: FloatArray, targets: IntArray) -> FloatArray:
    """Return the multiple of L under which target neighbours have a mean squared distance of 1."""
    Z = X @ L.T
    near = [((Z - Z[j]) ** 2).sum(axis=1).mean() for j in targets.T]
    factor: FloatArray = L / np.sqrt(np.mean(near))
    return factor


def in_training(y: Labels, rng: np.random.Generator) -> BoolArray:
    """Return whether a point trains: three of ten of each class are held out for validation."""
    trains = np.ones(len(y), dtype=bool)
    for c in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == c))
        trains[members[: int(HELD_OUT * len(members))]] = False
    return trains


def voted(near: IntArray, ties: str) -> IntArray:
    """Return the class of most votes; in ties the lowest ("first class"), or the "nearest"."""
    count = (near[:, :, None] == near[:, None, :]).sum(axis=2)
    if ties == "nearest":
        return np.take_along_axis(near, count.argmax(axis=1)[:, None], axis=1)[:, 0]
    most = count == count.max(axis=1, keepdims=True)
    winners: IntArray = np.where(most, near, near.max() + 1).min(axis=1)
    return winners


def per_cent_wrong(near: IntArray, y: Labels, ties: str = "first class") -> float:
    """Return how many per cent of the queries their neighbours misclassify."""
    return per_cent(voted(near, ties), y)


def per_cent(classes: Labels, y: Labels) -> float:
    """Return how many per cent of the classes are wrong."""
    return 100 * float((classes != y).mean())
