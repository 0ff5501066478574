"""What a full reproduction costs: a table of the time of each entry, and the sum."""

import json
from collections.abc import Iterable, Sequence
from html import escape

from paper_figures.gallery.entries import Entry, Room
from paper_figures.gallery.html import permalink
from paper_figures.gallery.numbers import duration_text
from paper_figures.store import Record

NOT_RECORDED = '<td class="number unknown">not recorded</td>'
HEADS = ("cells", "time of all cells", "CPU time")


def section(rooms: Sequence[Room]) -> str:
    """Return the section with the table of costs, folded.

    Parameters
    ----------
    rooms : sequence of Room

    Returns
    -------
    str
    """
    lines = []
    costs = []
    for room in rooms:
        made = [(e, e.record) for e in room.entries if e.record is not None]
        costs += made
        lines += [_row(entry, record, place == 0) for place, (entry, record) in enumerate(made)]
    if not lines:
        return ""
    heads = "".join(f'<th scope="col" class="number">{head}</th>' for head in HEADS)
    body = "\n".join(lines)
    return f"""<section id="cost">
<h2>What a full reproduction costs {permalink("cost", "the costs")}</h2>
{_summary(costs)}
<details id="cost-table"><summary>Time of each entry</summary>
<div class="box" tabindex="0" role="region" aria-label="Costs">
<table class="costs"><thead><tr><th scope="col">paper</th><th scope="col">entry</th>{heads}</tr>
</thead>
<tbody>
{body}
</tbody></table></div></details>
</section>"""


def _summary(made: Sequence[tuple[Entry, Record]]) -> str:
    known = [(entry, record) for entry, record in made if record["cpu_seconds"] is not None]
    entries = f"{len(made)} entr{'y' if len(made) == 1 else 'ies'}"
    parts = [f"{entries}: about {duration_text(_each_cell_once(known))} of CPU time"]
    if unknown := len(made) - len(known):
        parts.append(f"without {unknown} whose CPU time was not recorded")
    return f"<p>{', '.join(parts)}. A cell that several entries share counts once.</p>"


def _each_cell_once(made: Iterable[tuple[Entry, Record]]) -> float:
    """Return the CPU seconds of all cells; those of an entry that shares some count as equal."""
    total = 0.0
    counted: set[tuple[str, str, str]] = set()
    for entry, record in sorted(made, key=lambda pair: -pair[1]["cells"]):
        study = entry.paper.study_of(entry.figure.name)
        cells = {
            (entry.paper.name, study.name, json.dumps(cell, sort_keys=True, default=str))
            for cell in study.cells[record["scale"]]
            if entry.figure.uses(cell)
        }
        total += record["cpu_seconds"] * len(cells - counted) / max(1, len(cells))
        counted |= cells
    return total


def _row(entry: Entry, record: Record, first: bool) -> str:
    paper = escape(entry.paper.name).replace("_", " ") if first else ""
    link = f"{entry.paper.name}/index.html#{entry.figure.name}"
    cpu = record["cpu_seconds"]
    texts = (f"{record['cells']:,}", duration_text(record["seconds"]))
    cells = "".join(f'<td class="number">{text}</td>' for text in texts)
    cells += NOT_RECORDED if cpu is None else f'<td class="number">{duration_text(cpu)}</td>'
    return (
        f'<tr><th scope="row">{paper}</th>'
        f'<td><a href="{escape(link)}">{escape(entry.spoken)}</a></td>{cells}</tr>'
    )
