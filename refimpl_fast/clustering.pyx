"""Hierarchical k-means trees in Cython: the twin of refimpl/kernels/clustering.py, whose expressions stand above the
loops. A point is compared with sixteen centres at once; each sum is taken in the order of the coordinates."""

import numpy as np

from cython.parallel cimport prange, threadid
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libcpp.algorithm cimport pop_heap, push_heap
from libcpp.vector cimport vector

from refimpl_fast.threads cimport thread_count

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from "groups.h":
    void ball_group(const double* q, const double* C, Py_ssize_t d, double* out) nogil

cdef extern from *:
    """
    struct Branch { double square; int64_t node; };
    static inline bool operator<(const Branch& a, const Branch& b) {  // the heap keeps the least on top
        return a.square > b.square || (a.square == b.square && a.node > b.node);
    }
    """
    cppclass Branch:
        double square
        int64_t node

cdef enum:
    GROUP = 16
    ROWS = 8  # centres in rows that are compared at once
    COLUMNS = 64  # coordinates of the means that a thread sums at a time

cdef Py_ssize_t SHARED = 2**18  # products below which one thread does it all


# ------------------------------------------------------------------------------------------------ k-means


cdef void _pack(const double[:, ::1] centres, double[::1] packed) noexcept nogil:
    cdef Py_ssize_t j, c, d = centres.shape[1]
    for j in range(centres.shape[0]):
        for c in range(d):
            packed[j // GROUP * GROUP * d + c * GROUP + j % GROUP] = centres[j, c]


cdef cloned_void _nearest(
    const double* x, const double* packed, Py_ssize_t k, Py_ssize_t d, int64_t* nearest
) noexcept nogil:
    # np.argmin([squared_distances(c, S) for c in centres], axis=0)
    cdef double[GROUP] squares
    cdef double least = INFINITY
    cdef Py_ssize_t first = 0, j
    nearest[0] = 0
    while first < k:
        ball_group(x, packed + first * d, d, squares)
        for j in range(min(<Py_ssize_t> GROUP, k - first)):
            if squares[j] < least:
                least = squares[j]
                nearest[0] = first + j
        first += GROUP


cdef bint _equal(const int64_t[::1] a, const int64_t[::1] b) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(a.shape[0]):
        if a[i] != b[i]:
            return False
    return True


cdef void _sum(
    const double[:, ::1] S, const int64_t[::1] nearest, double[:, ::1] sums, Py_ssize_t column
) noexcept nogil:
    # np.add.at(sums, nearest, S), some columns of it
    cdef Py_ssize_t i, c, n = min(<Py_ssize_t> COLUMNS, S.shape[1] - column)
    cdef const double* x
    cdef double* into
    for i in range(S.shape[0]):
        x = &S[i, column]
        into = &sums[nearest[i], column]
        for c in range(n):
            into[c] += x[c]


def lloyd(
    const double[:, ::1] X not None, const int64_t[::1] rows not None, const double[:, ::1] centres not None,
    Py_ssize_t iterations, *, threads=None
):
    """Lloyd's k-means on some of the points, from given centres; see refimpl.kernels.lloyd."""
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t k = centres.shape[0], d = X.shape[1], p = rows.shape[0], i, j, c
    if centres.shape[1] != d or k == 0 or d == 0:
        raise ValueError(f"X, centres: shapes {X.shape[0], d}, {k, centres.shape[1]} do not fit together")
    for i in range(p):
        if not 0 <= rows[i] < X.shape[0]:
            raise ValueError(f"rows holds {rows[i]}; there are {X.shape[0]} points")
    if p * k * d < SHARED:
        n_threads = 1
    cdef double[:, ::1] C = np.array(centres), sums = np.empty((k, d)), S = np.take(X, rows, axis=0)
    cdef double[::1] packed = np.zeros((k + GROUP - 1) // GROUP * GROUP * d)
    cdef int64_t[::1] nearest = np.zeros(p, dtype=np.int64), before = np.zeros(p, dtype=np.int64)
    cdef int64_t[::1] count = np.zeros(k, dtype=np.int64)
    _pack(C, packed)
    for i in prange(p, nogil=True, num_threads=n_threads, schedule="static"):
        _nearest(&S[i, 0], &packed[0], k, d, &nearest[i])
    for _ in range(iterations):
        # centres[count > 0] = sums[count > 0] / count[count > 0, np.newaxis]
        sums[:, :], count[:] = 0, 0
        for i in range(p):
            count[nearest[i]] += 1
        for i in prange((d + COLUMNS - 1) // COLUMNS, nogil=True, num_threads=n_threads, schedule="static"):
            _sum(S, nearest, sums, i * COLUMNS)
        for j in range(k):
            for c in range(d if count[j] else 0):
                C[j, c] = sums[j, c] / <double> count[j]
        before, nearest = nearest, before
        _pack(C, packed)
        for i in prange(p, nogil=True, num_threads=n_threads, schedule="static"):
            _nearest(&S[i, 0], &packed[0], k, d, &nearest[i])
        if _equal(nearest, before):
            break
    return np.asarray(C), np.asarray(nearest)


# ------------------------------------------------------------------------------------------------ searching

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
    const int64_t[::1] starts, const int64_t[::1] ends, const int64_t[::1] members, const int64_t[::1] roots,
):
    cdef Trees view
    view.d, view.n_roots = centres.shape[1], roots.shape[0]
    view.centres, view.first, view.last = &centres[0, 0], &first[0], &last[0]
    view.starts, view.ends, view.members, view.roots = &starts[0], &ends[0], &members[0], &roots[0]
    return view


cdef Trees _checked(trees, Q):
    if Q.shape[1] != trees.centres.shape[1]:
        raise ValueError(f"Q has {Q.shape[1]} columns; the centres of the trees have {trees.centres.shape[1]}")
    return _view(trees, trees.centres, trees.first, trees.last, trees.starts, trees.ends, trees.members, trees.roots)


cdef cloned_void _squares(const double* q, const double* P, Py_ssize_t n, Py_ssize_t d, double* out) noexcept nogil:
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
    const Trees* trees, const double* q, int64_t node, vector[double]* squares, vector[Branch]* queue, int64_t* computed
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


def tree_leaves(trees, const double[:, ::1] Q not None, *, threads=None):
    """The leaf that each query reaches in each tree; see refimpl.kernels.tree_leaves."""
    cdef int n_threads = thread_count(threads)
    cdef Trees view = _checked(trees, Q)
    cdef int64_t[:, ::1] leaves = np.empty((len(Q), view.n_roots), dtype=np.int64)
    cdef vector[vector[double]] squares
    cdef Py_ssize_t i, t
    squares.resize(n_threads)
    for i in prange(Q.shape[0], nogil=True, num_threads=n_threads, schedule="static"):
        for t in range(view.n_roots):
            leaves[i, t] = _down(&view, &Q[i, 0], view.roots[t], &squares[threadid()], NULL, NULL)
    return np.asarray(leaves)


cdef void _search(
    const Trees* trees, const double* q, Py_ssize_t most, int32_t mark, int32_t* seen, int64_t* indices,
    int64_t* opened, int64_t* computed
) noexcept nogil:
    # best_bin_first, for one query; what has been found in it is marked in seen
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


def best_bin_first(trees, const double[:, ::1] Q not None, Py_ssize_t most, *, threads=None):
    """The first points that best-bin-first search finds; see refimpl.kernels.best_bin_first."""
    cdef int n_threads = thread_count(threads)
    cdef Trees view = _checked(trees, Q)
    cdef Py_ssize_t n = len(trees.members) // len(trees.roots), m = Q.shape[0], i
    if not 0 <= most <= n:
        raise ValueError(f"most: {most}; it must lie between 0 and {n}, the number of points")
    cdef int64_t[:, ::1] indices = np.empty((m, most), dtype=np.int64), opened = np.empty((m, most), dtype=np.int64)
    cdef int64_t[::1] computed = np.zeros(m, dtype=np.int64)
    cdef int32_t[:, ::1] seen = np.zeros((n_threads, n), dtype=np.int32)
    if most == 0:
        return np.asarray(indices), np.asarray(opened), np.asarray(computed)
    for i in prange(m, nogil=True, num_threads=n_threads, schedule="dynamic"):
        _search(&view, &Q[i, 0], most, <int32_t> (i + 1), &seen[threadid(), 0], &indices[i, 0], &opened[i, 0],
                &computed[i])
    return np.asarray(indices), np.asarray(opened), np.asarray(computed)
