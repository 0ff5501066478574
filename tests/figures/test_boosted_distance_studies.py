"""Boosted Distance's studies: what a split's classifiers are given."""

import numpy as np
import pytest
from toy_sets import provide

from paper_figures.boosted_distance import errors, methods
from paper_figures.study import Job


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


# ------------------------------------------------------------------------------------ the methods


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


@pytest.mark.parametrize("T, place", [(1, 1), (2, 1), (3, 3), (29, 10), (100, 100), (500, 100)])
def test_trees_are_shown_at_the_largest_number_of_rounds_not_above_t(T, place):
    found = {("trees", t): np.array([float(t)]) for t in methods.TREE_ROUNDS}
    assert errors.errors_at(found, "trees", T).tolist() == [place]
