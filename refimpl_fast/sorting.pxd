"""What presort leaves to best_stump beside the sorted features; see sorting.pyx."""

from libc.stdint cimport uint32_t

from refimpl_fast.vectors cimport vector

cdef extern from "columns.h":
    cppclass Column:
        vector[uint32_t] order
        vector[uint32_t] ends
        vector[uint32_t] b_code
        vector[uint32_t] bin
        uint32_t common
        uint32_t n_v
        uint32_t n_bins


cdef class Shared:
    cdef vector[Column] columns
