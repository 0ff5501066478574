"""Documented objectives of other libraries, on answers by hand.

Not tested here: that a library documents them.
"""

import numpy as np
import pytest

from refimpl.check.subject import Case
from tests.others import conventions, large_margin
from tests.others.judging import Answer


def answer(*got, expected=(), **arguments):
    return Answer(Case(None, "made-up/1", arguments, list(expected)), list(got))


# 800 in all: the first column has the sides (300, 100), (100, 300) of ones and zeros, an error of
# 200 and a Gini impurity of 300; the second (205, 400), (195, 0), an error of 205 and one of 271
ROWS = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1], [0, 0], [1, 0]])
WEIGHTS = np.array([150.0, 150, 55, 45, 100, 300]) / 800
LABELS = np.array([True, True, True, True, False, False])
FIRST = {"f": 0, "p": 1, "theta": 0.5}
SECOND = {"f": 1, "p": -1, "theta": 0.5}


@pytest.mark.parametrize(("criterion", "best"), [("error", FIRST), ("gini", SECOND)])
def test_a_split_by_its_criterion(criterion, best):
    for stump in (FIRST, SECOND, {**best, "p": -best["p"]}):
        asked = answer(stump, A=ROWS, B=None, w=WEIGHTS, l=LABELS)
        assert conventions.split_by(criterion)(asked) is (stump is best)


def test_float32_sees_no_split_between_equal_values():
    X = np.array([[1.0], [1 + 2.0**-40]])
    given = {"A": X, "B": None, "w": np.array([0.75, 0.25]), "l": np.array([True, False])}
    constant = answer({"f": 0, "p": -1, "theta": -np.inf}, **given)
    divided = answer({"f": 0, "p": 1, "theta": X[1, 0]}, **given)
    assert conventions.split_by("error")(constant)
    assert not conventions.split_by("error")(divided)


def test_boosting_ends_at_a_perfect_stump():
    given = {"P": np.array([[0.0], [1.0]]), "N": np.array([[2.0]]), "T": 3}
    perfect = {**FIRST, "theta": 1.5, "epsilon": 0.0, "alpha": 1.0}
    holds = conventions.boosting("gini", False)
    assert holds(answer(perfect, **given))
    assert not holds(answer(perfect, dict(perfect), **given))
    assert not holds(answer({**perfect, "alpha": 2.0}, **given))
    assert not holds(answer(**given))


def test_boosting_begins_with_equal_weights_or_with_halves():
    """P = 0, 2, 2, N = 1: the stump "all are P" has the error 1/4 by equal weights.

    By halves "x > 1.5" errs on 0, a sixth.
    """
    given = {"P": np.array([[0.0], [2.0], [2.0]]), "N": np.array([[1.0]]), "T": 1}
    stump = {"f": 0, "p": -1, "theta": 1.5}
    equal = {**stump, "epsilon": 0.25, "alpha": np.log(3)}
    halves = {**stump, "epsilon": 1 / 6, "alpha": np.log(5)}
    for round, expected in ((equal, (True, False)), (halves, (False, True))):
        asked = answer(round, **given)
        got = tuple(conventions.boosting("error", kind)(asked) for kind in (False, True))
        assert got == expected


def test_an_empty_cluster_takes_the_farthest_point():
    given = {"X": np.array([[0.0], [1], [10]]), "rows": np.arange(3), "iterations": 1}
    given["centres"] = np.array([[0.0], [100]])
    assert conventions.relocated(answer({"centres": np.array([[0.5], [10]])}, **given))
    assert not conventions.relocated(answer({"centres": np.array([[11 / 3], [100]])}, **given))


def test_points_at_the_radius():
    """The square of the root of 3 is below 3; 4 is beyond the limit, 1 is within."""
    given = {"Q": np.array([[0.0, 0, 0]]), "X": np.array([[1.0, 1, 1], [1, 0, 0], [2, 0, 0]])}
    want = {"starts": np.array([0, 2]), "indices": np.array([0, 1])}
    given["limits"] = np.array([3.0])
    for indices, expected in (([1], True), ([0], False), ([0, 1, 2], False)):
        got = {"starts": np.array([0, len(indices)]), "indices": np.array(indices)}
        assert conventions.at_radius(answer(got, expected=[want], **given)) is expected


SEARCH = {"Q": np.array([[0.0]]), "X": np.array([[1.0], [2], [3]]), "k": 2, "skip": None}


@pytest.mark.parametrize(
    ("indices", "squares", "single", "approximate"),
    [
        ([0, 1], [1, 4], True, True),
        ([0, 2], [1, 9], False, True),
        ([0, 1], [1, 4.1], False, False),
        ([2, 0], [9, 1], False, False),
        ([0, 0], [1, 1], False, False),
        ([0, -1], [1, np.inf], False, False),
        ([0], [1], False, False),
    ],
)
def test_neighbours(indices, squares, single, approximate):
    got = {"indices": np.array([indices]), "squares": np.array([squares], dtype=float)}
    asked = answer(got, **SEARCH)
    assert conventions.single_precision(asked) is single
    assert conventions.approximate(asked) is approximate


@pytest.mark.parametrize(("error", "expected"), [(0, True), (2.0**-13, True), (1.0, False)])
def test_expanded_squares_far_from_the_origin(error, expected):
    """A unit in the last place of 2**40 is 2**-12."""
    given = {**SEARCH, "Q": SEARCH["Q"] + 2**20, "X": SEARCH["X"] + 2**20}
    got = {"indices": np.array([[0, 1]]), "squares": np.array([[1.0 + error, 4]])}
    assert conventions.expanded_squares(answer(got, **given)) is expected


# ------------------------------------------- in place of eq. 3, on a line of four points by hand

LINE = {"X": np.array([[0.0], [1], [3], [4]]), "y": np.array([0, 0, 1, 1]), "k": 1}
TARGETS = np.array([[1], [0], [3], [2]])


def metric(m, targets=TARGETS, **changed):
    got = {"M": np.array([[m]]), "targets": targets}
    return answer(got, **{**LINE, "mu": 1.0, **changed})


def test_slacks_of_the_nearest_alone():
    """With mu = 0.15 4 m + 0.3 ((1 - 8 m) + (1 - 3 m)) is least at 0; eq. 3 at 1/8."""
    holds = large_margin.own_large_margin(large_margin.nearest_slacks)
    assert holds(metric(0.0, mu=0.15))
    assert not holds(metric(1 / 8, mu=0.15))


@pytest.mark.parametrize(
    ("rule", "L"),
    [
        ({"rate": 0.01, "tol": 0.0, "most": 3}, 0.96),
        ({"rate": 0.01, "tol": 0.0, "most": 4}, 0.96 * 0.9596),
        ({"rate": 0.6, "tol": 0.0, "most": 3}, 0.4),
        ({"rate": 0.01, "tol": 1.0, "most": 9, "least_steps": 1}, 0.96),
        ({"rate": 0.01, "tol": 1.0, "most": 9, "least_steps": 2}, 0.96 * 0.9596),
    ],
)
def test_gradient_steps(rule, L):
    """Without a slack the objective is 2 L^2, and a step takes L to L (1 - 4 rate).

    The rate 0.6 makes it 3.92 at -1.4 and 2.72 at -0.2; a quarter, 0.15, makes it 0.84 at 0.4.
    """
    holds = large_margin.gradient_steps(**rule)
    assert holds(metric(L**2))
    assert not holds(metric(L**2 * 1.0001))


def test_target_neighbours_must_be_nearest_points_of_the_class():
    """Point 0 has two nearest of its class, 1 and 2; 3 is farther, 4 is of the other class."""
    X, y = np.array([[0.0], [1], [-1], [5], [6], [7]]), np.array([0, 0, 0, 0, 1, 1])
    for first, expected in enumerate([False, True, True, False, False]):
        targets = np.array([[first], [0], [0], [1], [5], [4]])
        chosen = large_margin.chosen(metric(1.0, targets, X=X, y=y))
        assert (chosen is not None) is expected
    assert large_margin.chosen(metric(1.0, (), X=X, y=y)) is None


def test_eq_3_with_given_target_neighbours():
    """4 m + 2 (1 - 3 m) below 1/3, where it is least: 4/3."""
    value, bound = large_margin.eq_3_with(np.array([[0.25]]), TARGETS, mu=1.0, **LINE)
    assert value == pytest.approx(1.5, rel=1e-12)
    assert bound == pytest.approx(4 / 3, rel=1e-3) and bound <= 4 / 3 * (1 + 1e-12)
