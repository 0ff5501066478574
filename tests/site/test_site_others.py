"""The page "Other implementations" and its committed record.

Not tested here: how the record is made (tests/others), the built page (test_site_pages.py).
"""

import re

import pytest

from paper_figures.site import others
from tests.others import __main__ as command
from tests.others import environments, judging
from tests.others.cases import SEED
from tests.others.table import LIBRARIES

RECORD = others.read()
OUTCOMES = (
    *(judging.SAME, judging.STOPS_EARLY, judging.APPROXIMATE, judging.OTHER_CONVENTION),
    *(judging.DIFFERS, judging.NOT_AVAILABLE),
)
ITEM = {
    "variant": "stump",
    "call": "Stump(depth<1)",
    "subject": "best_stump",
    "outcome": "other convention",
    "cases": 3,
    "skipped": 1,
    "skips": "no k = 0",
    "kinds": {"wrong": 2},
    "facts": {"excess": 0.5},
    "convention": "Splits are by Gini.",
    "documented": "Stump: criterion",
    "converts": "",
    "first": {"id": "best_stump/1", "flags": ["ties"], "words": "f: 0 expected; got 1 & 2"},
}
SAME = {**ITEM, "variant": "error", "call": "Stump(error)", "outcome": "same", "converts": "stump"}
SAME |= {"kinds": {}, "convention": "", "documented": "", "first": None}


def made_up(**changes):
    library = {"name": "made-up", "versions": {"made-up": "1.2"}, "why": "", "items": [ITEM, SAME]}
    return {"vectors": {"version": 1}, "libraries": [{**library, **changes}]}


def test_a_finding_is_shown_with_its_conversion():
    page = "\n".join(others.page(made_up()))
    assert '<h3 id="made-up-stump"><code>Stump(depth&lt;1)</code></h3>' in page
    assert "<strong>Other convention</strong>" in page
    assert "3 cases, 1 skipped (no k = 0); wrong: 2. Excess: 0.5." in page
    assert "Splits are by Gini. (Stump: criterion)" in page
    assert 'With <code>Stump(error)</code>: <a href="#made-up-error">same</a>.' in page
    assert "best_stump/1 (ties): f: 0 expected; got 1 &amp; 2" in page


def test_a_library_that_is_not_available_is_shown_with_the_reason():
    page = "\n".join(others.page(made_up(items=[], versions={}, why="ERROR: no <wheel>")))
    assert "<td>made-up</td><td>not available</td>" in page
    assert "Not available: <code>ERROR: no &lt;wheel&gt;</code>" in page


def test_the_record_is_machine_written_from_the_present_vectors():
    assert others.RECORD.read_text(encoding="utf-8") == others.text(RECORD)
    assert RECORD["vectors"] == command.vectors(), "run `python -m tests.others`"
    assert RECORD["seed"] == SEED


def test_the_record_is_of_the_present_table():
    listed = [library["name"] for library in RECORD["libraries"]]
    assert listed == [library.name for library in LIBRARIES]
    for said, library in zip(RECORD["libraries"], LIBRARIES, strict=True):
        if not said["items"]:
            assert said["why"]
            continue
        assert said["versions"] == environments.pinned(library.name)
        assert [item["variant"] for item in said["items"]] == [one.variant for one in library.items]
        for item, one in zip(said["items"], library.items, strict=True):
            assert (item["call"], item["subject"]) == (one.call, one.subject)
            convention = one.convention.words if one.convention else ""
            assert item["convention"] in ("", convention)


@pytest.mark.parametrize("library", RECORD["libraries"], ids=lambda library: library["name"])
def test_every_finding_has_a_case(library):
    for item in library["items"]:
        assert item["outcome"] in OUTCOMES
        if item["outcome"] in (*judging.BY_CONVENTION, judging.DIFFERS):
            assert item["first"]["words"] or item["subject"] == "neighbors"
        if item["outcome"] in judging.BY_CONVENTION:
            assert item["convention"]
        assert bool(item["skipped"]) == bool(item["skips"])


def test_the_ids_of_the_page_are_unique():
    ids = re.findall(r'id="([^"]*)"', "\n".join(others.page(RECORD)))
    assert len(set(ids)) == len(ids) == sum(len(one["items"]) for one in RECORD["libraries"])
