"""Results are frozen dataclasses of arrays; here they are written to .npz files and read back, without pickle.

Not handled here: objects that hold anything but arrays and numbers, and compression.
"""

import dataclasses
import importlib
import io
import json
import os
import secrets
import zipfile
from pathlib import Path

import numpy as np

from refimpl._checks import require_one_type

SCHEMA_VERSION = 1
_HEADER = "refimpl"
_TYPES = {}


class FileFormatError(ValueError):
    """The file is no refimpl result, is damaged, or was written by a later version."""


def result(cls):
    """Class decorator: make a frozen dataclass of arrays known to :func:`save` and :func:`load`."""
    known = _TYPES.get(cls.__name__, cls)
    if known.__module__ != cls.__module__:
        raise TypeError(f"{cls.__module__}.{cls.__name__}: {known.__module__} has a result of this name; use another")
    _TYPES[cls.__name__] = cls
    return cls


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
    text = json.dumps({"version": SCHEMA_VERSION, **header})
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
    if version != SCHEMA_VERSION:
        raise FileFormatError(
            f"schema version {version}, this release reads {SCHEMA_VERSION}; use the release of refimpl that wrote it"
        )
    if not isinstance(header.get("type"), str) or not isinstance(header.get("module"), str):
        raise FileFormatError("its header does not name a type; save it again")
    return header, arrays


def _array(content):
    file = io.BytesIO(content)
    array = np.lib.format.read_array(file, allow_pickle=False)
    if file.read(1):
        raise FileFormatError("an array is longer than its shape says; save it again")
    return array


def _to_arrays(value):
    if type(value).__name__ in _TYPES:
        return _type(value), _fields(value, "")
    if isinstance(value, dict) and value:
        types = {type(one).__name__ for one in value.values()}
        if len(types) == 1 and types <= set(_TYPES):
            arrays = {"labels": _label_array(list(value))}
            for i, one in enumerate(value.values()):
                arrays.update(_fields(one, f"{i}."))
            return {**_type(one), "labels": len(value)}, arrays
    raise TypeError(
        f"value is a {type(value).__name__}; pass one of {sorted(_TYPES)}, or a non-empty dict of them by label"
    )


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


def _type(one):
    return {"type": type(one).__name__, "module": type(one).__module__}


def _fields(one, prefix):
    return {prefix + field.name: np.asarray(getattr(one, field.name)) for field in dataclasses.fields(one)}


def _from_arrays(header, arrays):
    if header["type"] not in _TYPES and header["module"].startswith("refimpl."):
        importlib.import_module(header["module"])
    if header["type"] not in _TYPES:
        raise FileFormatError(
            f"it holds a {header['type']} of {header['module']}; import that module first, or use the release of "
            "refimpl that wrote it"
        )
    cls = _TYPES[header["type"]]
    names = [field.name for field in dataclasses.fields(cls)]
    if "labels" not in header:
        _require_names(arrays, names)
        return cls(**arrays)
    labels = arrays.pop("labels")
    if labels.ndim != 1 or len(labels) != header["labels"] or len(set(labels.tolist())) != len(labels):
        raise FileFormatError(f"{header['labels']} labels are not what its header says; save it again")
    _require_names(arrays, [f"{i}.{name}" for i in range(len(labels)) for name in names])
    return {
        label: cls(**{name: arrays[f"{i}.{name}"] for name in names}) for i, label in enumerate(labels.tolist())
    }


def _require_names(arrays, names):
    if set(arrays) != set(names):
        wrong = sorted(set(arrays) ^ set(names))
        raise FileFormatError(f"the arrays {', '.join(wrong)} are missing or unknown; save it again")
