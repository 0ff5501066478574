"""The files of a run: a figure's JSON, the parts it is made of, and the mark of a failure.

A file is written beside its place and moved there, so that a killed run leaves the old file or the
new one, never half of a file. A damaged file is reported and computed again.
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
from typing import Any, NoReturn, TypeAlias

import numpy as np

LOG = logging.getLogger("paper_figures")
Row: TypeAlias = dict[str, Any]
"""A row of a figure: its keys, and the fields that the package's docstring lists."""
NO_KEYS = ("published", "ours", "error", "n", "why", "tolerance")
"""The fields of a row that are no keys: what else it has says what the row is about."""
Record: TypeAlias = dict[str, Any]
"""A stored figure, as the package's docstring lists it."""

FIELDS: dict[str, tuple[type, str]] = {
    name: kind
    for names, kind in (
        ("paper figure title study scale kernels key", (str, "a text")),
        ("version seed cells", (Integral, "an integer")),
        ("seconds", (Real, "a number")),
        ("machines data rows notes", (list, "a list")),
        ("versions", (dict, "an object")),
    )
    for name in names.split()
}


class CannotStore(Exception):
    """A file of the output folder cannot be written, as on a full disk or in a read-only folder."""


class InvalidRecord(ValueError):
    """A figure's record, or a part, does not have its proper form."""


def plain(value: Any, where: str = "result") -> Any:
    """Return a value in JSON's types, or raise InvalidRecord that names the place."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidRecord(
                f"{where} must be a finite number, or None where there is none; got {value}"
            )
        return value
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise InvalidRecord(f"{where}: keys must be texts; got {list(value)!r:.60}")
        return {key: plain(item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, f"{where}[{place}]") for place, item in enumerate(value)]
    raise InvalidRecord(f"{where} must be of JSON's types; got a {type(value).__name__}")


def digest(material: Any) -> str:
    """Return the sha256 of what `plain` takes, the same on every machine and in every process."""
    text = json.dumps(plain(material, "key"), sort_keys=True, allow_nan=False, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def write_atomic(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write so that `path` is the old or the new file at any moment; CannotStore if refused."""
    path = Path(path)
    content = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_and_move(path, content)
    except OSError as error:
        raise CannotStore(f"cannot write {path}: {error.strerror or error}") from error


def _write_and_move(path: Path, content: bytes) -> None:
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


def validate(record: Any) -> Record:
    """Return a record, or raise InvalidRecord with the field that is missing or wrong."""
    if not isinstance(record, dict):
        raise InvalidRecord(f"record must be an object; got {record!r:.60}")
    for name, (kind, words) in FIELDS.items():
        if name not in record:
            raise InvalidRecord(f"{name} must be {words}; it is missing")
        if not isinstance(record[name], kind) or isinstance(record[name], bool):
            raise InvalidRecord(f"{name} must be {words}; got {record[name]!r:.60}")
    plain(record, "record")
    for place, item in enumerate(record["data"]):
        texts = [item.get(key) for key in ("name", "sha256")] if isinstance(item, dict) else [None]
        if not all(isinstance(text, str) for text in texts):
            raise InvalidRecord(
                f"data[{place}] must be an object with the texts name and sha256; got {item!r:.60}"
            )
    for place, row in enumerate(record["rows"]):
        _validate_row(row, f"rows[{place}]")
    if not all(isinstance(note, str) for note in record["notes"]):
        raise InvalidRecord("notes must be a list of texts")
    return record


def _validate_row(row: Any, where: str) -> None:
    if not isinstance(row, dict):
        raise InvalidRecord(f"{where} must be an object; got {row!r:.40}")
    absent = row.get("ours") is None and bool(row.get("why"))
    for name in ("ours", "published", "error"):
        also = ", or null with the reason in why" if name == "ours" else " or null"
        if name not in row:
            raise InvalidRecord(f"{where}.{name} must be a number{also}; it is missing")
        value = row[name]
        if value is None and (name != "ours" or absent):
            continue
        if isinstance(value, bool) or not isinstance(value, Real):
            raise InvalidRecord(f"{where}.{name} must be a number{also}; got {value!r:.40}")
    n = row.get("n")
    if not isinstance(n, int) or isinstance(n, bool) or n < (0 if absent else 1):
        raise InvalidRecord(f"{where}.n must be the number of runs behind the row; got {n!r:.40}")
    if not absent and "why" in row:
        raise InvalidRecord(f"{where}.why must be left out of a row that has a number")


def dump(record: Record) -> str:
    """Return a record as JSON text, with each row on a line of its own."""
    lines = []
    for name, value in record.items():
        if name in ("rows", "data", "notes") and value:
            items = ",\n".join(
                "  " + json.dumps(item, allow_nan=False, ensure_ascii=False) for item in value
            )
            lines.append(f" {json.dumps(name)}: [\n{items}\n ]")
        else:
            lines.append(
                f" {json.dumps(name)}: {json.dumps(value, allow_nan=False, ensure_ascii=False)}"
            )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _no_constant(name: str) -> NoReturn:
    raise InvalidRecord(f"a number must be finite; got {name}")


def _read_json(path: str | os.PathLike[str]) -> Any:
    try:
        return json.loads(Path(path).read_bytes(), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:  # InvalidRecord and broken UTF-8 are ValueErrors
        raise InvalidRecord(str(error)) from error


def _intact(content: dict[str, Any]) -> dict[str, Any]:
    """Return a file's content without its sha256, which must fit if it is there."""
    content = dict(content)
    if "sha256" in content and content.pop("sha256") != digest(content):
        raise InvalidRecord("its check sum does not fit")
    return content


class Store:
    """The folder of a run's results, ``--out``; the first file that is written makes it."""

    def __init__(self, out: str | os.PathLike[str]) -> None:
        self.out = Path(out)
        self._named: set[tuple[Path, int, str]] = set()

    def try_to_write(self) -> None:
        """Write a small file, or raise CannotStore, so that the command knows before any work."""
        probe = self.out / ".probe"
        write_atomic(probe, "x" * 4096)
        probe.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove half-written files of killed runs; files of the last hour may be of a live run."""
        for path in self.out.rglob(".*.tmp"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > 3600:
                    path.unlink()

    def path(self, paper: str, figure: str, suffix: str) -> Path:
        """Return the path of one of a figure's files, such as ``suffix=".svg"``."""
        return self.out / paper / f"{figure}{suffix}"

    def read(self, paper: str, figure: str) -> Record | None:
        """Return a figure's record, or None if there is none; a damaged one is reported."""
        path = self.path(paper, figure, ".json")
        if not path.is_file():
            return None
        try:
            record = _intact(validate(_read_json(path)))
            if (record["paper"], record["figure"]) != (paper, figure):
                raise InvalidRecord(f"it is the record of {record['paper']}.{record['figure']}")
            return record
        except InvalidRecord as error:
            self._name(path, error)
            return None

    def _name(self, path: Path, error: InvalidRecord) -> None:
        """Report a damaged record once, however often the pages read it."""
        version = (path, path.stat().st_mtime_ns, str(error))
        if version not in self._named:
            self._named.add(version)
            LOG.warning("%s is damaged and left aside: %s", path, error)

    def write(self, record: Record) -> None:
        """Check and store a figure's record, and remove its mark of failure."""
        record = validate(plain(record, "record"))
        path = self.path(record["paper"], record["figure"], ".json")
        write_atomic(path, dump({**record, "sha256": digest(record)}))
        self.path(record["paper"], record["figure"], ".failed.json").unlink(missing_ok=True)

    def read_failure(self, paper: str, figure: str) -> dict[str, Any] | None:
        """Return the mark that a figure failed, or None."""
        path = self.path(paper, figure, ".failed.json")
        if not path.is_file():
            return None
        try:
            failure = _read_json(path)
            if not (isinstance(failure, dict) and isinstance(failure.get("error"), str)):
                raise InvalidRecord("error must be a text")
            return failure
        except InvalidRecord as error:
            return {"error": f"{path.name} is damaged: {error}"}

    def write_failure(self, paper: str, figure: str, failure: dict[str, Any]) -> None:
        """Mark that a figure failed, in place of a result."""
        write_atomic(
            self.path(paper, figure, ".failed.json"),
            json.dumps(plain(failure, "failure"), indent=1),
        )

    def _part(self, paper: str, study: str, key: str) -> Path:
        return self.out / paper / ".parts" / study / f"{key[:32]}.json"

    def has_part(self, paper: str, study: str, key: str) -> bool:
        """Return whether a finished cell is stored."""
        return self._part(paper, study, key).is_file()

    def read_part(self, paper: str, study: str, key: str) -> dict[str, Any] | None:
        """Return what a finished cell gave and what it cost; None if it is absent or damaged."""
        path = self._part(paper, study, key)
        if not path.is_file():
            return None
        try:
            part = _read_json(path)
            if not isinstance(part, dict) or part.get("key") != key or "sha256" not in part:
                raise InvalidRecord("it is not the part that its name says")
            return _intact(part)
        except InvalidRecord as error:
            self._name(path, error)
            return None

    def write_part(
        self, paper: str, study: str, key: str, cell: dict[str, Any], given: dict[str, Any]
    ) -> dict[str, Any]:
        """Store what a finished cell gave with its ``seconds`` and other costs; return both."""
        part: dict[str, Any] = plain({"study": study, "cell": cell, "key": key, **given}, "part")
        content = json.dumps({**part, "sha256": digest(part)}, allow_nan=False)
        write_atomic(self._part(paper, study, key), content)
        return part
