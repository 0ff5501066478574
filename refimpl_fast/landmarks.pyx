"""Landmarks in Cython: the twin of refimpl/kernels/landmarks.py.

The reference's expressions stand above the loops.
"""

import numpy as np

from libc.math cimport INFINITY, isinf
from libc.stdint cimport int64_t
from libc.string cimport memchr

from refimpl_fast.threads cimport GRAIN, Loop, thread_count, worth

from refimpl.kernels.contract import checked
from refimpl.kernels.landmarks import require_a_point, require_positive

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef enum:
    ROWS = 16384  # points that a thread adds to at a time
    TOGETHER = 256  # points of which the least sum is found first
    LANES = 8
    CHUNK_NUMBERS = 65536  # results that a thread computes before it takes further steps


cdef cloned_void _add(
    double* sums, const double* column, Py_ssize_t n, double* least
) noexcept nogil:
    # sums += column; least[0] = sums.min()
    cdef Py_ssize_t i, c
    cdef double[LANES] lanes
    cdef double s
    for c in range(LANES):
        lanes[c] = INFINITY
    for i in range(n // LANES):
        for c in range(LANES):
            s = sums[i * LANES + c] + column[i * LANES + c]  # FT:1:3  the sum over L
            sums[i * LANES + c] = s
            lanes[c] = s if s < lanes[c] else lanes[c]
    for i in range(n // LANES * LANES, n):
        s = sums[i] + column[i]
        sums[i] = s
        lanes[0] = s if s < lanes[0] else lanes[0]
    for c in range(1, LANES):
        lanes[0] = lanes[c] if lanes[c] < lanes[0] else lanes[0]
    least[0] = lanes[0]


cdef Py_ssize_t _least(
    double* sums, const double* column, const unsigned char* taken, Py_ssize_t n
) noexcept nogil:
    # sums += column; left = np.flatnonzero(~taken); left[sums[left].argmin()]; -1 if all are taken
    cdef Py_ssize_t b, first, end, i, best = -1
    cdef double least = INFINITY, least_of_all = 0
    for b in range((n + TOGETHER - 1) // TOGETHER):
        first = b * TOGETHER
        end = min(first + TOGETHER, n)
        _add(&sums[first], &column[first], end - first, &least_of_all)
        if best >= 0 and not least_of_all < least:
            continue  # taken or not, none is below
        for i in range(first, end):
            if not taken[i] and (best < 0 or sums[i] < least):
                least = sums[i]
                best = i  # FT:1:3  the arg min over T
    return best


cdef class _Least(Loop):
    """Step b adds to ROWS sums, and finds the least of them that is not taken."""

    cdef double[::1] sums
    cdef const double[::1] column
    cdef const unsigned char[::1] taken
    cdef int64_t[::1] least

    cdef void at(self, Py_ssize_t b, int thread) noexcept nogil:
        cdef Py_ssize_t first = b * ROWS, n = min(<Py_ssize_t> ROWS, self.sums.shape[0] - first)
        self.least[b] = _least(&self.sums[first], &self.column[first], &self.taken[first], n)


@checked
def least_similar(
    double[::1] sums not None, const double[::1] column not None, taken not None, *, threads=None
):
    """Add a landmark's similarities to the sums; return the point least similar to all landmarks.

    See :func:`refimpl.kernels.least_similar`.
    """
    cdef const unsigned char[::1] mask = taken.view(np.uint8)
    cdef Py_ssize_t n = sums.shape[0], blocks = (n + ROWS - 1) // ROWS, b, k, best = -1
    if n == 0 or memchr(&mask[0], 0, n) == NULL:
        require_a_point(taken)
    if n < GRAIN:  # a loop on one thread, without what threads need
        return _least(&sums[0], &column[0], &mask[0], n)
    cdef int n_threads = thread_count(threads)
    cdef _Least loop = _Least()
    loop.sums, loop.column, loop.taken = sums, column, mask
    loop.least = np.empty(blocks, dtype=np.int64)
    loop.run(blocks, worth(n_threads, n), 4)
    for b in range(blocks):
        if loop.least[b] >= 0:
            k = b * ROWS + loop.least[b]
            if best < 0 or sums[k] < sums[best]:
                best = k
    return best


cdef cloned_void _ramps(
    const double* difference, Py_ssize_t d, double s, double* out
) noexcept nogil:
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
    cdef double x
    for j in range(d):
        x = difference[j]
        x = 1.0 if x > 0 else x
        x = -1.0 if x < 0 else x
        out[j] = x + 0.0  # -0.0 becomes 0.0; NaN stays NaN


cdef class _Transfer(Loop):
    """Step i does row i of K."""

    cdef const double[:, ::1] K
    cdef const int64_t[::1] plus, minus
    cdef const double[::1] slopes
    cdef double[:, :, ::1] out

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        # difference = K[:, plus] - K[:, minus], a row at a time, in the place of the last slope
        cdef Py_ssize_t d = self.plus.shape[0], m = self.slopes.shape[0], j, s
        cdef double* difference = &self.out[m - 1, i, 0]
        for j in range(d):
            difference[j] = self.K[i, self.plus[j]] - self.K[i, self.minus[j]]  # FT:phi
        for s in range(m):
            if isinf(self.slopes[s]):
                _signs(difference, d, &self.out[s, i, 0])
            else:
                _ramps(difference, d, self.slopes[s], &self.out[s, i, 0])


@checked
def transferred_differences(
    const double[:, ::1] K not None, const int64_t[::1] plus not None,
    const int64_t[::1] minus not None, const double[::1] slopes not None, *, threads=None
):
    """Compute clip(s (K(x, x+) - K(x, x-)), -1, 1) for every slope s, point x and pair (x+, x-).

    See :func:`refimpl.kernels.transferred_differences`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = K.shape[0], d = plus.shape[0], m = slopes.shape[0]
    require_positive(np.asarray(slopes))
    cdef _Transfer loop = _Transfer()
    loop.K = K
    loop.plus = plus
    loop.minus = minus
    loop.slopes = slopes
    loop.out = np.empty((m, n, d))
    if d and m:
        loop.run(n, worth(n_threads, n * d * m), max(<Py_ssize_t> 1, CHUNK_NUMBERS // (d * m)))
    return np.asarray(loop.out)
