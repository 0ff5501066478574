"""What a module that reads data sets declares: the files and the reader of each set."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from refimpl.typing import Labels


@dataclass(frozen=True)
class DataSet:
    """A data set in memory; its reader gives the first five fields.

    Attributes
    ----------
    X : (n, d)
        float64 and not writable, once it is loaded.
    y : (n,)
        Labels: int64.
    classes : dict[int, str]
        What each label stands for.
    n_train : int or None
        The first ``n_train`` rows are the official training part, the rest the test part; None: no
        parts.
    notes : tuple of str
        What was decided in reading it.
    name : str
    files : tuple of dict
        ``{"name", "sha256"}`` of each file it was read from.
    """

    X: NDArray[Any]
    y: Labels
    classes: Mapping[int, str]
    n_train: int | None = None
    notes: tuple[str, ...] = ()
    name: str = ""
    files: tuple[dict[str, str], ...] = ()


@dataclass(frozen=True)
class Recipe:
    """How a set is read: ``read(*paths, **options) -> DataSet``, and the files it reads."""

    read: Callable[..., DataSet]
    files: tuple[str, ...] = ()
