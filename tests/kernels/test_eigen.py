"""The leading eigenvector of a node's pairs: against NumPy's eigh, by hand, twin against twin on
any number of threads, and what both refuse.

Not tested here: the iteration with other matrices (tests/search_forest), the trees that it gives.
"""

import numpy as np
import pytest
from agreement import KERNELS, assert_same
from scipy.linalg import eigh_tridiagonal

from refimpl.kernels import eigen, products

fast_only = pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")


def problem(seed, n, d, share=0.4):
    rng = np.random.default_rng(seed)
    first, second = (part.astype(np.int32) for part in np.triu_indices(n, k=1))
    kept = rng.random(len(first)) < share
    v = rng.normal(size=kept.sum())
    return rng.normal(size=(n, d)), first[kept], second[kept], v, -0.25, rng.normal(size=d)


def test_two_points_by_hand(kernels):
    """M is [[0, 1], [1, 0]] and the points (1, 1), (1, -1): X~ M X~^T = diag(2, -2)."""
    x = np.array([[1.0, 1.0], [1.0, -1.0]])
    pair = np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.int32)
    found = kernels.leading_direction(x, *pair, np.array([1.5]), 0.5, np.array([-3.0, 0.1]), 1e-9)
    np.testing.assert_allclose(found, [1.0, 0.0], atol=1e-9)


@fast_only
@pytest.mark.parametrize("n", [2, 7, 8, 9, 15, 127, 128, 129, 136, 257, 1100])
def test_the_twins_add_up_any_number_of_points_alike(n):
    """NumPy adds fewer than 8 numbers in turn, up to 128 in eight lanes; it halves a longer sum."""
    arguments = problem(n, n, 3, share=4 / n)
    for tol in (1e-1, 1e-9):
        ours = [kernels.leading_direction(*arguments, tol) for kernels in KERNELS]
        assert_same(*ours)


@fast_only
def test_the_twin_follows_the_reference_where_einsum_adds_otherwise(monkeypatch):
    """On other machines small products are those of np.einsum, in both twins."""
    x, first, second, v, base, start = problem(2, 60, 9)
    expected = KERNELS[0].leading_direction(x, first, second, v, base, start, 1e-4)
    monkeypatch.setattr(products, "EINSUM_ADDS_SO", False)
    assert_same(KERNELS[1].leading_direction(x, first, second, v, base, start, 1e-4), expected)
    A = np.random.default_rng(0).normal(size=(5, 21))
    u, w = A[:, 0].copy(), A[0].copy()
    for threads in (1, 2):  # the sums without np.einsum
        assert_same(KERNELS[0].matrix_vector(A, w), KERNELS[1].matrix_vector(A, w, threads=threads))
        assert_same(KERNELS[0].vector_matrix(u, A), KERNELS[1].vector_matrix(u, A, threads=threads))


@pytest.mark.parametrize("n", [1, 2, 5, 60])
def test_the_tridiagonal_solver_is_scipys(n):
    rng = np.random.default_rng(n)
    d, e = rng.normal(size=n), np.abs(rng.normal(size=n - 1))
    theta, y = eigen.largest(d.tolist(), e.tolist())
    if n == 1:
        assert theta == d[0] and y.tolist() == [1.0]
        return
    values, vectors = eigh_tridiagonal(d, e, select="i", select_range=(n - 1, n - 1))
    assert theta == values[0]
    assert_same(y, vectors[:, 0].copy())


@pytest.mark.parametrize("d", [8191, 8192, 8193, 9001])
def test_twins_agree_beyond_the_rows_that_numpy_adds_up_at_once(d):
    rng = np.random.default_rng(d)
    x = rng.normal(size=(6, d))
    first, second = np.array([0, 0, 1, 2], dtype=np.int32), np.array([1, 4, 3, 5], dtype=np.int32)
    arguments = (x, first, second, rng.normal(size=4), -0.1, rng.normal(size=d), 1e-4)
    results = [kernels.leading_direction(*arguments).tobytes() for kernels in KERNELS]
    assert len(set(results)) == 1
    for rows in (1, 5):
        products = [kernels.matrix_vector(x[:rows], x[0]).tobytes() for kernels in KERNELS]
        assert len(set(products)) == 1
