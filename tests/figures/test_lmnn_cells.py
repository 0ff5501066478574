"""The cells of LMNN's Figures 1, 3 and 4 and of the gain in training on small sets, by brute force.

Trainings are those of `refimpl.lmnn`, which tests/lmnn tests; here is what figures make of them.
"""

import itertools

import lmnn_toy
import numpy as np
import pytest
from agreement import KERNELS
from lmnn_toy import N_TRAIN
from toy_sets import components, nn_error, provide

from paper_figures.lmnn import clusters, decoupled, gain, shapes
from paper_figures.lmnn.points import in_training
from paper_figures.study import Job
from refimpl.ball_trees import as_tree
from refimpl.lmnn import LMNNOptions, kmeans_partition, lmnn

WAYS = ["products", "scan", "balls", "small balls", "boxes"]


@pytest.fixture
def toy(monkeypatch):
    return lmnn_toy.points(monkeypatch)


def only(compute, **cell):
    """The single observation of a cell."""
    (value,) = lmnn_toy.ask(
        compute, **({"data_set": "lmnn toy", "preparation": "as they are"} | cell)
    )
    return value


# ----------------------------------------------------------------------------------- figures 1 to 3


def test_the_ball_is_the_widest_node_of_5_to_24_points(monkeypatch):
    """The first 400 points are in the tree, the first 200 test points are candidates."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(660, 3)) * [4.0, 2.0, 0.5]
    provide(monkeypatch, "lmnn plane", X, np.arange(660) % 2, 430)
    value = only(shapes.ball, data_set="lmnn plane")
    # an axis of principal components has no sign: take those of the task
    plane = components(X, 430, 2)
    signs = [
        (u, v)
        for u in (1, -1)
        for v in (1, -1)
        if np.abs(plane[430:630] * [u, v] - value["query"]).sum(axis=1).min() < 1e-9
    ]
    (sign,) = signs
    A, Q = plane[:400] * sign, plane[430:630] * sign
    centre, radius, query = value["centre"], value["radius"], value["query"]
    tree = as_tree(A, leaf_size=12, direction="principal")
    sizes = tree.ends - tree.starts
    assert radius == pytest.approx(tree.radii[(sizes >= 5) & (sizes <= 24)].max())
    inside = np.array(value["inside"])
    assert 5 <= len(inside) <= 24
    assert np.sqrt(((inside - centre) ** 2).sum(axis=1)).max() <= radius * (1 + 1e-9)
    apart = np.sqrt(((Q - centre) ** 2).sum(axis=1))
    np.testing.assert_allclose(query, Q[np.abs(apart - 3 * radius).argmin()])
    lengths = np.sqrt(((A - query) ** 2).sum(axis=1))
    np.testing.assert_allclose(value["neighbour"], A[lengths.argmin()])
    assert value["neighbour_distance"] == pytest.approx(lengths.min())
    assert value["bound"] == pytest.approx(np.sqrt(((query - centre) ** 2).sum()) - radius)
    assert value["least"] == pytest.approx(np.sqrt(((inside - query) ** 2).sum(axis=1)).min())
    assert 0 < value["bound"] <= value["least"]


def test_local_metrics_of_two_digits(toy, monkeypatch):
    """The first 30 training points of the digits, centred, on two components of their own."""
    X, y = toy
    monkeypatch.setattr(shapes, "DIGITS", (7, 2))
    monkeypatch.setattr(shapes, "SHOWN", 4)
    value = only(shapes.ellipsoids, n=30)
    kept = [i for i in range(N_TRAIN) if y[i] in (2, 7)][:30]
    Z, labels = components(X[kept], 30, 2), y[kept]
    signs = np.sign((np.array(value["centres"]) * [Z[labels == c].mean(axis=0) for c in (7, 2)])[0])
    Z = Z * signs
    for c, points, centre in zip((7, 2), value["points"], value["centres"], strict=True):
        np.testing.assert_allclose(points, Z[labels == c][:4], atol=1e-9)
        np.testing.assert_allclose(centre, Z[labels == c].mean(axis=0), atol=1e-9)
    model = lmnn(Z, labels, 3, partition=labels)
    one = lmnn(Z, labels, 3)
    parts = (labels == 7).astype(int)
    assert value["objective"] == pytest.approx(model.objective, rel=1e-3)
    assert 0 <= value["gap"] < 0.1 and np.shape(value["metrics"]) == (2, 2, 2)
    np.testing.assert_allclose(value["metrics"], model.M, rtol=0.05, atol=1e-3)
    metrics = np.array(value["metrics"])
    assert value["several"] == pytest.approx(
        nn_error(Z, labels, Z, labels, 3, metrics, parts, leave_out=True)
    )
    assert value["one"] == pytest.approx(
        nn_error(Z, labels, Z, labels, 3, [one.L[0].T @ one.L[0]], leave_out=True)
    )
    assert value["euclidean"] == pytest.approx(nn_error(Z, labels, Z, labels, 3, leave_out=True))


# -------------------------------------------------------------------------------- several metrics


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
    value = only(clusters.several, n=N_TRAIN, d=4, p=p, run=1, checks=6)
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
    assert (value["metrics"], value["passed"]) == (len(metrics), model.full_checks)
    assert value["message"] == model.message


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
    assert (
        value["share"] == 1.0
        if bound == "leaf"
        else value["impostors"] / other.sum() < value["share"] < 1.0
    )
    assert 0 <= value["built"] <= value["seconds"]


def test_all_ways_find_the_same_under_metrics_of_the_training(monkeypatch):
    """The clock moves by 1 each time it is asked: four full checks take 1 each, and the whole
    training twice four times plus one.
    """
    lmnn_toy.points(monkeypatch)
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


def test_metrics_one_by_one_are_those_of_the_points_of_a_cluster(toy):
    """Two clusters of the toy; each has the metric that its own points have alone."""
    cell = {"data_set": "lmnn toy", "preparation": "as they are", "n": N_TRAIN, "d": 3}
    seen = lmnn_toy.ask(decoupled.compute, **cell, p=2, run=0)
    errors = {item["way"]: item["error"] for item in seen}
    job = Job(0, lmnn_toy.fast_or_reference, None, ("lmnn toy",))
    given = decoupled.points(job, "lmnn toy", "as they are", 3, N_TRAIN)
    trains = in_training(given.y, job.rng_for("held out", "lmnn toy", 0))
    inside = kmeans_partition(given.X, 2, rng=job.rng_for("clusters", "lmnn toy", 0, 2))
    metrics = []
    for a in range(2):
        kept = [
            i
            for i in np.flatnonzero(inside == a)
            if sum(trains & (inside == a) & (given.y == given.y[i])) > 3
        ]
        X, y, mine = given.X[kept], given.y[kept], trains[kept]
        L = np.eye(3)
        if len(set(y)) > 1:
            options = LMNNOptions(
                solver="printed", validation=(X[~mine], y[~mine]), max_checks=decoupled.CHECKS
            )
            L = lmnn(X[mine], y[mine], 3, options=options).L[0]
        metrics.append(L.T @ L)
    X, y = given.X[trains], given.y[trains]
    wrong = nn_error(given.Q, given.z, X, y, 3, metrics, parts=inside[trains])
    assert errors[decoupled.APART] == pytest.approx(wrong)
    one = LMNNOptions(
        solver="printed",
        validation=(given.X[~trains], given.y[~trains]),
        max_checks=decoupled.CHECKS,
    )
    L = lmnn(X, y, 3, options=one).L[0]
    assert errors[decoupled.ONE] == pytest.approx(nn_error(given.Q, given.z, X, y, 3, [L.T @ L]))
    assert set(errors) == {decoupled.ONE, decoupled.TOGETHER, decoupled.APART, decoupled.SCALED}


def test_a_cluster_of_one_class_keeps_the_euclidean_metric(toy):
    X, y = np.arange(24.0).reshape(12, 2), np.repeat([0, 1], 6)
    given = decoupled.Points(X, y, X, y)
    kernels = Job(0, lmnn_toy.fast_or_reference).kernels
    apart, to_scale = decoupled.one_by_one(given, np.ones(12, dtype=bool), y, kernels)
    np.testing.assert_array_equal(apart, [np.eye(2)] * 2)
    # the three nearest of its class are 8, 8, 32 or 8, 32, 72 away: the mean is 24
    near = np.mean([[8, 32, 72], [8, 8, 32], [8, 8, 32]])
    np.testing.assert_allclose(to_scale[0], np.eye(2) / np.sqrt(near))
