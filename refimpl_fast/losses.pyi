# Types of refimpl_fast.losses: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import FloatArray, Int32Array

__all__ = ["minimize_z", "next_weights", "z_values"]

def minimize_z(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    margin: FloatArray,
    least: FloatArray,
    S: FloatArray | None = None,
    *,
    threads: int | None = None,
) -> tuple[FloatArray, FloatArray]: ...
def next_weights(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    margin: FloatArray,
    alpha: float,
    *,
    threads: int | None = None,
) -> tuple[FloatArray, FloatArray, float]: ...
def z_values(
    F: FloatArray,
    triples: Int32Array,
    y: FloatArray,
    margin: FloatArray,
    alpha: FloatArray,
    S: FloatArray | None = None,
    *,
    threads: int | None = None,
) -> FloatArray: ...
