"""A small real example for each algorithm: ten to thirty points, the same on each build."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from paper_figures.site import steps
from paper_figures.site.tracing import Trace
from refimpl.typing import FloatArray, IntArray

__all__ = ["Draw", "Example", "flowers", "load"]

Draw: TypeAlias = Callable[[Trace, int], str]
"""Draws the state at the end of a round as SVG."""


@dataclass(frozen=True)
class Example:
    """A run of an algorithm as printed."""

    run: Callable[[Any], object]  # gets the kernels
    tick: str = ""  # the printed line that begins a round
    inside: str = ""  # the function whose line it is, if there are several
    rounds: str = "round"  # what a round is called
    draw: Draw | None = None
    caption: str = ""  # what the picture shows


def load(room: str) -> dict[str, Example]:
    """Return the examples of a paper by their names."""
    module = importlib.import_module(f"paper_figures.site.examples.{room}")
    written = steps.read(room).examples
    if set(written) != set(module.EXAMPLES):
        raise ValueError(f"examples of {room} must be in its steps; got {sorted(written)}")
    return {
        name: Example(run, draw=draw, **written[name])
        for name, (run, draw) in module.EXAMPLES.items()
    }


def flowers(*rows: int, columns: tuple[int, ...] = (2, 3)) -> tuple[FloatArray, IntArray]:
    """Return petals of irises in cm, or sepals (columns 0, 1), and their kinds: 50 of each."""
    from sklearn.datasets import load_iris

    iris = load_iris()
    X = np.ascontiguousarray(iris.data[list(rows)][:, list(columns)], dtype=np.float64)
    return X, np.asarray(iris.target[list(rows)], dtype=np.int64)
