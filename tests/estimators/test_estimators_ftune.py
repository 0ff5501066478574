"""FTUNE's estimators pass scikit-learn's own checks and fit its tools."""

import dataclasses
import pickle

import numpy as np
import pytest
from agreement import NAMES, assert_same
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.utils import get_tags

from refimpl.estimators import FTuneClassifier, LandmarkTransformer
from refimpl.ftune import FTuneOptions, NormalizationWarning

TINY = {"n_landmarks": 6, "family": (1.0, 10.0), "C": (1.0, 100.0), "random_state": 0, "n_jobs": 1}
SMALL = {"n_landmarks": 12, "random_state": 0, "n_jobs": 1}
WORDS = "boost boosts boosted boast coast coats goats goat map maps mapped".split()
WORDS += "lap laps lapse forest rest nest".split()


def test_fresh_pairs_of_many_classes_tell_them_apart_better():
    """Out of as many landmarks as there are classes each class has one x+; pairs of its own have
    several.
    """
    X, y = load_digits(return_X_y=True)
    X, Q, y, q = train_test_split(X[:900] / 16.0, y[:900], random_state=0)
    options = {"random_state": 0, "kernels": NAMES[-1]}
    pooled, fresh = (
        FTuneClassifier(10, **options, **other).fit(X, y) for other in ({"selection": "random"}, {})
    )
    assert fresh.score(Q, q) > pooled.score(Q, q) + 0.02
    assert len(pooled.landmarks_) == 10 < len(fresh.landmarks_) <= 200


def test_precomputed_is_the_kernel(wine):
    X, Q, y, _ = wine
    width = {"kernel": "rbf", "kernel_params": {"gamma": 0.05}}
    named = FTuneClassifier(**SMALL, **width).fit(X, y)
    given = FTuneClassifier(**SMALL, kernel="precomputed").fit(rbf_kernel(X, gamma=0.05), y)
    assert_same(named.landmarks_, given.landmarks_)
    rows = rbf_kernel(Q, X, gamma=0.05)
    assert_same(named.predict(Q), given.predict(rows))
    assert len(pickle.dumps(given)) < 8 * len(X) ** 2  # the matrix is not kept
    assert get_tags(given).input_tags.pairwise and not get_tags(named).input_tags.pairwise
    assert cross_val_score(given, rbf_kernel(X, gamma=0.05), y, cv=3).mean() > 0.9
    one = LandmarkTransformer(7, random_state=0, **width).fit(X)
    two = LandmarkTransformer(7, random_state=0, kernel="precomputed").fit(
        rbf_kernel(X, gamma=0.05)
    )
    np.testing.assert_allclose(one.transform(Q), two.transform(rows), rtol=1e-12)
    np.testing.assert_allclose(two.transform(rows), rows[:, two.landmarks_][:, two.plus_])


def test_distances_are_scaled_and_it_is_said(wine):
    X, Q, y, q = wine
    D = cdist(X, X, "cityblock")
    with pytest.warns(NormalizationWarning):
        given = FTuneClassifier(**SMALL, kernel="precomputed", distance=True).fit(D, y)
    assert given.score(cdist(Q, X, "cityblock"), q) > 0.9 and given.model_.scale > 1
    bound = FTuneClassifier(**SMALL, kernel="precomputed", distance=True, bound=2 * D.max()).fit(
        D, y
    )
    assert bound.model_.scale == 2 * D.max()


def test_words_by_a_function_of_two():
    def alike(a, b):
        return len(set(a) & set(b)) / len(set(a) | set(b))

    y = np.array(["bcg"[min("bcg".find(w[0]), 2)] if w[0] in "bcg" else "z" for w in WORDS])
    model = FTuneClassifier(8, kernel=alike, random_state=0, validation=0.0).fit(WORDS, y)
    assert model.score(WORDS, y) > 0.7 and set(model.predict(["boasting", "mapping"])) <= set(
        "bcgz"
    )
    assert LandmarkTransformer(4, kernel=alike, random_state=0).fit(WORDS).transform(
        ["nests"]
    ).shape == (1, 4)


@pytest.mark.parametrize(("selection", "most"), [("fresh", 36), ("random", 6), ("diverse", 6)])
def test_what_fit_and_predict_cost(wine, selection, most):
    """Fresh pairs: two objects for each of six pairs and three classes."""
    X, Q, y, _ = wine
    asked = []

    def K(a, b):
        asked.append(1)
        return float(np.exp(-((a - b) ** 2).sum() / 30))

    model = FTuneClassifier(
        6, kernel=K, random_state=0, C=1.0, family=(1.0,), selection=selection
    ).fit(X, y)
    assert len(asked) == model.n_similarities_
    asked.clear()
    model.predict(Q)
    assert len(asked) == len(Q) * len(model.landmarks_) <= most * len(Q)


def product(a, b):
    return float(a @ b)


@pytest.mark.filterwarnings("ignore::refimpl.ftune.NormalizationWarning")
@pytest.mark.parametrize(
    "model",
    [
        FTuneClassifier(10, family=[1.0], C=1.0, random_state=0),
        FTuneClassifier(10, pairs=False, random_state=0),
        FTuneClassifier(10, C=1.0, family=[5.0], kernel="rbf", random_state=0),
        LandmarkTransformer(10, random_state=0),
        LandmarkTransformer(5, slope=10.0, kernel="rbf", random_state=0),
        FTuneClassifier(10, family=[1.0], C=1.0, kernel=product, random_state=0),
        LandmarkTransformer(10, random_state=0, kernel="precomputed"),
    ],
    ids=["gaussian", "BBS", "rbf", "transformer", "pairs", "callable", "matrix"],
)
def test_what_is_kept_are_the_landmarks(model):
    """Not the training table, nor any other row of it."""
    X, y = load_digits(return_X_y=True)
    X, Q, y = X[:400] / 16, X[400:420] / 16, y[:400] % 3
    if model.kernel == "precomputed":
        X, Q = X @ X.T, Q @ X.T
    model = clone(model).fit(X, y)
    assert len(pickle.dumps(model)) < 0.3 * X.nbytes
    again = pickle.loads(pickle.dumps(model))
    ask = "transform" if isinstance(model, LandmarkTransformer) else "decision_function"
    assert_same(getattr(again, ask)(Q), getattr(model, ask)(Q))


def test_landmarks_for_each_problem(wine):
    X, Q, y, q = wine
    shared, own = (
        FTuneClassifier(**SMALL, selection="diverse", per_problem=p).fit(X, y)
        for p in (False, True)
    )
    assert len(shared.landmarks_) <= 12 < len(own.landmarks_) <= 36 and own.score(Q, q) > 0.9
    features = LandmarkTransformer(
        4, slope=5.0, selection="diverse", per_problem=True, random_state=0
    ).fit(X, y)
    assert features.transform(Q).shape == (len(Q), 12)
    assert 4 < len(features.landmarks_) <= len(features.model_.L) <= 12


def test_features_are_of_the_slope_of_the_fit(wine):
    X, _, y, _ = wine
    model = LandmarkTransformer(5, slope=10.0, random_state=0).fit(X, y)
    features = model.transform(X)
    assert np.array_equal(model.set_params(slope=1.0).transform(X), features)


def test_the_words_and_defaults_are_those_of_the_options():
    params = FTuneClassifier().get_params()
    for field in dataclasses.fields(FTuneOptions):
        assert params[field.name] == field.default, field.name
    assert set(LandmarkTransformer().get_params()) <= set(params) | {"n_components", "slope"}


@pytest.mark.parametrize("pairs", [True, False])
def test_probabilities_of_the_logistic_loss(wine, pairs):
    X, Q, y, truth = wine
    model = FTuneClassifier(**SMALL, loss="logistic", pairs=pairs).fit(X, y)
    P = model.predict_proba(Q)
    assert P.shape == (len(Q), 3) and (P >= 0).all()
    shares = 1 / (1 + np.exp(-model.decision_function(Q)))
    np.testing.assert_allclose(P, shares / shares.sum(axis=1, keepdims=True))
    assert (model.classes_[P.argmax(axis=1)] == model.predict(Q)).all() and log_loss(truth, P) < 0.4
    two = y != "c"
    model.fit(X[two], y[two])
    np.testing.assert_allclose(
        model.predict_proba(Q)[:, 1], 1 / (1 + np.exp(-model.decision_function(Q)))
    )
    assert ((model.predict_proba(Q)[:, 1] > 0.5) == (model.predict(Q) == "b")).all()
    assert not hasattr(FTuneClassifier(), "predict_proba")
    scores = cross_val_score(
        FTuneClassifier(**SMALL, loss="logistic"), X, y, scoring="roc_auc_ovr", cv=3
    )
    assert scores.min() > 0.9
    assert (
        cross_val_score(FTuneClassifier(**SMALL), X, y == "a", scoring="roc_auc", cv=3).min() > 0.9
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("size", [1e-17, 1.0, 40.0, 900.0])
def test_the_likeliest_class_is_the_predicted_one_whatever_rounding_ties(wine, n_classes, size):
    X, Q, y, _ = wine
    few = np.isin(y, list("abc")[:n_classes])
    model = FTuneClassifier(**SMALL, loss="logistic").fit(X[few], y[few])
    g = np.atleast_2d(model.decision_function(Q).T).T
    large = dataclasses.replace(
        model.model_, w=size * model.model_.w, b=size * (model.model_.b - g.max(initial=1.0))
    )
    for own in (model.model_, large):
        model.model_ = own
        P = model.predict_proba(Q)
        assert (model.classes_[P.argmax(axis=1)] == model.predict(Q)).all()
        np.testing.assert_allclose(P.sum(axis=1), 1.0)


def test_all_pairs_and_any_number_of_landmarks_alone_are_taken():
    X = np.random.default_rng(0).normal(size=(8, 3))
    y = np.arange(8) % 2
    options = {"C": 1.0, "family": [1.0], "random_state": 0, "validation": 0.0}
    assert FTuneClassifier(30, **options).fit(X, y).model_.w.shape == (1, 30)
    with pytest.raises(
        ValueError,
        match="n_landmarks must be at most 30, as 8 training objects have at most 16 pairs",
    ):
        FTuneClassifier(31, **options).fit(X, y)
    assert len(FTuneClassifier(10**12, pairs=False, **options).fit(X, y).landmarks_) == 8
    assert LandmarkTransformer(10**12, random_state=0).fit(X).transform(X).shape == (8, 8)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_callback_ends_the_training_of_further_classes(most):
    """The columns stay those of classes_, and a class without a classifier is never predicted."""
    X, places = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 3
    X[:, 0] += 5 * places
    y = np.array(["a", "b", "c"])[places]
    options = {**TINY, "loss": "logistic"}
    whole = FTuneClassifier(**options).fit(X, y)
    steps = []

    def stop(step):
        steps.append(step.label)
        return step.number >= most

    model = FTuneClassifier(**options, callback=stop).fit(X, y)
    assert steps == list(range(most))
    g, P = model.decision_function(X), model.predict_proba(X)
    assert g.shape == P.shape == (60, 3)
    assert np.isneginf(g[:, most:]).all() and np.isfinite(g[:, :most]).all()
    assert set(model.predict(X)) <= set(y[:most])
    assert (model.classes_[P.argmax(axis=1)] == model.predict(X)).all()
    assert np.allclose(P.sum(axis=1), 1)
    if most == 3:
        assert model.model_ == whole.model_


@pytest.mark.parametrize(("family", "slopes"), [(5.0, [5.0]), ((1.0, 10.0), [1.0, 10.0])])
def test_the_family_reaches_the_training(wine, family, slopes):
    X, _, y, _ = wine
    model = FTuneClassifier(**TINY | {"family": family}).fit(X, y)
    assert model.model_.slopes.tolist() == slopes


@pytest.mark.parametrize("selection", ["diverse", "random", "fresh"])
def test_only_diverse_landmarks_are_unlike_each_other(selection):
    """Two of 42 points lie apart, and are not similar to any landmark before them."""
    x = np.append(np.linspace(0, 0.1, 40), [10.0, 20.0])
    K = np.exp(-np.abs(np.subtract.outer(x, x)))
    how = {"selection": selection, "kernel": "precomputed", "kernels": NAMES[-1]}
    models = [LandmarkTransformer(3, random_state=seed, **how).fit(K) for seed in range(10)]
    apart = [model.landmarks_.tolist()[-2:] == [40, 41] for model in models]
    assert all(apart) if selection == "diverse" else sum(apart) < 5


# ------------------------------------------------------------------------------ what points count


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
