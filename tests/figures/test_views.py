"""What the gate compares is what was accepted last: what is made of planted observations and
records, what the committed records show (verdicts; states, cells and reasons of claims), what the
site's demos show, and public names, parameters and defaults. A change of a default changes the
results of those who name none.
"""

import json

import pytest

from tests.gate.__main__ import EXPECTED, SECTIONS, differences


@pytest.mark.parametrize("section", ["views", "pages", "verdicts", "claims", "names", "demos"])
def test_rows_pictures_and_pages(section):
    """If a difference is meant: make gate ARGS="views pages --accept"."""
    was = json.loads((EXPECTED / f"{section}.json").read_text(encoding="utf-8"))
    assert differences(section, was, json.loads(json.dumps(SECTIONS[section]()))) == []
