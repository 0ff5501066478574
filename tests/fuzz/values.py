"""Numbers that are hard on kernels: ties, signed zeros, tiny and huge scales, outliers."""

import numpy as np


def length(rng, most=12, least=1):
    """A small length; now and then a larger one, which several threads share."""
    if rng.random() < 0.02:
        return int(rng.integers(least, 20 * most))
    return int(rng.integers(least, most + 1))


def reals(rng, shape, exponents=(-300, 140)):
    """Finite float64 of one hard kind; sizes from 10**exponents[0] to 10**exponents[1]."""
    kind = rng.integers(8)
    if kind == 0:
        return rng.normal(size=shape)
    if kind == 1:
        return rng.integers(-2, 3, shape).astype(float)  # ties
    if kind == 2:
        return rng.integers(0, 16, shape) / 4
    if kind == 3:
        return np.full(shape, rng.choice([0.0, -0.0, 1.0, -3.5]))
    if kind == 4:
        return rng.choice([0.0, -0.0, 5e-324, -5e-324, 1e-310], shape)
    if kind == 5:
        return rng.normal(size=shape) * 10.0 ** rng.integers(*exponents)
    if kind == 6:
        # every scale at once
        return rng.normal(size=shape) * 10.0 ** rng.integers(*exponents, shape)
    X = np.atleast_1d(rng.normal(size=shape))  # an outlier
    if X.size:
        X.flat[rng.integers(X.size)] = 10.0 ** rng.integers(0, exponents[1])
    return X.reshape(shape)


def points(rng, n, d, exponents=(-300, 140)):
    """Vectors in rows, some of them twice."""
    X = reals(rng, (n, d), exponents)
    if n > 1 and rng.random() < 0.3:
        X[rng.integers(n)] = X[rng.integers(n)]
    return X


def weights(rng, n):
    """Weights that add up to one, or a little less; half of the time on the grid of 2**-52."""
    w = rng.random(n) ** rng.choice([1, 8, 60, 600])
    if rng.random() < 0.2:
        w[rng.random(n) < 0.5] = 0.0
    total = w.sum()
    w = np.full(n, 1 / n) if total == 0 else w / total
    return np.floor(w * 2.0**52) * 2.0**-52 if rng.random() < 0.5 else w


def signs(rng, n):
    """1 or -1 as float64."""
    return rng.choice([-1.0, 1.0], n)


def offsets(rng, n, total):
    """n + 1 places that ascend from 0 to total."""
    return np.concatenate([[0], np.sort(rng.integers(0, total + 1, n - 1)), [total]]).astype(
        np.int64
    )
