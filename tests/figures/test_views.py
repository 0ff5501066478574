"""Each view makes of planted observations the rows, notes and lines that were accepted last."""

import json

from tests.gate.__main__ import EXPECTED, differences
from tests.gate.views import views


def test_rows_notes_and_lines_of_planted_observations():
    """If a difference is meant: make gate ARGS="views --accept"."""
    was = json.loads((EXPECTED / "views.json").read_text(encoding="utf-8"))
    assert differences("views", was, json.loads(json.dumps(views()))) == []
