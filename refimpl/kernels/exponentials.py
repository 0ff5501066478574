"""Exponentials, and sums of them, with the same bits in both twins, for Z of BoostMap.

The libraries' own exponentials differ in the last bit. :func:`exp` is built from additions and
multiplications in a stated order, and :func:`fixed_sum` adds in 64 interleaved lanes, then the
lanes in ascending order. Vectors of any width give the same bits.

Not handled here: arguments outside [-700, 500]. The exponential is 0 below, and e**500 above.
"""

import numpy as np

from refimpl.arrays import FloatArray

LANES = 64
LOG2E = 1.4426950408889634
LN2_HIGH = 0.693145751953125
LN2_LOW = 1.4286068203094173e-06
LEAST = -700.0
MOST = 500.0
# 1/13!, ..., 1/1!, 1/0!
TAYLOR = tuple(1.0 / np.prod(np.arange(1.0, n + 1)) for n in range(13, -1, -1))


def exp(x: FloatArray) -> FloatArray:
    """Return e**x to two units in the last place; 0 below -700, and e**500 above 500."""
    # x = k ln 2 + r with |r| <= ln(2) / 2; Taylor's polynomial for e**r by Horner's rule
    none = x < LEAST
    x = np.clip(x, LEAST, MOST)
    k = np.rint(x * LOG2E)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    p = np.full_like(r, TAYLOR[0])
    for coefficient in TAYLOR[1:]:
        p = p * r + coefficient
    return np.where(none, 0.0, np.ldexp(p, k.astype(np.int64)))


def fixed_sum(x: FloatArray) -> float:
    """Add up x in a stated order: lane i adds x[i], x[i + 64], ...; then come the lanes."""
    return fixed_sums(x[np.newaxis])[0]


def fixed_sums(x: FloatArray) -> list[float]:
    """Return the :func:`fixed_sum` of each row of x, shape (m, t)."""
    m, t = x.shape
    padded = np.zeros((m, -(-t // LANES), LANES))
    padded.reshape(m, -1)[:, :t] = x
    lanes = np.add.reduce(padded, axis=1)  # row after row
    sums: list[float] = lanes.cumsum(axis=1)[:, -1].tolist()
    return sums
