"""The table of speed: every kernel and every public training is in it, and its arithmetic is right.

Times are not tested. The arguments of all kernels are drawn at the smallest size, and both twins
agree on them.
"""

import copy
import inspect
import json
from types import SimpleNamespace

import numpy as np
import pytest

import refimpl
import refimpl.kernels
from tests.benchmarks.map import growth, report, trainings
from tests.benchmarks.map.__main__ import HERE, STORE, main
from tests.benchmarks.map.kernels import CASES
from tests.benchmarks.map.measure import MissingError, Row, TooSlowError, measure, timed
from tests.benchmarks.map.rows import FAST_2, OURS, kernel_row
from tests.benchmarks.map.trainings import TRAININGS
from tests.support.agreement import Difference, assert_same

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)

STORED = json.loads(STORE.read_text(encoding="utf-8"))
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
    assert set(growth.BEYOND) == set(TRAININGS)


@pytest.mark.parametrize("name", ["MNIST-10", "letters"])
def test_points_beyond_those_of_a_set_are_moved_ones(name, monkeypatch):
    # MNIST's points are stand-ins of as many pixels
    X = np.random.default_rng(0).integers(0, 16, (5, 784 if name == "MNIST-10" else 16))
    loaded = SimpleNamespace(X=X, y=np.arange(5), n_train=5)
    monkeypatch.setattr(trainings, "load", lambda name: loaded)
    few, many = (trainings.sample.__wrapped__(name, n) for n in (5, 15))
    assert np.array_equal(few[0], X[few[1]]) and np.array_equal(np.sort(few[1]), loaded.y)
    assert np.array_equal(np.bincount(many[1]), [3] * 5)
    assert len(np.unique(many[0], axis=0)) == 15
    assert sum((many[0] == X[many[1]]).all(axis=1)) == 5


@pytest.mark.parametrize("name", CASES)
def test_twins_agree_on_the_smallest_size(name):
    row = kernel_row(name, "hundreds")
    first, *others = (timed(row.calls[ours], row.prepare())[1] for ours in OURS)
    for other in others:
        assert_same(first, other)
    assert str(f"{row.notes['n']:,}") in row.notes["what"]


def test_results_that_differ_are_an_error():
    row = Row({"a": lambda _: (1, np.zeros(2)), "b": lambda _: (1, np.ones(2))}, same=("a", "b"))
    with pytest.raises(Difference, match="2 of 2 differ"):
        measure(row, budget=60, limit=60)


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


def test_the_page_is_that_of_the_committed_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "draw", lambda rows, target: None)
    report.write(STORED, tmp_path)
    assert (tmp_path / "README.md").read_text("utf-8") == (HERE / "README.md").read_text("utf-8")


def test_what_is_not_measured_has_a_dash(tmp_path):
    kept = {"first/LMNN/iris", "kernels/presort/hundreds"}
    rows = {name: copy.deepcopy(STORED["rows"][name]) for name in kept}
    fit = report.duration(rows["first/LMNN/iris"]["seconds"]["fit"])
    del rows["kernels/presort/hundreds"]["seconds"][FAST_2]
    report.write({"rows": rows}, tmp_path)
    page = (tmp_path / "README.md").read_text("utf-8")
    assert f"| LMNN | {fit} | - | - | - |" in page and "| refimpl | - |" in page
    assert "| thousands: not measured | - | - | - |" in page
    assert "by more than 5 %: on one thread none; on two none." in page
    assert (tmp_path / "speed.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("seconds", "words"), [(61.4, "61 s"), (1.04, "1.0 s"), (0.96, "960 ms"), (3e-7, "0.3 us")]
)
def test_durations_have_units(seconds, words):
    assert report.duration(seconds) == words


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
