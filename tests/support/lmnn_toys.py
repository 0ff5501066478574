"""Small data sets for the tests of LMNN."""

import numpy as np


def blobs(seed=0, n=36, d=4, classes=3, spread=0.7):
    """Return points of overlapping classes, and their labels 0, 1, ..."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, d)) * np.linspace(2, 0.3, d) + spread * y[:, None] * np.linspace(
        0, 1, d
    )
    return X, y
