"""The plane of a node: against eq. 17 by brute force, by hand, twin against twin on any number of
threads, and what both refuse.

Not tested here: the printed form of eq. 18 and whole trees (tests/search_forest), sums over pairs
(test_pairs.py).
"""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from refimpl.kernels import planes


def problem(seed, n, d, share=0.5, dtype=np.float64):
    """Points and weights of pairs; the weights are multiples of 1/64."""
    rng = np.random.default_rng(seed)
    first, second = (part.astype(np.int32) for part in np.triu_indices(n, k=1))
    kept = rng.random(len(first)) < share
    v = rng.integers(0, 99, kept.sum()) / 64
    X = rng.normal(size=(n, d)).astype(dtype)
    return X, first[kept], second[kept], v, -0.25, rng.normal(size=d + 1)


def worth(X, first, second, v, base, left):
    """J^k(1) + J^k(2), the sum of the weights of the pairs on one side."""
    M = np.full((len(X), len(X)), base)
    M[first, second] += v
    return sum(np.triu(M[np.ix_(side, side)], 1).sum() for side in (left, ~left))


def each_cut(values):
    return [values > value for value in np.sort(values)[:-1]]


@pytest.mark.parametrize("seed", range(5))
def test_the_best_offset_is_the_best_of_all_for_equation_17(kernels, seed):
    X, *pairs, start = problem(seed, 14, 3)
    p, b, left = kernels.best_plane(X, *pairs, start, 0.1, 1e-6, "best", 0)
    values = X @ p
    assert worth(X, *pairs, left) == max(worth(X, *pairs, side) for side in each_cut(values))
    assert (left == (values + b > 0)).all()
    between = np.sort(values)
    k = np.searchsorted(between, -b)
    assert -b == pytest.approx((between[k - 1] + between[k]) / 2)


@pytest.mark.parametrize("offset", ["eigenvector", "best"])
def test_moves_go_on_while_equation_17_rises(kernels, offset):
    moves = 0
    for seed in range(8):
        X, *pairs, start = problem(seed, 40, 4)
        found = [kernels.best_plane(X, *pairs, start, 0.1, 1e-4, offset, most) for most in range(6)]
        for before, after in pairwise(found):
            rise = worth(X, *pairs, after[2]) - worth(X, *pairs, before[2])
            assert rise > 0 or ((after[0] == before[0]).all() and after[1] == before[1])
            moves += rise > 0
    assert moves > 2


def test_a_move_by_hand(kernels):
    """Points 0 and 1 of a line belong together, and 5 and 8: the cut is at 3, and no move helps."""
    X = np.array([[0.0], [1.0], [5.0], [8.0]])
    first, second = np.array([0, 2], dtype=np.int32), np.array([1, 3], dtype=np.int32)
    arguments = X, first, second, np.array([2.0, 2.0]), -1.0, np.ones(2)
    for moves in (0, 3):
        p, b, left = kernels.best_plane(*arguments, 0.1, 1e-9, "best", moves)
        assert left.tolist() in ([True, True, False, False], [False, False, True, True])
        assert b / p[0] == pytest.approx(-3.0) and p.shape == (1,)


def test_a_fit_of_few_columns_is_that_of_least_squares():
    rng = np.random.default_rng(5)
    A, u = rng.normal(size=(30, 4)), rng.normal(size=30)
    np.testing.assert_allclose(planes.fitted(A, u), np.linalg.lstsq(A, u, rcond=None)[0])


@pytest.mark.parametrize("rows, asked", [(2**10 - 1, set()), (2**10, {"A v", "u A"})])
def test_the_kernels_multiply_matrices_from_32768_numbers_on(rows, asked):
    called = set()

    def matrix_vector(A, v, *, threads):
        called.add("A v")
        return A @ v

    def vector_matrix(u, A, *, threads):
        called.add("u A")
        return u @ A

    kernels = SimpleNamespace(matrix_vector=matrix_vector, vector_matrix=vector_matrix)
    planes.fitted(np.random.default_rng(0).normal(size=(rows, 32)), np.ones(rows), kernels)
    assert called == asked
