"""The estimators promise alike: kernels, jobs, seeds, copies, callbacks, files and refusals.

Their defaults, and scikit-learn's own checks: tests/estimators.
"""

import pickle
import warnings

import numpy as np
import pytest
from agreement import NAMES, assert_same
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.preprocessing import StandardScaler

import refimpl
from refimpl import estimators as of
from refimpl.boosted_distance.weak_learners import DepthTwoTrees

SEED = {"random_state": 0}
BOOSTMAP = {"n_components": 4, "n_triples": 200, "n_references": 12, "n_best": 4, **SEED}
FTUNE = {"n_landmarks": 6, "family": (1.0, 10.0), "C": (1.0, 100.0), **SEED}
FORMS = {
    "BoostedDistanceClassifier": of.BoostedDistanceClassifier(4),
    "BoostedDistanceClassifier, trees": of.BoostedDistanceClassifier(
        4, weak_learner=DepthTwoTrees(), class_weight={"b": 1.5}
    ),
    "BoostMap": of.BoostMap(**BOOSTMAP),
    "BoostMapClassifier": of.BoostMapClassifier(**BOOSTMAP, query_sensitive=3),
    "LMNN": of.LMNN(**SEED),
    "LMNN, low rank": of.LMNN(n_components=2, tol=1e-3, **SEED),
    "MultiMetricLMNN": of.MultiMetricLMNN(tol=1e-2, validation=None, **SEED),
    "MultiMetricLMNN, clusters": of.MultiMetricLMNN(partition=4, tol=1e-2, **SEED),
    "FTuneClassifier": of.FTuneClassifier(**FTUNE),
    "FTuneClassifier, per class": of.FTuneClassifier(
        **FTUNE, per_class=True, selection="random", loss="logistic"
    ),
    "FTuneClassifier, BBS+D": of.FTuneClassifier(**FTUNE, pairs=False, selection="diverse"),
    "LandmarkTransformer": of.LandmarkTransformer(5, **SEED),
    "LandmarkTransformer, diverse": of.LandmarkTransformer(5, selection="diverse", **SEED),
    "SearchForestNeighbors": of.SearchForestNeighbors(4, n_estimators=3, lam=0.03, **SEED),
    "SearchForestNeighbors, classes": of.SearchForestNeighbors(
        4, n_estimators=3, similarity="classes", refine=0, **SEED
    ),
}


def each(choose=bool):
    """Return the mark that runs a test on each form that `choose` is true of."""
    chosen = {name: one for name, one in FORMS.items() if choose(one)}
    return pytest.mark.parametrize("model", chosen.values(), ids=chosen)


def takes(name):
    return lambda model: name in model.get_params()


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return X[::2], np.array(list("abc"))[y[::2]], X[1::2]


def fitted(model, wine, **changes):
    """Fit a copy with other parameters; a fit that does not converge is no fault here."""
    model = clone(model).set_params(**{"kernels": NAMES[-1], "n_jobs": 1, **changes})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*wine[:2])


def answers(model, wine):
    """What a fitted estimator says of new points, by all methods that it has."""
    names = ("predict", "transform", "decision_function", "predict_proba", "kneighbors")
    found = [getattr(model, name)(wine[2]) for name in names if hasattr(model, name)]
    return [one.toarray() if hasattr(one, "toarray") else one for one in found]


def test_every_estimator_is_in_the_table():
    assert {type(model).__name__ for model in FORMS.values()} == set(of.__all__)


@each()
def test_kernels_jobs_copies_and_pickles_give_the_same_answers(model, wine):
    one = fitted(model, wine, kernels=NAMES[0])
    expected = answers(one, wine)
    others = [fitted(model, wine, n_jobs=n) for n in (None, 2, -1, -2)]
    others += [pickle.loads(pickle.dumps(one)), clone(others[0]).fit(*wine[:2])]
    for other in others:
        assert_same(other.model_, one.model_)
        assert_same(answers(other, wine), expected)


@each()
def test_a_copy_has_the_parameters_and_nothing_learnt(model, wine):
    one = fitted(model, wine)
    twin = clone(one)
    assert str(twin.get_params()).split(" at ")[0] == str(one.get_params()).split(" at ")[0]
    with pytest.raises(NotFittedError):
        answers(twin, wine)


@each(lambda model: takes("random_state")(model) and "LMNN" not in type(model).__name__)
def test_another_seed_gives_another_model(model, wine):
    again = fitted(model, wine, random_state=np.random.RandomState(0))
    assert_same(fitted(model, wine, random_state=np.random.RandomState(0)).model_, again.model_)
    other = fitted(model, wine, random_state=1)
    with pytest.raises(AssertionError):
        assert_same(other.model_, fitted(model, wine).model_)


@each(takes("callback"))
def test_a_callback_ends_a_fit_that_can_be_asked(model, wine):
    steps = []
    one = fitted(model, wine, callback=lambda step: steps.append(step) or True)
    assert {step.number for step in steps} == {1}
    if type(steps[-1].result) is type(one.model_):
        assert_same(one.model_, steps[-1].result)
    assert all(len(part) for part in answers(one, wine))


def interrupt(step):
    raise KeyboardInterrupt


@each(takes("callback"))
def test_a_first_fit_that_is_interrupted_leaves_nothing_to_ask(model, wine):
    one = clone(model).set_params(callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        one.fit(*wine[:2])
    with pytest.raises(NotFittedError):
        answers(one, wine)


@each()
@pytest.mark.parametrize("changes", [{"kernels": "none"}, {"n_jobs": 0}], ids=str)
def test_a_later_fit_that_fails_leaves_the_estimator_as_it_was(model, wine, changes):
    X, y, _ = wine
    one = fitted(model, wine)
    expected = answers(one, wine)
    with pytest.raises(ValueError):
        one.set_params(**changes).fit(X[:, :2], y)
    with pytest.raises(ValueError):
        one.set_params(kernels=NAMES[-1], n_jobs=1).fit(X[:, :2] * np.nan, y)
    assert one.n_features_in_ == X.shape[1]
    assert_same(answers(one, wine), expected)


@each(takes("callback"))
def test_an_interrupted_fit_leaves_the_estimator_as_it_was(model, wine):
    one = fitted(model, wine)
    expected = answers(one, wine)
    with pytest.raises(KeyboardInterrupt):
        one.set_params(callback=interrupt).fit(wine[0][:, :2], wine[1])
    assert_same(answers(one, wine), expected)


@each(takes("callback"))
def test_a_callback_may_note_what_it_sees_on_the_estimator(model, wine):
    one = clone(model)

    def note(step):
        one.seen = getattr(one, "seen", 0) + 1

    steps = []
    fitted(model, wine, callback=steps.append)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        one.set_params(kernels=NAMES[-1], n_jobs=1, callback=note).fit(*wine[:2])
    assert one.seen == len(steps) > 0


@each(takes("callback"))
def test_a_fit_can_be_watched_and_saved(model, wine, tmp_path):
    steps = []
    with refimpl.Checkpoint(tmp_path / "fit.npz", every=0) as checkpoint:
        one = fitted(model, wine, callback=lambda step: steps.append(step) or checkpoint(step))
    assert_same(refimpl.load(tmp_path / "fit.npz"), steps[-1].result)
    assert_same(one.model_, fitted(model, wine).model_)
    refimpl.save(tmp_path / "model.npz", one.model_)
    assert_same(refimpl.load(tmp_path / "model.npz"), one.model_)


@each(takes("start"))
def test_a_fit_goes_on_from_a_step(model, wine):
    steps = []
    whole = fitted(model, wine, callback=steps.append)
    for step in (steps[1], steps[-2]):
        again = fitted(model, wine, start=step.result)
        assert_same(again.model_, whole.model_)
        assert_same(answers(again, wine), answers(whole, wine))
    with pytest.raises(ValueError, match="start must come from a training with the same"):
        fitted(model, wine, start=steps[1].result, random_state=1)


@each(takes("warm_start"))
def test_a_warm_start_goes_on_where_the_last_fit_ended(model, wine):
    steps = []
    one = fitted(model, wine, warm_start=True, callback=lambda step: step.number == 2)
    one.set_params(callback=steps.append).fit(wine[0].copy(), list(wine[1]))
    whole = fitted(model, wine)
    if hasattr(whole.model_, "converged"):  # the same optimum
        assert one.model_.converged
        assert one.model_.objective == pytest.approx(whole.model_.objective, rel=2e-3)
    else:
        assert_same(one.model_, whole.model_)
        assert min(step.number for step in steps) == 3
        seen = len(steps)
        assert_same(one.fit(*wine[:2]).model_, whole.model_)
        assert len(steps) == seen  # nothing is left to do


@each()
def test_wrong_parameters_are_named(model, wine):
    wrong = {"kernels": "quick", "callback": 3}
    for name in wrong.keys() & model.get_params().keys():
        with pytest.raises((TypeError, ValueError), match=rf"^{name} must .*{wrong[name]}"):
            fitted(model, wine, **{name: wrong[name]})
    if takes("max_memory")(model):
        with pytest.raises(MemoryError, match=r"^max_memory is 1 bytes"):
            fitted(model, wine, max_memory=1)
