"""The figures and claims as pages of the site, from the stored records."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from paper_figures import gallery, judge, registry, report
from paper_figures.gallery.entries import Room, collect
from paper_figures.site.documents import PAGES, raw
from paper_figures.store import Store
from paper_figures.study import Paper

__all__ = ["address", "claims_on", "write"]

REPRODUCED = Path(registry.__file__).parent / "reproduced"
FOLDER = "figures"
KEPT_OUT = shutil.ignore_patterns("*.html", "*.svg", "*.md", ".parts")


def write(sources: Path) -> None:
    """Draw the stored results, and write the page of each paper and the one of all.

    Parameters
    ----------
    sources : Path
        The copy of the Sphinx sources. Its folder ``_extra`` goes into the site as it is.
    """
    folder = sources / "_extra" / FOLDER
    shutil.copytree(REPRODUCED, folder, ignore=KEPT_OUT)
    store, papers = Store(folder), registry.load_papers()
    for paper in papers:
        for figure in paper.figures:
            report.redraw(store, paper, figure)
    for path in folder.rglob("*.png"):  # the pages show the SVG
        path.unlink()
    judge.write(store, papers)
    rooms = [collect(store, paper, papers, _pages(paper.name)) for paper in papers]
    _put(sources / FOLDER, _first(rooms, papers))
    for room in rooms:
        _put(sources / FOLDER / room.name, _paper(room))


def _put(folder: Path, lines: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _first(rooms: Sequence[Room], papers: Sequence[Paper]) -> list[str]:
    listed = [f"   {paper.name}/index" for paper in papers]
    return [
        *_titled("Figures and claims"),
        *_gallery("first", gallery.first(rooms, alone=False), "../"),
        *(".. toctree::", "   :hidden:", "", *listed),
    ]


def _paper(room: Room) -> list[str]:
    body = gallery.paper_page(room, alone=False)
    lines = [*_titled(room.paper.title), *_gallery("paper", body, "../../")]
    below = [name for name in ("summary",) if f"{FOLDER}/{room.name}/{name}" in PAGES.values()]
    notes = [f"/papers/{room.name}"] if f"papers/{room.name}" in PAGES.values() else []
    listed = [f"   {name}" for name in (*below, *notes)]
    return [*lines, *((".. toctree::", "   :hidden:", "", *listed) if listed else ())]


def _titled(title: str) -> list[str]:
    return [title, "=" * 2 * len(title), ""]


def _gallery(kind: str, body: str, top: str) -> list[str]:
    script = f'<script src="{top}_static/gallery.js" defer></script>'
    return raw(f'<div class="gallery {kind}">\n{body}\n</div>\n{script}')


def _pages(room: str) -> dict[str, str]:
    """Return the pages of the site that show files of the project, from a paper's page."""
    named = {path: f"{name}.html" for path, name in PAGES.items()}
    if room in registry.PAPERS:
        code = f"refimpl/{room}/algorithm"
        named[f"{code}.py"] = f"source/{code}.py.html"
        named[f"reader/{room}"] = f"reader/{room}.html"
    own = {path: page for path, page in named.items() if f"/{room}" in path}
    return {path: os.path.relpath(page, f"{FOLDER}/{room}") for path, page in own.items()}


def claims_on(room: str, figures: set[str]) -> list[judge.Claim]:
    """Return the claims of a paper that any of some figures decides.

    Parameters
    ----------
    room : str
    figures : set of str
        Their names, without the paper's.

    Returns
    -------
    list of Claim
    """
    return [claim for claim in judge.load_claims(room).claims if figures & set(claim.figures)]


def address(figure: str, top: str) -> str:
    """Return the link to a figure ``paper.name`` from a page that lies `top` below the site."""
    paper, _, name = figure.partition(".")
    return f"{top}{FOLDER}/{paper}/index.html#{name}"
