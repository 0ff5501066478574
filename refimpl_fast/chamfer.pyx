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

cdef Py_ssize_t CHUNK = 2**27  # bytes of maps that are kept at a time: bounds the memory


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
    cdef int32_t[:, :, ::1] square
    cdef const double[::1] distance

    def __init__(self, Py_ssize_t room, shape, const double[::1] distance, int n_threads):
        self.height, self.width = shape
        self.n_threads, self.distance = n_threads, distance
        self.start, self.count = np.zeros(room + 1, dtype=np.int64), np.empty(room)
        self.maps = _aligned(-(-room // LANES), self.height * self.width, LANES)
        self.square = np.empty((n_threads, self.height * self.width, LANES), dtype=np.int32)

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
                      &self.square[threadid(), 0, 0], &self.maps[tile, 0, 0])
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


cdef cloned_void _map_tile(
    const uint8_t* edges, Py_ssize_t n, Py_ssize_t first, Py_ssize_t height, Py_ssize_t width,
    const double* distance, int32_t* square, double* maps,
) noexcept nogil:
    # on_grid(cdist(pixels, points), shape).min(axis=1), for LANES images: first the distance within the column, ...
    cdef Py_ssize_t y, x, r, i, here, n_pixels = height * width
    cdef int32_t far = <int32_t> (height + width), most, far_square
    cdef int32_t[LANES] best
    for y in range(height):
        for x in range(width):
            here = y * width + x
            for i in range(LANES):
                if edges[min(n - 1, first + i) * n_pixels + here]:
                    square[here * LANES + i] = 0
                else:
                    square[here * LANES + i] = far if y == 0 else min(far, square[(here - width) * LANES + i] + 1)
    for here in range(n_pixels - width - 1, -1, -1):
        for i in range(LANES):
            square[here * LANES + i] = min(square[here * LANES + i], square[(here + width) * LANES + i] + 1)
    for here in range(n_pixels * LANES):
        square[here] = square[here] * square[here]
    # ... then the least square over the columns, until none so far away can be less
    for y in range(height):
        for x in range(width):
            here = (y * width + x) * LANES
            most = 0
            for i in range(LANES):
                best[i] = square[here + i]
                most = max(most, best[i])
            for r in range(1, width):
                far_square = <int32_t> (r * r)
                if far_square >= most:
                    break
                if x >= r:
                    for i in range(LANES):
                        best[i] = min(best[i], square[here - r * LANES + i] + far_square)
                if x + r < width:
                    for i in range(LANES):
                        best[i] = min(best[i], square[here + r * LANES + i] + far_square)
                most = 0
                for i in range(LANES):
                    most = max(most, best[i])
            for i in range(LANES):
                maps[here + i] = distance[best[i]]


cdef cloned_void _sum_maps(
    const int32_t* pixels, const int64_t* start, Py_ssize_t n, const double* map, double* total,
) noexcept nogil:
    # nearest.sum() over the edge pixels of n images, in LANES maps: total[i * STRIDE + lane]
    cdef eight s0_0, s0_1, s1_0, s1_1, s2_0, s2_1, s3_0, s3_1
    cdef const eight* row
    cdef Py_ssize_t i
    cdef int64_t e, last
    for i in range(n):
        s0_0 = s0_1 = s1_0 = s1_1 = s2_0 = s2_1 = s3_0 = s3_1 = EIGHT_ZEROS
        e, last = start[i], start[i + 1]
        while e + 4 <= last:
            row = <const eight*> (map + <Py_ssize_t> pixels[e + 0] * LANES)
            s0_0 = s0_0 + row[0]
            s0_1 = s0_1 + row[1]
            row = <const eight*> (map + <Py_ssize_t> pixels[e + 1] * LANES)
            s1_0 = s1_0 + row[0]
            s1_1 = s1_1 + row[1]
            row = <const eight*> (map + <Py_ssize_t> pixels[e + 2] * LANES)
            s2_0 = s2_0 + row[0]
            s2_1 = s2_1 + row[1]
            row = <const eight*> (map + <Py_ssize_t> pixels[e + 3] * LANES)
            s3_0 = s3_0 + row[0]
            s3_1 = s3_1 + row[1]
            e += 4
        while e < last:
            row = <const eight*> (map + <Py_ssize_t> pixels[e] * LANES)
            s0_0 = s0_0 + row[0]
            s0_1 = s0_1 + row[1]
            e += 1
        (<eight*> (total + i * STRIDE))[0] = s0_0 + s1_0 + s2_0 + s3_0
        (<eight*> (total + i * STRIDE))[1] = s0_1 + s1_1 + s2_1 + s3_1


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


cdef Py_ssize_t _chunk(n_pixels) except -1:
    return max(1, CHUNK // (8 * BLOCK * n_pixels)) * BLOCK


def _checked(A, B, name_A, name_B):
    """Both sets as bytes, and the table of rounded distances by their squares."""
    require_edges(A, name_A)
    require_edges(B, name_B)
    if A.shape[1:] != B.shape[1:]:
        raise ValueError(f"{name_B}: images of {B.shape[1:]} pixels; they must be of {A.shape[1:]}, as in {name_A}")
    height, width = A.shape[1:]
    if height + width > 2**15:
        raise ValueError(f"{name_A}: images of {A.shape[1:]} pixels; height + width must be at most {2**15}")
    distance = on_grid(np.sqrt(np.arange(2 * (height + width)**2 + 1.0)), (height, width))
    return A.view(np.uint8), B.view(np.uint8), distance


def chamfer_distances(A, B, *, threads=None):
    """Symmetric chamfer distance of every edge image in A to every one in B; see refimpl.kernels."""
    cdef int n_threads = thread_count(threads)
    a_bytes, b_bytes, distance = _checked(A, B, "A", "B")
    D = np.empty((len(A), len(B)))
    cdef Py_ssize_t chunk = _chunk(A[0].size), a, b
    cdef double[:, :, :, ::1] sums = _aligned(n_threads, 2, BLOCK, STRIDE)
    images_a = _Images(min(chunk, len(A)), A.shape[1:], distance, n_threads)
    images_b = _Images(min(chunk, len(B)), B.shape[1:], distance, n_threads)
    for a in range(0, len(A), chunk):
        images_a.fill(a_bytes[a:a + chunk])
        for b in range(0, len(B), chunk):
            PyErr_CheckSignals()
            images_b.fill(b_bytes[b:b + chunk])
            _compare(images_a, images_b, D[a:a + chunk, b:b + chunk], sums, n_threads)
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
    cdef int n_threads = thread_count(threads)
    q_bytes, x_bytes, table = _checked(Q, X, "Q", "X")
    if not 1 <= k <= len(X):
        raise ValueError(f"k: {k}; it must be at least 1 and at most {len(X)}, the number of images in X")
    distance, index = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.int64)
    cdef Py_ssize_t chunk = _chunk(Q[0].size), q, x
    cdef double[:, :, :, ::1] sums = _aligned(n_threads, 2, BLOCK, STRIDE)
    cdef _Nearest nearest
    queries = _Images(min(chunk, len(Q)), Q.shape[1:], table, n_threads)
    images = _Images(min(chunk, len(X)), X.shape[1:], table, n_threads)
    for q in range(0, len(Q), chunk):
        queries.fill(q_bytes[q:q + chunk])
        nearest = _Nearest(len(q_bytes[q:q + chunk]), k, len(X))
        for x in range(0, len(X), chunk):
            PyErr_CheckSignals()
            nearest.scan(queries, images.fill(x_bytes[x:x + chunk]), x, sums, n_threads)
        nearest.write(distance[q:q + chunk], index[q:q + chunk])
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

    cdef int write(self, double[:, ::1] distance, int64_t[:, ::1] index) except -1:
        cdef Py_ssize_t q, j
        cdef Candidate* kept
        for q in range(distance.shape[0]):
            kept = &self.kept[q * self.room]
            sort(kept, kept + self.filled[q])
            for j in range(self.k):
                distance[q, j] = kept[j].distance
                index[q, j] = kept[j].index
        return 0
