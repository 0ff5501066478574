"""Reference implementations of five papers on learned distances, embeddings and search.

Pure NumPy and SciPy; every algorithm mirrors its paper's pseudocode. The hot paths live in
:mod:`refimpl.kernels` and are exchanged by passing another module as ``kernels=``.
"""

__version__ = "0.1.0"

import importlib

from refimpl.results import FileFormatError, load, save

ROOMS = (
    "ball_trees", "boosted_distance", "boostmap", "estimators", "ftune", "kernels", "lmnn", "rivals", "search_forest",
    "spaces",
)  # fmt: skip
"""What ``refimpl.<name>`` gives after ``import refimpl``, imported when first asked for."""

__all__ = ["FileFormatError", "load", "save"]


def __getattr__(name):
    if name in ROOMS:
        return importlib.import_module(f"refimpl.{name}")
    raise AttributeError(f"module 'refimpl' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *ROOMS])
