"""Verdicts of made-up rows, errors worked out by hand; verdicts.toml, held against the records."""

import json
import math
from functools import lru_cache
from pathlib import Path

import pytest
from explained import problems
from test_judge_files import WHY

import paper_figures
from paper_figures import judge
from paper_figures.gallery.texts import with_links
from paper_figures.judge import verdicts
from paper_figures.judge.verdicts import load_rules, parse_rules, sure
from paper_figures.registry import PAPERS, load_papers
from paper_figures.rows import PUBLISHED, points_error

REPRODUCED = Path(paper_figures.__file__).parent / "reproduced"
T9 = sure(8)  # standard errors that count with nine runs


def row(published, ours, error=None, n=1, **more):
    return {"published": published, "ours": ours, "error": error, "n": n} | more


def record(*rows, **more):
    return {"paper": "p", "figure": "table1", "scale": "paper", "notes": [], "rows": rows} | more


def said(line, text="", **more):
    """Return the verdict of one row; the text is the fields of a rule of its figure."""
    rules = text if "[[" in text else f'[[rule]]\nfigure = "table1"\n{text}'
    return verdicts.judge(record(line, **more), parse_rules("p", rules))[0]


# ------------------------------------------------------------------------------------------- errors


def test_the_error_of_a_difference_has_that_of_the_published_share():
    line = row(20.0, 10.0, 3.0, 1)
    error = verdicts.error_of_difference(line, {"points": 100})
    assert error == pytest.approx(math.hypot(3.0, points_error(20.0, 100)))


def test_the_error_of_a_percentage_of_points():
    share = 21 / 102  # (hits + 1) / (points + 2)
    assert points_error(20.0, 100) == pytest.approx(100 * math.sqrt(share * (1 - share) / 100))
    assert points_error(0.0, 100) > 0.0


@pytest.mark.parametrize(
    "line, rule, state",
    [
        (row(2.0, 2.0), "", "same"),
        (row(2.0, 2.1), "", "different"),  # an unknown error allows nothing
        (row(2.0, 2.04), "rounding = 0.05", "same"),
        (row(2.0, 2.06), "rounding = 0.05", "different"),
        (row(2.0, 2.04, tolerance=0.01), "rounding = 0.05", "different"),
        (row(2.0, 2.0 + 0.99 * T9, 1.0, 9), "", "same"),
        (row(2.0, 2.0 - 0.99 * T9, 1.0, 9), "", "same"),
        (row(2.0, 2.0 + 1.01 * T9, 1.0, 9), "", "different"),
        (row(2.0, 2.0 - 1.01 * T9, 1.0, 9), 'better = "lower"', "better"),
        (row(2.0, 2.0 + 1.01 * T9, 1.0, 9), 'better = "lower"', "worse"),
        (row(2.0, 2.0 - 1.01 * T9, 1.0, 9), 'better = "higher"', "worse"),
        (row(2.0, 2.0 + 1.01 * T9, 1.0, 9), 'better = "higher"', "better"),
        (row(2.0, 9.0, 1.0, 9), 'better = "neither"', "different"),
        (row(2.0, 9.0, 1.0, 9), 'state = "not comparable"', "not comparable"),
        (row(2.0, 9.0), 'state = "read off"', "read off"),
        (row(None, 9.0), "", "beyond the paper"),
        (row(None, 9.0), 'unprinted = "curve not available as numbers"', verdicts.NO_CURVE),
        (row(2.0, None, None, 0, why="licensed"), "", "not available"),
    ],
)
def test_the_states(line, rule, state):
    assert said(line, rule).state == state
    assert state in verdicts.STATES


def test_a_verdict_has_the_difference_and_its_notes():
    one = said(row(2.0, 3.0, 0.1, 9), 'because = "so"')
    assert (one.difference, one.error, one.note, one.open) == (1.0, 0.1, "so", True)
    assert said(row(2.0, 3.0), 'because = "so"').note == f"so; {verdicts.NO_ERROR}"
    assert said(row(2.0, None, None, 0, why="licensed")).note == "licensed"


def test_the_small_scale_is_compared_where_the_paper_has_the_number():
    small = {"scale": "small"}
    assert said(row(None, 2.0), **small) == verdicts.Verdict("not comparable", note=verdicts.SMALL)
    beyond = said(row(None, 2.0), 'unprinted = "beyond the paper"', **small)
    assert beyond.state == "beyond the paper"
    assert said(row(3.0, 2.0, set="a"), WHY, **small).explanation is None


def test_an_explanation_closes_what_differs():
    assert said(row(2.0, 3.0, 0.1, 9, set="a"), WHY).explanation.experiment == "p.trials"
    assert not said(row(2.0, 3.0, 0.1, 9, set="a"), WHY).open
    assert said(row(2.0, 3.0, 0.1, 9, set="c"), WHY).open
    assert said(row(2.0, 2.0, 0.1, 9, set="a"), WHY).explanation is None


def test_later_rules_win():
    text = """
[[rule]]
figure = ["table1", "table2"]
better = "lower"
runs = 100
[[rule]]
figure = "table1"
rows = { set = ["a", "c"] }
runs = 20
"""
    rules = parse_rules("p", text)
    assert rules.of("table1", {"set": "a"}) == dict(better="lower", runs=20)
    assert rules.of("table1", {"set": "b"}) == dict(better="lower", runs=100)
    assert rules.of("figure1", {"set": "a"}) == dict()


def test_notes_replace_those_of_the_record_or_follow_them():
    text = """
[[note]]
figure = "table1"
replaces = "It was"
text = "It
is."
[[note]]
figure = "table1"
text = "More."
[[note]]
figure = "table1"
replaces = "Gone"
[[note]]
figure = "table2"
text = "Not here."
""".replace('"It\nis."', '"""It\nis."""')
    stored = {"notes": ["It was so.", "Kept.", "Gone."]}
    rules = parse_rules("p", text)
    assert verdicts.notes(record(**stored), rules) == ["It is.", "Kept.", "More."]
    assert verdicts.notes(record(scale="small", **stored), rules) == stored["notes"]


# ------------------------------------------------------------------------------ against the records

CHECKED = WHY.replace("named_by_the_paper = true", 'checked_on = { figure = "table1" }')
TABLE = [row(4.0, 5.0, 0.1, 9, set=name) for name in "abcd"]


def wrong(text, *trials):
    trials = [row(None, x, 0.1, 9, set=name) for name, x in zip("abcd", trials, strict=False)]
    records = {"table1": record(*TABLE), "trials": record(*trials, figure="trials")}
    return problems("p", parse_rules("p", text), records)


@pytest.mark.parametrize(
    "text, trials, message",
    [
        (WHY, [4.1, 4.1], ""),
        (WHY, [4.1, 4.4], "explanation why: not shown for {'set': 'b'}"),
        (WHY, [4.1], "explanation why: no row is bound to {'set': 'b'}"),
        (WHY.replace('"same"', '"between"'), [3.9, 2.0], ""),
        (WHY.replace('"same"', '"between"'), [3.9, 4.1], "not shown for {'set': 'b'}"),
        (WHY.replace('"b"', '"z"'), [4.1], "no row of table1 has set = 'z'"),
        (WHY.replace('"trials"', '"trial"'), [4.1], "no figure trial"),
        (WHY + WHY.replace('"why"', '"also"'), [4.1, 4.1], "why and also explain the same row"),
        (CHECKED, [4.1, 4.1, 4.2, 4.2], ""),
        (CHECKED, [4.1, 4.1, 6.0, 6.0], "true of 1 of the 3 other rows"),
        ('[[rule]]\nfigure = "table9"', [], "a rule: no figure table9"),
        ('[[note]]\nfigure = "table1"\nreplaces = "It"', [], "no note of table1 begins 'It'"),
    ],
)
def test_what_is_not_true_of_the_records_is_said(text, trials, message):
    found = wrong(text, *trials)
    assert any(message in line for line in found) if message else found == []


@lru_cache
def records(paper):
    files = sorted((REPRODUCED / paper).glob("*.json"))
    read = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    return {one["figure"]: one for one in read if "rows" in one}


@pytest.mark.parametrize("paper", PAPERS)
def test_rules_and_explanations_are_true_of_the_committed_records(paper):
    assert (PUBLISHED / paper / "verdicts.toml").is_file()
    assert problems(paper, load_rules(paper), records(paper)) == []


@pytest.mark.parametrize("paper", PAPERS)
def test_what_fails_or_is_open_names_the_experiment_that_settles_it(paper):
    entries = {f"{room.name}.{figure.name}" for room in load_papers() for figure in room.figures}
    for item in judge.decide(paper, records(paper)):
        if item.state in (judge.FAILS, judge.OPEN):
            assert "<a href" in with_links(item.claim.settle, paper, entries), item.claim.id
