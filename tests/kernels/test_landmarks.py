"""The landmark kernels: against literal loops, twin against twin bit for bit."""

import numpy as np
import oracles_ftune as oracle
import pytest
from agreement import KERNELS, assert_same
from hypothesis import given, settings
from hypothesis import strategies as st

each = pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
SLOPES = np.array([1.0, 5.0, 10.0, 50.0, 100.0, 1000.0, np.inf])


@st.composite
def similarities(draw, most=30):
    """A matrix that need be neither symmetric nor positive, often with ties."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, most))
    r = draw(st.integers(1, 12))
    K = rng.normal(size=(n, r)) * draw(st.sampled_from([1.0, 0.01, 100.0]))
    return (np.rint(2 * K) if draw(st.booleans()) else K), rng


@each
@settings(max_examples=60, deadline=None)
@given(case=similarities(), d=st.integers(1, 9))
def test_transferred_differences_are_the_loops(kernels, case, d):
    K, rng = case
    plus, minus = rng.integers(0, K.shape[1], (2, d))
    found = kernels.transferred_differences(K, plus, minus, SLOPES)
    assert (
        found.dtype == np.float64
        and (found == np.array(oracle.transferred(K.tolist(), plus, minus, SLOPES))).all()
    )


@each
@settings(max_examples=60, deadline=None)
@given(case=similarities(), d=st.integers(1, 9))
def test_transfer_functions_are_antisymmetric_and_lipschitz(kernels, case, d):
    """f(-x) = -f(x); |f(x) - f(y)| <= s |x - y| but for rounding; f is bounded by 1 and does not
    fall.
    """
    K, rng = case
    plus, minus = rng.integers(0, K.shape[1], (2, d))
    out = kernels.transferred_differences(K, plus, minus, SLOPES)
    assert (out == -kernels.transferred_differences(K, minus, plus, SLOPES)).all() and (
        np.abs(out) <= 1
    ).all()
    x = K[:, plus] - K[:, minus]
    order = np.argsort(x, axis=None)
    flat = x.ravel()[order]
    values = out.reshape(len(SLOPES), -1)[:, order]
    steps = np.diff(values, axis=1)
    assert (steps >= 0).all()
    allowed = SLOPES[:-1, None] * np.diff(flat) * (1 + 1e-12) + 4e-16
    assert (steps[:-1] <= allowed).all()


@each
@settings(max_examples=60, deadline=None)
@given(case=similarities(), seed=st.integers(0, 99))
def test_the_greedy_step_is_the_exhaustive_one(kernels, case, seed):
    rng = np.random.default_rng(seed)
    n = len(case[0])
    K = np.rint(4 * case[1].normal(size=(n, n)))
    first = int(rng.integers(n))
    d = int(rng.integers(1, n + 1))
    sums = np.zeros(n)
    taken = np.zeros(n, dtype=bool)
    L = [first]
    taken[first] = True
    while len(L) < d:
        z = kernels.least_similar(sums, np.ascontiguousarray(K[:, L[-1]]), taken)
        taken[z] = True
        L.append(int(z))
    assert L == oracle.greedy(K.tolist(), first, d)


@each
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


@each
@pytest.mark.parametrize("n", [1000, 400_000])
def test_landmarks_below_all_other_points_are_passed_over(kernels, n):
    """In a block of 256 points and in others, at its first point and at its last."""
    sums = np.zeros(n)
    taken = np.zeros(n, dtype=bool)
    taken[[0, 255, 300, n - 2]] = True
    sums[taken] = -9.0
    sums[[n // 2, n - 3]] = [-1.0, -2.0]
    assert kernels.least_similar(sums, np.zeros(n), taken) == n - 3


@each
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_where_all_sums_are_infinite_the_first_point_is_taken(kernels):
    sums = np.full(600, 1e308)
    taken = np.arange(600) < 300
    assert kernels.least_similar(sums, sums.copy(), taken) == 300 and np.isinf(sums).all()


@each
def test_sums_that_overflow_are_still_chosen_from(kernels):
    sums = np.full(4, 1.7e308)
    taken = np.array([True, False, True, False])
    with np.errstate(over="ignore"):
        assert kernels.least_similar(sums, np.array([-1.0, 1e308, -2.0, 1e308]), taken) == 1
    assert np.isinf(sums[1]) and np.isinf(sums[3])


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
def test_twins_agree_on_values_that_are_not_finite():
    K = np.array([[np.nan, 1.0, np.inf, np.inf, -0.0, 0.0, 1e308, -1e308]])
    plus, minus = np.indices((8, 8)).reshape(2, -1)
    with np.errstate(all="ignore"):
        one, two = (kernels.transferred_differences(K, plus, minus, SLOPES) for kernels in KERNELS)
    np.testing.assert_array_equal(one, two)
    assert_same(np.signbit(one[~np.isnan(one)]), np.signbit(two[~np.isnan(two)]))


@each
def test_no_points_and_no_pairs(kernels):
    none = np.empty(0, dtype=np.int64)
    assert kernels.transferred_differences(np.zeros((0, 2)), none, none, SLOPES).shape == (7, 0, 0)
    assert kernels.transferred_differences(np.zeros((2, 2)), none, none, SLOPES).shape == (7, 2, 0)
