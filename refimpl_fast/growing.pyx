"""The building of ball trees in Cython: the twin of refimpl/kernels/growing.py.

The reference's expressions stand above the loops.
"""

import numpy as np

from libc.math cimport fabs, sqrt
from libc.stdint cimport int64_t
from libcpp.algorithm cimport nth_element

from refimpl_fast.threads cimport GRAIN, Loop, thread_count, worth
from refimpl_fast.vectors cimport vector

from refimpl.kernels import growing as reference
from refimpl.kernels.contract import checked
from refimpl.kernels.growing import BallTree
from refimpl.results import from_new_arrays

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from *:
    """
    struct Ranked { double value; int64_t place; };  // the value is no NaN, as X is within 1e140
    static inline bool operator<(const Ranked& a, const Ranked& b) {
        return a.value < b.value || (a.value == b.value && a.place < b.place);
    }
    """
    cppclass Ranked:
        double value
        int64_t place
        bint operator<(const Ranked&)

cdef int ITERATIONS = reference.ITERATIONS


cdef class _Level(Loop):
    """Step i encloses node first + i, and splits it unless it is a leaf."""

    cdef const double[:, ::1] X
    cdef int64_t[::1] order, starts, ends
    cdef double[:, ::1] centres, low, high
    cdef double[::1] radii
    cdef Py_ssize_t first, leaves
    cdef bint principal

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t j = self.first + i
        cdef Py_ssize_t d = self.X.shape[1]
        cdef Py_ssize_t size = self.ends[j] - self.starts[j]
        cdef int64_t* rows = &self.order[self.starts[j]]
        _enclose(
            &self.X[0, 0], d, rows, size, &self.centres[j, 0], &self.low[j, 0], &self.high[j, 0],
            &self.radii[j]
        )
        if j < self.leaves - 1:
            _split(&self.X[0, 0], d, rows, size, &self.centres[j, 0], self.principal)
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
    loop.X, loop.leaves, loop.principal = X, leaves, direction == "principal"
    loop.order, loop.starts, loop.ends = np.arange(n), np.zeros(m, dtype=np.int64), np.full(m, n)
    loop.centres, loop.low, loop.high = np.empty((m, d)), np.empty((m, d)), np.empty((m, d))
    loop.radii = np.empty(m)
    n_threads = worth(n_threads, 2 * n * d)
    while loop.first < m:
        loop.run(loop.first + 1, n_threads, 1 + GRAIN // 16 * (loop.first + 1) // (n * d))
        loop.first = 2 * loop.first + 1
    rows = np.asarray(loop.order)
    return from_new_arrays(
        BallTree, np.asarray(X)[rows], rows, np.asarray(loop.starts), np.asarray(loop.ends),
        np.asarray(loop.centres), np.asarray(loop.radii), np.asarray(loop.low),
        np.asarray(loop.high)
    )


cdef cloned_void _enclose(
    const double* X, Py_ssize_t d, const int64_t* rows, Py_ssize_t n, double* centre, double* low,
    double* high, double* radius
) noexcept nogil:
    # centre = np.cumsum(S, axis=0)[-1] / len(S)
    # low = S.min(axis=0) + 0.0
    # high = S.max(axis=0) + 0.0
    # np.sqrt(squared_distances(centre, S).max())
    cdef Py_ssize_t i, c
    cdef const double* row = X + rows[0] * d
    for c in range(d):
        centre[c] = low[c] = high[c] = row[c]
    for i in range(1, n):
        row = X + rows[i] * d
        for c in range(d):
            centre[c] += row[c]
            low[c] = row[c] if row[c] < low[c] else low[c]
            high[c] = row[c] if row[c] > high[c] else high[c]
    for c in range(d):
        centre[c] = centre[c] / n
        low[c] += 0.0  # not -0.0
        high[c] += 0.0
    radius[0] = sqrt(_farthest(X, d, rows, n, centre))  # LM:4.1:3


cdef inline double _farthest(
    const double* X, Py_ssize_t d, const int64_t* rows, Py_ssize_t n, const double* centre
) noexcept nogil:
    # squared_distances(centre, S).max()
    # four rows at a time, as each sum waits for its last addition
    cdef double[4] sums
    cdef double most = 0
    cdef const double *row[4]
    cdef Py_ssize_t i, c, j
    for i in range(0, n, 4):
        for j in range(4):
            row[j] = X + rows[min(i + j, n - 1)] * d
            sums[j] = 0
        for c in range(d):
            for j in range(4):
                sums[j] += (centre[c] - row[j][c]) * (centre[c] - row[j][c])
        for j in range(4):
            most = max(most, sums[j])
    return most


cdef void _split(
    const double* X, Py_ssize_t d, int64_t* rows, Py_ssize_t n, const double* centre, bint principal
) noexcept nogil:
    # by_projection = np.argsort(projections(S, centres[j], direction), kind="stable")
    # order[starts[j]:median] = np.sort(I[by_projection[:median - starts[j]]])
    # order[median:ends[j]] = np.sort(I[by_projection[median - starts[j]:]])
    cdef vector[Ranked] values, ranked
    cdef vector[int64_t] right
    cdef Py_ssize_t i, left = 0
    cdef Ranked median
    values.resize(n)
    _project(X, d, rows, n, centre, principal, values.data())  # LM:4.1:1
    ranked = values
    nth_element(ranked.begin(), ranked.begin() + ((n + 1) // 2 - 1), ranked.end())
    median = ranked[(n + 1) // 2 - 1]  # LM:4.1:2
    for i in range(n):  # rows stay ascending within each half
        if median < values[i]:
            right.push_back(rows[i])
        else:
            rows[left] = rows[i]
            left += 1
    for i in range(<Py_ssize_t> right.size()):
        rows[left + i] = right[i]


cdef cloned_void _project(
    const double* X, Py_ssize_t d, const int64_t* rows, Py_ssize_t n, const double* centre,
    bint principal, Ranked* values
) noexcept nogil:
    # projections(S, c, direction)
    cdef vector[double] w, v
    cdef Py_ssize_t i, c, axis = 0
    cdef const double* row
    cdef double p, most
    cdef int _repeat
    w.assign(d, 0.0)
    v.assign(d, 0.0)
    for i in range(n):
        row = X + rows[i] * d
        for c in range(d):
            v[c] += (row[c] - centre[c]) * (row[c] - centre[c])
    for c in range(1, d):
        if v[c] > v[axis]:
            axis = c
    for i in range(n):
        values[i].value = X[rows[i] * d + axis]
        values[i].place = i
    if not principal:
        return
    w[axis] = 1.0
    for _repeat in range(ITERATIONS):
        for i in range(n):
            row = X + rows[i] * d
            p = _along(row, centre, w.data(), d)
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
        values[i].value = _along(X + rows[i] * d, centre, w.data(), d)


cdef inline double _along(
    const double* row, const double* centre, const double* w, Py_ssize_t d
) noexcept nogil:
    # np.cumsum(D * w, axis=1)[:, -1]
    cdef double p = 0
    cdef Py_ssize_t c
    for c in range(d):
        p += (row[c] - centre[c]) * w[c]
    return p
