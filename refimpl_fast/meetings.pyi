# Types of refimpl_fast.meetings: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import FloatArray, Int32Array, IntArray, UInt8Array

__all__ = ["meet_pairs"]

def meet_pairs(
    leaf: IntArray,
    first: Int32Array,
    second: Int32Array,
    similar: UInt8Array,
    T: FloatArray,
    c: float,
    *,
    threads: int | None = None,
) -> tuple[Int32Array, Int32Array, UInt8Array, FloatArray]: ...
