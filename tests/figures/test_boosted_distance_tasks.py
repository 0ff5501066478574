"""The tasks of Boosted Distance's figures on small data: splits, errors, images, projections.

Trainings and distances have tests of their own; here it is tested what they are given, and how
their answers become errors.
"""

import numpy as np
import pytest

from paper_figures import data
from paper_figures.boosted_distance import splits, tasks
from paper_figures.data import DataSet
from paper_figures.tasks import TaskJob as Job
from refimpl.boosted_distance import boosted_distance, nearest_neighbor_boosted_distance
from refimpl.rivals.adaboost import adaboost_classifier

ROUNDS = (1, 4)


def two_classes(n, d, seed=0):
    """Return n vectors of two overlapping classes, of which a third are of class 1."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(np.int64)
    return rng.normal(size=(n, d)) + y[:, np.newaxis] * np.linspace(1.5, 0.0, d), y


@pytest.fixture
def sets(monkeypatch):
    """Let data.load read the sets of this dict."""
    known = {}
    monkeypatch.setattr(data, "load", lambda name, data_dir, **options: known[name])
    return known


def job(name, seed=0):
    return Job(seed, "reference", None, (name,), {"task": "t"})


def split(name, repetition, n, size):
    """Return the rows of the training and of the test part, by the rule of § 4.1."""
    order = job(name).rng_for("split", name, repetition).permutation(n)
    return order[:size], order[size:]


def error(guess, truth):
    """Return the mean of the two classes' error rates, in per cent."""
    rates = [sum(g != c for g, t in zip(guess, truth, strict=True) if t == c) for c in (0, 1)]
    sizes = [sum(truth == c) for c in (0, 1)]
    return 50 * (rates[0] / sizes[0] + rates[1] / sizes[1])


def nearest(Q, X, y, power):
    distances = (np.abs(Q[:, np.newaxis] - X) ** power).sum(axis=2)
    return y[distances.argmin(axis=1)]


# --------------------------------------------------------------------------------- sizes and images


def test_shape_of(sets):
    sets["a"] = DataSet("a", np.zeros((5, 3)), np.zeros(5), {0: "x"}, notes=("read so", "and so"))
    assert tasks.shape_of(job("a"), data_set="a") == {
        "observations": 5,
        "dimensions": 3,
        "notes": ["read so", "and so"],
    }


def test_example_images_are_of_their_class_and_scaled_to_255(sets):
    X = np.arange(8.0)[:, np.newaxis] + np.array([0.0, 0.3, 0.0, 0.0])
    sets["a"] = DataSet("a", X, np.array([1, 7] * 4), {1: "one", 7: "seven"})
    value = tasks.example_images(job("a"), data_set="a", per_class=3)
    assert value["side"] == 2
    assert [panel["class"] for panel in value["classes"]] == ["one", "seven"]
    for panel, members in zip(value["classes"], ((0, 2, 4, 6), (1, 3, 5, 7)), strict=True):
        images = panel["images"]
        assert images.shape == (3, 4) and images.dtype == np.int64
        # the greatest grey value, 7.3, becomes 255; row m is m times 255 / 7.3, rounded
        grey = {round(m * 255 / 7.3): round((m + 0.3) * 255 / 7.3) for m in members}
        assert len({int(image[0]) for image in images}) == 3
        assert all(grey[int(a)] == b and a == c == d for a, b, c, d in images)


# --------------------------------------------------------------------------------------- repetition


def run_repetition(name, repetition=0, tree_rounds=(1,)):
    return tasks.repetition(
        job(name),
        data_set=name,
        options={},
        repetition=repetition,
        rounds=ROUNDS,
        tree_rounds=tree_rounds,
    )


def test_a_repetition_trains_on_a_fifth_and_tests_on_the_rest(sets):
    X, y = two_classes(150, 4)
    sets["a"] = DataSet("a", X, y, {0: "x", 1: "y"})
    value = run_repetition("a", repetition=3)
    train, test = split("a", 3, 150, 30)
    errors = value["errors"]
    for name, power in (("L1", 1), ("L2", 2)):
        expected = error(nearest(X[test], X[train], y[train], power), y[test])
        np.testing.assert_allclose(errors[name], expected)
    model = boosted_distance(X[train], y[train], 4)
    stumps = adaboost_classifier(X[train], y[train], 4)
    for place, t in enumerate(ROUNDS):
        labels = nearest_neighbor_boosted_distance(model.rounds(0, t), X[test], X[train], y[train])
        np.testing.assert_allclose(errors["boosted"][place], error(labels, y[test]))
        labels = next(iter(stumps.staged_predict(X[test], [t])))
        np.testing.assert_allclose(errors["stumps"][place], error(labels, y[test]))


@pytest.mark.parametrize("name, size", [("sonar", 60), ("arrhythmia", 200), ("MNIST", 200)])
def test_the_large_sets_have_200_training_vectors(sets, name, size):
    X, y = two_classes(301, 2)
    sets[name] = DataSet(name, X, y, {0: "x", 1: "y"})
    _, _, train, test = splits.split(job(name), name, {}, 1)
    expected = split(name, 1, 301, size)  # 0.2 of 301 is 60.2
    assert all(map(np.array_equal, (train, test), expected))


def test_a_set_with_its_own_test_part_keeps_it(sets):
    X, y = two_classes(90, 3)
    sets["digits"] = DataSet("digits", X, y, {0: "x", 1: "y"}, n_train=50)
    value = run_repetition("digits")
    train = job("digits").rng_for("split", "digits", 0).permutation(50)[:18]  # a fifth of all 90
    expected = error(nearest(X[50:], X[train], y[train], 2), y[50:])
    np.testing.assert_allclose(value["errors"]["L2"], expected)


def test_the_dimensions_that_boosting_looks_at(sets):
    X, y = two_classes(100, 3)
    X[:, 1:] = 0.0  # one dimension tells all there is to know
    sets["a"] = DataSet("a", X, y, {0: "x", 1: "y"})
    assert run_repetition("a")["dimensions"] == [1, 1]


def test_trees_learn_what_stumps_cannot_and_may_end_early(sets):
    rng = np.random.default_rng(4)
    X = rng.uniform(-1, 1, size=(400, 2))
    X = X[np.abs(X).min(axis=1) > 0.2]
    y = (X[:, 0] > 0).astype(np.int64)
    X[:, 1] = 0.0
    sets["line"] = DataSet("line", X, y, {0: "x", 1: "y"})
    errors = run_repetition("line", tree_rounds=(1, 3))["errors"]["trees"]
    assert errors == [0.0, 0.0]  # the first tree makes no error, so it is the only one
    corners = np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], (30, 29, 31, 30), axis=0)
    y = (corners[:, 0] != corners[:, 1]).astype(np.int64)
    sets["corners"] = DataSet("corners", corners, y, {0: "x", 1: "y"})
    errors = run_repetition("corners", tree_rounds=(1,))["errors"]
    assert errors["trees"] == [0.0] and errors["stumps"][-1] > 20


# --------------------------------------------------------------------------------- cross-validation


def test_cross_validation_answers_for_each_training_vector_once(sets, monkeypatch):
    """Two methods that know the truth: one errs in class 1, then never, the other always.

    Column 0 of the vectors is their row.
    """
    X, y = two_classes(200, 2)
    X[:, 0] = np.arange(200)
    sets["a"] = DataSet("a", X, y, {0: "x", 1: "y"})
    trained = []

    def train(X, y, T, *, kernels, threads):
        assert (T, threads) == (4, 1)
        trained.append(X[:, 0].astype(int))
        return Stumps()

    class Stumps:
        def staged_predict(self, Q, rounds):
            assert rounds == ROUNDS
            truth = y[Q[:, 0].astype(int)]
            return [1 - truth, 1 - truth]

    def stages(model, Q, X, labels, rounds, *, kernels, threads):
        assert np.array_equal(labels, y[X[:, 0].astype(int)]) and rounds == ROUNDS
        tested.append(Q[:, 0].astype(int))
        truth = y[Q[:, 0].astype(int)]
        return [(1, np.zeros_like(truth)), (4, truth)]

    tested = []
    monkeypatch.setattr(tasks, "boosted_distance", train)
    monkeypatch.setattr(tasks, "adaboost_classifier", train)
    monkeypatch.setattr(tasks, "staged_nearest_neighbor", stages)
    value = tasks.cross_validation(
        job("a"), data_set="a", options={}, repetition=1, rounds=ROUNDS, folds=4
    )
    sample, _ = split("a", 1, 200, 40)
    assert sorted(np.concatenate(tested)) == sorted(sample) and len(tested) == 4
    for inside, held_out in zip(trained[::2], tested, strict=True):
        assert sorted([*inside, *held_out]) == sorted(sample)
        assert abs(sum(y[held_out]) - sum(y[sample]) / 4) < 1  # each fold has its share of class 1
    assert all(np.array_equal(*pair) for pair in zip(trained[::2], trained[1::2], strict=True))
    assert value == {"boosted": [50.0, 0.0], "stumps": [100.0, 100.0]}


# -------------------------------------------------------------------------------------- projections


def run_projections(name, **options):
    arguments = {"options": {}, "repetition": 0, "dimensions": (1, 2, 9)} | options
    return tasks.projections(job(name), data_set=name, **arguments)


def test_projections(sets):
    X, y = two_classes(150, 3)
    X[:, 2] *= 5  # the direction of largest variance, which tells nothing
    sets["a"] = DataSet("a", X, y, {0: "x", 1: "y"})
    value = run_projections("a")
    assert value["dimensions"] == {"none": 3, "PCA": 3, "NDA": 3, "LDA": 1}
    errors = value["errors"]
    train, test = split("a", 0, 150, 30)
    A, B, labels, truth = X[train], X[test], y[train], y[test]
    np.testing.assert_allclose(errors["none"], [error(nearest(B, A, labels, 2), truth)])
    centre = A.mean(axis=0)
    axes = np.linalg.svd(A - centre)[2]
    for place, k in enumerate((1, 2)):
        guess = nearest((B - centre) @ axes[:k].T, (A - centre) @ axes[:k].T, labels, 2)
        np.testing.assert_allclose(errors["PCA"][place], error(guess, truth))
    assert errors["PCA"][2] is None and errors["NDA"][2] is None  # nine of three dimensions
    assert errors["NDA"][0] is not None and errors["PCA"][0] != errors["PCA"][1]
    means = np.array([A[labels == c].mean(axis=0) for c in (0, 1)])
    within = (A - means[labels]).T @ (A - means[labels])
    v = np.linalg.solve(within, means[1] - means[0])[:, np.newaxis]
    np.testing.assert_allclose(errors["LDA"], [error(nearest(B @ v, A @ v, labels, 2), truth)])


def test_projections_of_a_share_and_as_many_dimensions_as_there_are(sets):
    X, y = two_classes(100, 2)
    sets["a"] = DataSet("a", X, y, {0: "x", 1: "y"})
    value = run_projections("a", share=0.5, dimensions=(1, 2), singular=True)
    train, test = split("a", 0, 100, 50)
    expected = error(nearest(X[test], X[train], y[train], 2), y[test])
    np.testing.assert_allclose(value["errors"]["none"], [expected])
    # a turn changes no distance: PCA to all dimensions is NN as it is
    np.testing.assert_allclose(value["errors"]["PCA"][1], expected)
    # with a regular scatter matrix the eigenproblem is LDA's own
    assert value["errors"]["LDA, singular"] == value["errors"]["LDA"]
    assert value["dimensions"]["LDA, singular"] == 1


def test_lda_of_a_singular_scatter_matrix_takes_a_direction_without_scatter(sets):
    X, y = two_classes(100, 3)
    X = X + 0.0
    X[:, 2] = np.where(y == 1, 8.0, 2.0)  # constant within the classes: it tells them apart
    sets["a"] = DataSet("a", X, y, {0: "x", 1: "y"})
    value = run_projections("a", dimensions=(1,), singular=True)
    assert value["errors"]["LDA, singular"] == [0.0]
