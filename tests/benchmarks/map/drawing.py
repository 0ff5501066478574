"""The tables of the kernels' and trainings' cases, and what several kernels draw.

The points are clusters, as the papers' data have, so that trees and balls can rule something out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from refimpl.kernels import SearchForest

CASES: dict[str, Case] = {}
TRAININGS: dict[str, Case] = {}


@dataclass(frozen=True)
class Case:
    """A kernel or a training at three sizes.

    Attributes
    ----------
    draw : callable
        Of a kernel, ``draw(rng, n)`` returns the arguments, a dict. Of a training, ``draw(n)``
        returns ``train(kernels=..., threads=...)`` and the peers' calls by name.
    sizes : tuple of int
        n: hundreds, thousands, the papers'.
    what : str
        What the arguments are or what is trained, with ``{n}`` for the size.
    data : str
        The real data set that a training needs.
    grows : bool
        Whether n alone changes with the size, so that an exponent of n makes sense.
    reads, flops : callable or None
        Of a kernel's arguments: the bytes that must be read once, the additions and multiplications
        of a matrix product that does the same.
    """

    draw: Callable[..., Any]
    sizes: tuple[int, int, int]
    what: str
    data: str = ""
    grows: bool = True
    reads: Callable[[dict[str, Any]], int] | None = None
    flops: Callable[[dict[str, Any]], int] | None = None


def enter(table, *values, **options):
    """Enter the decorated function under its own name."""

    def decorate(draw):
        table[draw.__name__] = Case(draw, *values, **options)
        return draw

    return decorate


case = partial(enter, CASES)
training = partial(enter, TRAININGS)


def size_of(*names):
    """Return a function of the arguments that counts the bytes of those arrays."""
    return lambda values: sum(values[name].nbytes for name in names)


def product(values):
    """Count the additions and multiplications of Q @ X.T."""
    return 2 * len(values["Q"]) * len(values["X"]) * values["X"].shape[1]


def clusters(rng, n, d, spread=0.3):
    """Draw n points around 20 centres, float64."""
    centres = rng.normal(size=(20, d))
    return centres[rng.integers(20, size=n)] + spread * rng.normal(size=(n, d))


def around(rng, n, d, queries):
    """Draw n points and some queries around the same centres."""
    Z = clusters(rng, n + queries, d)
    return np.ascontiguousarray(Z[:n]), np.ascontiguousarray(Z[n:])


def fast():
    """The compiled kernels, to draw arguments with: preparation is not measured."""
    import refimpl_fast

    return refimpl_fast


def random_forest(rng, trees, levels, d):
    """Complete trees; each node cuts at a random plane through the origin."""
    inner = 2**levels - 1
    nodes = 2 * inner + 1
    own = np.arange(nodes)
    is_inner = own < inner

    def arrays(values, otherwise):
        per_tree = [np.where(is_inner, values(m), otherwise(m)) for m in range(trees)]
        return np.concatenate(per_tree).astype(np.int32)

    return SearchForest(
        c=rng.uniform(0.5, 1.5, trees),
        roots=np.arange(trees) * nodes,
        left=arrays(lambda m: m * nodes + 2 * own + 1, lambda m: -1),
        word=arrays(lambda m: -1, lambda m: own - inner + m * (inner + 1)),
        plane=arrays(lambda m: own + m * inner, lambda m: -1),
        feature=np.full(trees * nodes, -1, dtype=np.int32),
        offset=np.zeros(trees * nodes),
        planes=rng.standard_normal((trees * inner, d), dtype=np.float32),
        lam=0.1,
        history=np.zeros((trees, 5)),
        message="",
    )
