"""Sums over a node's pairs in Cython: half of the twin of refimpl/kernels/pairs.py.

The reference's expressions stand above the loops.

The other half, the meetings of pairs, is meetings.pyx.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp.algorithm cimport inplace_merge, stable_sort
from libcpp.vector cimport vector

from refimpl_fast.threads cimport Loop, thread_count, worth

from refimpl.kernels import pairs as reference
from refimpl.kernels.contract import checked

cdef extern from "indices.h":
    void look_at_indices(
        const int32_t* indices, Py_ssize_t size, uint32_t n, int* bad
    ) noexcept nogil

cdef extern from *:
    """
    struct Valued { double value; int32_t place; };
    /* NaN last */
    static inline bool operator<(const Valued& a, const Valued& b) {
        return a.value < b.value || (b.value != b.value && a.value == a.value);
    }
    """
    cppclass Valued:
        double value
        int32_t place

cdef enum:
    # pairs that a thread takes at a time, where their parts do not count: some 50 microseconds
    PART = 32768
    BLOCK = 2048  # pairs that are looked at before they are used: they stay in cache
    FEW = 8192  # with at most this many points, sorting in parts does not pay

cdef struct Pairs:
    const int32_t* first
    const int32_t* second
    const double* v


cdef Pairs _pairs(const int32_t[::1] first, const int32_t[::1] second, const double[::1] v):
    cdef Pairs found
    found.first = <const int32_t*> NULL
    found.second = <const int32_t*> NULL
    found.v = <const double*> NULL
    if first.shape[0]:
        found.first, found.second, found.v = &first[0], &second[0], &v[0]
    return found


# ----------------------------------------------------------------------------------------- products


cdef bint _add_product(
    const Pairs* pairs, Py_ssize_t a, Py_ssize_t b, const double* u, Py_ssize_t n, double* sums
) noexcept nogil:
    # np.bincount(i, w * u[j], n) + np.bincount(j, w * u[i], n)
    # As first < second and both ascend, the second sum of a point is complete before its
    # first pair.
    cdef Py_ssize_t p = a, i, j
    cdef double total, mine
    for i in range(n):
        sums[i] = 0
    if a > 0 and pairs.first[a - 1] > pairs.first[a]:
        return False
    i = -1
    while p < b:
        if not i < pairs.first[p] < n:
            return False
        i = pairs.first[p]
        total, mine = 0, u[i]
        while p < b and pairs.first[p] == i:
            j = pairs.second[p]
            if not i < j < n:
                return False
            total += pairs.v[p] * u[j]  # SF:eq18
            sums[j] += pairs.v[p] * mine
            p += 1
        sums[i] = total + sums[i]
    return True


cdef class _Product(Loop):
    """Step t adds up part t of the pairs."""

    cdef Pairs pairs
    cdef const int64_t[:, ::1] places
    cdef const double[::1] u
    cdef double[:, ::1] sums
    cdef uint8_t[::1] fits

    cdef void at(self, Py_ssize_t t, int thread) noexcept nogil:
        self.fits[t] = _add_product(
            &self.pairs, self.places[t, 0], self.places[t, 1], &self.u[0], self.u.shape[0],
            &self.sums[t, 0]
        )


@checked
def pair_product(
    const int32_t[::1] first not None, const int32_t[::1] second not None,
    const double[::1] v not None, const double[::1] u not None, *, threads=None
):
    """Compute V u, where V is the symmetric matrix of the pairs' weights: eq. 18 needs it.

    See :func:`refimpl.kernels.pair_product`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = u.shape[0], p = first.shape[0], i, t, parts
    cdef double[::1] out = np.zeros(n)
    cdef _Product loop = _Product()
    if p == 0:
        return np.asarray(out)
    if n == 0:
        reference.require_order(np.asarray(first), np.asarray(second), n)  # raises
    loop.pairs, loop.u, loop.places = _pairs(first, second, v), u, np.array(reference.parts_of(p))
    parts = loop.places.shape[0]
    loop.sums, loop.fits = np.empty((parts, n)), np.zeros(parts, dtype=np.uint8)
    loop.run(parts, worth(n_threads, p), 1)
    for t in range(parts):
        if not loop.fits[t]:
            reference.require_order(np.asarray(first), np.asarray(second), n)  # raises
        for i in range(n):
            out[i] += loop.sums[t, i]
    return np.asarray(out)


# --------------------------------------------------------------------------------------- thresholds


cdef class _Sort(Loop):
    """Step t sorts a run of the values of a coordinate. The runs of a coordinate have consecutive
    steps.
    """

    cdef const double[:, ::1] A
    cdef Valued* ordered
    cdef Py_ssize_t runs

    cdef void at(self, Py_ssize_t t, int thread) noexcept nogil:
        cdef Py_ssize_t n = self.A.shape[0], run = t % self.runs, a = run * n // self.runs
        cdef Py_ssize_t b = (run + 1) * n // self.runs, c = t // self.runs, i
        cdef Valued* mine = self.ordered + c * n
        for i in range(a, b):
            mine[i].value, mine[i].place = self.A[i, c], <int32_t> i
        stable_sort(mine + a, mine + b)


cdef class _Rank(Loop):
    """Step t merges the runs of coordinate t."""

    cdef Valued* ordered
    cdef int32_t[:, ::1] rank
    cdef Py_ssize_t runs

    cdef void at(self, Py_ssize_t t, int thread) noexcept nogil:
        # order = np.argsort(A[:, t], kind="stable"); rank[order] = np.arange(n)
        cdef Py_ssize_t n = self.rank.shape[1], wide = 1, run, i
        cdef Valued* mine = self.ordered + t * n
        while wide < self.runs:
            run = 0
            while run < self.runs:
                inplace_merge(mine + run * n // self.runs, mine + (run + wide) * n // self.runs,
                              mine + (run + 2 * wide) * n // self.runs)
                run += 2 * wide
            wide *= 2
        for i in range(n):
            self.rank[t, mine[i].place] = <int32_t> i


cdef bint _add_changes(
    const Pairs* pairs, Py_ssize_t a, Py_ssize_t b, const int32_t* rank, Py_ssize_t n,
    double* change
) noexcept nogil:
    # np.bincount(low, v, n) - np.bincount(high, v, n)
    # exact in any order, so a run of pairs of one point brings that point its sum at once
    cdef const int32_t* first = pairs.first
    cdef const int32_t* second = pairs.second
    cdef const double* v = pairs.v
    cdef double[2] sign = [1.0, -1.0]
    cdef double total, mine
    cdef int32_t i, rank_i, rank_j
    cdef Py_ssize_t p, end
    cdef int bad = 0
    for p in range(n):
        change[p] = 0
    p = a
    while p < b:
        end = min(p + BLOCK, b)
        look_at_indices(first + p, end - p, <uint32_t> n, &bad)
        look_at_indices(second + p, end - p, <uint32_t> n, &bad)
        if bad:
            return False
        while p < end:
            i = first[p]
            rank_i, total = rank[i], 0
            while p < end and first[p] == i:
                rank_j = rank[second[p]]
                mine = v[p] * sign[rank_j < rank_i]  # a branch would be guessed wrong half the time
                total += mine
                change[rank_j] -= mine
                p += 1
            change[rank_i] += total
    return True


cdef class _Changes(Loop):
    """Step t adds up a part of the pairs for a coordinate. The parts of a coordinate have
    consecutive steps.
    """

    cdef Pairs pairs
    cdef Py_ssize_t p, parts
    cdef const int32_t[:, ::1] rank
    cdef double[:, ::1] change
    cdef uint8_t[::1] fits

    cdef void at(self, Py_ssize_t t, int thread) noexcept nogil:
        cdef Py_ssize_t part = t % self.parts
        self.fits[t] = _add_changes(
            &self.pairs, part * self.p // self.parts, (part + 1) * self.p // self.parts,
            &self.rank[t // self.parts, 0], self.rank.shape[1], &self.change[t, 0]
        )


cdef class _Cut(Loop):
    """Step t finds the best cut of coordinate t."""

    cdef const Valued* ordered
    cdef Py_ssize_t parts
    cdef const double[:, ::1] change
    cdef double base
    cdef double[::1] crossing, threshold

    cdef void at(self, Py_ssize_t t, int thread) noexcept nogil:
        cdef Py_ssize_t n = self.change.shape[1]
        _best_cut(
            self.ordered + t * n, n, &self.change[t * self.parts, 0], self.parts, self.base,
            &self.crossing[t], &self.threshold[t]
        )


cdef void _best_cut(
    const Valued* ordered, Py_ssize_t n, const double* change, Py_ssize_t parts, double base,
    double* crossing, double* threshold
) noexcept nogil:
    # weights = np.cumsum(changes)[:-1] + base * (below * (n - below))
    # k = cuts[weights[cuts].argmin()]
    # the first of the least, or the first NaN
    cdef Py_ssize_t i, part, k = -1
    cdef double total = 0, below, weight
    crossing[0], threshold[0] = INFINITY, 0
    for i in range(n - 1):
        for part in range(parts):
            total += change[part * n + i]
        below = i + 1
        weight = total + base * (below * (n - below))
        if not weight >= crossing[0] or k < 0:
            if ordered[i].value < ordered[i + 1].value and crossing[0] == crossing[0]:
                crossing[0], k = weight, i  # SF:eq17
    if k >= 0:
        threshold[0] = _midway(ordered[k].value, ordered[k + 1].value)


cdef inline double _midway(double low, double high) noexcept nogil:
    cdef double t = 0.5 * low + 0.5 * high
    return t if low <= t < high else low


@checked
def best_thresholds(
    const double[:, ::1] A not None, const int32_t[::1] first not None,
    const int32_t[::1] second not None, const double[::1] v not None, double base, *, threads=None
):
    """Find, for each coordinate, the cut that separates pairs of least total weight.

    See :func:`refimpl.kernels.best_thresholds`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t t, n = A.shape[0], f = A.shape[1], p = first.shape[0], parts, runs
    cdef double[::1] crossing = np.empty(f), threshold = np.empty(f)
    reference.require_few(n)
    if f == 0:
        reference.require_points(np.asarray(first), np.asarray(second), n)
        return np.asarray(crossing), np.asarray(threshold)
    n_threads = worth(n_threads, f * (p + 8 * n))
    parts = 1 if n_threads == 1 else min(1 + p // PART, 1 + 4 * n_threads // f)
    runs = 1 if n < FEW or n_threads == 1 or f >= 2 * n_threads else 2 if n_threads < 4 else 4
    cdef vector[Valued] ordered
    ordered.resize(f * n)
    cdef _Sort sort = _Sort()
    sort.A, sort.ordered, sort.runs = A, ordered.data(), runs
    sort.run(f * runs, n_threads, 1)
    cdef _Rank rank = _Rank()
    rank.ordered, rank.rank, rank.runs = ordered.data(), np.empty((f, n), dtype=np.int32), runs
    rank.run(f, n_threads, 1)
    cdef _Changes loop = _Changes()
    loop.pairs, loop.p, loop.parts, loop.rank = _pairs(first, second, v), p, parts, rank.rank
    loop.change, loop.fits = np.empty((f * parts, n)), np.zeros(f * parts, dtype=np.uint8)
    loop.run(f * parts, n_threads, 1)
    for t in range(f * parts):
        if not loop.fits[t]:
            reference.require_points(np.asarray(first), np.asarray(second), n)  # raises
    cdef _Cut cut = _Cut()
    cut.ordered, cut.parts, cut.change, cut.base = ordered.data(), parts, loop.change, base
    cut.crossing, cut.threshold = crossing, threshold
    cut.run(f, worth(n_threads, f * n), 1)
    return np.asarray(crossing), np.asarray(threshold)


cdef class _Split(Loop):
    """Step t takes a part of the pairs. The first pass counts the pairs of each side, the second
    writes them to their places.
    """

    cdef Pairs pairs
    cdef Py_ssize_t p
    cdef const uint8_t[::1] side
    cdef const int32_t[::1] place
    cdef int64_t[:, ::1] counts  # of the right and of the left side, or -1; then where they begin
    cdef int32_t[::1] first_0, first_1, second_0, second_1
    cdef double[::1] v_0, v_1
    cdef bint counted

    cdef void at(self, Py_ssize_t t, int thread) noexcept nogil:
        cdef Py_ssize_t a = t * PART, b = min(self.p, a + PART)
        if self.counted:
            self.fill(a, b, self.counts[t, 0], self.counts[t, 1])
        else:
            self.count(a, b, &self.counts[t, 0])

    cdef void count(self, Py_ssize_t a, Py_ssize_t b, int64_t* counts) noexcept nogil:
        cdef Py_ssize_t i
        cdef uint8_t one, two
        cdef int bad = 0
        cdef int64_t right = 0, left = 0
        look_at_indices(self.pairs.first + a, b - a, <uint32_t> self.side.shape[0], &bad)
        look_at_indices(self.pairs.second + a, b - a, <uint32_t> self.side.shape[0], &bad)
        if bad:
            return
        for i in range(a, b):
            one, two = self.side[self.pairs.first[i]], self.side[self.pairs.second[i]]
            left += one & two
            right += (one | two) ^ 1
        counts[0], counts[1] = right, left

    cdef void fill(
        self, Py_ssize_t a, Py_ssize_t b, Py_ssize_t right, Py_ssize_t left
    ) noexcept nogil:
        # place[first[kept]], place[second[kept]], v[kept] for kept in (a & b, ~a & ~b)
        cdef Py_ssize_t i
        cdef int32_t one, two
        for i in range(a, b):
            one, two = self.pairs.first[i], self.pairs.second[i]
            if self.side[one] != self.side[two]:
                continue
            if self.side[one]:
                self.first_1[left], self.second_1[left] = self.place[one], self.place[two]
                self.v_1[left] = self.pairs.v[i]  # SF:2:6
                left += 1
            else:
                self.first_0[right], self.second_0[right] = self.place[one], self.place[two]
                self.v_0[right] = self.pairs.v[i]
                right += 1


@checked
def split_pairs(
    left not None, const int32_t[::1] first not None, const int32_t[::1] second not None,
    const double[::1] v not None, *, threads=None
):
    """List the pairs within each part of a node, without the pairs between the parts.

    See :func:`refimpl.kernels.split_pairs`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t p = first.shape[0], parts = (p + PART - 1) // PART, t, side
    cdef int64_t[2] sizes = [0, 0]
    cdef int64_t mine
    reference.require_few(len(left))
    cdef _Split loop = _Split()
    loop.pairs = _pairs(first, second, v)
    loop.p = p
    loop.side = left.view(np.uint8)
    loop.place = _places(left)
    loop.counts = np.full((parts, 2), -1, dtype=np.int64)
    loop.run(parts, worth(n_threads, p), 1)
    for t in range(parts):
        if loop.counts[t, 0] < 0:
            reference.require_points(np.asarray(first), np.asarray(second), len(left))  # raises
        for side in range(2):
            mine, loop.counts[t, side] = loop.counts[t, side], sizes[side]
            sizes[side] += mine
    loop.first_0 = np.empty(sizes[0], dtype=np.int32)
    loop.first_1 = np.empty(sizes[1], dtype=np.int32)
    loop.second_0 = np.empty(sizes[0], dtype=np.int32)
    loop.second_1 = np.empty(sizes[1], dtype=np.int32)
    loop.v_0, loop.v_1 = np.empty(sizes[0]), np.empty(sizes[1])
    loop.counted = True
    loop.run(parts, worth(n_threads, p), 1)
    return (
        (np.asarray(loop.first_1), np.asarray(loop.second_1), np.asarray(loop.v_1)),
        (np.asarray(loop.first_0), np.asarray(loop.second_0), np.asarray(loop.v_0)),
    )


cdef _places(left):
    # place = np.where(left, np.cumsum(left), np.cumsum(~left)) - 1
    cdef const uint8_t[::1] side = left.view(np.uint8)
    cdef int32_t[::1] place = np.empty(side.shape[0], dtype=np.int32)
    cdef int32_t[2] count = [0, 0]
    cdef Py_ssize_t i
    for i in range(side.shape[0]):
        place[i] = count[side[i]]
        count[side[i]] += 1
    return place
