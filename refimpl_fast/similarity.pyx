"""The sums of decision stumps in Cython: the twin of refimpl/kernels/similarity.py.

The reference's expressions stand above the loops.
"""

import numpy as np

from libc.stdint cimport int64_t

from refimpl_fast.lines import on_lines
from refimpl_fast.threads cimport Loop, thread_count, worth
from refimpl_fast.vectors cimport vector

from refimpl.kernels.contract import checked

cdef extern from "cutoffs.h":
    void refimpl_cutoffs(
        const double* y, const double* theta, Py_ssize_t T, double* cut
    ) noexcept nogil

cdef extern from "fetch.h":
    void fetch(const char* place, Py_ssize_t bytes) noexcept nogil

cdef extern from "widths.h":
    enum:
        LANES "REFIMPL_VOTES"  # training vectors that one query is compared with at a time
    void add_votes(
        const double* cut, const double* x, const double* alpha, Py_ssize_t T, double* sums
    ) noexcept nogil

cdef enum:
    # queries that one thread takes at a time, while a block of training vectors stays in cache
    QUERIES = 32


cdef class _Turn(Loop):
    """Step i puts training vector i into its block: block b, stump t, lane i % LANES."""

    cdef const double[:, ::1] X
    cdef const int64_t[::1] feature
    cdef const double[::1] sign
    cdef double[:, :, ::1] blocks

    cdef void at(self, Py_ssize_t i, int thread) noexcept nogil:
        _signed(
            &self.X[i, 0], &self.feature[0], &self.sign[0], self.sign.shape[0],
            &self.blocks[i // LANES, 0, i % LANES], LANES
        )


cdef class _Add(Loop):
    """Step k adds to the rows of S of the queries from k * QUERIES on."""

    cdef double[:, ::1] S
    cdef const double[:, ::1] Q
    cdef const double[:, :, ::1] blocks
    cdef const double[::1] alpha, sign, theta
    cdef const int64_t[::1] feature
    cdef Py_ssize_t ahead  # how far off the thread's next query lies that is in the same place

    cdef void at(self, Py_ssize_t k, int thread) noexcept nogil:
        cdef Py_ssize_t first = k * QUERIES, last = min(self.Q.shape[0], first + QUERIES)
        cdef Py_ssize_t q, b, T = self.alpha.shape[0]
        cdef vector[double] y, cut
        y.resize(T)
        cut.resize((last - first) * T)
        for q in range(first, last):
            _signed(&self.Q[q, 0], &self.feature[0], &self.sign[0], T, y.data(), 1)
            refimpl_cutoffs(y.data(), &self.theta[0], T, &cut[(q - first) * T])
        for b in range(self.blocks.shape[0]):
            for q in range(first, last):
                self.fetch_next(q, last, b)
                _add_lanes(
                    &self.S[q, b * LANES], &cut[(q - first) * T], &self.blocks[b, 0, 0],
                    &self.alpha[0], T, min(LANES, self.S.shape[1] - b * LANES)
                )

    cdef inline void fetch_next(self, Py_ssize_t q, Py_ssize_t last, Py_ssize_t b) noexcept nogil:
        """Ask for the next query's sums, and for a part of what the thread's next step reads."""
        cdef Py_ssize_t t, T = self.alpha.shape[0], n_blocks = self.blocks.shape[0]
        if q + 1 < last:
            fetch(<const char*> &self.S[q + 1, b * LANES], LANES * sizeof(double))
        if q + self.ahead < self.Q.shape[0]:
            for t in range(b * T // n_blocks, (b + 1) * T // n_blocks):
                fetch(<const char*> &self.Q[q + self.ahead, self.feature[t]], 1)


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
    cdef Py_ssize_t t, T = alpha.shape[0], n_Q = Q.shape[0], n_X = X.shape[0]
    if T == 0 or n_Q == 0 or n_X == 0:
        return
    # p (q - x) < p theta is (p q - p x) < p theta: with the signs put in beforehand, one test
    # serves both, and for each query it is whether p x exceeds a number
    cdef double[::1] sign = np.empty(T), theta = np.empty(T)
    for t in range(T):
        sign[t] = polarity[t]
        theta[t] = sign[t] * threshold[t]
    cdef _Turn turn = _Turn()
    turn.X, turn.feature, turn.sign = X, feature, sign
    # values beyond the last vector are never stored
    turn.blocks = on_lines(np.zeros, (-(-n_X // LANES), T, LANES))
    turn.run(n_X, worth(n_threads, n_X * T))
    cdef _Add add = _Add()
    add.S, add.Q, add.blocks = S, Q, turn.blocks
    add.alpha, add.feature, add.sign, add.theta = alpha, feature, sign, theta
    # sixteen sums at a time
    n_threads = worth(n_threads, n_Q * n_X * T // 16)
    add.ahead = n_threads * QUERIES
    add.run((n_Q + QUERIES - 1) // QUERIES, n_threads, 1)


cdef void _signed(
    const double* row, const int64_t* feature, const double* sign, Py_ssize_t T, double* out,
    Py_ssize_t stride
) noexcept nogil:
    # p * row[f], for every stump
    cdef Py_ssize_t t
    for t in range(T):
        out[t * stride] = sign[t] * row[feature[t]]


cdef void _add_lanes(
    double* s, const double* cut, const double* x, const double* alpha, Py_ssize_t T, Py_ssize_t n
) noexcept nogil:
    # S += np.where(p * difference < p * theta, a, 0.0)
    # for one query and up to LANES training vectors
    cdef double[LANES] total
    cdef Py_ssize_t i
    if n == LANES:
        add_votes(cut, x, alpha, T, s)  # BD:eq2, BD:eq3, BD:eq4, BD:eqA.1, BD:A.3:4
        return
    for i in range(LANES):
        total[i] = s[i] if i < n else 0
    add_votes(cut, x, alpha, T, total)
    for i in range(n):
        s[i] = total[i]
