"""Sums over a node's pairs in Cython: the twin of refimpl/kernels/pairs.py, whose expressions stand above the loops."""

import numpy as np

from cython.parallel cimport prange
from libc.math cimport INFINITY
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t
from libcpp.algorithm cimport stable_sort
from libcpp.vector cimport vector

from refimpl_fast.threads cimport team, thread_count, worth

from refimpl.kernels import pairs as reference

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from *:
    """
    struct Valued { double value; int32_t place; };
    static inline bool operator<(const Valued& a, const Valued& b) { return a.value < b.value; }
    """
    cppclass Valued:
        double value
        int32_t place

cdef struct Pairs:
    const int32_t* first
    const int32_t* second
    const double* v


cdef Pairs _pairs(const int32_t[::1] first, const int32_t[::1] second, const double[::1] v):
    cdef Pairs found
    found.first, found.second, found.v = <const int32_t*> NULL, <const int32_t*> NULL, <const double*> NULL
    if first.shape[0]:
        found.first, found.second, found.v = &first[0], &second[0], &v[0]
    return found


# ------------------------------------------------------------------------------------------------ eq. 18


cdef bint _add_product(
    const Pairs* pairs, Py_ssize_t a, Py_ssize_t b, const double* u, Py_ssize_t n, double* sums
) noexcept nogil:
    # np.bincount(i, w * u[j], n) + np.bincount(j, w * u[i], n): as first < second and both ascend, all that the
    # second sum brings a point is there before its first pair
    cdef Py_ssize_t p = a, i, j
    cdef double total, mine
    for i in range(n):
        sums[i] = 0
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
            total += pairs.v[p] * u[j]
            sums[j] += pairs.v[p] * mine
            p += 1
        sums[i] = total + sums[i]
    return True


def pair_product(
    const int32_t[::1] first not None, const int32_t[::1] second not None, const double[::1] v not None,
    const double[::1] u not None, *, threads=None
):
    """V u of a symmetric V; see refimpl.kernels.pair_product."""
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = u.shape[0], p = first.shape[0], i, t, parts
    if second.shape[0] != p or v.shape[0] != p:
        raise ValueError(f"first, second, v: {p}, {second.shape[0]} and {v.shape[0]}; they must be of one length")
    cdef double[::1] out = np.zeros(n)
    if p == 0 or n == 0:
        return np.asarray(out)
    cdef int64_t[:, ::1] places = np.array(reference.parts_of(p))
    parts = len(places)
    cdef double[:, ::1] sums = np.empty((parts, n))
    cdef vector[int] fits = vector[int](parts, 0)
    cdef Pairs pairs = _pairs(first, second, v)
    for t in prange(parts, nogil=True, num_threads=team(n_threads, parts), schedule="static"):
        fits[t] = _add_product(&pairs, places[t, 0], places[t, 1], &u[0], n, &sums[t, 0])
    for t in range(parts):
        if not fits[t]:
            raise ValueError(f"first, second: pairs with first < second, first in ascending order, below {n} would do")
        for i in range(n):
            out[i] += sums[t, i]
    return np.asarray(out)


# ------------------------------------------------------------------------------------------------ eq. 17


cdef void _sort(const double* A, Py_ssize_t n, Py_ssize_t f, Valued* ordered, int32_t* rank) noexcept nogil:
    # order = np.argsort(A[:, t], kind="stable"); rank[order] = np.arange(n)
    cdef Py_ssize_t i
    for i in range(n):
        ordered[i].value, ordered[i].place = A[i * f], i
    stable_sort(ordered, ordered + n)
    for i in range(n):
        rank[ordered[i].place] = i


cdef void _add_changes(
    const Pairs* pairs, Py_ssize_t a, Py_ssize_t b, const int32_t* rank, Py_ssize_t n, double* change
) noexcept nogil:
    # np.bincount(low, v, n) - np.bincount(high, v, n): exact, in whatever order, so a run of pairs of one point brings
    # that point its sum at once
    cdef const int32_t* first = pairs.first
    cdef const int32_t* second = pairs.second
    cdef const double* v = pairs.v
    cdef double[2] sign = [1.0, -1.0]
    cdef double total, mine
    cdef int32_t i, rank_i, rank_j
    cdef Py_ssize_t p
    for p in range(n):
        change[p] = 0
    p = a
    while p < b:
        i = first[p]
        rank_i, total = rank[i], 0
        while p < b and first[p] == i:
            rank_j = rank[second[p]]
            mine = v[p] * sign[rank_j < rank_i]  # a branch would be guessed wrong half the time
            total += mine
            change[rank_j] -= mine
            p += 1
        change[rank_i] += total


cdef void _best_cut(
    const Valued* ordered, Py_ssize_t n, const double* change, Py_ssize_t parts, double base, double* crossing,
    double* threshold
) noexcept nogil:
    # weights = np.cumsum(changes)[:-1] + base * (below * (n - below)); k = cuts[weights[cuts].argmin()]
    cdef Py_ssize_t i, part
    cdef double total = 0, below, weight
    crossing[0], threshold[0] = INFINITY, 0
    for i in range(n - 1):
        for part in range(parts):
            total += change[part * n + i]
        below = i + 1
        weight = total + base * (below * (n - below))
        if weight < crossing[0] and ordered[i].value < ordered[i + 1].value:
            crossing[0], threshold[0] = weight, _midway(ordered[i].value, ordered[i + 1].value)


cdef inline double _midway(double low, double high) noexcept nogil:
    cdef double t = 0.5 * low + 0.5 * high
    return t if low <= t < high else low


def best_thresholds(
    const double[:, ::1] A not None, const int32_t[::1] first not None, const int32_t[::1] second not None,
    const double[::1] v not None, double base, *, threads=None
):
    """The best cut of each coordinate; see refimpl.kernels.best_thresholds."""
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t t, n = A.shape[0], f = A.shape[1], p = first.shape[0]
    cdef Py_ssize_t parts = team(n_threads, 1 + p // reference.PART)
    cdef double[::1] crossing = np.empty(f), threshold = np.empty(f)
    _check_pairs(n, first, second, v)
    if n == 0:
        raise ValueError("A has no points; one at least would do")
    cdef vector[Valued] ordered
    cdef int32_t[:, ::1] rank = np.empty((f, n), dtype=np.int32)
    cdef double[:, ::1] change = np.empty((f * parts, n))
    cdef Pairs pairs = _pairs(first, second, v)
    ordered.resize(f * n)
    for t in prange(f, nogil=True, num_threads=team(n_threads, f), schedule="dynamic"):
        _sort(&A[0, t], n, f, ordered.data() + t * n, &rank[t, 0])
    for t in prange(f * parts, nogil=True, num_threads=team(n_threads, f * parts), schedule="dynamic"):
        _add_changes(&pairs, t % parts * p // parts, (t % parts + 1) * p // parts, &rank[t // parts, 0], n,
                     &change[t, 0])
    for t in range(f):
        _best_cut(ordered.data() + t * n, n, &change[t * parts, 0], parts, base, &crossing[t], &threshold[t])
    return np.asarray(crossing), np.asarray(threshold)


cdef _check_pairs(Py_ssize_t n, const int32_t[::1] first, const int32_t[::1] second, const double[::1] v):
    cdef Py_ssize_t p = first.shape[0]
    cdef int32_t least = 0, most = -1
    if p and second.shape[0] == p and v.shape[0] == p:
        _widen(&first[0], p, &least, &most)
        _widen(&second[0], p, &least, &most)
    if second.shape[0] != p or v.shape[0] != p or least < 0 or most >= n:
        raise ValueError(f"first, second, v: they must be of one length and hold points from 0 to {n - 1}")


cdef cloned_void _widen(const int32_t* points, Py_ssize_t p, int32_t* least, int32_t* most) noexcept nogil:
    cdef Py_ssize_t i
    cdef int32_t low = least[0], high = most[0]
    for i in range(p):
        low = min(low, points[i])
        high = max(high, points[i])
    least[0], most[0] = low, high


def split_pairs(
    left not None, const int32_t[::1] first not None, const int32_t[::1] second not None,
    const double[::1] v not None, *, threads=None
):
    """The pairs within either part of a node; see refimpl.kernels.split_pairs."""
    thread_count(threads)
    cdef const uint8_t[::1] side = np.ascontiguousarray(left, dtype=bool).view(np.uint8)
    cdef Py_ssize_t i, n = side.shape[0], p = first.shape[0], sizes_0 = 0, sizes_1 = 0
    cdef int32_t[::1] place = np.empty(n, dtype=np.int32)
    cdef int32_t counts_0 = 0, counts_1 = 0
    _check_pairs(n, first, second, v)
    # place = np.where(left, np.cumsum(left), np.cumsum(~left)) - 1
    for i in range(n):
        if side[i]:
            place[i] = counts_1
            counts_1 += 1
        else:
            place[i] = counts_0
            counts_0 += 1
    for i in range(p):
        sizes_1 += side[first[i]] & side[second[i]]
        sizes_0 += (side[first[i]] | side[second[i]]) ^ 1
    cdef int32_t[::1] first_1 = np.empty(sizes_1, dtype=np.int32), first_0 = np.empty(sizes_0, dtype=np.int32)
    cdef int32_t[::1] second_1 = np.empty(sizes_1, dtype=np.int32), second_0 = np.empty(sizes_0, dtype=np.int32)
    cdef double[::1] v_1 = np.empty(sizes_1), v_0 = np.empty(sizes_0)
    sizes_0, sizes_1 = 0, 0
    # place[first[kept]], place[second[kept]], v[kept] for kept in (a & b, ~a & ~b)
    for i in range(p):
        if side[first[i]] != side[second[i]]:
            continue
        if side[first[i]]:
            first_1[sizes_1], second_1[sizes_1], v_1[sizes_1] = place[first[i]], place[second[i]], v[i]
            sizes_1 += 1
        else:
            first_0[sizes_0], second_0[sizes_0], v_0[sizes_0] = place[first[i]], place[second[i]], v[i]
            sizes_0 += 1
    return (
        (np.asarray(first_1), np.asarray(second_1), np.asarray(v_1)),
        (np.asarray(first_0), np.asarray(second_0), np.asarray(v_0)),
    )


# ------------------------------------------------------------------------------------------------ Algorithm 1 line 4


cdef struct Rows:
    const int32_t* members  # the points, those of a leaf together
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
    const Rows* rows, Py_ssize_t i, double c, int32_t* first, int32_t* second, uint8_t* similar, double* T
) noexcept nogil:
    # T[listed and met] += c; then the merging of two ascending lists
    cdef Py_ssize_t a = rows.starts[i], b = rows.own[i], at = 0
    cdef int32_t j, k
    while a < rows.starts[i + 1] or b < rows.ends[i]:
        j = rows.second[a] if a < rows.starts[i + 1] else INT32_MAX
        k = rows.members[b] if b < rows.ends[i] else INT32_MAX
        first[at] = i
        if j <= k:
            second[at], similar[at], T[at] = j, rows.similar[a], rows.T[a] + c if j == k else rows.T[a]
            b += j == k
            a += 1
        else:
            second[at], similar[at], T[at] = k, 0, c
            b += 1
        at += 1


def meet_pairs(
    const int64_t[::1] leaf not None, const int32_t[::1] first not None, const int32_t[::1] second not None,
    const uint8_t[::1] similar not None, const double[::1] T not None, double c, *, threads=None
):
    """The listed pairs after a tree; see refimpl.kernels.meet_pairs."""
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t i, n = leaf.shape[0], p = first.shape[0]
    _check_pairs(n, first, second, T)
    if similar.shape[0] != p or n == 0 or (np.diff(first) < 0).any():
        raise ValueError("leaf, first, similar: a leaf for each point; pairs in ascending order, with similar for each")
    order = np.argsort(leaf, kind="stable")
    cdef const int32_t[::1] members = order.astype(np.int32)
    places, sorted_leaves = np.empty(n, dtype=np.int64), np.asarray(leaf)[order]
    places[order] = np.arange(1, n + 1)
    cdef const int64_t[::1] own = places, ends = np.searchsorted(sorted_leaves, leaf, side="right")
    cdef int64_t[::1] starts = np.searchsorted(first, np.arange(n + 1)), offsets = np.zeros(n + 1, dtype=np.int64)
    cdef Rows rows
    rows.members, rows.own, rows.ends, rows.starts = &members[0], &own[0], &ends[0], &starts[0]
    rows.second, rows.similar, rows.T = <const int32_t*> NULL, <const uint8_t*> NULL, <const double*> NULL
    if p:
        rows.second, rows.similar, rows.T = &second[0], &similar[0], &T[0]
    for i in prange(n, nogil=True, num_threads=worth(n_threads, p), schedule="dynamic", chunksize=256):
        offsets[i + 1] = _count(&rows, i)
    offsets = np.cumsum(offsets)
    cdef Py_ssize_t total = offsets[n]
    cdef int32_t[::1] new_first = np.empty(total, dtype=np.int32), new_second = np.empty(total, dtype=np.int32)
    cdef uint8_t[::1] new_similar = np.empty(total, dtype=np.uint8)
    cdef double[::1] new_T = np.empty(total)
    for i in prange(n, nogil=True, num_threads=worth(n_threads, p), schedule="dynamic", chunksize=256):
        if offsets[i] < offsets[i + 1]:
            _meet(&rows, i, c, &new_first[offsets[i]], &new_second[offsets[i]], &new_similar[offsets[i]],
                  &new_T[offsets[i]])
    return np.asarray(new_first), np.asarray(new_second), np.asarray(new_similar), np.asarray(new_T)
