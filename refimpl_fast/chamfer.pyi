# Types of refimpl_fast.chamfer: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import BoolArray, FloatArray, IntArray

__all__ = ["chamfer_distances", "chamfer_nearest"]

def chamfer_distances(A: BoolArray, B: BoolArray, *, threads: int | None = None) -> FloatArray: ...
def chamfer_nearest(
    Q: BoolArray, X: BoolArray, k: int, *, threads: int | None = None
) -> tuple[FloatArray, IntArray]: ...
