"""The meetings of pairs in Cython: half of the twin of refimpl/kernels/pairs.py.

The reference's expressions stand above the loops.

The other half, sums over pairs, is pairs.pyx.
"""

import numpy as np

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t

from refimpl_fast.threads cimport Loop, thread_count, worth

from refimpl.kernels import pairs as reference
from refimpl.kernels.contract import checked

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef enum:
    PART = 32768  # pairs that a thread takes at a time: some 50 microseconds
    BLOCK = 2048  # pairs that are looked at at a time: they stay in cache


cdef struct Rows:
    const int32_t* members  # the points, ordered by leaf
    const int64_t* own  # where a point's later companions begin in members, and where they end
    const int64_t* ends
    const int64_t* starts  # where a point's pairs begin
    const int32_t* second
    const uint8_t* similar
    const double* T


cdef Py_ssize_t _count(const Rows* rows, Py_ssize_t i) noexcept nogil:
    # how many of a point's pairs are listed or meet
    cdef Py_ssize_t a = rows.starts[i], b = rows.own[i], found = 0
    cdef int32_t j, k
    while a < rows.starts[i + 1] and b < rows.ends[i]:
        j, k = rows.second[a], rows.members[b]
        a += j <= k
        b += k <= j
        found += 1
    return found + (rows.starts[i + 1] - a) + (rows.ends[i] - b)


cdef void _meet(
    const Rows* rows, Py_ssize_t i, double c, int32_t* first, int32_t* second, uint8_t* similar,
    double* T
) noexcept nogil:
    # T[listed and met] += c; then the merging of two ascending lists
    cdef Py_ssize_t a = rows.starts[i], b = rows.own[i], at = 0
    cdef int32_t j, k
    while a < rows.starts[i + 1] or b < rows.ends[i]:
        j = rows.second[a] if a < rows.starts[i + 1] else INT32_MAX
        k = rows.members[b] if b < rows.ends[i] else INT32_MAX
        first[at] = i
        if j <= k:
            second[at] = j
            similar[at] = rows.similar[a]
            T[at] = rows.T[a] + c if j == k else rows.T[a]  # SF:1:3
            b += j == k
            a += 1
        else:
            second[at], similar[at], T[at] = k, 0, c
            b += 1
        at += 1


cdef cloned_void _ascend(
    const int32_t* first, const int32_t* second, Py_ssize_t a, Py_ssize_t b, int32_t n, int* bad
) noexcept nogil:
    # require_order(first, second, n, strict=True), pair a - 1 before them included
    cdef Py_ssize_t p
    cdef int found = 0
    for p in range(a, b):
        found |= (first[p] < 0) | (second[p] <= first[p]) | (second[p] >= n)
    for p in range(max(a, 1), b):
        found |= (first[p] < first[p - 1]) | (
            (first[p] == first[p - 1]) & (second[p] <= second[p - 1])
        )
    bad[0] |= found


cdef class _Ascend(Loop):
    """Step t looks whether a part of the pairs is in order."""

    cdef const int32_t* first
    cdef const int32_t* second
    cdef Py_ssize_t p
    cdef int32_t n
    cdef uint8_t[::1] fits

    cdef void at(self, Py_ssize_t t, int thread) noexcept nogil:
        cdef int bad = 0
        cdef Py_ssize_t a = t * PART, end = min(self.p, a + PART)
        while a < end:
            _ascend(self.first, self.second, a, min(end, a + BLOCK), self.n, &bad)
            a += BLOCK
        self.fits[t] = not bad


cdef class _Meet(Loop):
    """Step i takes the pairs of point i that are listed or meet. The first pass counts them, the
    second writes them to their places.
    """

    cdef Rows rows
    cdef int64_t[::1] offsets
    cdef double c
    cdef int32_t[::1] first, second
    cdef uint8_t[::1] similar
    cdef double[::1] T
    cdef bint counted

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t place
        if not self.counted:
            # offsets[i] is not looked at: another thread may be writing it
            self.offsets[i + 1] = _count(&self.rows, i)
            return
        place = self.offsets[i]
        if place < self.offsets[i + 1]:
            _meet(
                &self.rows, i, self.c, &self.first[place], &self.second[place],
                &self.similar[place], &self.T[place]
            )


@checked
def meet_pairs(
    const int64_t[::1] leaf not None, const int32_t[::1] first not None,
    const int32_t[::1] second not None, const uint8_t[::1] similar not None,
    const double[::1] T not None, double c, *, threads=None
):
    """List the pairs after a tree of weight c: T(x_i, x_j) <- T(x_i, x_j) + c t(x_i, x_j).

    See :func:`refimpl.kernels.meet_pairs`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = leaf.shape[0], p = first.shape[0], total
    reference.require_few(n)
    _require_ascending(first, second, n, n_threads)
    leaves, listed = np.asarray(leaf), np.asarray(first)
    order = np.argsort(leaves, kind="stable")
    cdef const int32_t[::1] members = order.astype(np.int32)
    places = np.empty(n, dtype=np.int64)
    places[order] = np.arange(1, n + 1)
    cdef const int64_t[::1] own = places
    cdef const int64_t[::1] ends = np.searchsorted(leaves[order], leaves, side="right")
    # as int64 all pairs would be copied
    cdef int64_t[::1] starts = np.searchsorted(listed, np.arange(n + 1, dtype=np.int32))
    cdef _Meet loop = _Meet()
    loop.rows.members = &members[0]
    loop.rows.own = &own[0]
    loop.rows.ends = &ends[0]
    loop.rows.starts = &starts[0]
    if p:
        loop.rows.second, loop.rows.similar, loop.rows.T = &second[0], &similar[0], &T[0]
    loop.c, loop.offsets = c, np.zeros(n + 1, dtype=np.int64)
    n_threads = worth(n_threads, 2 * (p + np.subtract(ends, own).sum()))
    loop.run(n, n_threads)
    loop.offsets = np.cumsum(loop.offsets)
    total = loop.offsets[n]
    loop.first, loop.second = np.empty(total, dtype=np.int32), np.empty(total, dtype=np.int32)
    loop.similar, loop.T = np.empty(total, dtype=np.uint8), np.empty(total)
    loop.counted = True
    loop.run(n, n_threads)
    return np.asarray(loop.first), np.asarray(loop.second), np.asarray(loop.similar), np.asarray(
        loop.T
    )


cdef _require_ascending(
    const int32_t[::1] first, const int32_t[::1] second, Py_ssize_t n, int n_threads
):
    cdef Py_ssize_t p = first.shape[0], parts = (p + PART - 1) // PART
    if p == 0:
        return
    cdef _Ascend loop = _Ascend()
    loop.first, loop.second, loop.p, loop.n = &first[0], &second[0], p, <int32_t> n
    loop.fits = np.zeros(parts, dtype=np.uint8)
    loop.run(parts, worth(n_threads, p // 4), 1)
    if not np.all(loop.fits):
        reference.require_order(np.asarray(first), np.asarray(second), n, strict=True)  # raises
