"""What is made of planted observations and records is what was accepted last."""

import json

import pytest

from tests.gate.__main__ import EXPECTED, SECTIONS, differences


@pytest.mark.parametrize("section", ["views", "pages"])
def test_rows_pictures_and_pages(section):
    """If a difference is meant: make gate ARGS="views pages --accept"."""
    was = json.loads((EXPECTED / f"{section}.json").read_text(encoding="utf-8"))
    assert differences(section, was, json.loads(json.dumps(SECTIONS[section]()))) == []
