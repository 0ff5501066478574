# Types of refimpl_fast.landmarks: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import BoolArray, FloatArray, IntArray

__all__ = ["least_similar", "transferred_differences"]

def least_similar(
    sums: FloatArray, column: FloatArray, taken: BoolArray, *, threads: int | None = None
) -> int: ...
def transferred_differences(
    K: FloatArray,
    plus: IntArray,
    minus: IntArray,
    slopes: FloatArray,
    *,
    threads: int | None = None,
) -> FloatArray: ...
