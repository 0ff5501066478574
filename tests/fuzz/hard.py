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


class Hard(Source):
    """Integers of NumPy's generator, and floats that are hard on a kernel."""

    wide = True

    def __init__(self, rng, exponents=USUAL, tame=None):
        self.rng = rng
        self.exponents = exponents  # of ten, the sizes of hard floats
        self.tame = self.chance(TAME) if tame is None else tame

    def chance(self, share):
        """Return True in this share of the draws."""
        return bool(self.rng.random() < share)

    def integers(self, count, low, high):
        """Return `count` integers from `low` to `high`."""
        return self.rng.integers(low, high, count, endpoint=True).tolist()

    def array(self, shape, low, high):
        """Return integers as an int64 array."""
        return self.rng.integers(low, high, shape, endpoint=True)

    def length(self, most, least=1):
        """Return a length of up to three times `most`; now and then the least, or thirty times."""
        if self.chance(SHORT):
            return least
        longest = LONGEST if self.chance(RARE) else LONGER
        return self.integer(least, longest * most)

    def reals(self, shape, kind):
        """Return tame floats of the kind, or hard ones."""
        return super().reals(shape, kind) if self.tame else self.hard_reals(shape)

    def hard_reals(self, shape):
        """Return finite floats of one hard kind."""
        rng = self.rng
        kind = rng.integers(8)
        if kind == 0:
            return rng.normal(size=shape)
        if kind < 3:
            return super().reals(shape, ("ties", "quarters")[kind - 1])
        if kind == 3:
            return np.full(shape, rng.choice([0.0, -0.0, 1.0, -3.5]))
        if kind == 4:
            return rng.choice([0.0, -0.0, 5e-324, -5e-324, 1e-310], shape)
        if kind < 7:  # all of one scale, or of every scale at once
            exponents = rng.integers(*self.exponents, shape if kind == 6 else None)
            return np.asarray(rng.normal(size=shape) * 10.0**exponents)
        X = rng.normal(size=shape)
        if X.size:  # an outlier
            X.flat[rng.integers(X.size)] = 10.0 ** rng.integers(0, self.exponents[1])
        return X

    def points(self, n, d, kind="plain"):
        """Return points as rows, some of them twice."""
        X = self.reals((n, d), kind)
        if n > 1 and self.chance(0.3):
            X[self.integer(0, n - 1)] = X[self.integer(0, n - 1)]
        return X

    def weights(self, n, kind):
        """Return weights of all sizes; half of the time on the grid of 2**-52."""
        if self.tame:
            return super().weights(n, kind)
        w = self.rng.random(n) ** self.rng.choice([1, 8, 60, 600])
        if self.chance(0.2):
            w[self.rng.random(n) < 0.5] = 0.0
        total = w.sum()
        w = np.full(n, 1 / n) if total == 0 else w / total
        return np.floor(w * 2.0**52) * 2.0**-52 if self.chance(0.5) else w

    def booleans(self, shape):
        """Return False and True: few, half or all of them True."""
        return np.asarray(self.rng.random(shape) < self.rng.choice([0.05, 0.5, 0.9, 1.0]))


class _Called(BaseException):
    """Raised where a kernel would have been called, with its arguments."""


def arguments_of(name, rng):
    """Return arguments that a kernel must take: those with which its row of the table calls it."""
    source = Hard(rng, EXPONENTS.get(name, USUAL))
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
