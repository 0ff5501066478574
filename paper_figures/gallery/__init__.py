"""The pages: OUT/index.html, and OUT/<paper>/index.html for each paper.

They are made from the stored records alone, each a file without anything from elsewhere but the
pictures beside it. What the numbers mean is decided here and now: `verdict` judges each row,
`claims` decides each claim, `layout` says where a row stands in its table.
"""

from collections.abc import Sequence
from pathlib import Path

from paper_figures.gallery import first_page, paper_page
from paper_figures.gallery.entries import collect
from paper_figures.registry import Paper
from paper_figures.store import Store, write_atomic

__all__ = ["write"]


def write(store: Store, papers: Sequence[Paper]) -> Path:
    """Write all pages from the stored results, so that they always fit the folder.

    Parameters
    ----------
    store : Store
    papers : sequence of Paper
        All papers; figures without a result are shown as not yet run.

    Returns
    -------
    Path
        OUT/index.html.
    """
    rooms = [collect(store, paper, papers) for paper in papers]
    for room in rooms:
        write_atomic(store.out / room.name / "index.html", paper_page.page(room))
    path = store.out / "index.html"
    write_atomic(path, first_page.page(rooms))
    return path
