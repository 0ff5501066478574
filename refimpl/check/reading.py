"""Read arrays and text from files, and say clearly what is wrong with them.

A file is looked at before it is read: a pipe, a file that is too large and an archive that becomes
too large are refused.
"""

import io
import os
import re
import stat
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from refimpl.check.files import UnusableError
from refimpl.checks import as_labels
from refimpl.kernels.arguments import Array, floats
from refimpl.resources import check_free_memory

SPEED = 1e8
"""Operations a second: less than most machines do."""
MOST_BYTES = 2**31
NPY, ZIP = b"\x93NUMPY", b"PK"
KINDS = {
    NPY: "an .npy file",
    ZIP: "a zip archive, such as .npz or .xlsx",
    b"\x80": "a pickle of Python",
    b"\x89HDF": "an HDF5 file",
    b"MATLAB": "a MATLAB file",
    b"\x1f\x8b": "a gzip file",
    b"PAR1": "a Parquet file",
}
"""What files are, by their first bytes."""
WRITE = "as numpy.savez(file, X=X, y=y) writes it"


def counted(number: int, name: str, several: str = "") -> str:
    """Return a number with its noun: 1 round, 2 rounds."""
    return f"{number} {name if number == 1 else several or name + 's'}"


def announce(what: str, operations: float, bytes: float, fewer: str) -> None:
    """Say how long a check takes and how much memory; refuse what does not fit."""
    print(
        f"{what}: about {max(1.0, operations / SPEED):.0f} s, {max(1.0, bytes / 2**20):.0f} MiB",
        file=sys.stderr,
    )
    try:
        check_free_memory(int(bytes), what, fewer)
    except MemoryError as error:
        raise UnusableError(str(error)) from error


def read_text(path: str) -> str:
    """Return a text file, in UTF-8 or in UTF-16, with a byte order mark or without."""
    content = _content(path)
    encoding = "utf-8-sig"
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    elif b"\0" in content[:4]:
        encoding = "utf-16-le" if content[1:2] == b"\0" else "utf-16-be"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        raise UnusableError(f"{path} must be text in UTF-8 or UTF-16; {_kind(content)}") from None


def _content(path: str) -> bytes:
    """Return the bytes of a file; refuse what is no file, or too large."""
    try:
        info = os.stat(path)
        if not stat.S_ISREG(info.st_mode):
            raise UnusableError(f"cannot read {path}: it is no regular file")
        _require_size(info.st_size, path, "it has")
        return Path(path).read_bytes()
    except OSError as error:
        raise UnusableError(f"cannot read {path}: {error.strerror}") from error


def _require_size(size: int, path: str, what: str) -> None:
    if size > MOST_BYTES:
        raise UnusableError(
            f"{path} is too large: {what} {size / 2**20:.0f} MiB, at most {MOST_BYTES / 2**20:.0f}"
        )


def _kind(content: bytes) -> str:
    """Return what a file seems to be."""
    for start, name in KINDS.items():
        if content.startswith(start):
            return f"it is {name}"
    return "it seems to be text" if b"\0" not in content[:1000] else "its form is not known"


def _arrays(content: bytes, path: str) -> dict[str, Any]:
    """Return the arrays of an .npz file, or the one of an .npy file under the name ""."""
    try:
        if content.startswith(ZIP):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                size = sum(part.file_size for part in archive.infolist())
            _require_size(size, path, "unpacked it has")
        loaded = np.load(io.BytesIO(content), allow_pickle=False)
        arrays = {"": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)
        if not all(isinstance(array, np.ndarray) for array in arrays.values()):
            raise ValueError("it has files that are no arrays")
        return arrays
    except UnusableError:
        raise
    except Exception as error:  # zipfile, zlib and NumPy do not say what a damaged file raises
        if "Object arrays cannot be loaded" in str(error):
            words = f"{path} must hold numbers or text; it holds Python objects"
            raise UnusableError(words) from error
        first_line = str(error).partition("\n")[0]  # NumPy's next ones say how to load it anyway
        raise UnusableError(f"{path} is damaged: {first_line}") from error


def read_data(path: str) -> dict[str, Any]:
    """Return the arrays of an .npz file."""
    content = _content(path)
    if content.startswith(NPY):
        raise UnusableError(f"{path} must be an .npz file; it holds a single array, {WRITE}")
    if not content.startswith(ZIP):
        raise UnusableError(f"{path} must be an .npz file, {WRITE}; {_kind(content)}")
    return _arrays(content, path)


def read_array(path: str, kind: Array, **lengths: int) -> Any:
    """Return the array of an .npy file, of an .npz file of one array, or of a CSV file."""
    # `kind` says what it must be; `lengths` are those that it names.
    content = _content(path)
    if content.startswith((NPY, ZIP)):
        arrays = _arrays(content, path)
        if len(arrays) != 1:
            names = ", ".join(sorted(arrays)) or "none"
            raise UnusableError(f"{path} must hold one array; it holds {len(arrays)}: {names}")
        (array,) = arrays.values()
    elif "text" in _kind(content) or content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        array = _table(path, len(kind.shape))
    else:
        raise UnusableError(f"{path} must be an .npy or a CSV file; {_kind(content)}")
    return _checked({path: array}, {path: kind}, lengths)[path]


def checked(
    arrays: dict[str, Any], kinds: dict[str, Array], path: str, **lengths: int
) -> dict[str, Any]:
    """Return the data's arrays that `kinds` names, in the forms that it says; refuse others."""
    # None stands for an optional one that is not there.
    missing = [name for name, kind in kinds.items() if not kind.optional and name not in arrays]
    if missing:
        names = ", ".join(missing)
        raise UnusableError(f"{path} must have {names}; it has {sorted(arrays) or 'nothing'}")
    given = {f"{path}: {name}": arrays.get(name) for name in kinds}
    values = _checked(given, dict(zip(given, kinds.values(), strict=True)), lengths)
    return dict(zip(kinds, values.values(), strict=True))


def _checked(
    arrays: dict[str, Any], kinds: dict[str, Array], lengths: dict[str, int]
) -> dict[str, Any]:
    """Return arrays as their kinds say; the names are those of the messages."""
    try:
        values = {name: _in_form(name, array, kinds[name]) for name, array in arrays.items()}
        for name, value in values.items():
            kinds[name].check_form(name, value, lengths, values)
        for name, value in values.items():
            kinds[name].check_values(name, value, lengths)
    except (TypeError, ValueError) as error:
        raise UnusableError(str(error)) from error
    return values


def _in_form(name: str, array: Any, kind: Array) -> Any:
    """Return an array in the dtype of its kind; whole floats are integers, all are real numbers."""
    if array is None:
        return None
    is_real = kind.dtypes == ("float64",)
    is_whole = array.dtype.kind in "iu"
    if array.dtype.kind == "f":
        is_whole = bool((np.isfinite(array) & (array == np.floor(array))).all())
    if array.dtype.kind not in "fiub" or not (is_real or is_whole):
        wanted = "real numbers" if is_real else "integers"
        raise UnusableError(f"{name} must hold {wanted}; got {array.dtype}")
    return np.array(array, dtype=kind.dtypes[0], order="C")


def _table(path: str, dimensions: int) -> Any:
    """Return the numbers of a CSV file; its first line may have names."""
    rows: list[list[float]] = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        parts = [part.strip('"') for part in re.split(r" *[,;\t] *| +", line.strip())]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            rows.append([float(part) for part in parts])
        except ValueError:
            if number == 1 and not rows:
                continue
            raise UnusableError(
                f"{path}, line {number}: must hold numbers between commas; got {line[:40]!r}"
            ) from None
        if len(rows[-1]) != len(rows[0]):
            raise UnusableError(
                f"{path}, line {number}: must have {len(rows[0])} numbers, as the first line; "
                f"got {len(rows[-1])}"
            )
    if not rows:
        raise UnusableError(f"{path} must be an .npy or a CSV file; it has no line of numbers")
    array = np.array(rows)
    return array.ravel() if dimensions == 1 and 1 in array.shape else array


def points(
    arrays: dict[str, Any], path: str, who: str = "it must have", min_classes: int = 1
) -> tuple[Any, Any]:
    """Return X and y of the data; `who` begins the message if they are not there."""
    if not {"X", "y"} <= arrays.keys():
        raise UnusableError(f"{path} has {', '.join(sorted(arrays)) or 'nothing'}; {who} X and y")
    X = checked(arrays, {"X": floats("n", "d", finite=True, nonempty=True)}, path)["X"]
    y = arrays["y"]
    try:
        y = np.char.decode(y, "utf-8") if y.dtype.kind == "S" else y
        return X, as_labels(y, len(X), "y", min_classes)
    except UnicodeDecodeError as error:
        raise UnusableError(f"{path}: y must hold text in UTF-8; {error}") from error
    except (TypeError, ValueError) as error:
        raise UnusableError(f"{path}: {error}") from error
