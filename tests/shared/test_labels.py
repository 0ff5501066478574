"""Labels: a file gives them back, and those of a validation set are of the type of y."""

import enum

import numpy as np
import pytest

import refimpl
from refimpl import estimators
from refimpl.arrays import plain_labels
from refimpl.boosted_distance import boosted_distance
from refimpl.boosted_distance.model import StumpEnsemble
from refimpl.checks import as_class_indices, as_labels
from refimpl.estimators import BoostedDistanceClassifier
from refimpl.ftune import FTuneOptions, bbs, ftune, random_landmarks
from refimpl.lmnn import LMNNOptions, lmnn
from refimpl.rivals.dboost import dboost
from refimpl.rivals.nearest_neighbor import fit_distance

ENSEMBLE = StumpEnsemble([0.5], [0], [1], [0.25])


@pytest.mark.parametrize(
    "labels", [[3, -1], ["b", "a"], [False, True], [0.5, -1.0], [b"x", b"y"], [2**63, 2**64 - 1]]
)
def test_labels_come_back_with_their_type_and_order(tmp_path, labels):
    refimpl.save(tmp_path / "m", dict.fromkeys(labels, ENSEMBLE))
    back = refimpl.load(tmp_path / "m")
    assert list(back) == labels and list(map(type, back)) == list(map(type, labels))
    assert all(value == ENSEMBLE for value in back.values())


X = np.random.default_rng(0).normal(size=(20, 2))
K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
RNG = np.random.default_rng
ONE_C = FTuneOptions(choose="training", C=1.0)
TRAININGS = {
    "boosted_distance": lambda y: boosted_distance(X, y, 2),
    "ftune": lambda y: ftune(K, y, random_landmarks(y, 3, rng=RNG(0)), options=ONE_C),
    "bbs": lambda y: bbs(K, y, [0, 1], options=ONE_C),
    "dboost": lambda y: dboost(K, y, 2, rng=RNG(0)),
    "fit_distance": lambda y: fit_distance("RCA", X, y),
    "estimator": lambda y: BoostedDistanceClassifier(2).fit(X, y).model_,
}


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["ab", "c"], dtype=object),  # the dtype of a table's column of strings
        np.array([3, -1], dtype=object),
        np.array(["ab", "c"], dtype=np.dtypes.StringDType()),
    ],
)
@pytest.mark.parametrize("name", TRAININGS)
def test_what_is_trained_on_labels_that_are_objects_can_be_saved(tmp_path, name, labels):
    y = labels[np.arange(20) % 2]
    model = TRAININGS[name](y)
    refimpl.save(tmp_path / "m", model)
    assert refimpl.load(tmp_path / "m") == model == TRAININGS[name](np.array(y.tolist()))


def test_numpy_labels_come_back_as_python_s(tmp_path):
    refimpl.save(tmp_path / "m", {np.int64(4): ENSEMBLE, 5: ENSEMBLE})
    assert [(label, type(label)) for label in refimpl.load(tmp_path / "m")] == [(4, int), (5, int)]


@pytest.mark.parametrize(
    ("labels", "error"),
    [
        ([1, "1"], TypeError),
        ([0, True], TypeError),
        ([1, 2.0], TypeError),
        (["a", b"a"], TypeError),
        ([None, 1], TypeError),
        ([None], TypeError),
        ([(1, 2)], TypeError),
        ([(1,), (1, 2)], TypeError),
        ([1j], TypeError),
        ([2**70], TypeError),
        ([-1, 2**63], ValueError),
        (["a\0"], ValueError),
        ([float("nan")], ValueError),
    ],
)
def test_labels_that_would_change_are_refused(tmp_path, labels, error):
    with pytest.raises(error, match=r"value must"):
        refimpl.save(tmp_path / "m", dict.fromkeys(labels, ENSEMBLE))
    assert not list(tmp_path.iterdir())


class Name(str, enum.Enum):  # noqa: UP042  a StrEnum is what it says
    """Text of which NumPy takes the first letters of another one, "Name.A" and "Name.B"."""

    A = "one"
    B = "two"


@pytest.mark.parametrize(
    "labels", [["a", "a\0"], [b"a", b"a\0"], [2**63, 2**63 + 1, -1], list(Name)], ids=str
)
@pytest.mark.parametrize("train", TRAININGS.values(), ids=TRAININGS)
def test_a_list_of_labels_that_an_array_would_mix_up_is_refused(train, labels):
    y = [labels[i % len(labels)] for i in range(20)]
    with pytest.raises(ValueError, match=r"^y must have labels that an array holds unchanged; got"):
        train(y)


class Missing:
    """As pandas' NA."""

    def __repr__(self):
        return "<NA>"

    def __eq__(self, other):
        return self

    __ne__ = __eq__
    __hash__ = None

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")


NONE = [Missing(), float("nan"), np.datetime64("NaT")]
MISSING = [np.array([0, 1] * 9 + [0, nothing], dtype=object) for nothing in NONE]
TEXT = np.dtypes.StringDType(na_object=np.nan)
MISSING += [[0.0, np.nan] * 10, np.array(["a", np.nan] * 10, TEXT)]


@pytest.mark.parametrize("train", TRAININGS.values(), ids=TRAININGS)
@pytest.mark.parametrize("y", MISSING, ids=["NA", "NaN", "NaT", "a list", "text"])
def test_labels_that_are_missing_are_refused(train, y):
    with pytest.raises((TypeError, ValueError), match=r"^(y must hold |Input (y )?contains NaN)"):
        train(y)


DAYS = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
PAIRS = np.array([(0, 0), (1, 1)], dtype="i4,i4")


@pytest.mark.parametrize("train", TRAININGS.values(), ids=TRAININGS)
@pytest.mark.parametrize(
    ("labels", "got"),
    [
        (PAIRS, "dtype"),  # labels of several parts
        (DAYS, r"dtype datetime64\[D\]"),
        (DAYS.astype("M8[ns]"), r"dtype datetime64\[ns\]"),  # as integers in Python
        (np.array(list(DAYS.astype("M8[ns]")), dtype=object), r"np\.datetime64"),
        (DAYS.astype(object), r"datetime\.date"),  # no file holds them
        (np.array([0, 1j]), "dtype complex128"),
    ],
    ids=["parts", "days", "nanoseconds", "objects", "dates", "complex"],
)
def test_labels_of_other_types_are_refused(train, labels, got):
    message = rf"^y must have labels that are integers, strings, booleans or floats; got {got}"
    with pytest.raises(TypeError, match=message):
        train(labels[np.arange(20) % 2])
    with pytest.raises(TypeError, match=r"^y must have labels that are integers"):
        train(list(labels[np.arange(20) % 2]))


@pytest.mark.parametrize("y", ["abcd", b"abcd", 7, {"a": 1}], ids=str)
@pytest.mark.parametrize("name", estimators.__all__)
def test_one_value_for_y_is_not_taken_for_labels(name, y):
    kind = {"BoostMap": {"triples": "selective"}, "LandmarkTransformer": {"slope": 1.0}}
    kind["SearchForestNeighbors"] = {"similarity": "classes"}
    estimator = getattr(estimators, name)(**kind.get(name, {}))
    with pytest.raises(ValueError, match=f"^y must hold a label .*; got one {type(y).__name__}$"):
        estimator.fit(X, y)


def test_no_label_at_all_is_refused():
    with pytest.raises(ValueError, match=r"^y must hold at least one class; got 0$"):
        as_labels([], 0, "y")


@pytest.mark.parametrize("dtype", [object, np.dtypes.StringDType()], ids=str)
@pytest.mark.parametrize("train", TRAININGS.values(), ids=TRAININGS)
def test_labels_that_only_objects_hold_are_kept_apart(train, dtype):
    y = np.array(["a", "a\0", "b"], dtype=dtype)[np.arange(20) % 3]
    assert train(y).classes.tolist() == ["a", "a\0", "b"]


@pytest.mark.parametrize("name", ["Mah-C", "RCA"])
def test_labels_that_differ_in_their_last_nul_are_two_classes(name):
    codes = np.arange(20) % 2
    found = fit_distance(name, X, np.array(["a", "a\0"], dtype=object)[codes])
    assert np.array_equal(found.factor, fit_distance(name, X, codes).factor)


@pytest.mark.parametrize(
    "labels", [[np.longdouble(1), np.longdouble(0)], [np.array(1.0), np.array(0.0)]], ids=str
)
def test_numbers_of_other_types_in_a_list_are_labels(labels):
    assert as_labels(labels, 2, "y", 2).tolist() == [1.0, 0.0]
    assert BoostedDistanceClassifier(2).fit(X, labels * 10).classes_.tolist() == [0.0, 1.0]


class Held:
    """What gives its array when it is asked, as a table's column does, and cannot be iterated."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


@pytest.mark.parametrize("train", TRAININGS.values(), ids=TRAININGS)
def test_what_holds_an_array_is_asked_for_it(train):
    y = np.array(["a", "b"], dtype=object)[np.arange(20) % 2]
    assert train(Held(y)) == train(y)
    with pytest.raises(TypeError, match=r"^y must hold labels of one type; got 1 \(int\) and '1'"):
        train(Held(np.array([1, "1"] * 10, dtype=object)))


@pytest.mark.parametrize(
    ("classes", "labels", "expected"),
    [
        ([1, 3, 5], [3, 4, 5, 9, 0], [1, -1, 2, -1, -1]),
        ([1, 3], [3.0, 1.5], [1, -1]),
        ([False, True], [1, 0, 2], [1, 0, -1]),
        (["b", "d"], ["d", "a", "e", "dd"], [1, -1, -1, -1]),
        (["b", "d"], np.array(["d", "a"], dtype=object), [1, -1]),
    ],
)
def test_the_index_of_a_label_s_class(classes, labels, expected):
    indices = as_class_indices(labels, np.array(classes), len(expected), "labels")
    assert indices.tolist() == expected and indices.dtype == np.int64


@pytest.mark.parametrize(
    ("classes", "labels"),
    [(["0", "1"], [0, 1]), ([0, 1], ["0", "1"]), (["0"], [b"0"]), ([0], np.array(["0"], "O"))],
)
def test_labels_of_another_type_than_the_classes_are_refused(classes, labels):
    example, label = (next(iter(values)) for values in (classes, labels))
    message = f"^labels must hold labels of the type of y, such as {example!r}; got {label!r}$"
    with pytest.raises(TypeError, match=message):
        as_class_indices(labels, np.array(classes), len(labels), "labels")


def test_validation_labels_of_another_type_than_y_are_refused():
    """Such labels are of no class of y: each point would count as wrong."""
    X = np.random.default_rng(0).normal(size=(12, 2))
    y = np.array(["a", "b"])[np.arange(12) % 2]
    options = LMNNOptions(validation=(X, np.arange(12) % 2))
    with pytest.raises(TypeError, match=r"^validation\[1\] must .* such as 'a'; got 0$"):
        lmnn(X, y, options=options)
    pairs = random_landmarks(y, 2, rng=np.random.default_rng(0))
    K = np.eye(12)
    with pytest.raises(TypeError, match=r"^validation must .* such as 'a'; got 0$"):
        ftune(K, y, pairs, options=FTuneOptions(C=1.0), validation=(K, np.arange(12) % 2))


def test_a_validation_set_may_have_labels_that_y_lacks():
    """Such points count as wrong."""
    X = np.random.default_rng(0).normal(size=(12, 2))
    y = np.array(["a", "b"])[np.arange(12) % 2]
    options = LMNNOptions(validation=(X[:4], ["c", "d", "A", "bb"]), max_checks=1)
    assert lmnn(X, y, 1, options=options).validation_errors[0] == 1.0


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        (["a", "b"], "<U1"),
        ([np.int64(1), np.int64(2)], np.int64),
        ([(1,), (1, 2)], object),
        ([-1, 2**63], object),  # NumPy would take them for floats
    ],
)
def test_labels_that_are_objects_get_a_dtype_that_keeps_them(labels, dtype):
    y = np.empty(2, dtype=object)
    y[:] = labels
    assert plain_labels(y).dtype == dtype
    assert plain_labels(y).tolist() == labels
