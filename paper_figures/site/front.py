"""The first page: the five papers with what became of their claims, and where to begin."""

from collections import Counter
from pathlib import Path

from paper_figures import judge, registry
from paper_figures.gallery.entries import Room, collect
from paper_figures.gallery.signs import CLAIMS, slug
from paper_figures.site import api, printed, rows, rst, runs, steps
from paper_figures.site.figures import FOLDER, REPRODUCED
from paper_figures.site.mathml import inline
from paper_figures.store import Store

__all__ = ["ABOUT", "finder", "lines", "write"]

ABOUT = {room: steps.read(room).about for room in printed.PREFIXES}


def finder(example: str) -> str:
    """Return the field for a printed line, with an example in it; find.js makes it work."""
    field: str = rst.macros("front", *FILTERS).finder(example)
    return field


def lines() -> list[dict[str, str]]:
    """Return all printed lines of all papers: id, address, paper and the beginning of its words."""
    listed = []
    for room in printed.PREFIXES:
        written = steps.read(room).steps
        for section in steps.read(room).sections:
            for id in runs.ids_of(room, section):
                listed.append(
                    {
                        "id": id,
                        "to": f"reader/{room}.html#{rows.anchor(id)}",
                        "paper": ABOUT[room][0],
                        "words": written[id].words.replace("$", "").replace("`", ""),
                    }
                )
    return listed


def figures_and_names() -> list[dict[str, str]]:
    """Return what else the field finds: figures, tables, and the names of the API."""
    listed = []
    for paper in registry.load_papers():
        for figure in paper.figures if paper.name in ABOUT else ():
            listed.append(
                {
                    "id": figure.name.replace("figure", "fig"),
                    "to": f"{FOLDER}/{paper.name}/index.html#{figure.name}",
                    "paper": ABOUT[paper.name][0],
                    "name": registry.spoken(figure.name),
                    "words": figure.title,
                }
            )
    for entry in api.entries():
        if entry.module.startswith("refimpl."):
            listed.append({"id": entry.name, "to": entry.address, "paper": "", "words": entry.path})
    return listed


def write(sources: Path) -> None:
    """Put the field for printed lines and the cards of the papers into ``index.rst``."""
    papers = registry.load_papers()
    store = Store(REPRODUCED)
    rooms = [collect(store, paper, papers) for paper in papers if paper.name in ABOUT]
    shown = rst.macros("front", *FILTERS)
    cards = [
        shown.card(room, ABOUT[room.name], sections(room.name), states(room)) for room in rooms
    ]
    field = shown.finder("LMNN eq. 6, A.2 line 7, Table 2, lmnn")
    found = rows.data("lines", lines() + figures_and_names())
    finding = [*rst.raw(f"{field}\n{found}"), *rst.scripts("find", top="")]
    rst.fill(sources, "index", "field of the first page", finding)
    papers_shown = rst.raw(f'<div class="papers">{"".join(cards)}</div>')
    rst.fill(sources, "index", "papers of the first page", papers_shown)


def sections(room: str) -> list[tuple[str, str]]:
    """Return the title of each section of a reader, and its first line."""
    return [(one.title, runs.ids_of(room, one)[0]) for one in steps.read(room).sections]


def states(room: Room) -> list[tuple[str, str, str, int]]:
    """Return how many claims hold, fail or are open: state, sign, verb, number."""
    counts = Counter(decided.state for decided in room.claims)
    verbs = {judge.HOLDS: "hold", judge.FAILS: "fail"}
    return [
        (state, sign, state if counts[state] == 1 else verbs.get(state, state), counts[state])
        for state, (sign, _) in CLAIMS.items()
        if counts[state]
    ]


FILTERS = (inline, slug, rows.anchor, printed.read)
"""What the templates use."""
