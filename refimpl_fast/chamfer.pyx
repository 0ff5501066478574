"""Chamfer distances in Cython: the twin of refimpl/kernels/chamfer.py, whose expressions stand above the loops.

For every pixel of an image its distance to the nearest edge pixel is computed once (its distance map); c(a, b) is
then a sum of b's map over a's edge pixels. The sums run over LANES maps at a time. As all of them are exact, they
are the reference's to the last bit.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange, threadid
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.algorithm cimport nth_element, sort
from libcpp.vector cimport vector

from refimpl_fast.threads cimport thread_count

from refimpl.kernels.chamfer import on_grid, require_edges

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from "eight.h":
    ctypedef double eight
    eight EIGHT_ZEROS

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
    LANES = 16  # images whose maps are summed at a time: the sums stay in registers, one pixel's values in cache
    BLOCK = 256  # images of either side that are compared at a time: their sums stay in cache
    STRIDE = BLOCK + 8  # from one row of sums to the next; a power of two would crowd a few cache sets

cdef Py_ssize_t KEPT = 2**27  # bytes of the maps of A or Q that are held at a time: bounds the memory
cdef Py_ssize_t PASSING = 2**23  # the same of B or X: they stay in cache while all that is held meets them


cdef class _Images:
    """Up to `room` edge images, the list of their edge pixels, and their distance maps, LANES images interleaved.

    Image i has the edge pixels pixels[start[i]:start[i + 1]], count[i] of them, and the map
    maps[i // LANES, :, i % LANES].
    """

    cdef Py_ssize_t n, height, width
    cdef int n_threads
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
        self.maps = _aligned(-(-room // LANES), self.height * self.width, LANES)
        self.scratch = np.empty((n_threads, self.height + 1, self.width * LANES), dtype=np.int32)

    def fill(self, const uint8_t[:, :, ::1] edges):
        """Take these images in; all have edges."""
        cdef Py_ssize_t n = edges.shape[0], n_pixels = self.height * self.width, i, tile
        self.n = n
        for i in prange(n, nogil=True, num_threads=self.n_threads, schedule="static"):
            _count_edges(&edges[i, 0, 0], n_pixels, &self.count[i])
        for i in range(n):
            self.start[i + 1] = self.start[i] + <int64_t> self.count[i]
        self.pixels = np.empty(self.start[n], dtype=np.int32)
        for i in prange(n, nogil=True, num_threads=self.n_threads, schedule="static"):
            _list_edges(&edges[i, 0, 0], n_pixels, &self.pixels[self.start[i]])
        for tile in prange((n + LANES - 1) // LANES, nogil=True, num_threads=self.n_threads, schedule="static"):
            _map_tile(&edges[0, 0, 0], n, tile * LANES, self.height, self.width, &self.distance[0],
                      &self.scratch[threadid(), 0, 0], &self.maps[tile, 0, 0])
        return self


def _aligned(*shape):
    """An empty float64 array that starts at a cache line: no vector of eight values straddles two."""
    size = int(np.prod(shape))
    array = np.empty(size + 8)
    first = -(array.ctypes.data // 8) % 8
    return array[first:first + size].reshape(shape)


cdef cloned_void _count_edges(const uint8_t* edges, Py_ssize_t n_pixels, double* count) noexcept nogil:
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
    # on_grid(cdist(pixels, points), shape).min(axis=1) of LANES images: the distance within the column first
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
    # then the least square over all columns, r columns away at a time, until none farther away can be less
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


cdef cloned_void _sum_maps(
    const int32_t* pixels, const int64_t* start, Py_ssize_t n, const double* map, double* total,
) noexcept nogil:
    # nearest.sum() over the edge pixels of n images, in LANES maps: total[i * STRIDE + lane]
    cdef eight[2] a
    cdef eight[2] b
    cdef eight[2] c
    cdef eight[2] d
    cdef Py_ssize_t i, half
    cdef int64_t e, last
    for i in range(n):
        a[0] = a[1] = b[0] = b[1] = c[0] = c[1] = d[0] = d[1] = EIGHT_ZEROS
        e, last = start[i], start[i + 1]
        while e + 4 <= last:  # four sums, as none needs to wait for another
            _add_pixel(a, map, pixels[e])
            _add_pixel(b, map, pixels[e + 1])
            _add_pixel(c, map, pixels[e + 2])
            _add_pixel(d, map, pixels[e + 3])
            e += 4
        while e < last:
            _add_pixel(a, map, pixels[e])
            e += 1
        for half in range(2):
            (<eight*> (total + i * STRIDE))[half] = a[half] + b[half] + c[half] + d[half]


cdef inline void _add_pixel(eight* sums, const double* map, Py_ssize_t pixel) noexcept nogil:
    cdef const eight* values = <const eight*> (map + pixel * LANES)
    sums[0] = sums[0] + values[0]
    sums[1] = sums[1] + values[1]


cdef void _compare_blocks(
    _Images A, Py_ssize_t first_a, Py_ssize_t n_a, _Images B, Py_ssize_t first_b, Py_ssize_t n_b,
    double* forth, double* back,
) noexcept nogil:
    # forth[a, b] = sum of c(a, b), back[b, a] = sum of c(b, a)
    cdef Py_ssize_t tile
    for tile in range((n_b + LANES - 1) // LANES):
        _sum_maps(&A.pixels[0], &A.start[first_a], n_a, &B.maps[first_b // LANES + tile, 0, 0],
                  forth + tile * LANES)
    for tile in range((n_a + LANES - 1) // LANES):
        _sum_maps(&B.pixels[0], &B.start[first_b], n_b, &A.maps[first_a // LANES + tile, 0, 0],
                  back + tile * LANES)


cdef cloned_void _distance_row(
    double count, const double* forth, const double* count_b, const double* back, Py_ssize_t n, double* row,
) noexcept nogil:
    # directed(distance) + directed(distance.T)
    cdef Py_ssize_t j
    for j in range(n):
        row[j] = forth[j] / count + back[j * STRIDE] / count_b[j]


cdef Py_ssize_t _room(images, Py_ssize_t n_bytes) except -1:
    """How many images to hold in maps of that size."""
    n, height, width = images.shape
    return max(1, min(n, max(1, n_bytes // (8 * LANES * height * width)) * LANES))


cdef int _threads(threads, Py_ssize_t n_a, Py_ssize_t n_b) except -1:
    # a thread for each millisecond of work or so: with less, starting it costs more; a map costs as much as 200 pairs
    return min(<Py_ssize_t> thread_count(threads), 1 + (n_a * n_b + 200 * (n_a + n_b)) // 2**17)


def _checked(A, B, name_A, name_B):
    """Both sets as bytes, and the table of rounded distances by their squares."""
    for images, name in ((A, name_A), (B, name_B)):
        if images.dtype != bool:
            raise TypeError(f"{name}: dtype {images.dtype}; it must be bool")
    require_edges(A, name_A)
    require_edges(B, name_B)
    if A.shape[1:] != B.shape[1:]:
        raise ValueError(f"{name_B}: images of {B.shape[1:]} pixels; they must be of {A.shape[1:]}, as in {name_A}")
    height, width = A.shape[1:]
    if height + width > 2**15:
        raise ValueError(f"{name_A}: images of {A.shape[1:]} pixels; height + width must be at most {2**15}")
    distance = on_grid(np.sqrt(np.arange((height - 1)**2 + (width - 1)**2 + 1.0)), (height, width))
    return A.view(np.uint8), B.view(np.uint8), distance


def chamfer_distances(A, B, *, threads=None):
    """Symmetric chamfer distance of every edge image in A to every one in B; see refimpl.kernels."""
    cdef int n_threads = _threads(threads, len(A), len(B))
    a_bytes, b_bytes, distance = _checked(A, B, "A", "B")
    D = np.empty((len(A), len(B)))
    cdef Py_ssize_t room_a = _room(A, KEPT), room_b = _room(B, PASSING), a, b
    cdef double[:, :, :, ::1] sums = _aligned(n_threads, 2, BLOCK, STRIDE)
    images_a = _Images(room_a, A.shape[1:], distance, n_threads)
    images_b = _Images(room_b, B.shape[1:], distance, n_threads)
    for a in range(0, len(A), room_a):
        images_a.fill(a_bytes[a:a + room_a])
        for b in range(0, len(B), room_b):
            PyErr_CheckSignals()
            images_b.fill(b_bytes[b:b + room_b])
            _compare(images_a, images_b, D[a:a + room_a, b:b + room_b], sums, n_threads)
    return D


cdef int _compare(_Images A, _Images B, double[:, :] D, double[:, :, :, ::1] sums, int n_threads) except -1:
    cdef Py_ssize_t blocks_a = (A.n + BLOCK - 1) // BLOCK, blocks_b = (B.n + BLOCK - 1) // BLOCK
    cdef Py_ssize_t block, i, a, b, n_a, n_b
    for block in prange(blocks_a * blocks_b, nogil=True, num_threads=n_threads, schedule="dynamic"):
        a = block // blocks_b * BLOCK
        b = block % blocks_b * BLOCK
        n_a = min(<Py_ssize_t> BLOCK, A.n - a)
        n_b = min(<Py_ssize_t> BLOCK, B.n - b)
        _compare_blocks(A, a, n_a, B, b, n_b, &sums[threadid(), 0, 0, 0], &sums[threadid(), 1, 0, 0])
        for i in range(n_a):
            _distance_row(A.count[a + i], &sums[threadid(), 0, i, 0], &B.count[b],
                          &sums[threadid(), 1, 0, i], n_b, &D[a + i, b])
    return 0


def chamfer_nearest(Q, X, Py_ssize_t k, *, threads=None):
    """The k images of X nearest to every image of Q by the symmetric chamfer distance; see refimpl.kernels."""
    cdef int n_threads = _threads(threads, len(Q), len(X))
    q_bytes, x_bytes, table = _checked(Q, X, "Q", "X")
    if not 1 <= k <= len(X):
        raise ValueError(f"k: {k}; it must be at least 1 and at most {len(X)}, the number of images in X")
    distance, index = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.int64)
    cdef Py_ssize_t room_q = _room(Q, KEPT), room_x = _room(X, PASSING), q, x
    cdef double[:, :, :, ::1] sums = _aligned(n_threads, 2, BLOCK, STRIDE)
    cdef _Nearest nearest
    queries = _Images(room_q, Q.shape[1:], table, n_threads)
    images = _Images(room_x, X.shape[1:], table, n_threads)
    for q in range(0, len(Q), room_q):
        queries.fill(q_bytes[q:q + room_q])
        nearest = _Nearest(min(room_q, len(Q) - q), k, len(X))
        for x in range(0, len(X), room_x):
            PyErr_CheckSignals()
            nearest.scan(queries, images.fill(x_bytes[x:x + room_x]), x, sums, n_threads)
        nearest.write(distance[q:q + room_q], index[q:q + room_q], n_threads)
    return distance, index


cdef inline bint _any_below(const double* row, Py_ssize_t n, double limit) noexcept nogil:
    cdef Py_ssize_t j
    cdef int below = 0
    for j in range(n):
        below |= row[j] < limit
    return below


cdef class _Nearest:
    """The nearest images so far of every query: at least k, not sorted, thinned out when `room` is filled.

    `limit` is the k-th lowest distance when they were last thinned out: an image that comes later has a higher
    index, so it must be nearer than that to matter.
    """

    cdef vector[Candidate] kept
    cdef vector[Py_ssize_t] filled
    cdef vector[double] limit
    cdef Py_ssize_t k, room

    def __init__(self, Py_ssize_t n, Py_ssize_t k, Py_ssize_t n_X):
        self.k = k
        self.room = min(2 * k + LANES, n_X)
        self.kept.resize(n * self.room)
        self.filled.assign(n, 0)
        self.limit.assign(n, np.inf)

    cdef int scan(self, _Images Q, _Images X, Py_ssize_t first, double[:, :, :, ::1] sums, int n_threads) except -1:
        """Compare all queries with the images X, of which the first has the index `first`."""
        # at least one block for every thread
        cdef Py_ssize_t share = ((Q.n + n_threads - 1) // n_threads + LANES - 1) // LANES * LANES
        cdef Py_ssize_t block, size = min(share, <Py_ssize_t> BLOCK)
        for block in prange((Q.n + size - 1) // size, nogil=True, num_threads=n_threads, schedule="dynamic"):
            self._scan_block(Q, block * size, min(size, Q.n - block * size), X, first,
                             &sums[threadid(), 0, 0, 0], &sums[threadid(), 1, 0, 0])
        return 0

    cdef void _scan_block(
        self, _Images Q, Py_ssize_t q, Py_ssize_t n_q, _Images X, Py_ssize_t first, double* forth, double* back,
    ) noexcept nogil:
        cdef Py_ssize_t block, x, n_x, i
        cdef double* row
        for block in range((X.n + BLOCK - 1) // BLOCK):
            x = block * BLOCK
            n_x = min(<Py_ssize_t> BLOCK, X.n - x)
            _compare_blocks(Q, q, n_q, X, x, n_x, forth, back)
            for i in range(n_q):
                row = forth + i * STRIDE
                _distance_row(Q.count[q + i], row, &X.count[x], back + i, n_x, row)
                self._keep(q + i, row, n_x, first + x)

    cdef void _keep(self, Py_ssize_t q, const double* row, Py_ssize_t n, Py_ssize_t first) noexcept nogil:
        # np.argsort(row, kind="stable")[:k]
        cdef Py_ssize_t tile, j
        for tile in range((n + LANES - 1) // LANES):
            if _any_below(row + tile * LANES, min(<Py_ssize_t> LANES, n - tile * LANES), self.limit[q]):
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

    cdef int write(self, double[:, ::1] distance, int64_t[:, ::1] index, int n_threads) except -1:
        cdef Py_ssize_t q
        for q in prange(distance.shape[0], nogil=True, num_threads=n_threads, schedule="static"):
            self._write_query(q, &distance[q, 0], &index[q, 0])
        return 0

    cdef void _write_query(self, Py_ssize_t q, double* distance, int64_t* index) noexcept nogil:
        cdef Candidate* kept = &self.kept[q * self.room]
        cdef Py_ssize_t j
        sort(kept, kept + self.filled[q])
        for j in range(self.k):
            distance[j] = kept[j].distance
            index[j] = kept[j].index
