"""Landmarks in Cython: the twin of refimpl/kernels/landmarks.py, whose expressions stand above the loops."""

import numpy as np

from cython.parallel cimport prange
from libc.math cimport INFINITY, isinf
from libc.stdint cimport int64_t

from refimpl_fast.threads cimport thread_count

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef enum:
    ROWS = 4096  # points that one thread takes at a time


cdef cloned_void _add(double* sums, const double* column, Py_ssize_t n) noexcept nogil:
    # sums += column
    cdef Py_ssize_t i
    for i in range(n):
        sums[i] += column[i]


cdef Py_ssize_t _least(const double* sums, const unsigned char* taken, Py_ssize_t n) noexcept nogil:
    # np.where(taken, np.inf, sums).argmin(); -1 if all are taken
    cdef Py_ssize_t i, best = -1
    cdef double least = INFINITY
    for i in range(n):
        if sums[i] < least and not taken[i]:
            least, best = sums[i], i
    return best


def least_similar(double[::1] sums not None, const double[::1] column not None, taken not None, *, threads=None):
    """The point least similar to all landmarks so far; see refimpl.kernels.least_similar."""
    cdef int n_threads = thread_count(threads)
    cdef const unsigned char[::1] gone = taken.view(np.uint8)
    cdef Py_ssize_t n = sums.shape[0], blocks = (n + ROWS - 1) // ROWS, b, k, best = -1
    if column.shape[0] != n or gone.shape[0] != n:
        raise ValueError(f"sums, column, taken: lengths {n}, {column.shape[0]} and {gone.shape[0]}; they must be equal")
    cdef int64_t[::1] found = np.empty(max(blocks, 1), dtype=np.int64)
    for b in prange(blocks, nogil=True, num_threads=n_threads, schedule="static"):
        _add(&sums[b * ROWS], &column[b * ROWS], min(<Py_ssize_t> ROWS, n - b * ROWS))
        found[b] = _least(&sums[b * ROWS], &gone[b * ROWS], min(<Py_ssize_t> ROWS, n - b * ROWS))
    for b in range(blocks):
        if found[b] >= 0:
            k = b * ROWS + found[b]
            if best < 0 or sums[k] < sums[best]:
                best = k
    if best < 0:
        raise ValueError("taken: no point is left to choose from")
    return best


cdef cloned_void _ramps(const double* difference, Py_ssize_t d, double s, double* out) noexcept nogil:
    # np.clip(s * difference, -1.0, 1.0)
    cdef Py_ssize_t j
    cdef double x
    for j in range(d):
        x = s * difference[j]
        x = -1.0 if x < -1.0 else x
        out[j] = 1.0 if x > 1.0 else x


cdef cloned_void _signs(const double* difference, Py_ssize_t d, double* out) noexcept nogil:
    # np.sign(difference)
    cdef Py_ssize_t j
    for j in range(d):
        out[j] = <double> (difference[j] > 0) - <double> (difference[j] < 0)


def transferred_differences(
    const double[:, ::1] K not None, const int64_t[::1] plus not None, const int64_t[::1] minus not None,
    const double[::1] slopes not None, *, threads=None,
):
    """Differences of similarities to landmark pairs under ramps; see refimpl.kernels.transferred_differences."""
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = K.shape[0], r = K.shape[1], d = plus.shape[0], m = slopes.shape[0], i, j, s
    if minus.shape[0] != d:
        raise ValueError(f"plus, minus: lengths {d} and {minus.shape[0]}; they must be equal")
    for j in range(d):
        if not (0 <= plus[j] < r and 0 <= minus[j] < r):
            raise ValueError(f"plus, minus: a pair names a column that K, with {r} columns, does not have")
    cdef double[:, :, ::1] out = np.empty((m, n, d))
    if n and d and m:
        # difference = K[:, plus] - K[:, minus], a row at a time, in the place of the last slope
        for i in prange(n, nogil=True, num_threads=n_threads, schedule="static"):
            for j in range(d):
                out[m - 1, i, j] = K[i, plus[j]] - K[i, minus[j]]
            for s in range(m):
                if isinf(slopes[s]):
                    _signs(&out[m - 1, i, 0], d, &out[s, i, 0])
                else:
                    _ramps(&out[m - 1, i, 0], d, slopes[s], &out[s, i, 0])
    return np.asarray(out)
