"""What a full reproduction costs: a table of time and memory for each entry, and the sum.

Records hold what their tasks took (`paper_figures.cost`); entries share tasks, and a sum counts
each once. A record of an earlier version has the seconds of its tasks alone.
"""

from collections.abc import Sequence
from html import escape

from paper_figures import cost
from paper_figures.gallery.entries import Entry, Room
from paper_figures.gallery.html import permalink
from paper_figures.gallery.numbers import duration_text, memory_text
from paper_figures.store import Record

NOT_RECORDED = '<td class="number unknown">not recorded</td>'
HEADS = ("tasks", "time of all tasks", "on all processors", "CPU time", "most memory of a task")


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
<details id="cost-table"><summary>Time and memory of each entry</summary>
<div class="box" tabindex="0" role="region" aria-label="Costs">
<table class="costs"><thead><tr><th scope="col">paper</th><th scope="col">entry</th>{heads}</tr>
</thead>
<tbody>
{body}
</tbody>
{_foot(records)}</table></div></details>
</section>"""


def _parted(records: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """Return the records with a cost, and those of earlier versions."""
    return [r for r in records if "cost" in r], [r for r in records if "cost" not in r]


def _processors(records: Sequence[Record]) -> str:
    """Return on how many processors the tasks ran, in words; nothing if records differ."""
    counts = {record["cost"].get("processors") for record in records}
    count = counts.pop() if len(counts) == 1 else None
    return f" on {count} processor{'s' if count > 1 else ''}" if count else ""


def _summary(records: Sequence[Record]) -> str:
    known, old = _parted(records)
    sentences = []
    if known:
        total = cost.total(known)
        parts = []
        if total.wall is not None:
            parts.append(f"<b>{duration_text(total.wall)}</b>{_processors(known)}")
        parts.append(f"{duration_text(total.seconds)} of tasks one after another")
        if total.cpu_seconds is not None:
            parts.append(f"{duration_text(total.cpu_seconds)} of CPU time")
        if total.max_memory is not None:
            parts.append(f"at most {memory_text(total.max_memory)} in a task")
        sentences.append(
            f"{_entries(len(known))}: {', '.join(parts)}. Tasks that entries share count once."
        )
        if total.wall is not None:
            sentences.append("The time on all processors is as if none ever waited.")
    if old:
        sentences.append(
            f"{_entries(len(old))} from before costs were recorded: "
            f"{duration_text(cost.total(old).seconds)} of tasks one after another; tasks that "
            "entries share count in each."
        )
    return f"<p>{' '.join(sentences)}</p>"


def _entries(count: int) -> str:
    return f"{count} entr{'y' if count == 1 else 'ies'}"


def _row(entry: Entry, record: Record, first: bool) -> str:
    paper = escape(entry.paper.name).replace("_", " ") if first else ""
    link = f"{entry.paper.name}/index.html#{entry.figure.name}"
    return (
        f'<tr><th scope="row">{paper}</th>'
        f'<td><a href="{escape(link)}">{escape(entry.spoken)}</a></td>{_cells([record])}</tr>'
    )


def _foot(records: Sequence[Record]) -> str:
    known, old = _parted(records)
    named = {"all, shared tasks once": known, "without recorded costs, shared tasks in each": old}
    lines = [
        f'<tr><th scope="row" colspan="2">{name}</th>{_cells(part)}</tr>'
        for name, part in named.items()
        if part
    ]
    return f"<tfoot>{''.join(lines)}</tfoot>"


def _cells(records: Sequence[Record]) -> str:
    total = cost.total(records)
    texts = (
        None if total.tasks is None else f"{total.tasks:,}",
        duration_text(total.seconds),
        None if total.wall is None else duration_text(total.wall),
        None if total.cpu_seconds is None else duration_text(total.cpu_seconds),
        None if total.max_memory is None else memory_text(total.max_memory),
    )
    return "".join(
        NOT_RECORDED if text is None else f'<td class="number">{text}</td>' for text in texts
    )
