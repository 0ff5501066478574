"""Hierarchical k-means trees in Cython: the twin of refimpl/kernels/clustering.py.

The reference's expressions stand above the loops.

Some points are compared with sixteen centres at once; each sum is taken in the order of the
coordinates.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY
from libc.stdint cimport INT32_MAX, int32_t, int64_t
from libcpp.algorithm cimport pop_heap, push_heap

from refimpl_fast.lines import on_lines
from refimpl_fast.threads cimport GRAIN, Loop, thread_count, worth
from refimpl_fast.vectors cimport vector

from refimpl.kernels.arguments import require_within
from refimpl.kernels.contract import checked

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from "widths.h":
    void nearest_centres(
        const double* X, Py_ssize_t points, const double* packed, Py_ssize_t n, Py_ssize_t d,
        int64_t* nearest
    ) noexcept nogil

cdef extern from *:
    """
    struct Branch { double square; int64_t node; };
    // the heap keeps the least on top; no square is NaN
    static inline bool operator<(const Branch& a, const Branch& b) {
        return a.square > b.square || (a.square == b.square && a.node > b.node);
    }
    """
    cppclass Branch:
        double square
        int64_t node

cdef enum:
    GROUP = 16
    ROWS = 8  # centres in rows that are compared at once
    POINTS = 16  # points that a thread compares with all centres at a time
    COLUMNS = 64  # coordinates of the means that a thread sums at a time, at most


# ------------------------------------------------------------------------------------------ k-means


cdef void _pack(const double[:, ::1] centres, double[::1] packed) noexcept nogil:
    cdef Py_ssize_t j, c, d = centres.shape[1]
    for j in range(centres.shape[0]):
        for c in range(d):
            packed[j // GROUP * GROUP * d + c * GROUP + j % GROUP] = centres[j, c]


cdef bint _equal(const int64_t[::1] a, const int64_t[::1] b) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(a.shape[0]):
        if a[i] != b[i]:
            return False
    return True


cdef void _sum(
    const double[:, ::1] S, const int64_t[::1] nearest, double[:, ::1] sums, Py_ssize_t column,
    Py_ssize_t n
) noexcept nogil:
    # np.add.at(sums, nearest, S), n columns of it
    cdef Py_ssize_t i, c
    cdef const double* x
    cdef double* into
    for i in range(S.shape[0]):
        x = &S[i, column]
        into = &sums[nearest[i], column]
        for c in range(n):
            into[c] += x[c]


cdef class _Means(Loop):
    """Step i sums `width` of the points' coordinates, from i * width on, for each centre."""

    cdef double[:, ::1] S, sums
    cdef int64_t[::1] nearest
    cdef Py_ssize_t width

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t first = i * self.width
        _sum(self.S, self.nearest, self.sums, first, min(self.width, self.S.shape[1] - first))


cdef class _Assign(Loop):
    """Step i finds the centres nearest to POINTS points."""

    cdef double[:, ::1] S
    cdef double[::1] packed
    cdef int64_t[::1] nearest
    cdef Py_ssize_t k

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        # np.argmin([squared_distances(c, S) for c in centres], axis=0)
        cdef Py_ssize_t first = i * POINTS, last = min(first + POINTS, self.S.shape[0])
        nearest_centres(
            &self.S[first, 0], last - first, &self.packed[0], self.k, self.S.shape[1],
            &self.nearest[first]
        )

    cdef int assign(self, int n_threads) except -1:
        cdef Py_ssize_t n = self.S.shape[0], products = self.k * self.S.shape[1]
        return self.run(
            (n + POINTS - 1) // POINTS, worth(n_threads, n * products // 8),  # eight at a time
            GRAIN // (POINTS * products) + 1
        )


@checked
def lloyd(
    const double[:, ::1] X not None, const int64_t[::1] rows not None,
    const double[:, ::1] centres not None, Py_ssize_t iterations, *, threads=None
):
    """Run Lloyd's k-means on some of the points, from given centres.

    See :func:`refimpl.kernels.lloyd`.
    """
    cdef int n_threads = thread_count(threads), mean_threads
    cdef Py_ssize_t k = centres.shape[0]
    cdef Py_ssize_t d = X.shape[1]
    cdef Py_ssize_t p = rows.shape[0]
    cdef Py_ssize_t i, j, c
    cdef double[:, ::1] C = np.array(centres)
    cdef int64_t[::1] before = np.zeros(p, dtype=np.int64), count = np.zeros(k, dtype=np.int64)
    cdef _Means means = _Means()
    cdef _Assign assign = _Assign()
    means.S = assign.S = np.take(X, rows, axis=0)
    require_within(np.asarray(means.S), "X[rows]")
    means.sums = np.empty((k, d))
    mean_threads = worth(n_threads, p * d)
    means.width = max(1, min(<Py_ssize_t> COLUMNS, (d + mean_threads - 1) // mean_threads))
    assign.packed = on_lines(np.zeros, (k + GROUP - 1) // GROUP * GROUP * d)
    assign.packed[:] = INFINITY
    assign.nearest = np.zeros(p, dtype=np.int64)
    assign.k = k
    _pack(C, assign.packed)
    assign.assign(n_threads)
    for _ in range(iterations):
        PyErr_CheckSignals()
        # centres[count > 0] = sums[count > 0] / count[count > 0, np.newaxis]
        means.sums[:, :], count[:] = 0, 0
        means.nearest = assign.nearest
        for i in range(p):
            count[means.nearest[i]] += 1
        means.run((d + means.width - 1) // means.width, mean_threads, 1)
        for j in range(k):
            for c in range(d if count[j] else 0):
                C[j, c] = means.sums[j, c] / <double> count[j]
        before, assign.nearest = assign.nearest, before
        _pack(C, assign.packed)
        assign.assign(n_threads)
        if _equal(assign.nearest, before):
            break
    return np.asarray(C), np.asarray(assign.nearest)


# ---------------------------------------------------------------------------------------- searching

cdef struct Trees:
    Py_ssize_t d, n_roots
    const double* centres
    const int64_t* first
    const int64_t* last
    const int64_t* starts
    const int64_t* ends
    const int64_t* members
    const int64_t* roots


cdef Trees _view(
    trees, const double[:, ::1] centres, const int64_t[::1] first, const int64_t[::1] last,
    const int64_t[::1] starts, const int64_t[::1] ends, const int64_t[::1] members,
    const int64_t[::1] roots
):
    cdef Trees view
    view.d, view.n_roots = centres.shape[1], roots.shape[0]
    view.centres, view.first, view.last = &centres[0, 0], &first[0], &last[0]
    view.starts, view.ends, view.members, view.roots = &starts[0], &ends[0], &members[0], &roots[0]
    return view


cdef cloned_void _squares(
    const double* q, const double* P, Py_ssize_t n, Py_ssize_t d, double* out
) noexcept nogil:
    # squared_distances(q, P)
    cdef double[ROWS] sums
    cdef Py_ssize_t row = 0, c, i
    while row < n:
        for i in range(ROWS):
            sums[i] = 0
        if n - row >= ROWS:
            for c in range(d):
                for i in range(ROWS):
                    sums[i] += (q[c] - P[(row + i) * d + c]) * (q[c] - P[(row + i) * d + c])
        else:
            for c in range(d):
                for i in range(n - row):
                    sums[i] += (q[c] - P[(row + i) * d + c]) * (q[c] - P[(row + i) * d + c])
        for i in range(min(<Py_ssize_t> ROWS, n - row)):
            out[row + i] = sums[i]
        row += ROWS


cdef int64_t _down(
    const Trees* trees, const double* q, int64_t node, vector[double]* squares,
    vector[Branch]* queue, int64_t* computed
) noexcept nogil:
    # while trees.first[j] < trees.last[j]: ...; the queue may be absent
    cdef int64_t n, i, best
    cdef Branch branch
    while trees.first[node] < trees.last[node]:
        n = trees.last[node] - trees.first[node]
        squares.resize(n)
        _squares(q, trees.centres + trees.first[node] * trees.d, n, trees.d, squares.data())
        best = 0
        for i in range(1, n):
            if squares[0][i] < squares[0][best]:
                best = i
        if queue != NULL:
            computed[0] += n
            for i in range(n):
                if i != best:
                    branch.square, branch.node = squares[0][i], trees.first[node] + i
                    queue.push_back(branch)
                    push_heap(queue.begin(), queue.end())
        node = trees.first[node] + best
    return node


cdef class _Search(Loop):
    """What the queries of a search read; step i is query i."""

    cdef Trees view
    cdef const double[:, ::1] Q

    cdef set(self, trees, const double[:, ::1] Q):
        self.view = _view(
            trees, trees.centres, trees.first, trees.last, trees.starts, trees.ends, trees.members,
            trees.roots
        )
        self.Q = Q

    cdef search(self, int n_threads, Py_ssize_t least):
        # every query reads at least `least` numbers
        cdef Py_ssize_t m = self.Q.shape[0]
        self.run(
            m, worth(n_threads, m * least),
            max(<Py_ssize_t> 1, min(<Py_ssize_t> 16, m // (16 * n_threads)))
        )


cdef class _Leaves(_Search):
    cdef int64_t[:, ::1] leaves
    cdef vector[vector[double]] squares  # one for each thread

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t t
        for t in range(self.view.n_roots):
            self.leaves[i, t] = _down(
                &self.view, &self.Q[i, 0], self.view.roots[t], &self.squares[thread], NULL, NULL
            )


@checked
def tree_leaves(trees, const double[:, ::1] Q not None, *, threads=None):
    """Find the leaf that each query reaches in each tree.

    See :func:`refimpl.kernels.tree_leaves`.
    """
    cdef int n_threads = thread_count(threads)
    cdef _Leaves loop = _Leaves()
    loop.set(trees, Q)
    loop.leaves = np.empty((len(Q), loop.view.n_roots), dtype=np.int64)
    loop.squares.make(n_threads)
    loop.search(n_threads, GROUP * loop.view.n_roots * loop.view.d)
    return np.asarray(loop.leaves)


cdef void _search(
    const Trees* trees, const double* q, Py_ssize_t most, int32_t mark, int32_t* seen,
    int64_t* indices, int64_t* opened, int64_t* computed
) noexcept nogil:
    # best_bin_first, for one query; the points that it has found are marked in seen
    cdef vector[Branch] queue
    cdef vector[double] squares
    cdef Py_ssize_t found = 0, leaf = 0, place
    cdef int64_t node, member
    while found < most:
        if leaf < trees.n_roots:
            node = trees.roots[leaf]
        else:
            node = queue.front().node
            pop_heap(queue.begin(), queue.end())
            queue.pop_back()
        node = _down(trees, q, node, &squares, &queue, computed)
        for place in range(trees.starts[node], trees.ends[node]):
            member = trees.members[place]
            if found < most and seen[member] != mark:
                seen[member] = mark
                indices[found], opened[found] = member, leaf
                found += 1
        leaf += 1


cdef class _BestBins(_Search):
    cdef Py_ssize_t most
    cdef int64_t[:, ::1] indices, opened
    cdef int64_t[::1] computed
    # for each thread the number of its last query that found a point, counted from 1
    cdef int32_t[:, ::1] seen
    cdef int32_t[::1] marks

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        if self.marks[thread] == INT32_MAX:
            self.seen[thread, :] = 0
            self.marks[thread] = 0
        self.marks[thread] += 1
        _search(
            &self.view, &self.Q[i, 0], self.most, self.marks[thread], &self.seen[thread, 0],
            &self.indices[i, 0], &self.opened[i, 0], &self.computed[i]
        )


@checked
def best_bin_first(trees, const double[:, ::1] Q not None, Py_ssize_t most, *, threads=None):
    """Find points by best-bin-first search: Muja & Lowe (2009), § 3.2.

    See :func:`refimpl.kernels.best_bin_first`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t m = Q.shape[0]
    cdef _BestBins loop = _BestBins()
    loop.set(trees, Q)
    loop.most = most
    loop.indices = np.empty((m, most), dtype=np.int64)
    loop.opened = np.empty((m, most), dtype=np.int64)
    loop.computed = np.zeros(m, dtype=np.int64)
    if most and m:
        loop.seen = np.zeros((n_threads, trees.n), dtype=np.int32)
        loop.marks = np.zeros(n_threads, dtype=np.int32)
        loop.search(n_threads, GROUP * loop.view.n_roots * loop.view.d + most)
    return np.asarray(loop.indices), np.asarray(loop.opened), np.asarray(loop.computed)
