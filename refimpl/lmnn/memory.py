"""How much memory a training of LMNN takes, and how many pairs of points fit into what it may take."""

from refimpl.kernels.subgradient import HELD
from refimpl.lmnn.smoothed import MEMORY, MIXED
from refimpl.products import MOST_SUMS
from refimpl.resources import check_memory

PAIR = 260  # bytes that a pair of the working set takes
PAIR_TARGET = 48  # and for each target neighbour


def estimate_memory(n, d, k=3, partitions=1, *, pairs=None):
    """Bytes that :func:`lmnn` or :func:`lmnn_rect` takes at most for n points in d dimensions, on either kernel.

    Parameters
    ----------
    n, d, k, partitions : int
    pairs : int, optional
        Pairs of a point and an impostor that are held at a time. They are not known before: the default is the most
        that there can be, n (n - 1), and few trainings come near it. ``result.history[:, 3].max()`` tells how many a
        training had, but for the training of one metric that several start from.
    """
    pairs = n * (n - 1) if pairs is None else min(pairs, n * (n - 1))
    held = min(HELD, n * n) + min(HELD, 2 * (pairs + n * k) * (d + 8))  # in the reference's kernels
    points = n * d * (12 + 6 * partitions + 5 * k) + n * k * 60 + 6 * n * min(n, 200)
    metrics = d * d * (partitions * (2 * MEMORY + 3 * MIXED + 30) + 10 + MOST_SUMS)
    return int(2**20 + 8 * (points + metrics + 4 * held) + (PAIR + PAIR_TARGET * k) * pairs)


def most_pairs(max_memory, n, d, k, partitions):
    """How many pairs `max_memory` allows; None without a cap. Raises MemoryError if there is no room for any."""
    if max_memory is None:
        return None
    check_memory(estimate_memory(n, d, k, partitions, pairs=0), max_memory, "points or dimensions")
    low, high = 0, n * (n - 1)
    while low < high:
        middle = (low + high + 1) // 2
        fits = estimate_memory(n, d, k, partitions, pairs=middle) <= max_memory
        low, high = (middle, high) if fits else (low, middle - 1)
    return low
