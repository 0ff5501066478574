"""What a module that reads data sets declares: the files and the reader of each set."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from refimpl.typing import Labels


@dataclass(frozen=True)
class DataSet:
    """A data set in memory; its reader gives the first five fields."""

    X: NDArray[Any]  # (n, d): float64 and not writable, once it is loaded
    y: Labels  # (n,): int64
    classes: Mapping[int, str]  # what each label stands for
    n_train: int | None = None  # these rows are the official training part, the rest tests
    notes: tuple[str, ...] = ()  # what was decided in reading it
    name: str = ""
    files: tuple[dict[str, str], ...] = ()  # name and sha256 of each file it was read from


@dataclass(frozen=True)
class Recipe:
    """How a set is read: ``read(*paths, **options) -> DataSet``, and the files it reads."""

    read: Callable[..., DataSet]
    files: tuple[str, ...] = ()
