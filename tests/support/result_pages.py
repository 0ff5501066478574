"""The pages of the committed records, written into a new folder."""

import shutil
from pathlib import Path

import paper_figures
from paper_figures import gallery
from paper_figures.registry import load_papers
from paper_figures.store import Store

REPRODUCED = Path(paper_figures.__file__).parent / "reproduced"
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="5"></svg>'


def write_pages(folder):
    """Write the pages of the committed records into a new folder.

    Empty pictures take the place of those that are drawn: test_pictures_of_results.py looks at
    these.
    """
    shutil.copytree(REPRODUCED, folder, ignore=shutil.ignore_patterns("*.html", "*.svg"))
    for png in folder.rglob("*.png"):
        png.with_suffix(".svg").write_text(PICTURE, encoding="utf-8")
    gallery.write(Store(folder), load_papers())
