"""The README and CONTRIBUTING.md: names and links exist, numbers are those of the records, the
figure that CONTRIBUTING.md adds can be made.
"""

import importlib
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
import readme

from paper_figures import cli
from paper_figures.study import Paper

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
REPRODUCED = ROOT / "paper_figures" / "reproduced"
PAGES = [
    README,
    ROOT / "CONTRIBUTING.md",
    ROOT / "tests" / "builds" / "README.md",
    ROOT / "tests" / "benchmarks" / "README.md",
    *sorted(REPRODUCED.glob("*/README.md")),
]
TEXT = README.read_text(encoding="utf-8")
ROWS = [line for line in TEXT.splitlines() if re.search(r"20\d\d\) \| `refimpl\.", line)]


def test_functions_and_estimators_of_the_table_exist():
    estimators = importlib.import_module("refimpl.estimators")
    assert len(ROWS) == 5
    for row in ROWS:
        _, _, function, classes, _ = row.split("|")
        module, name = function.strip(" `").rsplit(".", 1)
        assert callable(getattr(importlib.import_module(module), name))
        for estimator in re.findall(r"`(\w+)`", classes):
            assert hasattr(estimators, estimator)


def test_pictures_and_files_that_the_pages_name_exist():
    for page in PAGES:
        for target in re.findall(r"\]\(([\w./-]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), (page, target)


def test_tests_that_ci_and_the_workflows_name_exist():
    files = [ROOT / ".ci" / "run", ROOT / ".ci" / "sanitize", *ROOT.glob(".github/workflows/*")]
    for file in files:
        for target in re.findall(r"\btests/[\w/.]+", file.read_text(encoding="utf-8")):
            assert (ROOT / target.rstrip(".")).exists(), (file.name, target)


@pytest.mark.parametrize(("page", "most"), [("README.md", 8_000), ("CONTRIBUTING.md", 9_500)])
def test_pages_that_everybody_reads_are_short(page, most):
    assert len((ROOT / page).read_bytes()) <= most


@pytest.mark.parametrize("path", readme.PAGES, ids=lambda path: path.parent.name)
def test_what_a_readme_shows_is_what_the_records_say(path):
    """The states of the claims; of results also all figures, their verdicts, costs, pictures, and
    the numbers of the text."""
    shown = path.read_text(encoding="utf-8")
    assert shown == readme.PAGES[path](), "PYTHONPATH=tests/support python -m readme --write"


def test_every_picture_is_shown():
    for path in REPRODUCED.rglob("*.png"):
        assert f"]({path.name})" in (path.parent / "README.md").read_text(encoding="utf-8")


def test_the_figure_that_contributing_adds(tmp_path, monkeypatch):
    (text,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL
    )
    module = ModuleType("paper_figures.ftune.scaling")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(text, vars(module))
    paper = Paper("ftune", "T", "S", (module.STUDY,))
    options = ["--jobs", "1", "--kernels", "reference", "--out", str(tmp_path)]
    assert cli.main(["ftune.scaling", *options], papers=[paper]) == 0
    record = json.loads((tmp_path / "ftune" / "scaling.json").read_text(encoding="utf-8"))
    assert [(row["how"], row["n"]) for row in record["rows"]] == [
        ("as given", 3),
        ("standardised", 3),
    ]
