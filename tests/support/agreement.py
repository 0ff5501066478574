"""Bit-for-bit comparison of kernel modules."""

from itertools import islice

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


def assert_same_rounds(first, second, T):
    """Two boosting runs of T rounds or more, round by round, to the bit."""
    first, second = (list(islice(run, T)) for run in (first, second))
    assert len(first) == len(second) == T
    for a, b in zip(first, second, strict=True):
        assert a.t == b.t
        for one, other in ((a.epsilon, b.epsilon), (a.alpha, b.alpha), (a.h, b.h)):
            assert_same(np.array(one, dtype=np.float64), np.array(other, dtype=np.float64))
        assert_same(a.w, b.w)
