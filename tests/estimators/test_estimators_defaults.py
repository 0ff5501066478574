"""Every estimator as a new user meets it: at its defaults, on both kernels; scikit-learn's checks.

These run at the defaults and in the forms that have code of their own. BoostMap's defaults take a
minute on the reference kernels, which get few triples. Not tested here: what the defaults are (the
names of `make gate`, held by tests/project), and what an estimator's own module checks.
"""

import sys

import numpy as np
import pytest
from agreement import NAMES
from sklearn.base import is_classifier
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from refimpl import estimators
from refimpl.estimators import arguments
from refimpl.estimators.arguments import kernels_named

both = pytest.mark.parametrize("kernels", NAMES)
ALL = sorted(estimators.__all__)
REFUSING = {  # what has to be learnt from two points of a class
    "BoostMapClassifier": r"y must have 2 class\(es\) with two training objects .*; got 0",
    "LMNN": "got 1 of class 'a'",
    "MultiMetricLMNN": "got 1 of class 'a'",
}
SLOW = ("BoostMap", "BoostMapClassifier")  # on the reference kernels
FEW = {"n_triples": 60, "n_references": 6, "n_best": 3, "random_state": 0}
TINY = {"n_landmarks": 6, "family": (1.0, 10.0), "C": (1.0, 100.0), "random_state": 0}
FEW_NEAR = {"n_neighbors": 1, "n_components": 3, **FEW}


def further(name, parameters):
    """Return a case that runs with --all alone."""
    return pytest.param(name, parameters, marks=pytest.mark.further)


CHECKED = [
    *(
        (name, {"kernels": k}) if k == NAMES[-1] else further(name, {"kernels": k})
        for name in ALL
        for k in NAMES
        if k == NAMES[-1] or name not in SLOW
    ),
    ("BoostedDistanceClassifier", {"warm_start": True, "max_memory": 2**30}),
    further("BoostMap", {"n_components": 3, **FEW, "kernels": NAMES[0]}),
    further("BoostMapClassifier", {**FEW_NEAR, "kernels": NAMES[0]}),
    ("BoostMapClassifier", {**FEW_NEAR, "n_refine": 2}),
    further("FTuneClassifier", {**TINY, "kernels": NAMES[0]}),
    ("FTuneClassifier", {**TINY, "per_class": True, "selection": "random", "kernel": "rbf"}),
    further("FTuneClassifier", {**TINY, "selection": "diverse"}),
    further("FTuneClassifier", {**TINY, "pairs": False}),
    ("FTuneClassifier", {**TINY, "kernel": "linear", "loss": "logistic"}),
    further("LandmarkTransformer", {"n_components": 3, "random_state": 0}),
    ("LandmarkTransformer", {"n_components": 3, "random_state": 0, "selection": "diverse"}),
    ("LMNN", {"n_neighbors": 1, "n_components": 1, "max_checks": 5}),
    further("MultiMetricLMNN", {"n_neighbors": 1, "tol": 0.1, "max_checks": 5}),
    ("MultiMetricLMNN", {"n_neighbors": 1, "partition": 2, "max_checks": 5, "random_state": 0}),
    ("SearchForestNeighbors", {"n_estimators": 2, "similarity": "classes", "mode": "connectivity"}),
]


def answer(model, X):
    return model.predict(X) if is_classifier(model) else model.transform(X)


def dense(values):
    return values.toarray() if hasattr(values, "toarray") else np.asarray(values)


def made(name, kernels):
    model = getattr(estimators, name)(kernels=kernels)
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "parameters"), CHECKED)
def test_scikit_learns_checks(name, parameters):
    check_estimator(getattr(estimators, name)(**parameters))


@pytest.mark.parametrize("name", ALL)
def test_the_compiled_kernels_are_the_default(name):
    assert getattr(estimators, name)().kernels is None
    fast = pytest.importorskip("refimpl_fast", exc_type=ImportError)
    assert kernels_named(None) is fast


def test_without_compiled_kernels_the_default_warns_and_gives_the_same(monkeypatch):
    X, y = load_iris(return_X_y=True)
    expected = estimators.BoostedDistanceClassifier(3, kernels="reference").fit(X, y)
    monkeypatch.setitem(sys.modules, "refimpl_fast", None)  # as if it could not be imported
    arguments.default_name.cache_clear()
    try:
        with pytest.warns(UserWarning, match="cannot be imported: (.|\n)* take longer") as warned:
            model = estimators.BoostedDistanceClassifier(3).fit(X, y)
            assert (model.predict(X) == expected.predict(X)).all()
        assert [warning.filename for warning in warned] == [__file__]  # the caller's line, once
        assert model.model_ == expected.model_
        with pytest.raises(ImportError):
            kernels_named("fast")
    finally:
        arguments.default_name.cache_clear()


SMALL = {"n_components": 6, "n_triples": 400, "n_references": 20, "n_best": 8}
CHAINS = {  # its parameters, what learns from its vectors, and what is searched for
    "BoostedDistanceClassifier": ({"warm_start": True}, None, {"n_estimators": [1, 15]}),
    "BoostMap": (SMALL, KNeighborsClassifier(3, metric="l1"), {"triples": ["nearby", "selective"]}),
    "BoostMapClassifier": ({"n_neighbors": 3, **SMALL}, None, {"n_refine": [None, 10]}),
    "FTuneClassifier": (TINY, None, {"selection": ["diverse", "random"]}),
    "LandmarkTransformer": ({"n_components": 20}, LinearSVC(C=100.0), {"slope": [None, 5.0]}),
    "LMNN": ({}, KNeighborsClassifier(3), {"mu": [0.3, 1.0], "n_components": [2, None]}),
    "MultiMetricLMNN": ({}, None, {"partition": ["classes", 2]}),
    "SearchForestNeighbors": (
        {},
        KNeighborsClassifier(5, metric="precomputed"),
        {"lam": [0.02, 0.1]},
    ),
}


@pytest.mark.parametrize("name", ALL)
def test_a_grid_search_in_a_pipeline(name):
    X, y = load_wine(return_X_y=True)
    X, Q, y, q = train_test_split(X, np.array(list("abc"))[y], random_state=0)
    parameters, after, searched = CHAINS[name]
    model = made(name, NAMES[-1]).set_params(n_jobs=1, **parameters)
    last = [] if after is None else [("after", after)]
    chain = Pipeline([("scaled", StandardScaler()), ("it", model), *last])
    grid = {f"it__{parameter}": values for parameter, values in searched.items()}
    search = GridSearchCV(chain, grid, cv=2).fit(X, y)
    assert search.score(Q, q) > 0.85 and set(search.predict(Q)) == set("abc")
    if name == "BoostedDistanceClassifier":  # in processes of their own
        others = GridSearchCV(chain, grid, cv=2, n_jobs=2).fit(X, y).cv_results_
        np.testing.assert_array_equal(
            others["mean_test_score"], search.cv_results_["mean_test_score"]
        )


@pytest.mark.parametrize(
    ("name", "few"), [("BoostMapClassifier", FEW), ("MultiMetricLMNN", {"tol": 0.1})]
)
def test_probabilities_are_the_shares_of_the_votes(name, few):
    """They agree with the predictions, ties included."""
    rng = np.random.default_rng(3)
    X, Q = rng.normal(size=(60, 3)), rng.normal(size=(200, 3))
    y = np.array(list("cab"))[np.arange(60) % 3]
    ties = 0
    for k in (1, 2, 3, 4):
        model = made(name, NAMES[-1]).set_params(n_neighbors=k, **few).fit(X, y)
        shares = model.predict_proba(Q)
        near = model.kneighbors(Q, return_distance=False)
        np.testing.assert_array_equal(near, model.kneighbors(Q)[1])
        votes = np.stack([(y[near] == label).sum(axis=1) for label in model.classes_], axis=1)
        np.testing.assert_allclose(shares, votes / k, rtol=1e-15)
        np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(Q))
        best = np.sort(votes, axis=1)
        ties += (best[:, -1] == best[:, -2]).sum()
    assert ties > 0


@both
@pytest.mark.parametrize("classes", ["aaaabbbb", "abcdefgh"])
@pytest.mark.parametrize("name", ALL)
def test_eight_points(name, classes, kernels):
    X = np.random.default_rng(0).normal(size=(8, 3))
    y = np.array(list(classes))
    model = made(name, kernels)
    if classes == "abcdefgh" and name in REFUSING:
        with pytest.raises(ValueError, match=REFUSING[name]):
            model.fit(X, y)
        return
    found = answer(model.fit(X, y), X)
    assert found.shape[0] == 8 and (not is_classifier(model) or set(found) <= set(y))


@pytest.mark.parametrize(
    "name", [*(name for name in ALL if is_classifier(getattr(estimators, name)())), "LMNN"]
)
def test_one_class_is_refused_in_the_same_words(name):
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ValueError, match=r"^y must have at least two classes; got one class$"):
        getattr(estimators, name)().fit(X, np.zeros(20, dtype=int))
