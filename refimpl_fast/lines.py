"""Arrays that begin at a line of the cache.

NumPy's own begin 16 bytes after one. Each load of a vector of 64 bytes then takes parts of two
lines, and lasts up to twice as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

LINE = 64  # bytes


def on_lines(
    make: Callable[..., NDArray[Any]], shape: int | tuple[int, ...], dtype: Any = np.float64
) -> NDArray[Any]:
    """Return the C-contiguous array that `make`, np.empty or np.zeros, would return, on a line."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = make(size + LINE, dtype=np.uint8)
    first = -room.__array_interface__["data"][0] % LINE
    array: NDArray[Any] = room[first : first + size].view(dtype).reshape(shape)
    return array
