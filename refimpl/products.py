"""Products of matrices and vectors whose rounding does not depend on the number of threads.

BLAS divides a large product among its threads, and with the parts the order of summation changes. ``np.einsum`` adds in
one order, on one thread; from memory it is as fast.

Not handled here: products of matrices, where BLAS is far faster.
"""

import numpy as np

__all__ = ["length", "times_vector", "vector_times"]


def times_vector(A, v):
    """A v: ndarray, shape (n,), of A, shape (n, d)."""
    return np.einsum("ij,j->i", A, v)


def vector_times(u, A):
    """u^T A: ndarray, shape (d,), of A, shape (n, d)."""
    return np.einsum("i,ij->j", u, A)


def length(v):
    """The Euclidean length of a vector."""
    return np.sqrt(np.einsum("i,i", v, v))
