"""The table of changes chosen by hand fits the code: each text stands in its file once, and each
test exists. `python -m tests.mutants` shows that the tests notice the changes.
"""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHANGES = tomllib.loads(Path(__file__).with_name("by_hand.toml").read_text())["change"]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change["name"])
def test_a_change_can_be_made_and_has_tests(change):
    assert (ROOT / change["file"]).read_text().count(change["text"]) == 1
    assert change["by"] != change["text"] and change["tests"]
    for test in change["tests"]:
        file, _, name = test.partition("[")[0].partition("::")
        assert f"def {name}(" in (ROOT / file).read_text() if name else (ROOT / file).exists()
