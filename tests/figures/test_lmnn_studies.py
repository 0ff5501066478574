"""LMNN's studies: samples, trainings, what trees gain, by brute force on small sets."""

import itertools

import numpy as np
import pytest
from agreement import KERNELS, NAMES
from oracles_lmnn import target_neighbours, triples
from toy_sets import components, nn_error, provide

from paper_figures.lmnn import clusters, courses, decoupled, gain, low_rank, shapes, training
from paper_figures.lmnn.least_trace import least_trace
from paper_figures.lmnn.points import deskewed, in_training, prepared, sample_of, voted
from paper_figures.study import Job
from refimpl.lmnn import LMNNOptions, lmnn

JOB = Job(0, "reference", None, ("lmnn toy",))
N, N_TRAIN = 70, 54
TOY = {"data_set": "lmnn toy", "preparation": "as they are"}
WAYS = ["products", "scan", "balls", "small balls", "boxes"]


def toy_points(monkeypatch):
    """Let the tasks load the data set "lmnn toy"; return its images and classes.

    They are images of 4 x 4 in three classes that overlap, unequal in size and in brightness.
    """
    rng = np.random.default_rng(3)
    y = rng.permutation(np.repeat([2, 5, 7], [30, 24, 16]))
    X = rng.gamma(2.0, 1.0, size=(N, 16)) * np.linspace(3.0, 0.5, 16)
    X[np.arange(N), y] += 5.0
    X = X * rng.gamma(3.0, 1.0, size=(N, 1))
    provide(monkeypatch, "lmnn toy", X, y, N_TRAIN)
    return X, y


def ask(compute, **cell):
    """The observations of a cell, each with the cell's parameters."""
    job = Job(0, NAMES[-1], None, (cell["data_set"],))
    return [cell | item for item in compute(job, **cell)]


def split(X, y, d):
    """Return the training points on d components, their classes, the test points and theirs."""
    n = N_TRAIN
    Z = components(X, n, d)
    return Z[:n], y[:n], Z[n:], y[n:]


@pytest.fixture
def toy(monkeypatch):
    """A function of the number of components."""
    X, y = toy_points(monkeypatch)
    return lambda d: split(X, y, d)


def only(compute, **cell):
    """The single observation of a cell."""
    (value,) = ask(compute, **(TOY | cell))
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


def test_an_empty_image_stays_empty():
    assert (deskewed(np.zeros((1, 6, 6))) == 0).all()


def test_few_points_are_as_many_of_each_class_and_many_are_any():
    """With k = 1 and two classes 40 points are many: they need not be 20 and 20."""
    y = np.repeat([3, 8], [150, 50])
    few = [sample_of(JOB, "s", y, 39, sample, 1) for sample in (0, 0, 1)]
    assert [(y[rows] == 3).sum() for rows in few] == [19] * 3 and len(few[0]) == 38
    assert (few[0] == few[1]).all() and (few[0] != few[2]).any()
    assert (np.diff(few[0]) > 0).all()
    many = [sample_of(JOB, "s", y, 40, sample, 1) for sample in range(5)]
    assert {len(set(rows.tolist())) for rows in many} == {40}
    assert len({int((y[rows] == 3).sum()) for rows in many}) > 1
    assert sample_of(JOB, "s", y, 200, 0, 1).tolist() == list(range(200))


def test_ties_go_to_the_lowest_class_or_to_the_nearest():
    near = np.array([[1, 0, 2], [2, 0, 0], [2, 2, 0]])
    assert voted(near, "first class").tolist() == [0, 0, 2]
    assert voted(near, "nearest").tolist() == [1, 0, 2]


# ------------------------------------------------------------------------------------- trainings


def test_a_certified_training(toy, monkeypatch):
    monkeypatch.setattr(training, "TOL", 0.1)
    Z, labels, Q, z = toy(4)
    value = only(training.compute, part="certified", n=100, sample=0, d=4)
    model = lmnn(Z, labels, 3, options=LMNNOptions(tol=0.1))
    M = [model.L[0].T @ model.L[0]]
    slacks = [s for *_, s in triples(Z, labels, target_neighbours(Z, labels, 3), M, [0] * len(Z))]
    sizes = [(labels == c).sum() for c in (2, 5, 7)]
    assert value["unique"] and value["objective"] == pytest.approx(model.objective, rel=1e-9)
    assert value["active"] == sum(slack > 0 for slack in slacks)
    assert value["active_pairs"] <= value["active"] <= 3 * value["active_pairs"]
    assert value["total"] == sum(size * (54 - size) for size in sizes) and value["n"] == 54
    assert value["trace"] == pytest.approx(np.trace(M[0]))
    errors = {
        "test": nn_error(Q, z, Z, labels, 3, M),
        "left_out": nn_error(Z, labels, Z, labels, 3, M, leave_out=True),
        "own": nn_error(Z, labels, Z, labels, 3, M),  # each point is its own nearest
    }
    assert {key: value[key]["first class"] for key in errors} == pytest.approx(errors)
    assert value["euclidean"]["test"]["first class"] == pytest.approx(nn_error(Q, z, Z, labels, 3))


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
    at = {"data_set": "lmnn six", "n": 6, "sample": 0, "d": 5}
    value = only(training.compute, part="certified", **at)
    assert not value["unique"]
    assert (value["objective"], value["active"], value["gap"]) == (0.0, 0, 0.0)


# --------------------------------------------------------------------------------------- figure 5


def test_early_stopping_is_that_of_the_training(toy):
    how = {"share": 0.8, "checks": 7, "watched": True, "by_class": True, "split": 0}
    value = only(courses.course, **how)
    Z, labels, Q, z = toy(value["d"])
    trains = in_training(labels, JOB.rng_for("held out", "lmnn toy", 0))
    A, a = Z[trains], labels[trains]
    held = (Z[~trains], labels[~trains])
    single = lmnn(A, a, 3, options=LMNNOptions(tol=1e-2, validation=held))
    options = LMNNOptions(solver="printed", validation=held, max_checks=7)
    start = np.repeat(single.L, 3, axis=0)
    model = lmnn(A, a, 3, partition=a, options=options, start=start)
    metrics = [L.T @ L for L in model.L]
    places = np.searchsorted([2, 5, 7], labels)
    stopped = value["stopped"]
    assert stopped["check"] == int(np.argmin(model.validation_errors)) + 1
    assert stopped["test"]["3"] == pytest.approx(nn_error(Q, z, Z, labels, 3, metrics, places))
    train = nn_error(Z, labels, Z, labels, 3, metrics, places, leave_out=True)
    assert stopped["train"]["3"] == pytest.approx(train)
    assert [check["validation"]["3"] for check in value["checks"]][: model.full_checks] == (
        pytest.approx(100 * model.validation_errors)
    )
    assert {"test", "train", "learnt"} <= set(value["checks"][0])


# ----------------------------------------------------------------------------------- figures 1 to 3


def test_local_metrics_of_two_digits(monkeypatch):
    """The first 30 training points of the digits, centred, on two components of their own."""
    X, y = toy_points(monkeypatch)
    monkeypatch.setattr(shapes, "DIGITS", (7, 2))
    monkeypatch.setattr(shapes, "SHOWN", 4)
    value = only(shapes.ellipsoids, n=30)
    kept = [i for i in range(N_TRAIN) if y[i] in (2, 7)][:30]
    Z, labels = components(X[kept], 30, 2), y[kept]
    signs = np.sign((np.array(value["centres"]) * [Z[labels == c].mean(axis=0) for c in (7, 2)])[0])
    Z = Z * signs
    for c, drawn, centre in zip((7, 2), value["points"], value["centres"], strict=True):
        np.testing.assert_allclose(drawn, Z[labels == c][:4], atol=1e-9)
        np.testing.assert_allclose(centre, Z[labels == c].mean(axis=0), atol=1e-9)


# -------------------------------------------------------------------------------- several metrics


def test_a_share_of_each_class_is_held_out():
    y = np.repeat([4, 1], [10, 7])
    trains = in_training(y, np.random.default_rng(0))
    assert [(~trains[y == c]).sum() for c in (4, 1)] == [3, 2]
    again = in_training(y, np.random.default_rng(1))
    assert (trains != again).any()


def test_a_run_ends_after_its_full_checks(toy):
    toy(4)
    assert only(clusters.several, n=54, d=4, p=None, run=1, checks=2)["passed"] == 2


# ------------------------------------------------------------------------------- what trees gain


@pytest.mark.parametrize("bound", ["ball", "box", "leaf"])
def test_points_of_other_classes_within_a_radius(bound):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(60, 3))
    classes = np.repeat([0, 1, 2], [30, 20, 10])
    radii = rng.uniform(0.2, 2.0, size=60)
    squares = ((Z[:, None] - Z) ** 2).sum(axis=2)
    other = classes[:, None] != classes
    value = gain.in_classes(KERNELS[-1], Z, classes, radii, bound, leaf_size=4)
    assert value["impostors"] == (other & (squares < radii[:, None])).sum()
    if bound == "leaf":
        assert value["share"] == 1.0
    else:
        assert value["impostors"] / other.sum() < value["share"] < 1.0
    assert 0 <= value["built"] <= value["seconds"]


def test_all_ways_find_the_same_under_metrics_of_the_training(toy, monkeypatch):
    """The clock moves by 1 each time it is asked: a full check takes 1, the training 2 * 4 + 1."""
    monkeypatch.setattr(gain, "process_time", itertools.count().__next__)
    monkeypatch.setattr(gain, "CHECKS", 4)
    monkeypatch.setattr(gain, "EVERY", 2)
    value = only(gain.training_gain, n=50, d=4)
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


def test_what_a_search_looks_at(toy, monkeypatch):
    """The clock moves by 1 each time it is asked; few points are one leaf."""
    toy(5)
    monkeypatch.setattr(low_rank, "process_time", itertools.count().__next__)
    monkeypatch.setattr(low_rank, "BLOCKS", 4)
    value = only(low_rank.compute, n=54, d=5, method="Euclidean", ranks=())
    ways = ("scan", "leaf", "balls", "boxes")
    assert value["seconds_of"] == {way: [1, 1, 1, 1] for way in ways}
    assert value["balls"] == value["boxes"] == 1.0
    assert list(value["leaves"]) == ["2", "4", "8", "16", "32", "64", "128"]
    assert value["leaves"]["128"] == [1, 1.0] and value["leaves"]["2"][1] < 1.0
