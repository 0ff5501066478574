# Types of refimpl_fast.stumps: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import BoolArray, FloatArray
from refimpl.kernels.sorting import SortedFeatures

__all__ = ["best_stump"]

def best_stump(
    features: SortedFeatures, w: FloatArray, l: BoolArray, *, threads: int | None = None
) -> tuple[float, int, int, float]: ...
