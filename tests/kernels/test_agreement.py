"""The comparison of the kernels sees the smallest difference."""

import dataclasses

import numpy as np
import pytest
from agreement import assert_same, assert_same_rounds

from refimpl.boosted_distance import Round

A = np.array([[0.0, 1.5], [np.nan, -np.inf]])


def fails(compare, *arguments):
    with pytest.raises(AssertionError):
        compare(*arguments)


def test_the_same_bits_are_the_same():
    for one in (A, A[:0], 1.5, np.int64(3), [1, 2], A.T):
        assert_same(one, np.array(one))
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


def test_one_index_and_one_type_are_found():
    rows = np.arange(1000, dtype=np.uint32)
    off_by_one = rows.copy()
    off_by_one[777] += 1
    for other in (off_by_one, rows.astype(np.int32), rows.astype(np.int64), rows[:-1], rows[::-1]):
        fails(assert_same, rows, other)


def run(**changes):
    """Three rounds, the second of them changed."""
    rounds = [Round(t, 0.25, 0.5 * t, (1, -1, 0.75), np.full(3, 1 / 3)) for t in (1, 2, 3)]
    rounds[1] = dataclasses.replace(rounds[1], **changes)
    return rounds


def test_the_same_rounds_are_the_same():
    assert_same_rounds(run(), iter(run()), 3)
    assert_same_rounds(run(epsilon=0.0), run(), 1)  # the rounds asked for, no more
    tree = ((1, 2, 3), (1, 1, -1), (0.5, -np.inf, 0.0))
    assert_same_rounds(run(h=tree), run(h=tuple(map(list, tree))), 3)


@pytest.mark.parametrize(
    "changes",
    [
        {"t": 3},
        {"epsilon": np.nextafter(0.25, 1)},
        {"alpha": np.nextafter(1.0, 0)},
        {"h": (2, -1, 0.75)},
        {"h": (1, 1, 0.75)},
        {"h": (1, -1, np.nextafter(0.75, 1))},
        {"h": (1, -1)},
        {"w": np.array([1 / 3, np.nextafter(1 / 3, 0), 1 / 3])},
        {"w": np.full(4, 1 / 3)},
    ],
)
def test_one_other_round_is_found(changes):
    fails(assert_same_rounds, run(), run(**changes), 3)
    fails(assert_same_rounds, run(h=(1, -1, 0.0)), run(h=(1, -1, -0.0)), 3)


def test_a_run_that_ends_early_is_found():
    fails(assert_same_rounds, run(), run()[:2], 3)
    fails(assert_same_rounds, run()[:2], run(), 3)
    fails(assert_same_rounds, run()[:2], run()[:2], 3)
