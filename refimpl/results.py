"""Results: frozen dataclasses of arrays that cannot be changed, written to files and read again.

A *result* is the object that a training or a search returns. A file is a .npz archive without
pickle. Its header has a schema version, the public name of the
class (not its module: a class that moves can still be read) and a sha256 over the header and every
array. The arrays are read-only, and results are compared by value and shown in one line.

Not handled here: results that hold anything but arrays, numbers and strings (a file refuses them),
mutable fields such as lists and dicts, which stay as they are, and compression.
"""

import dataclasses
import functools
import hashlib
import importlib
import io
import json
import os
import secrets
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from refimpl.arrays import label_array

T = TypeVar("T")
DType = TypeVar("DType", bound=np.generic)
Header: TypeAlias = dict[str, Any]  # as json reads it
Arrays: TypeAlias = dict[str, NDArray[Any]]

SCHEMA_VERSION = 2
HOMES = {
    "BallTree": "refimpl.kernels.growing",
    "BoostedDistance": "refimpl.boosted_distance.model",
    "BoostMap": "refimpl.boostmap.model",
    "Candidates": "refimpl.rivals.candidates",
    "DBoostClassifier": "refimpl.rivals.dboost",
    "Distance": "refimpl.rivals.nearest_neighbor",
    "FastMapEmbedding": "refimpl.rivals.fastmap",
    "FTuneTraining": "refimpl.ftune.model",
    "HashTables": "refimpl.rivals.lsh",
    "Impostors": "refimpl.ball_trees.classes",
    "KMeansTrees": "refimpl.rivals.kmeans_trees",
    "LMNNResult": "refimpl.lmnn.model",
    "LandmarkClassifier": "refimpl.ftune.model",
    "Landmarks": "refimpl.ftune.model",
    "LipschitzEmbedding": "refimpl.rivals.lipschitz",
    "MetricMapEmbedding": "refimpl.rivals.metricmap",
    "NDA": "refimpl.rivals.nda",
    "Neighbors": "refimpl.ball_trees.search",
    "Scan": "refimpl.rivals.rotated_scan",
    "SearchForest": "refimpl.kernels.forest",
    "Selection": "refimpl.search_forest.index",
    "SparseMapEmbedding": "refimpl.rivals.sparsemap",
    "SpectralHashing": "refimpl.rivals.spectral_hashing",
    "StumpEnsemble": "refimpl.boosted_distance.model",
    "TreeEnsemble": "refimpl.boosted_distance.model",
}
"""The public name of each result class of this package, and the module to import it from today."""

MOST_CHARACTERS = 200  # largest length of a repr
MOST_OF_A_STRING = 40
_HEADER = "refimpl"
_KINDS = "biufcSUmM"  # of the dtypes that a file holds
TYPES: dict[str, type] = {}
"""The result classes that have been imported, by their public names."""


class FileFormatError(ValueError):
    """The file is no refimpl result, is damaged, or was written by a later version.

    See Also
    --------
    load : Raises it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import refimpl
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "model.npz"
    >>> written = file.write_text("no result")
    >>> refimpl.load(file)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    refimpl.results.FileFormatError: ...
    """


# ----------------------------------------------------------------------------------- the decorators


def result(cls: type[T]) -> type[T]:
    """Make a frozen dataclass of arrays a result: immutable, and known to save and load."""
    registered = TYPES.get(cls.__name__, cls)
    if registered.__module__ != cls.__module__:
        raise TypeError(
            f"name must be a new one; got {cls.__name__!r} for a class of {cls.__module__}, "
            f"and {registered.__module__} has a result of this name"
        )
    TYPES[cls.__name__] = immutable(cls)
    cls._result_name = cls.__name__  # type: ignore[attr-defined]  # the decorator adds it
    return cls


@dataclasses.dataclass
class _Plain:
    """A dataclass with the `__repr__` that Python generates."""


_GENERATED_REPR = cast(Any, _Plain.__repr__).__code__  # all generated ones share this code


def immutable(cls: type[T]) -> type[T]:
    """Seal a frozen dataclass's arrays, compare its objects by value, show them in one line."""
    # Every array is sealed before __post_init__ sees it, so what has been validated cannot change;
    # unpickled objects go through the constructor again. Objects are equal if all fields are, bit
    # for bit, NaN like NaN. A class keeps the methods that it defines itself. `_unsaved` may name
    # attributes beside the fields that pickle carries.
    create: Callable[..., None] = cls.__init__

    @functools.wraps(create)
    def __init__(self: Any, *values: Any, **named: Any) -> None:
        positional = map(_sealed_field, values)
        create(self, *positional, **{name: _sealed_field(value) for name, value in named.items()})
        for name in _field_names(self):
            object.__setattr__(self, name, _sealed_field(getattr(self, name)))

    cast(Any, cls).__init__ = __init__
    methods: dict[str, Any] = {
        "__eq__": _equal,
        "__hash__": None,
        "__getstate__": _state,
        "__setstate__": _restore,
    }
    for name, method in methods.items():
        if name not in cls.__dict__:
            setattr(cls, name, method)
    if getattr(cls.__dict__.get("__repr__"), "__code__", _GENERATED_REPR) is _GENERATED_REPR:
        cast(Any, cls).__repr__ = _repr
    return cls


def from_new_arrays(cls: type[T], *values: Any, **named: Any) -> T:
    """Return ``cls(...)`` of arrays that nobody else writes to: they are sealed without a copy."""
    values = tuple(map(_sealed_in_place, values))
    return cls(*values, **{name: _sealed_in_place(value) for name, value in named.items()})


def _sealed_in_place(value: Any) -> Any:
    return sealed(value, copy=False) if isinstance(value, np.ndarray) else value


def _sealed_field(value: Any) -> Any:
    if isinstance(value, np.ndarray) and not np.ma.is_masked(value):  # the constructor refuses it
        return sealed(value)
    if type(value) is tuple:
        return tuple(map(_sealed_field, value))
    return value


def _field_names(instance: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(instance)]


# ------------------------------------------------------------------------------------ sealed arrays


def sealed(array: NDArray[DType], *, copy: bool = True) -> NDArray[DType]:
    """Return an array of the same values that even ``setflags`` cannot make writeable."""
    # without `copy` nobody else may write to the array
    if _is_sealed(array):
        return array
    array = copied(array) if copy else np.asarray(array)
    try:
        view: NDArray[DType] = np.asarray(array.data.toreadonly())
        if view.dtype == array.dtype:
            return view
    except (ValueError, TypeError, BufferError):
        pass  # no buffer has this dtype: strings, dates, objects
    plain = array.ndim and array.size and array.dtype.itemsize and not array.dtype.hasobject
    if plain and array.flags.c_contiguous:
        return np.asarray(array.view(np.uint8).data.toreadonly()).view(array.dtype)
    array = copied(array)
    array.setflags(write=False)
    return array


def copied(array: NDArray[DType]) -> NDArray[DType]:
    """Return a copy of `array` in its own memory order."""
    return np.array(array, order="K")


def _is_sealed(array: Any) -> bool:
    """Tell whether neither the array nor any array that it is a view of can be made writeable."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        array = array.base
    try:
        return array is not None and memoryview(array).readonly
    except TypeError:  # the base offers no buffer
        return False


# ------------------------------------------------------------------------ methods of the decorators


def _repr(self: Any) -> str:
    """Return the class's name and its fields in one line of about 200 characters at most."""
    text = ""
    for name in _field_names(self):
        part = f"{name}={_shown(getattr(self, name))}"
        if len(text) + len(part) > MOST_CHARACTERS - len(type(self).__name__):
            text += ", ..."
            break
        text += f", {part}" if text else part
    return f"{type(self).__name__}({text.removeprefix(', ')})"


def _shown(value: Any) -> str:
    """Return a field's value in a few words."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}" if value.ndim else _shown(value[()])
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    if isinstance(value, np.generic):
        return _shown(value.item())
    if isinstance(value, str | bytes) and len(value) > MOST_OF_A_STRING:
        return repr(value[: MOST_OF_A_STRING - 3])[:-1] + "...'"
    if value is None or isinstance(value, bool | int | str | bytes | complex):
        return repr(value)
    if isinstance(value, tuple | list | dict):
        return f"{type(value).__name__} of {len(value)}"
    return f"{type(value).__name__}(...)"


def _state(self: Any) -> dict[str, Any]:
    """Return the fields, and the attributes in ``_unsaved``, for pickle and copy."""
    names = [*_field_names(self), *getattr(self, "_unsaved", ())]
    return {name: getattr(self, name) for name in names}


def _restore(self: Any, state: dict[str, Any]) -> None:
    """Call the constructor with a state, so that unpickled arrays are checked and read-only."""
    state = dict(state)
    self.__init__(**{name: state.pop(name) for name in _field_names(self) if name in state})
    for name in getattr(self, "_unsaved", ()):
        if name in state:
            object.__setattr__(self, name, state[name])


def _equal(self: Any, other: object) -> Any:
    """Return True for the same type and the same fields, bit for bit."""
    if type(other) is not type(self):
        return NotImplemented
    names = _field_names(self)
    pairs = [(getattr(self, name), getattr(other, name)) for name in names]
    return self is other or all(_same(a, b) for a, b in pairs)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray | np.generic) and isinstance(b, np.ndarray | np.generic):
        return _same_arrays(np.asarray(a), np.asarray(b))
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return _same_floats(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    return type(a) is type(b) and bool(a == b)


def _same_arrays(a: NDArray[Any], b: NDArray[Any]) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "mM":  # NaT is like NaT
        return bool(np.array_equal(a.view(np.int64), b.view(np.int64)))
    if a.dtype.kind == "f":
        return _same_floats(a, b)
    if a.dtype.kind == "c":
        return _same_floats(a.real, b.real) and _same_floats(a.imag, b.imag)
    return bool(np.array_equal(a, b))


def _same_floats(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Tell whether the numbers are the same and of one sign, zeros as well; NaN is like NaN."""
    with np.errstate(invalid="ignore"):
        same = (a == b) & (np.signbit(a) == np.signbit(b))
    return bool((same | (np.isnan(a) & np.isnan(b))).all())


# -------------------------------------------------------------------------------------------- files


def save(path: str | os.PathLike[str], value: object) -> None:
    """Write a result, or a dict of results by label, to a .npz file.

    The file is written beside its place and then moved there: a call that is interrupted, killed or
    finds no space leaves what was there before. A call that is killed also leaves its unfinished
    file, ``<path>-<letters>.tmp``. The file has the mode that ``open`` gives a new file.

    Parameters
    ----------
    path : str or os.PathLike
        The path itself is used; no ending is added.
    value : result dataclass, or dict of label -> result dataclass of one type
        For example what :func:`refimpl.boosted_distance.boosted_distance` returns.

    Raises
    ------
    TypeError
        If `value` is neither a result nor a dict of results, or its labels are not all of one type.
    ValueError
        If a label would change when read back, for instance an integer beyond 64 bits.
    OSError
        If the file cannot be written, as on a full disk; the message names `path`.

    See Also
    --------
    load : Read the file.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import refimpl
    >>> from refimpl.ball_trees import nearest_neighbors
    >>> neighbors = nearest_neighbors([[0.0], [2.0]], [[0.0], [1.0], [3.0]], 1)
    >>> path = os.path.join(tempfile.mkdtemp(), "neighbors.npz")
    >>> refimpl.save(path, neighbors)
    >>> refimpl.load(path) == neighbors
    True
    """
    path = Path(path)
    header, arrays = _to_arrays(value)
    header = {"version": SCHEMA_VERSION, **header}
    text = json.dumps({**header, "sha256": digest(header, arrays)})
    members: dict[str, Any] = {_HEADER: np.array(text), **arrays}
    temporary = beside(path, ".tmp")
    try:
        with naming(path):
            # a file of tempfile would be closed to others, whatever the umask
            with open(temporary, "xb") as file:
                np.savez(file, **members)
            os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Raise an OSError of the block again, with `path` instead of the file written beside it."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # NumPy's, after a short write
            raise OSError(f"cannot write {str(path)!r}: {error}") from error
        raise OSError(error.errno, error.strerror, str(path)) from error


def beside(path: Path, ending: str = "") -> Path:
    """Return a new path beside `path`: random letters keep it from an existing file's."""
    return path.parent / f"{path.name}-{secrets.token_hex(8)}{ending}"


def load(path: str | os.PathLike[str]) -> Any:
    """Read a file that :func:`save` wrote.

    Parameters
    ----------
    path : str or os.PathLike

    Returns
    -------
    result dataclass, or dict of label -> result dataclass

    Raises
    ------
    FileFormatError
        If the file is no refimpl result, is damaged, or has a schema version that this release does
        not know.
    FileNotFoundError, IsADirectoryError, PermissionError
        If the operating system does not open the file.

    See Also
    --------
    save : Write a file, with an example.

    Examples
    --------
    >>> import os, tempfile
    >>> import refimpl
    >>> from refimpl.boosted_distance import boosted_distance
    >>> path = os.path.join(tempfile.mkdtemp(), "model.npz")
    >>> model = boosted_distance([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1], 2)
    >>> refimpl.save(path, model)
    >>> refimpl.load(path) == model
    True
    """
    path = Path(path)
    content = path.read_bytes()
    try:
        header, arrays = _read(content)
        return _from_arrays(header, arrays)
    except FileFormatError as error:
        raise FileFormatError(f"{path}: {error}") from error.__cause__
    except Exception as error:  # zipfile, json and NumPy do not say what a damaged file raises
        reason = str(error) or type(error).__name__
        raise FileFormatError(
            f"{path}: damaged or not a result of refimpl ({reason}); save it again"
        ) from error


def _read(content: bytes) -> tuple[Header, Arrays]:
    """Return the header, checked, and the arrays of a file."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise FileFormatError(
            "not a result of refimpl, or cut short; pass a file that refimpl.save wrote"
        )
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        members = {info.filename.removesuffix(".npy"): info for info in file.infolist()}
        if _HEADER not in members:
            raise FileFormatError("not a result of refimpl; pass a file that refimpl.save wrote")
        if any(info.compress_type != zipfile.ZIP_STORED for info in members.values()):
            raise FileFormatError("compressed, which refimpl.save does not do; save it again")
        arrays = {name: _array(file.read(info)) for name, info in members.items()}
    header = json.loads(str(arrays.pop(_HEADER)))
    version = header.get("version") if isinstance(header, dict) else None
    if type(version) is not int:
        raise FileFormatError(
            "its header is none of refimpl's; pass a file that refimpl.save wrote"
        )
    if version != SCHEMA_VERSION:
        raise FileFormatError(
            f"schema version {version}, this release reads {SCHEMA_VERSION}; "
            "use the release that wrote it"
        )
    if header.pop("sha256", None) != digest(header, arrays):
        raise FileFormatError("damaged: its sha256 is not that of its arrays; save it again")
    if not isinstance(header.get("type"), str):
        raise FileFormatError("its header does not name a type; save it again")
    return header, arrays


def digest(header: Header, arrays: Arrays) -> str:
    """Return the sha256 of a header and of the names, dtypes, shapes and bytes of arrays."""
    checksum = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        checksum.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        if array.size and array.dtype.itemsize:
            checksum.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return checksum.hexdigest()


def _array(content: bytes) -> NDArray[Any]:
    file = io.BytesIO(content)
    array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    if file.read(1):
        raise FileFormatError("an array is longer than its shape says; save it again")
    return array


def _to_arrays(value: object) -> tuple[Header, Arrays]:
    name = _name(value)
    if name is not None:
        return _with_parts(name, value)
    if isinstance(value, dict) and value:
        names = {_name(member) for member in value.values()}
        if len(names) == 1 and None not in names:
            arrays = {"labels": label_array(list(value))}
            for i, member in enumerate(value.values()):
                arrays.update(_fields(member, f"{i}."))
            return {"type": names.pop(), "labels": len(value)}, arrays
    raise TypeError(
        f"value must be one of {sorted(TYPES)}, or a non-empty dict of them by label; "
        f"got a {type(value).__name__}"
    )


def _with_parts(name: str, value: Any) -> tuple[Header, Arrays]:
    """Return the header and the arrays of a result; its fields may be tuples of results."""
    header: Header = {"type": name}
    arrays: Arrays = {}
    parts: dict[str, list[str | None]] = {}
    for field in dataclasses.fields(value):
        members = getattr(value, field.name)
        if type(members) is not tuple or not members or not all(map(_name, members)):
            arrays.update(_fields(value, "", [field]))
            continue
        parts[field.name] = [_name(member) for member in members]
        for i, member in enumerate(members):
            arrays.update(_fields(member, f"{field.name}.{i}."))
    if parts:
        header["parts"] = parts
    return header, arrays


def _name(value: object) -> str | None:
    """Return the public name of a result's class; None if the value is no result."""
    return type(value).__dict__.get("_result_name")


def _fields(
    instance: Any, prefix: str, fields: "Iterable[dataclasses.Field[Any]] | None" = None
) -> Arrays:
    """Return a result's fields, or some of them, as arrays by `prefix` and their names."""
    arrays = {}
    for field in dataclasses.fields(instance) if fields is None else fields:
        value = getattr(instance, field.name)
        array = None if value is None else np.asarray(value)
        if array is None or array.dtype.kind not in _KINDS:
            raise TypeError(
                f"value: {field.name} of a {type(instance).__name__} is a {type(value).__name__}; "
                "a file holds arrays of numbers or strings"
            )
        arrays[prefix + field.name] = array
    return arrays


def _from_arrays(header: Header, arrays: Arrays) -> Any:
    """Return the result, or the dict of results, that a file holds."""
    cls = _class(header)
    names = [field.name for field in dataclasses.fields(cls)]
    if "labels" not in header:
        parts = _parts(header.get("parts", {}), arrays)
        _require_names({**arrays, **parts}, names)
        return _made(cls, {**arrays, **parts})
    labels = arrays.pop("labels")
    if (
        labels.ndim != 1
        or len(labels) != header["labels"]
        or len(set(labels.tolist())) != len(labels)
    ):
        raise FileFormatError(
            f"{header['labels']} labels are not what its header says; save it again"
        )
    numbers = range(len(labels))
    _require_names(arrays, [f"{i}.{name}" for i in numbers for name in names])
    own = [{name: arrays[f"{i}.{name}"] for name in names} for i in numbers]
    values = [_made(cls, fields) for fields in own]
    return dict(zip(labels.tolist(), values, strict=True))


def _made(cls: type, values: dict[str, Any]) -> Any:
    """Return a result of the arrays of a file, where its numbers and strings are arrays, too."""
    for name, kind in ((field.name, field.type) for field in dataclasses.fields(cls)):
        if kind in (bool, float, int, str):
            value = values[name].item()
            if not isinstance(value, (int, float) if kind is float else kind):
                raise ValueError(f"{name} must be of type {kind.__name__}; got {value!r}")
            values[name] = kind(value)
    return from_new_arrays(cls, **values)


def _parts(types: dict[str, list[str]], arrays: Arrays) -> dict[str, tuple[Any, ...]]:
    """Return the fields that are tuples of results; take their arrays out of `arrays`."""
    parts = {}
    for field, names in types.items():
        own = [_taken(arrays, f"{field}.{i}.") for i in range(len(names))]
        members = zip(names, own, strict=True)
        parts[field] = tuple(_from_arrays({"type": name}, part) for name, part in members)
    return parts


def _taken(arrays: Arrays, prefix: str) -> Arrays:
    """Take the arrays out whose names have a prefix; return them by the rest of their names."""
    names = [name for name in arrays if name.startswith(prefix)]
    return {name.removeprefix(prefix): arrays.pop(name) for name in names}


def _class(header: Header) -> type:
    """Return the class of a file's results, imported from where it stands today."""
    name = header["type"]
    if name in HOMES:
        importlib.import_module(HOMES[name])
    if name not in TYPES:
        raise FileFormatError(
            f"it holds a {name}; import the module that defines it first, "
            "or use the release of refimpl that wrote it"
        )
    return TYPES[name]


def _require_names(arrays: Iterable[str], names: list[str]) -> None:
    """Refuse arrays of other names."""
    wrong = sorted(set(names) ^ set(arrays))
    if wrong:
        raise FileFormatError(
            f"the arrays {', '.join(wrong)} are missing or unknown; save it again"
        )
