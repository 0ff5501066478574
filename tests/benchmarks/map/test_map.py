"""The table of speed: every kernel and every public training is in it, and its arithmetic is right.

Times are not tested. The arguments of all kernels are drawn at the smallest size, and both twins
agree on them.
"""

import inspect
import time

import numpy as np
import pytest

import refimpl
import refimpl.kernels
from tests.benchmarks.map import report
from tests.benchmarks.map.__main__ import main
from tests.benchmarks.map.kernels import CASES
from tests.benchmarks.map.measure import (
    MissingError,
    Row,
    TooSlowError,
    compare,
    equal,
    measure,
    timed,
)
from tests.benchmarks.map.rows import FAST_1, FAST_2, OURS, REFERENCE, kernel_row
from tests.benchmarks.map.trainings import TRAININGS

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)

TRAINED = {
    "adaboost": "boosted_distance.adaboost",
    "boosted_distances": "boosted_distance.boosted_distance",
    "boostmaps": "boostmap.boostmap",
    "search_trees": "search_forest.search_forest",
    "moved_trees": "search_forest.search_forest",
    "lmnns": "lmnn.lmnn",
    "lmnn_metrics": "lmnn.lmnn",
    "lmnn_rects": "lmnn.lmnn_rect",
    "ftunes": "ftune.ftune",
    "bbss": "ftune.bbs",
}
OTHERS = {"similar_pairs", "dselects"}  # what takes long and is no training
# both at once, from the same problems as ftune
LEFT_OUT = {"ftune.ftune_single_and_per_class"}


def public_trainings():
    """Return the public functions that take a callback, but for estimates of memory."""
    for room in refimpl.ROOMS:
        module = getattr(refimpl, room)
        for name in getattr(module, "__all__", ()):
            member = getattr(module, name)
            if inspect.isfunction(member) and name != "estimate_memory":
                if "callback" in inspect.signature(member).parameters:
                    yield f"{room}.{name}"


def test_every_kernel_is_in_the_table():
    functions = {name for name in refimpl.kernels.__all__ if not name[0].isupper()}
    assert set(CASES) == functions
    assert all(a < b < c for a, b, c in (case.sizes for case in CASES.values()))


def test_every_training_is_in_the_table():
    assert set(TRAININGS) == set(TRAINED) | OTHERS
    assert set(TRAINED.values()) | LEFT_OUT == set(public_trainings())


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

    measured = measure(Row({"a": lambda _: 1, "b": endless}), budget=60, limit=0.5, repeats=5)
    assert measured["stopped"] == {"b": 0.5}
    assert list(measured["seconds"]) == ["a"]
    assert measured["runs"]["a"] >= 3
    with pytest.raises(TooSlowError):
        timed(endless, None, 0.05)


def test_a_call_that_is_stopped_later_keeps_what_it_took_before():
    taken = iter([0.0, 0.0, 30.0])
    row = Row({"a": lambda _: time.sleep(next(taken, 0.0))})
    measured = measure(row, budget=60, limit=0.5, repeats=4)
    assert measured["stopped"] == {} and measured["runs"] == {"a": 3}


def test_a_peer_that_is_not_there_is_named():
    def missing(_):
        raise MissingError("no network")

    measured = measure(Row({"a": lambda _: 1, "b": missing}), budget=60, limit=60, repeats=3)
    assert measured["missing"] == {"b": "no network"} and measured["stopped"] == {}


def test_arguments_are_made_anew_for_each_call():
    calls = []
    row = Row({"a": lambda given: calls.append(given)}, prepare=lambda: object())
    measure(row, budget=60, limit=60, repeats=4)
    assert len(set(map(id, calls))) == len(calls) == 5  # the first is a warm-up


ROW = {
    "n": 1000,
    "what": "1,000 points",
    "seconds": {
        FAST_1: 0.002,
        FAST_2: 0.001,
        REFERENCE: 0.5,
        "FAISS": 0.004,
        "SciPy cdist": 0.005,
        "LightGBM*": 0.0001,
    },
    "runs": {},
    "stopped": {},
    "bounds": {"bytes": 100, "float64": 50},
    "load": 1.0,
}
MACHINE = {
    "bytes": 1e5,
    "float64": 1e6,
    "date": "2020-01-02",
    "cores": 2,
    "processor": "P",
    "python": "3",
    "numpy": "2",
    "scipy": "1",
}


def test_the_cells_of_a_row():
    assert report.cell(ROW, REFERENCE) == "500 ms (250 x)"
    assert report.cell(ROW, FAST_1) == "2.0 ms"
    assert report.cell(ROW, FAST_2) == "1.0 ms (gain 2.0)"
    # cdist has one thread: 5 ms beside 2; FAISS has two: 4 ms beside 1
    assert report.best_peer(ROW) == "SciPy cdist 5.0 ms (2.5 x); LightGBM* 100 us"
    stopped = {**ROW, "stopped": {REFERENCE: 600.0, "mlpack*": 600.0}}
    assert report.best_peer(stopped).endswith("; LightGBM* 100 us; mlpack* > 600 s")
    assert report.limit(ROW, MACHINE) == "2.0"  # 100 bytes take a millisecond
    assert report.ratio_of(ROW, "FAISS") == 4.0
    assert report.ratio_of(ROW, REFERENCE) == 250.0
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
    assert report.slower_than_the_reference(rows, "kernels", FAST_1) == ["b/hundreds (0.50)"]
    assert report.slower_than_the_reference(rows, "kernels", FAST_2) == []
    said = report.slower_rows(rows, "kernels")
    assert said == (
        "Both were measured in 2 rows. Slower than the reference by more than 5 %: on one thread "
        "b/hundreds (0.50); on two none.\n"
    )


def test_the_page_and_the_picture(tmp_path):
    stopped = {**ROW, "seconds": {FAST_1: 0.2}, "stopped": {REFERENCE: 60.0}, "n": 5000}
    rows = {
        "kernels/presort/hundreds": ROW,
        "kernels/presort/thousands": stopped,
        "first/LMNN/iris": {**ROW, "seconds": {"fit": 0.25}},
        "import/refimpl/-": {**ROW, "seconds": {"import": 0.03}},
    }
    rows = {name: row | {"machine": MACHINE} for name, row in rows.items()}
    rows["first/LMNN/iris"]["machine"] = MACHINE | {"date": "2020-01-03"}
    report.write({"rows": rows}, tmp_path)
    page = (tmp_path / "README.md").read_text()
    assert "4 of " in page and "2020-01-02 to 2020-01-03" in page and "2 cores of P" in page
    assert "| LMNN | 250 ms | - | - | - |" in page
    assert "| > 60 s | 200 ms | - | - |" in page
    assert "Slower than the reference by more than 5 %: on one thread none; on two none." in page
    assert "| refimpl | 30 ms |" in page
    assert (tmp_path / "speed.png").read_bytes().startswith(b"\x89PNG")


def test_wrong_options_end_before_any_work(tmp_path, capsys):
    for options in (
        ["--report", "--store", str(tmp_path / "none.json")],
        ["--store", str(tmp_path / "no" / "store.json")],
        ["kernels/none"],
    ):
        with pytest.raises(SystemExit) as ended:
            main(options)
        assert ended.value.code not in (0, None)
    assert "holds no row yet" in capsys.readouterr().err
