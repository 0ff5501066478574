"""Results: equal where their fields are, and nobody can write to their arrays."""

import copy
import dataclasses
import importlib
import pickle

import joblib
import numpy as np
import pytest
from result_examples import examples

import refimpl
from refimpl.results import HOMES, TYPES, from_new_arrays, immutable, sealed

EXAMPLES = examples()
NAMES = sorted(EXAMPLES)


def arrays_of(value):
    return {name: one for name, one in vars(value).items() if isinstance(one, np.ndarray)}


def changed(array):
    """The same array, but for one entry."""
    other = array.copy()
    first = other.reshape(-1)[:1]
    first[:] = (
        ~first
        if array.dtype == bool
        else np.nan_to_num(first) + 1
        if array.dtype.kind in "iuf"
        else "another"
    )
    return other


def with_fields(value, fields):
    """An object of the same class and other fields that no constructor has seen."""
    other = object.__new__(type(value))
    other.__dict__.update(vars(value), **fields)
    return other


# ------------------------------------------------------------------------------------ in one line


@pytest.mark.parametrize("name", NAMES)
def test_every_result_is_shown_in_a_short_line(name):
    text = repr(EXAMPLES[name])
    assert text.startswith(type(EXAMPLES[name]).__name__ + "(") and text.endswith(")")
    assert len(text) <= 220 and "\n" not in text and "array(" not in text


def test_what_the_line_of_a_result_says():
    @immutable
    @dataclasses.dataclass(frozen=True, eq=False)
    class Shown:
        L: np.ndarray
        k: int
        objective: float
        name: str
        nothing: None
        single: np.ndarray
        several: tuple
        other: object

    shown = Shown(np.eye(2), 3, 1 / 3, "abc", None, np.array(7), (1, 2), Plain(np.ones(1)))
    assert repr(shown) == (
        "Shown(L=float64 (2, 2), k=3, objective=0.333333, name='abc', nothing=None, single=7, "
        "several=tuple of 2, other=Plain(...))"
    )
    long = dataclasses.replace(shown, name="x" * 500)
    assert "name='" + "x" * 37 + "...'," in repr(long)
    assert "name='" + "x" * 40 + "'," in repr(dataclasses.replace(shown, name="x" * 40))
    assert "name='" + "x" * 37 + "...'," in repr(dataclasses.replace(shown, name="x" * 41))


# ----------------------------------------------------------------------------------------- equality


def test_every_class_of_the_package_has_a_name_a_home_and_an_example():
    for name, home in HOMES.items():
        importlib.import_module(home)
        assert TYPES[name].__module__ == home
    ours = {
        name
        for name, cls in TYPES.items()
        if cls.__module__.startswith("refimpl.")
        # a doctest in the same process may have made a class of its own
        and hasattr(importlib.import_module(cls.__module__), cls.__qualname__)
    }
    assert ours == set(HOMES) == set(EXAMPLES)


@pytest.mark.parametrize("name", NAMES)
def test_equal_fields_compare_equal(name, tmp_path):
    value = EXAMPLES[name]
    refimpl.save(tmp_path / "it", value)
    for other in (copy.deepcopy(value), dataclasses.replace(value), refimpl.load(tmp_path / "it")):
        assert other is not value and other == value and not other != value
    with pytest.raises(TypeError, match="unhashable"):
        hash(value)
    assert value != 3 and value != EXAMPLES[NAMES[NAMES.index(name) - 1]]


@pytest.mark.parametrize("name", NAMES)
def test_a_difference_in_any_field_is_one(name):
    value = EXAMPLES[name]
    for field in dataclasses.fields(value):
        one = getattr(value, field.name)
        if isinstance(one, np.ndarray):
            others = [one.astype(np.float32 if one.dtype == np.float64 else "S9"), one[np.newaxis]]
            others += [changed(one), one[:0]] if one.size else [np.zeros(5, dtype=one.dtype)]
        elif isinstance(one, tuple):
            others = [one[:1], one[::-1], list(one)]
        else:
            others = [
                one + "x" if isinstance(one, str) else not one if isinstance(one, bool) else one + 1
            ]
        for other in others:
            assert with_fields(value, {field.name: other}) != value, field.name


@dataclasses.dataclass(frozen=True, eq=False)
class Plain:
    a: object = None
    b: object = None


Plain = immutable(Plain)


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), True),
        (np.array([0.0]), np.array([-0.0]), False),
        (np.array([1j * np.nan, -1]), np.array([1j * np.nan, -1]), True),
        (np.array([complex(0.0, 1)]), np.array([complex(-0.0, 1)]), False),
        (
            np.array(["NaT", "2020-01-01"], dtype="M8[D]"),
            np.array(["NaT", "2020-01-01"], dtype="M8[D]"),
            True,
        ),
        (np.array([1, 2]), np.array([1.0, 2.0]), False),
        (np.array([[1, 2]]), np.array([1, 2]), False),
        (np.array(["a"]), np.array(["a"]), True),
        (np.array(["a"]), np.array(["a"], dtype="U3"), False),
        (np.arange(6).reshape(2, 3).T, np.ascontiguousarray(np.arange(6).reshape(2, 3).T), True),
        (None, None, True),
        (None, np.zeros(1), False),
        (float("nan"), float("nan"), True),
        (0.0, -0.0, False),
        (1, 1.0, False),
        (1, True, False),
        ((np.array([1.0]), None), (np.array([1.0]), None), True),
        ((np.array([1.0]), None), (np.array([2.0]), None), False),
        ((1,), (1, 2), False),
        (Plain(np.ones(2)), Plain(np.ones(2)), True),
        (Plain(np.ones(2)), Plain(np.zeros(2)), False),
    ],
)
def test_what_equal_is(a, b, equal):
    assert (Plain(a) == Plain(b)) is equal


# ------------------------------------------------------------------------------------------ sealing


def assert_sealed(array):
    assert not array.flags.writeable
    if array.dtype != object:
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)


@pytest.mark.parametrize("name", NAMES)
def test_no_array_of_a_result_can_be_written_to(name, tmp_path):
    value = EXAMPLES[name]
    refimpl.save(tmp_path / "it", value)
    joblib.dump(value, tmp_path / "dumped")
    joblib.dump(value, tmp_path / "compressed", compress=1)
    loaded = [joblib.load(tmp_path / "dumped"), joblib.load(tmp_path / "compressed")]
    loaded += [pickle.loads(pickle.dumps(value, protocol)) for protocol in range(2, 6)]
    for other in (
        value,
        copy.copy(value),
        copy.deepcopy(value),
        refimpl.load(tmp_path / "it"),
        *loaded,
    ):
        assert arrays_of(other) and other == value
        for array in arrays_of(other).values():
            assert_sealed(array)


@pytest.mark.parametrize("name", ["SearchForest", "BallTree", "KMeansTrees"])
def test_unpickling_checks_what_it_gets(name):
    value = EXAMPLES[name]
    state = value.__getstate__()
    field = {"SearchForest": "left", "BallTree": "ends", "KMeansTrees": "members"}[name]
    state[field] = state[field] + state[field].dtype.type(10**6)
    with pytest.raises(ValueError, match=field):
        object.__new__(type(value)).__setstate__(state)


def test_pickle_keeps_the_functions_of_a_classifier():
    model = copy.deepcopy(EXAMPLES["LandmarkClassifier"])
    model.set_functions([np.tanh] * len(model.slopes))
    assert pickle.loads(pickle.dumps(model)).functions == (np.tanh,) * len(model.slopes)


ARRAYS = [
    np.arange(6.0).reshape(2, 3),
    np.arange(6.0).reshape(2, 3).T,
    np.arange(9)[::-2],
    np.zeros((0, 3)),
    np.array(2.5),
    np.array(["a", "bc"]),
    np.array("a"),
    np.array([b"a"]),
    np.array(["2020-01-01"], dtype="M8[D]"),
    np.ones(3, dtype=">f4"),
    np.ones(3, dtype=bool),
    np.ones(3, dtype=np.float16),
    np.array([1, None], dtype=object),
]


@pytest.mark.parametrize("array", ARRAYS, ids=str)
@pytest.mark.parametrize("how", [True, False])
def test_sealed(array, how):
    before = array.copy()
    found = sealed(array, copy=how)
    assert_sealed(found)
    assert found.dtype == before.dtype and np.array_equal(found, before)
    if how and array.ndim and array.size:
        assert not np.shares_memory(found, array)
        assert np.argsort(found.strides).tolist() == np.argsort(np.abs(array.strides)).tolist()
    if array.dtype.kind in "biuf":
        assert sealed(found) is found
        # a part of it is sealed as well
        assert sealed(found[:1] if array.ndim else found).base is not None


@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_an_array_without_a_buffer_is_copied_and_not_writeable(shape):
    """Dates that are not in one row of memory."""
    array = np.zeros(shape, dtype="M8[D]").T
    found = sealed(array)
    assert not found.flags.writeable and not np.shares_memory(found, array)
    assert found.dtype == array.dtype and np.array_equal(found, array)


def test_an_array_that_is_merely_not_writeable_is_copied():
    array = np.arange(4.0)
    array.setflags(write=False)
    for one in (array, array[:2]):
        found = sealed(one)
        assert_sealed(found)
        assert not np.shares_memory(found, array)
    assert np.shares_memory(sealed(array, copy=False), array)
    assert sealed(np.frombuffer(b"12345678", dtype=np.int64)).base == b"12345678"


def test_a_file_mapped_for_reading_stays_mapped(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(12.0).reshape(4, 3))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert Plain(mapped).a is mapped
    assert_sealed(mapped)
    for mode in ("r+", "c"):
        writeable = np.load(tmp_path / "a.npy", mmap_mode=mode)
        one = Plain(writeable)
        writeable[:] = 0
        assert type(one.a) is np.ndarray and one.a[3, 2] == 11
        assert_sealed(one.a)
        np.save(tmp_path / "a.npy", np.arange(12.0).reshape(4, 3))
    joblib.dump(Plain(np.arange(4000.0)), tmp_path / "dumped")
    back = joblib.load(tmp_path / "dumped", mmap_mode="r")
    assert isinstance(back.a, np.memmap) and back == Plain(np.arange(4000.0))


def test_arrays_just_made_are_not_copied():
    array = np.arange(4.0)
    one = from_new_arrays(Plain, array, b=array)
    assert np.shares_memory(one.a, array) and np.shares_memory(one.b, array)
    assert_sealed(one.a)


def test_trees_and_sorted_features_hold_their_arrays_once(kernels, monkeypatch):
    """Large data are not copied on the way into a result."""
    X = np.random.default_rng(0).normal(size=(500, 3)).round(1)
    copies = []
    monkeypatch.setattr(
        "refimpl.results.copied", lambda array: copies.append(array) or array.copy()
    )
    tree = kernels.build_tree(X, leaf_size=50)
    features = kernels.presort(sealed(X, copy=False), X[:3])
    assert [len(one) for one in copies] == [3]  # the caller's own array, which nobody has sealed
    for one in (tree, features):
        for array in arrays_of(one).values():
            assert_sealed(array)
    assert np.shares_memory(features.A, X)
