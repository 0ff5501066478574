"""Random numbers that a vector gives, in place of a generator.

Not handled here: distributions that no training of the vectors draws from.
"""

from typing import Any, cast

import numpy as np

from refimpl.typing import IntArray

__all__ = ["Candidates", "Picks", "as_rng"]


def as_rng(given: object) -> np.random.Generator:
    """Return given numbers where a generator is asked for."""
    return cast(np.random.Generator, given)


class Candidates:
    """The reference objects and pairs of pivots that § 7.3 of BoostMap draws, one draw a round."""

    def __init__(self, references: IntArray, pivots: IntArray) -> None:
        self.references = iter(references)
        self.pivots = iter(pivots)
        self.second: IntArray | None = None

    def choice(self, n: int, size: int, replace: bool) -> IntArray:
        """Return the reference objects of the next round."""
        return next(self.references)

    def integers(self, high: int, size: int) -> IntArray:
        """Return the first pivots; then the second ones among all objects but the first."""
        if self.second is None:
            pair = next(self.pivots)
            self.second = pair[:, 1] - (pair[:, 1] > pair[:, 0])
            return np.asarray(pair[:, 0])
        second, self.second = self.second, None
        return second


class Picks:
    """A first landmark, then places in lists."""

    def __init__(self, first: int, picks: IntArray) -> None:
        self.first: int | None = first
        self.picks = iter(picks.T)

    def integers(self, high: int, size: int | None = None) -> Any:
        """Return the landmark, then the next row of places, modulo `high`."""
        if size is None:
            return self.first
        return next(self.picks) % high
