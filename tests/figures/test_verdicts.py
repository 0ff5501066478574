"""Verdicts of rows and figures at their borders, the score, and the helpers that make rows.

The store's validation of rows is in test_figures_store.py, the page that shows verdicts in
test_gallery.py.
"""

import pytest

from paper_figures import rows, verdict
from paper_figures.registry import Result


def row(published, ours, std=None, repetitions=None, **more):
    found = {"published": published, "ours": ours, "std": std} | more
    return found | ({"repetitions": repetitions} if repetitions else {})


AGREEING = row(1.0, 1.0)
OURS_ALONE = row(None, 1.0)
MISSING = row(2.0, None, status="not available", why="no file")
DIFFERING = row(2.0, 1.0)
EXPLAINED = row(2.0, 1.0, why="w")


@pytest.mark.parametrize(
    "std, repetitions, expected",
    [(None, None, None), (2.0, 4, 1.0), (3.0, 9, 1.0), (0.0, 5, 0.0), (5.0, 100, 0.5)],
)
def test_standard_errors(std, repetitions, expected):
    assert verdict.standard_error(row(None, 1.0, std, repetitions)) == expected


@pytest.mark.parametrize(
    "values, expected",
    [
        # without a standard deviation: equal, but for decimals that binary numbers cannot hold
        (row(0.3, 0.1 + 0.2), "agrees"),
        (row(1.0, 1.0 + 0.9e-9), "agrees"),
        (row(1.0, 1.0 + 1.1e-9), "differs"),
        (row(1000.0, 1000.0 + 0.9e-6), "agrees"),
        (row(-1000.0, -1000.0 - 0.9e-6), "agrees"),
        (row(1000.0, 1000.0 + 1.1e-6), "differs"),
        (row(0.0, 0.9e-9), "agrees"),
        (row(0.0, -1.1e-9), "differs"),
        # a stated rounding
        (row(1.5, 1.55, tolerance=0.05), "agrees"),
        (row(1.5, 1.45, tolerance=0.05), "agrees"),
        (row(1.5, 1.5501, tolerance=0.05), "differs"),
        (row(1.5, 1.4499, tolerance=0.05), "differs"),
        # two standard errors: 2 * 4 / sqrt(16) = 2
        (row(10.0, 12.0, 4.0, 16), "agrees"),
        (row(10.0, 8.0, 4.0, 16), "agrees"),
        (row(10.0, 12.001, 4.0, 16), "differs"),
        (row(10.0, 7.999, 4.0, 16), "differs"),
        (row(10.0, 10.001, 0.0, 16), "differs"),
        # both together
        (row(10.0, 12.5, 4.0, 16, tolerance=0.5), "agrees"),
        (row(10.0, 12.501, 4.0, 16, tolerance=0.5), "differs"),
        # a reason changes no verdict
        (row(10.0, 12.001, 4.0, 16, why="w"), "differs"),
        # nothing to compare
        (OURS_ALONE, "ours only"),
        (row(None, 0.0, 1.0, 4), "ours only"),
        (MISSING, "not available"),
        (row(None, None, status="not available", why="w"), "not available"),
        (row(0.0, 0.0), "agrees"),  # 0 is a number
    ],
)
def test_rows(values, expected):
    assert verdict.row_verdict(values) == expected


@pytest.mark.parametrize(
    "of_rows, expected, score",
    [
        ([AGREEING], "reproduced", (1, 1)),
        ([AGREEING, OURS_ALONE, MISSING], "reproduced", (1, 1)),
        ([DIFFERING], "differs (not explained)", (0, 1)),
        ([AGREEING, DIFFERING], "differs (not explained)", (1, 2)),
        ([EXPLAINED], "differs (explained)", (0, 1)),
        ([AGREEING, EXPLAINED, AGREEING], "differs (explained)", (2, 3)),
        ([EXPLAINED, DIFFERING], "differs (not explained)", (0, 2)),
        ([DIFFERING | {"why": ""}], "differs (not explained)", (0, 1)),
        ([OURS_ALONE], "no published numbers", (0, 0)),
        ([OURS_ALONE, MISSING], "no published numbers", (0, 0)),
        ([], "no published numbers", (0, 0)),
        ([MISSING], "not available", (0, 0)),
        ([MISSING, MISSING], "not available", (0, 0)),
        ([MISSING, EXPLAINED], "differs (explained)", (0, 1)),
    ],
)
def test_figures(of_rows, expected, score):
    record = {"rows": of_rows}
    assert verdict.figure_verdict(record) == expected
    assert verdict.score(record) == score
    assert expected in verdict.FIGURE_STATES


def test_states_from_best_to_worst():
    assert verdict.FIGURE_STATES == (
        "reproduced",
        "differs (explained)",
        "differs (not explained)",
        "no published numbers",
        "not available",
        "failed",
        "not yet run",
    )


# --------------------------------------------------------------------------------------------- rows


def test_the_row_of_a_number():
    made = rows.number_row({"set": "a"}, 1.5, 2, why="w", tolerance=0.1)
    assert made == {
        "set": "a",
        "published": 1.5,
        "ours": 2,
        "std": None,
        "why": "w",
        "tolerance": 0.1,
    }
    assert next(iter(made)) == "set"  # keys come first in the tables


def test_the_row_of_a_number_that_is_absent():
    expected = {"a": 1, "published": 7.0, "ours": None, "std": None}
    expected |= {"status": "not available", "why": "w"}
    assert rows.absent_row({"a": 1}, "w", 7.0) == expected
    assert rows.absent_row({"a": 1}, "w") == expected | {"published": None}


def test_the_first_reason_of_missing_results():
    value = Result("t", {}, {"x": 1})
    unsaid = Result("t", {}, None)
    first, second = (Result("t", {}, None, why) for why in ("first", "second"))
    said_with_value = Result("t", {}, {"x": 1}, "a note")
    assert rows.absent_rows([value, unsaid, said_with_value], {"k": 1}) == []
    assert rows.absent_rows([], {"k": 1}) == []
    (row_of_first,) = rows.absent_rows([value, unsaid, first, second], {"k": 1})
    assert row_of_first == rows.absent_row({"k": 1}, "first")
