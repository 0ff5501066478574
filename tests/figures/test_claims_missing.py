"""Records that lack rows, numbers or printed numbers: each claim is decided, none raises.

One record of the committed ones is spoilt at a time, whole. Not tested: which state a claim then
has, and records that are not valid, which the store refuses.
"""

from functools import lru_cache

import pytest
from support.planted_claims import committed_records, planted

from paper_figures import claims
from paper_figures.boosted_distance.claims import RULES
from paper_figures.registry import load_papers
from paper_figures.store import NOT_AVAILABLE

PAPERS = [paper.name for paper in load_papers()]
ABSENT = {"ours": None, "std": None, "status": NOT_AVAILABLE, "why": "no file"}
SPOILT = {"absent": ABSENT, "alone": {"published": None}, "once": {"std": None}}
read = lru_cache(committed_records)


def named(paper):
    """The figures with a record that a claim of the paper names."""
    return read(paper).keys() & {name for claim in claims.load(paper) for name in claim.figures}


def decided_of(paper, figure, rows):
    """The states of the claims that name a figure, which has these rows."""
    records = {**read(paper), figure: {**read(paper)[figure], "rows": rows}}
    table = claims.rules(paper)
    naming = [claim for claim in claims.load(paper) if figure in claim.figures]
    return {claims.decide_claim(item, table.get(item.id), records).state for item in naming}


@pytest.mark.parametrize("change", SPOILT.values(), ids=SPOILT)
@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_is_decided_without_a_figures_numbers(paper, change):
    for figure in named(paper):
        rows = [row | change for row in read(paper)[figure]["rows"]]
        assert decided_of(paper, figure, rows) <= set(claims.STATES)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_is_decided_without_a_figures_rows(paper):
    for figure in named(paper):
        assert decided_of(paper, figure, []) <= set(claims.STATES)


@pytest.mark.parametrize(
    "claim, figure, change, words",
    [
        ("best-distances-named", "distances", {"published": None}, "named distance of MNIST"),
        ("figure3-reductions", "figure3", ABSENT, "figure3 has no number for MNIST"),
        ("few-dimensions", "figure3", {"used": 1000.0}, "a tenth of the dimensions of MNIST"),
        ("mean-improvement", "table2", {"ours": 0.0}, "MNIST, AdaBoost, stumps is 0"),
    ],
)
def test_what_boosted_distance_misses_is_named(claim, figure, change, words):
    records = planted(read("boosted_distance"), figure, change)
    of_claim = {item.id: item for item in claims.load("boosted_distance")}[claim]
    decided = claims.decide_claim(of_claim, RULES[claim], records)
    assert decided.state == claims.OPEN
    assert words in decided.because
