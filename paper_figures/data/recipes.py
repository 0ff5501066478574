"""What a module that reads data sets declares: for each set its files and its reader, and what that gives."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Recipe:
    """How a set is read: ``read(*paths, **options) -> Parsed`` and the files it wants."""

    read: object
    files: tuple = ()


@dataclass(frozen=True)
class Parsed:
    """What a reader gives back; :func:`paper_figures.data.load` adds the name and the files."""

    X: np.ndarray
    y: np.ndarray
    classes: dict
    n_train: int | None = None
    notes: tuple = field(default=())
