"""Projections and the votes of buckets in Cython: the twin of refimpl/kernels/hashing.py, whose expressions stand above
the loops."""

import numpy as np

from cython.parallel cimport prange, threadid
from libc.stdint cimport int32_t, int64_t
from libcpp.algorithm cimport nth_element, sort
from libcpp.vector cimport vector

from refimpl_fast.threads cimport thread_count

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from *:
    """
    struct Voted { int64_t votes; int64_t index; };
    static inline bool operator<(const Voted& a, const Voted& b) {
        return a.votes > b.votes || (a.votes == b.votes && a.index < b.index);
    }
    """
    cppclass Voted:
        int64_t votes
        int64_t index

cdef enum:
    LANES = 64  # projections that are summed at a time: the sums stay in registers


cdef cloned_void _project(
    const double* x, const double* A, Py_ssize_t d, Py_ssize_t h, double* out
) noexcept nogil:
    # P += x[:, np.newaxis] * a
    cdef double[LANES] sums
    cdef Py_ssize_t first = 0, c, i
    while first < h:
        for i in range(LANES):
            sums[i] = 0
        if h - first >= LANES:
            for c in range(d):
                for i in range(LANES):
                    sums[i] += x[c] * A[c * h + first + i]
        else:
            for c in range(d):
                for i in range(h - first):
                    sums[i] += x[c] * A[c * h + first + i]
        for i in range(min(<Py_ssize_t> LANES, h - first)):
            out[first + i] = sums[i]
        first += LANES


def projections(const double[:, ::1] X not None, const double[:, ::1] A not None, *, threads=None):
    """X A, the sums taken in the order of the coordinates; see refimpl.kernels.projections."""
    cdef int n_threads = thread_count(threads)
    if X.shape[1] != A.shape[0]:
        raise ValueError(f"X, A: shapes {X.shape[0], X.shape[1]}, {A.shape[0], A.shape[1]} do not fit together")
    cdef double[:, ::1] P = np.zeros((len(X), A.shape[1]))
    cdef Py_ssize_t i
    if X.shape[1] and A.shape[1]:
        for i in prange(X.shape[0], nogil=True, num_threads=n_threads, schedule="static"):
            _project(&X[i, 0], &A[0, 0], X.shape[1], A.shape[1], &P[i, 0])
    return np.asarray(P)


cdef bint _fits(
    const int64_t[::1] starts, const int64_t[::1] ends, const int64_t[::1] members, int64_t bucket, int64_t n
) noexcept nogil:
    # what is read of one bucket is there; only the buckets in use are looked at
    cdef int64_t place
    cdef bint fits = -1 <= bucket < starts.shape[0]
    if not fits or bucket < 0:
        return fits
    if not 0 <= starts[bucket] <= ends[bucket] <= members.shape[0]:
        return False
    for place in range(starts[bucket], ends[bucket]):
        fits &= 0 <= members[place] < n
    return fits


cdef bint _votes(
    const int64_t[::1] starts, const int64_t[::1] ends, const int64_t[::1] members, const int64_t* mine,
    Py_ssize_t tables, int64_t n, int64_t most, int32_t* count, vector[Voted]* found
) noexcept nogil:
    # order = np.argsort(-count, kind="stable")[:min(most, np.count_nonzero(count))]
    cdef vector[int64_t] touched, of_votes
    cdef Voted one
    cdef Py_ssize_t t, place, whole = 0
    cdef size_t i
    cdef int64_t least = tables, taken = 0
    for t in range(tables):
        if not _fits(starts, ends, members, mine[t], n):
            return False
    for t in range(tables):
        if mine[t] < 0:
            continue
        for place in range(starts[mine[t]], ends[mine[t]]):
            if count[members[place]] == 0:
                touched.push_back(members[place])
            count[members[place]] += 1
    of_votes.assign(tables + 1, 0)
    for i in range(touched.size()):
        of_votes[count[touched[i]]] += 1
    while least > 1 and taken + of_votes[least] < most:  # all of more than the least votes are wanted
        taken += of_votes[least]
        least -= 1
    for i in range(touched.size()):
        one.index = touched[i]
        one.votes = count[one.index]
        count[one.index] = 0
        if one.votes >= least:
            found.push_back(one)
    whole = min(<Py_ssize_t> most, <Py_ssize_t> found.size())
    if whole < <Py_ssize_t> found.size():
        nth_element(found.begin(), found.begin() + whole, found.end())
        found.resize(whole)
    sort(found.begin(), found.end())
    return True


def bucket_votes(
    const int64_t[::1] starts not None, const int64_t[::1] ends not None, const int64_t[::1] members not None,
    const int64_t[:, ::1] buckets not None, Py_ssize_t n, int64_t most, *, threads=None
):
    """The union of each query's buckets, by votes; see refimpl.kernels.bucket_votes."""
    cdef int n_threads = thread_count(threads)
    if starts.shape[0] != ends.shape[0]:
        raise ValueError(f"starts, ends: {starts.shape[0]} and {ends.shape[0]} buckets; they must be as many")
    cdef Py_ssize_t m = buckets.shape[0], i, j
    cdef int wrong = 0
    cdef int64_t[::1] first = np.zeros(m + 1, dtype=np.int64)
    cdef int32_t[:, ::1] count = np.zeros((n_threads, max(n, 1)), dtype=np.int32)
    cdef vector[vector[Voted]] found
    found.resize(m)
    if most > 0 and buckets.shape[1]:
        for i in prange(m, nogil=True, num_threads=n_threads, schedule="dynamic"):
            wrong += not _votes(starts, ends, members, &buckets[i, 0], buckets.shape[1], n, most,
                                &count[threadid(), 0], &found[i])
    if wrong:
        raise ValueError(f"starts, ends, members, buckets: {wrong} queries lead to points or buckets that do not exist")
    for i in range(m):
        first[i + 1] = first[i] + <int64_t> found[i].size()
    cdef int64_t[::1] indices = np.empty(first[m], dtype=np.int64), votes = np.empty(first[m], dtype=np.int64)
    for i in range(m):
        for j in range(<Py_ssize_t> found[i].size()):
            indices[first[i] + j], votes[first[i] + j] = found[i][j].index, found[i][j].votes
    return np.asarray(first), np.asarray(indices), np.asarray(votes)
