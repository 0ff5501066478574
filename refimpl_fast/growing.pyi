# Types of refimpl_fast.growing: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import FloatArray
from refimpl.kernels.growing import BallTree, Direction

__all__ = ["build_tree"]

def build_tree(
    X: FloatArray,
    *,
    leaf_size: int = 128,
    direction: Direction = "axis",
    threads: int | None = None,
) -> BallTree: ...
