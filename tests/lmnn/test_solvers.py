"""The parts of the solvers: L-BFGS without bounds, the coordinates, the mapped points in use.

Not tested here: the functions that LMNN minimises with them (``test_lmnn.py``).
"""

from itertools import islice

import numpy as np
import pytest

import refimpl.kernels
from refimpl.lmnn.algorithm import target_neighbors
from refimpl.lmnn.certificate import Coordinates
from refimpl.lmnn.lbfgs import Memory, descent
from refimpl.lmnn.problem import LargeMarginProblem, UsedRows

# ------------------------------------------------------------------------------------------- L-BFGS


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


# -------------------------------------------------------------------------------------- coordinates


def test_in_the_directions_of_ill_conditioned_points_their_spread_is_1():
    """Two columns that differ by a ten thousandth of their spread."""
    rng = np.random.default_rng(0)
    common, apart = rng.normal(size=(2, 30))
    X = np.column_stack([common + 1e-4 * apart, common - 1e-4 * apart])
    X -= X.mean(axis=0)
    targets = np.arange(1, 31)[:, np.newaxis] % 30
    coordinates = Coordinates(X, targets, np.zeros(30, dtype=int))
    images = X / coordinates.scale @ coordinates.B
    np.testing.assert_allclose(images.T @ images / 30, np.eye(2), atol=1e-9)
    assert coordinates.left_out == 0


def test_factors_go_there_and_back():
    """The points of the second metric lie on a line: it has one direction, and two are free."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3)) * [1.0, 30.0, 1000.0]
    X[6:, 1:] = X[6, 1:]
    targets = np.array([1, 2, 3, 4, 5, 0, 7, 8, 9, 10, 11, 6])[:, np.newaxis]
    coordinates = Coordinates(X, targets, np.repeat([0, 1], 6))
    V = rng.normal(size=(2, 1, 3))
    V[1, 0, 1:] = 0.0
    assert coordinates.spare.tolist() == [[0, 0, 0], [0, 1, 1]]
    back = coordinates.inward(coordinates.outward(V))
    np.testing.assert_allclose(back[:, :1], V, atol=1e-12)
    assert not back[:, 1:].any()  # rows of the free directions alone


@pytest.mark.parametrize("steep", [False, True])
def test_a_product_is_that_of_the_centred_points(steep):
    """The mean is (4, 2), and the columns are divided by 4 and by 2."""
    X = np.array([[1.0, 0.0], [3.0, 5.0], [8.0, 1.0]])
    coordinates = Coordinates(X, np.array([[1], [2], [0]]), np.zeros(3, dtype=int))
    assert coordinates.scale.tolist() == [4, 2]
    product = coordinates.points.product(np.array([[4.0], [4.0]]), steep)
    assert product.tolist() == [[-7.0], [5.0], [2.0]]


def test_the_bound_of_rounding_errors():
    """The points -1, 0, 1 are divided by the square root of the pull, 3. A product of one column
    has an error of one unit, the sum with the mean up to 4, the points in the coordinates 16.
    """
    targets = np.array([[1], [2], [1]])
    coordinates = Coordinates(np.array([[-1.0], [0.0], [1.0]]), targets, np.zeros(3, dtype=int))
    assert coordinates.error == pytest.approx(21 * 2.0**-52 / 3**0.5, rel=1e-12, abs=0)


def test_the_mean_squared_distance_in_the_free_directions_is_4_at_first():
    """The points differ in two columns, but target neighbours only in the first."""
    X = np.column_stack([np.arange(6.0), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]])
    targets = np.array([1, 2, 0, 4, 5, 3])[:, np.newaxis]
    coordinates = Coordinates(X, targets, np.zeros(6, dtype=int))
    F = coordinates.free[0].F
    squares = ((F[:, np.newaxis] - F) ** 2).sum(axis=2)
    assert F.shape == (6, 1) and squares.mean() * coordinates.t[0] == pytest.approx(4, rel=1e-9)


# ---------------------------------------------------------------------- the mapped points in use


def problem(seed, partitions, pairs):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(partitions), 12)
    X = rng.normal(size=(len(y), 3))
    of = LargeMarginProblem(X, y, target_neighbors(X, y, 1), 0.7, y, refimpl.kernels, 1)
    i, l = rng.integers(0, len(y), (2, pairs))
    of.add_pairs(i[y[i] != y[l]], l[y[i] != y[l]])
    return of, rng.normal(size=(partitions, 2, 3)), rng


def test_all_rows_stay_where_most_are_used():
    X = np.ones((3, 2))
    assert len(UsedRows(np.array([0, 1, 2]), np.array([3, 3, 4]), X, 2, 1).places) == 6
    assert len(UsedRows(np.array([0, 1, 2]), np.array([3, 3, 0]), X, 2, 1).places) == 4


@pytest.mark.parametrize("pairs", [0, 20, 2000])
@pytest.mark.parametrize("partitions", [1, 2, 5])
def test_sums_over_the_used_rows_are_those_over_all(partitions, pairs):
    of, L, rng = problem(partitions, partitions, pairs)
    slopes = rng.random((len(of.i), 1))
    expected = of.evaluate_around(of.mapped(L), 0.3, slopes)
    found = of.evaluate_around(of.used.mapped(L), 0.3, slopes)
    assert len(found.Z) < len(expected.Z) or partitions < 5 or pairs == 2000
    assert found.smooth == pytest.approx(expected.smooth)
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-12)
    np.testing.assert_allclose(of.gradient_L(found), of.gradient_L(expected), atol=1e-9)
    slacks = of.slacks_at(of.mapped(L), of.i, of.l)
    np.testing.assert_allclose(of.slacks_of_pairs(of.used.mapped(L)), slacks, atol=1e-12)


def test_new_pairs_are_used():
    of, L, _ = problem(3, 5, 20)
    before = len(of.used.places)
    of.add_pairs(*of.impostors(of.mapped(L), 100.0))
    assert len(of.used.places) > before
    assert len(of.used.mapped(L)) == len(of.used.places)
