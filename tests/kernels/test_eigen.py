"""The leading eigenvector of a node's pairs: against NumPy's eigh, by hand, twin against twin on
any number of threads, and what both refuse.

Not tested here: the iteration with other matrices (tests/search_forest), the trees that it gives.
"""

import numpy as np
import pytest
from agreement import assert_same, require_twins
from scipy.linalg import eigh_tridiagonal

from refimpl.kernels import eigen


def test_two_points_by_hand(kernels):
    """M is [[0, 1], [1, 0]] and the points (1, 1), (1, -1): X~ M X~^T = diag(2, -2)."""
    x = np.array([[1.0, 1.0], [1.0, -1.0]])
    pair = np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.int32)
    found = kernels.leading_direction(x, *pair, np.array([1.5]), 0.5, np.array([-3.0, 0.1]), 1e-9)
    np.testing.assert_allclose(found, [1.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("n", [2, 7, 8, 9, 15, 127, 128, 129, 136, 257, 1100])
def test_the_twins_add_up_any_number_of_points_alike(n):
    """NumPy adds fewer than 8 numbers in turn, up to 128 in eight lanes; it halves a longer sum."""
    rng = np.random.default_rng(n)
    first, second = (part.astype(np.int32) for part in np.triu_indices(n, k=1))
    kept = rng.random(len(first)) < 4 / n
    pairs = {"first": first[kept], "second": second[kept], "v": rng.normal(size=kept.sum())}
    values = {"x": rng.normal(size=(n, 3)), **pairs, "base": -0.25, "start": rng.normal(size=3)}
    for tol in (1e-1, 1e-9):
        require_twins("leading_direction", values | {"tol": tol}, (None,))


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
    pairs = {"first": first, "second": second, "v": rng.normal(size=4), "base": -0.1}
    values = {"x": x, **pairs, "start": rng.normal(size=d), "tol": 1e-4}
    require_twins("leading_direction", values, (None,))
    for rows in (1, 5):
        require_twins("matrix_vector", {"A": x[:rows], "v": x[0]}, (None,))
