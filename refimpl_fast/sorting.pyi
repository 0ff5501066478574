# Types of refimpl_fast.sorting: made by tests/support/stubs.py from refimpl.kernels.

from refimpl.arrays import FloatArray
from refimpl.kernels.sorting import SortedFeatures

__all__ = ["presort"]

def presort(
    A: FloatArray, B: FloatArray | None = None, *, threads: int | None = None
) -> SortedFeatures: ...
