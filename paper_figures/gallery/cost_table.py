"""What a full reproduction costs: a table of the time of each entry, and the sum."""

from collections.abc import Sequence
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
    records = []
    for room in rooms:
        made = [(e, e.record) for e in room.entries if e.record is not None]
        records += [record for _, record in made]
        lines += [_row(entry, record, place == 0) for place, (entry, record) in enumerate(made)]
    if not lines:
        return ""
    heads = "".join(f'<th scope="col" class="number">{head}</th>' for head in HEADS)
    body = "\n".join(lines)
    return f"""<section id="cost">
<h2>What a full reproduction costs {permalink("cost", "the costs")}</h2>
{_summary(records)}
<details id="cost-table"><summary>Time of each entry</summary>
<div class="box" tabindex="0" role="region" aria-label="Costs">
<table class="costs"><thead><tr><th scope="col">paper</th><th scope="col">entry</th>{heads}</tr>
</thead>
<tbody>
{body}
</tbody></table></div></details>
</section>"""


def _summary(records: Sequence[Record]) -> str:
    known = [record["cpu_seconds"] for record in records if record["cpu_seconds"] is not None]
    entries = f"{len(records)} entr{'y' if len(records) == 1 else 'ies'}"
    unknown = len(records) - len(known)
    parts = [f"{entries}: {duration_text(sum(known))} of CPU time"]
    if unknown:
        parts.append(f"without {unknown} whose CPU time was not recorded")
    return f"<p>{', '.join(parts)}. Cells that two entries share count in both.</p>"


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
