"""Results that kernels walk, or that are read from files, refuse arrays that lead astray."""

import dataclasses
import importlib

import numpy as np
import pytest
from result_examples import examples

from refimpl import results
from refimpl.kernels import presort
from refimpl.kernels.arguments import Instance
from refimpl.kernels.contract import CONTRACT

X = np.random.default_rng(1).normal(size=(40, 2)).round(1)
EXAMPLES = {**examples(), "SortedFeatures": presort(X, X[:2])}
FOREST, TREES, FEATURES = (
    EXAMPLES[name] for name in ("SearchForest", "KMeansTrees", "SortedFeatures")
)
WALKED = ("BallTree", "KMeansTrees", "SearchForest", "SortedFeatures")
"""Kernels trust them: no array may have another type, layout or size, nor a number beyond all."""
KINDS = [kind for kinds in CONTRACT.values() for kind in kinds.values()]
TRUSTED = sorted({(kind.module, kind.name) for kind in KINDS if isinstance(kind, Instance)})
CHECKED = ("Candidates", "Distance", "HashTables", "NDA", "SpectralHashing", "StumpEnsemble")
"""Their arrays fit each other."""
FREE = {
    ("Distance", "factor", 1),
    ("HashTables", "a", 0),
    ("KMeansTrees", "centres", 1),
    ("SearchForest", "planes", 1),
}
"""The axes that say how many features there are."""


def misshapen(name, field, array):
    """Yield the array with another axis, and without its last entries along each."""
    yield array[np.newaxis]
    for axis in range(array.ndim):
        if (name, field, axis) not in FREE:
            yield np.ascontiguousarray(np.delete(array, -1, axis=axis))


def mistyped(field, array):
    """Yield the array with values, a type or a layout that no kernel takes."""
    yield array.tolist()
    yield array.astype(np.complex128)
    yield array.astype(np.float16)
    if field != "planes":
        yield array.astype(np.float32)
    if array.dtype.kind == "f":
        yield np.full_like(array, np.nan)
        yield np.full_like(array, np.inf)
    else:
        yield array.astype(np.int16)
        yield array + array.dtype.type(10**4)
    if array.dtype.kind == "i":
        yield array - 10**6
    if array.ndim > 1:
        yield np.asfortranarray(array)


@pytest.mark.parametrize("name", [*WALKED, *CHECKED, "TreeEnsemble"])
def test_every_array_has_the_type_and_the_shape_of_the_others(name):
    value = EXAMPLES[name]
    assert dataclasses.replace(value) == value
    for field in dataclasses.fields(value):
        array = getattr(value, field.name)
        if not isinstance(array, np.ndarray):
            continue
        others = list(misshapen(name, field.name, array))
        for other in [*others, *(mistyped(field.name, array) if name in WALKED else ())]:
            with pytest.raises((TypeError, ValueError)):
                dataclasses.replace(value, **{field.name: other})
                pytest.fail(f"{field.name}: {other!r:.200}")


@pytest.mark.parametrize(("module", "name"), TRUSTED)
def test_what_kernels_trust_cannot_change_after_its_checks(module, name):
    trusted = getattr(importlib.import_module(module), name)
    one = next(value for value in EXAMPLES.values() if isinstance(value, trusted))
    fields = {field.name: getattr(one, field.name) for field in dataclasses.fields(trusted)}
    given = {name: part.copy() if hasattr(part, "copy") else part for name, part in fields.items()}
    arrays = [part for part in vars(trusted(**given)).values() if isinstance(part, np.ndarray)]
    assert arrays
    for array in arrays:
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)


def put(array, place, value):
    other = array.copy()
    other[place] = value
    return other


NO_CHILD = "must give children that come after|a root or the child of one other"
ASTRAY = {
    "BallTree": [
        ("order", np.zeros_like, "order must hold"),
        ("starts", np.zeros_like, "starts, ends"),
        ("ends", lambda a: a + 1, "starts, ends"),
        ("points", lambda a: a * 1e141, "points must hold values"),
        ("radii", lambda a: a - 1e9, "radii"),
        ("low", lambda a: a + 1e3, "low no higher than high"),
    ],
    "SearchForest": [
        ("left", list, "left must be a numpy.ndarray; got list"),
        ("c", lambda a: put(a, 0, 0.0), "c must hold positive"),
        ("c", lambda a: np.array(1.0), "c must have 1 dimensions"),
        ("roots", lambda a: a[:-1].copy(), "roots must have the length"),
        ("roots", lambda a: a[::-1].copy(), "roots must rise"),
        ("roots", lambda a: put(a, 1, len(FOREST.left)), "roots must rise"),
        ("left", lambda a: put(a, 0, 0), "left must be -1"),
        ("left", lambda a: put(a, -1, -2), "left must be -1"),
        ("left", lambda a: put(a, 0, len(a) - 2), "left must be -1"),
        ("left", lambda a: put(a, a >= 0, a.max()), "left"),
        ("word", lambda a: a[::-1].copy(), "word must"),
        ("word", lambda a: np.where(a < 0, -1, a.max() - a), "word must number"),
        ("plane", lambda a: np.full_like(a, -1), "one test"),
        ("plane", lambda a: np.where(a < 0, -1, a + 1), "plane must hold indices"),
        ("plane", lambda a: put(a, FOREST.left < 0, -2), "plane must hold indices from -1"),
        ("feature", lambda a: put(a, 0, 0), "one test"),
        ("planes", lambda a: a[:, :0].copy(), "planes"),
    ],
    "KMeansTrees": [
        ("centres", lambda a: a[:, :0].copy(), "centres"),
        ("last", lambda a: put(a, 0, 10**15), "first, last"),
        ("members", lambda a: a[:-2].copy(), "must give a root the"),
        ("roots", lambda a: a[::-1].copy(), "roots must rise from 0"),
        ("first", lambda a: put(a, 0, 0), NO_CHILD),
        ("first", lambda a: put(a, 0, -5), NO_CHILD),
        ("starts", lambda a: put(a, -1, -1), "starts, ends"),
        ("ends", lambda a: put(a, -1, 10**9), "starts, ends"),
        ("starts", lambda a: a[::-1].copy(), "starts, ends"),
        ("members", lambda a: put(a, 0, -1), "members must hold"),
        ("members", lambda a: put(a, 0, a[1]), "members must hold"),
    ],
    "SortedFeatures": [
        ("rows", lambda a: put(a, 3, 80), "rows must be below 80"),
        ("row_ptr", lambda a: put(a, 1, -1), "row_ptr must ascend"),
        ("row_ptr", lambda a: put(a, 1, 10**9), "row_ptr must ascend"),
        ("bin_ptr", lambda a: put(a, 0, 1), "bin_ptr must ascend"),
        ("starts", lambda a: put(a, 2, 10**6), "starts must rise"),
        ("starts", lambda a: put(a, FEATURES.bin_ptr[1], 1), "starts must rise"),
        ("starts", lambda a: put(a, -1, 79), "starts must rise"),
        ("common", lambda a: put(a, 0, 81), "common must hold"),
        ("common_row", lambda a: put(a, 0, 80), "common_row must hold"),
        ("common_row", lambda a: put(a, 0, -1), "common_row must hold"),
        ("B", lambda a: a[:, :1].copy(), "B must have the length 2 along axis 1"),
    ],
    "HashTables": [
        ("w", lambda w: 0.0, "w must"),
        ("w", lambda w: np.nan, "w must"),
        ("tables", lambda a: a + 1, "tables"),
        ("starts", np.zeros_like, "starts"),
        ("members", np.zeros_like, "members"),
    ],
    "SpectralHashing": [
        ("width", np.negative, "width"),
        ("component", lambda a: a + 9, "component"),
        ("component", lambda a: put(a, -1, -1), "component"),
        ("component", lambda a: put(a, -1, len(EXAMPLES["SpectralHashing"].low)), "component"),
        ("k", lambda a: a - 1, "k must"),
        ("k", lambda a: a[:0], "k"),
    ],
    "Distance": [
        ("name", lambda name: "L3", "name"),
        ("starts", lambda a: put(a, 0, 1), "starts"),
        ("starts", lambda a: put(a, 1, a[0]), "starts"),
        ("starts", lambda a: put(a, -1, a[-1] - 1), "starts"),
    ],
}


@pytest.mark.parametrize(
    ("name", "field", "change", "message"),
    [(name, *case) for name, cases in ASTRAY.items() for case in cases],
)
def test_what_leads_astray_is_refused(name, field, change, message):
    value = EXAMPLES[name]
    with pytest.raises((TypeError, ValueError), match=message):
        dataclasses.replace(value, **{field: change(getattr(value, field))})


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_file_with_a_number_of_another_type_is_refused(name, tmp_path):
    value = EXAMPLES[name]
    for field in dataclasses.fields(value):
        wrong = {bool: 2, float: "x", int: 2.5, str: 3.0}.get(field.type)
        if wrong is None:
            continue
        try:
            other = dataclasses.replace(value, **{field.name: wrong})
        except (TypeError, ValueError):
            continue  # the result checks it itself
        results.save(tmp_path / "x", other)
        with pytest.raises(results.FileFormatError, match=f"{field.name} must be of type"):
            results.load(tmp_path / "x")
