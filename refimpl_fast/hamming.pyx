"""Linear Hamming scan in Cython: the twin of refimpl/kernels/hamming.py, whose expressions stand above the loops.

A block of codes is compared with a few queries while it is in cache. With few queries the threads share the codes,
with many the queries; what a query keeps from each share is put together in the order of the codes, so ties do not
depend on it.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from refimpl_fast.threads cimport thread_count

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from "hamming.h":
    void hamming_rows(
        const uint64_t* codes, const uint64_t* query, Py_ssize_t n, Py_ssize_t words, int32_t* out
    ) noexcept nogil

cdef extern from *:
    """
    #include <vector>
    struct Kept {  // what a query has found so far, in the order of the codes, with what has since been driven out
        std::vector<int32_t> distances;
        std::vector<int64_t> indices;
        std::vector<int64_t> count;  // how many of the wanted ones are at each distance
        int64_t wanted, total;
        int32_t worst, limit;  // the largest distance of a wanted one; only smaller ones than the limit are taken
    };
    """
    cppclass Kept:
        vector[int32_t] distances
        vector[int64_t] indices
        vector[int64_t] count
        int64_t wanted, total
        int32_t worst, limit

cdef enum:
    BLOCK = 2048  # codes compared at a time, fewer if they are long
    CHUNK = 32  # distances looked at together
    TOGETHER = 8  # queries that a block meets
    SPARE = 1024  # driven-out codes that are held before they are dropped

cdef Py_ssize_t BLOCK_WORDS = 2**14
cdef Py_ssize_t HELD = 2**24  # codes kept at a time by all queries together: 200 MB


cdef struct Codes:
    const uint64_t* words
    Py_ssize_t n, n_words, block


# ------------------------------------------------------------------------------------------------ what is kept


cdef void _prepare(Kept* kept, int32_t bits, int64_t wanted, int32_t limit) noexcept nogil:
    kept.count.assign(bits + 1, 0)
    kept.wanted, kept.total, kept.worst, kept.limit = wanted, 0, bits, limit


cdef inline void _take(Kept* kept, int32_t distance, int64_t index) noexcept nogil:
    kept.distances.push_back(distance)
    kept.indices.push_back(index)
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
    # drop what has been driven out
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


cdef cloned_void _offer(Kept* kept, const int32_t* distances, Py_ssize_t n, int64_t first) noexcept nogil:
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
        for i in range(parts[part].indices.size()):
            if parts[part].distances[i] < parts[0].limit:
                _take(parts, parts[part].distances[i], parts[part].indices[i])
        parts[part].indices = vector[int64_t]()
        parts[part].distances = vector[int32_t]()


# ------------------------------------------------------------------------------------------------ scanning


cdef void _compare(
    const Codes* codes, const uint64_t[:, ::1] queries, Py_ssize_t group, Py_ssize_t part, Py_ssize_t n_parts,
    Kept* kept,
) noexcept nogil:
    # some queries with a share of the codes
    cdef int32_t[BLOCK] distances
    cdef Py_ssize_t first = codes.n * part // n_parts, last = codes.n * (part + 1) // n_parts, q, n
    while first < last:
        n = min(codes.block, last - first)
        for q in range(group, min(queries.shape[0], group + TOGETHER)):
            hamming_rows(codes.words + first * codes.n_words, &queries[q, 0], n, codes.n_words, distances)
            _offer(&kept[q * n_parts + part], distances, n, first)
        first += n


cdef void _scan(
    const Codes* codes, const uint64_t[:, ::1] queries, Kept* kept, Py_ssize_t n_parts, int n_threads
) noexcept nogil:
    cdef Py_ssize_t groups = (queries.shape[0] + TOGETHER - 1) // TOGETHER, task, q
    for task in prange(groups * n_parts, num_threads=n_threads, schedule="dynamic"):
        _compare(codes, queries, task // n_parts * TOGETHER, task % n_parts, n_parts, kept)
    for q in prange(queries.shape[0], num_threads=n_threads, schedule="dynamic"):
        _join(&kept[q * n_parts], n_parts)


cdef Codes _view(const uint64_t[:, ::1] codes, const uint64_t[:, ::1] queries):
    cdef Codes view
    if codes.shape[1] != queries.shape[1] or codes.shape[1] == 0:
        raise ValueError(f"codes, queries: {codes.shape[1]} and {queries.shape[1]} words; they must have as many")
    if codes.shape[1] >= 2**25:
        raise ValueError(f"codes: {codes.shape[1]} words; distances of codes as long are not handled")
    view.words = &codes[0, 0] if codes.shape[0] else NULL
    view.n, view.n_words = codes.shape[0], codes.shape[1]
    view.block = max(<Py_ssize_t> CHUNK, min(<Py_ssize_t> BLOCK, BLOCK_WORDS // codes.shape[1]))
    return view


cdef Py_ssize_t _parts(Py_ssize_t n, Py_ssize_t m, int n_threads):
    """Into how many shares the codes are divided: one if there are enough queries to share, or hardly any codes."""
    return 1 if m >= 4 * TOGETHER * n_threads or n < 8 * BLOCK else n_threads


def hamming_distances(const uint64_t[:, ::1] codes not None, const uint64_t[:, ::1] queries not None, *, threads=None):
    """In how many bits every query differs from every code; see refimpl.kernels.hamming_distances."""
    cdef int n_threads = thread_count(threads)
    cdef Codes view = _view(codes, queries)
    cdef int32_t[:, ::1] distances = np.empty((len(queries), len(codes)), dtype=np.int32)
    cdef Py_ssize_t blocks = (view.n + view.block - 1) // view.block, m = queries.shape[0], task, first, q
    # BITS[(codes ^ q).view(np.uint8)].sum(axis=1)
    for task in prange(blocks, nogil=True, num_threads=n_threads, schedule="static"):
        first = task * view.block
        for q in range(m):
            hamming_rows(view.words + first * view.n_words, &queries[q, 0], min(view.block, view.n - first),
                         view.n_words, &distances[q, first])
    return np.asarray(distances)


def hamming_nearest(
    const uint64_t[:, ::1] codes not None, const uint64_t[:, ::1] queries not None, Py_ssize_t k, *, threads=None
):
    """The k codes nearest to each query; see refimpl.kernels.hamming_nearest."""
    cdef int n_threads = thread_count(threads)
    cdef Codes view = _view(codes, queries)
    if not 0 <= k <= codes.shape[0]:
        raise ValueError(f"k: {k}; it must lie between 0 and {codes.shape[0]}, the number of codes")
    cdef int32_t[:, ::1] distances = np.empty((len(queries), k), dtype=np.int32)
    cdef int64_t[:, ::1] indices = np.empty((len(queries), k), dtype=np.int64)
    cdef Py_ssize_t m = queries.shape[0], parts = _parts(view.n, m, n_threads), first, n, i
    cdef Py_ssize_t batch = max(<Py_ssize_t> 1, min(<Py_ssize_t> 64 * n_threads, HELD // (parts * (2 * k + SPARE))))
    cdef int32_t bits = <int32_t> (64 * view.n_words)
    cdef vector[Kept] kept
    if k == 0 or m == 0:
        return np.asarray(distances), np.asarray(indices)
    for first in range(0, m, batch):
        PyErr_CheckSignals()
        n = min(batch, m - first)
        kept.resize(n * parts)
        for i in range(n * parts):
            kept[i].distances.clear()
            kept[i].indices.clear()
            _prepare(&kept[i], bits, k, bits + 1)
        _scan(&view, queries[first:first + n], kept.data(), parts, n_threads)
        for i in prange(n, nogil=True, num_threads=n_threads, schedule="dynamic"):
            _sorted(&kept[i * parts], &distances[first + i, 0], &indices[first + i, 0])
    return np.asarray(distances), np.asarray(indices)


def hamming_within(
    const uint64_t[:, ::1] codes not None, const uint64_t[:, ::1] queries not None, const int64_t[::1] radii not None,
    *, threads=None
):
    """All codes that differ from a query in no more than so many bits; see refimpl.kernels.hamming_within."""
    cdef int n_threads = thread_count(threads)
    cdef Codes view = _view(codes, queries)
    if radii.shape[0] != queries.shape[0]:
        raise ValueError(f"radii has {radii.shape[0]} entries; there are {queries.shape[0]} queries")
    cdef int64_t[::1] starts = np.zeros(len(queries) + 1, dtype=np.int64)
    cdef Py_ssize_t m = queries.shape[0], parts = _parts(view.n, m, n_threads), batch = 64 * n_threads, i
    cdef int32_t bits = <int32_t> (64 * view.n_words)
    cdef vector[Kept] kept
    kept.resize(m * parts)
    for i in range(m * parts):
        _prepare(&kept[i], bits, INT64_MAX, <int32_t> max(<int64_t> 0, min(radii[i // parts], <int64_t> bits) + 1))
    for i in range(0, m, batch):
        PyErr_CheckSignals()
        _scan(&view, queries[i:min(m, i + batch)], kept.data() + i * parts, parts, n_threads)
    for i in range(m):
        starts[i + 1] = starts[i] + <int64_t> kept[i * parts].indices.size()
    # one more than is found, so that the place after the last has an address
    cdef int64_t[::1] indices = np.empty(starts[m] + 1, dtype=np.int64)
    cdef int32_t[::1] distances = np.empty(starts[m] + 1, dtype=np.int32)
    for i in prange(m, nogil=True, num_threads=n_threads, schedule="dynamic"):
        _sorted(&kept[i * parts], &distances[starts[i]], &indices[starts[i]])
    return np.asarray(starts), np.asarray(indices)[:starts[m]], np.asarray(distances)[:starts[m]]
