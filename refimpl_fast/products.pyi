# Types of refimpl_fast.products: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import FloatArray

__all__ = ["matrix_vector", "vector_matrix"]

def matrix_vector(A: FloatArray, v: FloatArray, *, threads: int | None = None) -> FloatArray: ...
def vector_matrix(u: FloatArray, A: FloatArray, *, threads: int | None = None) -> FloatArray: ...
