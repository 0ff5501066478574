# Types of refimpl_fast.trees: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import FloatArray, IntArray
from refimpl.kernels.growing import BallTree
from refimpl.kernels.trees import Bound

__all__ = ["scan_nearest", "tree_nearest", "tree_within"]

def scan_nearest(
    Q: FloatArray,
    X: FloatArray,
    k: int,
    *,
    skip: IntArray | None = None,
    threads: int | None = None,
) -> tuple[FloatArray, IntArray, IntArray]: ...
def tree_nearest(
    tree: BallTree,
    Q: FloatArray,
    k: int,
    *,
    skip: IntArray | None = None,
    bound: Bound = "box",
    threads: int | None = None,
) -> tuple[FloatArray, IntArray, IntArray]: ...
def tree_within(
    tree: BallTree,
    Q: FloatArray,
    limits: FloatArray,
    *,
    strict: bool = False,
    skip: IntArray | None = None,
    bound: Bound = "box",
    threads: int | None = None,
) -> tuple[IntArray, IntArray, FloatArray, IntArray]: ...
