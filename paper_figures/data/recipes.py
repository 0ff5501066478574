"""What a module that reads data sets declares: the files and the reader of each set."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from refimpl.typing import Labels


@dataclass(frozen=True)
class Recipe:
    """How a set is read: ``read(*paths, **options) -> Parsed``, and the files it reads."""

    read: Callable[..., "Parsed"]
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Parsed:
    """What a reader returns; :func:`paper_figures.data.load` adds the name and the files."""

    X: NDArray[Any]
    y: Labels
    classes: Mapping[int, str]
    n_train: int | None = None
    notes: tuple[str, ...] = field(default=())
