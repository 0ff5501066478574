"""The tasks and reductions of FTUNE's figures, at sizes that take seconds."""

import numpy as np
import pytest
from figure_runs import require_missing_is_said, require_rows, run, run_all
from scipy.stats import ttest_ind

from paper_figures.ftune import figures, pairs, readings, results, tasks
from paper_figures.registry import Context, Result
from refimpl.ftune import FTuneOptions, bbs

pytest.importorskip("refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError)
WINE = {"data_set": "wine", "d": 6}
PARAMS = {
    "table1": [
        ("accuracies", WINE | {"preparation": "cityblock", "run": run, "methods": figures.FIVE})
        for run in (0, 1)
    ],
    "figure1": [
        ("accuracies", WINE | {"preparation": "cityblock", "run": 0, "methods": figures.FIVE})
    ],
    "table2": [
        ("accuracies", WINE | {"preparation": "standardised", "run": run, "methods": figures.FOUR})
        for run in (0, 1)
    ],
    "figure2": [
        ("accuracies", WINE | {"preparation": "-1 to 1", "run": 0, "methods": figures.FOUR})
    ],
    "beyond": [
        ("accuracies", WINE | {"preparation": "cityblock", "run": 0, "methods": figures.FIVE}),
        ("peers", WINE | {"preparation": "cityblock", "run": 0}),
    ],
}
OPEN = {
    "readings": [
        ("readings", WINE | {"preparation": "standardised", "run": 0}),
        ("boosting", WINE | {"preparation": "standardised", "run": 0}),
        ("matrix_readings", WINE | {"preparation": "cityblock", "run": 0}),
    ],
    "penalty": [("penalty", WINE | {"preparation": "standardised", "run": 0})],
}


@pytest.fixture(scope="module")
def found():
    fresh = {
        "pairs": [("pairs", WINE | {"preparation": "standardised", "run": run}) for run in (0, 1)]
    }
    return run_all(tasks, PARAMS) | run_all(readings, OPEN) | run_all(pairs, fresh)


def test_every_figure_gathers_rows(found):
    require_rows(figures.PAPER, found, lambda ours: 0.3 < ours <= 1)


def test_divided_features_are_a_stronger_penalty():
    """What `penalty` relies on: the classifier of K / s and C is that of K and C / s^2, with s for
    the constant.
    """
    rng = np.random.default_rng(0)
    s = 7.0
    X = rng.normal(size=(60, 4))
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 8)
    y = (X[:, 0] + 0.5 * rng.normal(size=60) > 0).astype(int)
    one = bbs(K / s, y, np.arange(9), options=FTuneOptions(C=5.0))
    two = bbs(K, y, np.arange(9), options=FTuneOptions(C=5.0 / s**2, bias=s))
    np.testing.assert_allclose(
        one.decision(K[:, :9] / s), two.decision(K[:, :9]), rtol=0, atol=2e-3
    )


def test_reasons_go_by_what_differs():
    assert results.why_different("aural-sonar", "BBS", 0.8, 0.9, False) == results.SMALL
    assert results.why_different("letters", "DBOOST", 0.8, 0.9, True) == results.WHY["DBOOST"]
    assert results.why_different("letters", "BBS", 0.8, 0.9, True) == results.WHY["above"]
    assert results.why_different("letters", "FTUNE-S", 0.8, 0.9, True) == results.WHY["fresh"]
    assert results.why_different("letters", "FTUNE-S", 0.8, 0.7, True) is None  # open
    assert results.why_different("voting", "BBS", 0.8, 0.7, False) == results.WHY["linear"]


def test_what_is_missing_is_said():
    require_missing_is_said(figures.PAPER.figures)


def test_kernels_give_the_same_figures():
    for name, params in (PARAMS["table1"][0], PARAMS["table2"][0]):
        slow = run(tasks, name, params, "reference").value
        fast = run(tasks, name, params, "fast").value
        assert slow["accuracies"] == fast["accuracies"]
        assert all((slow["chosen"][key] == fast["chosen"][key]).all() for key in slow["chosen"])


def test_methods_of_a_run_share_its_split(found):
    value = found["table1"][0].value
    assert set(value["accuracies"]) == set(figures.FIVE) and value["n"] == round(0.7 * 178)
    assert found["table2"][0].value["n"] == round(0.5 * 178)
    assert found["figure1"][0].value["accuracies"] == value["accuracies"]


def test_fresh_pairs_cost_more_look_ups_and_the_others_are_those_of_table_2(found):
    value = found["pairs"][0].value
    assert (
        value["compared"]["of d landmarks"] == 6 < value["compared"]["fresh for each class"] <= 36
    )
    ours = {
        (method, of): accuracy
        for method, of, divided, accuracy in value["accuracies"]
        if divided == "1"
    }
    table, compared = (found["table2"][0].value[name] for name in ("accuracies", "compared"))
    assert compared == {"BBS": 6} | dict.fromkeys(
        ("FTUNE-S", "FTUNE-M"), value["compared"]["fresh for each class"]
    )
    assert (
        ours["BBS", "-"] == table["BBS"]
        and ours["FTUNE-S", "fresh for each class"] == table["FTUNE-S"]
    )


def test_the_printed_numbers_stand_beside_ours():
    """All sets of both tables are there; those that are nowhere to be had say so."""
    context = Context(scale="paper")
    value = {"accuracies": dict.fromkeys({*figures.FIVE, *figures.FOUR, "FTUNE+D-S"}, 0.5)}
    for number, count, absent in ((0, 8 * 2 * 3, 5 * 2 * 3), (2, 12 * 2 * 4, 0)):
        figure = figures.PAPER.figures[number]
        rows = figure.reduce(
            context, [Result(t.name, t.params, value) for t in figure.tasks(context)]
        ).rows
        assert len(rows) == count and sum(row["ours"] is None for row in rows) == absent
        assert all(row["published"] is not None for row in rows)
        assert all(row.get("why") for row in rows if number == 0 or row["method"] == "DBOOST")
    printed = {(r["data_set"], r["landmarks"], r["method"]): r["published"] for r in rows}
    assert printed["letters", 30, "DBOOST"] == 0.58 and printed["segment", 300, "FTUNE-M"] == 0.96


def test_a_matrix_read_as_in_table_1_gives_its_numbers(found):
    read = {
        (reading, method): value
        for reading, method, value in found["readings"][2].value["accuracies"]
    }
    table = found["table1"][0].value["accuracies"]
    assert {
        method: read["as here", method] for method in ("BBS", "FTUNE+D-S")
    }.items() <= table.items()
    value = {"accuracies": [["no bias", "FTUNE+D-S", 0.5]]}
    params = {"data_set": "aural-sonar", "preparation": "matrix", "d": 30, "run": 0}
    figure = figures.PAPER.figures[4]
    (row,) = figure.reduce(Context(scale="paper"), [Result("matrix_readings", params, value)]).rows
    assert row["published"] == 0.80 and row["reading"] == "no bias"


def test_readings_change_one_thing_at_a_time(found):
    """What stands "as here" is what table 2 has; DSELECT for each problem is another choice of
    landmarks.
    """
    read = {
        (reading, method): value
        for reading, method, value in found["readings"][0].value["accuracies"]
    }
    table = found["table2"][0].value["accuracies"]
    assert {
        method: read["as here", method] for method in ("BBS", "FTUNE-S")
    }.items() <= table.items()
    assert {"pairs out of d landmarks", "f* by training loss"} <= {name for name, _ in read}
    read = {(reading, method) for reading, method, _ in found["readings"][2].value["accuracies"]}
    assert ("landmarks for each problem", "FTUNE+D-S") in read


def test_the_best_by_a_t_test():
    rng = np.random.default_rng(0)
    good, near, bad = 0.9 + 0.01 * rng.normal(size=(3, 20)) - np.array([[0.0], [0.002], [0.05]])
    assert ttest_ind(good, near).pvalue > 0.05 > ttest_ind(good, bad).pvalue
    found = {("set", 30, name): list(v) for name, v in (("a", good), ("b", near), ("c", bad))}
    assert results.best_methods(found, "set", 30) == {"a", "b"}
    constant = {
        ("set", 30, "a"): [1.0, 1.0],
        ("set", 30, "b"): [1.0, 1.0],
        ("set", 30, "c"): [0.5, 0.5],
    }
    assert results.best_methods(constant, "set", 30) == {"a", "b"}
