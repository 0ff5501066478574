"""Draw the arguments of kernels: from a generator that every language can repeat, or from another
source of integers.

A kernel's cases are drawn by one function (:mod:`refimpl.check.cases`), which asks a
:class:`Source` for integers alone. The vectors come from :class:`Lcg`; Hypothesis is another source
(:mod:`refimpl.check.asking`) and makes small what it finds. Small integers give simple values:
zeros, short arrays, the first of several choices.

Not handled here: arguments that a kernel must refuse.
"""

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from refimpl.typing import BoolArray, FloatArray, IntArray, UInt64Array

__all__ = ["KINDS", "Lcg", "Source", "floats", "generated"]

Choice = TypeVar("Choice")

MULTIPLIER = 6364136223846793005
INCREMENT = 1442695040888963407
BITS = 31
FRACTION = 50

KINDS = (
    "ties",
    "plain",
    "constant columns",
    "negative zero",
    "denormals",
    "scales",
    "quarters",
    "far from the origin",
)
"""Kinds of floats: small integers, 52 random bits, columns of one value, zeros of both signs with
small integers, the smallest floats, 2**-60 to 2**60 side by side, quarters, about 2**20."""


class Source:
    """Integers, and what is made of them.

    A source that is `wide` draws for a comparison of two modules; what it draws is stored nowhere.
    """

    wide = False

    def integers(self, count: int, low: int, high: int) -> list[int]:
        """Return `count` integers from `low` to `high`."""
        raise NotImplementedError

    def integer(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`."""
        return self.integers(1, low, high)[0]

    def length(self, most: int, least: int = 1) -> int:
        """Return the length of an array, from `least` to about `most`."""
        return self.integer(least, most)

    def pick(self, *choices: Choice) -> Choice:
        """Return one of the choices; the first is the simplest."""
        return choices[self.integer(0, len(choices) - 1)]

    def array(self, shape: Sequence[int], low: int, high: int) -> IntArray:
        """Return integers as an int64 array."""
        drawn = self.integers(int(np.prod(shape)), low, high)
        return np.array(drawn, dtype=np.int64).reshape(shape)

    def reals(self, shape: Sequence[int], kind: str) -> FloatArray:
        """Return floats of one of the KINDS; another kind means "plain"."""
        if kind in ("ties", "duplicates"):
            return floats(self.array(shape, -2, 2))
        if kind == "quarters":
            return floats(self.array(shape, 0, 15)) / 4
        if kind == "constant columns":
            columns = floats(self.array(shape, -2, 2))
            if columns.ndim == 2 and columns.size:
                columns[:, ::2] = columns[0, ::2]
            return columns
        if kind == "negative zero":
            values = floats(np.maximum(self.array(shape, -3, 2), -1))
            values[values == -1] = -0.0
            return values
        if kind == "denormals":
            return floats(self.array(shape, -3, 3)) * 5e-324
        values = floats(self.array(shape, -(2**52), 2**52)) * 2.0**-FRACTION
        if kind == "scales":
            values = np.ldexp(values, self.array(shape, -60, 60))
        if kind == "far from the origin":
            values += 2.0**20
        return values

    def points(self, n: int, d: int, kind: str) -> FloatArray:
        """Return points as rows; of the kind "duplicates" the last row repeats the first."""
        X = self.reals((n, d), kind)
        if kind == "duplicates" and n > 1:
            X[-1] = X[0]
        return X

    def weights(self, n: int, kind: str) -> FloatArray:
        """Return weights that add up to one, or a little less.

        Equal for "ties"; from 2**-40 to 1, some of them 0, for "extreme weights".
        """
        if kind == "ties":
            return np.full(n, 1 / n)
        if kind == "extreme weights":
            w = np.ldexp(np.ones(n), -self.array((n,), 0, 40))
            w[self.array((n,), 0, 4) == 4] = 0.0
        else:
            w = floats(1 + self.array((n,), 0, 2**20))
        total = float(w.sum())
        return np.full(n, 1 / n) if total == 0 else w / total

    def booleans(self, shape: Sequence[int]) -> BoolArray:
        """Return False and True, each as likely."""
        return np.asarray(self.array(shape, 0, 1) == 1)

    def signs(self, n: int) -> FloatArray:
        """Return 1.0 and -1.0."""
        return floats(1 - 2 * self.array((n,), 0, 1))

    def offsets(self, n: int, total: int) -> IntArray:
        """Return n + 1 places that ascend from 0 to `total`."""
        inner = np.sort(self.array((n - 1,), 0, total))
        return np.concatenate([[0], inner, [total]]).astype(np.int64)


class Lcg(Source):
    """The generator of the vectors: x <- 6364136223846793005 x + 1442695040888963407 mod 2**64.

    A draw is x >> 33, of 31 bits. An integer from `low` to `high` is `low` plus the draw modulo
    their number; of more than 2**31 numbers, two draws make one of 62 bits, the first the upper
    half.
    """

    def __init__(self, seed: int) -> None:
        self.x = seed

    def draw(self) -> int:
        """Return the next 31 bits."""
        self.x = (MULTIPLIER * self.x + INCREMENT) % 2**64
        return self.x >> 64 - BITS

    def integers(self, count: int, low: int, high: int) -> list[int]:
        """Return `count` integers from `low` to `high`."""
        numbers = high - low + 1
        if numbers <= 2**BITS:
            return [low + self.draw() % numbers for _ in range(count)]
        return [low + (self.draw() << BITS | self.draw()) % numbers for _ in range(count)]


def floats(integers: IntArray) -> FloatArray:
    """Return integers as floats."""
    return integers.astype(np.float64)


def _states(seed: int, count: int) -> UInt64Array:
    """Return the first `count` states after `seed`, twice as many in every step."""
    x = np.empty(max(count, 1), dtype=np.uint64)
    x[0] = (MULTIPLIER * seed + INCREMENT) % 2**64
    a, c = MULTIPLIER, INCREMENT  # x[i + done] = a x[i] + c
    done = 1
    while done < count:
        more = min(done, count - done)
        x[done : done + more] = np.uint64(a) * x[:more] + np.uint64(c)
        a, c = a * a % 2**64, (a * c + c) % 2**64
        done += more
    return x[:count]


def generated(recipe: dict[str, Any]) -> Any:
    """Return the array that a recipe of the vectors describes.

    Element i, in C order, is the i-th integer of :class:`Lcg` from `low` to `high`, times 2 to the
    power of `exponent` for floats.
    """
    count = math.prod(recipe["shape"])
    draws = (_states(recipe["seed"], count) >> np.uint64(64 - BITS)).astype(np.int64)
    numbers = recipe["high"] - recipe["low"] + 1
    drawn = (recipe["low"] + draws % numbers).reshape(recipe["shape"])
    if recipe["dtype"] == "bool":
        return drawn == 1
    if recipe["dtype"] == "float64":
        return np.ldexp(drawn.astype(np.float64), recipe["exponent"])
    return drawn.astype(recipe["dtype"])
