"""Table 1's samples, trainings and least trace, the triples ever active and Figure 5's courses.

By brute force, by loops and by hand on small sets. Trainings are those of `refimpl.lmnn`, which
tests/lmnn tests. Not here: the rows (test_lmnn_rows.py).
"""

from collections import Counter

import lmnn_toy
import numpy as np
import pytest
from lmnn_toy import N_TRAIN
from oracles_lmnn import gradient, objective, target_neighbours, triples
from toy_sets import components, nn_error, provide

from paper_figures.lmnn import courses, training
from paper_figures.lmnn.least_trace import least_trace
from paper_figures.lmnn.points import deskewed, in_training, points, prepared, sample_of, voted
from paper_figures.study import Job
from refimpl.lmnn import LMNNOptions, algorithm, lmnn

TOY = {"data_set": "lmnn toy", "preparation": "as they are", "n": 100, "sample": 0, "d": 4}
JOB = Job(0, "reference")


@pytest.fixture
def toy(monkeypatch):
    """Return the training points on 4 components, their classes, test points and theirs."""
    X, y = lmnn_toy.points(monkeypatch)
    Z = components(X, N_TRAIN, 4)
    return Z[:N_TRAIN], y[:N_TRAIN], Z[N_TRAIN:], y[N_TRAIN:]


def ask(part, **params):
    (value,) = lmnn_toy.ask(training.compute, part=part, **(TOY | params))
    return value


# -------------------------------------------------------------------------------- points, samples


def test_fewer_points_are_drawn_once_on_the_components_of_all(toy):
    Z, y, Q, z = toy
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
    assert prepared(X, "unit length").tolist() == [[0.0, 1.0], [1.0, 0.0]]
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
    Z, labels, Q, z = toy
    value = ask("certified")
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


def test_another_order_has_the_same_optimum(toy, monkeypatch):
    monkeypatch.setattr(training, "TOL", 1e-3)
    usual, other = (ask("certified", shuffled=s) for s in (False, True))
    assert usual["objective"] != other["objective"]
    assert usual["objective"] == pytest.approx(other["objective"], rel=2e-3)


def test_the_printed_steps(toy, monkeypatch):
    monkeypatch.setattr(training, "CHECKS", 4)
    Z, labels, Q, z = toy
    targets = target_neighbours(Z, labels, 3)
    c = np.mean([((Z[i] - Z[j]) ** 2).sum() for i in range(54) for j in targets[i]])
    start = np.eye(4) / np.sqrt(c)
    value = ask("printed")
    first = value["checks"][0]
    M = [start.T @ start]
    assert first["objective"] == pytest.approx(objective(Z, labels, targets, 1.0, M, [0] * 54))
    slacks = list(triples(Z, labels, targets, M, [0] * 54))
    assert first["active"] == sum(slack > 0 for *_, slack in slacks)
    assert first["active_pairs"] == len({(i, l) for i, _, l, slack in slacks if slack > 0})
    classes = np.searchsorted([2, 5, 7], labels)
    examples = algorithm.Examples(
        np.ascontiguousarray(Z), classes, np.array(targets), np.zeros(54, dtype=int)
    )
    states = algorithm.steps(examples, 1.0, start[None])
    for line, (now, (best, L)) in zip(
        value["checks"], algorithm.until_converged(states, checks=4), strict=True
    ):
        assert line["steps"] == now.t and line["objective"] == pytest.approx(best, rel=1e-9)
        error = nn_error(Q, z, Z, labels, 3, [L[0].T @ L[0]])
        assert line["test"]["first class"] == pytest.approx(error)
    assert [line["steps"] for line in value["checks"]] == [0, 1, 3, 7]
    own = nn_error(Z, labels, Z, labels, 3, [L[0].T @ L[0]], leave_out=True)
    assert value["end"]["left_out"]["first class"] == pytest.approx(own)


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


def test_two_groups_of_a_class_need_no_margin():
    """One class has groups at 0 and at 0.5, the other is at 2.5: 2 must become 1."""
    X = np.array([[0.0, 0], [0, 1], [0.5, 0], [0.5, 1], [2.5, 0], [2.5, 1]])
    L = least_trace(X, np.array([0, 0, 0, 0, 1, 1]), np.array([[1], [0], [3], [2], [5], [4]]))
    np.testing.assert_allclose(L.T @ L, np.diag([0.25, 0]), atol=1e-8)


def test_no_metric_has_a_sum_of_0_where_classes_mix():
    X = np.array([[0.0, 0], [2, 0], [1, 0], [3, 0]])
    assert least_trace(X, np.array([0, 0, 1, 1]), np.array([[1], [0], [3], [2]])) is None


def test_many_optima_are_told(monkeypatch):
    """Three points of each of two classes in 5 dimensions: eq. 3 reaches 0."""
    X = np.random.default_rng(1).normal(size=(8, 5))
    provide(monkeypatch, "lmnn six", X, np.array([0, 0, 0, 1, 1, 1, 0, 1]), 6)
    monkeypatch.setattr(training, "K", 1)
    value = ask("certified", data_set="lmnn six", n=6, d=5)
    assert not value["unique"]
    assert (value["objective"], value["active"], value["gap"]) == (0.0, 0, 0.0)


# ------------------------------------------------------------------------------------ ever active


def test_triples_that_were_ever_active(toy, monkeypatch):
    monkeypatch.setattr(training, "CHECKS", 2)
    Z, labels, Q, z = toy
    targets = target_neighbours(Z, labels, 3)
    value = ask("ever active")
    M = np.eye(4)
    before = triples(Z, labels, targets, [M], [0] * 54)
    G = np.array(gradient(Z, labels, targets, 1.0, [M], [0] * 54))
    L = algorithm.metric_step(np.eye(4)[None], G, 1)[0]
    after = triples(Z, labels, targets, [L.T @ L], [0] * 54)
    active = [{tuple(t) for *t, slack in lines if slack > 0} for lines in (before, after)]
    assert [line["active"] for line in value["checks"]] == [len(part) for part in active]
    assert [line["ever"] for line in value["checks"]] == [
        len(active[0]),
        len(active[0] | active[1]),
    ]
    assert value["checks"][1]["error"] == pytest.approx(nn_error(Q, z, Z, labels, 3, [L.T @ L]))
    assert active[1] - active[0]  # the step brought new ones


# ------------------------------------------------------------------------------------ changes


def test_changes_by_a_loop_over_triples(monkeypatch):
    """Triples of the active set alone count, not those that a full check finds."""
    rng = np.random.default_rng(3)
    labels = np.arange(36) % 3
    provide(monkeypatch, "changes", rng.normal(size=(36, 2)) + 0.7 * labels[:, None], labels)
    monkeypatch.setattr(training, "K", 1)
    monkeypatch.setattr(training, "CHECKS", 4)
    told = []

    class Told(training.Watch):
        def _step(self, before, now):
            told.append((self.examples, before, now))
            super()._step(before, now)

    monkeypatch.setattr(training, "Watch", Told)
    value = ask("changes", data_set="changes", n=30, d=2, factor=0.5)
    X, targets = told[0][0].X, told[0][0].targets

    def active(L, pairs):
        D = (((X[:, None] - X) @ L[0].T) ** 2).sum(axis=2)
        return {(i, j, l) for (i, l) in pairs for j in targets[i].tolist() if 1 + D[i, j] > D[i, l]}

    changed, before = 0, 0
    new, weighted = 0, 0

    def weights(L, pairs):
        """The weight of each pair in eq. 5: 1 of the pull, 1 or -1 of each active triple."""
        count = Counter({(i, j): 1 for i in range(len(X)) for j in targets[i].tolist()})
        for i, j, l in active(L, pairs):
            count[i, j] += 1
            count[i, l] -= 1
        return Counter({pair: weight for pair, weight in count.items() if weight})

    for _, now, then in told:
        pairs = set(zip(now.i.tolist(), now.l.tolist(), strict=True))
        changed += len(active(now.L, pairs) ^ active(then.L, pairs))
        before += len(active(now.L, pairs))
        first, then_ = (weights(at.L, pairs) for at in (now, then))
        new += sum(first[pair] != then_[pair] for pair in {*first, *then_})
        weighted += len(then_)
    assert value["steps"] == len(told) == 1 + 2 + 4
    assert value["changed"] == value["late"] == pytest.approx(100 * changed / before)
    assert value["products"] == pytest.approx(100 * new / weighted)
    assert 0 < value["changed"] and 0 < value["products"] < 100
    assert value["seconds"] > 0 and value["objective"] > 0


# --------------------------------------------------------------------------------------- figure 5

COURSE = {
    "data_set": "lmnn toy",
    "preparation": "as they are",
    "share": 0.8,
    "checks": 7,
    "watched": True,
}


def course_of(by_class, split):
    (value,) = lmnn_toy.ask(courses.course, **COURSE, by_class=by_class, split=split)
    return value


def test_early_stopping_is_that_of_the_training(toy, monkeypatch):
    X, y = lmnn_toy.points(monkeypatch)
    value = course_of(True, 0)
    Z = components(X, N_TRAIN, value["d"])
    Z, labels, Q, z = Z[:N_TRAIN], y[:N_TRAIN], Z[N_TRAIN:], y[N_TRAIN:]
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


def test_all_points_train_without_a_split(toy, monkeypatch):
    X, y = lmnn_toy.points(monkeypatch)
    value = course_of(False, None)
    Z = components(X, N_TRAIN, value["d"])
    Z, labels, Q, z = Z[:N_TRAIN], y[:N_TRAIN], Z[N_TRAIN:], y[N_TRAIN:]
    model = lmnn(Z, labels, 3, options=LMNNOptions(tol=1e-3, max_checks=7))
    M = [model.L[0].T @ model.L[0]]
    assert value["stopped"] is None and "validation" not in value["end"]
    assert value["end"]["test"]["3"] == pytest.approx(nn_error(Q, z, Z, labels, 3, M))
    assert value["end"]["train"] == value["end"]["learnt"]
    assert value["euclidean"]["test"]["1"] == pytest.approx(nn_error(Q, z, Z, labels, 1))
