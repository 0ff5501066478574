"""LMNN's studies where no small cell reaches: prepared images, samples, many optima, seconds.

That cells give the numbers that they gave is held by test_probes.py.
"""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from agreement import NAMES
from toy_sets import provide

from paper_figures.lmnn import clusters, courses, decoupled, gain, low_rank, training
from paper_figures.lmnn.least_trace import least_trace
from paper_figures.lmnn.points import deskewed, prepared, sample_of
from paper_figures.study import Job

WINE = {"data_set": "wine", "preparation": "as they are"}
WAYS = ["products", "scan", "balls", "small balls", "boxes"]


def only(compute, **cell):
    """The single observation of a cell."""
    (value,) = compute(Job(0, NAMES[-1], None, (cell["data_set"],)), **cell)
    return value


# -------------------------------------------------------------------------------- points, samples


def test_preparations():
    X = np.array([[0.0, 3.0], [4.0, 0.0]])
    assert prepared(X, "as they are") is X
    assert prepared(X, "raw").tolist() == [[0.0, 0.75], [1.0, 0.0]]
    half = 0.5**0.5
    np.testing.assert_allclose(prepared(X, "normalised"), [[-half, half], [half, -half]])


def test_deskewing_puts_a_slanted_bar_upright_and_in_the_middle():
    image = np.zeros((1, 28, 28))
    for row in range(4, 22):
        image[0, row, 24 - row // 2 - 8 : 24 - row // 2 - 5] = 1.0
    straight = deskewed(image)[0]
    columns = np.arange(28)
    before, after = (
        np.ptp([(picture[row] * columns).sum() / picture[row].sum() for row in range(8, 19)])
        for picture in (image[0], straight)
    )
    assert after < 0.5 < before
    assert straight.sum() == pytest.approx(image.sum(), rel=0.1)
    mass = straight / straight.sum()
    assert (mass.sum(axis=0) @ columns, mass.sum(axis=1) @ columns) == pytest.approx(
        (14, 14), abs=0.2
    )
    assert (prepared(image.reshape(1, -1), "deskewed").reshape(28, 28) == straight).all()
    assert (deskewed(np.zeros((1, 6, 6))) == 0).all()


def test_few_points_are_as_many_of_each_class_and_many_are_any():
    """With k = 1 and two classes 40 points are many: they need not be 20 and 20."""
    y = np.repeat([3, 8], [150, 50])
    job = Job(0, "reference")
    few = [sample_of(job, "s", y, 39, sample, 1) for sample in (0, 0, 1)]
    assert [(y[rows] == 3).sum() for rows in few] == [19] * 3 and len(few[0]) == 38
    assert (few[0] == few[1]).all() and (few[0] != few[2]).any()
    assert (np.diff(few[0]) > 0).all()
    many = [sample_of(job, "s", y, 40, sample, 1) for sample in range(5)]
    assert {len(set(rows.tolist())) for rows in many} == {40}
    assert len({int((y[rows] == 3).sum()) for rows in many}) > 1
    assert sample_of(job, "s", y, 200, 0, 1).tolist() == list(range(200))


# ------------------------------------------------------------------------------------- trainings


def test_errors_by_hand():
    """Five points on a line: three others vote, or the point itself and two others."""
    X, y = np.array([[0.0], [1], [2.5], [4.5], [10]]), np.array([0, 1, 0, 1, 1])
    on_a_line = decoupled.Points(X, y, np.array([[2.0]]), np.array([0]))
    errors = training._errors(Job(0, NAMES[-1]), np.eye(1), on_a_line, train=True)
    of_ties = {name: list(of.values()) for name, of in errors.items()}
    assert of_ties == {"test": [0, 0], "left_out": [80, 80], "own": [40, 40]}


def test_points_held_out_do_not_vote_where_they_are_asked():
    """On a line the nearest points are of the other class."""
    X, y = np.arange(24.0)[:, None], np.arange(24) % 2
    trains = np.arange(24) % 6 != 3
    parts = courses.Parts(X, y, trains, X[:1], y[:1], False, Job(0, NAMES[-1]).kernels)
    measured = courses._measured(parts, np.eye(1)[None], train=True)
    of_nearest = [measured[name]["1"] for name in ("test", "validation", "train", "learnt")]
    assert of_nearest == [0, 100, 100, 100]


def test_training_errors_on_the_way_are_those_of_all_points():
    watched = [cell for cell in courses.cells("paper") if cell["watched"]]
    assert {(cell["by_class"], cell["split"]) for cell in watched} == {(True, None)}


def test_a_training_ends_where_five_checks_find_no_lower_error(monkeypatch):
    errors = [5.0, 6.0, 6.0, 3.0, 4.0, 4.0, 4.0, 4.0, 4.0, 1.0]
    seen = ({"validation": {"3": error}} for error in errors)
    monkeypatch.setattr(courses, "_measured", lambda *_, train: next(seen))
    log = courses._Log(None, watched=False)
    for t in range(10):
        log.add(SimpleNamespace(state=SimpleNamespace(t=t, L=t)))
    assert log.least == 3


def test_a_run_ends_after_its_full_checks(monkeypatch):
    def asked(*arguments, options, **how):
        raise LookupError(f"{options.max_checks} checks")

    monkeypatch.setattr(clusters, "lmnn", asked)
    with pytest.raises(LookupError, match="7 checks"):
        only(clusters.several, **WINE, n=54, d=4, p=None, run=1, checks=7)


# ------------------------------------------------------------------------------------ least trace


def test_the_least_trace_by_hand():
    """Target neighbours differ in the first coordinate, classes by 2 in the second.

    M must be 0 in the first and 1 / 4 in the second; the third, where nothing differs, stays 0.
    """
    X = np.array([[0.0, 0, 5], [3, 0, 5], [1, 2, 5], [2, 2, 5]])
    targets = np.array([[1], [0], [3], [2]])
    L = least_trace(X, np.array([0, 0, 1, 1]), targets)
    np.testing.assert_allclose(L.T @ L, np.diag([0, 0.25, 0]), atol=1e-8)


def test_the_least_trace_of_three_classes():
    """Classes at (0, 0), (1, 0) and (0, 1): the two short differences must be 1, the long one is.

    M = I has trace 2. Any M has M_11 >= 1 and M_22 >= 1, so none has less.
    """
    X = np.array([[0.0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]])
    y = np.array([0, 0, 1, 1, 2, 2])
    L = least_trace(X, y, np.array([[1], [0], [3], [2], [5], [4]]))
    M = L.T @ L
    assert np.trace(M) == pytest.approx(2.0, rel=1e-6)
    assert all(
        (X[i] - X[j]) @ M @ (X[i] - X[j]) >= 1 for i in range(6) for j in range(i) if y[i] != y[j]
    )
    np.testing.assert_allclose(M[2], 0, atol=1e-8)


def test_no_metric_has_a_sum_of_0_where_classes_mix():
    X = np.array([[0.0, 0], [2, 0], [1, 0], [3, 0]])
    assert least_trace(X, np.array([0, 0, 1, 1]), np.array([[1], [0], [3], [2]])) is None


def test_many_optima_are_told(monkeypatch):
    """Three points of each of two classes in 5 dimensions: eq. 3 reaches 0."""
    X = np.random.default_rng(1).normal(size=(8, 5))
    provide(monkeypatch, "lmnn six", X, np.array([0, 0, 0, 1, 1, 1, 0, 1]), 6)
    monkeypatch.setattr(training, "K", 1)
    at = {"data_set": "lmnn six", "preparation": "as they are", "n": 6, "sample": 0, "d": 5}
    value = only(training.compute, part="certified", **at)
    assert not value["unique"]
    assert (value["objective"], value["active"], value["gap"]) == (0.0, 0, 0.0)


# ------------------------------------------------------------------------------- what trees gain


def test_all_ways_find_the_same_under_metrics_of_the_training(monkeypatch):
    """The clock moves by 1 each time it is asked: a full check takes 1, the training 2 * 4 + 1."""
    monkeypatch.setattr(gain, "process_time", itertools.count().__next__)
    monkeypatch.setattr(gain, "CHECKS", 4)
    monkeypatch.setattr(gain, "EVERY", 2)
    value = only(gain.training_gain, **WINE, n=50, d=4)
    assert (value["searches"], value["steps"], value["rest"]) == (4, 7, 9 - 4)
    assert list(value["impostors"]) == WAYS
    counts = list(value["impostors"].values())
    assert all(count == counts[0] for count in counts) and len(counts[0]) == 2
    assert counts[0][0] > 0 and value["share"]["scan"] == [1.0, 1.0]
    assert value["seconds_of"]["products"] == [1, 1] and value["seconds_of"]["balls"] == [6, 6]
    assert value["built"]["balls"] == [3, 3] and value["built"]["products"] == [0.0, 0.0]


# ------------------------------------------------------------------------ metrics learnt one by one


def test_a_cluster_of_one_class_keeps_the_euclidean_metric():
    X, y = np.arange(24.0).reshape(12, 2), np.repeat([0, 1], 6)
    given = decoupled.Points(X, y, X, y)
    kernels = Job(0, NAMES[-1]).kernels
    apart, to_scale = decoupled.one_by_one(given, np.ones(12, dtype=bool), y, kernels)
    np.testing.assert_array_equal(apart, [np.eye(2)] * 2)
    # the three nearest of its class are 8, 8, 32 or 8, 32, 72 away: the mean is 24
    near = np.mean([[8, 32, 72], [8, 8, 32], [8, 8, 32]])
    np.testing.assert_allclose(to_scale[0], np.eye(2) / np.sqrt(near))


# ---------------------------------------------------------------------------------------- low ranks


def test_what_a_search_looks_at(monkeypatch):
    """The clock moves by 1 each time it is asked; few points are one leaf."""
    monkeypatch.setattr(low_rank, "process_time", itertools.count().__next__)
    monkeypatch.setattr(low_rank, "BLOCKS", 4)
    value = only(low_rank.compute, **WINE, n=54, d=5, method="Euclidean", ranks=())
    ways = ("scan", "leaf", "balls", "boxes")
    assert value["seconds_of"] == {way: [1, 1, 1, 1] for way in ways}
    assert value["balls"] == value["boxes"] == 1.0
    assert list(value["leaves"]) == ["2", "4", "8", "16", "32", "64", "128"]
    assert value["leaves"]["128"] == [1, 1.0] and value["leaves"]["2"][1] < 1.0
