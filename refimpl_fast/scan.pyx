"""Weighted L1 scan in Cython: the twin of refimpl/kernels/scan.py, whose expressions stand above the loops."""

import numpy as np

from cython.parallel cimport prange
from libc.math cimport fabs
from libc.stdint cimport int64_t
from libcpp.algorithm cimport nth_element, sort
from libcpp.vector cimport vector

from refimpl_fast.threads cimport thread_count

from refimpl.kernels import scan as reference

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from *:
    """
    struct Near { double distance; int64_t index; };
    static inline bool operator<(const Near& a, const Near& b) {
        return a.distance < b.distance || (a.distance == b.distance && a.index < b.index);
    }
    """
    cppclass Near:
        double distance
        int64_t index

cdef enum:
    LANES = 16
    ROWS = 64  # database vectors that stay in cache while some queries pass
    QUERIES = 16

cdef Py_ssize_t HELD = 2**22  # distances held at a time by weighted_l1_nearest: 32 MiB
assert LANES == reference.LANES


cdef cloned_void _rows(
    const double* q, const double* a, const double* X, Py_ssize_t n, Py_ssize_t d, double* out
) noexcept nogil:
    # padded = a * np.abs(q - X); np.cumsum(np.add.reduce(padded.reshape(n, -1, LANES), axis=1), axis=1)[:, -1]
    cdef double[LANES] lanes
    cdef double total
    cdef Py_ssize_t row, c, i, whole = d // LANES * LANES
    for row in range(n):
        for i in range(LANES):
            lanes[i] = 0
        for c in range(whole // LANES):
            for i in range(LANES):
                lanes[i] += a[c * LANES + i] * fabs(q[c * LANES + i] - X[row * d + c * LANES + i])
        for i in range(d - whole):
            lanes[i] += a[whole + i] * fabs(q[whole + i] - X[row * d + whole + i])
        total = lanes[0]
        for i in range(1, LANES):
            total = total + lanes[i]
        out[row] = total


cdef void _scan(
    const double[:, ::1] Q, const double[:, ::1] A, const double[:, ::1] X, double[:, ::1] out, int n_threads
) noexcept nogil:
    cdef Py_ssize_t n_Q = Q.shape[0], n_X = X.shape[0], d = X.shape[1], tile, first, last, row, q
    cdef Py_ssize_t x_tiles = (n_X + ROWS - 1) // ROWS, q_tiles = (n_Q + QUERIES - 1) // QUERIES
    for tile in prange(x_tiles * q_tiles, num_threads=n_threads, schedule="static"):
        row = tile // q_tiles * ROWS
        first = tile % q_tiles * QUERIES
        last = min(n_Q, first + QUERIES)
        for q in range(first, last):
            _rows(&Q[q, 0], &A[q, 0], &X[row, 0], min(<Py_ssize_t> ROWS, n_X - row), d, &out[q, row])


def weighted_l1(
    const double[:, ::1] Q not None, const double[:, ::1] A not None, const double[:, ::1] X not None, *, threads=None
):
    """D_q(q, x) for every q and x; see refimpl.kernels.weighted_l1."""
    cdef int n_threads = thread_count(threads)
    _check(Q, A, X)
    cdef double[:, ::1] out = np.zeros((len(Q), len(X)))
    if Q.shape[0] and X.shape[0] and X.shape[1]:
        with nogil:
            _scan(Q, A, X, out, n_threads)
    return np.asarray(out)


def weighted_l1_nearest(
    const double[:, ::1] Q not None, const double[:, ::1] A not None, const double[:, ::1] X not None, Py_ssize_t k,
    *, threads=None,
):
    """The k database vectors nearest to each query; see refimpl.kernels.weighted_l1_nearest."""
    cdef int n_threads = thread_count(threads)
    _check(Q, A, X)
    if not 0 <= k <= X.shape[0]:
        raise ValueError(f"k: {k}; it must lie between 0 and {X.shape[0]}, the number of database vectors")
    cdef double[:, ::1] distances = np.empty((len(Q), k))
    cdef int64_t[:, ::1] indices = np.empty((len(Q), k), dtype=np.int64)
    cdef Py_ssize_t first, i, n, block = max(<Py_ssize_t> 1, HELD // max(<Py_ssize_t> 1, X.shape[0]))
    if k == 0 or Q.shape[0] == 0:
        return np.asarray(distances), np.asarray(indices)
    cdef double[:, ::1] held = np.zeros((min(block, len(Q)), len(X)))
    for first in range(0, Q.shape[0], block):
        n = min(block, Q.shape[0] - first)
        if X.shape[1]:
            with nogil:
                _scan(Q[first:first + n], A[first:first + n], X, held, n_threads)
        for i in prange(n, nogil=True, num_threads=n_threads, schedule="dynamic"):
            _nearest(&held[i, 0], X.shape[0], k, &distances[first + i, 0], &indices[first + i, 0])
    return np.asarray(distances), np.asarray(indices)


cdef void _nearest(const double* row, Py_ssize_t n, Py_ssize_t k, double* distances, int64_t* indices) noexcept nogil:
    # indices = np.argsort(row, kind="stable")[:k]; distances = row[indices]
    cdef vector[Near] kept
    cdef Py_ssize_t i, filled = 0, room = min(n, 2 * k + ROWS)
    cdef double limit = 0
    cdef bint limited = False
    kept.resize(room)
    for i in range(n):
        if limited and not row[i] < limit:
            continue  # an equal distance at a higher index comes after those that are kept
        if filled == room:
            nth_element(kept.begin(), kept.begin() + (k - 1), kept.end())
            limit = kept[k - 1].distance
            limited = True
            filled = k
            if not row[i] < limit:
                continue
        kept[filled].distance = row[i]
        kept[filled].index = i
        filled += 1
    sort(kept.begin(), kept.begin() + filled)
    for i in range(k):
        distances[i] = kept[i].distance
        indices[i] = kept[i].index


def _check(Q, A, X):
    if Q.shape[1] != X.shape[1] or A.shape[0] != Q.shape[0] or A.shape[1] != Q.shape[1]:
        raise ValueError(f"Q, A, X: shapes {Q.shape[:2]}, {A.shape[:2]}, {X.shape[:2]} do not fit together")
