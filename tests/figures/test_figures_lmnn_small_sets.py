"""LMNN on small sets: a split on a made-up set, its rows from values by hand, its picture.

Not here: the estimators (tests/estimators), NCA and the SVC of scikit-learn.
"""

import lmnn_toy
import pytest
from figure_runs import run
from lmnn_toy import fast_or_reference
from pictures import curves, legend, picture
from sklearn.model_selection import train_test_split
from toy_sets import nn_error

from paper_figures.lmnn import error_plots, small_sets
from paper_figures.lmnn import small_sets_results as results
from paper_figures.registry import Context, Job, Result
from refimpl.estimators import MultiMetricLMNN

PAPER = Context(scale="paper")


def test_a_split(monkeypatch):
    """Two thirds of 70 are 46; 40 points train at most. Columns are standardised by them."""
    X, y = lmnn_toy.points(monkeypatch)
    params = {"data_set": "lmnn toy", "most": 40, "k": 3, "split": 2}
    value = run(small_sets, "small_set", params, fast_or_reference).value
    seed = int(Job(0, {}, "reference").rng_for("split", "lmnn toy", 2).integers(2**31))
    A, Q, a, z = train_test_split(X, y, train_size=40, stratify=y, random_state=seed)
    Q, A = ((points - A.mean(axis=0)) / A.std(axis=0) for points in (Q, A))
    for name, k in (("1-NN", 1), ("3-NN", 3)):
        assert value[name]["test"] == pytest.approx(nn_error(Q, z, A, a, k))
        assert value[name]["train"] == pytest.approx(nn_error(A, a, A, a, k, leave_out=True))
    for name, share in (("several metrics", 0.3), ("several metrics, no validation", None)):
        model = MultiMetricLMNN(validation=share, random_state=seed, kernels=fast_or_reference)
        model.fit(A, a)
        metrics = [L.T @ L for L in model.components_]
        parts = model.partition_
        assert value[name]["test"] == pytest.approx(nn_error(Q, z, A, a, 3, metrics, parts))
        left_out = nn_error(A, a, A, a, 3, metrics, parts, leave_out=True)
        assert value[name]["train"] == pytest.approx(left_out)
    assert list(value) == list(small_sets.METHODS)
    assert all(0 <= number <= 100 for of in value.values() for number in (of["test"], of["train"]))


def test_the_estimators_are_those_of_the_defaults():
    job = Job(0, {}, fast_or_reference)
    model = small_sets.METHODS["several metrics"](job, 3, 5)
    assert model.validation == MultiMetricLMNN().validation and model.random_state == 5
    assert small_sets.METHODS["several metrics, no validation"](job, 3, 5).validation is None


def split(one, several, data_set="wine"):
    methods = {"one metric": one, "several metrics": several}
    value = {name: {"test": e, "train": e / 2, "seconds": 1.0} for name, e in methods.items()}
    return Result("small_set", {"data_set": data_set, "most": 300}, value)


def test_rows_are_means_over_splits_and_differences_within_them():
    gathered = results.small_sets(PAPER, [split(10.0, 11.0), split(20.0, 24.0)])
    rows = {(row["method"], row["measure"]): row for row in gathered.rows}
    numbers = {key: (row["ours"], row["std"], row["repetitions"]) for key, row in rows.items()}
    half = pytest.approx(50**0.5)
    assert numbers["one metric", "test error (%)"] == (15.0, half, 2)
    assert numbers["one metric", "training error (%)"] == (7.5, pytest.approx(12.5**0.5), 2)
    # 1 and 4
    assert numbers["several metrics", results.LESS] == (2.5, pytest.approx(4.5**0.5), 2)
    assert ("one metric", results.LESS) not in rows and len(rows) == 5
    assert "300 points at most" in gathered.notes[0]


def test_what_is_missing_stands_first():
    gone = Result("small_set", {"data_set": "wine", "most": 300}, None, "gone")
    rows = results.small_sets(PAPER, [gone, split(1.0, 2.0)]).rows
    assert rows[0]["why"] == "gone" and [row["std"] for row in rows[1:]] == [None] * 5


def test_picture():
    both = [
        split(10.0, 11.0),
        split(20.0, 24.0),
        split(1.0, 2.0, "sonar"),
        split(1.0, 2.0, "sonar"),
    ]
    figure = picture(error_plots.draw_small_sets, None, results.small_sets(PAPER, both).rows)
    wine, sonar = figure.axes
    assert (wine.get_title(), sonar.get_title()) == ("wine", "sonar")
    assert curves(wine)[0] == [(15, 0), (17.5, 1)]
    assert [label.get_text() for label in wine.get_yticklabels()] == [
        "one metric",
        "several metrics",
    ]
    assert list(legend(figure)) == ["test error (%)", "training error (%)"]
    said = figure.legends[0].get_title().get_text()
    assert said == "bars: standard errors of means of 2 splits"
    low, high = wine.get_ylim()
    assert low > high  # the first method stands at the top
