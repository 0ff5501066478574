"""The search forest in Cython: the twin of refimpl/kernels/forest.py.

The reference's expressions stand above the loops.

Points pass down the trees in blocks. A block passes one tree after the other, so the upper nodes of
the tree stay in cache. The scores of a query are held in a list; a second list,
over all points, holds the place of each point in the first.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.algorithm cimport nth_element, sort

from refimpl_fast.orders cimport LANES, folded, lane_dot, real
from refimpl_fast.threads cimport Loop, thread_count, worth
from refimpl_fast.vectors cimport vector

from refimpl.kernels import forest as reference
from refimpl.kernels.contract import checked

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from "fetch.h":
    void fetch(const char* place, Py_ssize_t bytes) nogil

cdef extern from "indices.h":
    void look_at_indices(
        const int32_t* indices, Py_ssize_t size, uint32_t n, int* bad
    ) noexcept nogil

cdef extern from *:
    """
    struct Scored { double score; int64_t row; };
    /* The largest score first, NaN last; then the lowest row. */
    static inline bool operator<(const Scored& a, const Scored& b) {
        if (a.score > b.score) return true;
        if (a.score == b.score) return a.row < b.row;
        if (a.score < b.score) return false;
        const bool a_none = a.score != a.score, b_none = b.score != b.score;
        return a_none == b_none ? a.row < b.row : b_none;
    }
    struct Walker { int64_t node, point, place; };
    """
    cppclass Scored:
        double score
        int64_t row
    cppclass Walker:
        int64_t node
        int64_t point
        int64_t place

cdef enum:
    BLOCK = 2048  # points that pass a tree together
    AHEAD = 6
    CHUNK = 100_000  # numbers to be looked at that are worth taking a step: some 50 microseconds

assert LANES == reference.LANES

cdef struct Nodes:
    const int32_t* left
    const int32_t* word
    const int32_t* plane
    const int32_t* feature
    const double* offset


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
    return folded(lanes)


cdef inline Py_ssize_t _chunk(Py_ssize_t steps, double numbers) noexcept nogil:
    """How many of the steps, which look at so many numbers together, a thread takes at a time."""
    return <Py_ssize_t> (1 + steps * (CHUNK / (numbers + 1.0)) / 2)


# ----------------------------------------------------------------------------------- passing points


cdef cloned_void _values(
    const real* X, const real* p, Py_ssize_t n, Py_ssize_t d, double* out
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = lane_dot(X + i * d, p, d)


cdef class _Values(Loop):
    """Step i takes the points from i * block on."""

    cdef const float* X32
    cdef const float* p32
    cdef const double* X64
    cdef const double* p64
    cdef double* out
    cdef Py_ssize_t n, d, block

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t first = i * self.block, size = min(self.block, self.n - first)
        if self.X32 is not NULL:
            _values(self.X32 + first * self.d, self.p32, size, self.d, self.out + first)
        else:
            _values(self.X64 + first * self.d, self.p64, size, self.d, self.out + first)


@checked
def plane_values(X not None, p not None, *, threads=None):
    """Compute p^T x for every point x: what a hyperplane node looks at.

    See :func:`refimpl.kernels.plane_values`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1]
    cdef double[::1] out = np.empty(n)
    cdef const float[:, ::1] X32
    cdef const double[:, ::1] X64
    cdef const float[::1] p32
    cdef const double[::1] p64
    cdef _Values loop = _Values()
    if n == 0:
        return np.asarray(out)
    if X.dtype == np.float32:
        X32, p32 = X, p
        loop.X32, loop.p32 = &X32[0, 0], &p32[0]
    else:
        X64, p64 = X, p
        loop.X64, loop.p64 = &X64[0, 0], &p64[0]
    loop.out, loop.n, loop.d, loop.block = &out[0], n, d, 1 + CHUNK // d
    loop.run((n + loop.block - 1) // loop.block, worth(n_threads, n * d), 1)
    return np.asarray(out)


cdef cloned_void _walk(
    const Nodes* nodes, const real* planes, const real* X, Py_ssize_t d, Walker* at,
    Py_ssize_t going, int32_t* words
) noexcept nogil:
    # k = forest.left[k] + (0 if p @ x + b > 0 else 1)
    # until k is a leaf. All walkers take a step in turn, while the nodes of the next walkers are on
    # their way to the cache.
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
                fetch(
                    <const char*> (planes + max(nodes.plane[at[i + AHEAD].node], 0) * d),
                    d * sizeof(real)
                )
            node = at[i].node
            if nodes.left[node] < 0:
                words[at[i].place] = nodes.word[node]  # SF:eq16
                continue
            x = X + at[i].point * d
            if nodes.plane[node] >= 0:
                value = lane_dot(x, planes + nodes.plane[node] * d, d)
            else:
                value = x[nodes.feature[node]]
            node = nodes.left[node] + (not value + nodes.offset[node] > 0)
            fetch(<const char*> (nodes.left + node), 1)
            fetch(<const char*> (nodes.plane + node), 1)
            fetch(<const char*> (nodes.offset + node), 1)
            at[kept].node, at[kept].point, at[kept].place = node, at[i].point, at[i].place
            kept += 1
        going = kept


cdef class _Pass(Loop):
    """Step i passes a block of points down some trees; a block's steps follow one another."""

    cdef Nodes nodes
    cdef const float* X32
    cdef const float* planes32
    cdef const double* X64
    cdef const double* planes64
    cdef const int64_t* roots
    cdef int32_t* words
    cdef Py_ssize_t n, d, M, size, together, groups
    cdef vector[Walker] walkers

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t first = i // self.groups * self.size, last = min(self.n, first + self.size)
        cdef Py_ssize_t tree = i % self.groups * self.together, m, k, going = 0
        cdef Walker* walkers = self.walkers.data() + thread * self.size * self.together
        for m in range(tree, min(self.M, tree + self.together)):
            for k in range(first, last):
                walkers[going].node = self.roots[m]
                walkers[going].point = k
                walkers[going].place = k * self.M + m
                going += 1
        if self.X32 is not NULL:
            _walk(&self.nodes, self.planes32, self.X32, self.d, walkers, going, self.words)
        else:
            _walk(&self.nodes, self.planes64, self.X64, self.d, walkers, going, self.words)


@checked
def forest_words(forest not None, X not None, *, threads=None):
    """Find the leaf that each point reaches in each tree: § 3.4 of Li et al. (2011).

    See :func:`refimpl.kernels.forest_words`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], M = len(forest.roots)
    cdef const int32_t[::1] left = forest.left
    cdef const int32_t[::1] word = forest.word
    cdef const int32_t[::1] plane = forest.plane
    cdef const int32_t[::1] feature = forest.feature
    cdef const double[::1] offset = forest.offset
    cdef const int64_t[::1] roots = forest.roots
    cdef int32_t[:, ::1] words = np.empty((n, M), dtype=np.int32)
    cdef const float[:, ::1] X32, planes32
    cdef const double[:, ::1] X64, planes64
    cdef _Pass loop = _Pass()
    if n == 0:
        return np.asarray(words)
    if X.dtype == np.float32:
        X32, planes32 = X, forest.planes
        loop.X32 = &X32[0, 0]
        loop.planes32 = &planes32[0, 0] if planes32.shape[0] else NULL
    else:
        X64, planes64 = X, forest.planes
        loop.X64 = &X64[0, 0]
        loop.planes64 = &planes64[0, 0] if planes64.shape[0] else NULL
    loop.nodes.left, loop.nodes.word, loop.nodes.plane = &left[0], &word[0], &plane[0]
    loop.nodes.feature, loop.nodes.offset = &feature[0], &offset[0]
    loop.roots, loop.words, loop.n, loop.d, loop.M = &roots[0], &words[0, 0], n, d, M
    # estimated as if the trees were balanced
    n_threads = worth(n_threads, min(2**62, n * M * d * (len(left) // M).bit_length()))
    loop.size = max(1, min(<Py_ssize_t> BLOCK, n if n_threads == 1 else n // (4 * n_threads)))
    loop.together = max(1, min(M, BLOCK // loop.size))
    loop.groups = (M + loop.together - 1) // loop.together
    loop.walkers.make(n_threads * loop.size * loop.together)
    loop.run((n + loop.size - 1) // loop.size * loop.groups, n_threads, 1)
    return np.asarray(words)


# ---------------------------------------------------------------------------------------- searching


cdef bint _lists_fit(
    const int64_t* starts, const int32_t* items, Py_ssize_t n_items, const int32_t* words,
    Py_ssize_t M, uint32_t n
) noexcept nogil:
    # require_lists(starts, items, words, n)
    cdef Py_ssize_t m
    cdef int bad = 0
    for m in range(M):
        fetch(<const char*> (starts + words[m]), 16)
    for m in range(M):
        if not 0 <= starts[words[m]] <= starts[words[m] + 1] <= n_items:
            return False
    for m in range(M):
        fetch(
            <const char*> (items + starts[words[m]]), 4 * (starts[words[m] + 1] - starts[words[m]])
        )
    for m in range(M):
        look_at_indices(items + starts[words[m]], starts[words[m] + 1] - starts[words[m]], n, &bad)
    return not bad


cdef void _gather(
    const int64_t* starts, const int32_t* items, const uint8_t* alive, const int32_t* words,
    const double* c, Py_ssize_t M, Py_ssize_t most, uint64_t* place, vector[Scored]* found
) noexcept nogil:
    # The point is found[0][place[point]] if that is this point. If place holds anything else, it is
    # not there yet.
    cdef Py_ssize_t m, i, last, kept = 0
    cdef uint64_t at, size = 0
    cdef int32_t row
    cdef Scored one
    cdef Scored* scored = found.data()
    # np.add.at(T, items[starts[w] : starts[w + 1]], c_m)
    for m in range(M):
        last = starts[words[m] + 1]
        for i in range(starts[words[m]], last):
            row = items[i]
            if i + 16 < last:
                fetch(<const char*> (place + items[i + 16]), 1)
            at = place[row]
            if at < size and scored[at].row == row:
                scored[at].score += c[m]  # SF:eq8
            else:
                place[row] = size
                one.row, one.score = row, c[m]
                found.push_back(one)
                scored = found.data()
                size += 1
    # rows = np.flatnonzero((T > 0) & alive)
    for i in range(<Py_ssize_t> size):
        if alive[scored[i].row]:
            scored[kept] = scored[i]
            kept += 1
    # rows[np.lexsort((rows, -T[rows]))[:most]]
    if kept > most:
        nth_element(scored, scored + most, scored + kept)
        kept = most
    sort(scored, scored + kept)
    found.resize(kept)


cdef class _Gather(Loop):
    """Step i finds the candidates of query i."""

    cdef const int64_t* starts
    cdef const int32_t* items
    cdef const uint8_t* alive
    cdef const int32_t[:, ::1] words
    cdef const double* c
    cdef double[:, ::1] places
    cdef Py_ssize_t n_items, n, M, most
    cdef vector[vector[Scored]] found
    cdef vector[char] done

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        if not _lists_fit(self.starts, self.items, self.n_items, &self.words[i, 0], self.M,
                          <uint32_t> min(self.n, <Py_ssize_t> 2**31)):
            return
        if self.n:  # otherwise all lists are empty
            _gather(
                self.starts, self.items, self.alive, &self.words[i, 0], self.c, self.M, self.most,
                <uint64_t*> &self.places[thread, 0], &self.found[i]
            )
        self.done[i] = True


cdef class _Join(Loop):
    """Step i copies the candidates of query i."""

    cdef vector[vector[Scored]]* found
    cdef const int64_t[::1] offsets
    cdef int64_t[::1] rows
    cdef double[::1] scores

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t j, first = self.offsets[i]
        for j in range(self.offsets[i + 1] - first):
            self.rows[first + j] = self.found[0][i][j].row
            self.scores[first + j] = self.found[0][i][j].score
        self.found[0][i] = vector[Scored]()


@checked
def gather_candidates(
    const int64_t[::1] starts not None, const int32_t[::1] items not None, alive not None,
    const int32_t[:, ::1] words not None, const double[::1] c not None, Py_ssize_t most, *,
    counters=None, threads=None
):
    """Collect the points that share a leaf with a query, the largest T(q, x) first.

    See :func:`refimpl.kernels.gather_candidates`.
    """
    cdef Py_ssize_t n_Q = words.shape[0], M = words.shape[1], i, n = len(alive)
    cdef const uint8_t[::1] living = alive.view(np.uint8)
    cdef int64_t[::1] offsets = np.zeros(n_Q + 1, dtype=np.int64)
    if n_Q == 0 or M == 0:
        return np.asarray(offsets), np.empty(0, dtype=np.int64), np.empty(0)
    # estimated as if all lists were equally long
    cdef double numbers = 4.0 * n_Q * M * (1.0 + items.shape[0] / <double> (starts.shape[0] - 1))
    cdef int n_threads = worth(thread_count(threads), <Py_ssize_t> min(numbers, 1e18))
    cdef _Gather loop = _Gather()
    loop.starts, loop.items = &starts[0], &items[0] if items.shape[0] else NULL
    loop.alive = &living[0] if n else NULL
    loop.words = words
    loop.c = &c[0]
    loop.n_items = items.shape[0]
    loop.n = n
    loop.M = M
    loop.most = most
    if counters is None or len(counters) < n_threads:
        counters = np.zeros((n_threads, n))
    loop.places = counters
    loop.found.make(n_Q)
    loop.done.make(n_Q, False)
    loop.run(n_Q, n_threads, min(_chunk(n_Q, numbers), 1 + n_Q // (8 * n_threads)))
    for i in range(n_Q):
        if not loop.done[i]:
            reference.require_lists(np.asarray(starts), np.asarray(items), np.asarray(words[i]), n)
            raise MemoryError
    for i in range(n_Q):
        offsets[i + 1] = offsets[i] + <int64_t> loop.found[i].size()
    cdef _Join join = _Join()
    join.found, join.offsets = &loop.found, offsets
    join.rows, join.scores = np.empty(offsets[n_Q], dtype=np.int64), np.empty(offsets[n_Q])
    join.run(n_Q, worth(n_threads, 4 * offsets[n_Q]))
    return np.asarray(offsets), np.asarray(join.rows), np.asarray(join.scores)


cdef cloned_void _rerank(
    const real* q, const real* X, Py_ssize_t d, const int64_t* rows, Py_ssize_t p, Py_ssize_t k,
    Scored* mine, double* squares, int64_t* indices
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(p):
        if i + 4 < p:
            fetch(<const char*> (X + rows[i + 4] * d), d * sizeof(real))
        mine[i].score = -_square(q, X + rows[i] * d, d)
        mine[i].row = rows[i]
    # order = np.lexsort((mine, square))[:k]
    if p > k:
        nth_element(mine, mine + k, mine + p)
        p = k
    sort(mine, mine + p)
    for i in range(p):
        squares[i], indices[i] = -mine[i].score + 0.0, mine[i].row


cdef class _Rerank(Loop):
    """Step i orders the candidates of query i."""

    cdef const float* Q32
    cdef const float* X32
    cdef const double* Q64
    cdef const double* X64
    cdef const int64_t* offsets
    cdef const int64_t* rows
    cdef Py_ssize_t d, k
    cdef double[:, ::1] squares, scratch
    cdef int64_t[:, ::1] indices

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t first = self.offsets[i], p = self.offsets[i + 1] - first
        cdef Scored* mine = <Scored*> &self.scratch[thread, 0]
        if p == 0:
            return
        if self.X32 is not NULL:
            _rerank(
                self.Q32 + i * self.d, self.X32, self.d, self.rows + first, p, self.k, mine,
                &self.squares[i, 0], &self.indices[i, 0]
            )
        else:
            _rerank(
                self.Q64 + i * self.d, self.X64, self.d, self.rows + first, p, self.k, mine,
                &self.squares[i, 0], &self.indices[i, 0]
            )


@checked
def rerank(
    Q not None, X not None, const int64_t[::1] offsets not None, const int64_t[::1] rows not None,
    Py_ssize_t k, *, threads=None
):
    """Find the k nearest of each query's candidates by Euclidean distance.

    See :func:`refimpl.kernels.rerank`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n_Q = Q.shape[0], d = Q.shape[1], p = rows.shape[0], longest
    cdef const float[:, ::1] Q32, X32
    cdef const double[:, ::1] Q64, X64
    cdef _Rerank loop = _Rerank()
    loop.squares, loop.indices = np.full((n_Q, k), np.inf), np.full((n_Q, k), -1, dtype=np.int64)
    if k == 0 or p == 0:
        return np.asarray(loop.squares), np.asarray(loop.indices)
    if X.dtype == np.float32:
        Q32, X32 = Q, X
        loop.Q32, loop.X32 = &Q32[0, 0], &X32[0, 0]
    else:
        Q64, X64 = Q, X
        loop.Q64, loop.X64 = &Q64[0, 0], &X64[0, 0]
    loop.offsets, loop.rows, loop.d, loop.k = &offsets[0], &rows[0], d, k
    n_threads = worth(n_threads, p * d)
    longest = np.diff(offsets).max()
    loop.scratch = np.empty((n_threads, 2 * longest))
    loop.run(n_Q, n_threads, min(_chunk(n_Q, p * <double> d), 1 + n_Q // (8 * n_threads)))
    return np.asarray(loop.squares), np.asarray(loop.indices)
