"""The page that shows every figure and table: OUT/index.html, complete but for the pictures beside it."""

import json
import re
from collections import Counter
from html import escape
from importlib.resources import files

from paper_figures import verdict
from paper_figures.store import write_atomic

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


def write(store, papers):
    """Make the page anew from what is stored, so that it always fits the folder.

    Parameters
    ----------
    store : Store
    papers : sequence of Paper
        All papers, so that what is not yet run is shown as such.

    Returns
    -------
    Path
        OUT/index.html.
    """
    entries = [_entry(store, paper, figure) for paper in papers for figure in paper.figures]
    path = store.out / "index.html"
    write_atomic(path, _page(papers, entries))
    return path


def _entry(store, paper, figure):
    failure = store.read_failure(paper.name, figure.name)
    record = None if failure else store.read(paper.name, figure.name)
    if failure:
        state = verdict.FAILED
    elif record is None:
        state = verdict.NOT_RUN
    else:
        state = verdict.figure_verdict(record)
    pictures = [s for s in (".svg", ".png") if store.path(paper.name, figure.name, s).is_file()]
    return {
        "paper": paper,
        "figure": figure,
        "record": record,
        "failure": failure,
        "state": state,
        "pictures": pictures if record is not None and figure.plot is not None else [],
    }


def _asset(name):
    return files("paper_figures").joinpath("assets", name).read_text(encoding="utf-8")


def _page(papers, entries):
    sections = "\n".join(
        f'<section class="paper" data-paper="{escape(paper.name)}"><h2>{escape(paper.title)}</h2>'
        f'<p class="source">{escape(paper.source)}</p>\n'
        + "\n".join(_article(entry) for entry in entries if entry["paper"] is paper)
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
<p>Every figure and table of the papers, recomputed; each published number has ours beside it. A row
<em>agrees</em> if ours lies within two standard errors of the published number (numbers without a standard
deviation: if they are equal, or within the rounding that is stated).</p>
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


def _controls(papers, entries):
    counts = Counter(entry["state"] for entry in entries)
    states = "".join(
        f'<option value="{escape(state)}">{escape(state)} ({counts[state]})</option>'
        for state in verdict.FIGURE_STATES
        if counts[state]
    )
    choice = "".join(f'<option value="{escape(p.name)}">{escape(p.name)}</option>' for p in papers)
    return f"""<form id="filters" role="search" aria-label="Filter the figures">
<label>Find <input type="search" id="filter-text" placeholder="table 2, MNIST, …" autocomplete="off"></label>
<label>Paper <select id="filter-paper"><option value="">all papers</option>{choice}</select></label>
<label>Kind <select id="filter-kind"><option value="">figures and tables</option>
<option value="figure">figures</option><option value="table">tables</option></select></label>
<label>Status <select id="filter-state"><option value="">any status ({len(entries)})</option>
{states}</select></label>
<button type="reset">Show all</button>
<output id="filter-count" aria-live="polite">{len(entries)} shown</output>
</form>"""


def _attributes(entry):
    figure, paper = entry["figure"], entry["paper"]
    kind = "table" if figure.name.startswith("table") else "figure"
    words = [paper.name, paper.title, figure.name, figure.title, entry["state"]]
    for row in entry["record"]["rows"] if entry["record"] else ():
        words += [value for value in row.values() if isinstance(value, str)]
    text = " ".join(dict.fromkeys(words)).lower()
    values = {"paper": paper.name, "kind": kind, "state": entry["state"], "text": text}
    return "".join(f' data-{name}="{escape(value)}"' for name, value in values.items())


def _badge(state):
    style = state.split(" (")[0].replace(" ", "-") + ("-explained" if state == verdict.EXPLAINED else "")
    symbol = f'<span aria-hidden="true">{SYMBOLS[state]} </span>' if state in SYMBOLS else ""
    return f'<span class="badge {style}">{symbol}{escape(state)}</span>'


def _spoken(name):
    """Write table2 as Table 2."""
    return re.sub(r"(?<=[a-z])(?=\d)", " ", name).capitalize()


def _anchor(entry):
    return f"{entry['paper'].name}.{entry['figure'].name}"


def _summary(entries):
    head = (("paper", ""), ("figure", ""), ("status", ""), ("agree", ""))
    head += (("scale", "wide"), ("kernels", "wide"), ("seconds", "wide"))
    cells = "".join(
        f'<th scope="col" class="{css}"><button type="button">{name}</button></th>' for name, css in head
    )
    rows = "\n".join(_summary_row(entry) for entry in entries)
    return f"""<div class="box" tabindex="0" role="region" aria-label="Summary">
<table id="summary" class="sortable"><caption>Summary; a heading sorts by its column</caption>
<thead><tr>{cells}</tr></thead>
<tbody>
{rows}
</tbody></table></div>"""


def _summary_row(entry):
    record = entry["record"]
    agreeing, compared = verdict.score(record) if record else (0, 0)
    share = (
        f'<td data-sort="{agreeing / compared:.6f}">{agreeing} of {compared}</td>'
        if compared
        else "<td>–</td>"
    )
    name = escape(_spoken(entry["figure"].name))
    detail = [str(record[field]) if record else "–" for field in ("scale", "kernels", "seconds")]
    return (
        f"<tr{_attributes(entry)}><td>{escape(entry['paper'].name).replace('_', '_<wbr>')}</td>"
        f'<td><a href="#{escape(_anchor(entry))}">{name}</a> '
        f'<span class="wide">{escape(entry["figure"].title)}</span></td>'
        f'<td data-sort="{verdict.FIGURE_STATES.index(entry["state"])}">{_badge(entry["state"])}</td>{share}'
        + "".join(f'<td class="wide">{escape(text)}</td>' for text in detail)
        + "</tr>"
    )


def _article(entry):
    figure, record = entry["figure"], entry["record"]
    parts = [
        f'<article id="{escape(_anchor(entry))}"{_attributes(entry)}>',
        f"<h3>{escape(_spoken(figure.name))}: {escape(figure.title)} {_badge(entry['state'])}</h3>",
    ]
    if entry["failure"]:
        parts.append(
            '<div class="box"><pre class="error" tabindex="0">'
            + escape(entry["failure"]["error"])
            + "</pre></div>"
        )
    if record:
        parts += [_picture(entry), _notes(record), _table(record), _origin(record)]
    if not record:
        parts.append(f"<p>Make it with <code>python -m paper_figures {escape(_anchor(entry))}</code></p>")
    return "\n".join(part for part in [*parts, "</article>"] if part)


def _picture(entry):
    figure, paper = entry["figure"], entry["paper"]
    if ".svg" not in entry["pictures"]:
        return ""
    address = f"{paper.name}/{figure.name}"
    width, height = (round(96 * inches) for inches in figure.size)
    others = " · ".join(f'<a href="{escape(address + s)}">{s[1:]}</a>' for s in (*entry["pictures"], ".json"))
    return (
        f'<figure><img src="{escape(address)}.svg" alt="{escape(figure.alt or figure.title)}" '
        f'width="{width}" height="{height}" loading="lazy"><figcaption>{others}</figcaption></figure>'
    )


def _notes(record):
    if not record["notes"]:
        return ""
    return '<ul class="notes">' + "".join(f"<li>{escape(note)}</li>" for note in record["notes"]) + "</ul>"


def _table(record):
    rows = record["rows"]
    keys = list(dict.fromkeys(key for row in rows for key in row if key not in RESERVED))
    explained = any(row.get("why") for row in rows)
    names = [*keys, "published", "ours", "difference", "std", "status", *(["why"] if explained else [])]
    numeric = {"published", "ours", "difference", "std"}
    head = "".join(
        f'<th scope="col" class="{"number" if name in numeric else "text"}">'
        f'<button type="button">{escape(name)}</button></th>'
        for name in names
    )
    digits = _decimals(rows)
    size, opened = ("long", "") if len(rows) > LONG_TABLE else ("short", " open")
    body = "\n".join(_row(row, keys, explained, digits) for row in rows)
    table = (
        f'<div class="box {size}" tabindex="0" role="region" '
        f'aria-label="Numbers of {escape(record["figure"])}">'
        f'<table class="rows sortable"><thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )
    return f"<details{opened}><summary>{len(rows)} rows of numbers</summary>\n{table}</details>"


def _row(row, keys, explained, digits):
    published, ours = row["published"], row["ours"]
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


def _cell(name, value, text):
    sort = "" if value is None else f' data-sort="{value!r}"'
    return f'<td class="number {name}"{sort}>{text}</td>'


def _value(value):
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)[:60]


def _decimals(rows):
    """As many decimals as the published numbers of the table have; None if there are none to go by."""
    shown = [repr(float(row["published"])) for row in rows if row["published"] is not None]
    lengths = [len(text.partition(".")[2]) for text in shown if not text.endswith(".0") and "e" not in text]
    return max(lengths, default=None)


def number_text(value, digits, sign=""):
    if value is None:
        return "–"
    tiny = digits is None or 0 < abs(value) < 0.5 * 10.0**-digits
    if (float(value).is_integer() and (digits is None or isinstance(value, int))) or (
        tiny and abs(value) >= 1000
    ):
        form = ".0f"
    else:
        form = ".4g" if tiny else f".{digits}f"
    return f"{value:{sign}{form}}".replace("-", "−")


def _origin(record):
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
<p>{escape(versions)}; seconds are the sum over all tasks</p>
</details>"""
