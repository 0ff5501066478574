"""The index of the README points to functions, tests and figures that exist."""

import importlib
import json
import re
from pathlib import Path

from paper_figures.registry import load_papers

ROOT = Path(__file__).resolve().parent.parent
REPRODUCED = ROOT / "paper_figures" / "reproduced"
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_functions_and_tests_of_the_index_exist():
    rows = re.findall(r"^\|[^|]+\|[^|]+\| `([\w.]+)` \| `([\w./]+)` \|$", TEXT, flags=re.MULTILINE)
    assert len(rows) >= 8
    for function, test in rows:
        module, name = function.rsplit(".", 1)
        assert callable(getattr(importlib.import_module(module), name))
        assert (ROOT / test).is_file()


def test_every_figure_is_named():
    for paper in load_papers():
        for figure in paper.figures:
            assert f"`.{figure.name}`" in TEXT or f"`{paper.name}.{figure.name}`" in TEXT


def test_published_against_reproduced_is_what_the_files_hold():
    record = json.loads((REPRODUCED / "boosted_distance" / "table2.json").read_text(encoding="utf-8"))
    wanted = {"NN, best of eight distances": 0, "AdaBoost, stumps": 1, "Boosted Distance": 2}
    rows = {}
    for row in record["rows"]:
        if row["method"] in wanted:
            ours = "not available" if row["ours"] is None else f"{row['ours']:.2f}"
            rows.setdefault(row["data_set"], ["", "", ""])[wanted[row["method"]]] = f"{row['published']:.2f} / {ours}"
    assert len(rows) == 15
    for name, cells in rows.items():
        assert f"| {name} | {' | '.join(cells)} |" in TEXT


def test_pictures_and_files_that_the_readme_names_exist():
    for target in re.findall(r"\]\(([\w./-]+)\)", TEXT):
        assert (ROOT / target).exists(), target
