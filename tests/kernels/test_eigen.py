"""The leading eigenvector of a node's pairs: against NumPy's eigh, by hand, twin against twin on
any number of threads, and what both refuse.

Not tested here: the iteration with other matrices (tests/search_forest), the trees that it gives.
"""

import numpy as np
import pytest
from agreement import assert_same
from scipy.linalg import eigh_tridiagonal

from refimpl.kernels import eigen


def test_two_points_by_hand(kernels):
    """M is [[0, 1], [1, 0]] and the points (1, 1), (1, -1): X~ M X~^T = diag(2, -2)."""
    x = np.array([[1.0, 1.0], [1.0, -1.0]])
    pair = np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.int32)
    found = kernels.leading_direction(x, *pair, np.array([1.5]), 0.5, np.array([-3.0, 0.1]), 1e-9)
    np.testing.assert_allclose(found, [1.0, 0.0], atol=1e-9)


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
