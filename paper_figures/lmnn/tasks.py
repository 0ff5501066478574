"""What the figures of Weinberger & Saul (2008) compute; a change here computes them anew.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.
"""

from collections.abc import Sequence
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np
from scipy.ndimage import affine_transform

from paper_figures.registry import Job
from refimpl.ball_trees import as_tree, nearest_neighbors
from refimpl.lmnn import (
    LMNNOptions,
    algorithm,
    classify,
    leave_one_out_error,
    lmnn,
    target_neighbors,
)
from refimpl.lmnn.problem import LargeMarginProblem
from refimpl.resources import on_one_blas_thread
from refimpl.typing import BoolArray, FloatArray, IntArray, Kernels, Labels

QUERIES = 1000  # whose search is timed
HELD_OUT = 0.3  # § 5.2


# ------------------------------------------------------------------------------------------- points


def deskewed(images: FloatArray) -> FloatArray:
    """Return images sheared until their second moments do not slant, and centred.

    Their mass is moved to the middle.
    """
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


@lru_cache(maxsize=2)
def _images(
    data_set: str, data_dir: str | None, preparation: str
) -> tuple[FloatArray, Labels, int | None]:
    loaded = Job(0, {}, "reference", data_dir, (data_set,)).load(data_set)
    X = loaded.X / loaded.X.max() if preparation != "as they are" else loaded.X
    if preparation == "deskewed":
        side = round(X.shape[1] ** 0.5)
        X = deskewed(X.reshape(-1, side, side)).reshape(len(X), -1)
    if preparation == "normalised":
        X = X - X.mean(axis=1, keepdims=True)
    if preparation in ("normalised", "unit length"):
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
    return X, loaded.y, loaded.n_train


def _points(
    job: Job, data_set: str, preparation: str, d: float, n: int | None = None
) -> tuple[FloatArray, Labels, FloatArray, Labels]:
    """Return training and test points on the leading principal components, and their classes.

    The components are those of the training part.

    d is a number of components, or the share of the variance that they must have together.
    """
    X, y, n_train = _images(data_set, job.data_dir, preparation)
    centred = X[:n_train] - X[:n_train].mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred)
    values = values[::-1]
    vectors = vectors[:, ::-1]
    if d < 1:
        d = int(np.searchsorted(np.cumsum(values) / values.sum(), d)) + 1
    Z = (X - X[:n_train].mean(axis=0)) @ vectors[:, :d]
    return Z[:n_train][:n], y[:n_train][:n], Z[n_train:], y[n_train:]


def _error(classes: Labels, y: Labels) -> float:
    return 100 * float((classes != y).mean())


def preparations(
    job: Job, *, data_set: str, kinds: Sequence[str], d: int, k: int
) -> dict[str, Any]:
    """Measure Euclidean k-nn errors, in per cent, for ways to prepare the images.

    § 3 prints 2.33 on MNIST.
    """
    errors = {}
    for kind in kinds:
        X, y, Q, z = _points(job, data_set, kind, d)
        errors[kind] = _error(classify(np.eye(X.shape[1]), Q, X, y, k, kernels=job.kernels), z)
    return {"errors": errors}


# ------------------------------------------------------------------------------------------ Table 1


def solved(
    job: Job, *, data_set: str, preparation: str, n: int, d: int, k: int, tol: float
) -> dict[str, Any]:
    """Return a row of table 1: the training of n points, and its errors.

    The errors are those with the n points, and with all training points.
    """
    X, y, Q, z = _points(job, data_set, preparation, d)
    used = _first_of_classes(y, n)
    before = perf_counter()
    result = lmnn(X[used], y[used], k, options=LMNNOptions(tol=tol), kernels=job.kernels)
    seconds = perf_counter() - before
    sizes = np.unique(y[used], return_counts=True)[1]
    L = result.L[0]
    return {
        "seconds": seconds,
        "objective": result.objective,
        "gap": result.gap,
        "full_checks": result.full_checks,
        "active": int(result.history[-1, 2]),
        "pairs": int(result.history[-1, 3]),
        "n": int(sizes.sum()),
        "total": int((sizes * (sizes.sum() - sizes)).sum()),
        "train_error": 100 * leave_one_out_error(L, X[used], y[used], k, kernels=job.kernels),
        "test_error": _error(classify(L, Q, X[used], y[used], k, kernels=job.kernels), z),
        "test_error_all": _error(classify(L, Q, X, y, k, kernels=job.kernels), z),
        "euclidean": _error(
            classify(np.eye(X.shape[1]), Q, X[used], y[used], k, kernels=job.kernels), z
        ),
        "euclidean_all": _error(classify(np.eye(X.shape[1]), Q, X, y, k, kernels=job.kernels), z),
    }


def _first_of_classes(y: Labels, n: int) -> IntArray:
    """Return the first n points; of few points, the first of each class.

    The classes get equally many points, so that each has target neighbours.
    """
    if n >= 500:
        return np.arange(min(n, len(y)))
    classes = np.unique(y)
    return np.sort(np.concatenate([np.flatnonzero(y == c)[: n // len(classes)] for c in classes]))


def steps(
    job: Job, *, data_set: str, preparation: str, n: int, d: int, k: int, scaled: bool, checks: int
) -> dict[str, Any]:
    """Return what each full check of the paper's steps finds, from the Euclidean metric.

    The n points are the references.

    The steps are those of ``refimpl.lmnn.algorithm``, on the points as given. `scaled`: from the
    Euclidean metric at a scale of its own, else from the identity.
    """
    X, y, Q, z = _points(job, data_set, preparation, d)
    used = _first_of_classes(y, n)
    X = X[used]
    y = y[used]
    passed = []
    for t, (objective, L), now in _steps(X, y, k, _euclidean(X, y, k, scaled), checks, job.kernels):
        error = _error(classify(L, Q, X, y, k, kernels=job.kernels), z)
        passed.append({"steps": t, "objective": objective, "active": now.active, "error": error})
    best = lmnn(X, y, k, options=LMNNOptions(tol=2e-3), kernels=job.kernels)
    error = _error(classify(best, Q, X, y, k, kernels=job.kernels), z)
    return {
        "checks": passed,
        "optimum": {
            "objective": best.objective,
            "error": error,
            "active": int(best.history[-1, 2]),
        },
    }


def _steps(X: FloatArray, y: Labels, k: int, L: FloatArray, checks: int, kernels: Kernels) -> Any:
    """Return the full checks of the paper's steps on the points as they come, from the factor L."""
    classes = np.unique(y, return_inverse=True)[1]
    targets = target_neighbors(X, y, k)
    partition = np.zeros(len(X), dtype=np.int64)
    problem = LargeMarginProblem(np.ascontiguousarray(X), classes, targets, 1.0, partition, kernels)
    return on_one_blas_thread(algorithm.steps(problem, L[None], tol=1e-6, checks=checks))


def _euclidean(X: FloatArray, y: Labels, k: int, scaled: bool) -> FloatArray:
    """Return a factor c I to start from.

    c makes the mean squared distance of target neighbours 1 if `scaled`, else c = 1.
    """
    near = (X[:, None] - X[target_neighbors(X, y, k)]) ** 2 if scaled else np.ones((1, 1, 1))
    factor: FloatArray = np.eye(X.shape[1]) / np.sqrt(near.sum(axis=2).mean())
    return factor


# -------------------------------------------------------------------------------------- Figures 1-3


def ball(job: Job, *, data_set: str, preparation: str, k: int) -> dict[str, Any]:
    """Return a ball of a tree, a query outside and the two distances of eq. 7 (figure 1).

    The tree is that of two principal components.
    """
    X, _, Q, _ = _points(job, data_set, preparation, 2)
    X = X[:400]
    Q = Q[:200]
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


# ------------------------------------------------------------------------------------- Figures 4, 5


def _held_out(y: Labels, rng: np.random.Generator) -> BoolArray:
    """Return whether a point trains: three of ten of each class are held out for validation."""
    trains = np.ones(len(y), dtype=bool)
    for c in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == c))
        trains[members[: int(HELD_OUT * len(members))]] = False
    return trains


def set_errors(
    job: Job,
    *,
    data_set: str,
    preparation: str,
    share: float,
    by_class: bool,
    ks: Sequence[int],
    max_checks: int,
) -> dict[str, Any]:
    """Return test and leave-one-out training errors of a set (figure 5).

    There is one metric, or one for each class; k is chosen by validation.
    """
    X, y, Q, z = _points(job, data_set, preparation, share)
    trains = _held_out(y, job.rng_for("held out", data_set))
    before = perf_counter()
    result = lmnn(
        X[trains],
        y[trains],
        3,
        partition=y[trains] if by_class else None,
        options=LMNNOptions(validation=(X[~trains], y[~trains]), max_checks=max_checks),
        kernels=job.kernels,
    )
    seconds = perf_counter() - before
    places = np.unique(y, return_inverse=True)[1] if by_class else np.zeros(len(y), dtype=np.int64)
    voters = (X[trains], y[trains])
    validation = (X[~trains], y[~trains])
    by_k = {
        k: _error(
            classify(
                result, validation[0], *voters, k, partition=places[trains], kernels=job.kernels
            ),
            validation[1],
        )
        for k in ks
    }
    k = min(by_k, key=lambda k: (by_k[k], k))
    identity = np.eye(X.shape[1])
    return {
        "test": _error(classify(result, Q, X, y, k, partition=places, kernels=job.kernels), z),
        "k": k,
        "d": X.shape[1],
        "train": 100 * leave_one_out_error(result, X, y, k, partition=places, kernels=job.kernels),
        "seconds": seconds,
        "euclidean": _error(classify(identity, Q, X, y, k, kernels=job.kernels), z),
        "checks": result.full_checks,
        "message": result.message,
    }
