"""The solver of the small problems by which a leading eigenvector is found, against SciPy's.

Not tested here: the eigenvectors themselves (tests/search_forest, test_twins.py).
"""

import numpy as np
import pytest
from agreement import assert_same
from scipy.linalg import eigh_tridiagonal

from refimpl.kernels import eigen


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
