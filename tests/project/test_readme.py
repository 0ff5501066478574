"""The names and links of the README and of the pages of results exist."""

import importlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
REPRODUCED = ROOT / "paper_figures" / "reproduced"
PAGES = [
    README,
    ROOT / "tests" / "benchmarks" / "README.md",
    *sorted(REPRODUCED.glob("*/README.md")),
]
TEXT = README.read_text(encoding="utf-8")
ROWS = [line for line in TEXT.splitlines() if re.search(r"20\d\d\) \| `refimpl\.", line)]


def test_functions_and_estimators_of_the_table_exist():
    estimators = importlib.import_module("refimpl.estimators")
    assert len(ROWS) == 5
    for row in ROWS:
        _, _, function, classes, _, _ = row.split("|")
        module, name = function.strip(" `").rsplit(".", 1)
        assert callable(getattr(importlib.import_module(module), name))
        for estimator in re.findall(r"`(\w+)`", classes):
            assert hasattr(estimators, estimator)


def test_pictures_and_files_that_the_pages_name_exist():
    for page in PAGES:
        for target in re.findall(r"\]\(([\w./-]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), (page, target)
