"""The nearest of the filter scan where distances are not numbers."""

import numpy as np
import pytest
from agreement import KERNELS, assert_same


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95, 1.0])
def test_nan_comes_last(kernels, share):
    """As numpy.argsort has it, by index among themselves; infinite distances come before."""
    rng = np.random.default_rng(0)
    X = np.rint(rng.normal(size=(500, 3)))
    k = 60
    X[rng.random(500) < share, 1] = np.nan
    X[rng.random(500) < 0.1, 2] = np.inf
    Q = np.rint(rng.normal(size=(3, 3)))
    A = np.ones((3, 3))
    order = np.argsort(kernels.weighted_l1(Q, A, X), axis=1, kind="stable")
    for most in (1, k, 500):
        distances, indices = kernels.weighted_l1_nearest(Q, A, X, most)
        assert_same(indices, order[:, :most].copy())
        assert_same(distances, KERNELS[0].weighted_l1_nearest(Q, A, X, most)[0])
    if share == 1.0:
        assert np.isnan(distances).all()
