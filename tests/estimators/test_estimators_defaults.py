"""Every estimator as a new user meets it: at its defaults, on both kernels.

scikit-learn's checks run here at the defaults, but for BoostMap on the reference kernels, which
takes a minute; its own module runs them there with few triples. Not tested here: other parameters,
which each estimator's own module checks.
"""

import ast
import inspect
import pickle
import re
import sys

import numpy as np
import pytest
from agreement import KERNELS
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from refimpl import estimators
from refimpl.estimators import arguments
from refimpl.estimators.arguments import kernels_named

NAMES = ["reference", "fast"][: len(KERNELS)]
both = pytest.mark.parametrize("kernels", NAMES)
ALL = sorted(estimators.__all__)
REFUSING = {  # what has to be learnt from two points of a class
    "BoostMapClassifier": r"y must have 2 class\(es\) with two training objects .*; got 0",
    "LMNN": "got 1 of class 'a'",
    "MultiMetricLMNN": "got 1 of class 'a'",
}
SLOW = ("BoostMap", "BoostMapClassifier")  # on the reference kernels
CHECKED = [
    pytest.param(name, k, marks=() if k == NAMES[-1] else pytest.mark.further)
    for name in ALL
    for k in NAMES
    if k == NAMES[-1] or name not in SLOW
]
# classifiers whose defaults do well on raw wine
PLAIN = ("BoostedDistanceClassifier", "FTuneClassifier")


def answer(model, X):
    return model.predict(X) if is_classifier(model) else model.transform(X)


def dense(values):
    return values.toarray() if hasattr(values, "toarray") else np.asarray(values)


def made(name, kernels):
    model = getattr(estimators, name)(kernels=kernels)
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "kernels"), CHECKED)
def test_scikit_learns_checks(name, kernels):
    check_estimator(getattr(estimators, name)(kernels=kernels))


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


@both
@pytest.mark.parametrize("name", ALL)
def test_iris_in_a_pipeline_cloned_and_pickled(name, kernels):
    X, y = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[y]
    model = make_pipeline(StandardScaler(), made(name, kernels)).fit(X[::2], y[::2])
    found = dense(answer(model, X[1::2]))
    assert len(found) == 75
    if is_classifier(model):
        assert found.dtype == y.dtype and (found == y[1::2]).mean() > 0.9
    for twin in (clone(model).fit(X[::2], y[::2]), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(dense(answer(twin, X[1::2])), found)


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


@both
@pytest.mark.parametrize("name", PLAIN)
def test_raw_wine_scored_by_roc_auc(name, kernels):
    X, y = load_wine(return_X_y=True)
    model = made(name, kernels)
    assert cross_val_score(model, X, y == 1, scoring="roc_auc", cv=3).min() > 0.6
    if not hasattr(model, "predict_proba"):
        model.set_params(loss="logistic")
    assert cross_val_score(model, X, y, scoring="roc_auc_ovr", cv=3).min() > 0.6


@pytest.mark.parametrize(
    "name", [*(name for name in ALL if is_classifier(getattr(estimators, name)())), "LMNN"]
)
def test_one_class_is_refused_in_the_same_words(name):
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ValueError, match=r"^y must have at least two classes; got one class$"):
        getattr(estimators, name)().fit(X, np.zeros(20, dtype=int))


@pytest.mark.parametrize("name", ALL)
def test_the_defaults_are_those_that_the_docstring_names(name):
    """Of the parameters that are described alone, with a literal: `mu : float, default 1.0`."""
    kind = getattr(estimators, name)
    named = dict(re.findall(r"^ {4}(\w+) : .*, default (\S+)$", kind.__doc__, re.MULTILINE))
    parameters = inspect.signature(kind).parameters
    for parameter, default in named.items():
        if parameter in parameters:
            assert parameters[parameter].default == ast.literal_eval(default), parameter
    assert len(named) >= 2


DEFAULTS = {
    "BoostMap": {
        "n_components": None,
        "n_triples": None,
        "n_candidates": None,
        "n_training_objects": None,
        "triples": "nearby",
        "k_most": None,
        "target": "distances",
        "n_references": 1000,
        "n_pairs": None,
        "n_best": 200,
        "query_sensitive": 0,
        "metric": "euclidean",
        "metric_params": None,
        "max_rounds": None,
        "random_state": None,
        "kernels": None,
        "n_jobs": -1,
        "callback": None,
        "start": None,
        "max_memory": None,
    },
    "BoostMapClassifier": {
        "n_neighbors": 5,
        "n_refine": None,
        "n_components": None,
        "n_triples": None,
        "n_candidates": None,
        "n_training_objects": None,
        "triples": "selective",
        "k_most": None,
        "target": "classes",
        "n_references": 1000,
        "n_pairs": None,
        "n_best": 200,
        "query_sensitive": None,
        "metric": "euclidean",
        "metric_params": None,
        "max_rounds": None,
        "random_state": None,
        "kernels": None,
        "n_jobs": -1,
        "callback": None,
        "start": None,
        "max_memory": None,
    },
    "BoostedDistanceClassifier": {
        "n_estimators": 100,
        "weak_learner": None,
        "normalize": True,
        "class_weight": None,
        "kernels": None,
        "n_jobs": -1,
        "callback": None,
        "warm_start": False,
        "max_memory": None,
    },
    "FTuneClassifier": {
        "n_landmarks": 30,
        "selection": "fresh",
        "per_problem": False,
        "family": (1.0, 5.0, 10.0, 50.0, 100.0, 1000.0),
        "pairs": True,
        "per_class": False,
        "loss": "squared_hinge",
        "C": (1.0, 10.0, 100.0, 1000.0),
        "bias": 1.0,
        "choose": "validation",
        "validation": 0.2,
        "class_weight": None,
        "kernel": "gaussian",
        "kernel_params": None,
        "distance": False,
        "bound": None,
        "random_state": None,
        "kernels": None,
        "n_jobs": -1,
        "callback": None,
        "max_memory": None,
    },
    "LMNN": {
        "n_neighbors": 3,
        "mu": 1.0,
        "n_components": None,
        "low_rank": "rect",
        "solver": None,
        "search": "product",
        "tol": 0.001,
        "max_checks": 200,
        "n_target_rounds": 1,
        "validation": None,
        "patience": 5,
        "random_state": None,
        "kernels": None,
        "n_jobs": -1,
        "callback": None,
        "warm_start": False,
        "max_memory": None,
    },
    "LandmarkTransformer": {
        "n_components": 30,
        "slope": None,
        "selection": "fresh",
        "per_problem": False,
        "kernel": "gaussian",
        "kernel_params": None,
        "distance": False,
        "random_state": None,
        "kernels": None,
        "n_jobs": -1,
    },
    "MultiMetricLMNN": {
        "n_neighbors": 3,
        "partition": "classes",
        "mu": 1.0,
        "solver": None,
        "search": "product",
        "tol": 0.001,
        "max_checks": 200,
        "n_target_rounds": 1,
        "validation": 0.3,
        "patience": 5,
        "random_state": None,
        "kernels": None,
        "n_jobs": -1,
        "callback": None,
        "max_memory": None,
    },
    "SearchForestNeighbors": {
        "n_neighbors": 5,
        "mode": "distance",
        "n_estimators": 16,
        "lam": 0.05,
        "similarity": "neighbors",
        "n_similar": None,
        "n_candidates": None,
        "n_training_points": 2000,
        "max_depth": 16,
        "max_leaves": 128,
        "stump_above": None,
        "refine": 10,
        "random_state": None,
        "kernels": None,
        "n_jobs": -1,
        "callback": None,
        "max_memory": None,
    },
}


@pytest.mark.parametrize("name", ALL)
def test_the_defaults_are_these(name):
    """A change of a default changes the results of those who name none: it belongs here as well."""
    parameters = inspect.signature(getattr(estimators, name)).parameters
    assert {key: parameter.default for key, parameter in parameters.items()} == DEFAULTS[name]
