"""Bit-for-bit comparison of kernel modules."""

import numpy as np

import refimpl.kernels

try:
    import refimpl_fast
except ImportError:  # tests/kernels/test_stumps.py checks that this failure is loud
    refimpl_fast = None

KERNELS = [refimpl.kernels] + ([refimpl_fast] if refimpl_fast is not None else [])
ARRAYS = ("rows", "row_ptr", "starts", "bin_ptr", "common", "common_row")


def assert_same(a, b):
    """Same dtype, shape and bits."""
    a = np.asarray(a)
    b = np.asarray(b)
    assert a.dtype == b.dtype and a.shape == b.shape
    assert a.tobytes() == b.tobytes()
