"""The sorting of stumps' features in Cython: the twin of refimpl/kernels/sorting.py.

The reference's expressions stand above the loops.
"""

import numpy as np

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.algorithm cimport lower_bound, sort, unique

from refimpl_fast.threads cimport Loop, thread_count, worth
from refimpl_fast.vectors cimport vector

from refimpl.kernels.contract import checked
from refimpl.kernels.sorting import SortedFeatures, require_rows
from refimpl.results import from_new_arrays, sealed

cdef extern from *:
    """
    #include <string.h>

    struct Difference { uint64_t key; uint32_t place; };
    static inline bool operator<(const Difference& a, const Difference& b) {
        return a.key < b.key;
    }
    /* an integer for each number, in the order of the numbers; -0.0 and 0.0 have the same */
    static inline uint64_t key_of(double value) {
        uint64_t bits;
        value += 0.0;
        memcpy(&bits, &value, 8);
        return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
    }
    """
    cppclass Difference:
        uint64_t key
        uint32_t place
    uint64_t key_of(double value) nogil

cdef extern from "<utility>" namespace "std" nogil:
    void swap(vector[Difference]&, vector[Difference]&)

cdef enum:
    DIGIT = 11  # bits of a key that one pass of a sort looks at


cdef class Shared:
    """The columns of differences as best_stump adds them up; SortedFeatures of presort keep it."""


cdef class _Sort(Loop):
    """Step c sorts column first + c."""

    cdef const double[:, ::1] A, B
    cdef uint32_t[:, ::1] order, start
    cdef int64_t[::1] n_rows, n_bins, common, common_row
    cdef Py_ssize_t first
    cdef Shared shared

    cdef void at(self, Py_ssize_t c, int thread) noexcept nogil:
        _sort_column(
            self.A, self.B, self.first + c, self.order[c], self.start[c], self.n_rows, self.n_bins,
            self.common, self.common_row, self.shared.columns[self.first + c]
        )


@checked
def presort(const double[:, ::1] A not None, const double[:, ::1] B=None, *, threads=None):
    """Sort the rows of A, or of all differences A[i] - B[j], by every feature.

    See :func:`refimpl.kernels.presort`.
    """
    cdef int n_threads = thread_count(threads)
    cdef const double[:, ::1] b = np.zeros((1, A.shape[1])) if B is None else B
    cdef Py_ssize_t d = A.shape[1], n = A.shape[0] * b.shape[0], first, c, m
    require_rows(n)
    # columns that are sorted at a time: more of short ones, so that a loop is worth its threads
    cdef Py_ssize_t chunk = max(<Py_ssize_t> 1, min(d, min(64, max(8 * n_threads, 2**18 // n))))
    cdef _Sort loop = _Sort()
    loop.A, loop.B = A, b
    loop.order = np.empty((chunk, n), dtype=np.uint32)
    loop.start = np.empty((chunk, n), dtype=np.uint32)
    loop.n_bins = np.zeros(d, dtype=np.int64)
    loop.n_rows = np.zeros(d, dtype=np.int64)
    loop.common = np.zeros(d, dtype=np.int64)
    loop.common_row = np.zeros(d, dtype=np.int64)
    loop.shared = Shared()
    loop.shared.columns.make(d)
    row_type = np.uint16 if n <= 2**16 else np.uint32
    rows, starts = [], []
    for first in range(0, d, chunk):
        m = min(chunk, d - first)
        loop.first = first
        loop.run(m, worth(n_threads, 8 * m * n), 1)
        for c in range(m):
            rows.append(np.array(loop.order[c, :loop.n_rows[first + c]], dtype=row_type))
            starts.append(np.array(loop.start[c, :loop.n_bins[first + c]], dtype=np.uint32))
    features = from_new_arrays(
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
    vars(features)["_shared"] = loop.shared  # no copy of the features has it
    return features


cdef void _sort_column(
    const double[:, ::1] A, const double[:, ::1] B, Py_ssize_t f, uint32_t[::1] rows,
    uint32_t[::1] starts, int64_t[::1] n_rows, int64_t[::1] n_bins, int64_t[::1] common,
    int64_t[::1] common_row, Column& shared
) noexcept nogil:
    # values, code, count = np.unique(column, return_inverse=True, return_counts=True)
    # by way of the table of differences between the distinct values of A's and of B's column,
    # which is shorter than the column
    cdef vector[double] a, b
    cdef vector[uint32_t] a_code, b_code, a_count, b_count, code, position
    _encode(A, f, a, a_code, a_count)
    _encode(B, f, b, b_code, b_count)
    cdef Py_ssize_t i, j, k, n_values = _number(a, b, code), largest = 0, row = 0, filled = 0
    cdef Py_ssize_t n_u = a.size(), n_v = b.size()
    cdef const uint32_t* codes
    position.assign(n_values + 1, 0)
    for i in range(n_u):
        for j in range(n_v):
            position[code[i * n_v + j]] += a_count[i] * b_count[j]
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
        codes = &code[a_code[i] * n_v]
        for j in range(B.shape[0]):
            k = codes[b_code[j]]
            if k != largest:
                rows[position[k]] = <uint32_t> row
                position[k] += 1
            elif common_row[f] < 0:
                common_row[f] = row
            row += 1
    if B.shape[0] >= 8 and 2 * n_u * B.shape[0] <= filled:
        _share(shared, a_code, a_count, b_code, code, n_v, n_values)


cdef void _share(
    Column& shared, const vector[uint32_t]& a_code, const vector[uint32_t]& a_count,
    const vector[uint32_t]& b_code, const vector[uint32_t]& code, Py_ssize_t n_v,
    Py_ssize_t n_bins
) noexcept nogil:
    cdef Py_ssize_t i, u, n_u = a_count.size(), end = 0
    cdef vector[uint32_t] place
    shared.common = 0
    for u in range(n_u):
        if a_count[u] > a_count[shared.common]:
            shared.common = <uint32_t> u
    place.resize(n_u)
    shared.ends.resize(n_u)
    for u in range(n_u):
        place[u] = <uint32_t> end
        if u != shared.common:
            end += a_count[u]
        shared.ends[u] = <uint32_t> end
    shared.order.resize(end)
    for i in range(<Py_ssize_t> a_code.size()):
        u = a_code[i]
        if u != shared.common:
            shared.order[place[u]] = <uint32_t> i
            place[u] += 1
    shared.b_code = b_code
    shared.bin = code
    shared.n_v = <uint32_t> n_v
    shared.n_bins = <uint32_t> n_bins


cdef void _encode(
    const double[:, ::1] A, Py_ssize_t f, vector[double]& values, vector[uint32_t]& code,
    vector[uint32_t]& count
) noexcept nogil:
    # values, code, count = np.unique(A[:, f], return_inverse=True, return_counts=True)
    cdef Py_ssize_t i
    values.resize(A.shape[0])
    code.resize(A.shape[0])
    for i in range(A.shape[0]):
        values[i] = A[i, f]
    sort(values.begin(), values.end())
    values.erase(unique(values.begin(), values.end()), values.end())
    count.assign(values.size(), 0)
    for i in range(A.shape[0]):
        code[i] = <uint32_t> (lower_bound(values.begin(), values.end(), A[i, f]) - values.begin())
        count[code[i]] += 1


cdef Py_ssize_t _number(
    vector[double]& a, vector[double]& b, vector[uint32_t]& code
) noexcept nogil:
    # values, code = np.unique(np.subtract.outer(a, b), return_inverse=True)
    # return len(values)
    cdef vector[Difference] table
    cdef Py_ssize_t i, j, k, n_u = a.size(), n_v = b.size(), n_values = 0
    table.resize(n_u * n_v)
    for i in range(n_u):
        for j in range(n_v):
            k = i * n_v + j
            table[k].key = key_of(a[i] - b[j])
            table[k].place = <uint32_t> k
    _sort_table(table)
    code.resize(table.size())
    for k in range(<Py_ssize_t> table.size()):
        if k > 0 and table[k].key != table[k - 1].key:
            n_values += 1
        code[table[k].place] = <uint32_t> n_values
    return n_values + 1


cdef void _sort_table(vector[Difference]& table) noexcept nogil:
    # table[np.argsort(key, kind="stable")]
    # a short table by comparisons, a long one digit by digit, the lowest digit first
    cdef Py_ssize_t n = table.size(), i, k, end, count
    cdef int shift = 0
    cdef Py_ssize_t digits = 1 << DIGIT
    cdef uint64_t last = digits - 1
    cdef vector[Difference] other
    cdef vector[uint32_t] place
    if n < digits:
        sort(table.begin(), table.end())
        return
    other.resize(n)
    while shift < 64:
        place.assign(digits, 0)
        for i in range(n):
            place[table[i].key >> shift & last] += 1
        if place[table[0].key >> shift & last] < n:  # not all have the same digit
            end = 0
            for k in range(digits):
                count = place[k]
                place[k] = <uint32_t> end
                end += count
            for i in range(n):
                k = table[i].key >> shift & last
                other[place[k]] = table[i]
                place[k] += 1
            swap(table, other)
        shift += DIGIT
