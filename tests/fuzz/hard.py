"""Arguments that are hard on a kernel: numbers of every size, longer arrays, drawn as in
:mod:`refimpl.check.subjects`, for two modules to be compared on.

Not handled here: arguments that a kernel must refuse (hostile.py).
"""

import inspect
from types import SimpleNamespace

import numpy as np

import refimpl.kernels
from refimpl.check.drawing import Source
from refimpl.check.subject import copied
from refimpl.check.subjects import KERNELS

USUAL = (-300, 140)  # powers of ten: the contract refuses more where squares would overflow
EXPONENTS = {
    "best_plane": (-3, 3),
    "forest_words": (-30, 30),
    "hinge_terms": (-300, 150),
    "leading_direction": (-3, 3),
    "plane_values": (-30, 30),
    "presort": (-300, 300),
    "rerank": (-30, 30),
    "weighted_differences": (-100, 100),
}
"""The sizes of numbers that some kernels get, as powers of ten; the others get the USUAL ones."""

TAME = 0.3  # share of the cases with the numbers that their flag names
SHORT = 0.1  # share of the lengths that are as short as may be: blocks of one, lists of none
RARE = 0.02  # share of the lengths that several threads are worth
LONGER, LONGEST = 3, 30


def hard_reals(rng, shape, exponents=USUAL):
    """Return finite floats of one hard kind, from 10**exponents[0] to 10**exponents[1]."""
    kind = rng.integers(8)
    if kind == 0:
        return rng.normal(size=shape)
    if kind == 1:  # ties
        return rng.integers(-2, 3, shape).astype(np.float64)
    if kind == 2:
        return rng.integers(0, 16, shape) / 4
    if kind == 3:
        return np.full(shape, rng.choice([0.0, -0.0, 1.0, -3.5]))
    if kind == 4:
        return rng.choice([0.0, -0.0, 5e-324, -5e-324, 1e-310], shape)
    if kind == 5:
        return np.asarray(rng.normal(size=shape) * 10.0 ** rng.integers(*exponents))
    if kind == 6:  # every scale at once
        return np.asarray(rng.normal(size=shape) * 10.0 ** rng.integers(*exponents, shape))
    X = rng.normal(size=shape)
    if X.size:  # an outlier
        X.flat[rng.integers(X.size)] = 10.0 ** rng.integers(0, exponents[1])
    return X


class Hard(Source):
    """Integers of NumPy's generator, and floats that are hard on a kernel."""

    wide = True

    def __init__(self, rng, kernel="", tame=None):
        self.rng = rng
        self.exponents = EXPONENTS.get(kernel, USUAL)
        self.tame = rng.random() < TAME if tame is None else tame

    def integers(self, count, low, high):
        """Return `count` integers from `low` to `high`."""
        return self.rng.integers(low, high, count, endpoint=True).tolist()

    def array(self, shape, low, high):
        """Return integers as an int64 array."""
        return self.rng.integers(low, high, shape, endpoint=True)

    def length(self, most, least=1):
        """Return a length of up to three times `most`; now and then the least, or thirty times."""
        if self.rng.random() < SHORT:
            return least
        longest = LONGEST if self.rng.random() < RARE else LONGER
        return self.integer(least, longest * most)

    def reals(self, shape, kind):
        """Return hard floats, or tame ones of the kind."""
        if self.tame:
            return super().reals(shape, kind)
        return hard_reals(self.rng, shape, self.exponents)

    def points(self, n, d, kind):
        """Return points as rows, some of them twice."""
        X = self.reals((n, d), kind)
        if n > 1 and self.rng.random() < 0.3:
            X[self.rng.integers(n)] = X[self.rng.integers(n)]
        return X

    def weights(self, n, kind):
        """Return weights of all sizes; half of the time on the grid of 2**-52."""
        if self.tame:
            return super().weights(n, kind)
        w = self.rng.random(n) ** self.rng.choice([1, 8, 60, 600])
        if self.rng.random() < 0.2:
            w[self.rng.random(n) < 0.5] = 0.0
        total = w.sum()
        w = np.full(n, 1 / n) if total == 0 else w / total
        return np.floor(w * 2.0**52) * 2.0**-52 if self.rng.random() < 0.5 else w

    def booleans(self, shape):
        """Return False and True: few, half or all of them True."""
        return np.asarray(self.rng.random(shape) < self.rng.choice([0.05, 0.5, 0.9, 1.0]))


class _Called(BaseException):
    """Raised where a kernel would have been called, with its arguments."""


def arguments_of(name, rng):
    """Return arguments that a kernel must take: those with which its row of the table calls it."""
    source = Hard(rng, name)
    drawn = KERNELS[name].draw(source, source.pick(*KERNELS[name].flags))
    signature = inspect.signature(getattr(refimpl.kernels, name))

    def record(*args, **options):
        raise _Called(dict(signature.bind(*args, **options).arguments))

    record.__signature__ = signature
    module = SimpleNamespace(**{**vars(refimpl.kernels), name: record})
    try:
        KERNELS[name].run(module, copied(drawn))
    except _Called as called:
        return called.args[0]
    raise AssertionError(f"{name} was not called")
