"""Tables: the rows of a record in the lines and columns that its layout names.

A cell shows our number, with its standard deviation, above the printed number, with the sign of the
verdict and the notes. Rows without a printed number stand in a table of their own below.
"""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from typing import Any, TypeAlias

from paper_figures.gallery.entries import Entry, Judged
from paper_figures.gallery.footnotes import Footnotes, common_note
from paper_figures.gallery.html import sentence
from paper_figures.gallery.numbers import number_text, our_decimals, printed_decimals, spread_text
from paper_figures.gallery.signs import sign_of, slug
from paper_figures.judge import verdicts
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
Place: TypeAlias = tuple[Any, ...]
Digits: TypeAlias = tuple[int, int | None]
"""Decimals of our numbers and of the printed ones."""


def tables(entry: Entry, notes: Footnotes) -> str:
    """Return all tables of an entry: those with printed numbers, then ours alone, then absences.

    Parameters
    ----------
    entry : Entry
        With a record.
    notes : Footnotes
        Takes the reasons that the cells name.

    Returns
    -------
    str
    """
    parts = []
    absent = []
    for number, (grid, judged) in enumerate(_by_grid(entry), 1):
        printed = [item for item in judged if item.row["published"] is not None]
        ours = [
            item
            for item in judged
            if item.row["published"] is None and item.row["ours"] is not None
        ]
        absent += [
            item for item in judged if item.row["published"] is None and item.row["ours"] is None
        ]
        anchor = f"{entry.figure.name}-numbers" + (f"-{number}" if number > 1 else "")
        parts.append(_printed(grid, printed, anchor, notes))
        most = FEW_OURS if ".svg" in entry.pictures else LONG_OURS
        parts.append(_alone(grid, ours, f"{anchor}-ours", bool(printed), most))
    parts.append(_absences(absent, notes))
    return "\n".join(part for part in parts if part)


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


# ------------------------------------------------------------------------------- kinds of tables


def _printed(grid: Grid, judged: list[Judged], anchor: str, notes: Footnotes) -> str:
    if not judged:
        return ""
    drawn = [_table(grid, part, place, notes) for place, part in _parted(judged, grid.tables, grid)]
    below = f'<p class="below">{escape(note)}</p>' if (note := common_note(judged)) else ""
    content = "\n".join(drawn) + below
    lines = len({_place(item, grid.tables + grid.rows) for item in judged})
    title = grid.title or "Reproduced and published"
    if grid.folded or lines > LONG_PRINTED:
        return _folded(f"{title}: {len(judged)} numbers", content, anchor)
    heading = f"<h4>{escape(grid.title)}</h4>" if grid.title else ""
    return f'<div id="{escape(anchor)}" class="numbers">{heading}{content}</div>'


def _alone(grid: Grid, judged: list[Judged], anchor: str, beside: bool, most: int) -> str:
    """Return the table of our numbers without a printed one, folded if it has over `most` lines."""
    if not judged:
        return ""
    drawn = [_table(grid, part, place, None) for place, part in _parted(judged, grid.tables, grid)]
    reasons = dict.fromkeys(item.verdict.note for item in judged if item.verdict.note)
    below = "".join(f'<p class="below">{escape(sentence(reason))}</p>' for reason in reasons)
    content = "\n".join(drawn) + below
    lines = len({_place(item, grid.tables + grid.rows) for item in judged})
    what = "Reproduced, without a published number" if beside else "Reproduced numbers"
    title = f"{grid.title}: {what[0].lower()}{what[1:]}" if grid.title else what
    columns = len({_place(item, grid.columns) for item in judged})
    if grid.folded or max(lines, columns) > most:
        return _folded(f"{title}: {len(judged)}", content, anchor)
    return f'<div id="{escape(anchor)}" class="numbers"><h4>{escape(title)}</h4>{content}</div>'


def _absences(absent: list[Judged], notes: Footnotes) -> str:
    """Return a line on the rows that have neither number."""
    if not absent:
        return ""
    named: dict[str, str] = {}
    for item in absent:
        named.setdefault(_keys_of(item.row), notes.mark(item.verdict))
    listed = "; ".join(escape(keys) + mark for keys, mark in named.items())
    return f'<p class="below">Not available: {listed}</p>'


def _keys_of(row: Row) -> str:
    """Return what a row is of, in words."""
    values = (value for key, value in row.items() if key not in NO_KEYS)
    words = [value for value in values if isinstance(value, str) and value not in ("", "-", "all")]
    return ", ".join(dict.fromkeys(words))


def _folded(summary: str, content: str, anchor: str) -> str:
    return (
        f'<details id="{escape(anchor)}" class="numbers"><summary>{escape(summary)}</summary>\n'
        f"{content}</details>"
    )


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


def _table(grid: Grid, judged: list[Judged], part: Place, notes: Footnotes | None) -> str:
    lines = _parted(judged, grid.rows, grid)
    columns = _ordered({_place(item, grid.columns): 0 for item in judged}, grid.columns, grid)
    digits = _digits(judged, grid)
    many = len(_runs(judged)) > 1
    body = []
    above: Place | None = None
    for number, (place, items) in enumerate(lines):
        head = _line_head(grid, place, above, [p for p, _ in lines[number:]])
        cells = {column: "" for column in columns}
        for item in items:
            key = _place(item, grid.columns)
            cells[key] += _content(item, grid, digits[_place(item, grid.alike)], notes, many)
        states = {_place(item, grid.columns): item.verdict for item in items}
        drawn = "".join(_cell(cells[c], states.get(c), notes is not None) for c in columns)
        body.append(f"<tr>{head}{drawn}</tr>")
        above = place
    known = [(key, value) for key, value in _zip(grid.tables, part) if value is not None]
    name = "; ".join(f"{grid.heading(key)} {grid.name(key, value)}" for key, value in known)
    caption = _caption(name, judged, grid)
    label = escape(name or grid.title or "Numbers")
    rows = "\n".join(body)
    return (
        f'<div class="box" tabindex="0" role="region" aria-label="{label}">\n<table>{caption}'
        f"<thead>{_head(grid, columns)}</thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


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
    if grid.best and any(item.row.get(grid.best) == "yes" for item in judged):
        words.append(f"★ {grid.heading(grid.best)}")
    return f"<caption>{escape('. '.join(words))}.</caption>" if words else ""


def _runs(judged: list[Judged]) -> list[int]:
    """Return of how many runs the means of a table are, each count once."""
    return sorted({item.row["n"] for item in judged if item.row["error"] is not None})


def _digits(judged: list[Judged], grid: Grid) -> dict[Place, Digits]:
    groups: dict[Place, list[Row]] = {}
    for item in judged:
        groups.setdefault(_place(item, grid.alike), []).append(item.row)
    return {key: (our_decimals(rows), printed_decimals(rows)) for key, rows in groups.items()}


# ------------------------------------------------------------------------------------ headings


def _head(grid: Grid, columns: list[Place]) -> str:
    """Return the lines of headings: one for each key of the columns, spanning equal values."""
    alone = _numbered(grid) if len(grid.columns) == 1 else ""
    levels = max(1, len(grid.columns)) + bool(alone)
    corner = "".join(
        f'<th scope="col" rowspan="{levels}">{escape(grid.heading(key))}</th>' for key in grid.rows
    )
    if not grid.columns:
        return f'<tr>{corner}<th scope="col" class="number">reproduced</th></tr>'
    lines = [_column_head(alone, len(columns), last=False)] if alone else []
    for level, key in enumerate(grid.columns):
        runs = groupby(columns, key=lambda place, end=level + 1: place[:end])  # type: ignore[misc]
        lines.append(
            "".join(
                _column_head(
                    _column_name(grid, key, prefix[-1]),
                    len(list(members)),
                    last=level == len(grid.columns) - 1,
                )
                for prefix, members in runs
            )
        )
    return "".join(f"<tr>{corner if n == 0 else ''}{line}</tr>" for n, line in enumerate(lines))


def _numbered(grid: Grid) -> str:
    """Return the heading of a single key of columns whose values do not speak for themselves."""
    (key,) = grid.columns
    return grid.heading(key) if key in NUMBERED and key not in grid.names else ""


def _column_name(grid: Grid, key: str, value: Any) -> str:
    name = grid.name(key, value)
    numbered = len(grid.columns) > 1 and key in NUMBERED and key not in grid.names
    return f"{grid.heading(key)} {name}" if numbered else name


def _column_head(name: str, span: int, last: bool) -> str:
    wide = f' colspan="{span}"' if span > 1 else ""
    scope = "col" if last else "colgroup"
    return f'<th scope="{scope}" class="number"{wide}>{escape(name or "–")}</th>'


def _line_head(grid: Grid, place: Place, above: Place | None, below: list[Place]) -> str:
    """Return the headings of a line; one that several lines share stands in the first of them."""
    heads = []
    for level, (key, value) in enumerate(_zip(grid.rows, place)):
        prefix = place[: level + 1]
        if above is not None and above[: level + 1] == prefix:
            continue
        span = 0
        while span < len(below) and below[span][: level + 1] == prefix:
            span += 1
        last = level == len(place) - 1
        tall = f' rowspan="{span}"' if span > 1 and not last else ""
        scope = "rowgroup" if tall else "row"
        heads.append(f'<th scope="{scope}"{tall}>{escape(grid.name(key, value))}</th>')
    return "".join(heads)


# --------------------------------------------------------------------------------------- cells


def _cell(content: str, judgement: verdicts.Verdict | None, printed: bool) -> str:
    if judgement is None:
        return '<td class="number none"></td>'
    css = ["number"]
    if printed:
        css.append(slug(judgement.state))
    if printed and judgement.open:
        css.append("open")
    return f'<td class="{" ".join(css)}">{content}</td>'


def _content(
    item: Judged, grid: Grid, digits: Digits, notes: Footnotes | None, says_runs: bool
) -> str:
    row = item.row
    ours_digits, printed_digits = digits
    if row["ours"] is None:
        ours = '<abbr title="not available">n/a</abbr>'
    else:
        star = "★ " if grid.best and row.get(grid.best) == "yes" else ""
        ours = star + number_text(row["ours"], ours_digits)
    spread = ""
    if row["error"] is not None:
        spread = f' <span class="std">±{spread_text(row["error"], ours_digits)}</span>'
    lines = [f'<span class="ours">{ours}{spread}</span>']
    if notes is not None:
        printed = number_text(row["published"], printed_digits)
        sign = sign_of(item.verdict.state, item.verdict.open)
        lines.append(
            f'<span class="printed"><span class="heard">published </span>{printed} {sign}'
            f"{notes.mark(item.verdict)}</span>"
        )
        lines.append(_difference(item, ours_digits))
    lines += [
        f'<span class="detail">{escape(_detail(grid, key, row[key]))}</span>'
        for key in grid.details
        if row.get(key) not in (None, "")
    ]
    if says_runs and row["error"] is not None:
        lines.append(f'<span class="detail">n = {row["n"]:,}</span>')
    return "".join(lines)


def _detail(grid: Grid, key: str, value: Any) -> str:
    return f"{grid.heading(key)} {grid.name(key, value)}".strip()


def _difference(item: Judged, digits: int) -> str:
    if item.verdict.difference is None:
        return ""
    text = number_text(item.verdict.difference, digits, sign="+")
    if item.verdict.error is not None:
        text += f" (s.e. {spread_text(item.verdict.error, digits)})"
    return f'<span class="difference">{text}</span>'
