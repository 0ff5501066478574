"""FTUNE's estimators pass scikit-learn's own checks and fit its tools."""

import pickle
from functools import partial

import numpy as np
import pytest
from agreement import KERNELS, assert_same
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from refimpl.estimators import FTuneClassifier, LandmarkTransformer
from refimpl.ftune import NormalizationWarning, ftune, random_landmarks

NAMES = ["reference", "fast"][: len(KERNELS)]
TINY = {"n_landmarks": 6, "slopes": (1.0, 10.0), "C": (1.0, 100.0), "random_state": 0, "threads": 1}
SMALL = {"n_landmarks": 12, "random_state": 0, "threads": 1}
WORDS = "boost boosts boosted boast coast coats goats goat map maps mapped lap laps lapse forest rest nest".split()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator",
    [
        FTuneClassifier(**TINY),
        FTuneClassifier(**TINY, kernels=NAMES[-1], per_class=True, selection="random", kernel="rbf"),
        FTuneClassifier(**TINY, selection="diverse"),
        FTuneClassifier(**TINY, pairs=False),
        FTuneClassifier(**TINY, kernel="linear", loss="logistic"),
        LandmarkTransformer(3, random_state=0, kernels=NAMES[-1]),
        LandmarkTransformer(3, random_state=0, selection="diverse", kernel="rbf"),
    ],
    ids=["FTUNE-S", "FTUNE-M", "FTUNE+D-S", "BBS", "linear", "landmarks", "landmarks+D"],
)
def test_check_estimator(estimator):
    check_estimator(estimator)


@pytest.mark.parametrize(
    "model",
    [
        FTuneClassifier(**SMALL),
        FTuneClassifier(**SMALL, per_class=True, selection="random"),
        FTuneClassifier(**SMALL, selection="diverse"),
        FTuneClassifier(**SMALL, pairs=False),
        FTuneClassifier(**SMALL, pairs=False, selection="diverse"),
        LandmarkTransformer(5, random_state=0),
        LandmarkTransformer(5, random_state=0, selection="diverse"),
    ],
    ids=["single", "multiple", "single, diverse", "BBS", "BBS+D", "transformer", "transformer, diverse"],
)
def test_kernels_threads_seeds_and_pickles_give_the_same_answer(wine, model):
    X, Q, y, q = wine
    answer = "transform" if isinstance(model, LandmarkTransformer) else "predict"
    fits = [clone(model).set_params(kernels=name, threads=t).fit(X, y) for name, t in zip(NAMES, (1, 2), strict=False)]
    fits += [pickle.loads(pickle.dumps(fits[0]))]
    for other in fits[1:]:
        assert_same(getattr(fits[0], answer)(Q), getattr(other, answer)(Q))
        assert_same(fits[0].landmarks_, other.landmarks_)
    if answer == "predict":
        assert fits[0].score(Q, q) > 0.9
        assert fits[0].decision_function(Q).shape == (len(Q), 3) and len(fits[0].slopes_) == 3
    another = clone(model).set_params(random_state=1).fit(X, y)
    assert another.landmarks_.tolist() != fits[0].landmarks_.tolist()


def test_fresh_pairs_of_many_classes_tell_them_apart_better():
    """Out of as many landmarks as there are classes each class has one x+; pairs of its own have several."""
    X, y = load_digits(return_X_y=True)
    X, Q, y, q = train_test_split(X[:900] / 16.0, y[:900], random_state=0)
    options = {"random_state": 0, "kernels": NAMES[-1]}
    pooled, fresh = (FTuneClassifier(10, **options, **other).fit(X, y) for other in ({"selection": "random"}, {}))
    assert fresh.score(Q, q) > pooled.score(Q, q) + 0.02
    assert len(pooled.landmarks_) == 10 < len(fresh.landmarks_) <= 200


def test_in_a_pipeline_and_a_grid_search(wine):
    X, Q, y, q = wine
    model = make_pipeline(StandardScaler(), FTuneClassifier(**TINY, kernels=NAMES[-1]))
    grid = {"ftuneclassifier__n_landmarks": [6, 12], "ftuneclassifier__selection": ["diverse", "random"]}
    assert GridSearchCV(model, grid, cv=2).fit(X, y).score(Q, q) > 0.85
    chain = make_pipeline(StandardScaler(), LandmarkTransformer(20, random_state=0), LinearSVC(C=100.0))
    assert cross_val_score(chain, X, y, cv=3).mean() > 0.9
    chain = make_pipeline(LandmarkTransformer(20, slope=5.0, random_state=0), LinearSVC(C=10.0))
    assert chain.fit(X, y).score(Q, q) > 0.9
    assert chain[0].transform(Q).shape == (len(Q), 60) and len(chain[0].get_feature_names_out()) == 60
    assert (np.abs(chain[0].transform(Q)) <= 1).all()


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
    two = LandmarkTransformer(7, random_state=0, kernel="precomputed").fit(rbf_kernel(X, gamma=0.05))
    np.testing.assert_allclose(one.transform(Q), two.transform(rows), rtol=1e-12)
    np.testing.assert_allclose(two.transform(rows), rows[:, two.landmarks_][:, two.plus_])


def test_distances_are_scaled_and_it_is_said(wine):
    X, Q, y, q = wine
    D = cdist(X, X, "cityblock")
    with pytest.warns(NormalizationWarning):
        given = FTuneClassifier(**SMALL, kernel="precomputed", distance=True).fit(D, y)
    assert given.score(cdist(Q, X, "cityblock"), q) > 0.9 and given.model_.scale > 1
    bound = FTuneClassifier(**SMALL, kernel="precomputed", distance=True, bound=2 * D.max()).fit(D, y)
    assert bound.model_.scale == 2 * D.max()


def test_words_by_a_function_of_two():
    def alike(a, b):
        return len(set(a) & set(b)) / len(set(a) | set(b))

    y = np.array(["bcg"[min("bcg".find(w[0]), 2)] if w[0] in "bcg" else "z" for w in WORDS])
    model = FTuneClassifier(8, kernel=alike, random_state=0, validation=0.0).fit(WORDS, y)
    assert model.score(WORDS, y) > 0.7 and set(model.predict(["boasting", "mapping"])) <= set("bcgz")
    assert LandmarkTransformer(4, kernel=alike, random_state=0).fit(WORDS).transform(["nests"]).shape == (1, 4)


@pytest.mark.parametrize(("selection", "most"), [("fresh", 36), ("random", 6), ("diverse", 6)])
def test_what_fit_and_predict_cost(wine, selection, most):
    """Fresh pairs: two objects for each of six pairs and three classes."""
    X, Q, y, _ = wine
    asked = []

    def K(a, b):
        asked.append(1)
        return float(np.exp(-((a - b) ** 2).sum() / 30))

    model = FTuneClassifier(6, kernel=K, random_state=0, C=1.0, slopes=(1.0,), selection=selection).fit(X, y)
    assert len(asked) == model.n_similarities_
    asked.clear()
    model.predict(Q)
    assert len(asked) == len(Q) * len(model.landmarks_) <= most * len(Q)


def test_a_class_with_one_point_trains(wine):
    X, Q, y, _ = wine
    odd = y.astype("U3")
    odd[0] = "one"
    model = FTuneClassifier(**SMALL).fit(X, odd)
    assert "one" in model.classes_ and set(model.predict(Q)) <= set(model.classes_)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (FTuneClassifier(0), "n_landmarks is 0"),
        (FTuneClassifier(selection="best"), "selection must be '.*; got 'best'"),
        (FTuneClassifier(slopes=(-1.0,)), r"slopes\[0\] must be a positive slope"),
        (FTuneClassifier(validation=1.0), "validation is 1"),
        (FTuneClassifier(kernel="tanh"), "kernel: 'tanh'"),
        (FTuneClassifier(kernel=3), "kernel is 3"),
        (FTuneClassifier(kernel="rbf", distance=True), "distance is True"),
        (FTuneClassifier(kernel_params={"gamma": 1.0}), "kernel_params holds"),
        (FTuneClassifier(kernel="precomputed", kernel_params={"gamma": 1.0}), "kernel_params holds"),
        (FTuneClassifier(kernel="precomputed"), "must be square"),
        (FTuneClassifier(kernels="quick"), "kernels"),
        (FTuneClassifier(max_memory=10), "max_memory is 10 bytes"),
        (FTuneClassifier(max_memory=10, pairs=False), "max_memory is 10 bytes"),
        (LandmarkTransformer(0), "n_components is 0"),
        (LandmarkTransformer(selection="all"), "selection"),
    ],
)
def test_bad_parameters(wine, model, message):
    X, _, y, _ = wine
    with pytest.raises((TypeError, ValueError, MemoryError), match=message):
        model.fit(X, y)


def test_a_pair_needs_classes(wine):
    X = wine[0]
    with pytest.raises(ValueError, match="y is None"):
        LandmarkTransformer(slope=1.0).fit(X)
    with pytest.raises(ValueError, match="one class"):
        FTuneClassifier().fit(X, np.zeros(len(X)))


def held_arrays(value, seen=None):
    """All arrays and lists that an object holds, however deep."""
    seen = {} if seen is None else seen
    if id(value) in seen:
        return []
    seen[id(value)] = value
    parts = list(vars(value).values()) if hasattr(value, "__dict__") else []
    parts += value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else []
    parts += [*value.args, *value.keywords.values()] if isinstance(value, partial) else []
    own = [value] if isinstance(value, np.ndarray | list) else []
    base = [value.base] if isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray) else []
    return own + base + [one for part in parts for one in held_arrays(part, seen)]


@pytest.mark.filterwarnings("ignore::refimpl.ftune.NormalizationWarning")
@pytest.mark.parametrize(
    "model",
    [
        FTuneClassifier(10, slopes=[1.0], C=1.0, random_state=0), FTuneClassifier(10, pairs=False, random_state=0),
        FTuneClassifier(10, C=1.0, slopes=[5.0], kernel="rbf", random_state=0),
        LandmarkTransformer(10, random_state=0), LandmarkTransformer(5, slope=10.0, kernel="rbf", random_state=0),
        FTuneClassifier(10, slopes=[1.0], C=1.0, kernel=lambda a, b: float(a @ b), random_state=0),
        LandmarkTransformer(10, random_state=0, kernel="precomputed"),
    ],
    ids=["gaussian", "BBS", "rbf", "transformer", "pairs", "callable", "matrix"],
)  # fmt: skip
def test_what_is_kept_are_the_landmarks(model):
    """Not the training table, nor any other row of it."""
    X, y = load_digits(return_X_y=True)
    X, Q, y = X[:400] / 16, X[400:420] / 16, y[:400] % 3
    if model.kernel == "precomputed":
        X, Q = X @ X.T, Q @ X.T
    model = clone(model).fit(X, y)
    assert max(len(np.atleast_1d(one)) for one in held_arrays(model)) < 100
    assert max(one.size for one in held_arrays(model) if isinstance(one, np.ndarray)) <= len(model.landmarks_) * 64
    if not callable(model.kernel):
        assert len(pickle.dumps(model)) < 0.3 * X.nbytes
        again = pickle.loads(pickle.dumps(model))
        ask = "transform" if isinstance(model, LandmarkTransformer) else "decision_function"
        assert_same(getattr(again, ask)(Q), getattr(model, ask)(Q))


@pytest.mark.parametrize(
    ("slopes", "error", "message"),
    [
        (5.0, TypeError, r"slopes must be a sequence of slopes or functions; got 5.0 \(for one alone: \[5.0\]\)"),
        (np.tanh, TypeError, "slopes must be a sequence"),
        ("steep", TypeError, "slopes must be a sequence"),
        ([], ValueError, "slopes must hold a slope"),
        ([1.0, -1], ValueError, r"slopes\[1\] must be a positive slope .*; got -1"),
        ([np.nan], ValueError, r"slopes\[0\] must be a positive slope"),
        ([True], ValueError, r"slopes\[0\] must be a positive slope"),
        (["1"], ValueError, r"slopes\[0\] must be a positive slope"),
    ],
)
def test_bad_slopes_are_named(wine, slopes, error, message):
    X, _, y, _ = wine
    with pytest.raises(error, match=message):
        FTuneClassifier(slopes=slopes).fit(X, y)


def test_a_bad_slope_is_named(wine):
    X, _, y, _ = wine
    for slope in (-1, 0.0, "1", [1.0]):
        with pytest.raises(ValueError, match="slope must be a positive slope"):
            LandmarkTransformer(slope=slope).fit(X, y)


@pytest.mark.parametrize("pairs", [True, False])
def test_probabilities_of_the_logistic_loss(wine, pairs):
    X, Q, y, truth = wine
    model = FTuneClassifier(**SMALL, loss="logistic", pairs=pairs).fit(X, y)
    P = model.predict_proba(Q)
    assert P.shape == (len(Q), 3) and (P >= 0).all()
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert (model.classes_[P.argmax(axis=1)] == model.predict(Q)).all() and log_loss(truth, P) < 0.4
    two = y != "c"
    model.fit(X[two], y[two])
    np.testing.assert_allclose(model.predict_proba(Q)[:, 1], 1 / (1 + np.exp(-model.decision_function(Q))))
    assert ((model.predict_proba(Q)[:, 1] > 0.5) == (model.predict(Q) == "b")).all()
    assert not hasattr(FTuneClassifier(), "predict_proba")
    scores = cross_val_score(FTuneClassifier(**SMALL, loss="logistic"), X, y, scoring="roc_auc_ovr", cv=3)
    assert scores.min() > 0.9
    assert cross_val_score(FTuneClassifier(**SMALL), X, y == "a", scoring="roc_auc", cv=3).min() > 0.9


@pytest.mark.parametrize("options", [{}, {"pairs": False}, {"per_class": True}, {"choose": "training"}])
def test_class_weights_help_the_rare(options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)) + np.where(np.arange(400) < 30, 1.5, 0.0)[:, None]
    y = np.array(["rare"] * 30 + ["common"] * 370)
    kept, held = np.arange(400) % 2 == 0, np.arange(400) % 2 == 1
    found = []
    for seed in range(4):
        plain, balanced, by_hand = (
            FTuneClassifier(10, C=1.0, random_state=seed, class_weight=how, **options).fit(X[kept], y[kept])
            for how in (None, "balanced", {"rare": 200 / 30, "common": 200 / 370})
        )
        found.append([(one.predict(X[held])[y[held] == "rare"] == "rare").mean() for one in (plain, balanced)])
    assert np.mean(found, axis=0)[1] > np.mean(found, axis=0)[0] + 0.1
    assert_same(balanced.decision_function(X), by_hand.decision_function(X))
    for wrong in ("even", {"rare": 0.0}, {"rare": -1.0}):
        with pytest.raises(ValueError, match="class_weight"):
            FTuneClassifier(10, class_weight=wrong, **options).fit(X, y)


def test_class_weights_by_label(wine):
    X, _, y, _ = wine
    K, P = rbf_kernel(X), random_landmarks(y, 5, np.random.default_rng(0))
    options = {"C": 1.0, "F": [1.0], "choose": "training"}
    plain, ones, heavy = (ftune(K, y, P, class_weight=w, **options) for w in (None, {"a": 1.0}, {"a": 50.0}))
    np.testing.assert_allclose(ones.w, plain.w, rtol=1e-6, atol=1e-6)
    assert (heavy.predict(K, K) == "a").sum() >= (plain.predict(K, K) == "a").sum() and heavy != plain
    for wrong, message in (("balanced", "dict"), ({"d": 1.0}, "'d'"), ({"a": np.inf}, "class_weight")):
        with pytest.raises((TypeError, ValueError), match=message):
            ftune(K, y, P, class_weight=wrong, **options)


@pytest.mark.parametrize("d", [10**3, 10**9])
@pytest.mark.parametrize("selection", ["diverse", "random", "fresh"])
def test_more_pairs_than_there_are_are_refused(selection, d):
    """Before the first look-up of K, which this kernel would not survive."""
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 3
    never = {"kernel": lambda a, b: pytest.fail("K was looked up"), "selection": selection}
    with pytest.raises(ValueError, match=f"n_landmarks must be at most 512, as 48 training objects.* got {d}"):
        FTuneClassifier(d, **never).fit(X, y)
    with pytest.raises(ValueError, match=f"n_components must be at most 800, as 60 training objects.* got {d}"):
        LandmarkTransformer(d, slope=1.0, **never).fit(X, y)


def test_all_pairs_and_any_number_of_landmarks_alone_are_taken():
    X, y = np.random.default_rng(0).normal(size=(8, 3)), np.arange(8) % 2
    options = {"C": 1.0, "slopes": [1.0], "random_state": 0, "validation": 0.0}
    assert FTuneClassifier(30, **options).fit(X, y).model_.w.shape == (1, 30)
    with pytest.raises(ValueError, match="n_landmarks must be at most 30, as 8 training objects have at most 16 pairs"):
        FTuneClassifier(31, **options).fit(X, y)
    assert len(FTuneClassifier(10**12, pairs=False, **options).fit(X, y).landmarks_) == 8
    assert LandmarkTransformer(10**12, random_state=0).fit(X).transform(X).shape == (8, 8)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"C": []}, ValueError, "C must hold at least one number; got an empty sequence"),
        ({"C": 1e300}, ValueError, r"C must be between 1e-100 and 1e\+12; got 1e\+300"),
        ({"C": [1.0, -1]}, ValueError, "C must be between .*; got -1"),
        ({"C": 10**400}, (TypeError, ValueError), "C must be "),
        ({"C": "1"}, TypeError, "C must be a number; got '1'"),
        ({"class_weight": {"a": 1e160}}, ValueError, r"C times class_weight\['a'\] must be .*; got 1 times 1e\+160"),
        ({"class_weight": {"a": 1e-101}}, ValueError, r"C times class_weight\['a'\] must be between 1e-100"),
        ({"C": 1e9, "class_weight": {"b": 1e4}}, ValueError, r"got 1e\+09 times 10000.0"),
        ({"class_weight": {"b": 10**400}}, ValueError, "got 1 times 1000"),
        ({"class_weight": {"a": -1}}, ValueError, r"class_weight\['a'\] must be a positive number; got -1"),
        ({"class_weight": {"a": 0}}, ValueError, r"class_weight\['a'\] must be a positive number; got 0"),
        ({"class_weight": {"a": np.nan}}, ValueError, r"class_weight\['a'\] must be a positive number; got nan"),
        ({"class_weight": {"a": "2"}}, TypeError, r"class_weight\['a'\] must be a positive number; got '2'"),
        ({"class_weight": {"z": 2.0}}, ValueError, "class_weight must have the labels of y; got 'z'"),
        ({"class_weight": "x"}, ValueError, "class_weight must be a dict of label .* 'balanced' or None; got 'x'"),
        ({"class_weight": [1, 2]}, TypeError, "class_weight must be a dict of label .* 'balanced' or None; got "),
        ({"bias": 1e200}, ValueError, "bias is 1e"),
    ],
)  # fmt: skip
def test_costs_that_no_training_takes(wine, options, error, message):
    X, _, y, _ = wine
    with pytest.raises(error, match=message):
        FTuneClassifier(6, **options).fit(X, y)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge", "logistic"])
@pytest.mark.parametrize("C", [1e-100, 1e12])
def test_at_the_limits_of_the_cost_a_classifier_is_learnt(wine, loss, C):
    X, Q, y, q = wine
    model = FTuneClassifier(12, C=C, slopes=[1.0, 10.0], loss=loss, random_state=0).fit(X, y)
    assert np.isfinite(model.decision_function(Q)).all() and np.isfinite(model.model_.gaps).all()
    assert model.score(Q, q) > (0.8 if C > 1 else 0.3)


def test_weights_of_classes_that_a_fold_lacks_are_not_used(wine):
    X, Q, y, _ = wine
    weights = {"a": 2.0, "b": 1.0, "c": 1.0}
    few, many = (FTuneClassifier(**SMALL, class_weight=one).fit(X, y) for one in (weights, {**weights, "z": 9.0}))
    assert_same(few.decision_function(Q), many.decision_function(Q))


def test_objects_that_count_next_to_nothing_choose_nothing():
    """A steep ramp that is right on a held-out object of weight 0.0001 must not win over a flat one."""
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    X = rng.normal(size=(100, 4)) + y[:, np.newaxis]
    for seed in range(6):
        model = FTuneClassifier(random_state=seed, class_weight={0: 1000.0, 1: 0.0001}, kernels=NAMES[-1]).fit(X, y)
        assert (model.predict(rng.normal(size=(200, 4)) + 0.5) == 0).mean() > 0.9
