"""The files of the vectors: read, with clear words about damaged ones, and made by the reference.

``vectors/index.json`` lists the files with their sha256; ``vectors/schema.json`` is the JSON schema
of a file. The files hold the arguments of the cases. :func:`write` computes from them what is
expected, and draws cases for a flag of a kernel that no case has, and for a new training.
"""

import hashlib
import itertools
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from refimpl.check.drawing import Lcg
from refimpl.check.encoding import decode, encode
from refimpl.check.subject import Case, Subject, of_reference, posed
from refimpl.check.subjects import KERNELS, TRAININGS

Verify = Callable[[Case], None]

FORMAT = "refimpl-vectors"
VERSION = 1
ASKED = ("comment", "flags", "arguments")
"""What a case must have before its answer is made."""
DRAWN = 2
"""Cases that are drawn for a flag, or for a training."""


class UnusableError(Exception):
    """What the user named cannot be checked; the message says why."""


def folder() -> Path:
    """Return the folder of the vectors that come with this package."""
    return Path(str(resources.files("refimpl.check"))) / "vectors"


# ------------------------------------------------------------------------------------------ reading


def cases_of(subject: Subject, where: Path | None = None) -> list[Case]:
    """Return the cases of a file, of this package's folder if none is named."""
    return [
        Case(
            subject,
            case["id"],
            decode(case["arguments"]),
            [decode(state) for state in _listed(case["expected"])],
            case["arguments"],
            tuple(case["flags"]),
            case["comment"],
        )
        for case in load(where or folder(), f"{subject.kind}s", subject.name)["cases"]
    ]


def _listed(expected: Any) -> list[Any]:
    """Return the states of a training; the results of a kernel are its only state."""
    return expected if isinstance(expected, list) else [expected]


def load(where: Path, kind: str, name: str) -> dict[str, Any]:
    """Return a file of vectors as :func:`write` made it; refuse one that is missing or changed."""
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


# ------------------------------------------------------------------------------------------- making


def write(out: Path, where: Path | None = None, verify: Verify | None = None) -> int:
    """Write the vectors whose arguments are in `where`; return their size in bytes."""
    # ``verify`` raises AssertionError if an oracle says otherwise.
    out.mkdir(parents=True, exist_ok=True)  # before the work
    files = {path: text_of(content).encode() for path, content in contents(where, verify)}
    for path, data in files.items():
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    digests = {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}
    index = {"format": FORMAT, "version": VERSION, "files": digests}
    (out / "index.json").write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")
    return sum(map(len, files.values()))


def contents(
    where: Path | None = None, verify: Verify | None = None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the path and the content of each file."""
    where = where or folder()
    for table in (KERNELS, TRAININGS):
        for name, subject in sorted(table.items()):
            path = f"{subject.kind}s/{name}.json"
            known = _json(where / path).get("cases", []) if (where / path).exists() else []
            for number, case in enumerate(known, start=1):
                if not isinstance(case, dict) or not set(ASKED) <= case.keys():
                    raise UnusableError(f"{name}/{number} must have {', '.join(ASKED)}")
            cases = [*known, *_drawn(subject, known)]
            yield (
                path,
                {
                    **_head(subject),
                    "cases": [
                        _made(subject, n, case, verify) for n, case in enumerate(cases, start=1)
                    ],
                },
            )


def text_of(content: dict[str, Any]) -> str:
    """Return a file's text: a case a line."""
    head = {name: part for name, part in content.items() if name != "cases"}
    lines = [json.dumps(case, ensure_ascii=False) for case in content["cases"]]
    opening = json.dumps(head, ensure_ascii=False)[:-1]
    return opening + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n"


def _head(subject: Subject) -> dict[str, Any]:
    """Return what a file says of its subject."""
    outputs = [{**asdict(one), "tol": one.tol.hex()} for one in subject.outputs]
    start = {"format": FORMAT, "version": VERSION, "kind": subject.kind, "name": subject.name}
    return {**start, "about": subject.about, "outputs": outputs}


def _drawn(subject: Subject, known: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield new cases: for flags of a kernel that no case has, for a training without cases."""
    have = {flag for case in known for flag in case["flags"]}
    if subject.kind == "training" and known:
        have.add("random")
    for flag in (flag for flag in subject.flags if flag not in have):
        sources = (
            Lcg(zlib.crc32(f"{subject.name}/{flag}/{number}".encode()))
            for number in itertools.count()
        )
        drawn = filter(None, (posed(subject, source, flag) for source in sources))
        for case in itertools.islice(drawn, DRAWN):
            yield {"comment": flag, "flags": [flag], "arguments": case.encoded}


def _made(
    subject: Subject, number: int, case: dict[str, Any], verify: Verify | None
) -> dict[str, Any]:
    """Return a case with what the reference gives for its arguments."""
    try:
        arguments = decode(case["arguments"])
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise UnusableError(f"{subject.name}/{number} cannot be read: {error}") from error
    states = of_reference(subject, arguments)
    is_kernel = subject.kind == "kernel"
    if verify is not None:
        verify(Case(subject, "", arguments, states))
    expected = [{name: encode(value) for name, value in state.items()} for state in states]
    made = {
        "id": f"{subject.name}/{number}",
        **{name: case[name] for name in ASKED},
        "expected": expected[0] if is_kernel else expected,
    }
    if is_kernel and "large" not in case["flags"]:
        bounds = subject.rounding(arguments, states[0])
        within = {
            name: encode(np.broadcast_to(np.asarray(value, dtype=np.float64), np.shape(want)))
            for name, value in bounds.items()
            if np.any(value) and np.size(want := states[0][name])
        }
        made |= {"within": within} if within else {}
    return made
