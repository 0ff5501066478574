"""Show what a folder holds: draw its records, decide the claims, write the pages.

Nothing is computed. No data set, no compiled kernel and no matching key is needed, since a record
holds all of its numbers.
"""

import logging
import traceback
from collections.abc import Sequence
from pathlib import Path

from paper_figures import gallery, judge
from paper_figures.run import draw
from paper_figures.store import CannotStore, Store
from paper_figures.study import Paper, View

LOG = logging.getLogger("paper_figures")
# what became of a figure
SHOWN = "shown"
NOT_MADE = "not yet made"
DAMAGED = "its record is damaged"
FAILED = "failed when it was made"
NOT_DRAWN = "cannot be drawn"


def redraw(store: Store, paper: Paper, figure: View) -> str:
    """Draw a stored record again; return what became of it, such as SHOWN."""
    if store.read_failure(paper.name, figure.name) is not None:
        return FAILED
    record = store.read(paper.name, figure.name)
    if record is None:
        stored = store.path(paper.name, figure.name, ".json").is_file()
        return DAMAGED if stored else NOT_MADE
    try:
        draw(store, figure, record)
    except CannotStore:
        raise
    except Exception:
        LOG.warning("%s.%s\n%s", paper.name, figure.name, traceback.format_exc())
        return NOT_DRAWN
    return SHOWN


def write_pages(store: Store, papers: Sequence[Paper]) -> Path:
    """Write the claims of papers that have records, and the pages; return the first page."""
    judge.write(store, [paper for paper in papers if judge.read_records(store, paper)])
    return gallery.write(store, papers)
