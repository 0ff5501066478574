"""Bit-for-bit comparison of kernel modules."""

import numpy as np

import refimpl.kernels

try:
    import refimpl_fast
except ImportError:  # tests/test_stumps.py checks that this failure is loud
    refimpl_fast = None

KERNELS = [refimpl.kernels] + ([refimpl_fast] if refimpl_fast is not None else [])
ARRAYS = ("rows", "row_ptr", "starts", "bin_ptr", "common", "common_row")


def assert_same(a, b):
    """Same dtype, shape and bits."""
    a, b = np.asarray(a), np.asarray(b)
    assert a.dtype == b.dtype and a.shape == b.shape
    assert a.tobytes() == b.tobytes()


def assert_same_rounds(first, second, T):
    """Two boosting runs, round by round."""
    for _, a, b in zip(range(T), first, second, strict=False):
        assert (a.t, a.epsilon, a.alpha, a.h) == (b.t, b.epsilon, b.alpha, b.h)
        assert_same(a.w, b.w)
