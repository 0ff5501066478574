"""Classifiers of triples in Cython: the twin of refimpl/kernels/triples.py.

The reference's expressions stand above the loops.

Eight classifiers are taken at a time (margins.h). The threads share the classifiers.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t

from refimpl_fast.lines import on_lines
from refimpl_fast.threads cimport Loop, thread_count, worth

from refimpl.kernels import exponentials
from refimpl.kernels.contract import checked
from refimpl.kernels.stumps import GRID as grid
from refimpl.kernels.stumps import on_grid

cdef extern from "widths.h":
    enum:
        EIGHT
    void side_by_side(
        const double* F, Py_ssize_t m, Py_ssize_t n, Py_ssize_t first, double* values
    ) noexcept nogil
    void eight_errors(
        const double* values, const Py_ssize_t* starts, const int32_t* a, const int32_t* b,
        const double* w, Py_ssize_t n, double* out) noexcept nogil
    void eight_gains(
        const double* values, const Py_ssize_t* starts, const int32_t* a, const int32_t* b,
        const double* w, Py_ssize_t n, double* gains) noexcept nogil
    void eight_sums(
        const double* values, const int32_t* q, const int32_t* a, const int32_t* b,
        const double* w, const double* splits, Py_ssize_t lanes, Py_ssize_t rows, double* out
    ) noexcept nogil

cdef extern from "weights.h":
    void rounded_weights(const double* w, Py_ssize_t n, double grid, double* out) noexcept nogil

cdef enum:
    LANES = 64
    CHUNK = 20_000  # triples that a thread takes at a time: some 20 to 200 microseconds

cdef double GRID = grid
assert LANES == exponentials.LANES


cdef class _Eights(Loop):
    """Step b of a subclass looks at the classifiers 8 b, ..., 8 b + 7 with all triples.

    a and b of a triple are exchanged where its proximity order is -1: the margin is y u.
    """

    cdef int32_t[::1] q, a, b
    cdef double[::1] w
    cdef Py_ssize_t[::1] starts
    cdef const double[:, ::1] F
    cdef double[:, ::1] values, out
    cdef Py_ssize_t t

    def __cinit__(self, const double[:, ::1] F, *_):
        self.F = F

    cdef void room(self, int n_threads, Py_ssize_t width) except *:
        """Make room for the values of eight classifiers, and for `width` numbers of each."""
        self.values = on_lines(np.empty, (n_threads, EIGHT * self.F.shape[1]))
        self.out = np.zeros((-(-self.F.shape[0] // EIGHT), EIGHT * width))

    cdef each(self, threads, Py_ssize_t width):
        """Do the steps, each of which writes `width` numbers: ndarray, shape (m, width)."""
        cdef Py_ssize_t m = self.F.shape[0], steps = -(-m // EIGHT)
        cdef int n_threads = worth(thread_count(threads), m * self.t)
        self.room(n_threads, width)
        self.run(steps, n_threads, max(1, min(steps // (8 * n_threads), CHUNK // self.t)))
        found = np.asarray(self.out).reshape(steps, width, EIGHT).transpose(0, 2, 1)
        return found.reshape(-1, width)[:m]

    cdef double* eight(self, Py_ssize_t b, int thread) noexcept nogil:
        """The values of the classifiers of step b, those of an object side by side."""
        cdef double* values = &self.values[thread, 0]
        side_by_side(&self.F[0, 0], self.F.shape[0], self.F.shape[1], EIGHT * b, values)
        return values


cdef class _ByQuery(_Eights):
    """The triples are sorted by q: those of q are starts[q], ..., starts[q + 1] - 1.

    Only for sums that are exact in any order.
    """

    def __cinit__(
        self, const double[:, ::1] F, const int32_t[:, ::1] triples, const double[::1] y,
        const double[::1] w
    ):
        cdef Py_ssize_t n = F.shape[1], i, place
        cdef int side
        self.t = triples.shape[0]
        self.starts = np.zeros(n + 1, dtype=np.intp)
        self.a, self.b = np.empty((2, self.t), dtype=np.int32)
        self.w = np.empty(self.t)
        cdef double[::1] rounded = np.empty(self.t)
        rounded_weights(&w[0], self.t, GRID, &rounded[0])
        for i in range(self.t):
            self.starts[triples[i, 0]] += 1
        place = 0
        for i in range(n + 1):  # the end of what is not yet placed
            place += self.starts[i]
            self.starts[i] = place
        for i in range(self.t):
            side = 1 if y[i] > 0 else 2
            self.starts[triples[i, 0]] -= 1
            place = self.starts[triples[i, 0]]
            self.a[place] = triples[i, side]
            self.b[place] = triples[i, 3 - side]
            self.w[place] = rounded[i]


cdef class _ByLane(_Eights):
    """The triples stand lane by lane, filled up with triples of weight 0 and margin 0."""

    cdef Py_ssize_t rows

    def __cinit__(
        self, const double[:, ::1] F, const int32_t[:, ::1] triples, const double[::1] y,
        const double[::1] w
    ):
        cdef Py_ssize_t i, place
        cdef int side
        self.t = triples.shape[0]
        self.rows = -(-self.t // LANES)
        self.q, self.a, self.b = np.zeros((3, LANES * self.rows), dtype=np.int32)
        self.w = np.zeros(LANES * self.rows)
        cdef double[::1] rounded = np.empty(self.t)
        rounded_weights(&w[0], self.t, GRID, &rounded[0])
        for i in range(self.t):
            side = 1 if y[i] > 0 else 2
            place = i % LANES * self.rows + i // LANES
            self.q[place] = triples[i, 0]
            self.a[place] = triples[i, side]
            self.b[place] = triples[i, 3 - side]
            self.w[place] = rounded[i]


cdef class _Errors(_ByQuery):
    cdef void at(self, Py_ssize_t b, int thread) noexcept nogil:
        # (w * (np.abs(y - sign) / 2)).sum(): exact, so in any order
        eight_errors(  # BM:eq11, ERRATUM BM-2, BM:7.3:8
            self.eight(b, thread), &self.starts[0], &self.a[0], &self.b[0], &self.w[0],
            self.F.shape[1], &self.out[b, 0]
        )


@checked
def weighted_errors(F not None, triples not None, y not None, w not None, *, threads=None):
    """Compute the training errors Lambda_j of many classifiers: eqs. 3 and 11.

    See :func:`refimpl.kernels.weighted_errors`.
    """
    cdef _Errors loop = _Errors(F, triples, y, w)
    return loop.each(threads, 1)[:, 0]


cdef class _Sums(_ByLane):
    cdef const double[:, ::1] S
    cdef double[:, ::1] splits

    cdef void at(self, Py_ssize_t b, int thread) noexcept nogil:
        cdef double* splits = NULL
        if self.S is not None:
            splits = &self.splits[thread, 0]
            side_by_side(&self.S[0, 0], self.S.shape[0], self.S.shape[1], EIGHT * b, splits)
        # sides = (u > 0) * w, (u < 0) * w
        # [fixed_sum(side) ...] + [fixed_sum(side * np.abs(u)) ...]
        # + [fixed_sum(side * np.abs(u) * np.abs(u)) ...] + [np.max(u), np.max(-u)]
        eight_sums(
            self.eight(b, thread), &self.q[0], &self.a[0], &self.b[0], &self.w[0], splits, LANES,
            self.rows, &self.out[b, 0]
        )


@checked
def margin_sums(
    F not None, triples not None, y not None, w not None, const double[:, ::1] S=None, *,
    threads=None
):
    """Sum weights, weighted margins and their squares on either side of zero.

    See :func:`refimpl.kernels.margin_sums`.
    """
    cdef _Sums loop = _Sums(F, triples, y, w)
    loop.S = S
    if S is not None:
        loop.splits = on_lines(np.empty, (thread_count(threads), EIGHT * S.shape[1]))
    return loop.each(threads, 8)


cdef class _Ranges(_ByQuery):
    cdef const double[:, ::1] splitting, thresholds
    cdef const int64_t[:, ::1] ranges
    cdef double[:, ::1] gains, below
    cdef int64_t[::1] best

    cdef void at(self, Py_ssize_t b, int thread) noexcept nogil:
        cdef double* gains = &self.gains[thread, 0]
        cdef double* below = &self.below[thread, 0]
        cdef Py_ssize_t k = self.thresholds.shape[1], c, place
        eight_gains(
            self.eight(b, thread), &self.starts[0], &self.a[0], &self.b[0], &self.w[0],
            self.F.shape[1], gains
        )
        for place in range(min(<Py_ssize_t> EIGHT, self.F.shape[0] - EIGHT * b)):
            c = EIGHT * b + place
            _cells(
                below, gains + place, &self.splitting[c, 0], &self.starts[0], self.F.shape[1],
                &self.thresholds[c, 0] if k > 0 else NULL, k
            )
            _best(below, k, self.ranges, &self.out[b, place], &self.best[c])


@checked
def best_ranges(
    values not None, F not None, triples not None, y not None, w not None,
    const double[:, ::1] thresholds not None, const int64_t[:, ::1] ranges not None, *, threads=None
):
    """Find the range of queries in which each classifier errs least, in O(t + r) for each.

    See :func:`refimpl.kernels.best_ranges`.
    """
    w = on_grid(w)
    cdef _Ranges loop = _Ranges(F, triples, y, w)
    cdef int most = thread_count(threads)
    if len(F) == 0:
        return np.empty(0), np.empty(0, dtype=np.int64)
    loop.splitting, loop.thresholds, loop.ranges = values, thresholds, ranges
    loop.best = np.empty(len(F), dtype=np.int64)
    loop.gains = on_lines(np.empty, (most, EIGHT * F.shape[1]))
    loop.below = np.empty((most, thresholds.shape[1] + 2))
    return np.sum(w) / 2 - loop.each(threads, 1)[:, 0], np.asarray(loop.best)


cdef inline Py_ssize_t _cell(double value, const double* thresholds, Py_ssize_t k) noexcept nogil:
    # np.searchsorted(thresholds, value, side="right")
    # each step is an addition: a branch would be guessed wrongly half of the time
    cdef Py_ssize_t first = 0, half
    while k > 0:
        half = (k + 1) >> 1
        first += 0 if value < thresholds[first + half - 1] else half
        k -= half
    return first


cdef void _cells(
    double* below, const double* gains, const double* values, const Py_ssize_t* starts,
    Py_ssize_t n, const double* thresholds, Py_ssize_t k
) noexcept nogil:
    # below = np.append(0.0, np.cumsum(np.bincount(cell, gain, k + 1))): exact, so in any order
    cdef Py_ssize_t i, q
    for i in range(k + 2):
        below[i] = 0
    for q in range(n):
        if starts[q] < starts[q + 1]:
            i = _cell(values[q], thresholds, k)
            below[1 + i] += gains[EIGHT * q]
    for i in range(k + 1):
        below[i + 1] += below[i]


cdef void _best(
    const double* below, Py_ssize_t k, const int64_t[:, ::1] ranges, double* gain, int64_t* place
) noexcept nogil:
    # gains = np.where(i < j, below[j] - below[i], below[-1] - (below[i] - below[j]))
    # np.argmax(gains)
    cdef Py_ssize_t r, i, j
    cdef double found
    for r in range(ranges.shape[0]):
        i, j = ranges[r, 0], ranges[r, 1]
        found = below[j] - below[i] if i < j else below[k + 1] - (below[i] - below[j])
        if r == 0 or found > gain[0]:  # BM:8.3:2
            gain[0] = found
            place[0] = r
