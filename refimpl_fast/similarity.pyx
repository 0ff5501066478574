"""The sums of decision stumps in Cython: the twin of refimpl/kernels/similarity.py.

The reference's expressions stand above the loops.
"""

import numpy as np

from libc.stdint cimport int64_t

from refimpl_fast.threads cimport Loop, thread_count, worth
from refimpl_fast.vectors cimport vector

from refimpl.kernels.contract import checked

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef enum:
    LANES = 32  # training vectors that one query is compared with at a time: they stay in registers
    # queries that one thread takes at a time, while a block of training vectors stays in cache
    QUERIES = 32


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
            # BD:eq2, BD:eq3, BD:eq4, BD:eqA.1, BD:A.3:4
            total[i] = total[i] + (a if y_t - x[t * LANES + i] < theta_t else 0.0)
    for i in range(n):
        s[i] = total[i]
