"""L-BFGS without bounds, on functions whose minimum is known.

Not tested here: the function that LMNN minimises with it (``test_lmnn.py``).
"""

from itertools import islice

import numpy as np
import pytest

from refimpl.lmnn.solvers import Memory, descent


class Quadratic:
    """(v - at) A (v - at) / 2, which is least at `at`."""

    def __init__(self, A, at):
        self.A = A
        self.at = at
        self.evaluations = 0

    def __call__(self, v):
        self.evaluations += 1
        gradient = self.A @ (v - self.at)
        return float((v - self.at) @ gradient) / 2, gradient


def rosenbrock(v):
    x, y = v
    gradient = np.array([-400 * x * (y - x * x) - 2 * (1 - x), 200 * (y - x * x)])
    return 100 * (y - x * x) ** 2 + (1 - x) ** 2, gradient


def test_the_minimum_of_a_quadratic():
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(12, 12))
    function = Quadratic(factor @ factor.T + np.eye(12), rng.normal(size=12))
    *_, (v, gradient) = islice(descent(function, np.zeros(12), Memory(12)), 60)
    np.testing.assert_allclose(v, function.at, atol=1e-6)
    np.testing.assert_array_equal(gradient, function.A @ (v - function.at))
    assert function.evaluations < 90


def test_the_minimum_at_the_end_of_a_bent_valley():
    *_, (v, _) = islice(descent(rosenbrock, np.array([-1.2, 1.0]), Memory(5)), 60)
    np.testing.assert_allclose(v, [1.0, 1.0], atol=1e-6)


def test_every_step_lowers_the_value():
    values = [rosenbrock(v)[0] for v, _ in islice(descent(rosenbrock, np.zeros(2), Memory(5)), 20)]
    assert (np.diff([1.0, *values]) < 0).all()


def test_a_direction_is_newtons_where_the_memory_spans_the_space():
    """With A-conjugate steps L-BFGS knows the inverse of A: Nocedal & Wright (2006), § 6.1."""
    A = np.diag([1.0, 4.0, 25.0])
    memory = Memory(3)
    for axis in np.eye(3):
        memory.add(axis, A @ axis)
    np.testing.assert_allclose(memory.direction(np.array([1.0, 4.0, 50.0])), [-1.0, -1.0, -2.0])


def test_the_memory_forgets_the_oldest_step_and_skips_what_is_not_convex():
    memory = Memory(2)
    for scale in (1.0, 2.0, 3.0):
        memory.add(np.array([scale]), np.array([scale]))
    memory.add(np.array([1.0]), np.array([-1.0]))
    assert [float(step[0]) for step, _, _ in memory.steps] == [2.0, 3.0]


@pytest.mark.parametrize("start", [0.0, 3.0])
def test_the_descent_ends_at_the_minimum(start):
    """From 0 there is no direction, from 3 no lower value after some steps."""
    function = Quadratic(np.eye(1), np.zeros(1))
    reached = list(islice(descent(function, np.array([start]), Memory(3)), 500))
    assert len(reached) < 500 and reached[-1][0] == pytest.approx(0.0, abs=1e-7)


def test_values_that_are_not_finite_shorten_the_step():
    def barrier(v):
        with np.errstate(invalid="ignore", divide="ignore"):
            return float(v[0] - np.log(v[0])), 1 - 1 / v

    *_, (v, _) = islice(descent(barrier, np.array([0.05]), Memory(3)), 30)
    assert v[0] == pytest.approx(1.0, abs=1e-6)
