"""A small real example for each algorithm: ten to thirty points, the same on each build."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from paper_figures.site.tracing import Trace
from refimpl.typing import FloatArray, IntArray

__all__ = ["Draw", "Example", "flowers", "load"]

Draw: TypeAlias = Callable[[Trace, int], str]
"""Draws the state at the end of a round as SVG."""


@dataclass(frozen=True)
class Example:
    """A run of an algorithm as printed.

    Attributes
    ----------
    run : callable
        Gets the kernels.
    tick : str
        The printed line that begins a round; empty if there are no rounds.
    inside : str
        The function whose line it is, if the printed line has several.
    rounds : str
        What a round is called, such as ``"round t"``.
    draw : callable or None
    caption : str
        What the picture shows.
    """

    run: Callable[[Any], object]
    tick: str = ""
    inside: str = ""
    rounds: str = "round"
    draw: Draw | None = None
    caption: str = ""


def load(room: str) -> dict[str, Example]:
    """Return the examples of a paper by their names.

    Parameters
    ----------
    room : str

    Returns
    -------
    dict
    """
    module = importlib.import_module(f"paper_figures.site.examples.{room}")
    examples: dict[str, Example] = module.EXAMPLES
    return examples


def flowers(*rows: int, columns: tuple[int, ...] = (2, 3)) -> tuple[FloatArray, IntArray]:
    """Return measurements of iris flowers in cm, and their kinds.

    Parameters
    ----------
    *rows : int
        Rows of the data set: 50 of each kind.
    columns : tuple of int
        0 and 1 the sepal's length and width, 2 and 3 the petal's.

    Returns
    -------
    X : ndarray, shape (n, len(columns))
    y : ndarray, shape (n,)
        0 setosa, 1 versicolor, 2 virginica.
    """
    from sklearn.datasets import load_iris

    iris = load_iris()
    X = np.ascontiguousarray(iris.data[list(rows)][:, list(columns)], dtype=np.float64)
    return X, np.asarray(iris.target[list(rows)], dtype=np.int64)
