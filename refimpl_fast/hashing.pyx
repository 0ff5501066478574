"""Projections and the votes of buckets in Cython: the twin of refimpl/kernels/hashing.py.

The reference's expressions stand above the loops.
"""

import numpy as np

from libc.stdint cimport int64_t, uint32_t
from libcpp.algorithm cimport nth_element, sort
from libcpp.vector cimport vector

from refimpl_fast.threads cimport Loop, team, thread_count, worth

from refimpl.kernels.contract import checked
from refimpl.kernels.hashing import require_buckets

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef extern from *:
    """
    #include <new>
    #include <vector>
    // the votes of a point, and 1 + the last table that voted for it
    struct Count { uint32_t votes, table; };
    struct Voted { int64_t votes; int64_t index; };
    static inline bool operator<(const Voted& a, const Voted& b) {
        return a.votes > b.votes || (a.votes == b.votes && a.index < b.index);
    }
    // false where there is no memory left
    template <class T> static inline bool push(std::vector<T>& list, T value) {
        try {
            list.push_back(value);
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }
    """
    cppclass Count:
        uint32_t votes, table
    cppclass Voted:
        int64_t votes
        int64_t index
    bint push[T](vector[T]& list, T one) noexcept nogil

cdef enum:
    FOUND, DAMAGED, NO_MEMORY  # how a query ends

cdef enum:
    LANES = 64  # projections that are summed at a time: the sums stay in registers
    CHUNK_NUMBERS = 1048576  # products that a thread adds before it takes further steps


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


cdef class _Project(Loop):
    """Step i projects row i of X."""

    cdef const double[:, ::1] X, A
    cdef double[:, ::1] P

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        _project(&self.X[i, 0], &self.A[0, 0], self.A.shape[0], self.A.shape[1], &self.P[i, 0])


@checked
def projections(const double[:, ::1] X not None, const double[:, ::1] A not None, *, threads=None):
    """Compute X A, adding in the order of the coordinates.

    See :func:`refimpl.kernels.projections`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = X.shape[0], d = A.shape[0], h = A.shape[1]
    cdef _Project loop = _Project()
    loop.X, loop.A, loop.P = X, A, np.zeros((n, h))
    if d and h:
        loop.run(n, worth(n_threads, n * d * h // 8), max(<Py_ssize_t> 1, CHUNK_NUMBERS // (d * h)))
    return np.asarray(loop.P)


cdef class _Votes(Loop):
    """Step i counts the votes of query i: found[i], in order."""

    cdef const int64_t[::1] starts, ends, members
    cdef const int64_t[:, ::1] buckets
    cdef int64_t n, most
    cdef vector[int64_t] of_votes  # tables + 1 numbers for each thread
    cdef vector[vector[int64_t]] touched  # a list for each thread
    cdef uint32_t[:, :, ::1] count  # a pair for each point and thread, all 0 between two queries
    cdef vector[vector[Voted]] found
    cdef int[::1] outcome

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        cdef Py_ssize_t tables = self.buckets.shape[1]
        cdef Count* count = <Count*> &self.count[thread, 0, 0]
        cdef size_t j
        self.touched[thread].clear()
        self.outcome[i] = self._collect(&self.buckets[i, 0], count, self.touched[thread])
        if self.outcome[i] == FOUND:
            self.outcome[i] = _choose(
                count, self.touched[thread], &self.of_votes[thread * (tables + 1)], tables,
                self.most, self.found[i]
            )
        for j in range(self.touched[thread].size()):
            count[self.touched[thread][j]].votes = count[self.touched[thread][j]].table = 0

    cdef int _collect(
        self, const int64_t* mine, Count* count, vector[int64_t]& touched
    ) noexcept nogil:
        # held = [np.unique(members[starts[bucket] : ends[bucket]]) for bucket in mine[mine >= 0]]
        # found, count = np.unique(np.concatenate(held), return_counts=True)
        cdef Py_ssize_t t, place
        cdef int64_t point
        for t in range(self.buckets.shape[1]):
            if mine[t] < 0:
                continue
            if not 0 <= self.starts[mine[t]] <= self.ends[mine[t]] <= self.members.shape[0]:
                return DAMAGED
            for place in range(self.starts[mine[t]], self.ends[mine[t]]):
                point = self.members[place]
                if not 0 <= point < self.n:
                    return DAMAGED
                if count[point].votes == 0 and not push(touched, point):
                    return NO_MEMORY
                count[point].votes += count[point].table != t + 1
                count[point].table = <uint32_t> (t + 1)
        return FOUND


cdef int _choose(
    const Count* count, const vector[int64_t]& touched, int64_t* of_votes, Py_ssize_t tables,
    int64_t most, vector[Voted]& found
) noexcept nogil:
    # order = np.argsort(-count, kind="stable")[:most]
    cdef Voted one
    cdef int64_t least = tables, taken = 0
    cdef Py_ssize_t whole
    cdef size_t i
    for i in range(<size_t> (tables + 1)):
        of_votes[i] = 0
    for i in range(touched.size()):
        of_votes[count[touched[i]].votes] += 1
    # every point with more votes than the least is kept
    while least > 1 and taken + of_votes[least] < most:
        taken += of_votes[least]
        least -= 1
    for i in range(touched.size()):
        one.index = touched[i]
        one.votes = count[one.index].votes
        if one.votes >= least and not push(found, one):
            return NO_MEMORY
    whole = <Py_ssize_t> found.size()
    if most < whole:
        nth_element(found.begin(), found.begin() + most, found.end())
        found.erase(found.begin() + most, found.end())
    sort(found.begin(), found.end())
    return FOUND


@checked
def bucket_votes(
    const int64_t[::1] starts not None, const int64_t[::1] ends not None,
    const int64_t[::1] members not None, const int64_t[:, ::1] buckets not None, Py_ssize_t n,
    int64_t most, *, threads=None
):
    """Collect the points in each query's buckets, by the number of buckets that hold them.

    See :func:`refimpl.kernels.bucket_votes`.
    """
    cdef Py_ssize_t m = buckets.shape[0], tables = buckets.shape[1], counted = n, i, j
    if n > members.shape[0]:  # not every point is a member: there may be far fewer than n
        counted = 1 + min(n - 1, <Py_ssize_t> np.max(members, initial=0))
    # as many looks at members as there are if the buckets are of equal size
    cdef Py_ssize_t n_buckets = max(<Py_ssize_t> 1, starts.shape[0])
    cdef double looks = <double> m * tables * members.shape[0] / n_buckets
    cdef int n_threads = worth(team(thread_count(threads), m), <Py_ssize_t> min(looks, 1e15))
    cdef _Votes loop = _Votes()
    cdef int64_t[::1] first = np.zeros(m + 1, dtype=np.int64)
    loop.starts = starts
    loop.ends = ends
    loop.members = members
    loop.buckets = buckets
    loop.n = n
    loop.most = most
    loop.of_votes.resize(n_threads * (tables + 1))
    loop.touched.resize(n_threads)
    loop.count = np.zeros((n_threads, max(counted, 1), 2), dtype=np.uint32)
    loop.found.resize(m)
    loop.outcome = np.zeros(m, dtype=np.intc)
    if tables:
        loop.run(m, n_threads)
    for i in range(m):
        if loop.outcome[i] == DAMAGED:
            require_buckets(
                np.asarray(starts), np.asarray(ends), np.asarray(members), np.asarray(buckets[i]), n
            )
        if loop.outcome[i] == NO_MEMORY:
            raise MemoryError("there is no memory for the points that the buckets hold")
    for i in range(m):
        first[i + 1] = first[i] + <int64_t> loop.found[i].size()
    cdef int64_t[::1] indices = np.empty(first[m], dtype=np.int64)
    cdef int64_t[::1] votes = np.empty(first[m], dtype=np.int64)
    for i in range(m):
        for j in range(<Py_ssize_t> loop.found[i].size()):
            indices[first[i] + j] = loop.found[i][j].index
            votes[first[i] + j] = loop.found[i][j].votes
    return np.asarray(first), np.asarray(indices), np.asarray(votes)
