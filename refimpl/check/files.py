"""The files of the vectors: their form, their checksums, and what is said of damaged ones.

``vectors/index.json`` lists the files with their sha256; ``vectors/schema.json`` is the JSON schema
of a file. :func:`load` refuses a file whose checksum, form or values do not fit.

Not handled here: keywords of JSON schemas that ``schema.json`` does not use.
"""

import hashlib
import json
import math
import re
from importlib import resources
from pathlib import Path
from typing import Any

from refimpl.check.encoding import DTYPES, decode, plain
from refimpl.check.kernel import States, Subject, Values

__all__ = [
    "FORMAT",
    "VERSION",
    "UnusableError",
    "decoded_cases",
    "folder",
    "load",
    "names",
    "require_fit",
]

FORMAT = "refimpl-vectors"
VERSION = 1
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


class UnusableError(Exception):
    """What the user named cannot be checked; the message says why."""


def folder() -> Path:
    """Return the folder of the vectors that come with this package."""
    return Path(str(resources.files("refimpl.check"))) / "vectors"


def names(where: Path, kind: str) -> list[str]:
    """Return the names of the files of a kind, "kernels" or "trainings", from the index."""
    listed = _json(where / "index.json").get("files")
    if not isinstance(listed, dict):
        raise UnusableError(f"{where / 'index.json'} must list files with their sha256")
    return sorted(
        path.partition("/")[2].removesuffix(".json")
        for path in listed
        if path.startswith(f"{kind}/")
    )


def decoded_cases(where: Path, subject: Subject) -> list[tuple[dict[str, Any], Values, States]]:
    """Return each case of a file with its arguments and the expected states."""
    cases = []
    for case in load(where, f"{subject.kind}s", subject.name)["cases"]:
        try:
            arguments = {name: plain(decode(part)) for name, part in case["arguments"].items()}
            expected = case["expected"] if subject.kind == "training" else [case["expected"]]
            states = [{name: decode(part) for name, part in state.items()} for state in expected]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise UnusableError(f"{case['id']} cannot be read: {error}") from error
        wanted = {output.name for output in subject.outputs}
        if subject.kind == "kernel" and set(states[0]) != wanted:
            raise UnusableError(f"{case['id']} must expect {', '.join(sorted(wanted))}")
        cases.append((case, arguments, states))
    return cases


def load(where: Path, kind: str, name: str) -> dict[str, Any]:
    """Return a file of vectors after all checks.

    Raises
    ------
    UnusableError
        If it is missing, damaged, or of another version.
    """
    path = where / kind / f"{name}.json"
    digest = _json(where / "index.json").get("files", {}).get(f"{kind}/{name}.json")
    if digest is None:
        raise UnusableError(f"{where / 'index.json'} does not list {kind}/{name}.json")
    content = _json(path)
    if content.get("format") != FORMAT or content.get("version") != VERSION:
        raise UnusableError(
            f"{path} must be of format {FORMAT!r} and version {VERSION}; "
            f"got {content.get('format')!r} and {content.get('version')!r}"
        )
    if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
        raise UnusableError(f"{path} is damaged: its sha256 is not the one in index.json")
    require_fit(content, path)
    return content


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnusableError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise UnusableError(f"{path} must be JSON: {error}") from error
    if not isinstance(content, dict):
        raise UnusableError(f"{path} must hold a JSON object")
    return content


def require_fit(content: dict[str, Any], path: Path) -> None:
    """Refuse a file that does not fit the schema, or whose arrays are not what they say."""
    schema = json.loads((folder() / "schema.json").read_text(encoding="utf-8"))
    fault = _fault(content, schema, schema, "")
    if fault is None:
        fault = _values_fault(content, "") or _ids_fault(content)
    if fault is not None:
        raise UnusableError(f"{path}: {fault}")


def _fault(value: Any, rule: dict[str, Any], schema: dict[str, Any], place: str) -> str | None:
    """Return what does not fit a rule of the schema, or None."""
    if "$ref" in rule:
        rule = schema["$defs"][rule["$ref"].rpartition("/")[2]]
    if "anyOf" in rule:
        faults = [_fault(value, choice, schema, place) for choice in rule["anyOf"]]
        return None if None in faults else min((f for f in faults if f), key=len)
    here = place or "the file"
    if "const" in rule and value != rule["const"]:
        return f"{here} must be {rule['const']!r}; got {value!r}"
    if "enum" in rule and value not in rule["enum"]:
        return f"{here} must be one of {', '.join(rule['enum'])}; got {value!r}"
    if "type" in rule:
        kinds = TYPES[rule["type"]]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            return f"{here} must be of type {rule['type']}; got {type(value).__name__}"
    if "pattern" in rule and isinstance(value, str) and not re.search(rule["pattern"], value):
        return f"{here} must fit {rule['pattern']}; got {value!r}"
    return _parts_fault(value, rule, schema, place)


def _parts_fault(
    value: Any, rule: dict[str, Any], schema: dict[str, Any], place: str
) -> str | None:
    if isinstance(value, list) and "items" in rule:
        for number, part in enumerate(value):
            if fault := _fault(part, rule["items"], schema, f"{place}[{number}]"):
                return fault
    if isinstance(value, dict):
        for name in rule.get("required", ()):
            if name not in value:
                return f"{place or 'the file'} must have {name!r}"
        known = rule.get("properties", {})
        more = rule.get("additionalProperties", {})
        for name, part in value.items():
            if name not in known and more is False:
                return f"{place or 'the file'} has {name!r}, which the schema does not know"
            inner = known.get(name, more)
            if inner and (fault := _fault(part, inner, schema, f"{place}.{name}".strip("."))):
                return fault
    return None


def _values_fault(value: Any, place: str) -> str | None:
    """Return what is wrong with an array: its number of elements, or an element."""
    if isinstance(value, list):
        parts: Any = enumerate(value)
    elif isinstance(value, dict):
        if {"dtype", "shape", "values"} <= value.keys():
            return _array_fault(value, place)
        parts = value.items()
    else:
        return None
    for name, part in parts:
        if fault := _values_fault(part, f"{place}.{name}".strip(".")):
            return fault
    return None


def _array_fault(value: dict[str, Any], place: str) -> str | None:
    if value["dtype"] not in DTYPES:
        return f"{place}.dtype must be one of {', '.join(DTYPES)}; got {value['dtype']!r}"
    count = math.prod(value["shape"])
    if len(value["values"]) != count:
        return f"{place} of shape {value['shape']} must have {count} values; " + (
            f"got {len(value['values'])}"
        )
    floats = value["dtype"].startswith("float")
    for number, element in enumerate(value["values"]):
        if floats or value["dtype"] == "uint64":
            fault = not isinstance(element, str) or not _is_number(element, floats)
        else:
            fault = not isinstance(element, int) or isinstance(element, bool)
        if fault:
            return f"{place}.values[{number}] is no {value['dtype']}: {element!r}"
    return None


def _is_number(text: str, floats: bool) -> bool:
    try:
        if floats:
            float.fromhex(text)
        else:
            int(text, 16)
    except ValueError:
        return False
    return True


def _ids_fault(content: dict[str, Any]) -> str | None:
    seen = set()
    for case in content["cases"]:
        if case["id"] in seen:
            return f"two cases have the id {case['id']!r}"
        seen.add(case["id"])
    return None
