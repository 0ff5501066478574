"""Products of matrices and vectors whose rounding does not depend on the number of threads.

BLAS divides a large product among its threads, and with the parts the order of summation changes. ``np.einsum`` adds in
one order, on one thread; from memory it is as fast.

Not handled here: products of matrices, where BLAS is far faster.
"""

import numpy as np

__all__ = ["length", "times_vector", "vector_times"]

LARGE = 2**15  # numbers of a matrix for which a kernel pays


def times_vector(A, v, kernels=None, threads=None):
    """A v: ndarray, shape (n,), of A, shape (n, d). If A is large and `kernels` are given, threads share it."""
    if kernels is None or A.size < LARGE:
        return np.einsum("ij,j->i", A, v)
    return kernels.matrix_vector(A, v, threads=threads)


def vector_times(u, A, kernels=None, threads=None):
    """u^T A: ndarray, shape (d,), of A, shape (n, d). If A is large and `kernels` are given, threads share it."""
    if kernels is None or A.size < LARGE:
        return np.einsum("i,ij->j", u, A)
    return kernels.vector_matrix(u, A, threads=threads)


def length(v):
    """The Euclidean length of a vector."""
    return np.sqrt(np.einsum("i,i", v, v))
