"""Draw the arguments of kernels and trainings from any source of integers.

The arguments of a kernel or a training are drawn by one function (:mod:`refimpl.check.subjects`),
which asks a :class:`Source` for integers alone. Hypothesis is such a source
(:mod:`refimpl.check.asking`) and makes small what it finds; :class:`Lcg`, which every language can
repeat, is another. Small integers give simple values: zeros, short arrays, the first of several
choices.

Not handled here: arguments that a kernel must refuse.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from refimpl.arrays import BoolArray, FloatArray, IntArray

Choice = TypeVar("Choice")

MULTIPLIER = 6364136223846793005
INCREMENT = 1442695040888963407
BITS = 31
FRACTION = 50

KINDS = ("ties", "plain", "quarters", "duplicates")
"""The kinds of points that trainings get."""


class NoProblemError(ValueError):
    """The integers that were drawn make no problem."""


class Source:
    """Integers, and what is made of them."""

    wide = False  # whether two modules that must agree to the bit are compared

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
        return choices[self.integer(0, len(choices) - 1) if len(choices) > 1 else 0]

    def array(self, shape: Sequence[int], low: int, high: int) -> IntArray:
        """Return integers as an int64 array."""
        drawn = self.integers(int(np.prod(shape)), low, high)
        return np.array(drawn, dtype=np.int64).reshape(shape)

    def reals(self, shape: Sequence[int], kind: str) -> FloatArray:
        """Return floats of a kind, such as "ties", "denormals" or "scales"; else of 52 bits."""
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
        """Return weights that add up to one or a little less: equal ones, of all sizes, or any."""
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

    def permutation(self, n: int) -> IntArray:
        """Return 0 to n - 1 in any order."""
        return np.argsort(self.array((n,), 0, 99), kind="stable")

    def offsets(self, n: int, total: int) -> IntArray:
        """Return n + 1 places that ascend from 0 to `total`."""
        inner = np.sort(self.array((n - 1,), 0, total))
        return np.concatenate([[0], inner, [total]]).astype(np.int64)


class Lcg(Source):
    """Draws x >> 33 of x <- 6364136223846793005 x + 1442695040888963407 mod 2**64."""

    def __init__(self, seed: int) -> None:
        self.x = seed

    def draw(self) -> int:
        """Return the next 31 bits."""
        self.x = (MULTIPLIER * self.x + INCREMENT) % 2**64
        return self.x >> 64 - BITS

    def integers(self, count: int, low: int, high: int) -> list[int]:
        """Return `low` plus a draw modulo their number; above 2**31 numbers, two draws make one."""
        numbers = high - low + 1
        if numbers <= 2**BITS:
            return [low + self.draw() % numbers for _ in range(count)]
        return [low + (self.draw() << BITS | self.draw()) % numbers for _ in range(count)]


def floats(integers: IntArray) -> FloatArray:
    """Return integers as floats."""
    return integers.astype(np.float64)


def city_block(X: FloatArray) -> FloatArray:
    """Return the city-block distances of all points to each other."""
    distances: FloatArray = np.abs(X[:, np.newaxis] - X).sum(axis=2)
    return distances


def generated(recipe: dict[str, Any]) -> Any:
    """Return the array of a recipe: integers of :class:`Lcg` in C order, times 2**exponent."""
    drawn = Lcg(recipe["seed"]).array(recipe["shape"], recipe["low"], recipe["high"])
    if recipe["dtype"] == "bool":
        return drawn == 1
    if recipe["dtype"] == "float64":
        return np.ldexp(floats(drawn), recipe["exponent"])
    return drawn.astype(recipe["dtype"])


class Given(np.random.Generator):
    """A generator that gives places and integers that are known beforehand, one after the other."""

    def __init__(self, places: Iterable[Any] = (), integers: Iterable[Any] = ()) -> None:
        super().__init__(np.random.PCG64(0))
        self._places, self._integers = iter(places), iter(integers)

    def choice(self, a: Any, *more: Any, **options: Any) -> Any:
        """Return the elements of `a` at the next places."""
        places = next(self._places)
        return places if isinstance(a, int) else a[places]

    def integers(self, high: int, *more: Any, **options: Any) -> Any:  # type: ignore[override]
        """Return the next integers, modulo `high`."""
        return next(self._integers) % high
