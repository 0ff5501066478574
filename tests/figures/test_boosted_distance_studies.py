"""Boosted Distance's studies: what a split's classifiers are given."""

import numpy as np
import pytest
from toy_sets import provide

from paper_figures.boosted_distance import errors, methods
from paper_figures.study import Job
from refimpl.boosted_distance import boosted_distance, nearest_neighbor_boosted_distance
from refimpl.rivals.adaboost import adaboost_classifier
from refimpl.rivals.nearest_neighbor import NAMES


def two_classes(n, d, seed=0):
    """Return n vectors of two overlapping classes, of which a third are of class 1."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(np.int64)
    return rng.normal(size=(n, d)) + y[:, np.newaxis] * np.linspace(1.5, 0.0, d), y


def job(name):
    return Job(0, "reference", None, (name,))


def parts(name, run, n, size):
    """Return the rows of the training and of the test part, by the rule of § 4.1."""
    order = job(name).rng_for("split", name, run).permutation(n)
    return order[:size], order[size:]


def error(guess, truth):
    """Return the mean of the two classes' error rates, in per cent."""
    return 50 * sum(np.mean(guess[truth == c] != c) for c in (0, 1))


def nearest(Q, X, y, power):
    distances = (np.abs(Q[:, np.newaxis] - X) ** power).sum(axis=2)
    return y[distances.argmin(axis=1)]


def by_method(seen, *keys):
    return {(item["method"], *(item[key] for key in keys)): item["error"] for item in seen}


# ------------------------------------------------------------------------------------ the methods


def test_classifiers_train_on_a_fifth_and_are_tested_on_the_rest(monkeypatch):
    X, y = two_classes(150, 4)
    provide(monkeypatch, "a", X, y)
    seen = by_method(methods.classifiers(job("a"), "a", 3, 5), "rounds")
    train, test = parts("a", 3, 150, 30)
    for name, power in (("L1", 1), ("L2", 2)):
        expected = error(nearest(X[test], X[train], y[train], power), y[test])
        assert seen[name, 0] == pytest.approx(expected)
    model = boosted_distance(X[train], y[train], 5)
    stumps = adaboost_classifier(X[train], y[train], 5)
    assert {t for method, t in seen if method == "boosted"} == {1, 2, 3, 5}
    for t in (1, 5):
        labels = nearest_neighbor_boosted_distance(model.rounds(0, t), X[test], X[train], y[train])
        assert seen["boosted", t] == pytest.approx(error(labels, y[test]))
        labels = next(iter(stumps.staged_predict(X[test], [t])))
        assert seen["stumps", t] == pytest.approx(error(labels, y[test]))
    expected = {*NAMES, "RCA, root", "RCA-D, root", "boosted", "stumps", "trees"}
    assert {method for method, _ in seen} == expected


@pytest.mark.parametrize("name, size", [("sonar", 60), ("arrhythmia", 200), ("MNIST", 200)])
def test_the_large_sets_have_200_training_vectors(monkeypatch, name, size):
    X, y = two_classes(301, 2)
    provide(monkeypatch, name, X, y)
    _, _, train, test = methods.split(job(name), name, 1)
    expected = parts(name, 1, 301, size)  # 0.2 of 301 is 60.2
    assert all(map(np.array_equal, (train, test), expected))


def test_a_set_with_its_own_test_part_keeps_it(monkeypatch):
    X, y = two_classes(90, 3)
    provide(monkeypatch, "digits", X, y, n_train=50)
    _, _, train, test = methods.split(job("digits"), "digits", 0)
    drawn = job("digits").rng_for("split", "digits", 0).permutation(50)[:18]  # a fifth of all 90
    assert np.array_equal(train, drawn) and np.array_equal(test, np.arange(50, 90))


def test_validation_answers_for_each_training_vector_once(monkeypatch):
    """Two methods that know the truth: one errs in class 1, then never, the other always."""
    X, y = two_classes(200, 2)
    X[:, 0] = np.arange(200)  # a vector's row
    provide(monkeypatch, "a", X, y)
    tested = []

    def boosted(job, X, y_inside, Q, rounds):
        held_out = Q[:, 0].astype(int)
        tested.append((X[:, 0].astype(int), held_out))
        assert np.array_equal(y_inside, y[X[:, 0].astype(int)]) and rounds == [1, 2]
        yield "boosted", 1, np.zeros(len(Q), int), 1
        yield "boosted", 2, y[held_out], 1
        yield "stumps", 1, 1 - y[held_out], None

    monkeypatch.setattr(methods, "boosted_stages", boosted)
    seen = by_method(methods.validation(job("a"), "a", 1, 2), "rounds")
    assert seen == {("boosted", 1): 50.0, ("boosted", 2): 0.0, ("stumps", 1): 100.0}
    sample, _ = parts("a", 1, 200, 40)
    assert sorted(np.concatenate([held for _, held in tested])) == sorted(sample)
    assert len(tested) == methods.FOLDS
    for inside, held in tested:
        assert sorted([*inside, *held]) == sorted(sample)
        assert abs(sum(y[held]) - sum(y[sample]) / 5) < 1  # each fold has its share of class 1


# NN under each distance (30 where none is given); by rounds: the mean, and the spread of three runs
# errors by rounds within two training samples: together T = 3 is best, boosted would choose 10


@pytest.mark.parametrize("T, place", [(1, 1), (2, 1), (3, 3), (29, 10), (100, 100), (500, 100)])
def test_trees_are_shown_at_the_largest_number_of_rounds_not_above_t(T, place):
    found = {("trees", t): np.array([float(t)]) for t in methods.TREE_ROUNDS}
    assert errors.errors_at(found, "trees", T).tolist() == [place]
