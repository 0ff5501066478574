"""The search forest in Cython: the twin of refimpl/kernels/forest.py, whose expressions stand above the loops.

Points that are passed down the trees come in blocks: a block passes one tree after the other, whose upper nodes then
stay in cache. A query's scores are counters over all points, set back to zero by a list of those touched.
"""

import numpy as np

from cython.parallel cimport prange, threadid
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.algorithm cimport nth_element, sort
from libcpp.vector cimport vector

from refimpl_fast.threads cimport team, thread_count

from refimpl.kernels import forest as reference

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from *:
    """
    struct Scored { double score; int64_t row; };
    static inline bool operator<(const Scored& a, const Scored& b) {
        return a.score > b.score || (a.score == b.score && a.row < b.row);
    }
    struct Walker { int64_t node, point, place; };
    #if defined(__GNUC__)
    static inline void fetch(const char* place, long bytes) {
        for (long i = 0; i < bytes; i += 64) __builtin_prefetch(place + i);
    }
    #else
    static inline void fetch(const char*, long) {}
    #endif
    """
    cppclass Scored:
        double score
        int64_t row
    cppclass Walker:
        int64_t node
        int64_t point
        int64_t place
    void fetch(const char* place, long bytes) nogil

ctypedef fused real:
    float
    double

cdef enum:
    LANES = 16
    BLOCK = 2048  # points that pass a tree together
    AHEAD = 6

assert LANES == reference.LANES

cdef struct Nodes:
    const int32_t* left
    const int32_t* word
    const int32_t* plane
    const int32_t* feature
    const double* offset


cdef inline double _folded(double* lanes) noexcept nogil:
    # lanes = lanes[:, :half] + lanes[:, half:] until one is left
    cdef Py_ssize_t i
    for i in range(8):
        lanes[i] = lanes[i] + lanes[i + 8]
    for i in range(4):
        lanes[i] = lanes[i] + lanes[i + 4]
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])


cdef inline double _dot(const real* a, const real* b, Py_ssize_t d) noexcept nogil:
    # _lane_sums(a.astype(np.float64) * b.astype(np.float64))
    cdef double[LANES] lanes
    cdef Py_ssize_t c, i, whole = d // LANES * LANES
    for i in range(LANES):
        lanes[i] = 0
    for c in range(whole // LANES):
        for i in range(LANES):
            lanes[i] += <double> a[c * LANES + i] * <double> b[c * LANES + i]
    for i in range(d - whole):
        lanes[i] += <double> a[whole + i] * <double> b[whole + i]
    return _folded(lanes)


cdef inline double _square(const real* a, const real* b, Py_ssize_t d) noexcept nogil:
    # difference = a.astype(np.float64) - b; _lane_sums(difference * difference)
    cdef double[LANES] lanes
    cdef double one
    cdef Py_ssize_t c, i, whole = d // LANES * LANES
    for i in range(LANES):
        lanes[i] = 0
    for c in range(whole // LANES):
        for i in range(LANES):
            one = <double> a[c * LANES + i] - <double> b[c * LANES + i]
            lanes[i] += one * one
    for i in range(d - whole):
        one = <double> a[whole + i] - <double> b[whole + i]
        lanes[i] += one * one
    return _folded(lanes)


# ------------------------------------------------------------------------------------------------ passing points


cdef cloned_void _values(const real* X, const real* p, Py_ssize_t n, Py_ssize_t d, double* out) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = _dot(X + i * d, p, d)


def plane_values(X not None, p not None, *, threads=None):
    """p^T x for every point; see refimpl.kernels.plane_values."""
    if X.dtype == np.float32:
        return _plane_values[float](X, p, thread_count(threads))
    return _plane_values[double](X, p, thread_count(threads))


cdef _plane_values(const real[:, ::1] X, const real[::1] p, int n_threads):
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], block, blocks = (n + BLOCK - 1) // BLOCK
    if p.shape[0] != d or d < 1:
        raise ValueError(f"X, p: shapes {n, d}, {p.shape[0]} do not fit together")
    cdef double[::1] out = np.empty(n)
    for block in prange(blocks, nogil=True, num_threads=team(n_threads, blocks), schedule="static"):
        _values(&X[block * BLOCK, 0], &p[0], min(<Py_ssize_t> BLOCK, n - block * BLOCK), d, &out[block * BLOCK])
    return np.asarray(out)


cdef cloned_void _walk(
    const Nodes* nodes, const real* planes, const real* X, Py_ssize_t d, Walker* at, Py_ssize_t going, int32_t* words
) noexcept nogil:
    # k = forest.left[k] + (0 if p @ x + b > 0 else 1) until it is a leaf: all walkers take a step in turn, while the
    # nodes of the next ones are on their way to the cache
    cdef Py_ssize_t i, kept
    cdef int64_t node
    cdef double value
    cdef const real* x
    while going:
        kept = 0
        for i in range(min(going, <Py_ssize_t> AHEAD)):
            fetch(<const char*> (planes + max(nodes.plane[at[i].node], 0) * d), d * sizeof(real))
        for i in range(going):
            if i + AHEAD < going:
                fetch(<const char*> (planes + max(nodes.plane[at[i + AHEAD].node], 0) * d), d * sizeof(real))
            node = at[i].node
            if nodes.left[node] < 0:
                words[at[i].place] = nodes.word[node]
                continue
            x = X + at[i].point * d
            if nodes.plane[node] >= 0:
                value = _dot(x, planes + nodes.plane[node] * d, d)
            else:
                value = x[nodes.feature[node]]
            node = nodes.left[node] + (not value + nodes.offset[node] > 0)
            fetch(<const char*> (nodes.left + node), 1)
            fetch(<const char*> (nodes.plane + node), 1)
            fetch(<const char*> (nodes.offset + node), 1)
            at[kept].node, at[kept].point, at[kept].place = node, at[i].point, at[i].place
            kept += 1
        going = kept


cdef _pass(forest, const real[:, ::1] planes, const real[:, ::1] X, int n_threads):
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], M = len(forest.roots), m, i, t, block, first, last
    cdef Py_ssize_t size = max(1, min(<Py_ssize_t> BLOCK, -(-n // n_threads))), blocks = -(-n // size)
    cdef Py_ssize_t together = M if size * M <= BLOCK else 1  # trees that a block passes at once
    cdef const int32_t[::1] left = forest.left, word = forest.word, plane = forest.plane, feature = forest.feature
    cdef const double[::1] offset = forest.offset
    cdef const int64_t[::1] roots = forest.roots
    cdef int32_t[:, ::1] words = np.empty((n, M), dtype=np.int32)
    cdef const real* p = NULL
    cdef Nodes nodes
    cdef vector[vector[Walker]] walkers
    cdef Walker* at
    nodes.left, nodes.word, nodes.plane, nodes.feature = &left[0], &word[0], &plane[0], &feature[0]
    nodes.offset = &offset[0]
    if planes.shape[0]:
        p = &planes[0, 0]
    walkers.resize(blocks)
    for block in prange(blocks, nogil=True, num_threads=team(n_threads, blocks), schedule="dynamic"):
        first = block * size
        last = min(n, first + size)
        walkers[block].resize((last - first) * together)
        at = walkers[block].data()
        for t in range(M // together):
            for i in range((last - first) * together):
                m = t + i // (last - first)
                at[i].node, at[i].point = roots[m], first + i % (last - first)
                at[i].place = at[i].point * M + m
            _walk(&nodes, p, &X[0, 0], d, at, (last - first) * together, &words[0, 0])
        walkers[block] = vector[Walker]()
    return np.asarray(words)


def forest_words(forest, X not None, *, threads=None):
    """The leaf that each point reaches in each tree; see refimpl.kernels.forest_words."""
    cdef int n_threads = thread_count(threads)
    planes = forest.planes
    if X.ndim != 2 or X.shape[1] != planes.shape[1] or X.dtype != planes.dtype:
        raise ValueError(f"X: {X.dtype} of shape {X.shape}; the forest takes {planes.dtype}, {planes.shape[1]} a point")
    if planes.dtype == np.float32:
        return _pass[float](forest, planes, X, n_threads)
    return _pass[double](forest, planes, X, n_threads)


# ------------------------------------------------------------------------------------------------ searching


cdef bint _gather(
    const int64_t* starts, const int32_t* items, const uint8_t* alive, const int32_t* words, const double* c,
    Py_ssize_t M, Py_ssize_t n, Py_ssize_t most, double* T, vector[Scored]* found
) noexcept nogil:
    cdef vector[int32_t] touched
    cdef Py_ssize_t m, i
    cdef int32_t row
    cdef Scored one
    cdef bint unknown = False
    for m in range(M):
        fetch(<const char*> (starts + words[m]), 16)
    for m in range(M):
        fetch(<const char*> (items + starts[words[m]]), 4 * (starts[words[m] + 1] - starts[words[m]]))
    # T[items[starts[w] : starts[w + 1]]] += c_m
    for m in range(M):
        for i in range(starts[words[m]], starts[words[m] + 1]):
            row = items[i]
            if row < 0 or row >= n:
                unknown = True
                continue
            if T[row] == 0:
                touched.push_back(row)
            T[row] += c[m]
    # rows = np.flatnonzero((T > 0) & alive)
    for i in range(<Py_ssize_t> touched.size()):
        one.row = touched[i]
        one.score = T[one.row]
        T[one.row] = 0
        if alive[one.row]:
            found.push_back(one)
    # rows[np.lexsort((rows, -T[rows]))[:most]]
    if <Py_ssize_t> found.size() > most:
        nth_element(found.begin(), found.begin() + most, found.end())
        found.resize(most)
    sort(found.begin(), found.end())
    return not unknown


def gather_candidates(
    const int64_t[::1] starts not None, const int32_t[::1] items not None, alive not None,
    const int32_t[:, ::1] words not None, const double[::1] c not None, Py_ssize_t most, *, counters=None, threads=None
):
    """X_q with T(q, x), the largest first; see refimpl.kernels.gather_candidates."""
    cdef Py_ssize_t n_Q = words.shape[0], M = words.shape[1], i, j, n = len(alive)
    cdef int n_threads = max(1, min(thread_count(threads), n_Q))
    cdef const uint8_t[::1] living = np.ascontiguousarray(alive, dtype=bool).view(np.uint8)
    _check_index(starts, items, words, c)
    if most < 0:
        raise ValueError(f"most: {most}; it must be at least 0")
    if counters is None or len(counters) < n_threads:
        counters = np.zeros((n_threads, n))
    cdef double[:, ::1] T = counters
    if T.shape[1] != n:
        raise ValueError(f"counters: {T.shape[1]} for each thread; there are {n} points")
    cdef int64_t[::1] offsets = np.zeros(n_Q + 1, dtype=np.int64)
    cdef vector[vector[Scored]] found
    cdef vector[int] known = vector[int](n_Q, 1)
    found.resize(n_Q)
    if n and M:
        for i in prange(n_Q, nogil=True, num_threads=team(n_threads, n_Q), schedule="dynamic"):
            known[i] = _gather(&starts[0], &items[0] if items.shape[0] else NULL, &living[0], &words[i, 0], &c[0], M, n,
                               most, &T[threadid(), 0], &found[i])
    for i in range(n_Q):
        if not known[i]:
            raise ValueError(f"items holds points that are not among the {n} of alive")
    for i in range(n_Q):
        offsets[i + 1] = offsets[i] + <int64_t> found[i].size()
    cdef int64_t[::1] rows = np.empty(offsets[n_Q], dtype=np.int64)
    cdef double[::1] scores = np.empty(offsets[n_Q])
    for i in range(n_Q):
        for j in range(<Py_ssize_t> found[i].size()):
            rows[offsets[i] + j], scores[offsets[i] + j] = found[i][j].row, found[i][j].score
    return np.asarray(offsets), np.asarray(rows), np.asarray(scores)


cdef _check_index(
    const int64_t[::1] starts, const int32_t[::1] items, const int32_t[:, ::1] words, const double[::1] c
):
    cdef Py_ssize_t i, m, V = starts.shape[0] - 1
    cdef bint fits = V >= 0 and c.shape[0] == words.shape[1] and starts[V] <= items.shape[0]
    if fits:
        for m in range(c.shape[0]):
            fits &= c[m] > 0
        for i in range(words.shape[0]):
            for m in range(words.shape[1]):
                if not (fits and 0 <= words[i, m] < V and 0 <= starts[words[i, m]] <= starts[words[i, m] + 1]
                        and starts[words[i, m] + 1] <= items.shape[0]):
                    fits = False
                    break
    if not fits:
        raise ValueError("starts, items, words, c: words without a list, or a weight that is not positive")


cdef cloned_void _rerank(
    const real* q, const real* X, Py_ssize_t d, const int64_t* rows, Py_ssize_t p, Py_ssize_t k, double* squares,
    int64_t* indices
) noexcept nogil:
    cdef vector[Scored] all_of_them
    cdef Py_ssize_t i
    all_of_them.resize(p)
    for i in range(p):
        if i + 4 < p:
            fetch(<const char*> (X + rows[i + 4] * d), d * sizeof(real))
        all_of_them[i].score = -_square(q, X + rows[i] * d, d)
        all_of_them[i].row = rows[i]
    # order = np.lexsort((mine, square))[:k]
    if p > k:
        nth_element(all_of_them.begin(), all_of_them.begin() + k, all_of_them.end())
        p = k
    sort(all_of_them.begin(), all_of_them.begin() + p)
    for i in range(p):
        squares[i], indices[i] = -all_of_them[i].score + 0.0, all_of_them[i].row


def rerank(
    Q not None, X not None, const int64_t[::1] offsets not None, const int64_t[::1] rows not None, Py_ssize_t k,
    *, threads=None
):
    """The k nearest of each query's candidates; see refimpl.kernels.rerank."""
    if X.dtype == np.float32:
        return _reranked[float](Q, X, offsets, rows, k, thread_count(threads))
    return _reranked[double](Q, X, offsets, rows, k, thread_count(threads))


cdef _reranked(
    const real[:, ::1] Q, const real[:, ::1] X, const int64_t[::1] offsets, const int64_t[::1] rows, Py_ssize_t k,
    int n_threads
):
    cdef Py_ssize_t i, n = X.shape[0], n_Q = Q.shape[0], d = X.shape[1]
    cdef bint fits = offsets.shape[0] == n_Q + 1 and Q.shape[1] == d and k >= 0 and d > 0 and offsets[0] == 0
    if fits:
        for i in range(n_Q):
            fits &= offsets[i] <= offsets[i + 1]
        fits &= offsets[n_Q] <= rows.shape[0]
        for i in range(rows.shape[0]):
            fits &= 0 <= rows[i] < n
    if not fits:
        raise ValueError("Q, X, offsets, rows, k: they do not fit together, or rows holds a point that X has not")
    cdef double[:, ::1] squares = np.full((n_Q, k), np.inf)
    cdef int64_t[:, ::1] indices = np.full((n_Q, k), -1, dtype=np.int64)
    if k and n:
        for i in prange(n_Q, nogil=True, num_threads=team(n_threads, n_Q), schedule="dynamic"):
            if offsets[i + 1] > offsets[i]:
                _rerank(&Q[i, 0], &X[0, 0], d, &rows[offsets[i]], offsets[i + 1] - offsets[i], k, &squares[i, 0],
                        &indices[i, 0])
    return np.asarray(squares), np.asarray(indices)
