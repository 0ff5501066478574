"""The pages of results, and the rows and drawings of the committed records that they quote."""

import json
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import paper_figures

REPRODUCED = Path(paper_figures.__file__).parent / "reproduced"
PAGES = {
    paper: (REPRODUCED / paper / "README.md").read_text(encoding="utf-8")
    for paper in ("boosted_distance", "boostmap", "search_forest", "lmnn", "ftune", "pays")
}


def rows_of(paper, figure):
    return json.loads((REPRODUCED / paper / f"{figure}.json").read_text(encoding="utf-8"))["rows"]


def drawing_of(paper, figure):
    return json.loads((REPRODUCED / paper / f"{figure}.json").read_text("utf-8"))["drawing"]


def rounded(number, places):
    """Return a number as the pages write it, 5 rounded up."""
    return str(Decimal(str(number)).quantize(Decimal(10) ** -places, ROUND_HALF_UP))
