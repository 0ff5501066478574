"""AdaBoost with stumps as a classifier."""

import numpy as np
import oracles_rivals as oracle

from refimpl.boosted_distance import StumpEnsemble
from refimpl.boosted_distance.weak_learners import DepthTwoTrees
from refimpl.rivals.adaboost import AdaBoostClassifier, adaboost_classifier


def two_classes(seed=0, sizes=(31, 22), d=5, names=("no", "yes")):
    rng = np.random.default_rng(seed)
    X = np.concatenate(
        [rng.normal(size=(n, d)) + 0.8 * c * np.arange(d) / d for c, n in enumerate(sizes)]
    )
    order = rng.permutation(len(X))
    return X[order], np.repeat(names, sizes)[order], rng.normal(0.3, 1.2, (70, d))


def hand_made(alpha, feature, polarity, threshold):
    ensemble = StumpEnsemble(
        np.array(alpha), np.array(feature), np.array(polarity), np.array(threshold, dtype=float)
    )
    return AdaBoostClassifier(np.array(["no", "yes"]), ensemble, 3)


def test_decision_is_half_of_the_weights():
    model = hand_made([1.0, 3.0, 2.0], [0, 2, 0], [1, -1, 1], [0.0, 1.0, 5.0])
    X = np.array([[-1.0, 0, 2], [1, 0, 2], [9, 0, 2], [-1, 0, 0], [9, 0, 0]])
    np.testing.assert_array_equal(model.margins(X), [[3, 2, 0, 0, -3]])
    np.testing.assert_array_equal(model.predict(X), ["yes", "yes", "yes", "yes", "no"])


def test_prediction_follows_the_oracle_after_every_round():
    X, labels, Y = two_classes()
    model = adaboost_classifier(X, labels, 13)
    e = model.ensemble
    assert model.classes.tolist() == ["no", "yes"]
    for t in range(1, 14):
        stumps = e.alpha[:t], e.feature[:t], e.polarity[:t], e.threshold[:t]
        expected = [oracle.strong_classifier(y, *stumps) for y in Y]
        np.testing.assert_array_equal(model.staged_predict(Y, [t])[0], model.classes[expected])
    np.testing.assert_array_equal(model.staged_predict(Y, [13, 2, 13])[2], model.predict(Y))
    np.testing.assert_array_equal(
        model.staged_predict(Y, [13, 2])[1], model.staged_predict(Y, 2)[0]
    )


def test_another_weak_learner():
    X, labels, _ = two_classes(3, names=(4, 2))
    model = adaboost_classifier(X, labels, 20, weak_learner=DepthTwoTrees())
    assert model.classes.tolist() == [2, 4]
    assert np.mean(model.predict(X) == labels) > 0.95
