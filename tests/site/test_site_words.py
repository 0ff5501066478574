"""Our texts share no run of eight words with a paper's: steps, indexes, claims, pages of results.

The texts are beside the real data sets (REFIMPL_DATA, or ../shared/data), in the folder `papers`;
the tests are skipped where they are not. Formulas have no words.
"""

import os
import re
from pathlib import Path

import pytest

import paper_figures
from paper_figures.site import front, printed, reader, steps

DATA = Path(os.environ.get("REFIMPL_DATA") or Path(__file__).resolve().parents[3] / "shared/data")
TEXTS = sorted((DATA.parent / "papers").glob("*.txt"))
RUN = 8
ROOT = Path(paper_figures.__file__).parents[1]
missing = pytest.mark.skipif(not TEXTS, reason="the papers' texts are not here")


def runs(text):
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {" ".join(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}


def texts(room):
    """Return all sentences that a page of the reader has of its own."""
    written = steps.read(room)
    yield from (step.words for step in written.steps.values())
    yield from (step.rests for step in written.steps.values())
    yield front.ABOUT[room][1]
    yield from (section.words for section in written.sections)
    yield from (section.caption for section in written.sections)
    yield from (reader.INTRODUCTION, reader.SINGLE)


def of_papers():
    return set().union(*(runs(path.read_text("utf-8", "replace")) for path in TEXTS))


@missing
@pytest.mark.parametrize("room", printed.PREFIXES)
def test_steps_share_no_run_of_eight_words_with_a_paper(room):
    theirs = of_papers()
    assert len(theirs) > 20_000
    for text in texts(room):
        assert not runs(text) & theirs, text


@missing
@pytest.mark.parametrize("room", printed.PREFIXES)
def test_indexes_claims_and_results_share_none(room):
    """But for titles, which heads have, and formulas, whose words are letters."""
    theirs = of_papers()
    for path in (
        ROOT / "refimpl" / room / "PAPER.md",
        *sorted((ROOT / "paper_figures" / "published" / room).glob("*.toml")),
        ROOT / "paper_figures" / "reproduced" / room / "README.md",
    ):
        lines = path.read_text("utf-8").splitlines()
        shared = runs("\n".join(line for line in lines if not line.startswith("# "))) & theirs
        assert not [run for run in shared if sum(len(word) > 2 for word in run.split()) > 4], path
