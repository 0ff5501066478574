"""LMNN's studies: samples, trainings, what trees gain, by brute force on small sets."""

import itertools

import lmnn_toy
import numpy as np
import pytest
from agreement import KERNELS
from oracles_lmnn import target_neighbours, triples
from toy_sets import components, nn_error, provide

from paper_figures.lmnn import clusters, courses, decoupled, gain, low_rank, shapes, training
from paper_figures.lmnn.least_trace import least_trace
from paper_figures.lmnn.points import deskewed, in_training, points, prepared, sample_of, voted
from paper_figures.study import Job
from refimpl.ball_trees import as_tree
from refimpl.lmnn import LMNNOptions, kmeans_partition, lmnn

JOB = Job(0, "reference", None, ("lmnn toy",))
TOY = {"data_set": "lmnn toy", "preparation": "as they are"}
WAYS = ["products", "scan", "balls", "small balls", "boxes"]


def split(X, y, d):
    """Return the training points on d components, their classes, the test points and theirs."""
    n = lmnn_toy.N_TRAIN
    Z = components(X, n, d)
    return Z[:n], y[:n], Z[n:], y[n:]


@pytest.fixture
def toy(monkeypatch):
    """A function of the number of components."""
    X, y = lmnn_toy.points(monkeypatch)
    return lambda d: split(X, y, d)


def only(compute, **cell):
    """The single observation of a cell."""
    (value,) = lmnn_toy.ask(compute, **(TOY | cell))
    return value


# -------------------------------------------------------------------------------- points, samples


def test_fewer_points_are_drawn_once_on_the_components_of_all(toy):
    Z, y, Q, z = toy(4)
    few = points(JOB, "lmnn toy", "as they are", 4, 20)
    rows = (few.X[:, None] == points(JOB, "lmnn toy", "as they are", 4).X).all(axis=2).nonzero()[1]
    assert len(set(rows)) == 20 and (np.diff(rows) > 0).all() and rows[-1] >= 20
    assert few.X == pytest.approx(Z[rows] * np.sign(few.X[0] * Z[rows[0]]))
    assert (few.y == y[rows]).all() and (few.z == z).all() and len(few.Q) == len(Q)
    again = points(JOB, "lmnn toy", "as they are", 4, 20)
    assert (again.X == few.X).all()


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


def test_local_metrics_of_two_digits(monkeypatch):
    """The first 30 training points of the digits, centred, on two components of their own."""
    X, y = lmnn_toy.points(monkeypatch)
    monkeypatch.setattr(shapes, "DIGITS", (7, 2))
    monkeypatch.setattr(shapes, "SHOWN", 4)
    value = only(shapes.ellipsoids, n=30)
    kept = [i for i in range(lmnn_toy.N_TRAIN) if y[i] in (2, 7)][:30]
    Z, labels = components(X[kept], 30, 2), y[kept]
    signs = np.sign((np.array(value["centres"]) * [Z[labels == c].mean(axis=0) for c in (7, 2)])[0])
    Z = Z * signs
    for c, drawn, centre in zip((7, 2), value["points"], value["centres"], strict=True):
        np.testing.assert_allclose(drawn, Z[labels == c][:4], atol=1e-9)
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
def test_a_run(toy, p):
    Z, labels, Q, z = toy(4)
    value = only(clusters.several, n=len(Z), d=4, p=p, run=1, checks=6)
    trains = in_training(labels, JOB.rng_for("held out", "lmnn toy", 1))
    partition = labels
    if p is not None:
        partition = kmeans_partition(Z, p, rng=JOB.rng_for("clusters", "lmnn toy", 1, p))
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
    kernels = Job(0, lmnn_toy.fast_or_reference).kernels
    apart, to_scale = decoupled.one_by_one(given, np.ones(12, dtype=bool), y, kernels)
    np.testing.assert_array_equal(apart, [np.eye(2)] * 2)
    # the three nearest of its class are 8, 8, 32 or 8, 32, 72 away: the mean is 24
    near = np.mean([[8, 32, 72], [8, 8, 32], [8, 8, 32]])
    np.testing.assert_allclose(to_scale[0], np.eye(2) / np.sqrt(near))


# ---------------------------------------------------------------------------------------- low ranks


def test_pca_keeps_the_first_components(toy):
    X, y, Q, z = toy(5)
    seen = lmnn_toy.ask(low_rank.compute, **TOY, n=54, d=5, method="Euclidean", ranks=(1, 3))
    value = {(item["name"], item["rank"]): item for item in seen}
    assert value.pop((low_rank.EUCLIDEAN, 5))["error"] == pytest.approx(nn_error(Q, z, X, y, 3))
    for (_, r), measured in value.items():
        expected = nn_error(Q[:, :r], z, X[:, :r], y, 3)
        assert measured["error"] == pytest.approx(expected)
        assert 100 * len(measured["wrong"]) / len(Q) == pytest.approx(expected)
    assert list(value) == [("PCA", 1), ("PCA", 3)]


def test_what_a_search_looks_at(toy, monkeypatch):
    """The clock moves by 1 each time it is asked; few points are one leaf; terms by a loop."""
    X, _, Q, _ = toy(5)
    monkeypatch.setattr(low_rank, "process_time", itertools.count().__next__)
    monkeypatch.setattr(low_rank, "BLOCKS", 4)
    value = only(low_rank.compute, n=54, d=5, method="Euclidean", ranks=())
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
