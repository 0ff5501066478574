"""What a full reproduction costs: a table of time and memory for each entry, and the sum.

A record holds what each of its tasks took. Entries share tasks; the sums count a task once. The
time on two cores is that of two processes, each of which takes the next task when it is free. A
record from before tasks were measured has the sum of its tasks' seconds alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from paper_figures.gallery.entries import Entry, Room
from paper_figures.gallery.html import permalink
from paper_figures.gallery.numbers import duration_text, memory_text

CORES = 2
UNKNOWN = '<td class="number unknown">not recorded</td>'


@dataclass(frozen=True)
class Cost:
    """What some tasks take: seconds of all, seconds on two cores, CPU seconds, most bytes."""

    tasks: int
    seconds: float
    wall: float
    cpu: float | None
    memory: float | None


def of_tasks(tasks: Iterable[dict[str, Any]]) -> Cost:
    """Return what tasks cost together, each counted once.

    Parameters
    ----------
    tasks : iterable of dict
        With ``key``, ``seconds``, ``cpu_seconds`` and ``max_memory``, as records hold them.

    Returns
    -------
    Cost
    """
    once = list({task["key"]: task for task in tasks}.values())
    seconds = [float(task["seconds"]) for task in once]
    return Cost(
        len(once),
        sum(seconds),
        on_cores(seconds),
        _all_or_none([task.get("cpu_seconds") for task in once], sum),
        _all_or_none([task.get("max_memory") for task in once], max),
    )


def _all_or_none(values: list[float | None], combine: Any) -> float | None:
    known = [value for value in values if value is not None]
    return float(combine(known)) if known and len(known) == len(values) else None


def on_cores(seconds: Sequence[float], cores: int = CORES) -> float:
    """Return when the last task ends if each process takes the next task when it is free."""
    busy = [0.0] * cores
    for length in seconds:
        free = busy.index(min(busy))
        busy[free] += length
    return max(busy)


def _tasks(entry: Entry) -> list[dict[str, Any]] | None:
    """Return the tasks of an entry's record; None if they were not recorded."""
    cost = entry.record.get("cost") if entry.record is not None else None
    return cost["tasks"] if cost else None


def section(rooms: Sequence[Room]) -> str:
    """Return the section with the table of costs, folded.

    Parameters
    ----------
    rooms : sequence of Room

    Returns
    -------
    str
    """
    entries = [entry for room in rooms for entry in room.entries if entry.record is not None]
    if not entries:
        return ""
    body = "\n".join(
        _row(entry, first=entry is entries[0] or entry.paper is not before.paper)
        for entry, before in zip(entries, [entries[0], *entries], strict=False)
    )
    known = [tasks for entry in entries if (tasks := _tasks(entry)) is not None]
    old = [entry for entry in entries if _tasks(entry) is None]
    return f"""<section id="cost">
<h2>What a full reproduction costs {permalink("cost", "the costs")}</h2>
{_summary(known, old)}
<details id="cost-table"><summary>Time and memory of each entry</summary>
<div class="box" tabindex="0" role="region" aria-label="Costs">
<table class="costs"><thead><tr><th scope="col">paper</th><th scope="col">entry</th>
<th scope="col" class="number">tasks</th><th scope="col" class="number">time of all tasks</th>
<th scope="col" class="number">on two cores</th><th scope="col" class="number">CPU time</th>
<th scope="col" class="number">most memory of a task</th></tr></thead>
<tbody>
{body}
</tbody>
{_foot(known, old)}</table></div></details>
</section>"""


def _summary(known: list[list[dict[str, Any]]], old: list[Entry]) -> str:
    sentences = []
    if known:
        total = of_tasks(task for tasks in known for task in tasks)
        cpu = "" if total.cpu is None else f", {duration_text(total.cpu)} of CPU time"
        memory = "" if total.memory is None else f", at most {memory_text(total.memory)} in a task"
        sentences.append(
            f"<b>{duration_text(total.wall)}</b> on two cores{cpu}{memory}, for {len(known)} "
            "entries; tasks that entries share are counted once."
        )
    if old:
        seconds = sum(entry.record["seconds"] for entry in old if entry.record)
        sentences.append(
            f"{len(old)} entries were made before the costs of tasks were recorded. Their tasks "
            f"took {duration_text(seconds)} together, and those that entries share are counted in "
            "each."
        )
    return f"<p>{' '.join(sentences)}</p>"


def _row(entry: Entry, first: bool) -> str:
    paper = escape(entry.paper.name).replace("_", "_<wbr>") if first else ""
    link = f"{entry.paper.name}/index.html#{entry.figure.name}"
    head = (
        f'<tr><th scope="row">{paper}</th>'
        f'<td><a href="{escape(link)}">{escape(entry.spoken)}</a></td>'
    )
    tasks = _tasks(entry)
    if tasks is None:
        seconds = entry.record["seconds"] if entry.record else 0.0
        return f"{head}{UNKNOWN}{_time(seconds)}{UNKNOWN * 3}</tr>"
    return f"{head}{_cells(of_tasks(tasks))}</tr>"


def _foot(known: list[list[dict[str, Any]]], old: list[Entry]) -> str:
    head = '<th scope="row" colspan="2">{}</th>'
    lines = []
    if known:
        total = of_tasks(task for tasks in known for task in tasks)
        name = "all, shared tasks once"
        lines.append(f"<tr>{head.format(name)}{_cells(total)}</tr>")
    if old:
        seconds = sum(entry.record["seconds"] for entry in old if entry.record)
        name = "entries without recorded costs, shared tasks in each"
        lines.append(f"<tr>{head.format(name)}{UNKNOWN}{_time(seconds)}{UNKNOWN * 3}</tr>")
    return f"<tfoot>{''.join(lines)}</tfoot>" if lines else ""


def _cells(cost: Cost) -> str:
    cpu = UNKNOWN if cost.cpu is None else _time(cost.cpu)
    memory = UNKNOWN if cost.memory is None else _number(memory_text(cost.memory))
    return (
        f"{_number(f'{cost.tasks:,}')}{_time(cost.seconds)}{_time(cost.wall)}{cpu}{memory}"
    )


def _time(seconds: float) -> str:
    return _number(duration_text(seconds))


def _number(text: str) -> str:
    return f'<td class="number">{text}</td>'
