"""The mapped points that a working set uses, against the same sums over all mapped points.

Not tested here: trainings with several metrics (test_lmnn.py).
"""

import numpy as np
import pytest

import refimpl.kernels
from refimpl.lmnn.algorithm import target_neighbors
from refimpl.lmnn.problem import LargeMarginProblem, UsedRows


def problem(seed, partitions, pairs):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(partitions), 12)
    X = rng.normal(size=(len(y), 3))
    of = LargeMarginProblem(X, y, target_neighbors(X, y, 1), 0.7, y, refimpl.kernels, 1)
    i, l = rng.integers(0, len(y), (2, pairs))
    of.add_pairs(i[y[i] != y[l]], l[y[i] != y[l]])
    return of, rng.normal(size=(partitions, 2, 3)), rng


def test_the_used_rows_of_two_pairs():
    """Of two tables of three points each, the pairs use two rows of the second table."""
    X = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    used = UsedRows(np.array([3, 5]), np.array([5, 3]), X, 2, 1)
    assert used.places.tolist() == [3, 5]
    assert [part.tolist() for part in used.pairs] == [[0, 1], [1, 0]]
    L = np.array([[[9.0, 9.0]], [[1.0, 3.0]]])
    assert used.mapped(L).tolist() == [[1.0], [8.0]]
    # 1 times (1, 0) plus 10 times (2, 2); nothing under the first metric
    assert used.products(np.array([[1.0], [10.0]])).tolist() == [[[0.0, 0.0]], [[21.0, 20.0]]]


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
