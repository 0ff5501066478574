"""The loops of products, for the modules that multiply in steps of their own; see products.pyx."""

from refimpl_fast.threads cimport Loop

cdef enum:
    ROWS = 1024  # rows that a thread takes at a time

cdef void row_sums(
    const double* A, const double* v, Py_ssize_t n, Py_ssize_t d, double* out
) noexcept nogil
cdef void column_sums(
    const double* u, const double* A, Py_ssize_t n, Py_ssize_t d, double* out
) noexcept nogil


cdef class Rows(Loop):
    cdef const double* A
    cdef const double* v
    cdef double* out
    cdef Py_ssize_t n, d
    cdef void at(self, Py_ssize_t t, int thread) noexcept nogil


cdef class Columns(Loop):
    cdef const double* u
    cdef const double* A
    cdef double* out
    cdef Py_ssize_t n, d, width
    cdef void at(self, Py_ssize_t t, int thread) noexcept nogil
