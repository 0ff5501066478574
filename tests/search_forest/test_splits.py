"""Splits of a node beyond the plane of eq. 18: stumps, best thresholds, moved planes, against eq.
17 by brute force.
"""

import numpy as np
import pytest
from agreement import assert_same
from forest_problems import dense
from oracles_forest import plane
from scipy import sparse
from scipy.linalg import eigh_tridiagonal

from refimpl.kernels.eigen import largest, top_eigenvector
from refimpl.search_forest import ForestOptions
from refimpl.search_forest.model import as_similarity
from refimpl.search_forest.pairs import DensePairs, MeetingPairs
from refimpl.search_forest.training import best_split, stump

forms = pytest.mark.parametrize("form", [dense, MeetingPairs])


def problem(form, kernels, seed, n=15, d=4):
    """Points, a node of them all, and its M as a matrix."""
    rng = np.random.default_rng(seed)
    S = as_similarity(sparse.csr_matrix(rng.random((n, n)) < 0.3), n)
    return rng.normal(size=(n, d)), form(S, 0.2, kernels).root(), DensePairs(S, 0.2).root().M, rng


def worth(M, left):
    """J^k(1) + J^k(2)."""
    return M[np.ix_(left, left)].sum() + M[np.ix_(~left, ~left)].sum()


def cuts(values):
    """The sides of every threshold between two values."""
    return [values > value for value in np.sort(values)[:-1]]


@forms
@pytest.mark.parametrize("seed", range(4))
def test_a_stump_is_the_best_of_all_coordinates_and_thresholds(kernels, form, seed):
    X, node, M, rng = problem(form, kernels, seed)
    best = max(worth(M, left) for feature in range(4) for left in cuts(X[:, feature]))
    split = stump(X, node, 4, rng)
    assert worth(M, split.left) == pytest.approx(best)
    assert (split.left == (X[:, split.p] + split.b > 0)).all()


def test_stumps_are_for_nodes_of_more_points(kernels):
    X, node, _, rng = problem(MeetingPairs, kernels, 6)
    found = {n: best_split(X, node, ForestOptions(stump_above=n), rng).p for n in (14, 15)}
    assert isinstance(found[14], int) and isinstance(found[15], np.ndarray)


def test_the_eigensolver_starts_where_the_generator_says(kernels):
    X, node, _, _ = problem(MeetingPairs, kernels, 7)
    used = np.random.default_rng(0)
    other = np.random.default_rng(0)
    best_split(X, node, ForestOptions(), used)
    other.normal(size=5)
    assert used.bit_generator.state == other.bit_generator.state


def test_options_reach_the_plane(kernels):
    X, node, M, _ = problem(MeetingPairs, kernels, 8, n=60, d=12)
    for last in (0.1, 1.0):
        split = best_split(
            X, node, ForestOptions(augment=last, tol=1e-12), np.random.default_rng(0)
        )
        p, b = plane(X.tolist(), M.tolist(), last)
        sign = np.sign(split.p @ p)
        np.testing.assert_allclose(np.append(split.p, split.b), sign * np.append(p, b), atol=1e-7)
    loose, tight = (
        best_split(X, node, ForestOptions(tol=tol), np.random.default_rng(0)).p
        for tol in (1e-1, 1e-9)
    )
    assert (loose != tight).any()


def test_the_eigensolver_ends_when_the_residual_is_small():
    """One eigenvalue is 1, the other 99 are 0: two products make a basis that holds its vector."""
    direction = np.ones(100) / 10
    products = []

    def product(v):
        products.append(v)
        return direction * (direction @ v)

    start = np.arange(100.0)
    np.testing.assert_allclose(top_eigenvector(product, start), direction, atol=1e-9)
    assert len(products) <= 3


def test_the_eigensolver_restarts_until_the_residual_is_small():
    """A basis of 60 vectors does not suffice where eigenvalues are close."""
    values = np.linspace(0, 1, 400)
    v = top_eigenvector(lambda u: values * u, np.random.default_rng(0).normal(size=400), tol=1e-8)
    assert np.linalg.norm(values * v - v) <= 2e-8 and v[-1] > 0


@pytest.mark.parametrize("start", [[2.0, 0.0, 0.0], [-5.0]])
@pytest.mark.parametrize("value", [3.0, -3.0])
def test_a_basis_of_one_vector_needs_no_solver(value, start):
    """One column, or a start that A maps onto itself: SciPy 1.11 refuses matrices of one entry."""
    v = top_eigenvector(lambda u: value * u, np.array(start))
    assert v.tolist() == np.eye(len(start))[0].tolist()


@pytest.mark.parametrize("n", [1, 2, 5, 60])
def test_the_tridiagonal_solver_is_scipys(n):
    rng = np.random.default_rng(n)
    d, e = rng.normal(size=n), np.abs(rng.normal(size=n - 1))
    theta, y = largest(d.tolist(), e.tolist())
    if n == 1:
        assert theta == d[0] and y.tolist() == [1.0]
        return
    values, vectors = eigh_tridiagonal(d, e, select="i", select_range=(n - 1, n - 1))
    assert theta == values[0]
    assert_same(y, vectors[:, 0].copy())


@pytest.mark.parametrize("exponent", [-20, 20])
def test_the_size_of_a_matrix_changes_no_eigenvector(exponent):
    """The tolerance is relative: it takes as many products."""
    values = np.linspace(-1, 1, 200)
    start = np.random.default_rng(0).normal(size=200)
    products = []
    vectors = []
    for size in (1.0, 2.0**exponent):
        calls = []

        def product(u, size=size, calls=calls):
            calls.append(u)
            return size * (values * u)

        vectors.append(top_eigenvector(product, start, tol=1e-3))
        products.append(len(calls))
    assert products[0] == products[1] < 200
    np.testing.assert_allclose(vectors[0], vectors[1], rtol=1e-9)


@forms
@pytest.mark.parametrize("seed", range(4))
def test_thresholds_lie_between_different_values(kernels, form, seed):
    """Columns of few integers, one of them constant: no threshold parts equal values."""
    _, node, M, rng = problem(form, kernels, seed)
    A = rng.integers(0, 3, (15, 6)).astype(float)
    A[:, 2] = 1.0
    crossing, threshold = node.best_thresholds(A)
    assert crossing[2] == np.inf
    for column in (0, 1, 3, 4, 5):
        between = {0.5, 1.0, 1.5} - set(A[:, column])  # 1 where no point has it
        worths = {cut: worth(M, A[:, column] > cut) for cut in between}
        assert threshold[column] in between
        assert worths[threshold[column]] == pytest.approx(max(worths.values()))
        assert crossing[column] == pytest.approx(M.sum() - max(worths.values()))


@forms
@pytest.mark.parametrize("below", [0, 1])
def test_a_threshold_between_neighbouring_numbers_is_the_lower_one(kernels, form, below):
    """Half way between them rounds to the even one, once the lower and once the upper number."""
    _, node, _, rng = problem(form, kernels, 0)
    low = 1.0 + below * np.finfo(float).eps
    high = np.nextafter(low, 2.0)
    A = np.where(rng.random(15) < 0.5, low, high)[:, np.newaxis]
    assert (low + high) / 2 == (high if below else low)
    assert node.best_thresholds(A)[1].tolist() == [low]
