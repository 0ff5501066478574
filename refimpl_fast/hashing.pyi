# Types of refimpl_fast.hashing: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import FloatArray, IntArray

__all__ = ["bucket_votes", "projections"]

def bucket_votes(
    starts: IntArray,
    ends: IntArray,
    members: IntArray,
    buckets: IntArray,
    n: int,
    most: int,
    *,
    threads: int | None = None,
) -> tuple[IntArray, IntArray, IntArray]: ...
def projections(X: FloatArray, A: FloatArray, *, threads: int | None = None) -> FloatArray: ...
