"""The steps are in our own words: they share no run of eight words with a paper's text.

The texts are beside the real data sets (REFIMPL_DATA, or ../shared/data), in the folder `papers`;
the test is skipped where they are not. Formulas have no words.
"""

import os
import re
from pathlib import Path

import pytest

from paper_figures.site import examples, front, printed, reader, steps

DATA = Path(os.environ.get("REFIMPL_DATA") or Path(__file__).resolve().parents[3] / "shared/data")
TEXTS = sorted((DATA.parent / "papers").glob("*.txt"))
RUN = 8


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
    yield from (example.caption for example in examples.load(room).values())
    yield from (reader.INTRODUCTION, reader.SINGLE)


@pytest.mark.skipif(not TEXTS, reason="the papers' texts are not here")
@pytest.mark.parametrize("room", printed.PREFIXES)
def test_steps_share_no_run_of_eight_words_with_a_paper(room):
    of_papers = set().union(*(runs(path.read_text("utf-8", "replace")) for path in TEXTS))
    assert len(of_papers) > 20_000
    for text in texts(room):
        assert not runs(text) & of_papers, text
