"""Chamfer distances in Cython: the twin of refimpl/kernels/chamfer.py.

The reference's expressions stand above the loops.

For every pixel of an image its distance to the nearest edge pixel is computed once; these distances
are the image's map. c(a, b) is then a sum of b's map over a's edge pixels. The sums run over LANES
maps at a time. All sums are exact, so they equal those of the reference to the last bit.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.algorithm cimport nth_element, sort
from libcpp.vector cimport vector

from refimpl_fast.lines import on_lines
from refimpl_fast.threads cimport Loop, thread_count, worth

from refimpl.kernels.chamfer import rounded_distances, require_edges, require_size
from refimpl.kernels.contract import checked

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from "widths.h":
    enum:
        # images whose maps are summed at a time: the sums stay in registers, a pixel's values in
        # cache
        LANES "REFIMPL_MAPS"
    void sum_maps(
        const int32_t* pixels, const int64_t* start, Py_ssize_t n, const double* map,
        double* total, Py_ssize_t stride) noexcept nogil

cdef extern from *:
    """
    struct Candidate { double distance; int64_t index; };
    static inline bool operator<(const Candidate& a, const Candidate& b) {
        return a.distance < b.distance || (a.distance == b.distance && a.index < b.index);
    }
    """
    cppclass Candidate:
        double distance
        int64_t index

cdef enum:
    BLOCK = 128  # images of either side that are compared at a time: their sums stay in cache
    # the most queries for a thread at a time: some hundred microseconds of work
    QUERIES = 64
    # distance between two rows of sums; with a power of two they would share a few cache sets
    STRIDE = BLOCK + 8

# bytes of the maps of A or Q that are held at a time: bounds the memory
cdef Py_ssize_t KEPT = 2**27
cdef Py_ssize_t CHUNK_PIXELS = 2**15  # pixels whose maps a thread computes in one go
# bytes of the maps of B or X held at a time for each thread: they stay in cache while the others
# meet them
cdef Py_ssize_t PASSING = 2**22


cdef class _Images(Loop):
    """Up to `room` edge images, the list of their edge pixels, and their distance maps, LANES
    images interleaved.

    Step t lists the pixels and computes the maps of the t-th LANES images. Image i has the edge
    pixels pixels[start[i]:start[i + 1]], count[i] of them, and the map maps[i // LANES, :, i %
    LANES].
    """

    cdef Py_ssize_t n, height, width
    cdef int n_threads
    cdef const uint8_t[:, :, ::1] edges
    cdef int32_t[::1] pixels
    cdef int64_t[::1] start
    cdef double[::1] count
    cdef double[:, :, ::1] maps
    cdef int32_t[:, :, ::1] scratch
    cdef const double[::1] distance

    def __init__(self, Py_ssize_t room, shape, const double[::1] distance, int n_threads):
        self.height, self.width = shape
        self.n_threads, self.distance = n_threads, distance
        self.start, self.count = np.zeros(room + 1, dtype=np.int64), np.empty(room)
        self.maps = on_lines(np.empty, (-(-room // LANES), self.height * self.width, LANES))
        self.scratch = np.empty((n_threads, self.height + 1, self.width * LANES), dtype=np.int32)

    def fill(self, const uint8_t[:, :, ::1] edges):
        """Hold these images; every image has edges."""
        cdef Py_ssize_t n = edges.shape[0], n_pixels = self.height * self.width, i
        self.n, self.edges = n, edges
        for i in range(n):
            _count_edges(&edges[i, 0, 0], n_pixels, &self.count[i])
            self.start[i + 1] = self.start[i] + <int64_t> self.count[i]
        self.pixels = np.empty(self.start[n], dtype=np.int32)
        self.run(
            (n + LANES - 1) // LANES, self.n_threads,
            max(<Py_ssize_t> 1, CHUNK_PIXELS // (LANES * n_pixels))
        )
        return self

    cdef void at(self, Py_ssize_t tile, int thread) noexcept nogil:
        cdef Py_ssize_t n_pixels = self.height * self.width, i
        for i in range(tile * LANES, min(self.n, (tile + 1) * LANES)):
            _list_edges(&self.edges[i, 0, 0], n_pixels, &self.pixels[self.start[i]])
        _map_tile(
            &self.edges[0, 0, 0], self.n, tile * LANES, self.height, self.width, &self.distance[0],
            &self.scratch[thread, 0, 0], &self.maps[tile, 0, 0]
        )


cdef cloned_void _count_edges(
    const uint8_t* edges, Py_ssize_t n_pixels, double* count
) noexcept nogil:
    # len(points)
    cdef Py_ssize_t p
    cdef int found = 0
    for p in range(n_pixels):
        found += edges[p] != 0
    count[0] = found


cdef void _list_edges(const uint8_t* edges, Py_ssize_t n_pixels, int32_t* pixels) noexcept nogil:
    # points = np.argwhere(image)
    cdef Py_ssize_t p, found = 0
    for p in range(n_pixels):
        if edges[p]:
            pixels[found] = <int32_t> p
            found += 1


cdef void _map_tile(
    const uint8_t* edges, Py_ssize_t n, Py_ssize_t first, Py_ssize_t height, Py_ssize_t width,
    const double* distance, int32_t* scratch, double* maps,
) noexcept nogil:
    # rounded_distances(cdist(pixels, points), shape).min(axis=1)
    # of LANES images: the distance within the column first
    cdef Py_ssize_t y, p, i, row = width * LANES
    cdef int32_t far = <int32_t> (height + width)
    for p in range(height * width):
        for i in range(LANES):
            scratch[p * LANES + i] = 0 if edges[min(n - 1, first + i) * height * width + p] else far
    for y in range(1, height):
        _lower(scratch + y * row, scratch + (y - 1) * row, row)
    for y in range(height - 2, -1, -1):
        _lower(scratch + y * row, scratch + (y + 1) * row, row)
    for y in range(height):
        _map_row(scratch + y * row, scratch + height * row, width, distance, maps + y * row)


cdef cloned_void _lower(int32_t* row, const int32_t* neighbour, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        row[i] = min(row[i], neighbour[i] + 1)


cdef cloned_void _map_row(
    int32_t* row, int32_t* best, Py_ssize_t width, const double* distance, double* map,
) noexcept nogil:
    # then the least square over all columns, r columns away at a time, until no farther column can
    # be less
    cdef Py_ssize_t i, r, n = width * LANES, shift
    cdef int32_t most, square
    for i in range(n):
        row[i] = row[i] * row[i]
        best[i] = row[i]
    for r in range(1, width):
        most = 0
        for i in range(n):
            most = max(most, best[i])
        square = <int32_t> (r * r)
        if square >= most:
            break
        shift = r * LANES
        for i in range(n - shift):
            best[i] = min(best[i], row[i + shift] + square)
        for i in range(n - shift):
            best[i + shift] = min(best[i + shift], row[i] + square)
    for i in range(n):
        map[i] = distance[best[i]]


cdef void _compare_blocks(
    _Images A, Py_ssize_t first_a, Py_ssize_t n_a, _Images B, Py_ssize_t first_b, Py_ssize_t n_b,
    double* forth, double* back,
) noexcept nogil:
    # forth[a, b] = sum of c(a, b), back[b, a] = sum of c(b, a)
    cdef Py_ssize_t tile
    for tile in range((n_b + LANES - 1) // LANES):
        # nearest.sum() over the edge pixels of n images, in LANES maps
        sum_maps(&A.pixels[0], &A.start[first_a], n_a, &B.maps[first_b // LANES + tile, 0, 0],
                 forth + tile * LANES, STRIDE)
    for tile in range((n_a + LANES - 1) // LANES):
        sum_maps(&B.pixels[0], &B.start[first_b], n_b, &A.maps[first_a // LANES + tile, 0, 0],
                 back + tile * LANES, STRIDE)


cdef cloned_void _distance_row(
    double count, const double* forth, const double* count_b, const double* back, Py_ssize_t n,
    double* row
) noexcept nogil:
    # directed(distance) + directed(distance.T)
    cdef Py_ssize_t j
    for j in range(n):
        row[j] = forth[j] / count + back[j * STRIDE] / count_b[j]


cdef Py_ssize_t _room(images, Py_ssize_t n_bytes) except -1:
    """How many images to hold in maps of that size."""
    n, height, width = images.shape
    return max(1, min(n, max(1, n_bytes // (8 * LANES * height * width)) * LANES))


cdef int _threads(threads, A, B) except -1:
    """How many threads the comparison of all of A with all of B is worth."""
    # a pair takes as long as a look at a fiftieth of the pixels or so, a map as a look at four
    # times as many
    work = A[0:1].size * (len(A) * len(B) // 50 + 4 * (len(A) + len(B)))
    return worth(thread_count(threads), min(work, 2**62))


def _prepared(A, B, name_A, name_B):
    """Both sets as bytes, and the table of rounded distances by their squares."""
    require_size(A.shape, name_A)
    require_edges(A, name_A)
    require_edges(B, name_B)
    height, width = A.shape[1:]
    distance = rounded_distances(
        np.sqrt(np.arange((height - 1)**2 + (width - 1)**2 + 1.0)), (height, width)
    )
    return A.view(np.uint8), B.view(np.uint8), distance


cdef class _Compare(Loop):
    """Step i compares a block of A with a block of B: it fills one tile of D."""

    cdef _Images A, B
    cdef Py_ssize_t blocks_b
    cdef double[:, :] D
    cdef double[:, :, :, ::1] sums  # two squares for each thread

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t a = i // self.blocks_b * BLOCK, b = i % self.blocks_b * BLOCK, row
        cdef Py_ssize_t n_a = min(<Py_ssize_t> BLOCK, self.A.n - a)
        cdef Py_ssize_t n_b = min(<Py_ssize_t> BLOCK, self.B.n - b)
        _compare_blocks(
            self.A, a, n_a, self.B, b, n_b, &self.sums[thread, 0, 0, 0], &self.sums[thread, 1, 0, 0]
        )
        for row in range(n_a):
            _distance_row(self.A.count[a + row], &self.sums[thread, 0, row, 0], &self.B.count[b],
                          &self.sums[thread, 1, 0, row], n_b, &self.D[a + row, b])


@checked
def chamfer_distances(A, B, *, threads=None):
    """Compute the symmetric chamfer distance of every edge image in A to every one in B.

    See :func:`refimpl.kernels.chamfer_distances`.
    """
    a_bytes, b_bytes, distance = _prepared(A, B, "A", "B")
    D = np.empty((len(A), len(B)))
    cdef int n_threads = _threads(threads, A, B)
    cdef Py_ssize_t room_a = _room(A, KEPT), room_b = _room(B, PASSING * n_threads), a, b
    cdef _Compare loop = _Compare()
    loop.sums = on_lines(np.empty, (n_threads, 2, BLOCK, STRIDE))
    loop.A = _Images(room_a, A.shape[1:], distance, n_threads)
    loop.B = _Images(room_b, B.shape[1:], distance, n_threads)
    for a in range(0, len(A), room_a):
        loop.A.fill(a_bytes[a:a + room_a])
        for b in range(0, len(B), room_b):
            PyErr_CheckSignals()
            loop.B.fill(b_bytes[b:b + room_b])
            loop.D, loop.blocks_b = D[a:a + room_a, b:b + room_b], (loop.B.n + BLOCK - 1) // BLOCK
            loop.run((loop.A.n + BLOCK - 1) // BLOCK * loop.blocks_b, n_threads, 1)
    return D


@checked
def chamfer_nearest(Q, X, Py_ssize_t k, *, threads=None):
    """Find the k images of X nearest to every image of Q by the symmetric chamfer distance.

    See :func:`refimpl.kernels.chamfer_nearest`.
    """
    q_bytes, x_bytes, table = _prepared(Q, X, "Q", "X")
    distance, index = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.int64)
    cdef int n_threads = _threads(threads, Q, X)
    cdef Py_ssize_t room_q = _room(Q, KEPT), room_x = _room(X, PASSING * n_threads), q, x
    cdef _Nearest nearest = _Nearest(min(room_q, len(Q)), k, len(X), n_threads)
    nearest.Q = _Images(room_q, Q.shape[1:], table, n_threads)
    nearest.X = _Images(room_x, X.shape[1:], table, n_threads)
    for q in range(0, len(Q), room_q):
        nearest.begin(q_bytes[q:q + room_q])
        for x in range(0, len(X), room_x):
            PyErr_CheckSignals()
            nearest.scan(x_bytes[x:x + room_x], x)
        nearest.write(distance[q:q + room_q], index[q:q + room_q])
    return distance, index


cdef inline bint _any_below(const double* row, Py_ssize_t n, double limit) noexcept nogil:
    cdef Py_ssize_t j
    cdef int below = 0
    for j in range(n):
        below |= row[j] < limit
    return below


cdef class _Nearest(Loop):
    """The nearest images so far of every query: at least k, not sorted, thinned out when `room` is
    filled.

    `limit` is the k-th lowest distance when they were last thinned out: an image that comes later
    has a higher index, so it must be nearer than that to matter. Step i compares the i-th
    `together` queries with all images that X holds at the time.
    """

    cdef _Images Q, X
    cdef vector[Candidate] kept
    cdef vector[Py_ssize_t] filled
    cdef vector[double] limit
    cdef Py_ssize_t k, room, together
    cdef Py_ssize_t first  # the index of the first image that X holds
    cdef double[:, :, :, ::1] sums  # two squares for each thread
    cdef int n_threads

    def __init__(self, Py_ssize_t n, Py_ssize_t k, Py_ssize_t n_X, int n_threads):
        self.k, self.n_threads = k, n_threads
        self.room = min(2 * k + LANES, n_X)
        self.kept.resize(n * self.room)
        self.sums = on_lines(np.empty, (n_threads, 2, BLOCK, STRIDE))

    cdef int begin(self, queries) except -1:
        """Hold these queries, which have not been compared with any image."""
        self.Q.fill(queries)
        self.filled.assign(self.Q.n, 0)
        self.limit.assign(self.Q.n, np.inf)
        cdef Py_ssize_t share = self.Q.n // (8 * self.n_threads)  # several steps for each thread
        self.together = max(<Py_ssize_t> LANES, min(<Py_ssize_t> QUERIES, share // LANES * LANES))
        return 0

    cdef int scan(self, images, Py_ssize_t first) except -1:
        """Compare all queries with these images, of which the first has the index `first`."""
        self.X.fill(images)
        self.first = first
        return self.run((self.Q.n + self.together - 1) // self.together, self.n_threads, 1)

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t q = i * self.together
        cdef Py_ssize_t n_q = min(self.together, self.Q.n - q)
        cdef Py_ssize_t block, x, n_x, j
        cdef double* forth = &self.sums[thread, 0, 0, 0]
        cdef double* back = &self.sums[thread, 1, 0, 0]
        cdef double* row
        for block in range((self.X.n + BLOCK - 1) // BLOCK):
            x = block * BLOCK
            n_x = min(<Py_ssize_t> BLOCK, self.X.n - x)
            _compare_blocks(self.Q, q, n_q, self.X, x, n_x, forth, back)
            for j in range(n_q):
                row = forth + j * STRIDE
                _distance_row(self.Q.count[q + j], row, &self.X.count[x], back + j, n_x, row)
                self._keep(q + j, row, n_x, self.first + x)

    cdef void _keep(
        self, Py_ssize_t q, const double* row, Py_ssize_t n, Py_ssize_t first
    ) noexcept nogil:
        # np.argsort(row, kind="stable")[:k]
        cdef Py_ssize_t tile, n_lanes, j
        for tile in range((n + LANES - 1) // LANES):
            n_lanes = min(<Py_ssize_t> LANES, n - tile * LANES)
            if _any_below(row + tile * LANES, n_lanes, self.limit[q]):
                for j in range(tile * LANES, min(n, (tile + 1) * LANES)):
                    if row[j] < self.limit[q]:
                        self._add(q, row[j], first + j)

    cdef void _add(self, Py_ssize_t q, double distance, int64_t index) noexcept nogil:
        cdef Candidate* kept = &self.kept[q * self.room]
        if self.filled[q] == self.room:
            nth_element(kept, kept + self.k - 1, kept + self.room)
            self.limit[q] = kept[self.k - 1].distance
            self.filled[q] = self.k
            if distance >= self.limit[q]:
                return
        kept[self.filled[q]].distance = distance
        kept[self.filled[q]].index = index
        self.filled[q] += 1

    cdef int write(self, double[:, ::1] distance, int64_t[:, ::1] index) except -1:
        """Write the final results of the queries."""
        cdef _Write loop = _Write()
        loop.nearest, loop.distance, loop.index = self, distance, index
        return loop.run(self.Q.n, worth(self.n_threads, self.Q.n * self.room))

    cdef void _write_query(self, Py_ssize_t q, double* distance, int64_t* index) noexcept nogil:
        cdef Candidate* kept = &self.kept[q * self.room]
        cdef Py_ssize_t j
        sort(kept, kept + self.filled[q])
        for j in range(self.k):
            distance[j] = kept[j].distance
            index[j] = kept[j].index


cdef class _Write(Loop):
    """Step q sorts the images that query q has found."""

    cdef _Nearest nearest
    cdef double[:, ::1] distance
    cdef int64_t[:, ::1] index

    cdef void at(self, Py_ssize_t q, int thread) noexcept nogil:
        self.nearest._write_query(q, &self.distance[q, 0], &self.index[q, 0])
