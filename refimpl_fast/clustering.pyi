# Types of refimpl_fast.clustering: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import FloatArray, IntArray
from refimpl.kernels.clustering import RegionTrees

__all__ = ["best_bin_first", "lloyd", "tree_leaves"]

def best_bin_first(
    trees: RegionTrees, Q: FloatArray, most: int, *, threads: int | None = None
) -> tuple[IntArray, IntArray, IntArray]: ...
def lloyd(
    X: FloatArray,
    rows: IntArray,
    centres: FloatArray,
    iterations: int,
    *,
    threads: int | None = None,
) -> tuple[FloatArray, IntArray]: ...
def tree_leaves(trees: RegionTrees, Q: FloatArray, *, threads: int | None = None) -> IntArray: ...
