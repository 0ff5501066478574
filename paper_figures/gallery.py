"""The page OUT/index.html, which shows every figure and table; the pictures lie beside it."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from paper_figures import verdict
from paper_figures.registry import Figure, Paper
from paper_figures.store import Record, Row, Store, write_atomic

RESERVED = ("published", "ours", "std", "repetitions", "status", "why", "tolerance")
SYMBOLS = {
    verdict.REPRODUCED: "✓",
    verdict.AGREES: "✓",
    verdict.EXPLAINED: "≈",
    verdict.UNEXPLAINED: "≠",
    verdict.DIFFERS: "≠",
    verdict.ABSENT: "∅",
    verdict.FAILED: "✗",
    verdict.NOT_RUN: "…",
}
LONG_TABLE = 40


@dataclass(frozen=True)
class Entry:
    """What the page shows of a figure: its record, or the mark of its failure, or neither."""

    paper: Paper
    figure: Figure
    record: Record | None
    failure: dict[str, Any] | None
    state: str
    pictures: list[str]

    @property
    def anchor(self) -> str:
        return f"{self.paper.name}.{self.figure.name}"


def write(store: Store, papers: Sequence[Paper]) -> Path:
    """Write the page from the stored results, so that it always fits the folder.

    Parameters
    ----------
    store : Store
    papers : sequence of Paper
        All papers; figures without a result are shown as not yet run.

    Returns
    -------
    Path
        OUT/index.html.
    """
    entries = [_entry(store, paper, figure) for paper in papers for figure in paper.figures]
    path = store.out / "index.html"
    write_atomic(path, _page(papers, entries))
    return path


def _entry(store: Store, paper: Paper, figure: Figure) -> Entry:
    failure = store.read_failure(paper.name, figure.name)
    record = None if failure else store.read(paper.name, figure.name)
    if failure:
        state = verdict.FAILED
    elif record is None:
        state = verdict.NOT_RUN
    else:
        state = verdict.figure_verdict(record)
    pictures = [s for s in (".svg", ".png") if store.path(paper.name, figure.name, s).is_file()]
    if record is None or figure.plot is None:
        pictures = []
    return Entry(paper, figure, record, failure, state, pictures)


def _asset(name: str) -> str:
    return files("paper_figures").joinpath("assets", name).read_text(encoding="utf-8")


def _page(papers: Sequence[Paper], entries: Sequence[Entry]) -> str:
    sections = "\n".join(
        f'<section class="paper" data-paper="{escape(paper.name)}"><h2>{escape(paper.title)}</h2>'
        f'<p class="source">{escape(paper.source)}</p>\n'
        + "\n".join(_article(entry) for entry in entries if entry.paper is paper)
        + "\n</section>"
        for paper in papers
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Figures and tables: published, and ours</title>
<link rel="icon" href="data:,">
<style>
{_asset("gallery.css")}</style>
</head>
<body>
<a class="skip" href="#figures">Skip to the figures</a>
<header>
<h1>Published, and ours</h1>
<p>Every figure and table of the papers, computed again. Our number stands beside each published
number. A row <em>agrees</em> if our number lies within two standard errors of the published number.
Numbers without a standard deviation agree if they are equal, or equal but for the stated
rounding.</p>
</header>
<main>
{_controls(papers, entries)}
{_summary(entries)}
<div id="figures">
{sections}
</div>
</main>
<script>
{_asset("gallery.js")}</script>
</body>
</html>
"""


def _controls(papers: Sequence[Paper], entries: Sequence[Entry]) -> str:
    counts = Counter(entry.state for entry in entries)
    states = "".join(
        f'<option value="{escape(state)}">{escape(state)} ({counts[state]})</option>'
        for state in verdict.FIGURE_STATES
        if counts[state]
    )
    choice = "".join(f'<option value="{escape(p.name)}">{escape(p.name)}</option>' for p in papers)
    return f"""<form id="filters" role="search" aria-label="Filter the figures">
<label>Find <input type="search" id="filter-text" placeholder="table 2, MNIST, …"
autocomplete="off"></label>
<label>Paper <select id="filter-paper"><option value="">all papers</option>{choice}</select></label>
<label>Kind <select id="filter-kind"><option value="">figures and tables</option>
<option value="figure">figures</option><option value="table">tables</option></select></label>
<label>Status <select id="filter-state"><option value="">any status ({len(entries)})</option>
{states}</select></label>
<button type="reset">Show all</button>
<output id="filter-count" aria-live="polite">{len(entries)} shown</output>
</form>"""


def _attributes(entry: Entry) -> str:
    figure = entry.figure
    paper = entry.paper
    kind = "table" if figure.name.startswith("table") else "figure"
    words = [paper.name, paper.title, figure.name, figure.title, entry.state]
    for row in entry.record["rows"] if entry.record else ():
        words += [value for value in row.values() if isinstance(value, str)]
    text = " ".join(dict.fromkeys(words)).lower()
    values = {"paper": paper.name, "kind": kind, "state": entry.state, "text": text}
    return "".join(f' data-{name}="{escape(value)}"' for name, value in values.items())


def _badge(state: str) -> str:
    style = state.partition(" (")[0].replace(" ", "-")
    if state == verdict.EXPLAINED:
        style += "-explained"
    symbol = f'<span aria-hidden="true">{SYMBOLS[state]} </span>' if state in SYMBOLS else ""
    return f'<span class="badge {style}">{symbol}{escape(state)}</span>'


def _spoken(name: str) -> str:
    """Return a figure's name as readers say it: Table 2 for table2."""
    return re.sub(r"(?<=[a-z])(?=\d)", " ", name).capitalize()


def _summary(entries: Sequence[Entry]) -> str:
    head = {name: "" for name in ("paper", "figure", "status", "agree")}
    head |= {name: "wide" for name in ("scale", "kernels", "seconds")}
    cells = "".join(
        f'<th scope="col" class="{css}"><button type="button">{name}</button></th>'
        for name, css in head.items()
    )
    rows = "\n".join(_summary_row(entry) for entry in entries)
    return f"""<div class="box" tabindex="0" role="region" aria-label="Summary">
<table id="summary" class="sortable">
<caption>Summary. Press a heading to sort by its column.</caption>
<thead><tr>{cells}</tr></thead>
<tbody>
{rows}
</tbody></table></div>"""


def _summary_row(entry: Entry) -> str:
    record = entry.record
    agreeing, compared = verdict.score(record) if record else (0, 0)
    share = "<td>–</td>"
    if compared:
        share = f'<td data-sort="{agreeing / compared:.6f}">{agreeing} of {compared}</td>'
    name = escape(_spoken(entry.figure.name))
    place = verdict.FIGURE_STATES.index(entry.state)
    detail = [str(record[field]) if record else "–" for field in ("scale", "kernels", "seconds")]
    return (
        f"<tr{_attributes(entry)}><td>{escape(entry.paper.name).replace('_', '_<wbr>')}</td>"
        f'<td><a href="#{escape(entry.anchor)}">{name}</a> '
        f'<span class="wide">{escape(entry.figure.title)}</span></td>'
        f'<td data-sort="{place}">{_badge(entry.state)}</td>{share}'
        + "".join(f'<td class="wide">{escape(text)}</td>' for text in detail)
        + "</tr>"
    )


def _article(entry: Entry) -> str:
    figure = entry.figure
    record = entry.record
    name = escape(_spoken(figure.name))
    parts = [
        f'<article id="{escape(entry.anchor)}"{_attributes(entry)}>',
        f"<h3>{name}: {escape(figure.title)} {_badge(entry.state)}</h3>",
    ]
    if entry.failure:
        error = escape(entry.failure["error"])
        parts.append(f'<div class="box"><pre class="error" tabindex="0">{error}</pre></div>')
    if record:
        parts += [_picture(entry), _notes(record), _table(record), _origin(record)]
    else:
        command = f"python -m paper_figures {escape(entry.anchor)}"
        parts.append(f"<p>Make it with <code>{command}</code></p>")
    return "\n".join(part for part in [*parts, "</article>"] if part)


def _picture(entry: Entry) -> str:
    figure = entry.figure
    if ".svg" not in entry.pictures:
        return ""
    address = f"{entry.paper.name}/{figure.name}"
    width, height = (round(96 * inches) for inches in figure.size)
    others = " · ".join(
        f'<a href="{escape(address + s)}">{s[1:]}</a>' for s in (*entry.pictures, ".json")
    )
    return (
        f'<figure><img src="{escape(address)}.svg" alt="{escape(figure.alt or figure.title)}" '
        f'width="{width}" height="{height}" loading="lazy">'
        f"<figcaption>{others}</figcaption></figure>"
    )


def _notes(record: Record) -> str:
    items = "".join(f"<li>{escape(note)}</li>" for note in record["notes"])
    return f'<ul class="notes">{items}</ul>' if items else ""


def _table(record: Record) -> str:
    rows = record["rows"]
    keys = list(dict.fromkeys(key for row in rows for key in row if key not in RESERVED))
    explained = any(row.get("why") for row in rows)
    names = [*keys, "published", "ours", "difference", "std", "status"]
    if explained:
        names.append("why")
    numeric = {"published", "ours", "difference", "std"}
    head = "".join(
        f'<th scope="col" class="{"number" if name in numeric else "text"}">'
        f'<button type="button">{escape(name)}</button></th>'
        for name in names
    )
    digits = _decimals(rows)
    size = "long" if len(rows) > LONG_TABLE else "short"
    opened = " open" if size == "short" else ""
    body = "\n".join(_row(row, keys, explained, digits) for row in rows)
    table = (
        f'<div class="box {size}" tabindex="0" role="region" '
        f'aria-label="Numbers of {escape(record["figure"])}">'
        f'<table class="rows sortable"><thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )
    return f"<details{opened}><summary>{len(rows)} rows of numbers</summary>\n{table}</details>"


def _row(row: Row, keys: Iterable[str], explained: bool, digits: int | None) -> str:
    published = row["published"]
    ours = row["ours"]
    state = verdict.row_verdict(row)
    difference = None if published is None or ours is None else ours - published
    cells = [f"<td>{escape(_value(row.get(key)))}</td>" for key in keys]
    cells.append(_cell("published", published, number_text(published, digits)))
    absent = '<abbr title="not available">n/a</abbr>'
    cells.append(_cell("ours", ours, absent if ours is None else number_text(ours, digits)))
    cells.append(_cell("difference", difference, number_text(difference, digits, sign="+")))
    cells.append(_cell("std", row["std"], number_text(row["std"], digits)))
    explains = state == verdict.DIFFERS and row.get("why")
    cells.append(f"<td>{_badge(verdict.EXPLAINED if explains else state)}</td>")
    if explained:
        cells.append(f'<td class="why">{escape(row.get("why", ""))}</td>')
    return "<tr>" + "".join(cells) + "</tr>"


def _cell(name: str, value: float | None, text: str) -> str:
    sort = "" if value is None else f' data-sort="{value!r}"'
    return f'<td class="number {name}"{sort}>{text}</td>'


def _value(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)[:60]


def _decimals(rows: Iterable[Row]) -> int | None:
    """Return the most decimals that a published number of the table has; None without any."""
    shown = [repr(float(row["published"])) for row in rows if row["published"] is not None]
    lengths = [
        len(text.partition(".")[2]) for text in shown if not text.endswith(".0") and "e" not in text
    ]
    return max(lengths, default=None)


def number_text(value: float | None, digits: int | None, sign: str = "") -> str:
    """Return a number as the tables show it, with `digits` decimals where they suffice."""
    if value is None:
        return "–"
    tiny = digits is None or 0 < abs(value) < 0.5 * 10.0**-digits
    whole = float(value).is_integer() and (digits is None or isinstance(value, int))
    if whole or (tiny and abs(value) >= 1000):
        form = ".0f"
    else:
        form = ".4g" if tiny else f".{digits}f"
    return f"{value:{sign}{form}}".replace("-", "−")


def _origin(record: Record) -> str:
    command = (
        f"python -m paper_figures {record['paper']}.{record['figure']} --scale {record['scale']} "
        f"--kernels {record['kernels']} --seed {record['seed']}"
    )
    data = "".join(
        f"<li>{escape(d['name'])}: <code>{escape(d['sha256'])}</code></li>" for d in record["data"]
    )
    versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    return f"""<details class="origin">
<summary>Made in {record["seconds"]:g} s; command, data, versions</summary>
<p><code>{escape(command)}</code></p>
<ul>{data or "<li>no data files</li>"}</ul>
<p>{escape(versions)}. The seconds are the sum over all tasks.</p>
</details>"""
