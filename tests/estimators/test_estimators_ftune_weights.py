"""FTUNE's classifier and what points count: C, class weights, and their limits."""

import numpy as np
import pytest
from agreement import NAMES, assert_same

from refimpl.estimators import FTuneClassifier

SMALL = {"n_landmarks": 12, "random_state": 0, "n_jobs": 1}


@pytest.mark.parametrize(
    "options", [{}, {"pairs": False}, {"per_class": True}, {"choose": "training"}]
)
def test_class_weights_help_the_rare(options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)) + np.where(np.arange(400) < 30, 1.5, 0.0)[:, None]
    y = np.array(["rare"] * 30 + ["common"] * 370)
    kept = np.arange(400) % 2 == 0
    held = np.arange(400) % 2 == 1
    found = []
    for seed in range(4):
        plain, balanced, by_hand = (
            FTuneClassifier(10, C=1.0, random_state=seed, class_weight=how, **options).fit(
                X[kept], y[kept]
            )
            for how in (None, "balanced", {"rare": 200 / 30, "common": 200 / 370})
        )
        found.append(
            [
                (one.predict(X[held])[y[held] == "rare"] == "rare").mean()
                for one in (plain, balanced)
            ]
        )
    assert np.mean(found, axis=0)[1] > np.mean(found, axis=0)[0] + 0.1
    assert_same(balanced.decision_function(X), by_hand.decision_function(X))


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge", "logistic"])
@pytest.mark.parametrize("C", [1e-100, 1e12])
def test_at_the_limits_of_the_cost_a_classifier_is_learnt(wine, loss, C):
    X, Q, y, q = wine
    model = FTuneClassifier(12, C=C, family=[1.0, 10.0], loss=loss, random_state=0).fit(X, y)
    assert np.isfinite(model.decision_function(Q)).all() and np.isfinite(model.model_.gaps).all()
    assert model.score(Q, q) > (0.8 if C > 1 else 0.3)


def test_weights_of_classes_that_a_fold_lacks_are_not_used(wine):
    X, Q, y, _ = wine
    weights = {"a": 2.0, "b": 1.0, "c": 1.0}
    few, many = (
        FTuneClassifier(**SMALL, class_weight=one).fit(X, y)
        for one in (weights, {**weights, "z": 9.0})
    )
    assert_same(few.decision_function(Q), many.decision_function(Q))


def test_objects_that_count_next_to_nothing_choose_nothing():
    """A steep ramp that is right on a held-out object of weight 0.0001 must not win over a flat
    one.
    """
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    X = rng.normal(size=(100, 4)) + y[:, np.newaxis]
    for seed in range(6):
        model = FTuneClassifier(
            random_state=seed, class_weight={0: 1000.0, 1: 0.0001}, kernels=NAMES[-1]
        ).fit(X, y)
        assert (model.predict(rng.normal(size=(200, 4)) + 0.5) == 0).mean() > 0.9
