"""FTUNE's studies where no small cell reaches: matrices as they are, two classes, equal objects.

That cells give the numbers that they gave is held by test_probes.py.
"""

from unittest.mock import MagicMock as Mock

import numpy as np
import pytest
from agreement import NAMES
from scipy.spatial.distance import cdist
from toy_sets import provide

from paper_figures.ftune import splits, spread, transfer
from paper_figures.study import Job

N = 60
CELL = {"landmarks": 5, "run": 1}


@pytest.fixture
def job(monkeypatch):
    """A job whose data are points of three classes, the matrix of them, and two of the classes."""
    rng = np.random.default_rng(3)
    y = rng.permutation(np.arange(N) % 3)
    X = rng.normal(size=(N, 4)) + y[:, None]
    X[:, 3] = 1.0  # it has no deviation
    D = cdist(X, X, "cityblock")
    for name, of in {"points": (X, y), "matrix": (1 - D / D.max(), y), "two": (X, y > 0)}.items():
        provide(monkeypatch, f"ftune {name}", *of)
    return Job(0, NAMES[-1], None, ("ftune points", "ftune matrix", "ftune two"))


def test_a_matrix_is_taken_as_it_is(job, monkeypatch):
    """Both sets have the same splits and random numbers."""
    drawn = Job.rng_for
    monkeypatch.setattr(Job, "rng_for", lambda job, what, *key: drawn(job, what, key[-1]))
    seen = [
        [
            *splits.accuracies(
                job, data_set=f"ftune {name}", how=how, methods=("BBS", "FTUNE-M"), **CELL
            )
        ]
        for name, how in (("points", "cityblock"), ("matrix", "matrix"))
    ]
    assert seen[0] == seen[1] and len(seen[0]) == 2


def test_two_classes_make_one_problem(job):
    """Landmarks for each problem are then those of FTUNE+D, which is there by itself."""
    at = {"data_set": "ftune two", **CELL}
    assert [*splits.accuracies(job, methods=("FTUNE+DP-S",), how="standardised", **at)] == []
    assert "FTUNE+DP-S" not in {item["method"] for item in transfer.compute(job, **at)}


def test_landmarks_are_chosen_for_methods_that_are_asked_for(job, monkeypatch):
    monkeypatch.setattr(splits, "dselect", None)
    methods = ("BBS", "DBOOST", "FTUNE-S")
    seen = splits.accuracies(job, data_set="ftune two", how="standardised", methods=methods, **CELL)
    assert [item["method"] for item in seen] == ["BBS", "FTUNE-S", "DBOOST"]


def test_one_transfer_function_or_one_for_each_class(job, monkeypatch):
    """Their accuracies in small cells are the same."""
    models = Mock(kind="S", landmarks=[]), Mock(kind="M", landmarks=[])
    monkeypatch.setattr(splits, "ftune_single_and_per_class", lambda *_, **how: models)
    monkeypatch.setattr(splits.Split, "seen", lambda split, name, model, **_: (name, model.kind))
    methods = ("FTUNE-S", "FTUNE-M", "FTUNE+D-M")
    seen = splits.accuracies(job, data_set="ftune points", how="cityblock", methods=methods, **CELL)
    assert dict(seen) == {name: name[-1] for name in methods}


def test_the_least_and_the_largest_slope_alone(job, monkeypatch):
    """The trainings are not made: what is asked of them comes back."""
    monkeypatch.setattr(splits.Split, "ftune", lambda split, pairs, **how: Mock(how=how))
    monkeypatch.setattr(splits.Split, "seen", lambda split, name, model, **_: (name, model.how))
    asked = dict(transfer.compute(job, data_set="ftune points", **CELL))
    assert asked[transfer.LEAST] == {"family": (1.0,)} and asked["FTUNE-S"] == {}
    assert asked[transfer.LARGEST] == {"family": (1000.0,)}


def test_objects_with_equal_similarities_have_no_dimension():
    flat = np.full((4, 2), 0.3)
    assert spread.spread(np.array([[1.0, 0.2], [0.4, 1.0]]), flat) == {
        spread.AMONG: pytest.approx(0.3),
        spread.NEAREST: pytest.approx(0.3),
        spread.DIMENSIONS: 0.0,
    }
    apart = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    assert spread.spread(np.eye(2), apart)[spread.DIMENSIONS] == pytest.approx(2.0)
