"""The files of a run: a figure's JSON, the parts it is made of, and the mark of a failure.

A file is written beside its place and moved there, so that a killed run leaves the old file or the new one,
never half of one. A file that cannot be read as what it should be is reported and computed again.
"""

import hashlib
import json
import logging
import math
import os
import tempfile
import time
from contextlib import suppress
from numbers import Integral, Real
from pathlib import Path

import numpy as np

LOG = logging.getLogger("paper_figures")
NOT_AVAILABLE = "not available"
_TEXT = (str, "text")
_NUMBER = (Real, "a number")
FIELDS = {
    "paper": _TEXT,
    "figure": _TEXT,
    "title": _TEXT,
    "scale": _TEXT,
    "kernels": _TEXT,
    "seed": (Integral, "an integer"),
    "seconds": _NUMBER,
    "versions": (dict, "an object"),
    "data": (list, "a list"),
    "rows": (list, "a list"),
    "notes": (list, "a list"),
    "key": _TEXT,
}


class CannotStore(Exception):
    """A file of the output folder cannot be written: the disk is full, or the folder is read-only."""


class InvalidRecord(ValueError):
    """A figure's record, or a part, does not have the form it should have."""


def plain(value, where="result"):
    """Turn a value into what JSON holds: dicts, lists, text, finite numbers, booleans, None.

    Parameters
    ----------
    value : object
        NumPy arrays and scalars are welcome.
    where : str
        How the value is called in an error.

    Returns
    -------
    object

    Raises
    ------
    InvalidRecord
        For NaN, infinities and anything else that JSON has no word for.
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidRecord(f"{where}: {value} is not a finite number; give None, or an error, instead")
        return value
    if isinstance(value, dict):
        return {_key(key, where): plain(item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, f"{where}[{place}]") for place, item in enumerate(value)]
    raise InvalidRecord(f"{where}: JSON cannot hold a {type(value).__name__}")


def _key(key, where):
    if not isinstance(key, str):
        raise InvalidRecord(f"{where}: the key {key!r} is not text")
    return key


def digest(material):
    """Give the sha256 of a value, the same on every machine and in every process."""
    text = json.dumps(plain(material, "key"), sort_keys=True, allow_nan=False, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def write_atomic(path, content):
    """Write bytes or text so that `path` is, at any moment, the old file or the new one.

    Raises
    ------
    CannotStore
        If the file system refuses; the message says which file and why.
    """
    path = Path(path)
    content = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_and_move(path, content)
    except OSError as error:
        raise CannotStore(f"cannot write {path}: {error.strerror or error}") from error


def _write_and_move(path, content):
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def validate(record):
    """Check a figure's record; see the schema in the package's documentation.

    Parameters
    ----------
    record : dict

    Returns
    -------
    dict
        The same record.

    Raises
    ------
    InvalidRecord
        Saying which field is wrong and what would do.
    """
    if not isinstance(record, dict):
        raise InvalidRecord("record: expected an object")
    for name, (kind, words) in FIELDS.items():
        if name not in record:
            raise InvalidRecord(f"{name}: missing; expected {words}")
        if not isinstance(record[name], kind) or isinstance(record[name], bool):
            raise InvalidRecord(f"{name}: expected {words}, found {record[name]!r:.60}")
    plain(record, "record")
    for place, item in enumerate(record["data"]):
        if not (isinstance(item, dict) and all(isinstance(item.get(k), str) for k in ("name", "sha256"))):
            raise InvalidRecord(f"data[{place}]: expected an object with the texts name and sha256")
    for place, row in enumerate(record["rows"]):
        _validate_row(row, f"rows[{place}]")
    if not all(isinstance(note, str) for note in record["notes"]):
        raise InvalidRecord("notes: expected a list of texts")
    return record


def _validate_row(row, where):
    if not isinstance(row, dict):
        raise InvalidRecord(f"{where}: expected an object")
    absent = row.get("status") == NOT_AVAILABLE
    if "status" in row and not absent:
        raise InvalidRecord(f"{where}.status: leave it out, or give {NOT_AVAILABLE!r}; the rest is computed")
    for name in ("published", "ours", "std"):
        if name not in row:
            raise InvalidRecord(
                f"{where}.{name}: missing; expected a number{'' if name == 'ours' else ' or null'}"
            )
        value = row[name]
        if value is None and (name != "ours" or absent):
            continue
        if isinstance(value, bool) or not isinstance(value, Real):
            also = f", or null with status {NOT_AVAILABLE!r}" if name == "ours" else " or null"
            raise InvalidRecord(f"{where}.{name}: expected a number{also}; found {value!r:.40}")
    if absent and not (isinstance(row.get("why"), str) and row["why"]):
        raise InvalidRecord(f"{where}.why: a row that is not available says why")
    if row["std"] is not None and not _positive_int(row.get("repetitions")):
        raise InvalidRecord(
            f"{where}.repetitions: a row with a std gives the number of repetitions behind it"
        )


def _positive_int(value):
    return isinstance(value, Integral) and not isinstance(value, bool) and value >= 1


def dump(record):
    """Give a record as JSON text, one row to a line."""
    lines = []
    for name, value in record.items():
        if name in ("rows", "data", "notes") and value:
            items = ",\n".join("  " + json.dumps(item, allow_nan=False, ensure_ascii=False) for item in value)
            lines.append(f" {json.dumps(name)}: [\n{items}\n ]")
        else:
            lines.append(f" {json.dumps(name)}: {json.dumps(value, allow_nan=False, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _no_constant(name):
    raise InvalidRecord(f"{name} is not a number that JSON knows")


def _read_json(path):
    try:
        return json.loads(Path(path).read_bytes(), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:  # InvalidRecord and broken UTF-8 are ValueErrors
        raise InvalidRecord(str(error)) from error


class Store:
    """The folder of a run's results.

    Parameters
    ----------
    out : path
        The folder of ``--out``; it is made when something is written.
    """

    def __init__(self, out):
        self.out = Path(out)

    def try_to_write(self):
        """Make the folder and write a small file to it, so that a folder which takes none is known before any work.

        Raises
        ------
        CannotStore
        """
        probe = self.out / ".probe"
        write_atomic(probe, "x" * 4096)
        probe.unlink(missing_ok=True)

    def sweep(self, older_than=3600.0):
        """Remove what killed runs left half written; younger files may belong to a run that is alive."""
        for path in self.out.rglob(".*.tmp"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > older_than:
                    path.unlink()

    def path(self, paper, figure, suffix):
        """Give the path of one of a figure's files, such as ``suffix=".svg"``."""
        return self.out / paper / f"{figure}{suffix}"

    def read(self, paper, figure):
        """Give a figure's record, or None if there is none or it is damaged (which is reported)."""
        path = self.path(paper, figure, ".json")
        if not path.is_file():
            return None
        try:
            record = validate(_read_json(path))
            if (record["paper"], record["figure"]) != (paper, figure):
                raise InvalidRecord(f"it is the record of {record['paper']}.{record['figure']}")
            return record
        except InvalidRecord as error:
            LOG.warning("%s is damaged and left aside: %s", path, error)
            return None

    def write(self, record):
        """Validate and store a figure's record; a mark of failure is taken away."""
        record = validate(plain(record, "record"))
        write_atomic(self.path(record["paper"], record["figure"], ".json"), dump(record))
        self.path(record["paper"], record["figure"], ".failed.json").unlink(missing_ok=True)

    def read_failure(self, paper, figure):
        """Give the mark that a figure failed, or None."""
        path = self.path(paper, figure, ".failed.json")
        if not path.is_file():
            return None
        try:
            failure = _read_json(path)
            if not (isinstance(failure, dict) and isinstance(failure.get("error"), str)):
                raise InvalidRecord("it has no text 'error'")
            return failure
        except InvalidRecord as error:
            return {"error": f"{path.name} is damaged: {error}"}

    def write_failure(self, paper, figure, failure):
        """Mark that a figure failed, in place of a result."""
        write_atomic(
            self.path(paper, figure, ".failed.json"), json.dumps(plain(failure, "failure"), indent=1)
        )

    def _part(self, paper, name, key):
        return self.out / paper / ".parts" / name / f"{key[:32]}.json"

    def read_part(self, paper, name, key):
        """Give ``{"seconds", "result"}`` of a finished task, or None if it is not there or damaged."""
        path = self._part(paper, name, key)
        if not path.is_file():
            return None
        try:
            part = _read_json(path)
            if not isinstance(part, dict) or part.get("key") != key or "result" not in part:
                raise InvalidRecord("it is not the part that its name says")
            if not isinstance(part.get("seconds"), Real) or part.get("check") != digest(part["result"]):
                raise InvalidRecord("its check sum does not fit")
            return part
        except InvalidRecord as error:
            LOG.warning("%s is damaged and will be computed again: %s", path, error)
            return None

    def write_part(self, paper, name, key, params, seconds, result):
        """Store what a finished task gave, at once."""
        part = {"task": name, "params": params, "key": key, "seconds": seconds}
        part |= {"check": digest(result), "result": result}
        write_atomic(self._part(paper, name, key), json.dumps(plain(part, "part"), allow_nan=False))
