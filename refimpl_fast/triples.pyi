# Types of refimpl_fast.triples: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.typing import FloatArray, Int32Array, IntArray

__all__ = [
    "best_ranges",
    "margin_sums",
    "minimize_z",
    "next_weights",
    "weighted_errors",
    "z_values",
]

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
def minimize_z(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    w: FloatArray,
    least: FloatArray,
    S: FloatArray | None = None,
    *,
    threads: int | None = None,
) -> tuple[FloatArray, FloatArray]: ...
def next_weights(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    w: FloatArray,
    alpha: float,
    *,
    threads: int | None = None,
) -> tuple[FloatArray, float]: ...
def weighted_errors(
    F: FloatArray, triples: Int32Array, y: FloatArray, w: FloatArray, *, threads: int | None = None
) -> FloatArray: ...
def z_values(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    w: FloatArray,
    alpha: FloatArray,
    S: FloatArray | None = None,
    *,
    threads: int | None = None,
) -> FloatArray: ...
