"""The best decision stump in Cython: the twin of refimpl/kernels/stumps.py.

The reference's expressions stand above the loops.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint16_t, uint32_t

from refimpl_fast.sorting cimport Column, Shared
from refimpl_fast.threads cimport Loop, thread_count, worth
from refimpl_fast.vectors cimport vector

from refimpl.kernels.contract import checked
from refimpl.kernels.stumps import GRID

cdef extern from "strands.h":
    enum:
        STRANDS "REFIMPL_STRANDS"
        WIDE "REFIMPL_WIDE"
    void strand_sums(
        const uint32_t* rows, Py_ssize_t steps, const double* g, double* sums, double* highest,
        double* lowest
    ) noexcept nogil
    void sum_wide(
        const double* g, Py_ssize_t stride, const uint32_t* rows, Py_ssize_t n_rows, double* part
    ) noexcept nogil
    void signed_weights(
        const double* w, const unsigned char* label, Py_ssize_t n, double grid, double* g,
        double* both, double* difference
    ) noexcept nogil

ctypedef fused row_t:
    uint16_t
    uint32_t


@checked
def best_stump(features, const double[::1] w not None, l not None, *, threads=None):
    """Find the stump h(x) = [p x_f < p theta] of least weighted error, over all f, p and theta.

    See :func:`refimpl.kernels.best_stump`.
    """
    cdef int n_threads = thread_count(threads)
    cdef const unsigned char[::1] label = l.view(np.uint8)
    cdef Py_ssize_t n = w.shape[0], d = features.n_features, f
    cdef double[::1] g = np.empty(n)
    cdef double w1, w0, both, difference
    # w = on_grid(w); w1, w0 = w[l].sum(), w[~l].sum(); g = np.where(l, w, -w)
    signed_weights(&w[0], &label[0], n, GRID, &g[0], &both, &difference)
    w1 = (both + difference) / 2  # exact, as both sums are
    w0 = (both - difference) / 2
    cdef _Extremes loop = _Extremes()
    loop.sorted = _sorted(features, n_threads)
    loop.set(features, g, difference)
    loop.run(d, worth(n_threads, len(features.rows)), 8 if n < 2**14 else 1)
    # for p, errors in ((1, w1 - below), (-1, w0 + below)): the first of the least
    cdef double epsilon = INFINITY
    cdef Py_ssize_t best_f = 0
    cdef int p = 1
    for f in range(d):
        if w1 - loop.highest[f] < epsilon:
            # BD:A.2:7  epsilon_t, the least over f, p and theta
            epsilon, best_f, p = w1 - loop.highest[f], f, 1
        if w0 + loop.lowest[f] < epsilon:
            epsilon, best_f, p = w0 + loop.lowest[f], f, -1
    cdef _Place place = _Place()
    place.extremes, place.f = loop, best_f
    place.wanted = loop.highest[best_f] if p == 1 else loop.lowest[best_f]
    place.run(1, 1)
    # BD:A.2:8  f_t, p_t, theta_t
    return epsilon, best_f, p, features.threshold(best_f, place.k, p)


cdef class _Sorted:
    """The arrays of SortedFeatures, and what best_stump makes of them."""

    cdef const uint16_t[::1] short_rows
    cdef const uint32_t[::1] long_rows, starts
    cdef const int64_t[::1] row_ptr, bin_ptr, common
    cdef bint short
    cdef Shared shared  # None unless presort of this module made the features
    # 2 row + (the row is the last of its bin), in STRANDS strands; for columns with short bins
    cdef uint32_t[::1] strands
    cdef unsigned char[::1] stranded  # the columns that have them

    def __init__(self, features):
        self.short = features.rows.dtype == np.uint16
        if self.short:
            self.short_rows = features.rows
        else:
            self.long_rows = features.rows
        self.starts = features.starts
        self.row_ptr = features.row_ptr
        self.bin_ptr = features.bin_ptr
        self.common = features.common
        self.shared = vars(features).get("_shared")
        self.strands = None
        self.stranded = np.zeros(features.n_features, dtype=np.uint8)

    cdef bint is_shared(self, Py_ssize_t f) noexcept nogil:
        return self.shared is not None and self.shared.columns[f].n_bins > 0

    cdef Py_ssize_t below(self, Py_ssize_t f) noexcept nogil:
        """Return how many of the column's rows lie below the common bin."""
        if self.common[f] < self.bin_ptr[f + 1] - self.bin_ptr[f]:
            return self.starts[self.bin_ptr[f] + self.common[f]]
        return self.row_ptr[f + 1] - self.row_ptr[f]


cdef _Sorted _sorted(features, int n_threads):
    """Return the arrays of the features, with strands from the second call on."""
    kept = vars(features)
    cdef _Sorted arrays = kept.get("_sorted")
    cdef Py_ssize_t f, n_rows
    cdef _Strand loop
    if arrays is None:
        arrays = kept.setdefault("_sorted", _Sorted(features))
    elif arrays.strands is None and features.n_rows < 2**31:
        # a new object: another thread may read the old one
        arrays = _Sorted(features)
        for f in range(features.n_features):
            n_rows = arrays.row_ptr[f + 1] - arrays.row_ptr[f]
            # bins of less than eight rows
            arrays.stranded[f] = (
                not arrays.is_shared(f)
                and n_rows < 8 * (arrays.bin_ptr[f + 1] - arrays.bin_ptr[f])
            )
        arrays.strands = np.empty(
            len(features.rows) if np.any(arrays.stranded) else 0, dtype=np.uint32
        )
        loop = _Strand()
        loop.sorted = arrays
        loop.run(features.n_features, worth(n_threads, len(arrays.strands)))
        kept["_sorted"] = arrays
    return arrays


cdef class _Strand(Loop):
    """Step f lays out the rows of column f in strands."""

    cdef _Sorted sorted

    cdef void at(self, Py_ssize_t f, int thread) noexcept nogil:
        cdef Py_ssize_t first = self.sorted.row_ptr[f], last = self.sorted.row_ptr[f + 1]
        cdef Py_ssize_t bin = self.sorted.bin_ptr[f], end = self.sorted.bin_ptr[f + 1]
        cdef Py_ssize_t middle = first + self.sorted.below(f)
        if not self.sorted.stranded[f]:
            return
        bin = self.lay(first, first, middle, bin, end, True)
        self.lay(first, middle, last, bin, end, False)

    cdef Py_ssize_t lay(
        self, Py_ssize_t column, Py_ssize_t first, Py_ssize_t last, Py_ssize_t bin, Py_ssize_t end,
        bint closed
    ) noexcept nogil:
        """Lay out the rows `first` to `last`, which begin with a bin; return the bin after them.

        The last row closes its bin only if `closed`: nothing lies above the column's last row.
        """
        cdef Py_ssize_t i, steps = _steps(last - first), strand = 0, step = 0, place, row
        cdef bint closes
        for i in range(first, last):
            if bin < end and i == column + self.sorted.starts[bin]:
                bin += 1
            # the next row is of another bin
            if i + 1 == last:
                closes = closed
            else:
                closes = bin < end and i + 1 == column + self.sorted.starts[bin]
            if strand < STRANDS and steps > 0:
                place = first + STRANDS * step + strand
                step += 1
                if step == steps:
                    step, strand = 0, strand + 1
            else:
                place = i
            if self.sorted.short:
                row = self.sorted.short_rows[i]
            else:
                row = self.sorted.long_rows[i]
            self.sorted.strands[place] = <uint32_t> (2 * row + closes)
        return bin


cdef inline Py_ssize_t _steps(Py_ssize_t n_rows) noexcept nogil:
    """Return the length of each strand; the rows that are left follow all of them."""
    return n_rows // STRANDS if n_rows >= 4 * STRANDS else 0


cdef class _Extremes(Loop):
    """Step f finds the largest and the least of mass_below for feature f."""

    cdef _Sorted sorted
    cdef const double[::1] g
    cdef double total
    cdef double[::1] highest, lowest
    cdef double[::1] sums  # of the columns of g as a matrix, shape (len(A), len(B))
    cdef Py_ssize_t n_A, n_B

    cdef set(self, features, const double[::1] g, double total):
        cdef Py_ssize_t f
        self.g, self.total = g, total
        self.highest, self.lowest = np.zeros(features.n_features), np.zeros(features.n_features)
        self.n_A = len(features.A)
        self.n_B = 1 if features.B is None else len(features.B)
        for f in range(features.n_features):
            if self.sorted.is_shared(f):
                self.sums = np.asarray(g).reshape(self.n_A, self.n_B).sum(axis=0)
                break

    cdef void at(self, Py_ssize_t f, int thread) noexcept nogil:
        cdef Py_ssize_t first = self.sorted.row_ptr[f], last = self.sorted.row_ptr[f + 1]
        cdef Py_ssize_t bin = self.sorted.bin_ptr[f], n_bins = self.sorted.bin_ptr[f + 1] - bin
        cdef double high = 0, low = 0
        cdef vector[double] mass
        if first == last:
            return  # the feature is constant: nothing lies below its only value
        if self.sorted.is_shared(f):
            self.masses(f, mass)
            _extremes(mass, &high, &low)
        elif self.sorted.stranded[f]:
            self.strands(first, first + self.sorted.below(f), last, &high, &low)
        elif self.sorted.short:
            _scan(
                &self.sorted.short_rows[first], last - first, &self.sorted.starts[bin], n_bins,
                self.sorted.common[f], &self.g[0], self.total, &high, &low
            )
        else:
            _scan(
                &self.sorted.long_rows[first], last - first, &self.sorted.starts[bin], n_bins,
                self.sorted.common[f], &self.g[0], self.total, &high, &low
            )
        self.highest[f] = high
        self.lowest[f] = low

    cdef void strands(
        self, Py_ssize_t first, Py_ssize_t middle, Py_ssize_t last, double* high, double* low
    ) noexcept nogil:
        # np.cumsum(mass) - mass, upwards from 0 to the common bin, then from the bin above it
        cdef double part, most, least, base
        if first < middle:
            _strand_sums(
                &self.sorted.strands[first], middle - first, &self.g[0], &part, &most, &least
            )
            high[0] = max(high[0], most)
            low[0] = min(low[0], least)
        if middle < last:
            _strand_sums(
                &self.sorted.strands[middle], last - middle, &self.g[0], &part, &most, &least
            )
            base = self.total - part
            high[0] = max(high[0], base, base + most)
            low[0] = min(low[0], base, base + least)

    cdef void masses(self, Py_ssize_t f, vector[double]& mass) noexcept nogil:
        # np.bincount(code, g): first over the rows of A of equal value, side by side for all rows
        # of B, then over the rows of B
        cdef Column* column = &self.sorted.shared.columns[f]
        cdef Py_ssize_t n_u = column.ends.size(), n_B = self.n_B, u, j, begin = 0
        cdef vector[double] rest, part
        cdef const uint32_t* bins
        mass.assign(column.n_bins, 0)
        part.resize(n_B)
        rest.resize(n_B)
        for j in range(n_B):
            rest[j] = self.sums[j]
        for u in range(n_u):
            if u == column.common:
                continue
            _sum_rows(
                &self.g[0], n_B, &column.order[begin], column.ends[u] - begin, &part[0], &rest[0]
            )
            begin = column.ends[u]
            bins = &column.bin[u * column.n_v]
            for j in range(n_B):
                mass[bins[column.b_code[j]]] += part[j]
        bins = &column.bin[column.common * column.n_v]
        for j in range(n_B):
            mass[bins[column.b_code[j]]] += rest[j]

    cdef Py_ssize_t first(self, Py_ssize_t f, double wanted) noexcept nogil:
        """Return the first k at which mass_below of feature f has the wanted value."""
        cdef Py_ssize_t first = self.sorted.row_ptr[f], n_rows = self.sorted.row_ptr[f + 1] - first
        cdef Py_ssize_t bin = self.sorted.bin_ptr[f], n_bins = self.sorted.bin_ptr[f + 1] - bin
        cdef Py_ssize_t k = 0
        cdef double below = 0
        cdef vector[double] mass
        if wanted == 0:
            return 0
        if self.sorted.is_shared(f):
            self.masses(f, mass)
            while below != wanted and k + 1 < <Py_ssize_t> mass.size():
                below += mass[k]
                k += 1
            return k
        if self.sorted.short:
            return _first(
                &self.sorted.short_rows[first], n_rows, &self.sorted.starts[bin], n_bins,
                self.sorted.common[f], &self.g[0], self.total, wanted
            )
        return _first(
            &self.sorted.long_rows[first], n_rows, &self.sorted.starts[bin], n_bins,
            self.sorted.common[f], &self.g[0], self.total, wanted
        )


cdef class _Place(Loop):
    """The only step finds where mass_below of feature f has the wanted value."""

    cdef _Extremes extremes
    cdef Py_ssize_t f, k
    cdef double wanted

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        self.k = self.extremes.first(self.f, self.wanted)


cdef void _extremes(const vector[double]& mass, double* highest, double* lowest) noexcept nogil:
    # below = np.cumsum(mass) - mass
    cdef Py_ssize_t k
    cdef double below = 0, high = 0, low = 0
    for k in range(<Py_ssize_t> mass.size() - 1):
        below += mass[k]
        high = max(high, below)
        low = min(low, below)
    highest[0] = high
    lowest[0] = low


cdef void _sum_rows(
    const double* g, Py_ssize_t n, const uint32_t* rows, Py_ssize_t n_rows, double* part,
    double* rest
) noexcept nogil:
    # part = g.reshape(-1, n)[rows].sum(axis=0); rest -= part
    cdef Py_ssize_t j = 0
    while j + WIDE <= n:
        sum_wide(g + j, n, rows, n_rows, part + j)
        j += WIDE
    if j < n and n >= WIDE:  # the last ones, some of them once more
        sum_wide(g + n - WIDE, n, rows, n_rows, part + n - WIDE)
    elif j < n:
        _sum_narrow(g, n, rows, n_rows, part)
    for j in range(n):
        rest[j] -= part[j]


cdef void _sum_narrow(
    const double* g, Py_ssize_t n, const uint32_t* rows, Py_ssize_t n_rows, double* part
) noexcept nogil:
    cdef const double* row
    cdef Py_ssize_t i, j
    for j in range(n):
        part[j] = 0
    for i in range(n_rows):
        row = g + rows[i] * n
        for j in range(n):
            part[j] += row[j]


cdef void _strand_sums(
    const uint32_t* rows, Py_ssize_t n_rows, const double* g, double* total, double* highest,
    double* lowest
) noexcept nogil:
    # below = np.cumsum(g[rows])[last row of each bin]; total, highest, lowest = sum, max, min
    # Every sum is exact, so the strands give what one pass gives.
    cdef double[STRANDS] sums, high, low
    cdef Py_ssize_t i, k, steps = _steps(n_rows)
    cdef double below = 0, most = -INFINITY, least = INFINITY
    if steps > 0:
        strand_sums(rows, steps, g, sums, high, low)
        for k in range(STRANDS):
            most = max(most, below + high[k])
            least = min(least, below + low[k])
            below += sums[k]
    for i in range(STRANDS * steps, n_rows):
        below += g[rows[i] >> 1]
        if rows[i] & 1:
            most = max(most, below)
            least = min(least, below)
    total[0], highest[0], lowest[0] = below, most, least


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


cdef Py_ssize_t _first(
    const row_t* rows, Py_ssize_t n_rows, const uint32_t* starts, Py_ssize_t n_bins,
    Py_ssize_t common, const double* g, double total, double wanted
) noexcept nogil:
    # np.flatnonzero(np.cumsum(mass) - mass == wanted)[0], in the directions of _scan
    cdef Py_ssize_t k, end, place = 0
    cdef double below = 0
    for k in range(common):
        end = n_rows if k + 1 == n_bins else starts[k + 1]
        below += _mass(rows, starts[k], end, g)
        if below == wanted:
            return k + 1
    below = total
    end = n_rows
    for k in range(n_bins - 1, common - 1, -1):
        below -= _mass(rows, starts[k], end, g)
        end = starts[k]
        if below == wanted:
            place = k + 1
    return place


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
