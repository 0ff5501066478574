"""The claims are in our own words: they share no run of eight words with a paper's text.

The texts are beside the real data sets (REFIMPL_DATA, or ../shared/data), in the folder `papers`;
the test is skipped where they are not. Not tested: that a claim says what the paper means.
"""

import os
import re
from pathlib import Path

import pytest
from support.planted_claims import paper_named

from paper_figures import claims
from paper_figures.registry import PAPERS

DATA = Path(os.environ.get("REFIMPL_DATA") or Path(__file__).resolve().parents[3] / "shared/data")
TEXTS = sorted((DATA.parent / "papers").glob("*.txt"))
RUN = 8


def words(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def runs(text):
    listed = words(text)
    return {" ".join(listed[i : i + RUN]) for i in range(len(listed) - RUN + 1)}


def test_runs_of_eight_words():
    text = "One, two: three four-five (six) seven EIGHT nine"
    assert runs(text) == {
        "one two three four five six seven eight",
        "two three four five six seven eight nine",
    }
    assert runs("seven words are not a run here") == set()


@pytest.mark.skipif(not TEXTS, reason="the papers' texts are not here")
@pytest.mark.parametrize("paper", PAPERS)
def test_claims_share_no_run_of_eight_words_with_a_paper(paper):
    printed = set().union(*(runs(path.read_text("utf-8", "replace")) for path in TEXTS))
    assert len(printed) > 20_000
    for claim in claims.load(paper):
        for text in (claim.claim, claim.why, claim.settle):
            assert not runs(text) & printed, claim.id


@pytest.mark.parametrize("paper", PAPERS)
def test_claims_and_rules_of_a_paper_match(paper):
    """Each claim with figures has a rule or a why, each rule a claim; its figures exist."""
    table = claims.rules(paper)
    names = {figure.name for figure in paper_named(paper).figures}
    for claim in claims.load(paper):
        assert set(claim.figures) <= names, claim.id
        assert claim.claim.endswith("."), claim.id
        assert claim.id in table or claim.why or claim.settle, claim.id
