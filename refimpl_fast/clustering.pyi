# Types of refimpl_fast.clustering: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.rivals.kmeans_trees import KMeansTrees
from refimpl.typing import FloatArray, IntArray

__all__ = ["best_bin_first", "lloyd", "tree_leaves"]

def best_bin_first(
    trees: KMeansTrees, Q: FloatArray, most: int, *, threads: int | None = None
) -> tuple[IntArray, IntArray, IntArray]: ...
def lloyd(
    X: FloatArray,
    rows: IntArray,
    centres: FloatArray,
    iterations: int,
    *,
    threads: int | None = None,
) -> tuple[FloatArray, IntArray]: ...
def tree_leaves(trees: KMeansTrees, Q: FloatArray, *, threads: int | None = None) -> IntArray: ...
