"""What other libraries do in place of eq. 3, on a line of four points by hand.

Not tested here: that a library does so.
"""

import numpy as np
import pytest

from tests.others import large_margin
from tests.others.cases import Case
from tests.others.judging import Answer

LINE = {"X": np.array([[0.0], [1], [3], [4]]), "y": np.array([0, 0, 1, 1]), "k": 1}
TARGETS = np.array([[1], [0], [3], [2]])


def answer(m, targets=TARGETS, **changed):
    case = Case("made-up/1", (), {}, {**LINE, "mu": 1.0, **changed}, None)
    return Answer(case, [{"M": np.array([[m]]), "targets": targets}])


def test_slacks_of_the_nearest_alone():
    """With mu = 0.15 4 m + 0.3 ((1 - 8 m) + (1 - 3 m)) is least at 0; eq. 3 at 1/8."""
    holds = large_margin.own_large_margin(large_margin.nearest_slacks)
    assert holds(answer(0.0, mu=0.15))
    assert not holds(answer(1 / 8, mu=0.15))


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
    assert holds(answer(L**2))
    assert not holds(answer(L**2 * 1.0001))


def test_target_neighbours_must_be_nearest_points_of_the_class():
    """Point 0 has two nearest of its class, 1 and 2; 3 is farther, 4 is of the other class."""
    X, y = np.array([[0.0], [1], [-1], [5], [6], [7]]), np.array([0, 0, 0, 0, 1, 1])
    for first, expected in enumerate([False, True, True, False, False]):
        targets = np.array([[first], [0], [0], [1], [5], [4]])
        chosen = large_margin.chosen(answer(1.0, targets, X=X, y=y))
        assert (chosen is not None) is expected
    assert large_margin.chosen(answer(1.0, (), X=X, y=y)) is None


def test_eq_3_with_given_target_neighbours():
    """4 m + 2 (1 - 3 m) below 1/3, where it is least: 4/3."""
    value, bound = large_margin.eq_3_with(np.array([[0.25]]), TARGETS, mu=1.0, **LINE)
    assert value == pytest.approx(1.5, rel=1e-12)
    assert bound == pytest.approx(4 / 3, rel=1e-3) and bound <= 4 / 3 * (1 + 1e-12)
