"""L-BFGS: Nocedal & Wright, "Numerical Optimization" (2006), section 7.2.

It can go on after the function has changed a little, as SciPy's cannot.

Not handled here: bounds, when to end before no step lowers the value.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
import scipy

from refimpl.typing import FloatArray

Function: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]
Point: TypeAlias = tuple[FloatArray, float, FloatArray]

EPS = np.finfo(np.float64).eps

SMALL = 10  # steps that lower the value by no more than its rounding error end the descent
SUFFICIENT = 1e-4  # a step lowers the value by at least this share of what the slope promises
FLAT = 0.9  # and leaves at most this share of the slope
TRIES = 20  # the largest number of evaluations in a search
WIDER = 2.5  # a step that may be longer grows by this factor
CURVED = 1e-12  # the least curvature, relative to the lengths of the two changes, to remember


class Memory:
    """The last steps of a descent, and how they changed the gradient."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.steps: list[tuple[FloatArray, FloatArray, float]] = []

    def add(self, step: FloatArray, change: FloatArray) -> None:
        """Remember a step and the change of the gradient, if the function is convex along it."""
        curvature = float(step @ change)
        if curvature > CURVED * float(np.linalg.norm(step) * np.linalg.norm(change)):
            self.steps.append((step, change, curvature))
            del self.steps[: -self.most]

    def direction(self, gradient: FloatArray) -> FloatArray:
        """Return the direction to search along: algorithm 7.4."""
        add = scipy.linalg.blas.daxpy  # without an array for the product
        direction = -gradient
        shares: list[float] = []
        for step, change, curvature in reversed(self.steps):
            share = float(step @ direction) / curvature
            direction = add(change, direction, a=-share)
            shares.append(share)
        if self.steps:
            _, change, curvature = self.steps[-1]
            direction *= curvature / float(change @ change)
        for (step, change, curvature), share in zip(self.steps, reversed(shares), strict=True):
            direction = add(step, direction, a=share - float(change @ direction) / curvature)
        return direction


def descent(
    function: Function, v: FloatArray, memory: Memory
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the point and the gradient after each step, the last one once more: algorithm 7.5."""
    # It ends where no step lowers the value, or where rounding errors decide.
    value, gradient = function(v)
    small = 0
    while small < SMALL:
        direction = memory.direction(gradient)
        slope = float(direction @ gradient)
        reached = None
        if slope < 0:
            length = 1.0 if memory.steps else min(1.0, 1 / float(np.linalg.norm(direction)))
            reached = _search(function, (v, value, gradient), direction, length)
        if reached is None:
            small += SMALL // 2 if memory.steps else SMALL
            memory.steps.clear()
            continue
        memory.add(reached[0] - v, reached[2] - gradient)
        small += 1 if value - reached[1] <= EPS * abs(value) else 0
        v, value, gradient = reached
        yield v, gradient
    yield v, gradient


def _search(function: Function, start: Point, direction: FloatArray, length: float) -> Point | None:
    """Return a lower point along the direction, or None if no step lowers the value."""
    v, value, gradient = start
    slope = float(gradient @ direction)
    low, low_value, low_slope = 0.0, value, slope
    high = np.inf
    best: Point | None = None
    for _ in range(TRIES):
        point = v + length * direction
        there, after = function(point)
        if not there <= value + SUFFICIENT * length * slope:  # also if it is NaN
            high = length
            length = low + _lowest(low_value, low_slope, there, high - low)
            continue
        slope_there = float(after @ direction)
        best = (point, there, after)
        if slope_there >= FLAT * slope:
            return best
        low, low_value, low_slope = length, there, slope_there
        length = WIDER * length if high == np.inf else (low + high) / 2
    return best


def _lowest(value: float, slope: float, there: float, width: float) -> float:
    """Return where the parabola with this value and slope at 0, and `there` at width, is lowest."""
    # between a tenth and nine tenths of the width
    bend = there - value - slope * width
    share = -slope * width / (2 * bend) if np.isfinite(bend) and bend > 0 else 0.5
    return width * min(max(share, 0.1), 0.9)
