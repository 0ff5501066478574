"""Checks of LMNN's arguments."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from refimpl.arrays import as_array, as_matrix, as_vectors_like, for_kernel
from refimpl.checks import (
    as_callback,
    as_class_indices,
    as_count,
    as_kernels,
    as_labels,
    as_options,
    positive,
)
from refimpl.kernels.arguments import require_within
from refimpl.kernels.contract import check_threads
from refimpl.lmnn.model import LMNNCallback, Metric, factors_of
from refimpl.lmnn.options import LMNNOptions
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels, Labels

__all__ = ["USUAL", "Request", "Validation", "as_request", "checked", "require_neighbors"]

LEAST_SPREAD = 1e-120  # a metric has entries of size 1 / spread, and a kernel squares them
LEAST_MU = 1e-100
LARGEST_MU = 1e100
USUAL = LMNNOptions()


@dataclass(frozen=True, eq=False)
class Validation:
    """The validation set, whose error decides when a training ends.

    Attributes
    ----------
    Q : ndarray, shape (m, d), float64
    classes : ndarray, shape (m,), int64
        Indices of their classes among the training classes; -1 for other classes.
    """

    Q: FloatArray
    classes: IntArray


@dataclass(frozen=True, eq=False)
class Request:
    """The checked arguments of a training; see :func:`refimpl.lmnn.lmnn`.

    Attributes
    ----------
    classes : ndarray, shape (n,), int64
        The index of each point's class.
    factors : ndarray, shape (partitions, r, d), float64, or None
        The factors in `start`.
    """

    X: FloatArray
    classes: IntArray
    k: int
    mu: float
    partition: IntArray
    targets: IntArray | None
    options: LMNNOptions
    kernels: Kernels
    threads: int | None
    callback: LMNNCallback | None
    factors: FloatArray | None
    max_memory: int | None
    validation: Validation | None

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """The numbers of points, dimensions, target neighbours of a point, and metrics."""
        n, d = self.X.shape
        return n, d, self.k, int(self.partition.max()) + 1


def as_request(
    X: ArrayLike,
    y: ArrayLike,
    k: int,
    mu: float,
    partition: ArrayLike | None,
    targets: ArrayLike | None,
    options: LMNNOptions,
    kernels: Kernels | None,
    threads: int | None,
    callback: LMNNCallback | None,
    start: Metric | None,
    max_memory: int | None,
) -> Request:
    """Check the arguments of :func:`refimpl.lmnn.lmnn`."""
    points, classes, k = checked(X, y, k)
    options = as_options(options, LMNNOptions)
    as_callback(callback)
    check_threads(threads)
    places = as_partition(partition, len(points))
    metrics = int(places.max()) + 1
    return Request(
        X=points,
        classes=classes,
        k=k,
        mu=as_mu(mu),
        partition=places,
        targets=None if targets is None else as_targets(targets, classes, k),
        options=options,
        kernels=as_kernels(kernels),
        threads=threads,
        callback=callback,
        factors=None if start is None else as_factors(start, points.shape[1], metrics),
        max_memory=None if max_memory is None else as_count(max_memory, "max_memory"),
        validation=as_validation(options.validation, points, y),
    )


def checked(X: ArrayLike, y: ArrayLike, k: int) -> tuple[FloatArray, IntArray, int]:
    """Return the checked points, the index of each point's class, and k."""
    points = as_matrix(X, "X")
    k = as_count(k, "k")
    labels, classes = np.unique(as_labels(y, len(points), "y", min_classes=2), return_inverse=True)
    require_neighbors(k, labels, classes, "k")
    if (points == points[0]).all():
        raise ValueError("X must hold points that differ; got equal points only")
    require_scale(points)
    return points, classes.astype(np.int64), k


def require_scale(X: FloatArray) -> None:
    """Raise ValueError if squares of values would overflow, or squares of a spread underflow."""
    require_within(X, "X")
    spread = np.ptp(X, axis=0)
    small = np.flatnonzero((spread > 0) & (spread < LEAST_SPREAD))
    if small.size:
        raise ValueError(
            f"column {small[0]} of X must be constant or have a spread of at least {LEAST_SPREAD}; "
            f"got {spread[small[0]]:.1e}. Scale the column up"
        )


def require_neighbors(k: int, labels: Labels, classes: IntArray, name: str, data: str = "") -> None:
    """Raise ValueError if a class has fewer than k + 1 points; `data` ends the message."""
    sizes = np.bincount(classes)
    size = sizes.min()
    label = labels[sizes.argmin()]
    label = label.item() if isinstance(label, np.generic) else label
    if size < 2:
        raise ValueError(
            f"each class must have at least 2 points ({name} + 1); "
            f"got {size} of class {label!r}{data}"
        )
    if size < k + 1:
        raise ValueError(
            f"{name} must be at most {size - 1}, the smallest class ({label!r}) has {size} points; "
            f"got {k}{data}"
        )


def as_mu(mu: float) -> float:
    """Return mu, the weight of the violated margins, as a checked float."""
    mu = positive(mu, "mu")
    if not LEAST_MU <= mu <= LARGEST_MU:
        raise ValueError(f"mu must be at least {LEAST_MU} and at most {LARGEST_MU}; got {mu}")
    return mu


def as_partition(partition: ArrayLike | None, n: int) -> IntArray:
    """Return the part of each point: 0, 1, ..."""
    if partition is None:
        return np.zeros(n, dtype=np.int64)
    return np.unique(as_labels(partition, n, "partition"), return_inverse=True)[1].astype(np.int64)


def as_targets(targets: ArrayLike, classes: IntArray, k: int) -> IntArray:
    """Return the checked target neighbours, shape (n, k)."""
    places = as_array(targets, "targets", "indices")
    n = len(classes)
    if (
        places.shape != (n, k)
        or places.dtype.kind not in "iu"
        or not ((places >= 0) & (places < n)).all()
    ):
        raise ValueError(
            f"targets must hold indices of points, 0 to {n - 1}, in shape ({n}, {k}); "
            f"got shape {places.shape}, dtype {places.dtype}"
        )
    if (places == np.arange(n)[:, None]).any():
        i = np.flatnonzero((places == np.arange(n)[:, None]).any(axis=1))[0]
        raise ValueError(f"targets must hold other points in each row; got {i} in row {i}")
    if (classes[places] != classes[:, None]).any():
        i = np.flatnonzero((classes[places] != classes[:, None]).any(axis=1))[0]
        raise ValueError(
            f"targets must hold points of the same class in each row; got {places[i].tolist()} in "
            f"row {i}"
        )
    return for_kernel(places, np.int64)


def as_factors(start: Metric, d: int, partitions: int) -> FloatArray:
    """Return the factors of a metric to start from, shape (partitions, r, d), as a copy."""
    try:
        L = np.array(factors_of(start))
    except (TypeError, ValueError):
        raise TypeError(
            f"start must be an LMNNResult or an array of factors; got a {type(start).__name__}"
        ) from None
    if (
        L.ndim != 3
        or L.shape[2] != d
        or L.shape[0] not in (1, partitions)
        or not np.isfinite(L).all()
    ):
        raise ValueError(
            f"start must hold finite factors of shape (r, {d}) or ({partitions}, r, {d}); "
            f"got shape {L.shape}"
        )
    return np.ascontiguousarray(np.broadcast_to(L, (partitions, *L.shape[1:])))


def as_validation(
    validation: Sequence[ArrayLike] | None, X: FloatArray, y: ArrayLike
) -> Validation | None:
    """Return the checked validation set, or None."""
    if validation is None:
        return None
    Q = as_vectors_like(validation[0], X, "validation[0]")
    return Validation(Q, as_class_indices(validation[1], np.unique(y), len(Q), "validation[1]"))
