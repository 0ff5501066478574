"""Figure 4 of LMNN: a run on a small set by brute force, its rows from values by hand, its picture.

Not here: early stopping itself (tests/lmnn).
"""

import lmnn_toy
import numpy as np
import pytest
from figure_runs import run
from lmnn_toy import N_TRAIN, fast_or_reference
from pictures import bars, curves, legend, picture, texts
from toy_sets import components, nn_error

from paper_figures.lmnn import clusters, error_plots
from paper_figures.lmnn.clusters_results import figure4
from paper_figures.lmnn.prepared import in_training
from paper_figures.tasks import Context, Result
from paper_figures.tasks import TaskJob as Job
from refimpl.lmnn import LMNNOptions, kmeans_partition, lmnn

PAPER = Context(scale="paper")


def test_a_share_of_each_class_is_held_out():
    y = np.repeat([4, 1], [10, 7])
    trains = in_training(y, np.random.default_rng(0))
    assert [(~trains[y == c]).sum() for c in (4, 1)] == [3, 2]
    again = in_training(y, np.random.default_rng(1))
    assert (trains != again).any()


@pytest.mark.parametrize("p", [None, 2])
def test_a_run(monkeypatch, p):
    X, y = lmnn_toy.points(monkeypatch)
    Z = components(X, N_TRAIN, 4)
    Z, labels, Q, z = Z[:N_TRAIN], y[:N_TRAIN], Z[N_TRAIN:], y[N_TRAIN:]
    params = {
        "data_set": "lmnn toy",
        "preparation": "as they are",
        "n": N_TRAIN,
        "d": 4,
        "k": 3,
        "p": p,
        "run": 1,
        "max_checks": 6,
    }
    value = run(clusters, "several", params, fast_or_reference).value
    job = Job(0, "reference")
    trains = in_training(labels, job.rng_for("held out", "lmnn toy", 1))
    partition = labels
    if p is not None:
        partition = kmeans_partition(Z, p, rng=job.rng_for("clusters", "lmnn toy", 1, p))
    inside = np.unique(partition[trains], return_inverse=True)[1]
    held_out = (Z[~trains], labels[~trains])
    options = LMNNOptions(solver="printed", validation=held_out, max_checks=6)
    model = lmnn(Z[trains], labels[trains], 3, partition=inside, options=options)
    metrics = [L.T @ L for L in model.L]
    parts = np.unique(partition, return_inverse=True)[1]
    by_trained = nn_error(Q, z, Z[trains], labels[trains], 3, metrics, inside)
    assert value["error"] == pytest.approx(by_trained)
    assert value["all"] == pytest.approx(nn_error(Q, z, Z, labels, 3, metrics, parts))
    assert value["euclidean"] == pytest.approx(nn_error(Q, z, Z, labels, 3))
    assert value["least"] == pytest.approx(100 * model.validation_errors.min())
    assert (value["metrics"], value["checks"]) == (len(metrics), model.full_checks)
    assert value["message"] == model.message


def of_runs(name, p, *errors):
    return [
        Result("several_metrics", {"data_set": name, "p": p}, {"error": error, "all": error + 10})
        for error in errors
    ]


def test_rows_are_means_and_deviations_of_runs():
    """1, 2 and 4 have the mean 7/3 and the deviation sqrt(7/3)."""
    gathered = figure4(PAPER, [*of_runs("isolet", None, 1.0, 2.0, 4.0), *of_runs("wine", 2, 3.0)])
    rows = {(row["data set"], row["metrics"], row["voters"]): row for row in gathered.rows}
    by_class = rows["isolet", "one for each class", "points that trained"]
    assert (by_class["ours"], by_class["repetitions"]) == (2.333, 3)
    assert by_class["std"] == pytest.approx((7 / 3) ** 0.5)
    assert rows["isolet", "one for each class", "all points"]["ours"] == 12.333
    assert rows["wine", 2, "all points"] == {
        "data set": "wine",
        "metrics": 2,
        "voters": "all points",
        "published": None,
        "ours": 13.0,
        "std": None,
    }
    assert len(rows) == 4 and gathered.notes[0].startswith("Means of 1 or 3 runs (the paper: 100)")


def test_what_is_missing_stands_first():
    gone = Result("several_metrics", {"data_set": "isolet", "p": 1}, None, "gone")
    rows = figure4(PAPER, [gone, *of_runs("isolet", 1, 1.0, 2.0)]).rows
    assert (rows[0]["why"], rows[0]["data set"]) == ("gone", "all")
    assert [row["repetitions"] for row in rows[1:]] == [2, 2]


def test_picture():
    results = [
        *of_runs("isolet", None, 1.0, 3.0),
        *of_runs("isolet", 10, 5.0, 7.0),
        *of_runs("isolet", 1, 8.0, 8.0),
    ]
    figure = picture(error_plots.draw_clusters, None, figure4(PAPER, results).rows)
    (axis,) = figure.axes
    assert texts(axis) == ("isolet", "number of metrics", "test error (%)")
    lines = curves(axis)
    assert [(1, 8), (10, 6)] in lines and [(1, 18), (10, 16)] in lines
    levels = [line.get_ydata()[0] for line in axis.lines if line.get_linestyle() == "--"]
    assert {2.0, 12.0} <= set(levels)
    assert len(bars(axis)) == 2
    assert list(legend(figure)) == [
        "clusters by k-means, points that trained vote",
        "one for each class, points that trained vote",
        "clusters by k-means, all points vote",
        "one for each class, all points vote",
    ]
    title = figure.legends[0].get_title().get_text()
    assert title == "bars and bands: standard errors of means of 2 runs"


def test_a_single_run_has_no_bars():
    rows = figure4(PAPER, of_runs("wine", 1, 2.0)).rows
    figure = picture(error_plots.draw_clusters, None, rows)
    said = figure.legends[0].get_title().get_text()
    assert said == "one run each, without standard errors"


def test_an_earlier_record_does_not_say_who_votes():
    keys = {"data set": "wine", "published": None, "std": 0.1, "repetitions": 3}
    rows = [keys | {"metrics": p, "ours": 2.0} for p in (1, 2, "one for each class")]
    figure = picture(error_plots.draw_clusters, None, rows)
    assert list(legend(figure)) == ["clusters by k-means", "one for each class"]
