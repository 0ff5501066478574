"""How far a number moves with the kernel of BLAS, and whether it still shows what it is to show.

``python -m tests.spread`` makes entries under several kernels of OpenBLAS and writes
``published/spread.json`` (small scale) and ``published/spread_paper.json``. A number whose spread
is larger than what it is to show is *not determined*:

- a row with a printed number is to show its verdict, which must be the same at both ends of the
  spread (verdict/judging.py);
- another row with a standard deviation is to show its mean to within its standard error;
- any other row is to show its difference to the nearest other number in a row that differs from
  it in one field.

``published/spread.toml`` says why a number moves::

    [[why]]
    entry = "lmnn.table1"
    row = { N = 60 }    # the rows with these fields
    why = "..."
"""

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from paper_figures.registry import PUBLISHED
from paper_figures.store import NO_KEYS, Record, Row

NAMES_OF_QUANTITIES = ("measure", "quantity")
"""Fields that say what a number is; two rows that differ in them are no rivals."""
ROUNDING = 1e-9
"""A relative spread up to here is the rounding of sums."""


@dataclass(frozen=True)
class Spread:
    """How far a row's number moves.

    Attributes
    ----------
    least, largest : float
        Of the values under all kernels and the record's own.
    shows : float or None
        The error or the difference that the number is to show; None in a row with a printed number,
        and in a row that has nothing beside it.
    why : str
        Why it moves; empty if nobody has said why.
    """

    least: float
    largest: float
    shows: float | None
    why: str

    @property
    def size(self) -> float:
        """The largest value less the least."""
        return self.largest - self.least

    @property
    def determined(self) -> bool:
        """Whether the spread is no larger than what the number is to show."""
        most = max(abs(self.least), abs(self.largest))
        return self.shows is None or self.size <= max(self.shows, ROUNDING * most)


def path(scale: str) -> Path:
    """Return the file of a scale."""
    return PUBLISHED / ("spread.json" if scale == "small" else f"spread_{scale}.json")


@cache
def load(file: Path) -> dict[str, Any]:
    """Read a file of ``python -m tests.spread``; empty where there is none.

    Parameters
    ----------
    file : Path
        See :func:`path`.

    Returns
    -------
    dict
        ``scale, kernels``; ``blas``, the libraries of each run; ``entries``, those compared;
        ``times``, how many numbers were left out because they are times; and ``rows``: ``entry``,
        ``row`` (the fields by which it is known), ``field``, ``values`` (by kernel), ``least``,
        ``largest``, ``relative``.
    """
    if not file.is_file():
        return {"kernels": [], "entries": [], "times": {}, "rows": []}
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


@cache
def load_whys(file: Path) -> list[dict[str, Any]]:
    """Read the reasons of a ``spread.toml``; none where there is no file.

    Parameters
    ----------
    file : Path

    Returns
    -------
    list of dict
        ``entry``, ``row``, ``why``.

    Raises
    ------
    ValueError
        If a reason lacks one of these, or has anything else.
    """
    if not file.is_file():
        return []
    whys: list[dict[str, Any]] = tomllib.loads(file.read_text(encoding="utf-8")).get("why", [])
    for place, at in enumerate(whys):
        if set(at) != {"entry", "row", "why"}:
            raise ValueError(
                f"{file.name}: each [[why]] must have entry, row and why; "
                f"number {place + 1} has {', '.join(sorted(at)) or 'nothing'}"
            )
    return whys


def of_record(record: Record) -> list[Spread | None]:
    """Return the spread of each row of a record.

    Parameters
    ----------
    record : dict

    Returns
    -------
    list of Spread or None
        None for a row whose number is the same under all kernels, and for a row that was not
        compared. The spread is known for the record's scale only.
    """
    entry = f"{record['paper']}.{record['figure']}"
    numbers = [
        number
        for number in load(path(record["scale"]))["rows"]
        if number["entry"] == entry and number["field"] == "ours"
    ]
    return [_of_row(entry, row, record["rows"], numbers) for row in record["rows"]]


def _of_row(
    entry: str, row: Row, rows: Sequence[Row], numbers: Sequence[Mapping[str, Any]]
) -> Spread | None:
    own = [number for number in numbers if has_fields(row, number["row"])]
    if row["ours"] is None or not own:
        return None
    values = [value for value in own[0]["values"].values() if value is not None]
    least = min([*values, row["ours"]])
    largest = max([*values, row["ours"]])
    whys = [
        at["why"]
        for at in load_whys(PUBLISHED / "spread.toml")
        if at["entry"] == entry and has_fields(row, at["row"])
    ]
    return Spread(least, largest, shows(row, rows), whys[0] if whys else "")


def note(spread: Spread) -> str:
    """Return how far a number moves, and why, as a text for readers."""
    ends = f"from {spread.least:g} to {spread.largest:g} in runs under several kernels of BLAS"
    return f"{ends}: {spread.why}" if spread.why else ends


def has_fields(row: Row, wanted: Mapping[str, Any]) -> bool:
    """Return whether a row has all of these fields with these values."""
    return all(name in row and row[name] == value for name, value in wanted.items())


def shows(row: Row, rows: Sequence[Row]) -> float | None:
    """Return what a row's number is to show, as the module's docstring says.

    Parameters
    ----------
    row : dict
        A row with a number.
    rows : sequence of dict
        All rows of its record.

    Returns
    -------
    float or None
        None if the row has a printed number, or neither a standard deviation nor a neighbour.
    """
    if row["published"] is not None:
        return None
    if row["std"] is not None:
        return float(row["std"] / math.sqrt(row["repetitions"]))
    return min(
        (float(abs(row["ours"] - other["ours"])) for other in rows if _neighbours(row, other)),
        default=None,
    )


def _neighbours(row: Row, other: Row) -> bool:
    """Return whether two rows have different numbers and differ in one field, not a quantity."""
    names = {name for name in (*row, *other) if name not in NO_KEYS}
    different = [name for name in names if row.get(name) != other.get(name)]
    return (
        other["ours"] not in (None, row["ours"])
        and len(different) == 1
        and different[0] not in NAMES_OF_QUANTITIES
    )
