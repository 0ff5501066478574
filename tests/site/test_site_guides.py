"""The examples of the site's guides run, and give what they say.

Not tested: guides whose examples need a database server or a cluster; they have none that run.
"""

import doctest
from pathlib import Path

import pytest

GUIDES = sorted(
    (Path(__file__).resolve().parents[2] / "paper_figures/site/source/guides").glob("*.rst")
)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.stem)
def test_the_examples_of_a_guide(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(path), module_relative=False, optionflags=FLAGS)
    assert failed == 0
    assert tried > 0 or path.stem in ("index", "reproduce")
