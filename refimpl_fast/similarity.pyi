# Types of refimpl_fast.similarity: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import FloatArray, IntArray

__all__ = ["add_similarity"]

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
