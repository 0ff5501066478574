"""The result of a training and its ensembles: what they refuse, equality, and files."""

import dataclasses

import numpy as np
import pytest
from agreement import assert_same
from sklearn.datasets import load_iris, load_wine

import refimpl
from refimpl.boosted_distance import (
    BoostedDistance,
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
from refimpl.boosted_distance.weak_learners import Stumps
from refimpl.kernels.stumps import on_grid
from refimpl.results import result

NAMES = np.array(["setosa", "versicolor", "virginica"])
FIELDS = {"alpha": [0.5, 2.0], "feature": [0, 3], "polarity": [1, -1], "threshold": [0.25, -np.inf]}
STUMPS = StumpEnsemble(**FIELDS)
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
    ensembles = model[NAMES[0]].rounds(0, 1), *model.ensembles[1:]
    fewer = dataclasses.replace(model, ensembles=ensembles)
    assert repr(fewer) == "BoostedDistance(3 classes, 1 to 3 rounds of StumpEnsemble)"
    assert model.rounds(0, 2) == boosted_distance(X, y, 2) != model


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


def test_files_hold_the_ensembles_of_any_weak_learner(iris, tmp_path):
    X, y = iris
    learner = SignLearner()
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


# -------------------------------------------------------------------------------------- signatures


@pytest.mark.parametrize("wrong", [3, "stumps", Stumps])
@pytest.mark.parametrize("train", [boosted_distance, estimate_memory, adaboost])
def test_weak_learner_of_another_type(iris, train, wrong):
    X, y = iris
    refused = r"^weak_learner must be an object with the members of Weak"
    with pytest.raises(TypeError, match=refused):
        train(X, y if train is not adaboost else X, 2, weak_learner=wrong)


# ----------------------------------------------------------------------------------- the ensembles


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("alpha", [[0.5, 2.0]], ValueError, r"alpha must have shape \(T,\), .* got \(1, 2\)"),
        ("alpha", 0.5, ValueError, r"alpha must have shape \(T,\), .* got \(\)"),
        ("alpha", [0.5], ValueError, r"feature must have shape \(1, ...\), .* got \(2,\)"),
        ("alpha", [0.5, np.inf], ValueError, "alpha must hold finite weights; got NaN or infinity"),
        ("alpha", ["a", "b"], TypeError, "alpha must hold numbers; got dtype"),
        ("alpha", [[1.0], [1.0, 2.0]], ValueError, "alpha must be an array"),
        ("feature", [[0], [3]], ValueError, r"feature must have shape \(2,\), .* got \(2, 1\)"),
        ("feature", [0.0, 3.0], TypeError, "feature must hold integers; got dtype float64"),
        ("feature", [False, True], TypeError, "feature must hold numbers; got dtype bool"),
        ("feature", [0, -1], ValueError, "feature must hold numbers of features, from 0; got -1"),
        ("polarity", [1, 0], ValueError, "polarity"),
        ("polarity", [1.0, -1.0], TypeError, "polarity must hold integers; got dtype"),
        ("threshold", [0.0, np.nan], ValueError, "threshold must hold numbers, .* got NaN"),
        ("threshold", np.zeros((2, 3)), ValueError, r"threshold must have shape .* got \(2, 3\)"),
        ("threshold", [0j, 1j], TypeError, "threshold must hold numbers; got dtype"),
    ],
)
def test_stump_ensembles_refuse_what_does_not_fit(name, value, error, message):
    with pytest.raises(error, match=message):
        StumpEnsemble(**{**FIELDS, name: value})


def test_constant_stumps_look_at_no_feature():
    assert STUMPS.features().tolist() == [0]
    assert TREES.features().tolist() == [0, 1]


def test_ensembles_own_their_arrays_in_the_types_of_the_kernels():
    alpha = np.array([1, 2])
    one = StumpEnsemble(
        alpha, np.array([0, 1], dtype=np.uint8), np.array([1, -1], dtype=np.int8), [0, 1]
    )
    alpha[0] = 9
    assert [getattr(one, name).dtype.str[1:] for name in FIELDS] == ["f8", "i8", "i8", "f8"]
    assert one.alpha.tolist() == [1, 2] and not one.alpha.flags.writeable
    assert len(StumpEnsemble([], [], [], [])) == 0
