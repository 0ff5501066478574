# Types of refimpl_fast.stumps: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.kernels.stumps import SortedFeatures
from refimpl.typing import BoolArray, FloatArray, IntArray

__all__ = ["add_similarity", "best_stump", "presort"]

def add_similarity(
    S: FloatArray,
    Q: FloatArray,
    X: FloatArray,
    alpha: FloatArray,
    feature: IntArray,
    polarity: IntArray,
    threshold: FloatArray,
    *,
    threads: int | None = None,
) -> None: ...
def best_stump(
    features: SortedFeatures, w: FloatArray, l: BoolArray, *, threads: int | None = None
) -> tuple[float, int, int, float]: ...
def presort(
    A: FloatArray, B: FloatArray | None = None, *, threads: int | None = None
) -> SortedFeatures: ...
