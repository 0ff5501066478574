"""Landmarks in Cython: the twin of refimpl/kernels/landmarks.py.

The reference's expressions stand above the loops.
"""

import numpy as np

from libc.math cimport isinf
from libc.stdint cimport int64_t

from refimpl_fast.threads cimport Loop, thread_count, worth

from refimpl.kernels.contract import checked
from refimpl.kernels.landmarks import require_a_point, require_positive

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef enum:
    ROWS = 4096  # points that are added to at a time
    CHUNK_NUMBERS = 65536  # results that a thread computes before it takes further steps


cdef cloned_void _add(double* sums, const double* column, Py_ssize_t n) noexcept nogil:
    # sums += column
    cdef Py_ssize_t i
    for i in range(n):
        sums[i] += column[i]  # FT:1:3  the sum over L


cdef Py_ssize_t _least(const double* sums, const unsigned char* taken, Py_ssize_t n) noexcept nogil:
    # left = np.flatnonzero(~taken); left[sums[left].argmin()]; -1 if all are taken
    cdef Py_ssize_t i = 0, best = -1
    cdef double least
    while i < n and taken[i]:
        i += 1
    if i == n:
        return -1
    best, least = i, sums[i]
    for i in range(i + 1, n):
        if sums[i] < least and not taken[i]:
            least, best = sums[i], i  # FT:1:3  the arg min over T
    return best


cdef class _Least(Loop):
    """Step b adds to ROWS sums, and finds the least of them that is not taken."""

    cdef double[::1] sums
    cdef const double[::1] column
    cdef const unsigned char[::1] taken
    cdef int64_t[::1] found

    cdef void at(self, Py_ssize_t b, int thread) noexcept nogil:
        cdef Py_ssize_t first = b * ROWS, n = min(<Py_ssize_t> ROWS, self.sums.shape[0] - first)
        _add(&self.sums[first], &self.column[first], n)
        self.found[b] = _least(&self.sums[first], &self.taken[first], n)


@checked
def least_similar(
    double[::1] sums not None, const double[::1] column not None, taken not None, *, threads=None
):
    """Add a landmark's similarities to the sums; return the point least similar to all landmarks.

    See :func:`refimpl.kernels.least_similar`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = sums.shape[0], blocks = (n + ROWS - 1) // ROWS, b, k, best = -1
    require_a_point(taken)
    cdef _Least loop = _Least()
    loop.sums, loop.column, loop.taken = sums, column, taken.view(np.uint8)
    loop.found = np.empty(blocks, dtype=np.int64)
    loop.run(blocks, worth(n_threads, n), 16)  # FT:1:3
    for b in range(blocks):
        if loop.found[b] >= 0:
            k = b * ROWS + loop.found[b]
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
        # FT:phi
        loop.run(n, worth(n_threads, n * d * m), max(<Py_ssize_t> 1, CHUNK_NUMBERS // (d * m)))
    return np.asarray(loop.out)
