# Types of refimpl_fast.growing: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.kernels.growing import BallTree
from refimpl.typing import Direction, FloatArray

__all__ = ["build_tree"]

def build_tree(
    X: FloatArray,
    *,
    leaf_size: int = 128,
    direction: Direction = "axis",
    threads: int | None = None,
) -> BallTree: ...
