"""The pages of results, and the rows and drawings of the committed records that they quote."""

import json
import shutil
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import paper_figures
from paper_figures import gallery
from paper_figures.registry import load_papers
from paper_figures.store import Store

REPRODUCED = Path(paper_figures.__file__).parent / "reproduced"
PAGES = {
    paper: (REPRODUCED / paper / "README.md").read_text(encoding="utf-8")
    for paper in ("boosted_distance", "boostmap", "search_forest", "lmnn", "ftune", "pays")
}


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


def rows_of(paper, figure):
    return json.loads((REPRODUCED / paper / f"{figure}.json").read_text(encoding="utf-8"))["rows"]


def rounded(number, places):
    """Return a number as the pages write it, 5 rounded up."""
    return str(Decimal(str(number)).quantize(Decimal(10) ** -places, ROUND_HALF_UP))
