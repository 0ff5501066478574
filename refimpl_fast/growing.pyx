"""The building of ball trees in Cython: the twin of refimpl/kernels/growing.py.

The reference's expressions stand above the loops.
"""

import numpy as np

from libc.math cimport fabs, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy
from libcpp.algorithm cimport nth_element, sort

from refimpl_fast.lines import on_lines
from refimpl_fast.threads cimport GRAIN, Loop, thread_count, worth
from refimpl_fast.vectors cimport vector

from refimpl.kernels import growing as reference
from refimpl.kernels.contract import checked
from refimpl.kernels.growing import BallTree
from refimpl.results import from_new_arrays

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from "widths.h":
    void extents(
        const double* S, Py_ssize_t filled, const int64_t* rows, Py_ssize_t n, double* total,
        double* low, double* high
    ) noexcept nogil
    double spreads(
        const double* S, Py_ssize_t d, Py_ssize_t filled, const int64_t* rows, Py_ssize_t n,
        const double* centre, double* spread, double* squares
    ) noexcept nogil

cdef enum:
    SAMPLE = 128  # values that guess where a median is
    WIDE = 8  # rows are filled up to whole eights with zeros

cdef int ITERATIONS = reference.ITERATIONS


cdef class _Level(Loop):
    """Step i encloses node first + i, and splits it unless it is a leaf."""

    cdef double[:, ::1] S, points  # filled up, and in the order of the leaves
    cdef int64_t[::1] order, starts, ends
    cdef double[:, ::1] centres, low, high
    cdef double[::1] radii
    cdef double[::1] values, some  # room for each node's projections
    cdef int64_t[::1] right  # and for the rows of its right child
    cdef Py_ssize_t first, leaves
    cdef bint principal

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t j = self.first + i
        cdef Py_ssize_t d = self.centres.shape[1], filled = self.S.shape[1], c
        cdef Py_ssize_t size = self.ends[j] - self.starts[j]
        cdef int64_t* rows = &self.order[self.starts[j]]
        cdef vector[double] centre, low, high, spread
        _enclose(
            &self.S[0, 0], d, filled, rows, size, centre, low, high, spread, &self.radii[j]
        )
        for c in range(d):
            self.centres[j, c] = centre[c]
            self.low[j, c] = low[c] + 0.0  # not -0.0
            self.high[j, c] = high[c] + 0.0
        if j >= self.leaves - 1:
            for c in range(size):
                memcpy(
                    &self.points[self.starts[j] + c, 0], &self.S[rows[c], 0], d * sizeof(double)
                )
        else:
            _project(  # LM:4.1:1
                &self.S[0, 0], d, filled, rows, size, centre, spread, self.principal,
                &self.values[self.starts[j]]
            )
            _split(
                &self.values[self.starts[j]], size, &self.some[self.starts[j]], rows,
                &self.right[self.starts[j]]
            )
            self.starts[2 * j + 1] = self.starts[j]
            self.starts[2 * j + 2] = self.ends[2 * j + 1] = self.starts[j] + (size + 1) // 2
            self.ends[2 * j + 2] = self.ends[j]


@checked
def build_tree(
    const double[:, ::1] X not None, *, Py_ssize_t leaf_size=128, direction="axis", threads=None
):
    """Build a ball tree: § 4.1 of Weinberger & Saul (2008).

    See :func:`refimpl.kernels.build_tree`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], leaves = 1, m
    while leaves * leaf_size < n:  # -(-n // leaves) > leaf_size
        leaves *= 2
    m = 2 * leaves - 1
    cdef _Level loop = _Level()
    loop.leaves, loop.principal = leaves, direction == "principal"
    loop.S = on_lines(np.empty, (n, (d + WIDE - 1) // WIDE * WIDE))
    loop.S[:, :d], loop.S[:, d:] = X, 0
    loop.points = np.empty((n, d))
    loop.values, loop.some, loop.right = np.empty(n), np.empty(n), np.empty(n, dtype=np.int64)
    loop.order, loop.starts, loop.ends = np.arange(n), np.zeros(m, dtype=np.int64), np.full(m, n)
    loop.centres, loop.low, loop.high = np.empty((m, d)), np.empty((m, d)), np.empty((m, d))
    loop.radii = np.empty(m)
    n_threads = worth(n_threads, 2 * n * d)
    while loop.first < m:
        loop.run(loop.first + 1, n_threads, 1 + GRAIN // 16 * (loop.first + 1) // (n * d))
        loop.first = 2 * loop.first + 1
    return from_new_arrays(
        BallTree, np.asarray(loop.points), np.asarray(loop.order), np.asarray(loop.starts),
        np.asarray(loop.ends), np.asarray(loop.centres), np.asarray(loop.radii),
        np.asarray(loop.low), np.asarray(loop.high)
    )


cdef void _enclose(
    const double* S, Py_ssize_t d, Py_ssize_t filled, const int64_t* rows, Py_ssize_t n,
    vector[double]& centre, vector[double]& low, vector[double]& high, vector[double]& spread,
    double* radius
) noexcept nogil:
    # centre = np.cumsum(S, axis=0)[-1] / len(S)
    # low = S.min(axis=0)
    # high = S.max(axis=0)
    # spread = np.cumsum((S - centre) ** 2, axis=0)[-1]
    # radius = np.sqrt(squared_distances(centre, S).max())
    cdef vector[double] squares
    cdef Py_ssize_t c
    centre.resize(filled)
    low.resize(filled)
    high.resize(filled)
    spread.assign(filled, 0.0)
    squares.assign(4 * filled, 0.0)
    extents(S, filled, rows, n, centre.data(), low.data(), high.data())
    for c in range(filled):
        centre[c] = centre[c] / n
    radius[0] = sqrt(  # LM:4.1:3
        spreads(S, d, filled, rows, n, centre.data(), spread.data(), squares.data())
    )


cdef void _split(
    const double* values, Py_ssize_t n, double* some, int64_t* rows, int64_t* right
) noexcept nogil:
    # by_projection = np.argsort(projections(S, centres[j], direction), kind="stable")
    # order[starts[j]:median] = np.sort(I[by_projection[:median - starts[j]]])
    # order[median:ends[j]] = np.sort(I[by_projection[median - starts[j]:]])
    cdef Py_ssize_t i, left = 0, behind = 0, equal = (n + 1) // 2
    cdef double median = _ranked(values, n, equal - 1, some)  # LM:4.1:2
    cdef bint goes
    for i in range(n):
        equal -= values[i] < median
    for i in range(n):  # rows stay ascending within each half; of equal values the first go left
        goes = (values[i] < median) | ((values[i] == median) & (equal > 0))
        equal -= goes & (values[i] == median)
        right[behind] = rows[i]
        rows[left] = rows[i]
        left += goes
        behind += not goes
    for i in range(behind):
        rows[left + i] = right[i]


cdef double _ranked(
    const double* values, Py_ssize_t n, Py_ssize_t rank, double* some
) noexcept nogil:
    # np.sort(values)[rank]
    # of many values only those near the middle of a sample are sorted, if it is among them
    cdef double[SAMPLE] sample
    cdef double low, high
    cdef Py_ssize_t i, below = 0, found = 0
    if n >= 8 * SAMPLE:
        for i in range(SAMPLE):
            sample[i] = values[n // SAMPLE * i]
        sort(sample, sample + SAMPLE)
        low, high = sample[3 * SAMPLE // 8], sample[5 * SAMPLE // 8]
        for i in range(n):
            below += values[i] < low
            some[found] = values[i]
            found += (values[i] >= low) & (values[i] <= high)
    if not below <= rank < below + found:
        below, found = 0, n
        memcpy(some, values, n * sizeof(double))
    nth_element(some, some + (rank - below), some + found)
    return some[rank - below]


cdef cloned_void _project(
    const double* S, Py_ssize_t d, Py_ssize_t filled, const int64_t* rows, Py_ssize_t n,
    const vector[double]& centre, vector[double]& v, bint principal, double* values
) noexcept nogil:
    # projections(S, c, direction)
    cdef vector[double] w
    cdef Py_ssize_t i, c, axis = 0
    cdef const double* row
    cdef double p, most
    cdef int _repeat
    for c in range(1, d):
        if v[c] > v[axis]:
            axis = c
    for i in range(n):
        values[i] = S[rows[i] * filled + axis]
    if not principal:
        return
    w.assign(d, 0.0)
    w[axis] = 1.0
    for _repeat in range(ITERATIONS):
        for i in range(n):
            row = S + rows[i] * filled
            p = _along(row, centre, w, d)
            for c in range(d):
                v[c] = p * (row[c] - centre[c]) + (v[c] if i else 0.0)
        most = 0
        for c in range(d):
            most = max(most, fabs(v[c]))
        if most == 0:
            break
        for c in range(d):
            w[c] = v[c] / most
    for i in range(n):
        values[i] = _along(S + rows[i] * filled, centre, w, d)


cdef inline double _along(
    const double* row, const vector[double]& centre, const vector[double]& w, Py_ssize_t d
) noexcept nogil:
    # np.cumsum(D * w, axis=1)[:, -1]
    cdef double p = 0
    cdef Py_ssize_t c
    for c in range(d):
        p += (row[c] - centre[c]) * w[c]
    return p
