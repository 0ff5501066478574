"""Results are frozen dataclasses of arrays that nothing can change; here they are compared, written and read.

A file is a .npz archive without pickle. Its header has a schema version, the public name of the class (not where it
stands: a class that moves can still be read) and a sha256 over the header and every array.

Not handled here: results that hold anything but arrays, numbers and strings (a file refuses them), and compression.
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
from pathlib import Path

import numpy as np

SCHEMA_VERSION = 2  # 1 had no sha256, and named the class by its module
HOMES = {
    "BallTree": "refimpl.kernels.trees",
    "BoostMap": "refimpl.boostmap.model",
    "BoostMapCheckpoint": "refimpl.boostmap.checkpoint",
    "Candidates": "refimpl.rivals.candidates",
    "DBoostClassifier": "refimpl.rivals.dboost",
    "Distance": "refimpl.rivals.nearest_neighbor",
    "FastMapEmbedding": "refimpl.rivals.fastmap",
    "HashTables": "refimpl.rivals.lsh",
    "Impostors": "refimpl.ball_trees",
    "KMeansTrees": "refimpl.rivals.kmeans_trees",
    "LMNNResult": "refimpl.lmnn.model",
    "LandmarkClassifier": "refimpl.ftune.space",
    "Landmarks": "refimpl.ftune.space",
    "LipschitzEmbedding": "refimpl.rivals.lipschitz",
    "MetricMapEmbedding": "refimpl.rivals.metricmap",
    "NDA": "refimpl.rivals.nda",
    "Neighbors": "refimpl.ball_trees",
    "Scan": "refimpl.rivals.rotated_scan",
    "SearchForest": "refimpl.kernels.forest",
    "Selection": "refimpl.search_forest.index",
    "SparseMapEmbedding": "refimpl.rivals.sparsemap",
    "SpectralHashing": "refimpl.rivals.spectral_hashing",
    "StumpEnsemble": "refimpl.boosted_distance.weak_learners",
    "TreeEnsemble": "refimpl.boosted_distance.weak_learners",
}
"""The public name of each result class of this package, and the module to import it from today."""

_HEADER = "refimpl"
_KINDS = "biufcSUmM"  # of the dtypes that a file holds
TYPES = {}


class FileFormatError(ValueError):
    """The file is no refimpl result, is damaged, or was written by a later version."""


def result(name):
    """Class decorator: make a frozen dataclass of arrays a result, known to :func:`save` and :func:`load`.

    Used as ``@result``, or as ``@result("Name")`` where files have another name than the class has today. See
    :func:`immutable` for what else a result is.
    """
    if isinstance(name, str):
        return functools.partial(_register, name)
    return _register(name.__name__, name)


def _register(name, cls):
    known = TYPES.get(name, cls)
    if known.__module__ != cls.__module__:
        raise TypeError(f"{cls.__module__}.{name}: {known.__module__} has a result of this name; use another")
    TYPES[name] = immutable(cls)
    cls._result_name = name
    return cls


# ------------------------------------------------------------------------------------------- arrays that do not change


def immutable(cls):
    """Class decorator for frozen dataclasses: seal their arrays, and compare them by what they hold.

    Every array among the fields is :func:`sealed` before ``__post_init__`` sees it, so what has been validated cannot
    change. Copies and unpickled objects go through the constructor again. Two objects are equal if they are of the same
    type and all fields are equal: arrays of one dtype and shape, bit for bit, NaN like NaN.

    ``_unsaved`` may name attributes beside the fields that pickle carries.
    """
    create = cls.__init__

    @functools.wraps(create)
    def __init__(self, *values, **named):
        create(self, *map(_sealed_field, values), **{name: _sealed_field(value) for name, value in named.items()})
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, _sealed_field(getattr(self, field.name)))

    cls.__init__ = __init__
    for name, method in (("__eq__", _equal), ("__hash__", None), ("__getstate__", _state), ("__setstate__", _restore)):
        if name not in cls.__dict__:
            setattr(cls, name, method)
    return cls


def sealed(array, *, copy=True):
    """An array of the same values that nobody can write to.

    ``setflags(write=True)`` raises ValueError, unlike that of an array which is merely not writeable.

    Parameters
    ----------
    array : ndarray
    copy : bool, default True
        False is for code that has just made the array: it is not copied, and must not be written to elsewhere. An array
        that is sealed already, such as a file mapped for reading, is never copied.

    Returns
    -------
    ndarray
        In the memory order of `array`. Arrays of objects are copied and only not writeable.
    """
    if _is_sealed(array):
        return array
    array = copied(array) if copy else np.asarray(array)
    try:
        view = np.asarray(memoryview(array).toreadonly())
        if view.dtype == array.dtype:
            return view
    except (ValueError, TypeError, BufferError):  # no buffer has this dtype: strings, dates, objects
        pass
    if array.flags.c_contiguous and array.ndim and array.size and array.dtype.itemsize and not array.dtype.hasobject:
        return np.asarray(memoryview(array.view(np.uint8)).toreadonly()).view(array.dtype)
    array = copied(array)
    array.setflags(write=False)
    return array


def copied(array):
    return np.array(array, order="K")


def _is_sealed(array):
    """Whether neither the array nor one that it is a view of can be made writeable."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        array = array.base
    try:
        return array is not None and memoryview(array).readonly
    except TypeError:  # it shows no buffer
        return False


def from_new_arrays(cls, *values, **named):
    """``cls(...)`` for the code that has just made the arrays: they are sealed where they are, not copied."""
    values = [sealed(value, copy=False) if isinstance(value, np.ndarray) else value for value in values]
    for name, value in named.items():
        named[name] = sealed(value, copy=False) if isinstance(value, np.ndarray) else value
    return cls(*values, **named)


def require_forms(one, **forms):
    """Refuse fields that are no C-contiguous arrays of the given dtype and number of dimensions.

    A form is (dtype, ndim) or (dtype, ndim, largest); without a largest absolute value floats must be finite.
    """
    for name, (dtype, ndim, *largest) in forms.items():
        array = getattr(one, name)
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != ndim:
            got = f"{array.dtype} in {array.ndim}" if isinstance(array, np.ndarray) else f"a {type(array).__name__}"
            raise ValueError(f"{name} must be an array of {np.dtype(dtype)} in {ndim} dimension(s); got {got}")
        if not array.flags.c_contiguous:
            raise ValueError(f"{name} must be C-contiguous; got strides of {array.strides} bytes")
        if array.dtype.kind != "f" or array.size == 0:
            continue
        most, low, high = largest[0] if largest else np.finfo(dtype).max, array.min(), array.max()
        if not -most <= low <= high <= most:
            raise ValueError(f"{name} must hold numbers between {-most:g} and {most:g}; got {low} to {high}")


def _sealed_field(value):
    if isinstance(value, np.ndarray):
        return sealed(value)
    if type(value) is tuple:
        return tuple(map(_sealed_field, value))
    return value


def _state(self):
    """For pickle and copy: the fields, and what the class names in ``_unsaved``."""
    names = [*(field.name for field in dataclasses.fields(self)), *getattr(self, "_unsaved", ())]
    return {name: getattr(self, name) for name in names}


def _restore(self, state):
    """The inverse, by the constructor: nothing comes out of a pickle unchecked or writeable."""
    state = dict(state)
    fields = {field.name: state.pop(field.name) for field in dataclasses.fields(self) if field.name in state}
    self.__init__(**fields)
    for name in getattr(self, "_unsaved", ()):
        if name in state:
            object.__setattr__(self, name, state[name])


def _equal(self, other):
    """True for the same type and the same fields, bit for bit."""
    if type(other) is not type(self):
        return NotImplemented
    return self is other or all(
        _same(getattr(self, field.name), getattr(other, field.name)) for field in dataclasses.fields(self)
    )


def _same(a, b):
    if isinstance(a, np.ndarray | np.generic) and isinstance(b, np.ndarray | np.generic):
        return _same_arrays(np.asarray(a), np.asarray(b))
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return _same_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    return type(a) is type(b) and bool(a == b)


def _same_arrays(a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "mM":  # NaT is like NaT
        a, b = a.view(np.int64), b.view(np.int64)
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    parts = (a.real, b.real), (a.imag, b.imag)
    return all(_same_floats(x, y) for x, y in (parts if a.dtype.kind == "c" else [(a, b)]))


def _same_floats(a, b):
    """Whether the numbers are the same and of one sign, zeros as well; NaN is like NaN."""
    with np.errstate(invalid="ignore"):
        same = (a == b) & (np.signbit(a) == np.signbit(b))
    return bool((same | (np.isnan(a) & np.isnan(b))).all())


# -------------------------------------------------------------------------------------------------------------- files


def save(path, value):
    """Write a result, or a dict of results by label, to a .npz file.

    The file is written beside its place and then moved there: an interrupted call leaves what was there before. It has
    the mode that ``open`` gives a new file.

    Parameters
    ----------
    path : str or os.PathLike
        Used as it is; no ending is added.
    value : result dataclass, or dict of label -> result dataclass of one type
        For example what :func:`refimpl.boosted_distance.boosted_distance` returns.

    Raises
    ------
    TypeError
        If `value` is nothing of the kind, or its labels are not all of one type.
    ValueError
        If a label would not be read back as it is, as an integer beyond 64 bits.
    """
    path = Path(path)
    header, arrays = _to_arrays(value)
    header = {"version": SCHEMA_VERSION, **header}
    text = json.dumps({**header, "sha256": digest(header, arrays)})
    temporary = beside(path, ".tmp")
    try:
        with open(temporary, "xb") as file:  # tempfile's would be closed to others, whatever the umask
            np.savez(file, **{_HEADER: np.array(text), **arrays})
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def beside(path, ending=""):
    """A path beside `path` that nothing has yet."""
    return path.parent / f"{path.name}-{secrets.token_hex(8)}{ending}"


def load(path):
    """Read what :func:`save` wrote.

    Parameters
    ----------
    path : str or os.PathLike

    Returns
    -------
    result dataclass, or dict of label -> result dataclass

    Raises
    ------
    FileFormatError
        If the file is no refimpl result, is damaged, or has a schema version that this release does not know.
    FileNotFoundError, IsADirectoryError, PermissionError
        If the operating system does not open the file.
    """
    path = Path(path)
    content = path.read_bytes()
    try:
        header, arrays = _read(content)
        return _from_arrays(header, arrays)
    except FileFormatError as error:
        raise FileFormatError(f"{path}: {error}") from error.__cause__
    except Exception as error:  # what a damaged file raises in zipfile, json and NumPy is not documented
        reason = str(error) or type(error).__name__
        raise FileFormatError(f"{path}: damaged or not a result of refimpl ({reason}); save it again") from error


def _read(content):
    """The header, checked, and the arrays of a file."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise FileFormatError("not a result of refimpl, or cut short; pass a file that refimpl.save wrote")
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
        raise FileFormatError("its header is none of refimpl's; pass a file that refimpl.save wrote")
    if version not in (1, SCHEMA_VERSION):
        raise FileFormatError(
            f"schema version {version}, this release reads 1 to {SCHEMA_VERSION}; use the release that wrote it"
        )
    if version > 1 and header.pop("sha256", None) != digest(header, arrays):
        raise FileFormatError("damaged: its sha256 is not that of its arrays; save it again")
    if not isinstance(header.get("type"), str) or (version == 1 and not isinstance(header.get("module"), str)):
        raise FileFormatError("its header does not name a type; save it again")
    return header, arrays


def digest(header, arrays):
    """The sha256 of a header (a dict for JSON) and named arrays: of names, dtypes, shapes and all bytes."""
    found = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        found.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        if array.size and array.dtype.itemsize:
            found.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    return found.hexdigest()


def _array(content):
    file = io.BytesIO(content)
    array = np.lib.format.read_array(file, allow_pickle=False)
    if file.read(1):
        raise FileFormatError("an array is longer than its shape says; save it again")
    return array


def _to_arrays(value):
    name = _name(value)
    if name is not None:
        return {"type": name}, _fields(value, "")
    if isinstance(value, dict) and value:
        names = {_name(one) for one in value.values()}
        if len(names) == 1 and None not in names:
            arrays = {"labels": _label_array(list(value))}
            for i, one in enumerate(value.values()):
                arrays.update(_fields(one, f"{i}."))
            return {"type": names.pop(), "labels": len(value)}, arrays
    raise TypeError(
        f"value is a {type(value).__name__}; pass one of {sorted(TYPES)}, or a non-empty dict of them by label"
    )


def _name(value):
    """The public name of a result's class; None if it is no result."""
    return type(value).__dict__.get("_result_name")


def require_one_type(labels, name, what="label"):
    """Refuse labels that an array would turn into one another, like 1, 1.0, True and "1".

    Parameters
    ----------
    labels : iterable
        Python or NumPy scalars; 1 and numpy.int64(1) are of one type.
    name : str
        How the messages call the argument.
    what : str, default "label"
        What the messages call one of them.

    Raises
    ------
    TypeError
        If they are not all of one type, or one is None.
    """
    first = {}
    for label in labels:
        first.setdefault(_kind(label), label)
    if type(None) in first:
        raise TypeError(f"{name} has the {what} None; use another")
    if len(first) > 1:
        a, b, *_ = first.values()
        raise TypeError(
            f"{name} mixes the {what}s {a!r} ({type(a).__name__}) and {b!r} ({type(b).__name__}); use one type for all"
        )


def _kind(label):
    types = ((bool, np.bool_), (int, np.integer), (float, np.floating), (str,), (bytes,))
    return next((one[0] for one in types if isinstance(label, one)), type(label))


def _label_array(labels):
    """The labels of a dict, such that they come back as they were."""
    require_one_type(labels, "value", "label")
    array = np.array(labels) if np.isscalar(labels[0]) else np.empty(0, dtype=object)
    if array.dtype.kind not in "biufUS":
        raise TypeError(f"value has labels like {labels[0]!r}; they must be integers, strings, booleans or floats")
    for label, back in zip(labels, array.tolist(), strict=True):
        if label != back or isinstance(back, float) != isinstance(label, float | np.floating):
            raise ValueError(f"value has the label {label!r}, which an array does not hold as it is; use another")
    return array


def _fields(one, prefix):
    arrays = {}
    for field in dataclasses.fields(one):
        value = getattr(one, field.name)
        array = None if value is None else np.asarray(value)
        if array is None or array.dtype.kind not in _KINDS:
            raise TypeError(
                f"value: {field.name} of a {type(one).__name__} is a {type(value).__name__}; a file holds arrays of "
                "numbers or strings"
            )
        arrays[prefix + field.name] = array
    return arrays


def _from_arrays(header, arrays):
    cls = _class(header)
    fields = dataclasses.fields(cls)
    names = [field.name for field in fields]
    optional = {field.name for field in fields if _has_default(field)}
    if "labels" not in header:
        _require_names(arrays, names, optional)
        return from_new_arrays(cls, **arrays)
    labels = arrays.pop("labels")
    if labels.ndim != 1 or len(labels) != header["labels"] or len(set(labels.tolist())) != len(labels):
        raise FileFormatError(f"{header['labels']} labels are not what its header says; save it again")
    numbers = range(len(labels))
    optional = {f"{i}.{name}" for i in numbers for name in optional}
    _require_names(arrays, [f"{i}.{name}" for i in numbers for name in names], optional)
    own = [{name: arrays[f"{i}.{name}"] for name in names if f"{i}.{name}" in arrays} for i in numbers]
    return {label: from_new_arrays(cls, **one) for label, one in zip(labels.tolist(), own, strict=True)}


def _has_default(field):
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def _class(header):
    """The class of a file's results, imported from where it stands today."""
    name, module = header["type"], header.get("module")  # schema version 1 has the module
    if name in HOMES:
        importlib.import_module(HOMES[name])
    elif name not in TYPES and module is not None and module.startswith("refimpl."):
        importlib.import_module(module)
    if name not in TYPES:
        where = "" if module is None else f" of {module}"
        raise FileFormatError(
            f"it holds a {name}{where}; import the module that defines it first, or use the release of refimpl that "
            "wrote it"
        )
    return TYPES[name]


def _require_names(arrays, names, optional):
    """Refuse arrays of other names; those of fields with a default may be missing, as in the files of old releases."""
    wrong = sorted((set(names) - set(arrays) - optional) | (set(arrays) - set(names)))
    if wrong:
        raise FileFormatError(f"the arrays {', '.join(wrong)} are missing or unknown; save it again")
