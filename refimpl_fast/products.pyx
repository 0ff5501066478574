"""Products of a matrix and a vector in Cython: the twin of refimpl/kernels/products.py.

The reference's expressions stand above the loops.

The reference's order of summation is kept.
"""

import numpy as np

from refimpl_fast cimport orders
from refimpl_fast.threads cimport Loop, thread_count, worth

from refimpl.kernels.contract import checked

cdef extern from "clones.h":
    ctypedef void cloned_void "REFIMPL_CLONES void"

cdef enum:
    # columns that a thread takes at a time, in vector_matrix: short pieces of rows are read slowly
    WIDTH = 512


cdef cloned_void _row_sums(
    const double* A, const double* v, Py_ssize_t n, Py_ssize_t d, double* out
) noexcept nogil:
    # lanes += products[:, c : c + 2]
    orders.row_sums(A, v, n, d, out)


cdef cloned_void _panel_sums(
    const double* u, const double* A, Py_ssize_t n, Py_ssize_t d, Py_ssize_t width, double* out
) noexcept nogil:
    # np.add.accumulate(rows, axis=0)[-1]
    orders.panel_sums(u, A, n, d, width, out)


cdef void row_sums(
    const double* A, const double* v, Py_ssize_t n, Py_ssize_t d, double* out
) noexcept nogil:
    """out = A v, for A of n rows and d columns"""
    _row_sums(A, v, n, d, out)


cdef void column_sums(
    const double* u, const double* A, Py_ssize_t n, Py_ssize_t d, double* out
) noexcept nogil:
    """out = u^T A, for A of n rows and d columns"""
    cdef Py_ssize_t c = 0, width
    while c < d:
        width = min(d - c, <Py_ssize_t> orders.COLUMNS)
        _panel_sums(u, A + c, n, d, width, out + c)
        c += width


cdef class Rows(Loop):
    """Step t multiplies a part of the rows by a vector."""

    cdef void at(self, Py_ssize_t t, int thread) noexcept nogil:
        cdef Py_ssize_t first = t * ROWS
        _row_sums(
            self.A + first * self.d, self.v, min(self.n - first, <Py_ssize_t> ROWS), self.d,
            self.out + first
        )


cdef class Columns(Loop):
    """Step t multiplies a vector by a part of the columns."""

    cdef void at(self, Py_ssize_t t, int thread) noexcept nogil:
        cdef Py_ssize_t first = t * self.width
        _panel_sums(
            self.u, self.A + first, self.n, self.d, min(self.d - first, self.width),
            self.out + first
        )


@checked
def matrix_vector(const double[:, ::1] A not None, const double[::1] v not None, *, threads=None):
    """Compute A v.

    See :func:`refimpl.kernels.matrix_vector`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = A.shape[0], d = A.shape[1]
    cdef double[::1] out = np.zeros(n)
    cdef Rows loop = Rows()
    if n and d:
        loop.A, loop.v, loop.out, loop.n, loop.d = &A[0, 0], &v[0], &out[0], n, d
        loop.run((n + ROWS - 1) // ROWS, worth(n_threads, n * d), 1)
    return np.asarray(out)


@checked
def vector_matrix(const double[::1] u not None, const double[:, ::1] A not None, *, threads=None):
    """Compute u^T A, adding the rows u_i A_i in their order.

    See :func:`refimpl.kernels.vector_matrix`.
    """
    cdef int n_threads = thread_count(threads)
    cdef Py_ssize_t n = A.shape[0], d = A.shape[1]
    cdef double[::1] out = np.zeros(d)
    cdef Columns loop = Columns()
    if n and d:
        loop.u, loop.A, loop.out, loop.n, loop.d = &u[0], &A[0, 0], &out[0], n, d
        loop.width = WIDTH
        loop.run((d + WIDTH - 1) // WIDTH, worth(n_threads, n * d), 1)
    return np.asarray(out)
