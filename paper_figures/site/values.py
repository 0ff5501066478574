"""How a value of a trace looks on a page: small arrays in full, large ones by their beginning."""

from html import escape
from typing import Any

import numpy as np

MOST = 16
"""The entries of a vector that are shown."""
ROWS, COLUMNS = 8, 8
WIDTH = 42
"""The characters of a matrix's row that fit a phone."""


def number(value: float | int | bool | np.number[Any] | np.bool_) -> str:
    """Return a number with four digits."""
    if isinstance(value, bool | np.bool_):
        return str(int(value))
    if isinstance(value, int | np.integer):
        return str(value).replace("-", "−")
    if np.isinf(value):
        return "−∞" if value < 0 else "∞"
    return f"{value + 0.0:.4g}".replace("-", "−") if value else "0"


def shown(value: Any) -> str:
    """Return a value of a trace as text; a matrix has a line for each row."""
    if isinstance(value, np.ndarray):
        return _text(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, dict):
        parts = list(value.items())
        listed = [f"{name}: {_short(entry)}" for name, entry in parts[:6]]
        return "\n".join([*listed, "…"] if len(parts) > 6 else listed) or "empty"
    if isinstance(value, list):
        return _entries(value)
    return str(value)


def _entries(value: list[Any]) -> str:
    listed = [_short(entry) for entry in value[:6]]
    text = ", ".join([*listed, "…"] if len(value) > 6 else listed)
    return f"({text})"


def _short(value: Any) -> str:
    """Return a value within another on one line."""
    if isinstance(value, np.ndarray) and value.ndim > 1:
        return f"{value.shape} array"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_short(v)}" for name, v in list(value.items())[:5])
    text = shown(value).replace("\n", "; ")
    return f"[{text}]" if isinstance(value, np.ndarray) else text


def _text(array: "np.ndarray[Any, Any]") -> str:
    if array.ndim == 1:
        listed = [_cell(value) for value in array[:MOST]]
        return " ".join([*listed, "…"] if len(array) > MOST else listed) or "empty"
    if array.ndim > 2:
        matrices = [_text(matrix) for matrix in array[:3]]
        return "\n\n".join([*matrices, "…"] if len(array) > 3 else matrices)
    cells = [[_cell(v) for v in row[:COLUMNS]] for row in array[:ROWS]]
    widths = [
        max((len(row[c]) for row in cells), default=0) for c in range(min(array.shape[1], COLUMNS))
    ]
    while len(widths) > 1 and sum(widths) + len(widths) > WIDTH:
        widths.pop()
    cells = [row[: len(widths)] for row in cells]
    more = " …" if array.shape[1] > len(widths) else ""
    lines = [" ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) + more for row in cells]
    return "\n".join([*lines, "…"] if len(array) > ROWS else lines)


def _cell(value: Any) -> str:
    return number(value) if isinstance(value, np.number | np.bool_) else str(value)


def html(name: str, value: Any) -> str:
    """Return a name, its shape and its value for a page."""
    array = isinstance(value, np.ndarray)
    size = f' <span class="shape">{value.shape}</span>' if array else ""
    label = f'<span class="name">{escape(name)}{size}</span>'
    kind = "value matrix" if array and value.ndim > 1 else "value"
    return f'<div class="{kind}">{label}<span class="is">{escape(shown(value))}</span></div>'
