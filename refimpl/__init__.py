"""Reference implementations of five papers on learned distances, embeddings and search.

Pure NumPy and SciPy; every algorithm mirrors its paper's pseudocode. The hot paths live in
:mod:`refimpl.kernels`; pass another module as ``kernels=`` to exchange them.

Examples
--------
>>> import refimpl
>>> refimpl.ball_trees.nearest_neighbors([[0.0], [2.1]], [[0.0], [1.0], [3.0]], 1).indices
array([[0],
       [2]])
"""

__version__ = "0.1.0"

import importlib
from types import ModuleType

from refimpl.progress import Checkpoint, Progress, Step
from refimpl.results import FileFormatError, load, save

ROOMS = (
    "ball_trees",
    "boosted_distance",
    "boostmap",
    "estimators",
    "ftune",
    "kernels",
    "lmnn",
    "rivals",
    "search_forest",
    "spaces",
)
"""What ``refimpl.<name>`` gives after ``import refimpl``, imported when first asked for."""

__all__ = ["Checkpoint", "FileFormatError", "Progress", "Step", "load", "save"]


def __getattr__(name: str) -> ModuleType:
    if name in ROOMS:
        return importlib.import_module(f"refimpl.{name}")
    raise AttributeError(f"module 'refimpl' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *ROOMS])
