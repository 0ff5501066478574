# Types of refimpl_fast.stumps: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.kernels.sorting import SortedFeatures
from refimpl.typing import BoolArray, FloatArray

__all__ = ["best_stump"]

def best_stump(
    features: SortedFeatures, w: FloatArray, l: BoolArray, *, threads: int | None = None
) -> tuple[float, int, int, float]: ...
