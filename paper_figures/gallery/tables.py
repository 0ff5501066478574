"""Tables: the rows of a record in the lines and columns that its layout names.

A cell shows our number, with its standard deviation, above the printed number, with the sign of the
verdict and the notes. Rows without a printed number stand in a table of their own below.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

from paper_figures.gallery.entries import Entry, Judged
from paper_figures.gallery.numbers import number_text, our_decimals, printed_decimals, spread_text
from paper_figures.gallery.texts import sentence
from paper_figures.judge.verdicts import NO_ERROR, Verdict
from paper_figures.store import NO_KEYS, Row
from paper_figures.study import Grid

NUMBERED = (
    "bits",
    "d",
    "dimensions",
    "divided by",
    "k",
    "landmarks",
    "metrics",
    "percentile",
    "returned",
    "rounds",
)
"""Keys whose values say nothing without the key's name."""
LONG_PRINTED = 48
"""A table of printed numbers with more lines is folded."""
LONG_OURS = 8
"""A table of our numbers alone with more lines or columns is folded."""
FEW_OURS = 4
"""The same beside a picture, which shows them already."""
Footnotes: TypeAlias = dict[tuple[str, str], int]
"""The number of each reason of an entry: of its text and the experiment that it names, if any."""
Place: TypeAlias = tuple[Any, ...]
Digits: TypeAlias = tuple[int, int | None]
"""Decimals of our numbers and of the printed ones."""


class Head(NamedTuple):
    """A heading cell; it spans columns or lines if a number says so."""

    text: str
    scope: str
    colspan: int | None = None
    rowspan: int | None = None
    number: bool = False


class Shown(NamedTuple):
    """A row as a cell shows it: texts, and the numbers of its notes."""

    ours: str | None
    spread: str
    published: str
    difference: str
    details: list[str]
    notes: list[int]
    verdict: Verdict


class Table(NamedTuple):
    """A table: lines of headings, then lines of headings and cells."""

    label: str
    caption: str
    compared: bool
    head: list[list[Head]]
    lines: list[tuple[list[Head], list[list[Shown]]]]


class Block(NamedTuple):
    """Tables that are shown or folded together, with the lines below them."""

    anchor: str
    title: str
    size: int
    heading: str
    folded: bool
    tables: list[Table]
    below: list[str]


def blocks(entry: Entry, notes: Footnotes) -> list[Block]:
    """Return the tables of an entry: those with published numbers, then ours alone."""
    found = []
    for number, (grid, judged) in enumerate(_by_grid(entry), 1):
        printed = [item for item in judged if item.row["published"] is not None]
        rest = [item for item in judged if item.row["published"] is None]
        ours = [item for item in rest if item.row["ours"] is not None]
        anchor = f"{entry.figure.name}-numbers" + (f"-{number}" if number > 1 else "")
        if printed:
            title, heading = grid.title or "Reproduced and published", grid.title
            found.append(_block(grid, printed, (anchor, title, heading), LONG_PRINTED, notes))
        if ours:
            title = "Reproduced, without a published number" if printed else "Reproduced numbers"
            title = f"{grid.title}: {title[0].lower()}{title[1:]}" if grid.title else title
            most = FEW_OURS if entry.drawn else LONG_OURS
            found.append(_block(grid, ours, (f"{anchor}-ours", title, title), most, None))
    return found


def _block(
    grid: Grid,
    judged: list[Judged],
    names: tuple[str, str, str],
    most: int,
    notes: Footnotes | None,
) -> Block:
    """Return the tables of some rows, folded if one has over `most` lines or columns."""
    # without footnotes the reasons are lines below the tables
    drawn = [_table(grid, part, place, notes) for place, part in _parted(judged, grid.tables, grid)]
    sizes = [
        len({_place(item, keys) for item in judged})
        for keys in (grid.tables + grid.rows, grid.columns)
    ]
    reasons = dict.fromkeys(item.verdict.note for item in judged if item.verdict.note)
    below = [] if notes is not None else list(map(sentence, reasons))
    anchor, title, heading = names
    folded = grid.folded or max(sizes) > most
    return Block(anchor, title, len(judged), heading, folded, drawn, below)


def absences(entry: Entry, notes: Footnotes) -> dict[str, list[int]]:
    """Return what the rows with neither number are of, and the numbers of their notes."""
    named: dict[str, list[int]] = {}
    for _, judged in _by_grid(entry):
        for item in judged:
            if item.row["published"] is None and item.row["ours"] is None:
                named.setdefault(_keys_of(item.row), numbered(notes, item.verdict))
    return named


def _by_grid(entry: Entry) -> list[tuple[Grid, list[Judged]]]:
    """Return the rows of each table; rows that no table takes make a plain list at the end."""
    taken: list[tuple[Grid, list[Judged]]] = [(grid, []) for grid in entry.figure.layout]
    left: list[Judged] = []
    for item in entry.judged:
        fitting = [judged for grid, judged in taken if grid.takes(item.row)]
        (fitting[0] if fitting else left).append(item)
    if left:
        keys = dict.fromkeys(key for item in left for key in item.row if key not in NO_KEYS)
        taken.append((Grid(tuple(keys)), left))
    return [(grid, judged) for grid, judged in taken if judged]


def numbered(notes: Footnotes, verdict: Verdict) -> list[int]:
    """Return the numbers of the reasons of a cell; one that many cells share is there once."""
    texts = []
    if verdict.explanation is not None:
        texts.append((verdict.explanation.text, verdict.explanation.experiment))
    # the caption says the rest of the whole table
    if note := verdict.note.removesuffix(NO_ERROR).rstrip("; "):
        texts.append((note, ""))
    return [notes.setdefault(text, len(notes) + 1) for text in texts]


def _keys_of(row: Row) -> str:
    """Return what a row is of, in words."""
    values = (value for key, value in row.items() if key not in NO_KEYS)
    words = [value for value in values if isinstance(value, str) and value not in ("", "-", "all")]
    return ", ".join(dict.fromkeys(words))


# ----------------------------------------------------------------------------------- one table


def _place(item: Judged, keys: Iterable[str]) -> Place:
    return tuple(_hashable(item.row.get(key)) for key in keys)


def _hashable(value: Any) -> Any:
    return str(value) if isinstance(value, list | dict) else value


def _parted(
    judged: Sequence[Judged], keys: tuple[str, ...], grid: Grid
) -> list[tuple[Place, list[Judged]]]:
    """Return the values of some keys, in the layout's order, and the rows of each."""
    parts: dict[Place, list[Judged]] = {}
    for item in judged:
        parts.setdefault(_place(item, keys), []).append(item)
    return [(place, parts[place]) for place in _ordered(parts, keys, grid)]


def _ordered(places: Iterable[Place], keys: Sequence[str], grid: Grid) -> list[Place]:
    """Sort places by the layout's order of each key; a value it does not name keeps its turn."""
    places = list(places)
    turns: list[dict[Any, int]] = []
    for level, key in enumerate(keys):
        seen = dict.fromkeys([*grid.order.get(key, ()), *(place[level] for place in places)])
        turns.append({value: turn for turn, value in enumerate(seen)})
    return sorted(places, key=lambda place: [turns[i][value] for i, value in enumerate(place)])


def _table(grid: Grid, judged: list[Judged], part: Place, notes: Footnotes | None) -> Table:
    lines = _parted(judged, grid.rows, grid)
    columns = _ordered({_place(item, grid.columns): 0 for item in judged}, grid.columns, grid)
    digits = _digits(judged, grid)
    many = len(_runs(judged)) > 1
    body = []
    above: Place | None = None
    for number, (place, items) in enumerate(lines):
        heads = _line_heads(grid, place, above, [p for p, _ in lines[number:]])
        cells: dict[Place, list[Shown]] = {column: [] for column in columns}
        for item in items:
            shown = _shown(item, grid, digits[_place(item, grid.alike)], notes, many)
            cells[_place(item, grid.columns)].append(shown)
        body.append((heads, [cells[column] for column in columns]))
        above = place
    known = [(key, value) for key, value in _zip(grid.tables, part) if value is not None]
    name = "; ".join(f"{grid.heading(key)} {grid.name(key, value)}" for key, value in known)
    label = name or grid.title or "Numbers"
    caption = _caption(name, judged, grid)
    return Table(label, caption, notes is not None, _heads(grid, columns), body)


def _zip(keys: Sequence[str], place: Place) -> list[tuple[str, Any]]:
    return list(zip(keys, place, strict=True))


def _caption(name: str, judged: list[Judged], grid: Grid) -> str:
    """Return what the table holds, of how many runs its numbers are means, and what a star is."""
    runs = _runs(judged)
    words = [name[:1].upper() + name[1:]] if name else []
    if runs == [1]:  # a number of one run has an error only if chance plays no part
        words.append("Exact counts")
    elif len(runs) == 1:
        words.append(f"Means of {runs[0]:,} runs ± the standard error")
    elif runs:
        words.append("Means of n runs or points ± the standard error")
    if any(item.row["error"] is None and item.row["ours"] is not None for item in judged):
        words.append(f"Without ±: {grid.once}" if runs else grid.once[:1].upper() + grid.once[1:])
    if any(item.verdict.note.endswith(NO_ERROR) for item in judged):
        words.append("A number without ± is the same only if it is equal but for the rounding")
    if grid.best and any(item.row.get(grid.best) == "yes" for item in judged):
        words.append(f"★ {grid.heading(grid.best)}")
    return ". ".join(words)


def _runs(judged: list[Judged]) -> list[int]:
    """Return of how many runs the means of a table are, each count once."""
    return sorted({item.row["n"] for item in judged if item.row["error"] is not None})


def _digits(judged: list[Judged], grid: Grid) -> dict[Place, Digits]:
    parts = _parted(judged, grid.alike, grid)
    groups = {place: [item.row for item in items] for place, items in parts}
    return {place: (our_decimals(rows), printed_decimals(rows)) for place, rows in groups.items()}


# ------------------------------------------------------------------------------------ headings


def _heads(grid: Grid, columns: list[Place]) -> list[list[Head]]:
    """Return the lines of headings: one for each key of the columns, spanning equal values."""
    alone = _numbered(grid) if len(grid.columns) == 1 else ""
    levels = max(1, len(grid.columns)) + bool(alone)
    corner = [Head(grid.heading(key), "col", rowspan=levels) for key in grid.rows]
    if not grid.columns:
        return [[*corner, Head("reproduced", "col", number=True)]]
    lines = [[_column_head(alone, len(columns), last=False)]] if alone else []
    for level, key in enumerate(grid.columns):
        runs = groupby(columns, key=lambda place, end=level + 1: place[:end])  # type: ignore[misc]
        last = level == len(grid.columns) - 1
        lines.append(
            [
                _column_head(_column_name(grid, key, prefix[-1]), len(list(members)), last)
                for prefix, members in runs
            ]
        )
    lines[0] = corner + lines[0]
    return lines


def _numbered(grid: Grid) -> str:
    """Return the heading of a single key of columns whose values do not speak for themselves."""
    (key,) = grid.columns
    return grid.heading(key) if key in NUMBERED and key not in grid.names else ""


def _column_name(grid: Grid, key: str, value: Any) -> str:
    name = grid.name(key, value)
    numbered = len(grid.columns) > 1 and key in NUMBERED and key not in grid.names
    return f"{grid.heading(key)} {name}" if numbered else name


def _column_head(name: str, span: int, last: bool) -> Head:
    return Head(name or "–", "col" if last else "colgroup", span if span > 1 else None, number=True)


def _line_heads(grid: Grid, place: Place, above: Place | None, below: list[Place]) -> list[Head]:
    """Return the headings of a line; one that several lines share is in the first of them."""
    heads = []
    for level, (key, value) in enumerate(_zip(grid.rows, place)):
        prefix = place[: level + 1]
        if above is not None and above[: level + 1] == prefix:
            continue
        span = 0
        while span < len(below) and below[span][: level + 1] == prefix:
            span += 1
        tall = span if span > 1 and level < len(place) - 1 else None
        heads.append(Head(grid.name(key, value), "rowgroup" if tall else "row", rowspan=tall))
    return heads


# --------------------------------------------------------------------------------------- cells


def _shown(
    item: Judged, grid: Grid, digits: Digits, notes: Footnotes | None, says_runs: bool
) -> Shown:
    row = item.row
    ours_digits, printed_digits = digits
    ours = None
    if row["ours"] is not None:
        star = "★ " if grid.best and row.get(grid.best) == "yes" else ""
        ours = star + number_text(row["ours"], ours_digits)
    has_error = row["error"] is not None
    details = [
        f"{grid.heading(key)} {grid.name(key, row[key])}".strip()
        for key in grid.details
        if row.get(key) not in (None, "")
    ]
    if says_runs and has_error:
        details.append(f"n = {row['n']:,}")
    return Shown(
        ours,
        spread_text(row["error"], ours_digits) if has_error else "",
        number_text(row["published"], printed_digits),
        _difference(item.verdict, ours_digits),
        details,
        [] if notes is None else numbered(notes, item.verdict),
        item.verdict,
    )


def _difference(verdict: Verdict, digits: int) -> str:
    if verdict.difference is None:
        return ""
    text = number_text(verdict.difference, digits, sign="+")
    return text if verdict.error is None else f"{text} (s.e. {spread_text(verdict.error, digits)})"
