"""Linear Hamming scan in Cython: the twin of refimpl/kernels/hamming.py.

The reference's expressions stand above the loops.

A block of codes is compared with a few queries while it is in cache. With few queries the threads
share the codes, with many they share the queries. The codes that a query keeps from each
share are merged in the order of the codes, so ties do not depend on the threads.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from refimpl_fast.threads cimport Loop, thread_count, worth

from refimpl.kernels.contract import checked
from refimpl.kernels.hamming import require_words

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from "hamming.h":
    void hamming_rows(
        const uint64_t* codes, const uint64_t* query, Py_ssize_t n, Py_ssize_t words, int32_t* out
    ) noexcept nogil

cdef extern from *:
    """
    #include <new>
    #include <vector>
    // what a query has found so far, in the order of the codes; some of it is driven out since
    struct Kept {
        std::vector<int32_t> distances;
        std::vector<int64_t> indices;
        std::vector<int64_t> count;  // how many of the wanted ones are at each distance
        int64_t wanted, total;
        // the largest distance of a wanted code; only smaller distances than the limit are taken
        int32_t worst, limit;
        bool failed;  // there was no memory left: what it holds is of no use
        bool push(int32_t distance, int64_t index) {
            try {
                distances.push_back(distance);
                indices.push_back(index);
            } catch (const std::bad_alloc&) {
                failed = true;
                limit = -1;
            }
            return !failed;
        }
    };
    """
    cppclass Kept:
        vector[int32_t] distances
        vector[int64_t] indices
        vector[int64_t] count
        int64_t wanted, total
        int32_t worst, limit
        bint failed
        bint push(int32_t distance, int64_t index) noexcept nogil

cdef enum:
    BLOCK = 2048  # codes compared at a time, fewer if they are long
    CHUNK = 32  # distances looked at together
    TOGETHER = 8  # queries that a block meets
    SPARE = 1024  # driven-out codes that are held before they are dropped

cdef Py_ssize_t BLOCK_WORDS = 2**14
# words that a thread compares before it takes further steps: some 50 microseconds
cdef Py_ssize_t SHARE_WORDS = 2**17
cdef Py_ssize_t HELD = 2**24  # codes kept at a time by all queries together: 200 MB


cdef struct Codes:
    const uint64_t* words
    Py_ssize_t n, n_words, block


# ------------------------------------------------------------------------------------- what is kept


cdef int _prepare(Kept* kept, Py_ssize_t n, int64_t wanted, int32_t limit) except -1:
    """Let n queries each keep the `wanted` nearest codes at a distance below the limit."""
    cdef Py_ssize_t i
    for i in range(n):
        kept[i].distances.clear()
        kept[i].indices.clear()
        kept[i].count.assign(max(limit, 1), 0)
        kept[i].wanted = wanted
        kept[i].total = 0
        kept[i].worst = max(limit - 1, 0)
        kept[i].limit = limit
        kept[i].failed = False
    return 0


cdef inline void _take(Kept* kept, int32_t distance, int64_t index) noexcept nogil:
    if not kept.push(distance, index):
        return
    kept.count[distance] += 1
    if kept.total < kept.wanted:
        kept.total += 1
    else:
        kept.count[kept.worst] -= 1  # the last of the worst: the lowest indices stay
    if kept.total == kept.wanted:
        while kept.count[kept.worst] == 0:
            kept.worst -= 1
        kept.limit = kept.worst
        if <int64_t> kept.indices.size() >= 2 * kept.wanted + SPARE:
            _tidy(kept)


cdef void _tidy(Kept* kept) noexcept nogil:
    # drop the codes that have been driven out
    cdef size_t i, place = 0
    cdef int64_t of_worst = kept.count[kept.worst]
    if kept.total < kept.wanted:
        return
    for i in range(kept.indices.size()):
        if kept.distances[i] > kept.worst or (kept.distances[i] == kept.worst and of_worst == 0):
            continue
        of_worst -= kept.distances[i] == kept.worst
        kept.distances[place], kept.indices[place] = kept.distances[i], kept.indices[i]
        place += 1
    kept.distances.resize(place)
    kept.indices.resize(place)


cdef cloned_void _offer(
    Kept* kept, const int32_t* distances, Py_ssize_t n, int64_t first
) noexcept nogil:
    # row[order][:k], or order[row[order] <= radii[i]], of a part of the row
    cdef Py_ssize_t chunk = 0, i, last
    cdef int32_t limit
    cdef int below
    while chunk < n:
        last = min(n, chunk + CHUNK)
        limit = kept.limit
        below = 0
        for i in range(chunk, last):
            below |= distances[i] < limit
        if below:
            for i in range(chunk, last):
                if distances[i] < kept.limit:
                    _take(kept, distances[i], first + i)
        chunk = last


cdef void _sorted(Kept* kept, int32_t* distances, int64_t* indices) noexcept nogil:
    # order = np.argsort(row, kind="stable"); by counting
    cdef size_t i
    cdef int64_t place = 0, of_distance
    cdef int32_t d
    _tidy(kept)
    for d in range(<int32_t> kept.count.size()):
        of_distance = kept.count[d]
        kept.count[d] = place
        place += of_distance
    for i in range(kept.indices.size()):
        place = kept.count[kept.distances[i]]
        kept.count[kept.distances[i]] += 1
        distances[place], indices[place] = kept.distances[i], kept.indices[i]


cdef void _join(Kept* parts, Py_ssize_t n_parts) noexcept nogil:
    # into the first part, in the order of the codes
    cdef Py_ssize_t part
    cdef size_t i
    for part in range(1, n_parts):
        if parts[part].failed:
            parts[0].failed, parts[0].limit = True, -1
        for i in range(parts[part].indices.size()):
            if parts[part].distances[i] < parts[0].limit:
                _take(parts, parts[part].distances[i], parts[part].indices[i])
        parts[part].indices = vector[int64_t]()
        parts[part].distances = vector[int32_t]()


# ----------------------------------------------------------------------------------------- scanning


cdef class _Compare(Loop):
    """Step i compares TOGETHER queries with one of `n_parts` shares of the codes."""

    cdef Codes* codes
    cdef const uint64_t[:, ::1] queries
    cdef Py_ssize_t n_parts
    cdef Kept* kept

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef int32_t[BLOCK] distances
        cdef Py_ssize_t group = i // self.n_parts * TOGETHER
        cdef Py_ssize_t part = i % self.n_parts
        cdef Py_ssize_t words = self.codes.n_words
        cdef Py_ssize_t q, n
        cdef Py_ssize_t first = self.codes.n * part // self.n_parts
        cdef Py_ssize_t last = self.codes.n * (part + 1) // self.n_parts
        while first < last:
            n = min(self.codes.block, last - first)
            for q in range(group, min(self.queries.shape[0], group + TOGETHER)):
                hamming_rows(
                    self.codes.words + first * words, &self.queries[q, 0], n, words, distances
                )
                _offer(&self.kept[q * self.n_parts + part], distances, n, first)
            first += n


cdef class _Join(Loop):
    """Step q merges the codes that query q keeps of all parts."""

    cdef Py_ssize_t n_parts
    cdef Kept* kept

    cdef void at(self, Py_ssize_t q, int thread) noexcept nogil:
        _join(&self.kept[q * self.n_parts], self.n_parts)


cdef int _scan(
    Codes* codes, const uint64_t[:, ::1] queries, Kept* kept, Py_ssize_t n_parts, int n_threads
) except -1:
    """Fill `kept`, n_parts for each query; the first part has all codes in the end."""
    cdef Py_ssize_t groups = (queries.shape[0] + TOGETHER - 1) // TOGETHER, q
    cdef _Compare compare = _Compare()
    cdef _Join join = _Join()
    compare.codes, compare.queries, compare.kept, compare.n_parts = codes, queries, kept, n_parts
    compare.run(groups * n_parts, n_threads, 1)
    if n_parts > 1:
        join.kept, join.n_parts = kept, n_parts
        join.run(queries.shape[0], n_threads, 1)
    for q in range(queries.shape[0]):
        if kept[q * n_parts].failed:
            raise MemoryError("there is no memory for the codes that are found")
    return 0


cdef class _Sort(Loop):
    """Step i sorts what query i has found; it goes to the places from start[i] on."""

    cdef Py_ssize_t n_parts
    cdef Kept* kept
    cdef int32_t* distances
    cdef int64_t* indices
    cdef const int64_t[::1] start

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        _sorted(
            &self.kept[i * self.n_parts], self.distances + self.start[i],
            self.indices + self.start[i]
        )


cdef Codes _view(const uint64_t[:, ::1] codes):
    cdef Codes view
    require_words(np.asarray(codes))
    view.words = &codes[0, 0] if codes.shape[0] else NULL
    view.n, view.n_words = codes.shape[0], codes.shape[1]
    view.block = max(<Py_ssize_t> CHUNK, min(<Py_ssize_t> BLOCK, BLOCK_WORDS // codes.shape[1]))
    return view


cdef Py_ssize_t _parts(const Codes* codes, Py_ssize_t m, Py_ssize_t k, int n_threads):
    """Return into how many shares to divide the codes.

    There is one share if there are enough queries for all threads, or hardly any codes.
    """
    if m >= 4 * TOGETHER * n_threads or codes.n < 8 * BLOCK or n_threads == 1:
        return 1
    # several shares for each thread, if a share is much longer than the list of codes kept of it
    cdef Py_ssize_t work = codes.n * codes.n_words * min(m, <Py_ssize_t> TOGETHER) // SHARE_WORDS
    return max(
        <Py_ssize_t> n_threads,
        min(min(work, codes.n // (8 * max(k, 1))), 8 * <Py_ssize_t> n_threads)
    )


cdef Py_ssize_t _batch(const Codes* codes, Py_ssize_t parts, Py_ssize_t k, int n_threads):
    """Return how many queries to scan between two looks for an interrupt; it bounds the memory."""
    return max(
        <Py_ssize_t> 1,
        min(<Py_ssize_t> 64 * n_threads, HELD // (parts * (2 * k + SPARE + 64 * codes.n_words)))
    )


cdef class _Distances(Loop):
    """Step i compares a block of codes with `together` queries."""

    cdef Codes codes
    cdef const uint64_t[:, ::1] queries
    cdef int32_t[:, ::1] distances
    cdef Py_ssize_t together, groups

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        # BITS[(codes ^ q).view(np.uint8)].sum(axis=1)
        cdef Py_ssize_t first = i // self.groups * self.codes.block
        cdef Py_ssize_t group = i % self.groups * self.together
        cdef Py_ssize_t q
        cdef Py_ssize_t n = min(self.codes.block, self.codes.n - first), words = self.codes.n_words
        for q in range(group, min(self.queries.shape[0], group + self.together)):
            hamming_rows(
                self.codes.words + first * words, &self.queries[q, 0], n, words,
                &self.distances[q, first]
            )


@checked
def hamming_distances(
    const uint64_t[:, ::1] Q not None, const uint64_t[:, ::1] X not None, *, threads=None
):
    """Count the bits in which every query differs from every point.

    See :func:`refimpl.kernels.hamming_distances`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t m = Q.shape[0]
    cdef _Distances loop = _Distances()
    loop.codes, loop.queries = _view(X), Q
    loop.distances = np.empty((m, len(X)), dtype=np.int32)
    loop.together = max(<Py_ssize_t> 1, SHARE_WORDS // (loop.codes.block * loop.codes.n_words))
    loop.groups = (m + loop.together - 1) // loop.together
    loop.run((loop.codes.n + loop.codes.block - 1) // loop.codes.block * loop.groups,
             worth(n_threads, loop.codes.n * m * loop.codes.n_words), 1)
    return np.asarray(loop.distances)


@checked
def hamming_nearest(
    const uint64_t[:, ::1] Q not None, const uint64_t[:, ::1] X not None, Py_ssize_t k, *,
    threads=None
):
    """Find the k codes nearest to each query, without holding the matrix of distances.

    See :func:`refimpl.kernels.hamming_nearest`.
    """
    cdef Codes view = _view(X)
    cdef Py_ssize_t m = Q.shape[0], first, n
    cdef int n_threads = worth(thread_count(threads), view.n * m * view.n_words)
    cdef Py_ssize_t parts = _parts(&view, m, k, n_threads)
    cdef Py_ssize_t batch = _batch(&view, parts, k, n_threads)
    cdef int32_t[:, ::1] distances = np.empty((m, k), dtype=np.int32)
    cdef int64_t[:, ::1] indices = np.empty((m, k), dtype=np.int64)
    cdef vector[Kept] kept
    cdef _Sort order = _Sort()
    if k == 0 or m == 0:
        return np.asarray(distances), np.asarray(indices)
    kept.resize(min(batch, m) * parts)
    order.kept = kept.data()
    order.n_parts = parts
    order.start = k * np.arange(min(batch, m), dtype=np.int64)
    for first in range(0, m, batch):
        PyErr_CheckSignals()
        n = min(batch, m - first)
        _prepare(kept.data(), n * parts, k, <int32_t> (64 * view.n_words + 1))
        _scan(&view, Q[first:first + n], kept.data(), parts, n_threads)
        order.distances, order.indices = &distances[first, 0], &indices[first, 0]
        order.run(n, worth(n_threads, n * k), 1)
    return np.asarray(distances), np.asarray(indices)


@checked
def hamming_within(
    const uint64_t[:, ::1] Q not None, const uint64_t[:, ::1] X not None,
    const int64_t[::1] radii not None, *, threads=None
):
    """Find all codes within a Hamming distance of each query, the nearest first.

    See :func:`refimpl.kernels.hamming_within`.
    """
    cdef Codes view = _view(X)
    cdef Py_ssize_t m = Q.shape[0], first, n, i
    cdef int n_threads = worth(thread_count(threads), view.n * m * view.n_words)
    cdef Py_ssize_t parts = _parts(&view, m, 0, n_threads)
    cdef Py_ssize_t batch = _batch(&view, parts, 0, n_threads)
    cdef int64_t bits = 64 * view.n_words
    cdef int64_t[::1] starts = np.zeros(m + 1, dtype=np.int64)
    cdef int64_t[::1] indices
    cdef int32_t[::1] distances
    cdef vector[Kept] kept
    cdef _Sort order = _Sort()
    all_indices, all_distances = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int32)]
    kept.resize(min(batch, m) * parts)
    order.kept, order.n_parts = kept.data(), parts
    for first in range(0, m, batch):
        PyErr_CheckSignals()
        n = min(batch, m - first)
        for i in range(n):
            _prepare(
                &kept[i * parts], parts, INT64_MAX,
                <int32_t> (max(-1, min(radii[first + i], bits)) + 1)
            )
        _scan(&view, Q[first:first + n], kept.data(), parts, n_threads)
        for i in range(n):
            starts[first + i + 1] = starts[first + i] + <int64_t> kept[i * parts].indices.size()
        n_found = starts[first + n] - starts[first]
        if n_found == 0:
            continue
        indices, distances = np.empty(n_found, dtype=np.int64), np.empty(n_found, dtype=np.int32)
        order.start = np.asarray(starts[first:first + n]) - starts[first]
        order.distances, order.indices = &distances[0], &indices[0]
        order.run(n, worth(n_threads, n_found), 1)
        all_indices.append(np.asarray(indices))
        all_distances.append(np.asarray(distances))
    return np.asarray(starts), np.concatenate(all_indices), np.concatenate(all_distances)
