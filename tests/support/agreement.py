"""Bit-for-bit comparison of kernel modules and of what they return."""

import dataclasses

import numpy as np

import refimpl.kernels

try:
    import refimpl_fast
except ImportError:  # tests/kernels/test_stumps.py checks that this failure is loud
    refimpl_fast = None

KERNELS = [refimpl.kernels] + ([refimpl_fast] if refimpl_fast is not None else [])
ARRAYS = ("rows", "row_ptr", "starts", "bin_ptr", "common", "common_row")


class Difference(AssertionError):
    """Two results differ; the message says where."""


def assert_same(a, b, name="result"):
    """Equal type, shape and bits, of results and of all that they hold; any NaN is as good."""
    if dataclasses.is_dataclass(a) and type(a) is type(b):
        for field in dataclasses.fields(a):
            assert_same(getattr(a, field.name), getattr(b, field.name), f"{name}.{field.name}")
        return
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        if len(a) != len(b):
            raise Difference(f"{name}: {len(a)} and {len(b)} parts")
        for place, (one, other) in enumerate(zip(a, b, strict=True)):
            assert_same(one, other, f"{name}[{place}]")
        return
    if a is b:
        return
    a = np.asarray(a)
    b = np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        raise Difference(f"{name}: {a.dtype} of shape {a.shape}, and {b.dtype} of shape {b.shape}")
    if a.tobytes() == b.tobytes():
        return
    unequal = (a != b) & ~((a != a) & (b != b))
    if a.dtype.kind == "f":
        unequal |= (np.signbit(a) != np.signbit(b)) & (a == a)
    if unequal.any():
        place = tuple(int(i) for i in np.argwhere(unequal)[0])
        raise Difference(
            f"{name}{list(place)}: {a[place]!r} and {b[place]!r}, "
            f"{unequal.sum()} of {a.size} differ"
        )
