"""The comparison of the kernels sees the smallest difference."""

import numpy as np
import pytest
from agreement import Difference, assert_same

ROWS = np.arange(1000, dtype=np.uint32)
A = np.array([[0.0, 1.5], [np.nan, -np.inf]])


def test_the_same_bits_are_the_same():
    for one in (A, A[:0], 1.5, np.int64(3), [1, 2], A.T):
        assert_same(one, np.array(one))
        assert_same([one, {"a": 1}, None], (np.array(one), {"a": 1}, None))
    assert_same(np.asfortranarray(A), A)


@pytest.mark.parametrize(
    "one, other",
    [
        (A, np.array([[0.0, np.nextafter(1.5, 2)], [np.nan, -np.inf]])),
        (A, np.array([[np.nextafter(0, 1), 1.5], [np.nan, -np.inf]])),
        (A, np.array([[-0.0, 1.5], [np.nan, -np.inf]])),
        (A, np.array([[0.0, 1.5], [0.0, -np.inf]])),
        (A, np.array([[0.0, 1.5], [np.nan, np.inf]])),
        (A, A.astype(np.float32)),
        (A, A.ravel()),
        (A, A[:1]),
        (A, A[None]),
        (ROWS, ROWS + (np.arange(1000) == 777).astype(np.uint32)),
        (ROWS, ROWS.astype(np.int32)),
        (ROWS, ROWS.astype(np.int64)),
        (ROWS, ROWS[:-1]),
        (ROWS, ROWS[::-1]),
    ],
)
def test_one_difference_is_found(one, other):
    for a, b in ((one, other), (other, one), ([1, one], [1, other])):
        with pytest.raises(Difference):
            assert_same(a, b)
