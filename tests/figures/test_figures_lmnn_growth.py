"""The figure of LMNN's seconds by the number of points: its task, what is read off curves, its rows
and its picture. Not here: the other packages; their scripts are in test_figures_lmnn_rivals.py.
"""

import itertools

import lmnn_toy
import numpy as np
import pytest
from figure_runs import run
from lmnn_toy import fast_or_reference
from oracles_lmnn import objective, target_neighbours

from paper_figures import plots
from paper_figures.lmnn import growth
from paper_figures.lmnn import plots as lmnn_plots
from paper_figures.registry import Context, Result

SMALL = Context(scale="small")


@pytest.fixture
def toy(monkeypatch):
    return lmnn_toy.points(monkeypatch)


def test_seconds_within_a_share_of_a_level():
    curve = {"seconds": [1, 2, 3, 4], "objective": [120.0, 100.5, 103.0, 100.9]}
    assert growth.seconds_within(curve, 100.0, 0.01) == 4.0  # it was farther away after 3 s
    assert growth.seconds_within(curve, 100.0, 0.05) == 2.0
    assert growth.seconds_within(curve, 100.0, 0.001) is None
    below = {"seconds": [1, 2, 3], "objective": [97.0, 99.5, 100.0]}
    assert growth.seconds_within(below, 100.0, 0.01) == 2.0  # other objectives may pass below


def test_seconds_until_the_bound_proves_the_objective():
    curve = {"seconds": [1, 2, 3], "objective": [110.0, 101.0, 100.0], "bound": [0.0, 99.9, 99.95]}
    assert growth.seconds_proved(curve, 0.02) == 2.0
    assert growth.seconds_proved(curve, 0.001) == 3.0
    assert growth.seconds_proved(curve, 0.0001) is None


def test_factors_far_from_the_optimum_are_not_measured():
    asked = []

    def measure(L):
        asked.append(L)
        return {0: 900.0, 1: 500.0, 2: 210.0, 3: 150.0, 4: 101.0}[L]

    assert growth.until_far(measure, 100.0)([0, 1, 2, 3, 4]) == [210.0, 210.0, 210.0, 150.0, 101.0]
    assert asked == [4, 3, 2]


@pytest.mark.usefixtures("toy")
def test_the_task_trains_all_on_the_same_points(monkeypatch):
    """A rival gives the identity and half of it: eq. 3 of both, by the oracle."""
    given = {}

    def pretend(name, X, y, k, folder, limit):
        given.update(X=X, y=y, k=k, name=name, limit=limit)
        factors = np.array([0.5 * np.eye(3), np.eye(3)])
        return {"seconds": [1.0, 2.0], "L": factors, "ended": True}

    monkeypatch.setattr(growth, "rival_run", pretend)
    monkeypatch.setattr(growth, "until_far", lambda measure, _: lambda Ls: [measure(L) for L in Ls])
    monkeypatch.setattr(growth, "perf_counter", itertools.count(5, 2).__next__)
    params = {"data_set": "lmnn toy", "n": 40, "d": 3, "k": 3, "names": ("other",), "limit": 9.0}
    value = run(growth, "growth", params, fast_or_reference).value
    Z, z = given["X"], given["y"]
    assert Z.shape == (40, 3) and (given["k"], given["name"], given["limit"]) == (3, "other", 9.0)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-12)
    covariance = Z.T @ Z
    assert np.all(np.diff(np.diag(covariance)) <= 0)
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-9)
    targets = target_neighbours(Z, z, 3)
    expected = [objective(Z, z, targets, 1.0, [a * np.eye(3)], [0] * 40) for a in (0.25, 1.0)]
    np.testing.assert_allclose(value["curves"]["other"]["objective"], expected, rtol=1e-9)
    ours = value["curves"]["ours"]
    assert ours["seconds"] == [2 * place for place in range(1, len(ours["seconds"]) + 1)]
    assert value["optimum"] == ours["objective"][-1] == min(ours["objective"])
    assert value["bound"] == max(ours["bound"]) >= (1 - growth.TOL) * value["optimum"]
    assert np.all(np.diff(ours["objective"]) <= 0) and np.all(np.diff(ours["bound"]) >= 0)


OURS = {"seconds": [1.0, 2.0, 4.0], "objective": [150.0, 100.5, 100.0], "bound": [0.0, 90.0, 99.95]}
NEAR = {"seconds": [3.0, 5.0, 9.0], "objective": [300.0, 120.4, 120.0]}
VALUE = {
    "optimum": 100.0,
    "bound": 99.95,
    "curves": {"ours": OURS, "near": NEAR, "gone": {"why": "no network"}},
}


def gathered(*values):
    results = [Result("growth", {"n": n, "limit": 300.0}, value) for n, value in values]
    return growth.rows(SMALL, results)


def test_rows():
    rows = gathered((250, VALUE)).rows
    numbers = {(row["solver"], row["within"]): row["ours"] for row in rows}
    assert numbers == {
        ("ours", "1 %"): 2.0,
        ("ours", "0.1 %"): 4.0,
        ("ours, proved", "1 %"): 4.0,
        ("ours, proved", "0.1 %"): 4.0,
        ("near", "1 %"): None,
        ("near", "0.1 %"): None,
        ("near, of its own end", "1 %"): 5.0,
        ("near, of its own end", "0.1 %"): 9.0,
        ("gone", "1 %"): None,
        ("gone", "0.1 %"): None,
    }
    why = {row["solver"]: row["why"] for row in rows if row["ours"] is None}
    assert why == {"near": "20 % above the optimum at its end, after 9 s", "gone": "no network"}
    assert {row["N"] for row in rows} == {250}


def test_a_solver_that_was_stopped_has_no_end_and_is_not_run_on_more_points():
    stopped = VALUE["curves"] | {"near": NEAR | {"ended": False}}
    alone = VALUE | {"curves": {"ours": OURS, "gone": VALUE["curves"]["gone"]}}
    rows = gathered((250, VALUE | {"curves": stopped}), (1000, alone)).rows
    why = {(row["N"], row["solver"], row["within"]): row["why"] for row in rows if "why" in row}
    assert why[250, "near, of its own end", "1 %"] == "it did not end within 300 s"
    assert why[1000, "near", "0.1 %"] == (
        "not run at this size: it did not end within 300 s at 250 points"
    )
    assert sum(row["N"] == 1000 and row["solver"] == "near" for row in rows) == 2
    alone = VALUE | {"curves": {"ours": OURS}}
    rows = gathered((250, VALUE), (1000, alone)).rows
    why = {row["solver"]: row["why"] for row in rows if row["N"] == 1000 and "why" in row}
    assert why == {
        "near": "not run at this size",
        "gone": "not run at this size: at 250 points no network",
    }


def test_notes():
    alone = VALUE | {"curves": {"ours": OURS}}
    assert gathered((250, alone)).notes[1:] == [
        "The optimum is known to 0.05 % at every size.",
        growth.ALONE,
    ]
    assert gathered((250, VALUE)).notes[-1] == growth.OTHERS
    assert len(gathered((250, None)).notes) == 1


def test_picture():
    slower = {**OURS, "seconds": [10.0, 20.0, 40.0]}
    values = [(250, VALUE), (1000, VALUE | {"curves": {"ours": slower}})]
    drawing = gathered(*values).drawing
    assert drawing["1 %"]["ours"] == [[250, 2.0], [1000, 20.0]]
    figure = plots_figure()
    lmnn_plots.draw_growth({"drawing": drawing}, figure)
    left, right = figure.axes
    assert [axis.get_title() for axis in (left, right)] == [
        "eq. 3 within 1 % of the optimum",
        "eq. 3 within 0.1 % of the optimum",
    ]
    assert left.get_ylabel() == "seconds" and left.get_xlabel() == "training points"
    lines = {line.get_label(): line.get_xydata().tolist() for line in right.get_lines()}
    assert lines["ours"] == [[250, 4.0], [1000, 40.0]]
    assert lines["near, of its own end"] == [[250, 9.0]]


def plots_figure():
    from matplotlib.figure import Figure

    return Figure(figsize=(7, 4), layout="constrained")


def test_the_picture_is_made():
    record = {"drawing": gathered((250, VALUE)).drawing}
    files = plots.draw(lmnn_plots.draw_growth, record, (7.0, 3.8))
    assert files[".svg"].startswith(b"<?xml") and files[".png"].startswith(b"\x89PNG")
