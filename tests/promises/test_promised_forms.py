"""Public functions take arrays of any layout and dtype, or say which one they refuse."""

import dataclasses
import pickle
import warnings

import numpy as np
import pytest
from calls import CALLS

from refimpl import estimators


def misaligned(A):
    return np.frombuffer(b"\0" + A.tobytes(), dtype=A.dtype, offset=1).reshape(A.shape)


def read_only(A):
    A = A.copy()
    A.flags.writeable = False
    return A


def memory_mapped(A, folder):
    np.save(folder / "mapped.npy", A)
    return np.load(folder / "mapped.npy", mmap_mode="r")


def strided(A):
    twice = np.zeros((2 * len(A), *A.shape[1:]), dtype=A.dtype)
    twice[::2] = A
    return twice[::2]


def pandas_table(A):
    pandas = pytest.importorskip("pandas")
    return {1: pandas.Series, 2: pandas.DataFrame}.get(A.ndim, np.asarray)(A)


def polars_table(A):
    polars = pytest.importorskip("polars")
    return {1: polars.Series, 2: polars.DataFrame}.get(A.ndim, np.asarray)(A)


FORMS = {
    "strided": strided,
    "Fortran": np.asfortranarray,
    "reversed": lambda A: A[::-1].copy()[::-1],
    "transposed": lambda A: A.T.copy().T,
    "misaligned": misaligned,
    "read-only": read_only,
    "memory-mapped": memory_mapped,
    "big-endian": lambda A: A.astype(A.dtype.newbyteorder(">")),
    "float16": lambda A: A.astype(np.float16),
    "float32": lambda A: A.astype(np.float32),
    "float32 big-endian": lambda A: A.astype(">f4"),
    "longdouble": lambda A: A.astype(np.longdouble),
    "int32": lambda A: A.astype(np.int32),
    "int8": lambda A: A.astype(np.int8),
    "uint8": lambda A: np.abs(A).astype(np.uint8),
    "bool": lambda A: A.astype(bool),
    "object": lambda A: A.astype(object),
    "complex": lambda A: A.astype(complex),
    "string": lambda A: A.astype(str),
    "text objects": lambda A: (A.astype(str) + "x").astype(object),
    "numbers as text": lambda A: A.astype(int).astype(str).astype(object),
    "list": lambda A: A.tolist(),
    "no mask": lambda A: np.ma.masked_array(A),
    "pandas": pandas_table,
    "polars": polars_table,
}

LABELS = {"y", "l"}
SINGLE = {"search_forest", "selection", "to_terms", "SearchForestNeighbors"}
"""They compute in float32 where the points are float32."""


WITHOUT_LABELS = {"BoostMap", "LandmarkTransformer", "SearchForestNeighbors"}
"""By default they learn without y, as scikit-learn's transformers do."""


def formed(form, A, folder):
    return FORMS[form](A, folder) if form == "memory-mapped" else FORMS[form](A)


def plain(name, argument, given, A):
    """The plain array of the same values: labels keep their type, numbers become floats."""
    values = np.asarray(given)
    if argument in LABELS and A.dtype.kind == "i":
        return np.array(values.tolist())
    if values.dtype.kind in "OSUc":
        return A
    if A.dtype == np.float64 and not (values.dtype.itemsize == 4 and name in SINGLE):
        return np.ascontiguousarray(values, dtype=np.float64)
    return np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))


def bits(result):
    """What two equal results share: bytes of arrays, whatever holds them."""
    if dataclasses.is_dataclass(result):
        fields = [field.name for field in dataclasses.fields(result)]
        return {name: bits(getattr(result, name)) for name in fields}
    if isinstance(result, dict):
        return {name: bits(part) for name, part in result.items()}
    if isinstance(result, list | tuple):
        return [bits(part) for part in result]
    if isinstance(result, np.ndarray):
        return result.shape, result.tolist()
    if hasattr(result, "__dict__"):
        return bits(vars(result))
    return result


def called(name, argument):
    """What the function calls the argument: estimators call queries X."""
    return "X" if argument == "Q" and hasattr(estimators, name) else argument


def reads_text(name, argument):
    """Whether text may be given: labels may be text, and scikit-learn's checks read numbers."""
    return argument in LABELS or name.startswith("printed ") or hasattr(estimators, name)


def outcome(name, changes):
    """The bits of a call's result, or its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bits(CALLS[name](**changes)), None
        except (TypeError, ValueError, KeyError) as error:
            return None, error


WANTED = {}
"""What a function gives for a plain array; many forms have the same one."""


def wanted(name, argument, array):
    """The outcome for a plain array in an argument's place."""
    key = name, argument, array.dtype.str, array.shape, array.tobytes()
    if key not in WANTED:
        WANTED[key] = outcome(name, {argument: array})
    return WANTED[key]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", CALLS)
def test_any_form_gives_the_same_bits_or_an_error_that_names_the_argument(name, form, tmp_path):
    for argument, A in CALLS[name].arrays().items():
        given = formed(form, A, tmp_path)
        before = pickle.dumps(np.asarray(given))
        got, error = outcome(name, {argument: given})
        assert pickle.dumps(np.asarray(given)) == before, "the argument was written to"
        want, refused = wanted(name, argument, plain(name, argument, given, A))
        if error is None:
            assert form != "numbers as text" or reads_text(name, argument), argument
            assert refused is None, (argument, refused)
            assert got == want, argument
            continue
        words = str(error)
        if name.startswith("printed ") and (refused is not None or form == "text objects"):
            continue  # no form of these values is a problem; the printed layer has no checks
        if hasattr(estimators, name) and form in ("complex", "text objects"):
            continue  # in scikit-learn's words
        assert words.startswith(called(name, argument)), f"{argument}: {words}"
        assert " must " in words, f"{argument}: {words}"


@pytest.mark.parametrize("name", [name for name in CALLS if not name.startswith("printed ")])
def test_masked_elements_are_refused_and_named(name):
    for argument, A in CALLS[name].arrays().items():
        masked = np.ma.masked_array(A, mask=np.arange(A.size).reshape(A.shape) == 1)
        _, error = outcome(name, {argument: masked})
        if argument == "y" and name in WITHOUT_LABELS:
            continue
        assert error is not None, argument
        assert str(error).startswith(called(name, argument)), f"{argument}: {error}"
        assert "masked" in str(error)
