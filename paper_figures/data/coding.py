"""Turn symbols into numbers and deal with missing values, in the ways the papers leave open."""

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import ArrayLike

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
