"""LMNN's sub-gradient in Cython: the twin of refimpl/kernels/subgradient.py, whose expressions stand above the loops.

The impostor search filters all pairs by scalar products in float32, with a bound on their error, and checks what is
left by the distances of pair_distances; so its answer is the reference's.
"""

import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from refimpl_fast.threads cimport thread_count, worth

from refimpl.kernels import subgradient as reference

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from "panels.h":
    enum:
        PANEL
        TOGETHER
    unsigned panel_hits(
        const float* queries, const float* panel, const float* minus_half_squares, const float* bounds, Py_ssize_t r,
        unsigned* hits,
    ) noexcept nogil

cdef enum:
    LANES = 8
    CHUNK = 256  # queries that one thread searches for at a time
    PANELS = 48  # panels that stay in its cache meanwhile

assert LANES == reference.LANES


cdef inline double _distance(const double* a, const double* b, Py_ssize_t r) noexcept nogil:
    # padded = a - b; np.cumsum(np.add.reduce((padded * padded).reshape(-1, LANES), axis=0))[-1]
    cdef double[LANES] lanes
    cdef double difference, total
    cdef Py_ssize_t c, i, whole = r // LANES * LANES
    for i in range(LANES):
        lanes[i] = 0
    for c in range(whole // LANES):
        for i in range(LANES):
            difference = a[c * LANES + i] - b[c * LANES + i]
            lanes[i] += difference * difference
    for i in range(r - whole):
        difference = a[whole + i] - b[whole + i]
        lanes[i] += difference * difference
    total = lanes[0]
    for i in range(1, LANES):
        total = total + lanes[i]
    return total


cdef cloned_void _distances(
    const double* Z, const int64_t* first, const int64_t* second, Py_ssize_t p, Py_ssize_t r, double* out
) noexcept nogil:
    cdef Py_ssize_t e
    for e in range(p):
        out[e] = _distance(Z + first[e] * r, Z + second[e] * r, r)


def pair_distances(
    const double[:, ::1] Z not None, const int64_t[::1] first not None, const int64_t[::1] second not None, *,
    threads=None,
):
    """Squared distances of pairs of rows; see refimpl.kernels.pair_distances."""
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t part, start, p = first.shape[0], r = Z.shape[1]
    if second.shape[0] != p:
        raise ValueError(f"first, second: {p} and {second.shape[0]} rows; they must be equally many")
    _check_rows(first, Z.shape[0], "first")
    _check_rows(second, Z.shape[0], "second")
    cdef double[::1] out = np.zeros(p)
    n_threads = worth(n_threads, p * r)
    if p and r:
        for part in prange((p + CHUNK - 1) // CHUNK, nogil=True, num_threads=n_threads, schedule="static"):
            start = part * CHUNK
            _distances(&Z[0, 0], &first[start], &second[start], min(<Py_ssize_t> CHUNK, p - start), r, &out[start])
    return np.asarray(out)


def _check_rows(rows, n, name):
    rows = np.asarray(rows)
    if len(rows) and not (0 <= rows.min() and rows.max() < n):
        raise ValueError(f"{name}: rows from {rows.min()} to {rows.max()}; Z has rows 0 to {n - 1}")


def impostors(
    const double[:, ::1] Q not None, const double[:, ::1] X not None, const double[::1] radii not None,
    const int64_t[::1] classes_Q not None, const int64_t[::1] classes_X not None, *, threads=None,
):
    """All pairs of different classes within the queries' radii; see refimpl.kernels.impostors."""
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t chunk, n_Q = Q.shape[0], n_X = X.shape[0], r = Q.shape[1], chunks = (n_Q + CHUNK - 1) // CHUNK
    if X.shape[1] != r or len(radii) != n_Q or len(classes_Q) != n_Q or len(classes_X) != n_X:
        raise ValueError("Q, X, radii, classes_Q, classes_X: their lengths do not fit together")
    if n_Q == 0 or n_X == 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    if r == 0:
        return impostors(np.zeros((n_Q, 1)), np.zeros((n_X, 1)), radii, classes_Q, classes_X, threads=threads)
    queries, bounds, panels, squares = _packed(np.asarray(Q), np.asarray(X), np.asarray(radii))
    cdef const float[:, :, ::1] packed_Q = queries
    cdef const float[:, ::1] limits = bounds
    cdef const float[:, :, ::1] packed_X = panels
    cdef const float[:, ::1] halves = squares
    cdef vector[vector[int64_t]] found
    found.resize(chunks)
    n_threads = worth(n_threads, n_Q * n_X * r // 16)  # sixteen products at a time
    for chunk in prange(chunks, nogil=True, num_threads=n_threads, schedule="dynamic"):
        _search(&Q[0, 0], &X[0, 0], &radii[0], &classes_Q[0], &classes_X[0], packed_Q, limits, packed_X, halves,
                chunk * CHUNK, min(n_Q, (chunk + 1) * CHUNK), n_X, r, found[chunk])
    return _pairs(found, n_X)


def _packed(Q, X, radii):
    """Queries in groups, points in panels, in float32 about their mean; and when a scalar product may be a hit.

    |q - x|^2 < radius is q.x - |x|^2 / 2 > (|q|^2 - radius) / 2. Rounding r products and sums of float32 moves the left
    side by less than (r + 8) 2^-23 (|q|^2 + |x|^2).
    """
    r = Q.shape[1]
    centre = X.mean(axis=0)
    Q, X = Q - centre, X - centre
    squares_Q, squares_X = np.einsum("ij,ij->i", Q, Q), np.einsum("ij,ij->i", X, X)
    error = (r + 8) * 2.0**-23 * (squares_Q + squares_X.max() + np.abs(radii))
    scale = 1.0 / (np.sqrt(max(squares_Q.max(), squares_X.max())) or 1.0)  # float32 must hold the squares
    queries = np.zeros((-(-len(Q) // TOGETHER), r, TOGETHER), dtype=np.float32)
    panels = np.zeros((-(-len(X) // PANEL), r, PANEL), dtype=np.float32)
    bounds = np.full(len(queries) * TOGETHER, np.inf, dtype=np.float32)
    squares = np.full(len(panels) * PANEL, -np.inf, dtype=np.float32)  # the places without a point are never hit
    for packed, A, width in ((queries, Q, TOGETHER), (panels, X, PANEL)):
        whole = len(A) // width * width
        packed[: whole // width] = (A[:whole] * scale).reshape(-1, width, r).transpose(0, 2, 1)
        packed[whole // width :, :, : len(A) - whole] = (A[whole:] * scale).T
    bounds[: len(Q)] = (0.5 * (squares_Q - radii) - error) * scale**2
    squares[: len(X)] = -0.5 * squares_X * scale**2
    return queries, bounds.reshape(-1, TOGETHER), panels, squares.reshape(-1, PANEL)


cdef cloned_void _search(
    const double* Q, const double* X, const double* radii, const int64_t* classes_Q, const int64_t* classes_X,
    const float[:, :, ::1] packed_Q, const float[:, ::1] limits, const float[:, :, ::1] packed_X,
    const float[:, ::1] halves, Py_ssize_t first, Py_ssize_t last, Py_ssize_t n_X, Py_ssize_t r, vector[int64_t]& found,
) noexcept nogil:
    # near = product form < radii + error; near & (classes_Q[:, None] != classes_X); pair_distances(...) < radii
    cdef Py_ssize_t tile, group, panel, t, i, n_panels = packed_X.shape[0]
    cdef int64_t q, x
    cdef unsigned[8] hits
    for tile in range((n_panels + PANELS - 1) // PANELS):
        for group in range(first // TOGETHER, (last + TOGETHER - 1) // TOGETHER):
            for panel in range(tile * PANELS, min((tile + 1) * PANELS, n_panels)):
                if not panel_hits(&packed_Q[group, 0, 0], &packed_X[panel, 0, 0], &halves[panel, 0], &limits[group, 0],
                                  r, hits):
                    continue
                for t in range(TOGETHER):
                    if hits[t] == 0:
                        continue
                    q = group * TOGETHER + t
                    for i in range(PANEL):
                        x = panel * PANEL + i
                        if not hits[t] >> i & 1 or classes_Q[q] == classes_X[x]:
                            continue
                        if _distance(Q + q * r, X + x * r, r) < radii[q]:
                            found.push_back(q * n_X + x)
    sort(found.begin(), found.end())


cdef _pairs(vector[vector[int64_t]]& found, Py_ssize_t n_X):
    cdef Py_ssize_t chunk, i, p = 0
    for chunk in range(<Py_ssize_t> found.size()):
        p += found[chunk].size()
    cdef int64_t[::1] first = np.empty(p, dtype=np.int64), second = np.empty(p, dtype=np.int64)
    p = 0
    for chunk in range(<Py_ssize_t> found.size()):
        for i in range(<Py_ssize_t> found[chunk].size()):
            first[p] = found[chunk][i] // n_X
            second[p] = found[chunk][i] % n_X
            p += 1
    return np.asarray(first), np.asarray(second)


def hinge_terms(
    const double[:, ::1] targets not None, const double[::1] pairs not None, const int64_t[::1] start not None,
    double h, *, threads=None,
):
    """Slacks of all triples of a working set and their sums; see refimpl.kernels.hinge_terms."""
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t i, n = targets.shape[0], k = targets.shape[1]
    if len(start) != n + 1 or (n and start[n] != len(pairs)) or np.any(np.diff(start) < 0):
        raise ValueError("start: it must ascend to the number of pairs, with one entry more than there are points")
    cdef double[::1] smooth = np.zeros(n), hinge = np.zeros(n)
    cdef int64_t[::1] active = np.zeros(n, dtype=np.int64)
    cdef double[::1] pair_weights = np.zeros(len(pairs))
    cdef double[:, ::1] target_weights = np.zeros((n, k))
    n_threads = worth(n_threads, len(pairs) * k)
    if n and k and len(pairs):
        for i in prange(n, nogil=True, num_threads=n_threads, schedule="static"):
            _hinges(&targets[i, 0], &pairs[0], start[i], start[i + 1], k, h, &smooth[i], &hinge[i], &active[i],
                    &pair_weights[0], &target_weights[i, 0])
    sums = np.asarray(smooth), np.asarray(hinge), np.asarray(active)
    return *sums, np.asarray(pair_weights), np.asarray(target_weights)


cdef void _hinges(
    const double* targets, const double* pairs, Py_ssize_t first, Py_ssize_t last, Py_ssize_t k, double h,
    double* smooth, double* hinge, int64_t* active, double* pair_weights, double* target_weights,
) noexcept nogil:
    # z = (1 + targets)[i] - pairs[:, None]; losses = where(z < h, 0.5 * xi * weights, xi - 0.5 * h)
    cdef Py_ssize_t p, j
    cdef double z, weight, loss, sum_smooth = 0, sum_hinge = 0
    cdef int64_t positive = 0
    for p in range(first, last):
        for j in range(k):
            z = (1.0 + targets[j]) - pairs[p]
            if not z > 0:
                continue
            if z < h:
                weight = z / h
                loss = 0.5 * z * weight
            else:
                weight = 1.0
                loss = z - 0.5 * h
            sum_smooth = sum_smooth + loss
            sum_hinge = sum_hinge + z
            positive = positive + 1
            pair_weights[p] += weight
            target_weights[j] += weight
    smooth[0], hinge[0], active[0] = sum_smooth, sum_hinge, positive


cdef cloned_void _differences(
    const double* Z, const int64_t* other, const int64_t* edge, const double* weights, Py_ssize_t row,
    Py_ssize_t first, Py_ssize_t last, Py_ssize_t r, double* out
) noexcept nogil:
    # np.add.at(out, a, weights[edge][:, None] * (Z[a] - Z[other]))
    cdef const double* a = Z + row * r
    cdef const double* b
    cdef double weight
    cdef Py_ssize_t e, c
    for e in range(first, last):
        weight = weights[edge[e]]
        if weight == 0:
            continue
        b = Z + other[e] * r
        for c in range(r):
            out[c] += weight * (a[c] - b[c])


def weighted_differences(
    const double[:, ::1] Z not None, const int64_t[::1] start not None, const int64_t[::1] other not None,
    const int64_t[::1] edge not None, const double[::1] weights not None, *, threads=None,
):
    """For each row a of Z the sum of w (z_a - z_b); see refimpl.kernels.weighted_differences."""
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t row, n = Z.shape[0], r = Z.shape[1]
    if len(start) != n + 1 or start[n] != len(other) or len(edge) != len(other) or np.any(np.diff(start) < 0):
        raise ValueError("start, other, edge: their lengths do not fit together")
    _check_rows(other, n, "other")
    _check_rows(edge, len(weights), "edge")
    cdef double[:, ::1] out = np.zeros((n, r))
    n_threads = worth(n_threads, len(other) * r)
    if len(other) and r:
        for row in prange(n, nogil=True, num_threads=n_threads, schedule="dynamic", chunksize=64):
            _differences(&Z[0, 0], &other[0], &edge[0], &weights[0], row, start[row], start[row + 1], r, &out[row, 0])
    return np.asarray(out)
