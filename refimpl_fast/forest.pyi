# Types of refimpl_fast.forest: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import BoolArray, FloatArray, Int32Array, IntArray, Points
from refimpl.kernels.forest import SearchForest

__all__ = ["forest_words", "gather_candidates", "plane_values", "rerank"]

def forest_words(forest: SearchForest, X: Points, *, threads: int | None = None) -> Int32Array: ...
def gather_candidates(
    starts: IntArray,
    items: Int32Array,
    alive: BoolArray,
    words: Int32Array,
    c: FloatArray,
    most: int,
    *,
    counters: FloatArray | None = None,
    threads: int | None = None,
) -> tuple[IntArray, IntArray, FloatArray]: ...
def plane_values(X: Points, p: Points, *, threads: int | None = None) -> FloatArray: ...
def rerank(
    Q: Points, X: Points, offsets: IntArray, rows: IntArray, k: int, *, threads: int | None = None
) -> tuple[FloatArray, IntArray]: ...
