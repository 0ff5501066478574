"""The table of speed: every kernel and every public training is in it, and its arithmetic is right.

Times are not tested. The arguments of all kernels are drawn at the smallest size, and both twins
agree on them.
"""

import numpy as np
import pytest

import refimpl.kernels
from tests.benchmarks.map import report
from tests.benchmarks.map.kernels import CASES
from tests.benchmarks.map.measure import Row, TooSlowError, compare, equal, measure, timed
from tests.benchmarks.map.rows import FAST_1, FAST_2, OURS, REFERENCE, kernel_row
from tests.benchmarks.map.trainings import TRAININGS

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)

PUBLIC = {
    "adaboost": "boosted_distance.adaboost",
    "boosted_distances": "boosted_distance.boosted_distance",
    "boostmaps": "boostmap.boostmap",
    "search_trees": "search_forest.search_forest",
    "similar_pairs": "search_forest.neighbor_similarity",
    "lmnns": "lmnn.lmnn",
    "lmnn_metrics": "lmnn.lmnn",
    "lmnn_rects": "lmnn.lmnn_rect",
    "ftunes": "ftune.ftune",
    "bbss": "ftune.bbs",
    "dselects": "ftune.dselect",
}


def test_every_kernel_is_in_the_table():
    functions = {name for name in refimpl.kernels.__all__ if not name[0].isupper()}
    assert set(CASES) == functions
    assert all(a < b < c for a, b, c in (case.sizes for case in CASES.values()))


def test_every_training_is_in_the_table():
    assert set(TRAININGS) == set(PUBLIC)


@pytest.mark.parametrize("name", CASES)
def test_twins_agree_on_the_smallest_size(name):
    row = kernel_row(name, "hundreds")
    results = {ours: timed(row.calls[ours], row.prepare(), 60)[1] for ours in OURS}
    compare(results)
    assert str(f"{row.notes['n']:,}") in row.notes["what"]


def test_results_that_differ_are_an_error():
    with pytest.raises(AssertionError, match="a and b differ"):
        compare({"a": (1, np.zeros(2)), "b": (1, np.ones(2))})
    assert equal(np.array([np.nan, -0.0]), np.array([np.nan, 0.0]))
    assert not equal((1, 2), (1,))


def test_a_call_that_takes_too_long_is_left_out():
    def endless(_):
        while True:
            pass

    measured = measure(Row({"a": lambda _: 1, "b": endless}), budget=0.01, limit=0.05)
    assert measured["stopped"] == {"b": 0.05}
    assert list(measured["seconds"]) == ["a"]
    assert measured["runs"]["a"] >= 3
    with pytest.raises(TooSlowError):
        timed(endless, None, 0.05)


def test_arguments_are_made_anew_for_each_call():
    calls = []
    row = Row({"a": lambda given: calls.append(given)}, prepare=lambda: object())
    measure(row, budget=0.01, limit=1, repeats=4)
    assert len(set(map(id, calls))) == len(calls) == 5  # the first is a warm-up


ROW = {
    "n": 1000,
    "what": "1,000 points",
    "seconds": {FAST_1: 0.002, FAST_2: 0.001, REFERENCE: 0.5, "peer A": 0.004, "peer B": 0.003},
    "runs": {},
    "stopped": {},
    "least": 0.001,
}


def test_the_cells_of_a_row():
    assert report.cell(ROW, REFERENCE) == "500 ms (250 x)"
    assert report.cell(ROW, FAST_1) == "2.0 ms"
    assert report.cell(ROW, FAST_2) == "1.0 ms (gain 2.0)"
    assert report.best_peer(ROW) == "peer B 3.0 ms (3.0 x)"
    assert report.limit(ROW) == "2.0"
    assert report.ratio_of(ROW, None, FAST_2) == 3.0
    assert report.ratio_of(ROW, REFERENCE, FAST_1) == 250.0
    assert report.cell({**ROW, "stopped": {REFERENCE: 60.0}}, REFERENCE) == "> 60 s"


def test_growth_is_the_exponent_of_n():
    larger = {**ROW, "n": 10_000, "seconds": {FAST_1: 0.2}}
    assert report.exponent(ROW, larger) == pytest.approx(2.0)
    assert report.exponent(ROW, {**larger, "seconds": {}}) is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(61.4, "61 s"), (1.04, "1.0 s"), (0.96, "960 ms"), (9.4e-3, "9.4 ms"), (3e-7, "0.3 us")],
)
def test_durations_have_units(seconds, words):
    assert report.duration(seconds) == words


def test_rows_at_which_the_fast_twin_is_slower_are_named():
    slow = {**ROW, "seconds": {FAST_1: 0.002, REFERENCE: 0.001}}
    rows = {"kernels/a/paper": ROW, "kernels/b/hundreds": slow, "trainings/c/paper": slow}
    assert report.slower_than_the_reference(rows, "kernels") == ["b/hundreds (0.50)"]
