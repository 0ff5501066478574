"""Sets of points that are hard for trees: ties, lines, clusters, values at the ends."""

import numpy as np


def points(shape, rng, n, d):
    """Draw n points in d dimensions; `shape` says what is hard about them, "normal" nothing."""
    X = rng.normal(size=(n, d)) * rng.uniform(0.1, 3.0, d)
    if shape == "ties":
        return np.rint(X)
    if shape == "line":
        return np.rint(4 * X[:, :1]) * rng.normal(size=d)
    if shape == "constant":
        return np.full((n, d), 0.1)
    if shape == "constant features":
        X[:, rng.random(d) < 0.7] = -0.3
    if shape == "far":
        return X + 1e9
    if shape == "tiny":
        return X * 1e-155  # squares lose digits to underflow
    if shape == "vanishing":
        return X * 1e-170  # squares underflow
    if shape == "clusters":
        return X * 1e-9 + rng.integers(0, 2, (n, 1)) * 1e6
    if shape == "grains":  # finer than float32 can tell apart
        return X * 10.0 ** rng.uniform(-9, -6) + rng.integers(0, 2, (n, 1))
    return X
