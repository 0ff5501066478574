"""Turn symbols into numbers and deal with missing values, in the ways the papers leave open."""

import numpy as np

from refimpl.kernels.arguments import one_of

MISSING = ("code", "mean", "drop")
ORDERS = ("sorted", "appearance", "frequency")


def nominal_codes(column, *, order="sorted", missing_symbol="?"):
    """Number the symbols of a column 0, 1, ...; a missing one gets the number after the last.

    Parameters
    ----------
    column : sequence of str
    order : {"sorted", "appearance", "frequency"}
        How symbols are numbered: alphabetically, as they appear, or the most frequent first.
    missing_symbol : str

    Returns
    -------
    codes : (n,) float64
    missing : (n,) bool
        Where the symbol is the missing one.
    """
    one_of(order, ORDERS, "order")
    column = np.asarray(column)
    missing = column == missing_symbol
    symbols, first, counts = np.unique(column[~missing], return_index=True, return_counts=True)
    ranked = {"sorted": np.arange(symbols.size), "appearance": np.argsort(first, kind="stable")}
    ranked["frequency"] = np.argsort(-counts, kind="stable")
    codes = {symbol: code for code, symbol in enumerate(symbols[ranked[order]])}
    return np.array([codes.get(symbol, symbols.size) for symbol in column], dtype=np.float64), missing


def table(rows, nominal=(), *, missing="code", order="sorted", missing_symbol="?"):
    """Make a matrix of numbers from rows of text.

    Parameters
    ----------
    rows : sequence of sequences of str
    nominal : collection of int
        The columns that hold symbols.
    missing : {"code", "mean", "drop"}
        ``"code"``: a number of its own, after the last symbol's, or one below a numeric column's least value.
        ``"mean"``: the column's mean, or its most frequent symbol. ``"drop"``: the row is left out.
    order : {"sorted", "appearance", "frequency"}
        See :func:`nominal_codes`.
    missing_symbol : str

    Returns
    -------
    X : (n, d) float64
    keep : (n_rows,) bool
        The rows that X holds.
    """
    one_of(missing, MISSING, "missing")
    text = np.array([[cell.strip() for cell in row] for row in rows])
    X = np.empty(text.shape, dtype=np.float64)
    gaps = np.zeros(text.shape, dtype=bool)
    for j in range(text.shape[1]):
        if j in nominal:
            X[:, j], gaps[:, j] = nominal_codes(text[:, j], order=order, missing_symbol=missing_symbol)
            fill = _most_frequent(X[~gaps[:, j], j]) if missing == "mean" else None
        else:
            gaps[:, j] = text[:, j] == missing_symbol
            known = text[~gaps[:, j], j].astype(np.float64)
            X[~gaps[:, j], j] = known
            fill = known.mean() if missing == "mean" else known.min() - 1.0
        if fill is not None:
            X[gaps[:, j], j] = fill
    keep = ~gaps.any(axis=1) if missing == "drop" else np.ones(len(X), dtype=bool)
    return X[keep], keep


def _most_frequent(values):
    distinct, counts = np.unique(values, return_counts=True)
    return distinct[np.argmax(counts)]
