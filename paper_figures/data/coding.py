"""Tables of text as data sets: symbols and gaps as numbers, words of the files as classes."""

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from paper_figures.data.recipes import DataSet
from refimpl.kernels.arguments import one_of
from refimpl.typing import BoolArray, FloatArray

MISSING = "?"
ORDERS = ("sorted", "appearance", "frequency")


def nominal_codes(column: ArrayLike, order: str = "sorted") -> tuple[FloatArray, BoolArray]:
    """Return a column's symbols as numbers 0, 1, ..., a missing one the next, and where it is."""
    one_of(order, ORDERS, "order")
    cells = np.asarray(column)
    missing: BoolArray = np.asarray(cells == MISSING)
    symbols, first, counts = np.unique(cells[~missing], return_index=True, return_counts=True)
    ranked = {
        "sorted": np.arange(symbols.size),
        "appearance": np.argsort(first, kind="stable"),
        "frequency": np.argsort(-counts, kind="stable"),
    }
    number = {symbol: code for code, symbol in enumerate(symbols[ranked[order]])}
    codes = np.array([number.get(cell, symbols.size) for cell in cells], dtype=np.float64)
    return codes, missing


def table(
    rows: Iterable[Iterable[str]],
    nominal: Collection[int] = (),
    *,
    missing: str = "code",
    order: str = "sorted",
) -> tuple[FloatArray, BoolArray]:
    """Return rows of text as numbers, those of `nominal` columns codes, and which rows are kept."""
    # missing="code": a number that no other has, after the last symbol or 1 below the least value;
    # "drop": the row is left out.
    one_of(missing, ("code", "drop"), "missing")
    text = np.array([[cell.strip() for cell in row] for row in rows])
    X = np.empty(text.shape, dtype=np.float64)
    gaps = np.zeros(text.shape, dtype=bool)
    for j in range(text.shape[1]):
        if j in nominal:
            X[:, j], gaps[:, j] = nominal_codes(text[:, j], order)
        else:
            gaps[:, j] = text[:, j] == MISSING
            numbers = text[~gaps[:, j], j].astype(np.float64)
            X[~gaps[:, j], j] = numbers
            X[gaps[:, j], j] = numbers.min() - 1.0
    keep: BoolArray = np.ones(len(X), dtype=bool)
    if missing == "drop":
        keep = ~np.any(gaps, axis=1)
    return X[keep], keep


def rows_of(*paths: Path, separator: str | None = ",") -> list[list[str]]:
    """Return the cells of all lines of some files, without headers and comments."""
    lines = [line.strip() for path in paths for line in path.read_text("latin-1").splitlines()]
    return [line.split(separator) for line in lines if line and line[0] not in "%@"]


def labelled(
    X: ArrayLike,
    labels: Iterable[object],
    classes: Mapping[str, str] | None = None,
    notes: tuple[str, ...] = (),
    n_train: int | None = None,
) -> DataSet:
    """Return a set whose classes are {word of the file: name}; by default the words, sorted."""
    words = np.array([str(label).strip() for label in labels])
    names = classes or {word: word for word in np.unique(words).tolist()}
    if strange := sorted(set(words.tolist()) - set(names)):
        known = " and ".join(map(repr, names))
        raise ValueError(f"the classes must be {known}; got {strange[0]!r}")
    number = {word: code for code, word in enumerate(names)}
    y = np.array([number[word] for word in words.tolist()], dtype=np.int64)
    return DataSet(
        np.asarray(X, dtype=np.float64), y, dict(enumerate(names.values())), n_train, notes
    )


def class_last(
    classes: Mapping[str, str] | None = None, separator: str | None = ","
) -> Callable[..., DataSet]:
    """Return the reader of tables of numbers with the class in the last column."""

    def read(*paths: Path) -> DataSet:
        rows = rows_of(*paths, separator=separator)
        return labelled([row[:-1] for row in rows], [row[-1] for row in rows], classes)

    return read
