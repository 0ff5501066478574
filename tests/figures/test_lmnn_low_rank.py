"""Figure 2 of LMNN: its trainings on a small set, its rows from values by hand, and its picture.

Errors and distances are counted by brute force. Not here: the trainings themselves (tests/lmnn) and
what the claims make of the rows (test_judge.py).
"""

import itertools

import lmnn_toy
import numpy as np
import pytest
from lmnn_toy import N_TRAIN
from oracles_lmnn import target_neighbours
from pictures import curves, legend, picture, texts
from toy_sets import components, nn_error

from paper_figures.lmnn import low_rank
from paper_figures.study import Seen
from refimpl.lmnn import LMNNOptions, algorithm, lmnn, lmnn_rect, lmnn_svd

TOY = {"data_set": "lmnn toy", "preparation": "as they are", "n": N_TRAIN, "d": 5}
TRAINED = TOY | {"checks": 3}


@pytest.fixture
def toy(monkeypatch):
    X, y = lmnn_toy.points(monkeypatch)
    Z = components(X, N_TRAIN, 5)
    return Z[:N_TRAIN], y[:N_TRAIN], Z[N_TRAIN:], y[N_TRAIN:]


def ask(**params):
    """What is measured, by method and rank."""
    seen = lmnn_toy.ask(low_rank.compute, **params)
    return {(item["name"], item["rank"]): item for item in seen}


@pytest.fixture(autouse=True)
def loose(monkeypatch):
    monkeypatch.setattr(low_rank, "TOL", {"full": 0.1, "rect": 0.1})


def printed(X, y, L, step):
    """Return the best objective and factor of three full checks from a multiple of L."""
    targets = target_neighbours(X, y, 3)
    Z = X @ L.T
    c = np.mean([((Z[i] - Z[j]) ** 2).sum() for i in range(len(X)) for j in targets[i]])
    examples = algorithm.Examples(
        X, np.searchsorted([2, 5, 7], y), np.array(targets), np.zeros(len(X), dtype=int)
    )
    states = algorithm.steps(examples, 1.0, L[None] / np.sqrt(c), step=step)
    *_, (_, best) = algorithm.until_converged(states, checks=3)
    return best[0], best[1][0]


# -------------------------------------------------------------------------------------------- cells


def test_pca_keeps_the_first_components(toy):
    X, y, Q, z = toy
    value = ask(**TOY, method="Euclidean", ranks=(1, 3))
    assert value.pop((low_rank.EUCLIDEAN, 5))["error"] == pytest.approx(nn_error(Q, z, X, y, 3))
    for (_, r), measured in value.items():
        expected = nn_error(Q[:, :r], z, X[:, :r], y, 3)
        assert measured["error"] == pytest.approx(expected)
        assert 100 * len(measured["wrong"]) / len(Q) == pytest.approx(expected)
    assert list(value) == [("PCA", 1), ("PCA", 3)]


def test_the_metric_of_the_optimum_and_its_leading_eigenvectors(toy):
    X, y, Q, z = toy
    found = ask(**TRAINED, method="full", ranks=(2,), solver="optimum")
    value = found["LMNN, full rank, optimum", 5]
    model = lmnn(X, y, 3, options=LMNNOptions(tol=0.1))
    assert value["objective"] == pytest.approx(model.objective, rel=1e-9)
    assert value["gap"] == pytest.approx(model.gap, rel=1e-6)
    L = lmnn_svd(model.L[0], 2)
    error = found["LMNN-SVD, optimum", 2]["error"]
    assert error == pytest.approx(nn_error(Q, z, X, y, 3, [L.T @ L]))
    M = model.L[0].T @ model.L[0]
    assert value["error"] == pytest.approx(nn_error(Q, z, X, y, 3, [M]))


def test_the_printed_steps_start_at_the_euclidean_metric(toy):
    X, y, Q, z = toy
    found = ask(**TRAINED, method="full", ranks=(1,), solver="printed")
    value = found["LMNN, full rank, printed steps", 5]
    best, L = printed(X, y, np.eye(5), algorithm.metric_step)
    assert value["objective"] == pytest.approx(best, rel=1e-9)
    assert value["steps"] == 3
    assert value["error"] == pytest.approx(nn_error(Q, z, X, y, 3, [L.T @ L]))


@pytest.mark.parametrize("solver", ["printed", "optimum"])
def test_rect(toy, solver):
    X, y, Q, z = toy
    (value,) = ask(**TRAINED, method="rect", ranks=(2,), solver=solver).values()
    if solver == "printed":
        best, L = printed(X, y, np.eye(2, 5), algorithm.factor_step)
    else:
        model = lmnn_rect(X, y, 2, 3, options=LMNNOptions(tol=0.1))
        best, L = model.objective, model.L[0]
    assert value["objective"] == pytest.approx(best, rel=1e-9)
    assert value["error"] == pytest.approx(nn_error(Q, z, X, y, 3, [L.T @ L]))


def test_what_a_search_looks_at(toy, monkeypatch):
    """The clock moves by 1 each time it is asked, so that every part of every search takes 1.

    Few points are one leaf: every way compares them all. The scan's terms are counted by a loop.
    """
    X, _y, Q, _z = toy
    monkeypatch.setattr(low_rank, "process_time", itertools.count().__next__)
    monkeypatch.setattr(low_rank, "BLOCKS", 4)
    (value,) = ask(**TOY, method="Euclidean", ranks=()).values()
    ways = ("scan", "leaf", "balls", "boxes")
    assert value["seconds_of"] == {way: [1, 1, 1, 1] for way in ways}
    assert value["balls"] == value["boxes"] == 1.0
    assert list(value["leaves"]) == ["2", "4", "8", "16", "32", "64", "128"]
    assert value["leaves"]["128"] == [1, 1.0] and value["leaves"]["2"][1] < 1.0
    terms = 0
    for q in Q:
        nearest = [np.inf] * 3
        for x in X:
            sums = np.cumsum((q - x) ** 2)
            beyond = np.flatnonzero(sums > nearest[2])
            terms += beyond[0] + 1 if len(beyond) else 5
            nearest = sorted([*nearest, sums[-1]])[:3]
    assert value["terms"] == pytest.approx(terms / (len(Q) * len(X) * 5))


# --------------------------------------------------------------------------------------------- rows


def test_a_difference_counts_the_points_that_one_method_gets_wrong():
    """Of 100 points 3 are wrong in one only and 1 in the other: 2 %, with a variance of
    (3 + 1 + 2) / 100 - 0.02^2.
    """
    less, error = low_rank.difference({1, 2, 3, 9}, {9, 10}, 100)
    assert less == pytest.approx(2.0)
    assert error == pytest.approx(100 * (0.0596 / 100) ** 0.5)
    less, error = low_rank.difference({9, 10}, {1, 2, 3, 9}, 100)
    assert less == pytest.approx(-2.0) and error == pytest.approx(100 * (0.0596 / 100) ** 0.5)
    assert low_rank.difference({1}, {1}, 50)[1] > 0


def measured(*wrong, balls=0.5):
    return {
        "error": float(len(wrong)),  # of 100 points
        "wrong": list(wrong),
        "seconds_of": {"scan": [6.0, 8.0], "leaf": [3, 3], "balls": [2, 2], "boxes": [1, 1]},
        "terms": 0.25,
        "balls": balls,
        "boxes": 0.125,
        "leaves": {"16": [4.0, 0.25]},
    }


def of_toy():
    def item(name, rank, value, **more):
        return {"name": name, "rank": rank, "solver": ""} | value | more

    low = measured(1, 2, 3)
    items = [item(low_rank.EUCLIDEAN, 350, measured(1)), item("PCA", 15, low)]
    for solver, eq3 in (("printed", 120.0), ("optimum", 100.0)):
        said = low_rank.SOLVERS[solver]
        training = {"objective": eq3, "steps": 151, "solver": solver}
        items.append(item(f"LMNN, full rank, {said}", 350, measured(1, 2), **training))
        items.append(item(f"LMNN-SVD, {said}", 15, low))
    items.append(item("LMNN-RECT, printed steps", 15, measured(1, 4)))
    return Seen(items, [], "paper")


def rows_of(method, dimensions):
    rows = low_rank.figure2(of_toy()).rows
    keys = {"method": method, "dimensions": dimensions}
    return {row["measure"]: row for row in rows if keys.items() <= row.items()}


def test_errors_and_differences():
    rect = rows_of("LMNN-RECT, printed steps", 15)
    assert rect["test error (%)"]["ours"] == 2.0
    less = {name: rect[f"errors less those of {name} (%)"]["ours"] for name in low_rank.OTHERS}
    assert less == {"PCA": -1.0, "LMNN-SVD": -1.0, "all components": 1.0}
    assert rect["errors less those of PCA (%)"]["n"] == 100
    # of 100 points (2 + 1) / (100 + 2) are taken as wrong
    share = 3 / 102
    assert rect["test error (%)"]["error"] == pytest.approx(10 * (share * (1 - share)) ** 0.5)
    svd = rows_of("LMNN-SVD, optimum", 15)
    assert "errors less those of LMNN-SVD (%)" not in svd
    assert svd["errors less those of all components (%)"]["ours"] == 2.0
    assert not any("less" in measure for measure in rows_of("PCA", 15))
    (absent,) = low_rank.figure2(Seen([], [{"why": "stopped"}], "paper")).rows
    assert absent["why"] == "stopped"


def test_searches_are_ratios_of_one_run():
    """14 s of scan over 4 s of balls; the parts have 3 and 4, whose deviation is sqrt(1/2)."""
    rows = rows_of("Euclidean, all components", 350)
    balls = rows["balls, times as fast as the scan"]
    assert (balls["ours"], balls["n"]) == (3.5, 2)
    assert balls["error"] == pytest.approx(0.5)
    assert rows["boxes, times as fast as the scan"]["ours"] == 7.0
    assert rows["balls, times as fast as one leaf"]["ours"] == 1.5
    counts = {measure: rows[measure]["ours"] for measure, _ in low_rank.COUNTS}
    assert list(counts.values()) == [50.0, 12.5, 25.0]
    assert rows[low_rank.FEWER]["ours"] == 0.5
    assert rows["balls, leaves of 16, times fewer points than a scan"]["ours"] == 4.0
    assert rows["balls, leaves of 16, times as fast as the scan"]["ours"] == 3.5


def test_the_note_says_how_far_the_steps_come():
    notes = low_rank.figure2(of_toy()).notes
    assert notes[1] == "The 151 printed steps of the full metric end 20 % above its optimum."
    assert len(low_rank.figure2(Seen(of_toy().items[:2])).notes) == 1


# ------------------------------------------------------------------------------------------ picture


def test_picture():
    drawing = low_rank.figure2(of_toy()).drawing
    drawing["methods"]["PCA"]["100"] = {"error": 1.0, "balls": 1.0, "boxes": 1.0, "fewer": 0.1}
    figure = picture(low_rank.draw_ranks, drawing)
    top, axis = figure.axes
    assert texts(axis) == ("", "dimensions", "test error (%)")
    assert curves(top)[:3] == [
        [(15, 3.5)],
        [(15, 7.0)],
        [(15, 0.5)],
    ]  # not beyond the other methods
    assert curves(axis)[:4] == [[(15, 3)], [(15, 3)], [(15, 2)], [(15, 3)]]
    assert list(legend(figure)) == [
        "PCA",
        "LMNN-SVD, printed steps",
        "LMNN-RECT, printed steps",
        "LMNN-SVD, optimum",
        "all components, Euclidean",
        "balls (eq. 7), by seconds",
        "boxes, by seconds",
        "balls, by coordinates counted",
    ]
