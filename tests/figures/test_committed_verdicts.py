"""The committed results of the five papers, judged: what the rules say is true of the records, and
how many rows have each verdict, so that a change shows; and that each claim that fails or is open
names an experiment.

How rows are judged is in test_verdicts.py, how rules are refused in test_verdict_rules.py.
"""

import json
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest

import paper_figures
from paper_figures import judge, verdict
from paper_figures.gallery.html import with_links
from paper_figures.registry import PAPERS, load_papers
from paper_figures.study import PUBLISHED
from paper_figures.verdict.check import problems
from paper_figures.verdict.rules import load

REPRODUCED = Path(paper_figures.__file__).parent / "reproduced"


@lru_cache
def records(paper):
    files = sorted((REPRODUCED / paper).glob("*.json"))
    read = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    return {record["figure"]: record for record in read if "rows" in record}


@lru_cache
def judged(paper, figure):
    return verdict.judge(records(paper)[figure])


@pytest.mark.parametrize("paper", PAPERS)
def test_rules_and_explanations_are_true_of_the_committed_records(paper):
    assert (PUBLISHED / paper / "verdicts.toml").is_file()
    assert problems(paper, load(paper), records(paper)) == []


@pytest.mark.parametrize("paper", PAPERS)
def test_what_fails_or_is_open_names_the_experiment_that_settles_it(paper):
    entries = {f"{room.name}.{figure.name}" for room in load_papers() for figure in room.figures}
    for item in judge.decide(paper, records(paper)):
        if item.state in (judge.FAILS, judge.OPEN):
            assert "<a href" in with_links(item.claim.settle, paper, entries), item.claim.id


def test_no_two_explanations_have_the_same_id():
    for paper in PAPERS:
        ids = [explanation.id for explanation in load(paper).explanations]
        assert len(set(ids)) == len(ids)


COMPARED = {  # (same, better, worse, different), and how many of these are open
    "boosted_distance.distances": (8, 1, 7, 0, 8),
    "boosted_distance.figure3": (0, 0, 0, 1, 1),
    "boosted_distance.table1": (24, 0, 0, 2, 2),
    "boosted_distance.table2": (31, 9, 8, 4, 19),
    "boostmap.costs": (0, 6, 0, 4, 10),
    "boostmap.table1": (0, 24, 0, 0, 24),
    "boostmap.table2": (0, 24, 0, 0, 24),
    "boostmap.table3": (4, 0, 0, 0, 0),
    "lmnn.figure5": (7, 0, 17, 0, 14),
    "lmnn.table1": (11, 0, 2, 4, 6),
    "lmnn.training_gain": (0, 0, 2, 0, 2),
    "ftune.table1": (15, 0, 3, 0, 3),
    "ftune.table2": (37, 50, 9, 0, 59),
}


def test_compared_rows_of_each_figure():
    found = {}
    for paper in PAPERS:
        for figure in records(paper):
            states = verdict.count(judged(paper, figure))
            counts = tuple(states[state] for state in (verdict.SAME, *verdict.DIFFERING))
            if sum(counts):
                n_open = sum(map(verdict.is_open, judged(paper, figure)))
                found[f"{paper}.{figure}"] = (*counts, n_open)
    assert found == COMPARED


@pytest.mark.parametrize("measure, state", [("test error (%)", "not comparable")])
def test_numbers_of_table_1_at_the_small_scale(measure, state):
    """The paper has no such number at any scale, or it has one of its own images."""
    keys = {"N": 600, "images": "as they are", "measure": measure}
    row = {**keys, "published": None, "ours": 5.4, "error": None, "n": 1}
    record = {"paper": "lmnn", "figure": "table1", "scale": "small", "rows": [row]}
    assert [said.state for said in verdict.judge(record)] == [state]


OTHERS = {
    "boosted_distance": {
        "not comparable": 9,
        "curve not available as numbers": 390,
        "beyond the paper": 337,
        "not available": 12,
    },
    "boostmap": {
        "not comparable": 3,
        "curve not available as numbers": 442,
        "beyond the paper": 475,
    },
    "search_forest": {
        "not comparable": 15,
        "curve not available as numbers": 253,
        "beyond the paper": 312,
    },
    "lmnn": {"not comparable": 16, "curve not available as numbers": 584, "beyond the paper": 717},
    "ftune": {"curve not available as numbers": 155, "beyond the paper": 618, "not available": 30},
}


@pytest.mark.parametrize("paper", PAPERS)
def test_rows_that_are_not_compared(paper):
    total = Counter()
    for figure in records(paper):
        total += verdict.count(judged(paper, figure))
    compared = (verdict.SAME, *verdict.DIFFERING)
    assert {state: n for state, n in total.items() if state not in compared} == OTHERS[paper]
