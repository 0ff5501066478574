"""The reader: a page for each paper, a row for each printed line."""

from pathlib import Path

from paper_figures.site import figures, front, printed, rows, rst, runs, steps
from paper_figures.site.rows import Page
from paper_figures.site.steps import Section

INTRODUCTION = """\
Each row is a printed line. It shows what the line does in our words, the NumPy code that does it,
the values that the code computed in a small run, the same code in Cython, and the test of both.
Move the slider, or press the left and right arrow keys, to go from round to round. J and K go from
line to line. G goes to the field that takes a line's number. A click on a line's number copies its
address. Names with dots below are symbols of the paper: point at one, or tap it, to see its symbol
and shape. S says all symbols of a line."""


SINGLE = """\
This run has no rounds, so there is no slider: the values beside a line are those of the whole \
run."""
"""What a section says whose run has a single state."""


def write(sources: Path) -> None:
    """Write ``reader/index.rst`` and a page for each paper into the copy of the sources."""
    for room in printed.PREFIXES:
        rst.put(sources, f"reader/{room}", _page(room))
        runs_of = sources / "_static" / f"{room}.js"
        runs_of.write_text(f"const RUNS = {rows.json_of(data(room))};\n", encoding="utf-8")
    listed = rst.toctree(printed.PREFIXES, ":maxdepth: 2")
    rst.put(sources, "reader/index", [*rst.titled("Reader"), INTRODUCTION, "", *listed])


def _page(room: str) -> list[str]:
    paper = printed.read(room)
    page = Page(room)
    text = [*rst.titled(paper.title), INTRODUCTION, ""]
    shown = rows.macros("reader")
    text += rst.raw(f"{front.finder('a line', front.ABOUT[room][2])}\n{shown.top(paper)}")
    for section in steps.read(room).sections:
        text += [*rst.titled(section.title, "-"), *rst.raw(_section(page, section))]
    text += rst.raw(rows.sources_of(name for line in paper.lines.values() for name in line.tests))
    return [*text, *rst.scripts(room, "rounds", "reader", "tests", "find")]


def _section(page: Page, section: Section) -> str:
    ids = runs.ids_of(page.paper.room, section)
    live = runs.live(page.paper.room, section)
    shown = rows.macros("reader")
    parts = [shown.head(live, links(ids), SINGLE), *(page.row(id, live) for id in ids)]
    names = list(dict.fromkeys(name for id in ids for name in page.paper.lines[id].figures))
    claims = figures.claims_on(page.paper.room, {name.partition(".")[2] for name in names})
    return "\n".join([*parts, shown.where(page.paper.room, names, claims), "</section>"])


def links(ids: list[str]) -> list[tuple[str, str]]:
    """Return each line, and the name of its place where that must stand before it."""
    places = [id.split(":")[1] for id in ids]
    numbered = {place for id, place in zip(ids, places, strict=True) if id.count(":") == 2}
    several = numbered if len(numbered) > 1 else set()
    firsts = [place in several and place not in places[:i] for i, place in enumerate(places)]
    return [
        (id, place if first else "") for id, place, first in zip(ids, places, firsts, strict=True)
    ]


def data(room: str) -> dict[str, object]:
    """Return what the scripts show of each section's run: its values and pictures, by round."""
    page = Page(room)
    found: dict[str, object] = {}
    for section in steps.read(room).sections:
        live = runs.live(room, section)
        rounds = runs.rounds(live.trace)
        texts = {
            rows.anchor(id): [page.values(id, live, t) for t in rounds] for id in live.snippets
        }
        if live.pictures:
            texts[""] = live.pictures
        found[section.id] = rows.pieces(texts)
    return found
