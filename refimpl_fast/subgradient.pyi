# Types of refimpl_fast.subgradient: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import FloatArray, IntArray

__all__ = ["hinge_terms", "impostors", "pair_distances", "weighted_differences"]

def hinge_terms(
    targets: FloatArray, pairs: FloatArray, start: IntArray, h: float, *, threads: int | None = None
) -> tuple[FloatArray, FloatArray, IntArray, FloatArray, FloatArray]: ...
def impostors(
    Q: FloatArray,
    X: FloatArray,
    radii: FloatArray,
    classes_Q: IntArray,
    classes_X: IntArray,
    *,
    threads: int | None = None,
) -> tuple[IntArray, IntArray]: ...
def pair_distances(
    Z: FloatArray, first: IntArray, second: IntArray, *, threads: int | None = None
) -> FloatArray: ...
def weighted_differences(
    Z: FloatArray,
    start: IntArray,
    other: IntArray,
    edge: IntArray,
    weights: FloatArray,
    *,
    threads: int | None = None,
) -> FloatArray: ...
