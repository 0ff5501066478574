"""The comparison of the kernels sees the smallest difference."""

import numpy as np
import pytest
from agreement import assert_same

A = np.array([[0.0, 1.5], [np.nan, -np.inf]])


def fails(compare, *arguments):
    with pytest.raises(AssertionError):
        compare(*arguments)


def test_the_same_bits_are_the_same():
    for one in (A, A[:0], 1.5, np.int64(3), [1, 2], A.T):
        assert_same(one, np.array(one))
        assert_same([one, {"a": 1}, None], (np.array(one), {"a": 1}, None))
    assert_same(np.asfortranarray(A), A)


@pytest.mark.parametrize(
    "other",
    [
        np.array([[0.0, np.nextafter(1.5, 2)], [np.nan, -np.inf]]),
        np.array([[np.nextafter(0, 1), 1.5], [np.nan, -np.inf]]),
        np.array([[-0.0, 1.5], [np.nan, -np.inf]]),
        np.array([[0.0, 1.5], [0.0, -np.inf]]),
        np.array([[0.0, 1.5], [np.nan, np.inf]]),
        A.astype(np.float32),
        A.ravel(),
        A[:1],
        A[None],
    ],
)
def test_one_difference_is_found(other):
    fails(assert_same, A, other)
    fails(assert_same, other, A)
    fails(assert_same, [1, A], [1, other])


def test_one_index_and_one_type_are_found():
    rows = np.arange(1000, dtype=np.uint32)
    off_by_one = rows.copy()
    off_by_one[777] += 1
    for other in (off_by_one, rows.astype(np.int32), rows.astype(np.int64), rows[:-1], rows[::-1]):
        fails(assert_same, rows, other)
