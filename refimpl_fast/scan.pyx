"""Weighted L1 scan in Cython: the twin of refimpl/kernels/scan.py.

The reference's expressions stand above the loops.
"""

import numpy as np

from libc.stdint cimport int64_t
from libcpp.algorithm cimport nth_element, sort
from libcpp.vector cimport vector

from refimpl_fast.threads cimport Loop, thread_count, worth

from refimpl.kernels import scan as reference
from refimpl.kernels.contract import checked

cdef extern from "widths.h":
    enum: LANES "REFIMPL_L1_SUMS"
    void l1_tile(
        const double* Q, const double* A, Py_ssize_t queries, const double* X, Py_ssize_t rows,
        Py_ssize_t d, double* out, Py_ssize_t step) nogil

cdef extern from *:
    """
    struct Near { double distance; int64_t index; };
    static inline bool operator<(const Near& a, const Near& b) {  // NaN comes last
        if (a.distance < b.distance) return true;
        if (a.distance == b.distance) return a.index < b.index;
        const bool no_a = a.distance != a.distance, no_b = b.distance != b.distance;
        return no_a == no_b ? no_a && a.index < b.index : no_b;
    }
    """
    cppclass Near:
        double distance
        int64_t index

cdef enum:
    ROWS = 64  # database vectors that stay in cache while some queries pass
    QUERIES = 16

cdef Py_ssize_t HELD = 2**22  # distances held at a time by weighted_l1_nearest: 32 MiB
cdef Py_ssize_t TILE_NUMBERS = 2**20  # numbers that a thread reads before it takes further steps
assert LANES == reference.LANES


cdef class _Scan(Loop):
    """Step i compares ROWS database vectors with QUERIES queries: it fills one tile of `out`."""

    cdef const double[:, ::1] Q, A, X
    cdef double[:, ::1] out
    cdef Py_ssize_t q_tiles

    cdef int fill(self, const double[:, ::1] Q, const double[:, ::1] A, int n_threads) except -1:
        """Fill `out` with the distances from these queries."""
        cdef Py_ssize_t n_Q = Q.shape[0], n_X = self.X.shape[0], d = self.X.shape[1]
        if n_Q == 0 or n_X == 0 or d == 0:
            return 0
        self.Q, self.A, self.q_tiles = Q, A, (n_Q + QUERIES - 1) // QUERIES
        # eight numbers at a time; a chunk is about a hundred microseconds of work
        self.run((n_X + ROWS - 1) // ROWS * self.q_tiles, worth(n_threads, n_Q * n_X * d // 8),
                 max(<Py_ssize_t> 1, TILE_NUMBERS // (ROWS * QUERIES * d)))
        return 0

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t row = i // self.q_tiles * ROWS, first = i % self.q_tiles * QUERIES
        cdef Py_ssize_t d = self.X.shape[1], n_X = self.X.shape[0]
        # padded = a * np.abs(q - X)
        # lanes = np.add.reduce(padded.reshape(n, -1, LANES), axis=1)
        # np.cumsum(lanes, axis=1)[:, -1]
        l1_tile(  # BM:eq16, BM:eq22
            &self.Q[first, 0], &self.A[first, 0],
            min(<Py_ssize_t> QUERIES, self.Q.shape[0] - first),
            &self.X[row, 0], min(<Py_ssize_t> ROWS, n_X - row), d, &self.out[first, row],
            self.out.shape[1])


@checked
def weighted_l1(
    const double[:, ::1] Q not None, const double[:, ::1] A not None,
    const double[:, ::1] X not None, *, threads=None
):
    """Compute D_q(q, x) = sum_c A_c(q) |q_c - x_c| for every query q and vector x.

    See :func:`refimpl.kernels.weighted_l1`.
    """
    cdef _Scan scan = _Scan()
    scan.X, scan.out = X, np.zeros((len(Q), len(X)))
    scan.fill(Q, A, thread_count(threads))
    return np.asarray(scan.out)


@checked
def weighted_l1_nearest(
    const double[:, ::1] Q not None, const double[:, ::1] A not None,
    const double[:, ::1] X not None, Py_ssize_t k, *, threads=None
):
    """Find the k vectors nearest to each query by :func:`weighted_l1`, without holding the matrix.

    See :func:`refimpl.kernels.weighted_l1_nearest`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n_Q = Q.shape[0], n_X = X.shape[0], first, n
    cdef Py_ssize_t block = max(<Py_ssize_t> 1, HELD // max(<Py_ssize_t> 1, n_X))
    cdef _Scan scan = _Scan()
    cdef _Choose choose = _Choose()
    choose.distances, choose.indices = np.empty((n_Q, k)), np.empty((n_Q, k), dtype=np.int64)
    if k == 0 or n_Q == 0:
        return np.asarray(choose.distances), np.asarray(choose.indices)
    scan.X, scan.out = X, np.zeros((min(block, n_Q), n_X))
    choose.held, choose.room = scan.out, min(n_X, 2 * k + ROWS)
    choose.kept.resize(n_threads * choose.room)
    for first in range(0, n_Q, block):
        n = min(block, n_Q - first)
        scan.fill(Q[first:first + n], A[first:first + n], n_threads)
        choose.first = first
        choose.run(n, worth(n_threads, n * n_X), max(<Py_ssize_t> 1, 2**17 // n_X))
    return np.asarray(choose.distances), np.asarray(choose.indices)


cdef class _Choose(Loop):
    """Step i chooses the nearest of query first + i, whose distances are row i of `held`."""

    cdef const double[:, ::1] held
    cdef double[:, ::1] distances
    cdef int64_t[:, ::1] indices
    cdef Py_ssize_t first, room
    cdef vector[Near] kept  # `room` of them for each thread

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        _nearest(
            &self.held[i, 0], self.held.shape[1], self.distances.shape[1],
            &self.kept[thread * self.room], self.room, &self.distances[self.first + i, 0],
            &self.indices[self.first + i, 0]
        )


cdef void _nearest(
    const double* row, Py_ssize_t n, Py_ssize_t k, Near* kept, Py_ssize_t room, double* distances,
    int64_t* indices
) noexcept nogil:
    # indices = np.argsort(row, kind="stable")[:k]; distances = row[indices]
    cdef Py_ssize_t i, filled = 0
    cdef double limit = 0
    cdef bint limited = False  # whether only distances below the limit can be among the nearest
    for i in range(n):
        if limited and not row[i] < limit:
            # an equal distance at a higher index comes after those that are kept, and so does NaN
            continue
        if filled == room:
            nth_element(kept, kept + (k - 1), kept + room)
            limit = kept[k - 1].distance
            limited = limit == limit  # while NaN is among the k nearest, any number is nearer
            filled = k
            if limited and not row[i] < limit:
                continue
        kept[filled].distance = row[i]
        kept[filled].index = i
        filled += 1
    sort(kept, kept + filled)  # BM:4.3:2
    for i in range(k):
        distances[i] = kept[i].distance
        indices[i] = kept[i].index
