"""Estimates of the memory of a training of LMNN, and of the pairs that fit into a limit."""

import numpy as np

from refimpl.kernels.subgradient import HELD
from refimpl.lmnn.arguments import USUAL, Request, as_request
from refimpl.lmnn.model import LMNNCallback, Metric
from refimpl.lmnn.options import LMNNOptions
from refimpl.lmnn.problem import Room
from refimpl.lmnn.smoothed import MEMORY, MIXED
from refimpl.products import MOST_SUMS
from refimpl.resources import check_memory, free_memory
from refimpl.typing import ArrayLike, IntArray, Kernels

__all__ = ["estimate_memory"]

BLOCK = 2**22  # distances of a validation set that are in memory at a time
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

    :func:`refimpl.lmnn.lmnn_rect` has no estimate of its own. For its X, y, k, mu, targets and
    options the estimate is an upper bound too, as long as `partition` is None. It does not depend
    on r: with a small r the training may take far less.

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
    """Return an upper bound of the bytes of a training with `pairs` pairs at a time.

    Parameters
    ----------
    n, d, k, partitions : int
        The numbers of points, dimensions, target neighbours of each point, and metrics.
    pairs : int
        The number of pairs of a point and an impostor.

    Returns
    -------
    int
    """
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
    return 8 * (m * ((14 + partitions) * d + 8 * k * partitions + 60) + 3 * min(BLOCK, m * n))


def room_for_pairs(request: Request) -> Room | None:
    """Return how many pairs `max_memory` allows, or the memory that is free.

    None stands for as many as there can be. With the memory that is free, a search for impostors
    is divided only where its list could outgrow that memory. The result never depends on it. The
    search of many points takes up to three times as long where it is divided.

    Raises
    ------
    MemoryError
        If there is no room for a single pair.
    """
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
    low = 0
    high = most
    while low < high:
        middle = (low + high + 1) // 2
        if bytes_for(*request.shape, middle) <= room:
            low = middle
        else:
            high = middle - 1
    return low
