"""The pages: OUT/index.html, and OUT/<paper>/index.html for each paper.

They are made from the stored records alone, each a file without anything from elsewhere but the
pictures beside it. What the numbers mean is decided here and now: `judge` judges each row and
decides each claim, `study.Grid` says where a row stands in its table.
"""

from collections.abc import Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

from paper_figures.gallery import first_page, paper_page
from paper_figures.gallery.entries import Room, collect, state_of
from paper_figures.store import Store, write_atomic
from paper_figures.study import Paper

__all__ = ["write"]

_SHOWN: WeakKeyDictionary[Store, dict[str, tuple[object, Room]]] = WeakKeyDictionary()
"""What the pages that were written last show: a run writes them after each figure."""


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

    Raises
    ------
    paper_figures.store.CannotStore
        If the file system refuses.

    See Also
    --------
    paper_figures.judge.write : The claims as JSON.

    Examples
    --------
    >>> import tempfile
    >>> from paper_figures.registry import load_papers
    >>> page = write(Store(tempfile.mkdtemp()), load_papers())
    >>> "not yet run" in page.read_text(encoding="utf-8")
    True
    """
    rooms = [_written(store, paper, papers) for paper in papers]
    path = store.out / "index.html"
    write_atomic(path, first_page.page(rooms))
    return path


def _written(store: Store, paper: Paper, papers: Sequence[Paper]) -> Room:
    """Write a paper's page, unless this store's files are those of the page already there."""
    path = store.out / paper.name / "index.html"
    shown = _SHOWN.setdefault(store, {})
    state = (state_of(store, paper), papers)
    if paper.name in shown and shown[paper.name][0] == state and path.is_file():
        return shown[paper.name][1]
    room = collect(store, paper, papers)
    write_atomic(path, paper_page.page(room))
    shown[paper.name] = (state, room)
    return room
