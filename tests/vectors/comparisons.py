"""What the comparisons with the oracles share: their table, and when two numbers are equal."""

import numpy as np

ORACLES = {}
MANY = 2000


def oracle(function):
    """Enter a comparison under the kernel's name."""
    ORACLES[function.__name__] = function
    return function


def close(got, want, size=0.0):
    """Equal up to rounding; `size` is that of the terms of a sum."""
    got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
    assert got.shape == want.shape, (got.shape, want.shape)
    bound = 1e-10 * np.abs(want) + 1e-11 * np.asarray(size)
    with np.errstate(invalid="ignore"):
        assert ((got == want) | (np.abs(got - want) <= bound)).all(), (got, want)


def exact(got, want):
    assert np.asarray(got).tolist() == want, (got, want)
