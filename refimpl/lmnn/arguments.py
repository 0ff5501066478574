"""The arguments of LMNN: how targets and parts are made, checks, and estimates of memory."""

import inspect
import warnings
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from refimpl import products
from refimpl.arrays import as_matrix, as_points
from refimpl.checks import (
    as_callback,
    as_class_indices,
    as_count,
    as_generator,
    as_kernels,
    as_labels,
    as_options,
    positive,
)
from refimpl.kernels.arguments import require_within
from refimpl.kernels.contract import check_threads
from refimpl.kernels.subgradient import HELD
from refimpl.lmnn import algorithm
from refimpl.lmnn.model import LMNNCallback, LMNNOptions, Metric, factors_of, indices_of, shape_of
from refimpl.lmnn.problem import Room
from refimpl.lmnn.solvers import MEMORY, MIXED
from refimpl.products import MOST_SUMS
from refimpl.resources import check_memory, free_memory
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels, Labels

LEAST_SPREAD = 1e-120  # a metric has entries of size 1 / spread, and a kernel squares them
LEAST_MU = 1e-100
LARGEST_MU = 1e100
USUAL = LMNNOptions()


@dataclass(frozen=True, eq=False)
class Validation:
    """The validation set, whose error decides when a training ends."""

    Q: FloatArray
    classes: IntArray  # indices among the training classes, -1 for other classes


@dataclass(frozen=True, eq=False)
class Request:
    """The checked arguments of a training; see :func:`refimpl.lmnn.lmnn`."""

    X: FloatArray
    classes: IntArray  # the index of each point's class
    k: int
    mu: float
    partition: IntArray
    targets: IntArray | None
    options: LMNNOptions
    kernels: Kernels
    threads: int | None
    callback: LMNNCallback | None
    factors: FloatArray | None  # those in `start`, (partitions, r, d)
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
            f"y must have {name} + 1 points of each class, at least 2; "
            f"got 1 of class {label!r}{data}"
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
    n = len(classes)
    what = f"indices of points, 0 to {n - 1}, in shape ({n}, {k})"
    places = indices_of(targets, "targets", (n, k), n, what)
    itself = (places == np.arange(n)[:, None]).any(axis=1)
    if itself.any():
        i = itself.argmax()
        raise ValueError(f"targets must hold other points in each row; got {i} in row {i}")
    strange = (classes[places] != classes[:, None]).any(axis=1)
    if strange.any():
        i = strange.argmax()
        raise ValueError(
            f"targets must hold points of the same class in each row; got {places[i].tolist()} in "
            f"row {i}"
        )
    return places


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
            f"got shape {shape_of(start)}"
        )
    return np.ascontiguousarray(np.broadcast_to(L, (partitions, *L.shape[1:])))


def as_validation(
    validation: Sequence[ArrayLike] | None, X: FloatArray, y: ArrayLike
) -> Validation | None:
    """Return the checked validation set, or None."""
    if validation is None:
        return None
    Q = as_points(validation[0], "validation[0]", like=X)
    return Validation(Q, as_class_indices(validation[1], np.unique(y), len(Q), "validation[1]"))


def target_neighbors(X: ArrayLike, y: ArrayLike, k: int) -> IntArray:
    """Return the target neighbours of each point, its k nearest points of the same class: § 2.

    Parameters
    ----------
    X : array_like, shape (n, d)
    y : array_like, shape (n,)
        Classes; every class needs at least k + 1 points.
    k : int
        The number of target neighbours of each point.

    Returns
    -------
    ndarray, shape (n, k), int64
        Rows of X, the nearest in Euclidean distance first; among equal distances the lowest index
        first. A point is not its own target neighbour, but a duplicate of it may be.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, or a class has fewer than k + 1 points.

    See Also
    --------
    lmnn : Its argument `targets` takes other target neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import target_neighbors
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> target_neighbors(X, y, 1).tolist()
    [[1], [0], [3], [2]]
    """
    points, classes, k = checked(X, y, k)
    return algorithm.target_neighbors(points, classes, k)


def kmeans_partition(X: ArrayLike, p: int, *, rng: np.random.Generator) -> IntArray:
    """Return clusters by k-means, each of which gets a metric: § 5.1.

    Parameters
    ----------
    X : array_like, shape (n, d)
    p : int
        The number of clusters, at most n. If k-means leaves clusters empty, there are fewer.
    rng : numpy.random.Generator
        Draws the first centres.

    Returns
    -------
    ndarray, shape (n,), int64
        The cluster of each point: 0, 1, ...

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.

    See Also
    --------
    lmnn : Its argument `partition` takes the result.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import kmeans_partition
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> clusters = kmeans_partition(X, 2, rng=np.random.default_rng(0))
    >>> bool(clusters[0] == clusters[1] != clusters[2] == clusters[3])
    True
    """
    points = as_points(X, "X")
    p = as_count(p, "p", most=len(points), why="the points of X")
    # kmeans2 has distances from products, which cancel far from 0; a mean would follow outliers
    points = points - np.median(points, axis=0)
    p = min(p, len(np.unique(points, axis=0)))  # it would divide by 0 to find a centre more
    # SciPy before 1.15 calls its generator `seed`
    kmeans2 = scipy.cluster.vq.kmeans2
    generator = "rng" if "rng" in inspect.signature(kmeans2).parameters else "seed"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "One of the clusters is empty", UserWarning)
        clusters = kmeans2(points, p, minit="++", **{generator: as_generator(rng)})[1]  # LM:5:4
    return np.unique(clusters, return_inverse=True)[1].astype(np.int64)


# ------------------------------------------------------------------------------------------ memory

PAIR = 260  # bytes for each pair of the working set,
PAIR_TARGET = 56  # and more bytes for each pair and target neighbour
LISTED = 64  # bytes for each pair that a search for impostors lists
LOOKS = 2**22  # pairs that a search examines at a time within `max_memory`
FEWEST_LOOKS = 2**18  # fewer at a time would make searches slow


def estimate_memory(
    X: ArrayLike,
    y: ArrayLike,
    k: int = 3,
    mu: float = 1.0,
    *,
    partition: ArrayLike | None = None,
    targets: ArrayLike | None = None,
    options: LMNNOptions = USUAL,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: LMNNCallback | None = None,
    start: Metric | None = None,
    max_memory: int | None = None,
) -> int:
    """Return an upper bound of the bytes that :func:`refimpl.lmnn.lmnn` takes for these arguments.

    The memory of a training depends on the number of pairs of a point and an impostor, which is not
    known in advance. The bound assumes the largest possible number: all pairs of points of
    different classes. Few trainings come near the bound; ``result.history[:, 3].max()`` is the
    number of pairs that a training had. The bound is valid for both kernels.

    Without a `partition` it is an upper bound for :func:`refimpl.lmnn.lmnn_rect`, too. It does not
    depend on r: with a small r the training may take far less.

    Parameters
    ----------
    X, y, k, mu, partition, targets, options
        As for :func:`refimpl.lmnn.lmnn`.
    kernels, threads, callback, start, max_memory
        These arguments are checked, but do not change the estimate.

    Returns
    -------
    int
        Bytes.

    Raises
    ------
    TypeError, ValueError
        As :func:`refimpl.lmnn.lmnn` does.

    See Also
    --------
    refimpl.lmnn.lmnn : Its `max_memory` limits the same estimate for the pairs that are found.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import estimate_memory
    >>> X, y = np.random.default_rng(0).normal(size=(300, 6)), np.arange(300) % 3
    >>> 1e7 < estimate_memory(X, y) < 1e9
    True
    """
    request = as_request(
        X, y, k, mu, partition, targets, options, kernels, threads, callback, start, max_memory
    )
    pairs = pairs_of_classes(request.classes)
    return bytes_for(*request.shape, pairs) + bytes_of_validation(request)


def pairs_of_classes(classes: IntArray) -> int:
    """Return the number of ordered pairs of points of different classes."""
    sizes = np.bincount(classes)
    return int(len(classes) ** 2 - (sizes**2).sum())


def bytes_for(n: int, d: int, k: int, partitions: int, pairs: int) -> int:
    """Return an upper bound of the bytes of a training with `pairs` pairs at a time."""
    # numbers that the reference kernels have in memory at a time
    numbers = min(HELD, n * n) + min(HELD, 2 * (pairs + n * k) * (d + 8))
    points = n * d * (12 + 6 * partitions + 5 * k) + n * k * 60 + 6 * n * min(n, 200)
    r = min(d, n - 1)  # the dimensions of the coordinates that the solvers work in
    metrics = r * r * (partitions * (2 * MEMORY + 3 * MIXED + 30) + 10 + MOST_SUMS)
    metrics += 12 * partitions * r * d
    return int(2**20 + 8 * (points + metrics + 4 * numbers) + (PAIR + PAIR_TARGET * k) * pairs)


def least_bytes(n: int, d: int, k: int) -> int:
    """Return what a training certainly takes: points, their images and target neighbours."""
    return 8 * n * (2 * d + 5 * k)


def bytes_of_validation(request: Request) -> int:
    """Return an upper bound of the bytes that the classification of a validation set takes."""
    if request.validation is None:
        return 0
    n, d, k, partitions = request.shape
    m = len(request.validation.Q)
    block = min(m * n, products.ROWS * n, products.HELD)  # in float32
    held = 4 * block + 24 * min(products.LISTED, m * n)
    return 8 * m * ((14 + partitions) * d + 8 * k * partitions + 60) + held


def room_for_pairs(request: Request) -> Room | None:
    """Return how many pairs `max_memory`, or the free memory, allows; None for all that can be."""
    # With the free memory, a search for impostors is divided only where its list could outgrow it:
    # each part takes some time of its own. The result is the same.
    most = pairs_of_classes(request.classes)
    if request.max_memory is not None:
        needed = bytes_for(*request.shape, 0) + bytes_of_validation(request)
        check_memory(needed, request.max_memory, "points or dimensions", "up to")
        pairs = _pairs_within(request.max_memory, request, most)
        return Room(pairs, "max_memory", "Raise max_memory or pass fewer rows", LOOKS)
    n, d, k, _ = request.shape
    least = least_bytes(n, d, k)
    check_memory(least, None, "points or dimensions", "at least")
    free = free_memory()
    # the estimate, an upper bound, is no reason to refuse
    pairs = most if free is None else (free - least) // (PAIR + PAIR_TARGET * k)
    if free is None or pairs >= most:
        return None
    advice = "Free some memory, pass fewer rows, or max_memory to train anyway"
    looks = max(FEWEST_LOOKS, (free - least) // LISTED)
    return Room(pairs, f"the free memory ({free:,} bytes)", advice, looks)


def _pairs_within(limit: int, request: Request, most: int) -> int:
    """Return the number of pairs, up to `most`, whose training stays within `limit` bytes."""
    room = limit - bytes_of_validation(request)
    numbers = range(1, most + 1)
    return bisect_right(numbers, room, key=lambda pairs: bytes_for(*request.shape, pairs))
