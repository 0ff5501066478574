# Types of refimpl_fast.scan: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import FloatArray, IntArray

__all__ = ["weighted_l1", "weighted_l1_nearest"]

def weighted_l1(
    Q: FloatArray, A: FloatArray, X: FloatArray, *, threads: int | None = None
) -> FloatArray: ...
def weighted_l1_nearest(
    Q: FloatArray, A: FloatArray, X: FloatArray, k: int, *, threads: int | None = None
) -> tuple[FloatArray, IntArray]: ...
