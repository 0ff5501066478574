# Types of refimpl_fast.hamming: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import Int32Array, IntArray, UInt64Array

__all__ = ["hamming_distances", "hamming_nearest", "hamming_within"]

def hamming_distances(
    Q: UInt64Array, X: UInt64Array, *, threads: int | None = None
) -> Int32Array: ...
def hamming_nearest(
    Q: UInt64Array, X: UInt64Array, k: int, *, threads: int | None = None
) -> tuple[Int32Array, IntArray]: ...
def hamming_within(
    Q: UInt64Array, X: UInt64Array, radii: IntArray, *, threads: int | None = None
) -> tuple[IntArray, IntArray, Int32Array]: ...
