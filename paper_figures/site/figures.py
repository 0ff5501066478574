"""The figures and claims as pages of the site, from the stored records."""

import os
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from paper_figures import gallery, registry, run
from paper_figures.gallery.entries import Room, collect
from paper_figures.judge.reading import Claim, load_claims
from paper_figures.site import rst
from paper_figures.site.documents import PAGES, page_of
from paper_figures.store import Store
from paper_figures.study import Paper

REPRODUCED = Path(registry.__file__).parent / "reproduced"
FOLDER = "figures"
KEPT_OUT = shutil.ignore_patterns("*.html", "*.svg", "*.png", "*.md", ".parts")


def write(sources: Path) -> None:
    """Draw the stored results, and write the page of each paper and the one of all."""
    folder = sources / "_extra" / FOLDER
    shutil.copytree(REPRODUCED, folder, ignore=KEPT_OUT)
    store, papers = Store(folder), registry.load_papers()
    for paper in papers:
        for figure in paper.figures:
            if record := store.read(paper.name, figure.name):
                run.draw(store, figure, record, png=False)
    rooms = [collect(store, paper, papers, partial(_page, paper.name)) for paper in papers]
    rst.put(sources, f"{FOLDER}/index", _first(rooms, papers))
    for room in rooms:
        rst.put(sources, f"{FOLDER}/{room.name}/index", _paper(room))


def _first(rooms: Sequence[Room], papers: Sequence[Paper]) -> list[str]:
    body = _gallery("first", gallery.first(rooms, alone=False), "../")
    listed = rst.toctree((f"{paper.name}/index" for paper in papers), ":hidden:")
    return [*rst.titled("Figures and claims"), *body, *listed]


def _paper(room: Room) -> list[str]:
    body = _gallery("paper", gallery.paper_page(room, alone=False), "../../")
    below = {
        f"{FOLDER}/{room.name}/summary": "summary",
        f"papers/{room.name}": f"/papers/{room.name}",
    }
    listed = [name for page, name in below.items() if page in PAGES.values()]
    return [
        *rst.titled(room.paper.title),
        *body,
        *(rst.toctree(listed, ":hidden:") if listed else ()),
    ]


def _gallery(kind: str, body: str, top: str) -> list[str]:
    style = f'<link rel="stylesheet" href="{top}_static/gallery.css">'
    page = rst.raw(f'{style}<div class="gallery {kind}">\n{body}\n</div>')
    return [*page, *rst.scripts("gallery", top=top)]


def _page(room: str, path: str) -> str | None:
    """Return the page that shows a file of the project, or the reader, from a paper's page."""
    is_reader = path == f"reader/{room}" and room in registry.PAPERS
    page = path if is_reader else page_of(path)
    return os.path.relpath(f"{page}.html", f"{FOLDER}/{room}") if page else None


def claims_on(room: str, figures: set[str]) -> list[Claim]:
    """Return the claims of a paper that any of some figures decides."""
    return [claim for claim in load_claims(room).claims if figures & set(claim.figures)]


def figure_of(name: str) -> str:
    """Return the link to a figure ``paper.name`` from a page one folder below the site."""
    paper, _, own = name.partition(".")
    return f"../{FOLDER}/{paper}/index.html#{own}"
