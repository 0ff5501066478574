"""The index of the README points to functions, tests and figures that exist."""

import importlib
import re
from pathlib import Path

from paper_figures.registry import load_papers

ROOT = Path(__file__).resolve().parent.parent
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
