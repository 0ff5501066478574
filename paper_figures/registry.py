"""The papers and their figures. A paper is a module of this package with a constant ``PAPER``."""

import importlib
import re

from paper_figures.study import Paper

PAPERS = ("boosted_distance", "boostmap", "search_forest", "lmnn", "ftune")
ROOMS = (*PAPERS, "pays")  # the last one compares the papers' methods, beside others


def spoken(name: str) -> str:
    """Return a figure's name as readers say it: "Table 2" of "table2"."""
    return re.sub(r"(?<=[a-z])(?=\d)", " ", name).replace("_", " ").capitalize()


def load_papers() -> list[Paper]:
    """Import the papers of this package and their comparison, in the order of :data:`ROOMS`."""
    return [importlib.import_module(f"paper_figures.{name}").PAPER for name in ROOMS]
