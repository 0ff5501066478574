"""The landmark kernels: against literal loops, twin against twin bit for bit."""

import numpy as np
import pytest

SLOPES = np.array([1.0, 5.0, 10.0, 50.0, 100.0, 1000.0, np.inf])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [3 * 256 + 5, 400_005])
def test_of_equal_points_the_first_is_taken_wherever_they_are(kernels, threads, n):
    """A block has 256 points; threads take 16,384 at a time, where there are 400,000."""
    nobody = np.zeros(n, dtype=bool)
    column = np.zeros(n)
    last = (n - 1) // 16384 * 16384  # where the last thread begins
    for first in (0, 1, 255, 256, 257, 512, abs(last - 1), last, n - 1):
        taken = np.arange(n) < first
        assert kernels.least_similar(np.zeros(n), column, taken, threads=threads) == first
        column[first] = -1.0
        assert kernels.least_similar(np.zeros(n), column, nobody, threads=threads) == first
        column[first] = 0.0


@pytest.mark.parametrize("n", [1000, 400_000])
def test_landmarks_below_all_other_points_are_passed_over(kernels, n):
    """In a block of 256 points and in others, at its first point and at its last."""
    sums = np.zeros(n)
    taken = np.zeros(n, dtype=bool)
    taken[[0, 255, 300, n - 2]] = True
    sums[taken] = -9.0
    sums[[n // 2, n - 3]] = [-1.0, -2.0]
    assert kernels.least_similar(sums, np.zeros(n), taken) == n - 3


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_where_all_sums_are_infinite_the_first_point_is_taken(kernels):
    sums = np.full(600, 1e308)
    taken = np.arange(600) < 300
    assert kernels.least_similar(sums, sums.copy(), taken) == 300 and np.isinf(sums).all()


def test_sums_that_overflow_are_still_chosen_from(kernels):
    sums = np.full(4, 1.7e308)
    taken = np.array([True, False, True, False])
    with np.errstate(over="ignore"):
        assert kernels.least_similar(sums, np.array([-1.0, 1e308, -2.0, 1e308]), taken) == 1
    assert np.isinf(sums[1]) and np.isinf(sums[3])
