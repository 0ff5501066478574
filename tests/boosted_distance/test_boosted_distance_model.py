"""The result of a training, the steps of a callback, continuing, and the arguments of estimates."""

import dataclasses
import inspect
import json

import numpy as np
import pytest
from agreement import KERNELS, assert_same
from sklearn.datasets import load_iris, load_wine

import refimpl
from refimpl.boosted_distance import (
    BoostedDistance,
    Round,
    StumpEnsemble,
    adaboost,
    boosted_distance,
    class_similarities,
    estimate_memory,
    nearest_neighbor_boosted_distance,
    similarity,
    staged_nearest_neighbor,
)
from refimpl.boosted_distance.model import Ensemble, TreeEnsemble
from refimpl.boosted_distance.weak_learners import DepthTwoTrees, Stumps
from refimpl.kernels.stumps import on_grid
from refimpl.results import digest, result

NAMES = np.array(["setosa", "versicolor", "virginica"])
LEARNERS = [Stumps(), DepthTwoTrees()]
both_learners = pytest.mark.parametrize("learner", LEARNERS, ids=lambda x: type(x).__name__)
STUMPS = StumpEnsemble([0.5, 2.0], [0, 3], [1, -1], [0.25, -np.inf])
TREES = TreeEnsemble([1.5], [[0, 1, 2]], [[1, -1, 1]], [[0.0, 1.0, -np.inf]])


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X[::5], NAMES[y[::5]]


# -------------------------------------------------------------------------------------- the result


def test_a_model_maps_classes_to_ensembles(iris):
    X, y = iris
    model = boosted_distance(X, y, 3)
    assert_same(model.classes, NAMES)
    assert list(model) == NAMES.tolist() and len(model) == 3
    assert [model[label] for label in NAMES] == list(model.ensembles)
    assert list(model.items()) == list(zip(NAMES.tolist(), model.ensembles, strict=True))
    assert "virginica" in model and "iris" not in model and 0 not in model
    with pytest.raises(KeyError, match="iris"):
        model["iris"]
    assert repr(model) == "BoostedDistance(3 classes, 3 rounds of StumpEnsemble)"
    assert model.rounds(0, 2) == boosted_distance(X, y, 2) != model


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        ([False, True, True], bool),
        ([7, 3, 7], np.int64),
        ([0.5, 0.25, 0.25], np.float64),
        (np.array([2, 1, 1], dtype=np.uint8), np.uint8),
        (["b", "a", "a"], "<U1"),
        (np.array(["b", "aaa", "b"], dtype=object), "<U3"),
        (np.array([5, 4, 4], dtype=object), np.int64),
    ],
)
def test_classes_have_a_dtype_that_a_file_holds(labels, dtype, tmp_path):
    X = [[0.0], [1.0], [2.0]]
    model = boosted_distance(X, labels, 2)
    assert model.classes.dtype == dtype and list(model) == sorted(set(np.array(labels).tolist()))
    refimpl.save(tmp_path / "m", model)
    assert refimpl.load(tmp_path / "m") == model
    assert nearest_neighbor_boosted_distance(model, X, X, labels).tolist() == list(labels)


def test_labels_that_no_array_holds_stay_as_they_are():
    labels = np.array(["a\0", "a", "a"], dtype=object)
    model = boosted_distance([[0.0], [1.0], [2.0]], labels, 1)
    assert list(model) == ["a", "a\0"] and model.classes.dtype == object


@pytest.mark.parametrize(
    ("classes", "ensembles", "error", "message"),
    [
        ([1, 0], (STUMPS, STUMPS), ValueError, "classes must be different labels in ascending"),
        ([1, 1], (STUMPS, STUMPS), ValueError, "classes must be different labels in ascending"),
        ([[0, 1]], (STUMPS, STUMPS), ValueError, "classes must be different labels in ascending"),
        ([0, 1], (STUMPS,), ValueError, "an entry for each of the 2 classes, .* got 1"),
        ([], (), ValueError, "an entry for each of the 0 classes, at least 1; got 0"),
        ([0, 1], (STUMPS, 3), TypeError, "Ensembles of one type; got StumpEnsemble, int"),
        ([0, 1], (STUMPS, TREES), TypeError, "got StumpEnsemble, TreeEnsemble"),
        ([0, 1], (3, 3), TypeError, "Ensembles of one type; got int"),
    ],
)
def test_models_refuse_what_does_not_fit(classes, ensembles, error, message):
    with pytest.raises(error, match=message):
        BoostedDistance(np.array(classes), ensembles)


@result
@dataclasses.dataclass(frozen=True, eq=False)
class Signs(Ensemble):
    """Classifiers x_f >= 0, or x_f < 0, of a user's own weak learner."""

    column: np.ndarray
    positive: np.ndarray

    def h(self, t, D):
        return (D[:, self.column[t]] >= 0) == self.positive[t]

    def features(self):
        return np.unique(self.column)


class SignLearner:
    """A weak learner that has no base class."""

    Ensemble = Signs

    def prepare(self, P, N, *, kernels, threads):
        return np.concatenate([np.asarray(P), np.asarray(N)]) >= 0

    def select(self, data, w, l, *, kernels, threads):
        w = on_grid(w)
        errors = [(w[(data[:, f] == p) != l].sum(), f, p) for f in range(4) for p in (0, 1)]
        epsilon, f, p = min(errors)
        return float(epsilon), (f, p)

    def classify(self, data, h):
        return data[:, h[0]] == h[1]

    def memory(self, P, N, *, threads=None):
        return 100 * (len(P) + len(N)) * P.shape[1]


@pytest.mark.parametrize("learner", [*LEARNERS, SignLearner()], ids=lambda x: type(x).__name__)
def test_files_hold_the_ensembles_of_any_weak_learner(iris, learner, tmp_path):
    X, y = iris
    part = boosted_distance(X, y, 3, weak_learner=learner)
    refimpl.save(tmp_path / "m", part)
    read = refimpl.load(tmp_path / "m")
    assert read == part and type(read["setosa"]) is learner.Ensemble
    whole = boosted_distance(X, y, 5, weak_learner=learner)
    assert boosted_distance(X, y, 5, weak_learner=learner, start=read) == whole != part


def test_a_file_refuses_ensembles_of_an_unknown_class(iris, tmp_path):
    class Unknown(StumpEnsemble):
        pass

    fields = STUMPS.alpha, STUMPS.feature, STUMPS.polarity, STUMPS.threshold
    model = BoostedDistance(np.array([0]), (Unknown(*fields),))
    with pytest.raises(TypeError, match="ensembles of a BoostedDistance"):
        refimpl.save(tmp_path / "m", model)


@pytest.mark.parametrize("change", ["missing array", "one more array", "missing part", "no parts"])
def test_files_without_a_part_are_refused(iris, tmp_path, change):
    refimpl.save(tmp_path / "m.npz", boosted_distance(*iris, 2))
    with np.load(tmp_path / "m.npz") as file:
        arrays = dict(file)
    header = json.loads(str(arrays.pop("refimpl")))
    del header["sha256"]
    if change == "missing array":
        del arrays["ensembles.1.alpha"]
    elif change == "one more array":
        arrays["ensembles.3.alpha"] = np.zeros(1)
    elif change == "missing part":
        header["parts"]["ensembles"].pop()
    else:
        del header["parts"]
    text = json.dumps({**header, "sha256": digest(header, arrays)})
    np.savez(tmp_path / "m.npz", refimpl=np.array(text), **arrays)
    with pytest.raises(refimpl.FileFormatError, match="missing or unknown"):
        refimpl.load(tmp_path / "m.npz")


# ---------------------------------------------------------------------------- steps and continuing


@both_learners
@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
def test_every_step_has_a_result_to_go_on_from(iris, learner, kernels, tmp_path):
    """Asked for after the training, saved and loaded."""
    X, y = iris
    options = {"weak_learner": learner, "kernels": kernels}
    steps = []
    whole = boosted_distance(X, y, 4, callback=steps.append, **options)
    assert [(step.label, step.number) for step in steps] == [
        (label, t) for label in NAMES for t in (1, 2, 3, 4)
    ]
    assert all(step.total == 4 and isinstance(step.state, Round) for step in steps)
    assert [step.state.t for step in steps] == [step.number for step in steps]
    for i, step in enumerate(steps):
        part = step.result
        assert isinstance(part, BoostedDistance) and type(part[step.label]) is learner.Ensemble
        trained = [len(ensemble) for ensemble in part.ensembles]
        assert trained == [min(4, max(0, i + 1 - 4 * place)) for place in range(3)]
        assert all(part[C] == whole[C].rounds(0, len(part[C])) for C in part)
        refimpl.save(tmp_path / "m", part)
        assert boosted_distance(X, y, 4, start=refimpl.load(tmp_path / "m"), **options) == whole
    assert steps[-1].result == whole


def test_a_step_of_a_continued_training_keeps_what_it_started_from(iris):
    X, y = iris
    steps = []
    start = boosted_distance(X, y, 3, callback=lambda step: step.label == "versicolor")
    assert [len(ensemble) for ensemble in start.ensembles] == [3, 1, 3]
    assert repr(start) == "BoostedDistance(3 classes, 1 to 3 rounds of StumpEnsemble)"
    whole = boosted_distance(X, y, 4, start=start, callback=steps.append)
    assert [len(ensemble) for ensemble in steps[0].result.ensembles] == [4, 1, 3]
    assert [(step.label, step.number) for step in steps] == [
        ("setosa", 4),
        ("versicolor", 2),
        ("versicolor", 3),
        ("versicolor", 4),
        ("virginica", 4),
    ]
    for step in steps:
        assert boosted_distance(X, y, 4, start=step.result) == whole == boosted_distance(X, y, 4)


@both_learners
def test_the_steps_of_one_ensemble(iris, learner):
    X, y = iris
    P = X[y == "virginica"]
    N = X[y != "virginica"]
    steps = []
    whole = adaboost(P, N, 5, weak_learner=learner, callback=steps.append)
    assert [(step.number, step.total, step.label) for step in steps] == [
        (t, 5, None) for t in (1, 2, 3, 4, 5)
    ]
    for step in steps:
        assert step.result == whole.rounds(0, step.number)
        assert adaboost(P, N, 5, weak_learner=learner, start=step.result) == whole
    ended = adaboost(P, N, 5, weak_learner=learner, callback=lambda step: step.number == 2)
    assert ended == whole.rounds(0, 2)
    longer = []
    adaboost(P, N, 7, weak_learner=learner, start=whole, callback=longer.append)
    assert [step.number for step in longer] == [6, 7]


def test_an_interrupted_training_goes_on_from_its_checkpoint(iris, tmp_path):
    X, y = iris

    def interrupted(step):
        checkpoint(step)
        if (step.label, step.number) == ("versicolor", 3):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), refimpl.Checkpoint(tmp_path / "m", 1e9) as checkpoint:
        boosted_distance(X, y, 6, callback=interrupted)
    part = refimpl.load(tmp_path / "m")
    assert [len(ensemble) for ensemble in part.ensembles] == [6, 3, 0]
    assert boosted_distance(X, y, 6, start=part) == boosted_distance(X, y, 6)


def test_what_a_training_cannot_start_from(iris):
    X, y = iris
    model = boosted_distance(X, y, 3)
    with pytest.raises(TypeError, match="start must be a BoostedDistance; got a dict"):
        boosted_distance(X, y, 3, start=dict(model))
    with pytest.raises(ValueError, match=r"start must have the classes of y, \['setosa', "):
        boosted_distance(X, y, 3, start=boosted_distance(X, y == "setosa", 3))
    with pytest.raises(ValueError, match="T must be at least 3, the rounds of `start`; got 2"):
        boosted_distance(X, y, 2, start=model)
    with pytest.raises(TypeError, match="`weak_learner`, TreeEnsemble; got a StumpEnsemble"):
        boosted_distance(X, y, 3, start=model, weak_learner=DepthTwoTrees())
    with pytest.raises(ValueError, match="start must come from the same training vectors and "):
        boosted_distance(X[::-1], y, 4, start=model)
    P = X[:10]
    N = X[10:]
    with pytest.raises(TypeError, match="StumpEnsemble; got a BoostedDistance"):
        adaboost(P, N, 3, start=model)


def test_callbacks_are_functions(iris):
    X, y = iris
    message = "callback must be a function of a refimpl.Step; got 3"
    with pytest.raises(TypeError, match=message):
        boosted_distance(X, y, 3, callback=3)
    with pytest.raises(TypeError, match=message):
        adaboost(X[:10], X[10:], 3, callback=3)


# ------------------------------------------------------------------------------------ class_weight


@pytest.mark.parametrize("normalize", [True, False])
def test_class_weights_are_factors_of_the_similarities(normalize):
    X, y = load_wine(return_X_y=True)
    X, y, Q = X[::3], y[::3], X[1::3]
    model = boosted_distance(X, y, 8)
    options = {"normalize": normalize}
    plain = similarity(model, Q, X, y, **options)
    weighted = {"class_weight": {2: 1.25}, **options}
    factors = np.where(y == 2, 1.25, 1.0)
    assert_same(similarity(model, Q, X, y, **weighted), plain * factors)
    expected = class_similarities(model, Q, X, y, **options) * [1.0, 1.0, 1.25]
    assert_same(class_similarities(model, Q, X, y, **weighted), expected)
    labels = nearest_neighbor_boosted_distance(model, Q, X, y, **weighted)
    assert_same(labels, y[np.argmax(plain * factors, axis=1)])
    assert (labels != nearest_neighbor_boosted_distance(model, Q, X, y, **options)).any()
    stages = dict(staged_nearest_neighbor(model, Q, X, y, [3, 8], **weighted))
    assert_same(stages[8], labels)
    first = nearest_neighbor_boosted_distance(model.rounds(0, 3), Q, X, y, **weighted)
    assert_same(stages[3], first)


@pytest.mark.parametrize(
    ("class_weight", "error", "message"),
    [
        ("balanced", TypeError, "class_weight must be a mapping .* got 'balanced'"),
        ({5: 2.0}, ValueError, r"class_weight must name classes of the model, \[0, 1\]; got 5"),
        ({1: 0.0}, ValueError, r"class_weight\[1\]"),
        ({1: -1.0}, ValueError, r"class_weight\[1\]"),
        ({1: np.nan}, ValueError, r"class_weight\[1\]"),
        ({1: "x"}, TypeError, r"class_weight\[1\]"),
    ],
)
def test_class_weights_must_be_factors_of_known_classes(class_weight, error, message):
    X = [[0.0], [1.0], [2.0]]
    y = [0, 0, 1]
    model = boosted_distance(X, y, 1)
    for function in (similarity, class_similarities, nearest_neighbor_boosted_distance):
        with pytest.raises(error, match=message):
            function(model, X, X, y, class_weight=class_weight)
    with pytest.raises(error, match=message):
        list(staged_nearest_neighbor(model, X, X, y, [1], class_weight=class_weight))


def test_a_dict_is_no_model(iris):
    X, y = iris
    model = dict(boosted_distance(X, y, 1))
    with pytest.raises(TypeError, match="model must be a BoostedDistance; got a dict"):
        similarity(model, X, X, y)


# -------------------------------------------------------------------------------------- signatures


def test_estimates_take_the_arguments_of_the_training(iris):
    training, estimate = (
        inspect.signature(function).parameters for function in (boosted_distance, estimate_memory)
    )
    assert list(training.items()) == list(estimate.items())
    X, y = iris
    arguments = {"callback": print, "start": boosted_distance(X, y, 1), "max_memory": 1}
    assert estimate_memory(X, y, 9, **arguments) == estimate_memory(X, y, 9)


@pytest.mark.parametrize("function", [boosted_distance, adaboost])
def test_the_common_options_end_the_signature(function):
    names = list(inspect.signature(function).parameters)
    assert names[-5:] == ["kernels", "threads", "callback", "start", "max_memory"]
