"""How verdicts.toml is read, and what is refused: rules and explanations that fit no record.

The records are made up. That the committed rules fit the committed records is in
test_committed_verdicts.py, the verdicts themselves are in test_verdicts.py.
"""

import pytest

from paper_figures.verdict.check import problems
from paper_figures.verdict.rules import Rule, load, matches, parse

EXPLANATION = {
    "id": "why",
    "text": "because\n",
    "experiment": "trials",
    "rows": {"figure": "table1", "set": "a"},
    "bind": ["set", "size"],
    "shows": "same",
    "named_by_the_paper": True,
}


def row(ours, published=None, error=None, n=1, **keys):
    return keys | {"published": published, "ours": ours, "error": error, "n": n}


def records(table, trials):
    """Return records of the figures ``table1`` and ``trials``."""
    return {
        name: {"paper": "p", "figure": name, "scale": "paper", "rows": rows, "notes": ["It is."]}
        for name, rows in (("table1", table), ("trials", trials))
    }


TABLE = [
    row(5.0, 4.0, set="a", size=6000),
    row(4.0, 4.0, set="a", size=600),
    row(7.0, 4.0, set="b", size=6000),
]
TRIALS = [
    row(4.0, set="a", size=6000, steps=7),
    row(9.0, set="a", size=600, steps=7),
    row(9.0, set="b", size=600, steps=31),
]


def wrong(explanation, table=TABLE, trials=TRIALS, rules=(), more=()):
    content = {"rule": list(rules), "explanation": [EXPLANATION | explanation, *more]}
    return problems("p", parse("p", content), records(table, trials))


# ------------------------------------------------------------------------------------------ reading


def test_patterns():
    line = {"set": "a", "N": 60}
    assert matches(line, {}) and matches(line, {"N": 60}) and matches(line, {"N": [600, 60]})
    assert not matches(line, {"N": 600}) and not matches(line, {"N": 60, "set": "b"})
    assert not matches(line, {"other": "a"})


def test_a_row_takes_the_fields_of_all_its_rules_and_later_rules_win():
    rules = parse(
        "p",
        {
            "rule": [
                {"figure": ["table1", "table2"], "better": "lower", "runs": 100},
                {"figure": "table1", "rows": {"set": "a"}, "runs": 20, "because": "few"},
                {"figure": "table2", "rows": {"set": "b"}, "better": "higher"},
            ]
        },
    )
    assert rules.of("table1", {"set": "a"}) == Rule(
        ("table1",), {}, better="lower", runs=20, because="few"
    )
    assert rules.of("table1", {"set": "b"}) == Rule(("table1",), {}, better="lower", runs=100)
    assert rules.of("table2", {"set": "b"}) == Rule(("table2",), {}, better="higher", runs=100)
    assert rules.of("figure1", {"set": "a"}) == Rule(("figure1",), {})


def test_an_explanation_has_the_rows_of_several_figures():
    rows = [{"figure": ["table1", "table2"], "set": "a"}, {"figure": "figure1", "k": 3}]
    (read,) = parse("p", {"explanation": [EXPLANATION | {"rows": rows}]}).explanations
    assert read.experiment == "p.trials" and read.bind == {"set": "set", "size": "size"}
    assert read.covers("table2", {"set": "a"}) and read.covers("figure1", {"k": 3})
    assert read.text == "because"  # on one line
    assert not read.covers("figure1", {"set": "a"}) and not read.covers("table1", {"k": 3})


@pytest.mark.parametrize("field", ["id", "text", "experiment", "rows", "bind", "shows"])
def test_an_explanation_without_one_of_its_fields_is_refused(field):
    """Above all one without an experiment: a reason that nobody tried is none."""
    for table in (
        {name: value for name, value in EXPLANATION.items() if name != field},
        EXPLANATION | {field: ""},
    ):
        with pytest.raises(ValueError, match=f"must have {field}"):
            parse("p", {"explanation": [table]})


@pytest.mark.parametrize(
    "content, message",
    [
        ({"rules": []}, "a field of verdicts.toml"),
        ({"rule": [{"better": "lower"}]}, "a rule must name its figure"),
        ({"rule": [{"figure": "f", "bettr": "lower"}]}, "a field of a rule"),
        ({"rule": [{"figure": "f", "better": "less"}]}, "better"),
        ({"rule": [{"figure": "f", "state": "fine"}]}, "state"),
        ({"rule": [{"figure": "f", "unprinted": "same"}]}, "unprinted"),
        ({"explanation": [EXPLANATION | {"why": "w"}]}, "a field of an explanation"),
        ({"note": [{"figure": "f"}]}, "a note must have a figure, and text or replaces"),
        ({"note": [{"text": "t"}]}, "a note must have a figure, and text or replaces"),
        ({"note": [{"figure": "f", "text": "a", "by": "b"}]}, "a field of a note"),
        ({"explanation": [EXPLANATION | {"shows": "much"}]}, "shows"),
        ({"explanation": [EXPLANATION | {"rows": {"set": "a"}}]}, "must name their figure"),
    ],
)
def test_unknown_fields_and_values_are_refused(content, message):
    with pytest.raises(ValueError, match=message):
        parse("p", content)


def test_files(tmp_path):
    assert load("nobody", tmp_path).rules == ()
    (tmp_path / "p").mkdir()
    text = '[[rule]]\nfigure = "f"\nrows = {"data set" = ["a", "b"]}\nrounding = 0.5\n'
    (tmp_path / "p" / "verdicts.toml").write_text(text, encoding="utf-8")
    assert load("p", tmp_path).rules == (Rule(("f",), {"data set": ["a", "b"]}, rounding=0.5),)


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "verdicts.toml").write_text("[[rule", encoding="utf-8")
    with pytest.raises(ValueError, match=r"^verdicts\.toml of p must be TOML: "):
        load("p", tmp_path)


# ---------------------------------------------------------------------------------- against records


def test_an_explanation_that_its_experiment_shows():
    assert wrong({}) == []


def test_an_experiment_at_another_size_explains_nothing():
    (said,) = wrong({}, trials=TRIALS[1:])
    assert said == ("explanation why: no row of p.trials is bound to {'set': 'a', 'size': 6000}")
    not_run = [row(None, set="a", size=6000, steps=7)]
    assert wrong({}, trials=not_run) == [said]


def test_only_the_named_rows_of_an_experiment_count():
    trials = [*TRIALS, row(9.0, set="a", size=6000, steps=31)]
    assert wrong({"experiment_rows": {"steps": 7}}, trials=trials) == []
    assert len(wrong({"experiment_rows": {"steps": 31}}, trials=trials)) == 1


def test_an_experiment_that_does_not_show_it():
    other = [row(4.1, set="a", size=6000, steps=7)]
    (said,) = wrong({}, trials=other)
    assert said == ("explanation why: p.trials does not show it for {'set': 'a', 'size': 6000}")


@pytest.mark.parametrize(
    "values, shown",
    [((4.1,), True), ((4.2,), False), ((9.0, 4.1), True), ((3.8,), False), ((3.85,), True)],
)
def test_same_takes_the_errors_of_the_experiment(values, shown):
    """std 0.2 over 16 runs, the paper's 9 runs: 2 sqrt(1/16 + 1/9) 0.2 = 0.167."""
    trials = [row(x, error=0.05, n=16, set="a", size=6000, steps=7) for x in values]
    said = wrong({}, trials=trials, rules=[{"figure": "table1", "runs": 9}])
    assert (said == []) is shown


@pytest.mark.parametrize(
    "values, shown",
    [
        ((3.0,), True),  # ours, 5, is the other end; 4 is printed
        ((4.0,), True),
        ((4.5, 9.0), False),
        ((3.0, 4.5), True),
    ],
)
def test_between(values, shown):
    trials = [row(x, set="a", size=6000, steps=i) for i, x in enumerate(values)]
    assert (wrong({"shows": "between"}, trials=trials) == []) is shown


def tried(*values, published=4.0, ours=7.0):
    """Return a row of set b for each value of the experiment there, all beside the same numbers."""
    table = [row(5.0, 4.0, set="a", size=6000)]
    table += [row(ours, published, set="b", size=size) for size, _ in enumerate(values)]
    trials = [row(4.0, set="a", size=6000)]
    trials += [row(x, set="b", size=size) for size, x in enumerate(values) if x is not None]
    return {"table": table, "trials": trials}


CHECKED = {"named_by_the_paper": False, "checked_on": {"figure": "table1"}}


def test_a_reading_explains_a_row_only_if_the_other_rows_choose_it():
    """The row itself, which the reading has exactly, is left out."""
    assert wrong(CHECKED, **tried(4.0)) == []
    assert wrong(CHECKED, **tried(4.0, 5.0, 11.5)) == []  # 2.83 on average, ours 3
    (said,) = wrong(CHECKED, **tried(4.0, 5.0, 13.0))
    assert said == (
        "explanation why: nearer to the print on 2 of the 3 other rows, on average 3.33 from it, "
        "ours 3, without {'set': 'a', 'size': 6000}"
    )
    (said,) = wrong(CHECKED, **tried(7.0))  # as far as ours
    assert "on 0 of the 1 other rows" in said
    (said,) = wrong(CHECKED, **tried(4.0, 7.1))  # one of two is not most
    assert "on 1 of the 2 other rows, on average 1.55" in said
    assert wrong({}, **tried(10.5)) == []  # the paper names it: nothing is chosen


def test_a_reading_that_was_tried_nowhere_else_explains_nothing():
    for made in (tried(), tried(None), tried(4.0, published=None), tried(4.0, ours=None)):
        (said,) = wrong(CHECKED, **made)
        assert said.startswith("explanation why: was tried on no other row")


def test_a_reading_is_one_row_of_the_experiment():
    """Else each row could have the one of them that is nearest."""
    made = tried(4.0)
    made["trials"].append(row(9.0, set="b", size=0, steps=3))
    (said,) = wrong(CHECKED, **made)
    assert "a row is bound to several of the experiment's" in said


@pytest.mark.parametrize(
    "checked_on, message",
    [
        ({"figure": "table9"}, "explanation why, checked on table9: no such figure"),
        (
            [{"figure": "table1"}, {"figure": "table1", "set": "c"}],
            "explanation why, checked on table1: no row has set = 'c' beside the rest of "
            "{'set': 'c'}",
        ),
        (
            {"figure": "table1", "set": "b"},
            "explanation why: checked_on must hold the covered rows, "
            "without {'set': 'a', 'size': 6000}",
        ),
    ],
)
def test_where_a_reading_was_tried_must_be_there(checked_on, message):
    assert wrong(CHECKED | {"checked_on": checked_on}, **tried(4.0)) == [message]


def test_a_printed_number_between_two_settings_is_so_on_most_rows():
    between = CHECKED | {"shows": "between"}
    assert wrong(between, **tried(3.0, 2.0, 5.0)) == []
    (said,) = wrong(between, **tried(3.0, 5.0))
    assert "lies between on 1 of the 2 other rows only" in said


@pytest.mark.parametrize(
    "change",
    [
        {"named_by_the_paper": False},
        {"named_by_the_paper": False, "checked_on": []},
        {"checked_on": {"figure": "f"}},
    ],
)
def test_a_reading_must_say_where_it_was_tried_unless_the_paper_names_it(change):
    with pytest.raises(ValueError, match="must have checked_on, or else named_by_the_paper = true"):
        parse("p", {"explanation": [EXPLANATION | change]})


def test_the_experiments_number_may_be_another_field_or_an_accuracy():
    trials = [row(1.0, set="a", size=6000, active=4.0)]
    assert len(wrong({}, trials=trials)) == 1
    assert wrong({"number": "active"}, trials=trials) == []
    trials = [row(96.0, set="a", size=6000)]
    assert wrong({"accuracy": True}, trials=trials) == []


def test_keys_may_have_other_names_in_the_experiment():
    trials = [row(4.0, data_set="a", points=6000)]
    bind = {"set": "data_set", "size": "points"}
    assert wrong({"bind": bind}, trials=trials) == []
    (said,) = wrong({"bind": {"sets": "data_set"}}, trials=trials)
    assert said == "explanation why: its rows have no key 'sets'"


@pytest.mark.parametrize(
    "change, message",
    [
        ({"experiment": "trails"}, "explanation why, experiment: no such figure"),
        (
            {"experiment_rows": {"step": 7}},
            "explanation why, experiment: no row has the key 'step'",
        ),
        (
            {"experiment_rows": {"steps": [7, 8]}},
            "explanation why, experiment: no row has steps = 8 beside the rest of "
            "{'steps': [7, 8]}",
        ),
        ({"rows": {"figure": "table9"}}, "explanation why, table9: no such figure"),
        (
            {"rows": {"figure": "table1", "sets": "a"}},
            "explanation why, table1: no row has the key 'sets'",
        ),
        (
            {"rows": {"figure": "table1", "set": ["a", "d"]}},
            "explanation why, table1: no row has set = 'd' beside the rest of {'set': ['a', 'd']}",
        ),
        (
            {"rows": {"figure": "table1", "published": 4.0}},
            "explanation why, table1: no row has the key 'published'",
        ),
        (
            {"rows": {"figure": "table1", "set": "a", "size": 600}},
            "explanation why: explains no row of table1",
        ),
    ],
)
def test_what_an_explanation_names_must_be_there(change, message):
    assert message in wrong(change)


def test_a_row_is_explained_once():
    more = [EXPLANATION | {"id": "also"}]
    assert "why and also explain the same row: {'set': 'a', 'size': 6000}" in wrong({}, more=more)


@pytest.mark.parametrize(
    "rule, message",
    [
        ({"figure": "table9"}, "a rule of table9: no such figure"),
        ({"figure": "table1", "rows": {"N": 6}}, "a rule of table1: no row has the key 'N'"),
        (
            {"figure": "table1", "rows": {"size": 60}},
            "a rule of table1: no row has size = 60 beside the rest of {'size': 60}",
        ),
    ],
)
def test_what_a_rule_names_must_be_there(rule, message):
    assert wrong({}, rules=[rule | {"better": "lower"}]) == [message]


def test_a_note_that_is_replaced_must_be_there():
    def said(figure, begins):
        content = {"note": [{"figure": figure, "replaces": begins}]}
        return problems("p", parse("p", content), records(TABLE, TRIALS))

    assert said("table1", "It") == []
    assert said("table1", "is") == ["a note: no note of table1 begins 'is'"]
    assert said(["trials", "table9"], "It") == ["a note: no note of table9 begins 'It'"]
