"""The mapped points that a working set uses, where there are several metrics.

A point is mapped by each metric, but a pair (i, l) uses only the metric of x_l (eq. 8 of Weinberger
& Saul, 2008). With ten metrics the pairs of a working set use about a quarter of the mapped points.

Not handled here: sums over the pairs (``problem.py``).
"""

from functools import cached_property
from itertools import pairwise

import numpy as np

from refimpl.products import rows_times, transposed_times
from refimpl.typing import FloatArray, IntArray

__all__ = ["UsedRows", "adjacency"]

MOST = 2 / 3  # with a larger share of the rows their copies would take more memory than they save


class UsedRows:
    """The rows of a table of mapped points that some pairs use, in ascending order.

    Parameters
    ----------
    first, second : ndarray, shape (p,), int64
        The pairs, as rows of a table of partitions * n mapped points.
    X : ndarray, shape (n, d) or (partitions, n, d), float64
        The points before they are mapped.
    partitions : int
    threads : int or None

    Attributes
    ----------
    places : ndarray, shape (rows,), int64
        The used rows of the table; all rows if most of them are used.
    pairs : tuple of ndarray, shape (p,), int64
        The pairs as rows among the used ones.
    """

    def __init__(
        self, first: IntArray, second: IntArray, X: FloatArray, partitions: int, threads: int | None
    ) -> None:
        n = X.shape[-2]
        is_used = np.zeros(partitions * n, dtype=bool)
        is_used[first] = True
        is_used[second] = True
        if np.count_nonzero(is_used) > MOST * len(is_used):
            is_used[:] = True
        self.places: IntArray = np.flatnonzero(is_used)
        number = np.cumsum(is_used) - 1
        self.pairs = number[first], number[second]
        self.threads = threads
        ends = np.searchsorted(self.places, np.arange(partitions + 1) * n)
        self._parts = [slice(a, b) for a, b in pairwise(ends)]
        tables = np.broadcast_to(X, (partitions, n, X.shape[-1]))
        self._points = [
            table if part.stop - part.start == n else table[self.places[part] - alpha * n]
            for alpha, (part, table) in enumerate(zip(self._parts, tables, strict=True))
        ]

    @cached_property
    def neighbours(self) -> tuple[IntArray, IntArray, IntArray]:
        """The pairs as an adjacency list of the used rows."""
        return adjacency(*self.pairs, len(self.places))

    def mapped(self, L: FloatArray) -> FloatArray:
        """Return the used rows of all points mapped by the factors L, shape (partitions, r, d)."""
        Z = np.empty((len(self.places), L.shape[1]))
        for points, factor, part in zip(self._points, L, self._parts, strict=True):
            rows_times(points, factor.T, out=Z[part], threads=self.threads)
        return Z

    def products(self, W: FloatArray) -> FloatArray:
        """Return W^T X for the rows of each partition, shape (partitions, r, d)."""
        return np.stack(
            [
                transposed_times(W[part], points, threads=self.threads)
                for points, part in zip(self._points, self._parts, strict=True)
            ]
        )


def adjacency(a: IntArray, b: IntArray, n: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return the pairs (a, b) as an adjacency list of n rows.

    It has the start of each row's list, the other row of each pair, and the index of the pair.
    """
    rows = np.concatenate([a, b])
    order = np.argsort(rows, kind="stable")
    pair = np.arange(len(a))
    start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    return start, np.concatenate([b, a])[order], np.concatenate([pair, pair])[order]
