# Types of refimpl_fast.triples: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import FloatArray, Int32Array, IntArray

__all__ = ["best_ranges", "margin_sums", "weighted_errors"]

def best_ranges(
    values: FloatArray,
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    w: FloatArray,
    thresholds: FloatArray,
    ranges: IntArray,
    *,
    threads: int | None = None,
) -> tuple[FloatArray, IntArray]: ...
def margin_sums(
    F: FloatArray, triples: Int32Array, y: FloatArray, w: FloatArray, *, threads: int | None = None
) -> FloatArray: ...
def weighted_errors(
    F: FloatArray, triples: Int32Array, y: FloatArray, w: FloatArray, *, threads: int | None = None
) -> FloatArray: ...
