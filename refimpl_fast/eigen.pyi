# Types of refimpl_fast.eigen: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import FloatArray, Int32Array

__all__ = ["leading_direction"]

def leading_direction(
    x: FloatArray,
    first: Int32Array,
    second: Int32Array,
    v: FloatArray,
    base: float,
    start: FloatArray,
    tol: float,
    *,
    threads: int | None = None,
) -> FloatArray: ...
