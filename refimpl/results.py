"""Results are frozen dataclasses of arrays; here they are written to .npz files and read back, without pickle.

Not handled here: objects that hold anything but arrays and numbers, and compression.
"""

import dataclasses
import importlib
import json
import os
import tempfile
import zipfile
import zlib
from pathlib import Path

import numpy as np

SCHEMA_VERSION = 1
_HEADER = "refimpl"
_TYPES = {}
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, ImportError, KeyError, TypeError, ValueError, AttributeError)


class FileFormatError(ValueError):
    """The file is no refimpl result, is damaged, or was written by a later version."""


def result(cls):
    """Class decorator: make a frozen dataclass of arrays known to :func:`save` and :func:`load`."""
    _TYPES[cls.__name__] = cls
    return cls


def save(path, value):
    """Write a result, or a dict of results by label, to a .npz file.

    The file is written beside its place and then moved there: an interrupted call leaves what was there before.

    Parameters
    ----------
    path : str or os.PathLike
        Used as it is; no ending is added.
    value : result dataclass, or dict of label -> result dataclass of one type
        For example what :func:`refimpl.boosted_distance.boosted_distance` returns.

    Raises
    ------
    TypeError
        If `value` is nothing of the kind.
    """
    path = Path(path)
    header, arrays = _to_arrays(value)
    text = json.dumps({"version": SCHEMA_VERSION, **header})
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **{_HEADER: np.array(text), **arrays})
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


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
    FileNotFoundError
    FileFormatError
        If the file is no refimpl result, is damaged, or has a schema version that this release does not know.
    """
    path = Path(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            if not hasattr(file, "files") or _HEADER not in file.files:
                raise FileFormatError(f"{path}: not a result of refimpl; pass a file that refimpl.save wrote")
            header = json.loads(str(file[_HEADER]))
            if header["version"] != SCHEMA_VERSION:
                raise FileFormatError(
                    f"{path}: schema version {header['version']}, this release reads {SCHEMA_VERSION}; "
                    "use the release of refimpl that wrote it"
                )
            arrays = {name: file[name] for name in file.files if name != _HEADER}
        return _from_arrays(header, arrays)
    except FileFormatError:
        raise
    except _DAMAGE as error:
        raise FileFormatError(f"{path}: damaged or not a result of refimpl ({error}); save it again") from error


def _to_arrays(value):
    if type(value).__name__ in _TYPES:
        return _type(value), _fields(value, "")
    if isinstance(value, dict) and value:
        types = {type(one).__name__ for one in value.values()}
        labels = np.array(list(value))
        if len(types) == 1 and types <= set(_TYPES) and labels.dtype.kind in "biufUS":
            arrays = {"labels": labels}
            for i, one in enumerate(value.values()):
                arrays.update(_fields(one, f"{i}."))
            return {**_type(one), "labels": len(labels)}, arrays
    raise TypeError(
        f"value is a {type(value).__name__}; pass one of {sorted(_TYPES)}, or a non-empty dict of them by label "
        "(labels all integers or all strings)"
    )


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
        return cls(**{name: arrays[name] for name in names})
    labels = arrays["labels"].tolist()
    return {label: cls(**{name: arrays[f"{i}.{name}"] for name in names}) for i, label in enumerate(labels)}
