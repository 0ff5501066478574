"""The coordinates that the solvers of LMNN work in.

Not tested here: that the coordinates change no optimum (`test_lmnn.py`, `test_algorithm_lmnn.py`).
"""

import numpy as np

from refimpl.lmnn.coordinates import Coordinates


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
