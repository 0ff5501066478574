# Types of refimpl_fast.pairs: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import BoolArray, FloatArray, Int32Array, WeightedPairs

__all__ = ["best_thresholds", "pair_product", "split_pairs"]

def best_thresholds(
    A: FloatArray,
    first: Int32Array,
    second: Int32Array,
    v: FloatArray,
    base: float,
    *,
    threads: int | None = None,
) -> tuple[FloatArray, FloatArray]: ...
def pair_product(
    first: Int32Array,
    second: Int32Array,
    v: FloatArray,
    u: FloatArray,
    *,
    threads: int | None = None,
) -> FloatArray: ...
def split_pairs(
    left: BoolArray,
    first: Int32Array,
    second: Int32Array,
    v: FloatArray,
    *,
    threads: int | None = None,
) -> tuple[WeightedPairs, WeightedPairs]: ...
