"""The first page: the five papers with what became of their claims, and where to begin."""

from collections.abc import Iterator
from pathlib import Path

from paper_figures import registry
from paper_figures.gallery.entries import collect
from paper_figures.gallery.signs import claim_states
from paper_figures.site import api, printed, rows, rst, runs, steps
from paper_figures.site.figures import FOLDER, REPRODUCED
from paper_figures.site.mathml import inline
from paper_figures.store import Store

PAGES = {
    "speed/index": "Measured speed: how much faster each kernel and training is",
    "install/index": "Install and run",
    "install/data": "Data files",
    "others": "Other implementations",
    "errata": "Errata",
}
"""Pages that the field of the first page finds by their words."""
ABOUT = {room: steps.read(room).about for room in printed.PREFIXES}


def finder(what: str, example: str) -> str:
    """Return the field that leads to a printed line, with an example in it, for find.js."""
    field: str = rst.macros("front", *FILTERS).finder(what, example)
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
    for page, title in _titles():
        id = page.replace("/", ":")
        listed.append({"id": id, "to": f"{page}.html", "paper": "", "name": title, "words": title})
    for entry in api.entries():
        if entry.module.startswith("refimpl."):
            listed.append({"id": entry.name, "to": entry.address, "paper": "", "words": entry.path})
    return listed


def _titles() -> Iterator[tuple[str, str]]:
    """Yield each guide, and each page beside them that answers a question, with its title."""
    for path in sorted((Path(__file__).parent / "source" / "guides").glob("*.rst")):
        yield f"guides/{path.stem}", path.read_text(encoding="utf-8").partition("\n")[0]
    yield from PAGES.items()


def write(sources: Path) -> None:
    """Put the field for printed lines and the cards of the papers into ``index.rst``."""
    papers = registry.load_papers()
    store = Store(REPRODUCED)
    rooms = [collect(store, paper, papers) for paper in papers if paper.name in ABOUT]
    shown = rst.macros("front", *FILTERS)
    cards = [shown.card(room, ABOUT[room.name], sections(room.name)) for room in rooms]
    what, example = "a line, figure, function or guide", "LMNN eq. 6, A.2 line 7, Table 2, swap"
    field = shown.finder(what, example)
    found = rows.data("lines", lines() + figures_and_names())
    finding = [*rst.raw(f"{field}\n{found}"), *rst.scripts("find", top="")]
    rst.fill(sources, "index", "field of the first page", finding)
    papers_shown = rst.raw(f'<div class="papers">{"".join(cards)}</div>')
    rst.fill(sources, "index", "papers of the first page", papers_shown)


def sections(room: str) -> list[tuple[str, str]]:
    """Return the title of each section of a reader, and its first line."""
    return [(one.title, runs.ids_of(room, one)[0]) for one in steps.read(room).sections]


FILTERS = (inline, claim_states, rows.anchor, printed.read)
"""What the templates use."""
