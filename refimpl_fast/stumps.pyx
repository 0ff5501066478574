"""Decision stumps in Cython: the twin of refimpl/kernels/stumps.py.

The reference's expressions stand above the loops.
"""

import numpy as np

from libc.math cimport INFINITY, rint
from libc.stdint cimport int64_t, uint16_t, uint32_t
from libcpp.algorithm cimport lower_bound, sort, unique

from refimpl_fast.threads cimport Loop, thread_count, worth
from refimpl_fast.vectors cimport vector

from refimpl.kernels.contract import checked
from refimpl.kernels.stumps import GRID, SortedFeatures, mass_below, require_rows
from refimpl.results import from_new_arrays, sealed

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from *:
    """
    struct Difference { double value; uint32_t place; };
    static inline bool operator<(const Difference& a, const Difference& b) {
        return a.value < b.value;
    }
    """
    cppclass Difference:
        double value
        uint32_t place

ctypedef fused row_t:
    uint16_t
    uint32_t

cdef enum:
    LANES = 32  # training vectors that one query is compared with at a time: they stay in registers
    # queries that one thread takes at a time, while a block of training vectors stays in cache
    QUERIES = 32


cdef class _Sort(Loop):
    """Step c sorts column first + c."""

    cdef const double[:, ::1] A, B
    cdef uint32_t[:, ::1] order, start
    cdef int64_t[::1] n_rows, n_bins, common, common_row
    cdef Py_ssize_t first

    cdef void at(self, Py_ssize_t c, int thread) noexcept nogil:
        _sort_column(
            self.A, self.B, self.first + c, self.order[c], self.start[c], self.n_rows, self.n_bins,
            self.common, self.common_row
        )


@checked
def presort(const double[:, ::1] A not None, const double[:, ::1] B=None, *, threads=None):
    """Sort the rows of A, or of all differences A[i] - B[j], by every feature.

    See :func:`refimpl.kernels.presort`.
    """
    cdef int n_threads = thread_count(threads)
    cdef const double[:, ::1] b = np.zeros((1, A.shape[1])) if B is None else B
    cdef Py_ssize_t d = A.shape[1], n = A.shape[0] * b.shape[0], first, c, m
    # columns that are sorted at a time: this bounds the memory
    cdef Py_ssize_t chunk = max(<Py_ssize_t> 1, min(d, 64, 8 * n_threads))
    require_rows(n)
    cdef _Sort loop = _Sort()
    loop.A, loop.B = A, b
    loop.order = np.empty((chunk, n), dtype=np.uint32)
    loop.start = np.empty((chunk, n), dtype=np.uint32)
    loop.n_bins = np.zeros(d, dtype=np.int64)
    loop.n_rows = np.zeros(d, dtype=np.int64)
    loop.common = np.zeros(d, dtype=np.int64)
    loop.common_row = np.zeros(d, dtype=np.int64)
    row_type = np.uint16 if n <= 2**16 else np.uint32
    rows, starts = [], []
    for first in range(0, d, chunk):
        m = min(chunk, d - first)
        loop.first = first
        loop.run(m, n_threads, 1)
        for c in range(m):
            rows.append(np.array(loop.order[c, :loop.n_rows[first + c]], dtype=row_type))
            starts.append(np.array(loop.start[c, :loop.n_bins[first + c]], dtype=np.uint32))
    return from_new_arrays(
        SortedFeatures,
        sealed(np.asarray(A)),  # a copy: the arrays stay the caller's
        None if B is None else sealed(np.asarray(B)),
        rows=np.concatenate(rows),
        row_ptr=np.concatenate([[0], np.cumsum(loop.n_rows)]),
        starts=np.concatenate(starts),
        bin_ptr=np.concatenate([[0], np.cumsum(loop.n_bins)]),
        common=np.asarray(loop.common),
        common_row=np.asarray(loop.common_row),
    )


cdef void _sort_column(
    const double[:, ::1] A, const double[:, ::1] B, Py_ssize_t f, uint32_t[::1] rows,
    uint32_t[::1] starts, int64_t[::1] n_rows, int64_t[::1] n_bins, int64_t[::1] common,
    int64_t[::1] common_row
) noexcept nogil:
    # values, code, count = np.unique(column, return_inverse=True, return_counts=True)
    # by way of the table of differences between the distinct values of A's and of B's column,
    # which is shorter than the column
    cdef vector[double] a, b
    cdef vector[uint32_t] a_code, b_code, code, position
    cdef vector[Difference] table
    _encode(A, f, a, a_code)
    _encode(B, f, b, b_code)
    cdef Py_ssize_t i, j, k, n_values = 0, largest = 0, row = 0, filled = 0
    table.resize(a.size() * b.size())
    for i in range(<Py_ssize_t> a.size()):
        for j in range(<Py_ssize_t> b.size()):
            k = i * b.size() + j
            table[k].value = a[i] - b[j]
            table[k].place = <uint32_t> k
    sort(table.begin(), table.end())
    code.resize(table.size())
    for k in range(<Py_ssize_t> table.size()):
        if k > 0 and table[k].value != table[k - 1].value:
            n_values += 1
        code[table[k].place] = <uint32_t> n_values
    n_values += 1
    position.assign(n_values + 1, 0)
    for i in range(A.shape[0]):
        for j in range(B.shape[0]):
            position[code[a_code[i] * b.size() + b_code[j]]] += 1
    # c = np.argmax(count)
    for k in range(n_values):
        if position[k] > position[largest]:
            largest = k
    common[f] = largest
    common_row[f] = -1
    # start = np.cumsum(count) - count, without the common bin
    for k in range(n_values):
        if k == largest:
            continue
        row = position[k]
        position[k] = <uint32_t> filled
        starts[k if k < largest else k - 1] = <uint32_t> filled
        filled += row
    n_rows[f] = filled
    n_bins[f] = n_values - 1
    # order = np.argsort(code, kind="stable"), without the common bin
    row = 0
    for i in range(A.shape[0]):
        for j in range(B.shape[0]):
            k = code[a_code[i] * b.size() + b_code[j]]
            if k != largest:
                rows[position[k]] = <uint32_t> row
                position[k] += 1
            elif common_row[f] < 0:
                common_row[f] = row
            row += 1


cdef void _encode(
    const double[:, ::1] A, Py_ssize_t f, vector[double]& values, vector[uint32_t]& code,
) noexcept nogil:
    # values, code = np.unique(A[:, f], return_inverse=True)
    cdef Py_ssize_t i
    values.resize(A.shape[0])
    code.resize(A.shape[0])
    for i in range(A.shape[0]):
        values[i] = A[i, f]
    sort(values.begin(), values.end())
    values.erase(unique(values.begin(), values.end()), values.end())
    for i in range(A.shape[0]):
        code[i] = <uint32_t> (lower_bound(values.begin(), values.end(), A[i, f]) - values.begin())


@checked
def best_stump(features, const double[::1] w not None, l not None, *, threads=None):
    """Find the stump h(x) = [p x_f < p theta] of least weighted error, over all f, p and theta.

    See :func:`refimpl.kernels.best_stump`.
    """
    cdef int n_threads = thread_count(threads)
    cdef const unsigned char[::1] label = l.view(np.uint8)
    cdef Py_ssize_t n = w.shape[0], d = features.n_features, i, f
    cdef double[::1] g = np.empty(n)
    cdef double w1 = 0, w0 = 0, grid = GRID
    # w = on_grid(w); w1, w0 = w[l].sum(), w[~l].sum(); g = np.where(l, w, -w)
    for i in range(n):
        g[i] = rint(w[i] * (1 / grid)) * grid
        if label[i]:
            w1 += g[i]
        else:
            w0 += g[i]
            g[i] = -g[i]
    cdef _Extremes loop = _Extremes()
    loop.set(features, g, w1 - w0)
    loop.run(d, worth(n_threads, len(features.rows)), 8)
    # for p, errors in ((1, w1 - below), (-1, w0 + below)): the first of the least
    cdef double epsilon = INFINITY
    cdef Py_ssize_t best_f = 0
    cdef int p = 1
    for f in range(d):  # BD:A.2:7  epsilon_t, the least over f, p and theta
        if w1 - loop.highest[f] < epsilon:
            epsilon, best_f, p = w1 - loop.highest[f], f, 1
        if w0 + loop.lowest[f] < epsilon:
            epsilon, best_f, p = w0 + loop.lowest[f], f, -1
    below = mass_below(features, best_f, np.asarray(g), w1 - w0)
    k = np.argmax(below) if p == 1 else np.argmin(below)
    return epsilon, best_f, p, features.threshold(best_f, k, p)  # BD:A.2:8  f_t, p_t, theta_t


cdef class _Extremes(Loop):
    """Step f finds the largest and the least of mass_below for feature f."""

    cdef const uint16_t[::1] short_rows
    cdef const uint32_t[::1] long_rows, starts
    cdef const int64_t[::1] row_ptr, bin_ptr, common
    cdef const double[::1] g
    cdef double total
    cdef double[::1] highest, lowest
    cdef bint short

    cdef set(self, features, const double[::1] g, double total):
        self.short = features.rows.dtype == np.uint16
        if self.short:
            self.short_rows = features.rows
        else:
            self.long_rows = features.rows
        self.starts = features.starts
        self.row_ptr = features.row_ptr
        self.bin_ptr = features.bin_ptr
        self.common, self.g, self.total = features.common, g, total
        self.highest, self.lowest = np.zeros(features.n_features), np.zeros(features.n_features)

    cdef void at(self, Py_ssize_t f, int thread) noexcept nogil:
        cdef Py_ssize_t first = self.row_ptr[f], n_rows = self.row_ptr[f + 1] - first
        cdef Py_ssize_t bin = self.bin_ptr[f], n_bins = self.bin_ptr[f + 1] - bin
        if n_rows == 0:
            return  # the feature is constant: nothing lies below its only value
        if self.short:
            _scan(
                &self.short_rows[first], n_rows, &self.starts[bin], n_bins, self.common[f],
                &self.g[0], self.total, &self.highest[f], &self.lowest[f]
            )
        else:
            _scan(
                &self.long_rows[first], n_rows, &self.starts[bin], n_bins, self.common[f],
                &self.g[0], self.total, &self.highest[f], &self.lowest[f]
            )


cdef void _scan(
    const row_t* rows, Py_ssize_t n_rows, const uint32_t* starts, Py_ssize_t n_bins,
    Py_ssize_t common, const double* g, double total, double* highest, double* lowest
) noexcept nogil:
    # np.cumsum(mass) - mass
    # upwards from 0 to the common bin, downwards from the total to the bin above it. Every sum is
    # exact, so the two directions give what one pass gives.
    cdef Py_ssize_t k, end
    cdef double below = 0, high = 0, low = 0
    for k in range(common):
        end = starts[k + 1] if k + 1 < n_bins else n_rows
        below += _mass(rows, starts[k], end, g)
        high = max(high, below)
        low = min(low, below)
    below = total
    end = n_rows
    for k in range(n_bins - 1, common - 1, -1):
        below -= _mass(rows, starts[k], end, g)
        end = starts[k]
        high = max(high, below)
        low = min(low, below)
    highest[0] = high
    lowest[0] = low


cdef inline double _mass(
    const row_t* rows, Py_ssize_t start, Py_ssize_t end, const double* g
) noexcept nogil:
    # g[rows[start:end]].sum(), four sums at a time: exact, so the order is free
    cdef double a = 0, b = 0, c = 0, e = 0
    cdef Py_ssize_t i = start
    while i + 4 <= end:
        a += g[rows[i]]
        b += g[rows[i + 1]]
        c += g[rows[i + 2]]
        e += g[rows[i + 3]]
        i += 4
    while i < end:
        a += g[rows[i]]
        i += 1
    return (a + b) + (c + e)


cdef class _Turn(Loop):
    """Step i puts training vector i into its block: block b, stump t, lane i % LANES."""

    cdef const double[:, ::1] X
    cdef const int64_t[::1] feature
    cdef const double[::1] sign
    cdef double[:, :, ::1] blocks

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t t
        for t in range(self.feature.shape[0]):
            self.blocks[i // LANES, t, i % LANES] = self.sign[t] * self.X[i, self.feature[t]]


cdef class _Add(Loop):
    """Step k adds to the rows of S of the queries from k * QUERIES on."""

    cdef double[:, ::1] S
    cdef const double[:, ::1] Q
    cdef const double[:, :, ::1] blocks
    cdef const double[::1] alpha, sign, theta
    cdef const int64_t[::1] feature

    cdef void at(self, Py_ssize_t k, int thread) noexcept nogil:
        cdef Py_ssize_t first = k * QUERIES, last = min(self.Q.shape[0], first + QUERIES)
        cdef Py_ssize_t q, t, b, T = self.alpha.shape[0]
        cdef vector[double] y
        y.resize((last - first) * T)
        for q in range(first, last):
            for t in range(T):
                y[(q - first) * T + t] = self.sign[t] * self.Q[q, self.feature[t]]
        for b in range(self.blocks.shape[0]):
            for q in range(first, last):
                _add_lanes(
                    &self.S[q, b * LANES], &y[(q - first) * T], &self.blocks[b, 0, 0],
                    &self.alpha[0], &self.theta[0], T, min(LANES, self.S.shape[1] - b * LANES)
                )


@checked
def add_similarity(
    double[:, ::1] S not None, const double[:, ::1] Q not None, const double[:, ::1] X not None,
    const double[::1] alpha not None, const int64_t[::1] feature not None,
    const int64_t[::1] polarity not None, const double[::1] threshold not None, *, threads=None
):
    """Add sum_t alpha_t h_t(q - x) to S, for every q in Q and x in X, over t in ascending order.

    See :func:`refimpl.kernels.add_similarity`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t T = alpha.shape[0], n_Q = Q.shape[0], n_X = X.shape[0]
    if T == 0 or n_Q == 0 or n_X == 0:
        return
    # p (q - x) < p theta is (p q - p x) < p theta: with the signs put in beforehand, one test
    # serves both
    cdef _Turn turn = _Turn()
    turn.X, turn.feature, turn.sign = X, feature, np.asarray(polarity, dtype=np.float64)
    # values beyond the last vector are never stored
    turn.blocks = np.zeros((-(-n_X // LANES), T, LANES))
    turn.run(n_X, worth(n_threads, n_X * T))
    cdef _Add add = _Add()
    add.S = S
    add.Q = Q
    add.blocks = turn.blocks
    add.alpha = alpha
    add.feature = feature
    add.sign = turn.sign
    add.theta = np.asarray(turn.sign) * np.asarray(threshold)
    # BD:eq2, BD:eq3, BD:eq4, BD:eqA.1, BD:A.3:4  in _add_lanes
    # sixteen sums at a time
    add.run((n_Q + QUERIES - 1) // QUERIES, worth(n_threads, n_Q * n_X * T // 16), 1)


cdef cloned_void _add_lanes(
    double* s, const double* y, const double* x, const double* alpha, const double* theta,
    Py_ssize_t T, Py_ssize_t n,
) noexcept nogil:
    # S += np.where(p * difference < p * theta, a, 0.0)
    # for one query and up to LANES training vectors
    cdef double[LANES] total
    cdef double a, y_t, theta_t
    cdef Py_ssize_t t, i
    for i in range(n):
        total[i] = s[i]
    for i in range(n, LANES):
        total[i] = 0
    for t in range(T):
        a, y_t, theta_t = alpha[t], y[t], theta[t]
        for i in range(LANES):
            # BD:eq4, BD:A.3:4
            total[i] = total[i] + (a if y_t - x[t * LANES + i] < theta_t else 0.0)
    for i in range(n):
        s[i] = total[i]
