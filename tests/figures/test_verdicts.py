"""Verdicts of hand-made rows: each state, both sides, errors worked out by hand, at their borders.

Not here: how rules are read and held against records
(test_verdict_rules.py), the verdicts of the committed results (test_committed_verdicts.py), the
validation of rows (test_figures_store.py).
"""

from collections import Counter

import pytest

from paper_figures import verdict
from paper_figures.verdict.rules import parse

NO_RULES = parse("p", {})


def row(published, ours, std=None, n=1, **more):
    """A row of a mean of n runs with this standard deviation."""
    error = None if std is None else std / n**0.5
    return {"published": published, "ours": ours, "error": error, "n": n} | more


def rules(*tables, explanations=()):
    """Return the rules of the figure ``table1``."""
    of_figure = [{"figure": "table1"} | table for table in tables]
    return parse("p", {"rule": of_figure, "explanation": list(explanations)})


def judge(line, *tables, scale="paper", explanations=()):
    """Return the verdict of one row."""
    record = {"paper": "p", "figure": "table1", "scale": scale, "rows": [line]}
    (said,) = verdict.judge(record, rules(*tables, explanations=explanations))
    return said


def test_the_states():
    assert verdict.STATES == (
        "same",
        "better",
        "worse",
        "different",
        "not comparable",
        "read off",
        "curve not available as numbers",
        "beyond the paper",
        "not available",
    )


# ------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    "line, rule, expected",
    [
        (row(1.0, 2.0), {}, None),
        # the mean of 16 runs: 4 / sqrt(16)
        (row(1.0, 2.0, 4.0, 16), {}, 1.0),
        # the same protocol: sqrt(1/16 + 1/16) and sqrt(1/16 + 1/9) times 4
        (row(1.0, 2.0, 4.0, 16), {"runs": 16}, 2**0.5),
        (row(1.0, 2.0, 4.0, 16), {"runs": 9}, 5 / 3),
        (row(1.0, 1.0, 0.0, 16), {"runs": 16}, 0.0),
        # shares of 1000 points: sqrt((0.2 0.8 + 0.1 0.9) / 1000)
        (row(0.2, 0.1), {"points": 1000}, 0.25**0.5 / 1000**0.5),
        (row(20.0, 10.0), {"points": 1000, "per_cent": True}, 100 * 0.25**0.5 / 1000**0.5),
        (row(0.0, 1.0), {"points": 10}, 0.0),
        # a mean over runs has its own error; the printed share has that of its points:
        # 4^2 / 16 + 0.2 0.8 / 1000
        (row(0.2, 0.1, 4.0, 16), {"points": 1000}, 1.00016**0.5),
        # unless the paper ran as often: its error is ours, 4^2 (1 / 16 + 1 / 9)
        (row(0.2, 0.1, 4.0, 16), {"points": 1000, "runs": 9}, 5 / 3),
    ],
)
def test_the_error_of_a_difference(line, rule, expected):
    said = judge(line, rule)
    assert said.error == (None if expected is None else pytest.approx(expected, rel=1e-12))
    assert said.difference == line["ours"] - line["published"]


@pytest.mark.parametrize(
    "line, rule, same",
    [
        # no error: equal, but for decimals that binary numbers cannot hold
        (row(0.3, 0.1 + 0.2), {}, True),
        (row(1.0, 1.0 + 0.9e-9), {}, True),
        (row(1.0, 1.0 + 1.1e-9), {}, False),
        (row(-1000.0, -1000.0 - 0.9e-6), {}, True),
        (row(1000.0, 1000.0 + 1.1e-6), {}, False),
        (row(0.0, -1.1e-9), {}, False),
        # the rounding of the print, of the rule or of the row; the row's wins
        (row(1.5, 1.55), {"rounding": 0.05}, True),
        (row(1.5, 1.4499), {"rounding": 0.05}, False),
        (row(1.5, 1.45, tolerance=0.05), {}, True),
        (row(1.5, 1.5501, tolerance=0.05), {"rounding": 9.0}, False),
        # two standard errors of 1: 4 / sqrt(16)
        (row(10.0, 12.0, 4.0, 16), {}, True),
        (row(10.0, 8.0, 4.0, 16), {}, True),
        (row(10.0, 12.001, 4.0, 16), {}, False),
        (row(10.0, 7.999, 4.0, 16), {}, False),
        # of sqrt(2) in the same protocol: 2.8284
        (row(10.0, 12.828, 4.0, 16), {"runs": 16}, True),
        (row(10.0, 12.829, 4.0, 16), {"runs": 16}, False),
        # error and rounding add up
        (row(10.0, 12.5, 4.0, 16), {"rounding": 0.5}, True),
        (row(10.0, 12.501, 4.0, 16), {"rounding": 0.5}, False),
        # 463 and 500 of 10,000 misclassified: 2 sqrt((.0463 .9537 + .05 .95) / 10,000) = 0.606 %
        (row(4.63, 5.0), {"points": 10_000, "per_cent": True}, True),
        (row(4.63, 5.25), {"points": 10_000, "per_cent": True}, False),
    ],
)
def test_the_border_of_same(line, rule, same):
    assert judge(line, rule).state == ("same" if same else "different")


def test_shares_that_are_none_are_refused():
    for line in (row(4.63, 0.5), row(0.5, 4.63), row(-0.1, 0.5)):
        with pytest.raises(ValueError, match="shares must be from 0 to 1; got"):
            judge(line, {"points": 10_000})
    assert judge(row(100.0, 0.0), {"points": 9, "per_cent": True}).state == "different"


@pytest.mark.parametrize("line", [row(0.1, 0.1), row(0.1, 0.2)])
def test_a_number_without_an_error_says_so(line):
    said = judge(line)
    assert said.error is None and said.note == verdict.NO_ERROR
    assert judge(line, {"points": 10_000}).note == ""
    assert judge(line, {"because": "other rows"}).note == "other rows"


# ------------------------------------------------------------------------------------------- states


@pytest.mark.parametrize(
    "better, below, above",
    [
        ("lower", "better", "worse"),
        ("higher", "worse", "better"),
        ("neither", "different", "different"),
        (None, "different", "different"),
    ],
)
def test_sides(better, below, above):
    rule = {} if better is None else {"better": better}
    assert judge(row(2.0, 1.0), rule).state == below
    assert judge(row(2.0, 3.0), rule).state == above
    assert judge(row(2.0, 2.0), rule).state == "same"


@pytest.mark.parametrize("state", ["not comparable", "read off"])
def test_a_state_that_a_rule_gives(state):
    rule = {"better": "lower", "state": state, "because": "a reason"}
    said = judge(row(2.0, 3.5), rule)
    assert (said.state, said.difference, said.note) == (state, 1.5, "a reason")
    assert not verdict.is_open(said)
    # it is for printed numbers
    assert judge(row(None, 3.5), rule).state == "beyond the paper"


def test_rows_without_a_printed_number():
    curve = "curve not available as numbers"
    assert judge(row(None, 0.0)).state == "beyond the paper"
    assert judge(row(None, 0.0), {"unprinted": curve}).state == curve
    assert judge(row(0.0, 0.0), {"unprinted": curve}).state == "same"  # 0 is a number
    said = judge(row(None, 1.0, 1.0, 4))
    assert said.difference is None and said.error is None


def test_rows_without_ours():
    missing = row(2.0, None, why="no file")
    said = judge(missing, {"state": "not comparable"})
    assert (said.state, said.note, said.difference) == ("not available", "no file", None)
    assert judge(missing, scale="small").state == "not available"


def test_the_small_scale():
    """It has a printed number only where its row is the paper's."""
    assert judge(row(2.0, 2.0), scale="small").state == "same"
    said = judge(row(None, 2.0), scale="small")
    assert (said.state, said.note) == ("not comparable", verdict.SMALL)
    curve = {"unprinted": "curve not available as numbers"}
    assert judge(row(None, 2.0), curve, scale="small").state == "not comparable"
    beyond = {"unprinted": "beyond the paper"}
    assert judge(row(None, 2.0), beyond, scale="small").state == "beyond the paper"


def test_each_row_is_judged_in_order():
    record = {"paper": "p", "figure": "table1", "scale": "paper"}
    record["rows"] = [row(2.0, 1.0), row(1.0, 1.0), row(None, 1.0), row(2.0, 3.0)]
    judged = verdict.judge(record, rules({"better": "lower"}))
    assert [said.state for said in judged] == ["better", "same", "beyond the paper", "worse"]
    expected = Counter({"better": 1, "same": 1, "beyond the paper": 1, "worse": 1})
    assert verdict.count(judged) == expected


def test_a_paper_without_rules_has_plain_verdicts():
    record = {"paper": "nobody", "figure": "f", "scale": "paper", "rows": [row(2.0, 1.0)]}
    assert [said.state for said in verdict.judge(record)] == ["different"]


# ------------------------------------------------------------------------------------- explanations

EXPLAINED = {
    "id": "why",
    "text": "because",
    "experiment": "trials",
    "rows": {"figure": "table1", "set": ["a", "b"]},
    "bind": ["set"],
    "shows": "same",
    "named_by_the_paper": True,
}


@pytest.mark.parametrize(
    "line, rule, is_open, explained",
    [
        (row(2.0, 1.0, set="a"), {"better": "lower"}, False, True),
        (row(2.0, 3.0, set="b"), {"better": "lower"}, False, True),
        (row(2.0, 3.0, set="b"), {}, False, True),
        (row(2.0, 1.0, set="c"), {"better": "lower"}, True, False),  # better is open, too
        (row(2.0, 3.0, set="c"), {"better": "lower"}, True, False),
        (row(2.0, 3.0, set="c"), {}, True, False),
        (row(2.0, 2.0, set="a"), {}, False, False),  # what is the same needs no reason
        (row(2.0, 3.0, set="a"), {"state": "read off"}, False, False),
        (row(2.0, 3.0, set="c", why="an old reason"), {}, True, False),
    ],
)
def test_a_difference_is_open_unless_an_experiment_explains_it(line, rule, is_open, explained):
    said = judge(line, rule, explanations=[EXPLAINED])
    assert verdict.is_open(said) is said.open is is_open
    assert (said.explanation is not None) is explained
    if explained:
        assert (said.explanation.id, said.explanation.experiment) == ("why", "p.trials")


def test_an_experiment_at_the_papers_scale_explains_nothing_at_the_small_one():
    said = judge(row(2.0, 1.0, set="a"), scale="small", explanations=[EXPLAINED])
    assert said.explanation is None and said.open


# -------------------------------------------------------------------------------------------- notes


def test_notes_replace_those_of_the_record_or_follow_them():
    said = [
        {"figure": ["table1", "table2"], "replaces": "It is", "text": "It is\nnot so."},
        {"figure": "table1", "text": "One\nmore."},
        {"figure": "table1", "replaces": "Wrong"},
        {"figure": "table2", "replaces": "Kept"},
    ]
    stored = ["It is so.", "Kept.", "Wrong.", "So."]
    record = {"paper": "p", "figure": "table1", "scale": "paper", "notes": stored}
    known = parse("p", {"note": said})
    assert verdict.notes(record, known) == ["It is not so.", "Kept.", "So.", "One more."]
    assert verdict.notes(record, NO_RULES) == verdict.notes(record) == record["notes"]
    assert verdict.notes(record | {"scale": "small"}, known) == record["notes"]
    (beside,) = verdict.notes(record | {"figure": "table2", "notes": ["Kept.", "Wrong."]}, known)
    assert beside == "Wrong."
