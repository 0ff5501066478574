"""The pages: OUT/index.html, and OUT/<paper>/index.html for each paper.

They are made from the stored records alone, each a file without anything from elsewhere but the
pictures beside it. What the numbers mean is decided here and now: `judge` judges each row and
decides each claim, `study.Grid` says where a row stands in its table.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from paper_figures.gallery.entries import Entry, Room, collect
from paper_figures.gallery.html import page, render
from paper_figures.store import Store, write_atomic
from paper_figures.study import Paper

KINDS = {"claim": "claims", "table": "tables", "figure": "figures", "experiment": "experiments"}


def write(store: Store, papers: Sequence[Paper]) -> Path:
    """Write OUT/index.html and a page for each paper from the stored results; return the first."""
    rooms = [collect(store, paper, papers) for paper in papers]
    for room in rooms:
        title = f"{room.paper.title}: published and reproduced"
        body = paper_page(room, alone=True)
        write_atomic(store.out / room.name / "index.html", page(title, "paper", body))
    path = store.out / "index.html"
    title = "Figures and tables: published and reproduced"
    write_atomic(path, page(title, "first", first(rooms, alone=True)))
    return path


def first(rooms: Sequence[Room], alone: bool) -> str:
    """Return the first page; `alone` if it is by itself, and not one of the site."""
    return render(
        "first",
        rooms=rooms,
        alone=alone,
        claims=sum((room.decided for room in rooms), Counter[str]()),
        states={state for room in rooms for state in room.states},
        small=any(room.small for room in rooms),
        made=any(room.made for room in rooms),
        records=[entry for room in rooms for entry in room.entries if entry.record],
        cpu_seconds=cpu_seconds,
        KINDS=KINDS,
    )


def paper_page(room: Room, alone: bool) -> str:
    """Return the page of a paper; `alone` if it is by itself, and not one of the site."""
    return render("paper", room=room, alone=alone)


def cpu_seconds(entries: Iterable[Entry]) -> float:
    """Return the CPU seconds of all cells; those of an entry that shares some count as equal."""
    total = 0.0
    counted: set[tuple[str, str, str]] = set()
    made = [(e, e.record) for e in entries if e.record and e.record["cpu_seconds"] is not None]
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
