"""FTUNE's estimators pass scikit-learn's own checks and fit its tools."""

import pickle

import numpy as np
import pytest
from agreement import KERNELS, assert_same
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from refimpl.estimators import FTuneClassifier, LandmarkTransformer
from refimpl.ftune import NormalizationWarning

NAMES = ["reference", "fast"][: len(KERNELS)]
TINY = {"n_landmarks": 6, "slopes": (1.0, 10.0), "C": (1.0, 100.0), "random_state": 0, "threads": 1}
SMALL = {"n_landmarks": 12, "random_state": 0, "threads": 1}
WORDS = "boost boosts boosted boast coast coats goats goat map maps mapped lap laps lapse forest rest nest".split()


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return train_test_split(StandardScaler().fit_transform(X), np.array(list("abc"))[y], random_state=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator",
    [
        FTuneClassifier(**TINY),
        FTuneClassifier(**TINY, kernels=NAMES[-1], per_class=True, selection="random", kernel="rbf"),
        FTuneClassifier(**TINY, pairs=False),
        FTuneClassifier(**TINY, kernel="linear", loss="logistic"),
        LandmarkTransformer(3, random_state=0, kernels=NAMES[-1]),
        LandmarkTransformer(3, random_state=0, selection="random", kernel="rbf"),
    ],
    ids=["FTUNE+D-S", "FTUNE-M", "BBS+D", "linear", "landmarks+D", "landmarks"],
)
def test_check_estimator(estimator):
    check_estimator(estimator)


@pytest.mark.parametrize(
    "model",
    [
        FTuneClassifier(**SMALL),
        FTuneClassifier(**SMALL, per_class=True, selection="random"),
        FTuneClassifier(**SMALL, selection="fresh"),
        FTuneClassifier(**SMALL, pairs=False),
        LandmarkTransformer(5, random_state=0),
    ],
    ids=["single", "multiple", "fresh pairs", "BBS", "transformer"],
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
    pooled, fresh = (FTuneClassifier(10, selection=name, random_state=0, kernels=NAMES[-1]).fit(X, y)
                     for name in ("random", "fresh"))  # fmt: skip
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


def test_what_fit_and_predict_cost(wine):
    X, Q, y, _ = wine
    asked = []

    def K(a, b):
        asked.append(1)
        return float(np.exp(-((a - b) ** 2).sum() / 30))

    model = FTuneClassifier(6, kernel=K, random_state=0, C=1.0, slopes=(1.0,)).fit(X, y)
    assert len(asked) == model.n_similarities_
    asked.clear()
    model.predict(Q)
    assert len(asked) == len(Q) * len(model.landmarks_) <= 6 * len(Q)


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
        (FTuneClassifier(selection="best"), "selection: 'best'"),
        (FTuneClassifier(selection="fresh", pairs=False), "selection: 'fresh'"),
        (FTuneClassifier(slopes=(-1.0,)), r"F\[0\]"),
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
