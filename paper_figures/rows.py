"""The rows that views make of observations, beside the published numbers.

A row is its keys and the fields that the package's docstring lists. It carries its own error: of a
mean over runs, of points that the runs share, or 0 of what is counted.
"""

import csv
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paper_figures.store import Row
from refimpl.typing import FloatArray

__all__ = ["differences", "exact", "means", "number", "of_points"]

PUBLISHED = Path(__file__).parent / "published"


def published(file: str) -> list[dict[str, Any]]:
    """Read a table ``<paper>/<table>.csv`` of ``paper_figures/published``; numbers are floats."""
    with open(PUBLISHED / file, newline="", encoding="utf-8") as stream:
        return [
            {name: _number(cell) for name, cell in row.items()} for row in csv.DictReader(stream)
        ]


def _number(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


def number(
    keys: Row,
    values: Sequence[float] | FloatArray,
    published: float | None = None,
    digits: int | None = None,
    **more: Any,
) -> Row:
    """Return the row of a mean over runs.

    Parameters
    ----------
    keys : dict
        What the row is about.
    values : sequence of float
        One of each run; a single one has no error.
    published : float or None
    digits : int or None
        Decimals to which the mean is rounded.
    **more
        Further fields, such as ``tolerance``.

    Returns
    -------
    dict

    See Also
    --------
    exact : The row of a number in which chance has no part.

    Examples
    --------
    >>> number({"method": "BBS"}, [0.5, 0.7], 0.55)["ours"]
    0.6
    """
    n = len(values)
    error = float(np.std(values, ddof=1)) / math.sqrt(n) if n > 1 else None
    ours = float(np.mean(values))
    ours = ours if digits is None else round(ours, digits)
    return keys | {"published": published, "ours": ours, "error": error, "n": n} | more


def exact(keys: Row, value: float, published: float | None = None, **more: Any) -> Row:
    """Return the row of a number that is counted, or in which chance has no part: its error is 0.

    Parameters
    ----------
    keys : dict
    value : float
    published : float or None
    **more
        Further fields, such as ``tolerance``.

    Returns
    -------
    dict

    See Also
    --------
    number : The row of a mean.

    Examples
    --------
    >>> exact({"data_set": "wine"}, 178)["error"]
    0.0
    """
    return keys | {"published": published, "ours": value, "error": 0.0, "n": 1} | more


def points_error(percent: float, points: int) -> float:
    """Return the standard error of a percentage of points, above 0 without a hit, too."""
    hits = (percent / 100.0 * points + 1.0) / (points + 2.0)
    return 100.0 * math.sqrt(hits * (1.0 - hits) / points)


def of_points(row: Row, points: int) -> Row:
    """Return the row of a percentage of points that all runs share, with the points' error, too.

    Parameters
    ----------
    row : dict
        Its ``error`` is that over runs, or None.
    points : int

    Returns
    -------
    dict
        Its `error` is of runs and points together, its `n` one more than their degrees of freedom.

    See Also
    --------
    number : The row of a mean.

    Examples
    --------
    >>> round(of_points(number({"measure": "test error (%)"}, [1.74]), 10_000)["error"], 3)
    0.131
    """
    return row | together(row["error"] or 0.0, row["n"], points_error(row["ours"], points), points)


def together(of_runs: float, runs: int, of_points: float, points: int) -> Row:
    """Return the `error` over runs (or 0) and over points that they share, and its `n`."""
    # n: one more than the degrees of freedom of Welch and Satterthwaite; without runs the points
    error, n = math.hypot(of_runs, of_points), points
    if of_runs:
        n = 1 + int(error**4 / (of_runs**4 / (runs - 1) + of_points**4 / (points - 1)))
    return {"error": error, "n": n}


def absent(keys: Row, why: str, published: float | None = None) -> Row:
    """Return the row of a number that could not be computed, with the reason."""
    none = {"published": published, "ours": None, "error": None, "n": 0}
    return keys | none | {"why": why}


def by(seen: Iterable[Row], *keys: str) -> dict[tuple[Any, ...], list[Row]]:
    """Return the observations that share the values of some keys, by these values."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for item in seen:
        groups.setdefault(tuple(item[key] for key in keys), []).append(item)
    return groups


def means(
    seen: Iterable[Row],
    keys: Sequence[str],
    value: str,
    published: Callable[[Row], float | None] = lambda row: None,
    **more: Any,
) -> list[Row]:
    """Return the mean of a value over the runs of each group, beside the published number.

    Parameters
    ----------
    seen : iterable of dict
    keys : sequence of str
        What names a group, and the row.
    value : str
    published : callable
        ``published(row)``.
    **more
        Further fields of each row that has a published number.

    Returns
    -------
    list of dict

    See Also
    --------
    differences : Of two methods, run by run.

    Examples
    --------
    >>> [row] = means([{"d": 9, "run": i, "error": i} for i in (0, 1)], ["d"], "error")
    >>> row["ours"], row["n"]
    (0.5, 2)
    """
    rows = []
    for values, items in by(seen, *keys).items():
        row = dict(zip(keys, values, strict=True))
        print_of = published(row)
        extra = more if print_of is not None else {}
        rows.append(number(row, [item[value] for item in items], print_of, **extra))
    return rows


def differences(
    seen: Iterable[Row],
    keys: Sequence[str],
    value: str,
    pairs: Iterable[tuple[Any, Any]],
    over: str = "method",
) -> list[Row]:
    """Return the mean difference of two methods, taken run by run; its key ``minus`` is the second.

    Parameters
    ----------
    seen : iterable of dict
    keys : sequence of str
    value : str
    pairs : iterable of pairs
        Values of the key `over`.
    over : str
        The key that names the method; that of the run is ``run``.

    Returns
    -------
    list of dict

    See Also
    --------
    means : Of one method.

    Examples
    --------
    >>> seen = [{"method": m, "run": r, "error": 2 * (m == "a") + r} for m in "ab" for r in (0, 1)]
    >>> [row] = differences(seen, [], "error", [("a", "b")])
    >>> row["minus"], row["ours"], row["error"]
    ('b', 2.0, 0.0)
    """
    rows = []
    for values, items in by(seen, *keys).items():
        found = {(item[over], item["run"]): item[value] for item in items}
        for a, b in pairs:
            runs = [r for m, r in found if m == a and (b, r) in found]
            if runs:
                row = dict(zip(keys, values, strict=True)) | {over: a, "minus": b}
                rows.append(number(row, [found[a, r] - found[b, r] for r in runs]))
    return rows
