# Types of refimpl_fast.planes: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import BoolArray, FloatArray, Int32Array, Points

__all__ = ["best_plane"]

def best_plane(
    X: Points,
    first: Int32Array,
    second: Int32Array,
    v: FloatArray,
    base: float,
    start: FloatArray,
    augment: float,
    tol: float,
    offset: str,
    refine: int,
    *,
    threads: int | None = None,
) -> tuple[Points, float, BoolArray]: ...
