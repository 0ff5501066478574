"""Figure 2 of LMNN: its trainings on a small set, its rows from values by hand, and its picture.

Errors and distances are counted by brute force. Not here: the trainings themselves (tests/lmnn) and
what the claims make of the rows (test_judge.py).
"""

import itertools

import lmnn_toy
import numpy as np
import pytest
from figure_runs import run
from lmnn_toy import N_TRAIN, fast_or_reference
from oracles_lmnn import target_neighbours
from pictures import curves, legend, picture, texts
from toy_sets import components, nn_error

from paper_figures.lmnn import error_plots, low_rank
from paper_figures.lmnn import low_rank_results as results
from paper_figures.tasks import Context, Result
from refimpl.lmnn import LMNNOptions, algorithm, lmnn, lmnn_rect, lmnn_svd

TOY = {"data_set": "lmnn toy", "preparation": "as they are", "k": 3, "n": N_TRAIN}
TRAINED = TOY | {"d": 5, "tol": 0.1, "checks": 3}


@pytest.fixture
def toy(monkeypatch):
    X, y = lmnn_toy.points(monkeypatch)
    Z = components(X, N_TRAIN, 5)
    return Z[:N_TRAIN], y[:N_TRAIN], Z[N_TRAIN:], y[N_TRAIN:]


def ask(name, **params):
    return run(low_rank, name, params, fast_or_reference).value


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


# -------------------------------------------------------------------------------------------- tasks


def test_pca_keeps_the_first_components(toy):
    X, y, Q, z = toy
    value = ask("euclidean", **TOY, d=5, ranks=(1, 3))
    assert value["full"]["error"] == pytest.approx(nn_error(Q, z, X, y, 3))
    for r, measured in value["ranks"].items():
        r = int(r)
        expected = nn_error(Q[:, :r], z, X[:, :r], y, 3)
        assert measured["error"] == pytest.approx(expected)
        assert 100 * len(measured["wrong"]) / len(Q) == pytest.approx(expected)
    assert list(value["ranks"]) == ["1", "3"]


def test_the_metric_of_the_optimum_and_its_leading_eigenvectors(toy):
    X, y, Q, z = toy
    value = ask("full_metric", **TRAINED, ranks=(2,), solver="optimum")
    model = lmnn(X, y, 3, options=LMNNOptions(tol=0.1))
    assert value["objective"] == pytest.approx(model.objective, rel=1e-9)
    assert value["gap"] == pytest.approx(model.gap, rel=1e-6)
    L = lmnn_svd(model.L[0], 2)
    assert value["ranks"]["2"]["error"] == pytest.approx(nn_error(Q, z, X, y, 3, [L.T @ L]))
    M = model.L[0].T @ model.L[0]
    assert value["full"]["error"] == pytest.approx(nn_error(Q, z, X, y, 3, [M]))
    spectrum = np.linalg.svd(M, compute_uv=False)
    np.testing.assert_allclose(value["spectrum"], spectrum / spectrum[0], atol=1e-9)


def test_the_printed_steps_start_at_the_euclidean_metric(toy):
    X, y, Q, z = toy
    value = ask("full_metric", **TRAINED, ranks=(1,), solver="printed")
    best, L = printed(X, y, np.eye(5), algorithm.metric_step)
    assert value["objective"] == pytest.approx(best, rel=1e-9)
    assert (value["checks"], value["steps"]) == (3, 3)
    assert value["full"]["error"] == pytest.approx(nn_error(Q, z, X, y, 3, [L.T @ L]))


@pytest.mark.parametrize("solver", ["printed", "optimum"])
def test_rect(toy, solver):
    X, y, Q, z = toy
    value = ask("rect", **TRAINED, r=2, solver=solver)
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
    value = ask("euclidean", **TOY, d=5, ranks=())["full"]
    ways = ("scan", "leaf", "balls", "boxes")
    assert value["seconds_of"] == {way: [1, 1, 1, 1] for way in ways}
    assert value["balls"] == value["boxes"] == 1.0
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
    less, error = results.difference({1, 2, 3, 9}, {9, 10}, 100)
    assert less == pytest.approx(2.0)
    assert error == pytest.approx(100 * (0.0596 / 100) ** 0.5)
    less, error = results.difference({9, 10}, {1, 2, 3, 9}, 100)
    assert less == pytest.approx(-2.0) and error == pytest.approx(100 * (0.0596 / 100) ** 0.5)
    assert results.difference({1}, {1}, 50)[1] > 0


def measured(*wrong, balls=0.5):
    return {
        "error": float(len(wrong)),  # of 100 points
        "wrong": list(wrong),
        "seconds_of": {"scan": [6.0, 8.0], "leaf": [3, 3], "balls": [2, 2], "boxes": [1, 1]},
        "terms": 0.25,
        "balls": balls,
        "boxes": 0.125,
    }


def of_toy():
    same = {"d": 350}
    low = {"15": measured(1, 2, 3)}
    return [
        Result("low_rank_euclidean", same, {"full": measured(1), "ranks": low}),
        *(
            Result(
                "low_rank_full",
                same | {"solver": solver},
                {"full": measured(1, 2), "ranks": low, "objective": eq3, "steps": 151},
            )
            for solver, eq3 in (("printed", 120.0), ("optimum", 100.0))
        ),
        Result("low_rank_rect", same | {"solver": "printed", "r": 15}, measured(1, 4)),
        Result("low_rank_rect", same | {"solver": "optimum", "r": 15}, None, "stopped"),
    ]


def rows_of(method, dimensions):
    rows = results.figure2(Context(scale="paper"), of_toy()).rows
    keys = {"method": method, "dimensions": dimensions}
    return {row["measure"]: row for row in rows if keys.items() <= row.items()}


def test_errors_and_differences():
    rect = rows_of("LMNN-RECT, printed steps", 15)
    assert rect["test error (%)"]["ours"] == 2.0
    less = {name: rect[f"errors less those of {name} (%)"]["ours"] for name in results.OTHERS}
    assert less == {"PCA": -1.0, "LMNN-SVD": -1.0, "all components": 1.0}
    assert rect["errors less those of PCA (%)"]["repetitions"] == 1
    svd = rows_of("LMNN-SVD, optimum", 15)
    assert "errors less those of LMNN-SVD (%)" not in svd
    assert svd["errors less those of all components (%)"]["ours"] == 2.0
    assert not any("less" in measure for measure in rows_of("PCA", 15))
    first = results.figure2(Context(scale="paper"), of_toy()).rows[0]
    assert (first["status"], first["why"]) == ("not available", "stopped")


def test_searches_are_ratios_of_one_run():
    """14 s of scan over 4 s of balls; the parts have 3 and 4, whose deviation is sqrt(1/2)."""
    rows = rows_of("Euclidean, all components", 350)
    balls = rows["balls, times as fast as the scan"]
    assert (balls["ours"], balls["repetitions"]) == (3.5, 2)
    assert balls["std"] == pytest.approx(0.5**0.5)
    assert rows["boxes, times as fast as the scan"]["ours"] == 7.0
    assert rows["balls, times as fast as one leaf"]["ours"] == 1.5
    counts = {measure: rows[measure]["ours"] for measure, _ in results.COUNTS}
    assert list(counts.values()) == [50.0, 12.5, 25.0]
    assert rows[results.FEWER]["ours"] == 0.5
    assert set(rows) == {"test error (%)", *results.OF_SEARCHES}


def test_the_note_says_how_far_the_steps_come():
    notes = results.figure2(Context(scale="paper"), of_toy()).notes
    assert notes[1] == "The 151 printed steps of the full metric end 20 % above its optimum."
    assert len(results.figure2(Context(scale="paper"), of_toy()[:2]).notes) == 1


# ------------------------------------------------------------------------------------------ picture


def test_picture():
    drawing = results.figure2(Context(scale="paper"), of_toy()).drawing
    drawing["methods"]["PCA"]["100"] = {"error": 1.0, "balls": 1.0, "boxes": 1.0, "fewer": 0.1}
    figure = picture(error_plots.draw_ranks, drawing)
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


def test_an_earlier_record_has_other_methods():
    old = {"15": {"error": 3.0, "speedup": 20.0}}
    figure = picture(error_plots.draw_ranks, {"methods": {"PCA": old, "LMNN-SVD": old}})
    assert list(legend(figure)) == ["PCA", "LMNN-SVD", "boxes, by seconds"]
    assert curves(figure.axes[0])[0] == [(15, 20)]
    assert curves(figure.axes[1]) == [[(15, 3)], [(15, 3)]]


def test_a_record_without_times_has_no_panel_for_them():
    old = {"15": {"error": 3.0}}
    figure = picture(error_plots.draw_ranks, {"methods": {"PCA": old, "LMNN-SVD": old}})
    assert len(figure.axes) == 1 and list(legend(figure)) == ["PCA", "LMNN-SVD"]
