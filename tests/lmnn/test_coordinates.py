"""The coordinates that the solvers of LMNN work in.

Not tested here: that the coordinates change no optimum (`test_lmnn.py`, `test_algorithm_lmnn.py`).
"""

import numpy as np
import pytest

from refimpl.lmnn.certificate import Coordinates


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
