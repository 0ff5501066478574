"""Checks of LMNN's arguments."""

import numpy as np

from refimpl.checks import as_count, as_labels, as_matrix, as_vectors_like, positive
from refimpl.kernels.arguments import require_within
from refimpl.kernels.contract import check_threads

LEAST_SPREAD = 1e-120  # the metric holds the inverse of a spread, and a kernel squares that
LEAST_MU = 1e-100
LARGEST_MU = 1e100


def checked(X, y, k):
    X, k = as_matrix(X, "X"), as_count(k, "k")
    labels, classes = np.unique(as_labels(y, len(X), "y", min_classes=2), return_inverse=True)
    require_neighbors(k, labels, classes, "k")
    if (X == X[0]).all():
        raise ValueError("X: all points are equal; a metric is learnt from their differences")
    require_scale(X)
    return X, classes.astype(np.int64), k


def require_scale(X):
    """Refuse values so large that squares overflow, and columns that differ by so little that squares are lost."""
    require_within(X, "X")
    spread = np.ptp(X, axis=0)
    small = np.flatnonzero((spread > 0) & (spread < LEAST_SPREAD))
    if small.size:
        raise ValueError(
            f"column {small[0]} of X must be constant or have a spread of at least {LEAST_SPREAD}; got "
            f"{spread[small[0]]:.1e}. Scale the column up"
        )


def require_neighbors(k, labels, classes, name, data=""):
    """Refuse more target neighbours than the smallest class has; `data` is added to the message."""
    sizes = np.bincount(classes)
    size, label = sizes.min(), labels[sizes.argmin()]
    label = label.item() if isinstance(label, np.generic) else label
    if size < 2:
        raise ValueError(f"each class must have {name} + 1 points, 2 at least; class {label!r} has {size}{data}")
    if size < k + 1:
        raise ValueError(
            f"{name} must be at most {size - 1}, the smallest class ({label!r}) has {size} points; got {k}{data}"
        )


def as_options(max_checks, patience, callback, threads):
    """How a training runs: counts, a function or None, a count or None."""
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be a function that takes a Step, or None; got {callback!r}")
    check_threads(threads)
    return as_count(max_checks, "max_checks"), as_count(patience, "patience"), threads


def as_mu(mu):
    mu = positive(mu, "mu")
    if not LEAST_MU <= mu <= LARGEST_MU:
        raise ValueError(f"mu must be at least {LEAST_MU} and at most {LARGEST_MU}; got {mu}")
    return mu


def as_partition(partition, n):
    if partition is None:
        return np.zeros(n, dtype=np.int64)
    return np.unique(as_labels(partition, n, "partition"), return_inverse=True)[1].astype(np.int64)


def as_targets(targets, classes, k):
    targets, n = np.asarray(targets), len(classes)
    if targets.shape != (n, k) or targets.dtype.kind not in "iu" or not ((targets >= 0) & (targets < n)).all():
        raise ValueError(f"targets must be places of points, 0 to {n - 1}, shape ({n}, {k}); got shape {targets.shape}")
    if (targets == np.arange(n)[:, None]).any():
        raise ValueError("targets: a point cannot be its own target neighbour")
    if (classes[targets] != classes[:, None]).any():
        raise ValueError("targets: a target neighbour must be of the point's own class")
    return np.ascontiguousarray(targets, dtype=np.int64)


def as_factors(start, d, partitions):
    L = np.array(getattr(start, "L", start), dtype=np.float64)
    L = L[None] if L.ndim == 2 else L
    if L.ndim != 3 or L.shape[2] != d or L.shape[0] not in (1, partitions) or not np.isfinite(L).all():
        raise ValueError(
            f"start must hold finite factors of shape (r, {d}) or ({partitions}, r, {d}); got shape {L.shape}"
        )
    return np.ascontiguousarray(np.broadcast_to(L, (partitions, *L.shape[1:])))


def as_validation(validation, X, y):
    if validation is None:
        return None
    queries, labels = validation
    queries = as_vectors_like(queries, X, "validation")
    known, classes = np.unique(y), as_labels(labels, len(queries), "validation")
    places = np.searchsorted(known, classes).clip(max=len(known) - 1)
    return queries, np.where(known[places] == classes, places, -1)
