"""The estimators pass scikit-learn's own checks and fit its tools."""

import numpy as np
import pytest
import scipy
from agreement import NAMES, assert_same
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine

from refimpl import load, save
from refimpl.boosted_distance import boosted_distance, nearest_neighbor_boosted_distance
from refimpl.boosted_distance.weak_learners import DepthTwoTrees
from refimpl.estimators import BoostedDistanceClassifier


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:90], np.array(["malignant", "benign"])[y[:90]], X[90:]


def test_warm_start_refuses_other_data_and_fewer_rounds(cancer):
    X, y, X_test = cancer
    X = X.copy()
    model = BoostedDistanceClassifier(4, warm_start=True).fit(X, y)
    before = model.predict(X_test)
    for other_X, other_y in (
        (X[::-1], y),
        (X[:80], y[:80]),
        (X, y[::-1]),
        (X, np.where(y == "benign", "b", "m")),
    ):
        with pytest.raises(ValueError, match="X and y must be those of the last fit"):
            model.fit(other_X, other_y)
    with pytest.raises(ValueError, match="features"):
        model.fit(X[:, :4], y)
    X[0, 0] += 1  # the training vectors are the model's own
    with pytest.raises(ValueError, match="X and y must be those of the last fit"):
        model.fit(X, y)
    X[0, 0] -= 1
    with pytest.raises(ValueError, match=r"n_estimators must be at least 4, .* got 3"):
        model.set_params(n_estimators=3).fit(X, y)
    with pytest.raises(TypeError, match=r"start must have .* TreeEnsemble; got a StumpEnsemble"):
        model.set_params(n_estimators=5, weak_learner=DepthTwoTrees()).fit(X, y)
    assert_same(model.predict(X_test), before)


def test_class_weights_are_factors_of_the_scores():
    X, y = load_wine(return_X_y=True)
    y = np.array(["barolo", "grignolino", "barbera"])[y]
    plain = BoostedDistanceClassifier(10).fit(X[::3], y[::3])
    model = clone(plain).set_params(class_weight={"barolo": 1.5}).fit(X[::3], y[::3])
    assert model.model_ == plain.model_
    S = model.decision_function(X)
    np.testing.assert_allclose(S, plain.decision_function(X) * [1.0, 1.5, 1.0], rtol=1e-12)
    assert model.classes_.tolist() == ["barbera", "barolo", "grignolino"]
    assert (model.predict(X) == "barolo").sum() > (plain.predict(X) == "barolo").sum()
    *_, last = model.staged_predict(X)
    assert_same(last, model.predict(X))
    with pytest.raises(ValueError, match="class_weight must name classes of the model"):
        model.set_params(class_weight={"merlot": 2.0}).predict(X)


def test_the_fitted_model_is_the_result_of_the_function(cancer, tmp_path):
    X, y, X_test = cancer
    classifier = BoostedDistanceClassifier(4).fit(X, y)
    assert classifier.model_ == boosted_distance(X, y, 4)
    features = np.concatenate([ensemble.feature for ensemble in classifier.model_.ensembles])
    assert_same(classifier.selected_dimensions_, np.unique(features))
    assert_same(classifier.classes_, classifier.model_.classes)
    save(tmp_path / "m", classifier.model_)
    order = np.argsort(y, kind="stable")  # of equal similarities the first class's is taken
    labels = nearest_neighbor_boosted_distance(load(tmp_path / "m"), X_test, X[order], y[order])
    assert_same(classifier.predict(X_test), labels)


def test_values_that_the_softmax_makes_equal_still_say_what_predict_says(monkeypatch):
    model = BoostedDistanceClassifier(2).fit([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    high = np.random.default_rng(0).random(500)
    S = np.column_stack([np.nextafter(high, 0), high])
    assert (scipy.special.softmax(S, axis=1).argmax(axis=1) == 0).any()
    monkeypatch.setattr(model, "_similarities", lambda X: S)
    P = model.predict_proba(None)
    assert (model.predict(None) == 1).all() and (P.argmax(axis=1) == 1).all()
    np.testing.assert_allclose(P, 0.5, rtol=1e-15)


@pytest.mark.parametrize("kernels", NAMES)
@pytest.mark.parametrize("normalize", [True, False])
def test_scores_say_what_predict_says(kernels, normalize):
    X, y = load_wine(return_X_y=True)
    y = np.array(["barolo", "grignolino", "barbera"])[y]
    model = BoostedDistanceClassifier(10, kernels=kernels, normalize=normalize).fit(X[::3], y[::3])
    S = model.decision_function(X)
    P = model.predict_proba(X)
    assert S.shape == P.shape == (178, 3)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert (model.classes_[S.argmax(axis=1)] == model.predict(X)).all()
    assert (model.classes_[P.argmax(axis=1)] == model.predict(X)).all()
    *_, last = model.staged_predict(X)
    assert (last == model.predict(X)).all()
    assert not normalize or 0 <= S.min() <= S.max() <= 1
    two = y != "barolo"
    model.fit(X[two], y[two])
    g = model.decision_function(X)
    P = model.predict_proba(X)
    assert g.shape == (178,) and ((g > 0) == (model.predict(X) == "grignolino")).all()
    np.testing.assert_allclose(P[:, 1], 1 / (1 + np.exp(-g)))


def test_of_equal_similarities_the_first_class_is_taken():
    """Wherever its vectors stand in the training set."""
    X = np.array([[2.0], [0.0], [2.0], [0.0]])
    y = np.array([1, 1, 0, 0])
    model = BoostedDistanceClassifier(3).fit(X, y)
    assert model.decision_function([[1.0]]).tolist() == [0.0] and model.predict(
        [[1.0]]
    ).tolist() == [0]
    assert [one.tolist() for one in model.staged_predict([[1.0]])] == [[0]] * 3
