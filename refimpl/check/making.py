"""Make the vectors by the reference: ``python -m refimpl.check make --out DIR``.

The same version of the reference makes the same files, to the byte. In a checkout
``python -m tests.vectors`` makes them too, and holds each case against the independent oracles
before it writes anything.

Not handled here: the drawing of arguments (:mod:`refimpl.check.cases`), the trainings themselves
(:mod:`refimpl.check.trainings`).
"""

import hashlib
import json
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import refimpl.kernels
from refimpl.check.cases import KERNELS
from refimpl.check.drawing import Lcg
from refimpl.check.encoding import LARGE, Digest, encode, plain
from refimpl.check.files import FORMAT, VERSION
from refimpl.check.kernel import Kernel, Output, Values, copied
from refimpl.check.trainings import TRAININGS, Training
from refimpl.check.trainings.rules import rule_cases

__all__ = ["COMMENTS", "Verify", "contents", "text_of", "write"]

Verify = Callable[[str, Values, Any], None]

CASES_OF_A_FLAG = 3

COMMENTS = {
    "all of a list": "as many candidates wanted as there are points",
    "at the limit": "distances equal to the limit",
    "at the radius": "distances equal to the radius",
    "constant columns": "columns of one value: no threshold divides them",
    "denormals": "multiples of 5e-324",
    "duplicates": "a row that stands there twice",
    "empty": "no rows, or no list",
    "extreme weights": "weights from 2**-40 to 1, some of them 0",
    "far from the origin": "numbers about 2**20: |x|^2 - 2 x.z + |z|^2 cancels",
    "fewer than k": "fewer candidates than neighbours wanted",
    "float32": "data of float32",
    "infinite slope": "the sign as transfer function",
    "large": "2**16 + 1 rows by the stated generator",
    "many": "more columns than any vector register",
    "negative least": "alpha may be negative",
    "negative zero": "0.0 and -0.0, which are equal",
    "no bucket": "queries that fall into no bucket",
    "on a plane": "points that lie on a plane",
    "one class": "no point of another class",
    "one column": "a single column",
    "one label": "all rows of one label: the best stump is constant",
    "one leaf": "all points in one leaf",
    "one pixel": "images of a single pixel",
    "one side": "all points on one side",
    "plain": "numbers of 52 random bits",
    "quarters": "multiples of 1/4, whose sums are exact",
    "refined": "the best threshold, and moved planes",
    "scales": "numbers from 2**-60 to 2**60 side by side",
    "smoothed": "the hinge is smoothed",
    "threshold -inf": "a stump that says the same of all points",
    "tie between features": "features that mirror each other: many stumps of the same error",
    "tie between polarities": "constant columns: both polarities err by one half",
    "ties": "small integers: many equal values",
    "weights of zero": "pairs of weight 0",
}


def write(where: Path, verify: Verify | None = None) -> int:
    """Write all vectors; return their size in bytes.

    Parameters
    ----------
    where : Path
        The folder. Vectors that are there are replaced.
    verify : callable, optional
        ``verify(name, arguments, expected)`` raises AssertionError if an oracle says otherwise.
    """
    files = {}
    for path, content in contents(verify):
        data = text_of(content).encode()
        target = where / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        files[path] = data
    digests = {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}
    index = {"format": FORMAT, "version": VERSION, "files": digests}
    (where / "index.json").write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")
    return sum(map(len, files.values()))


def contents(verify: Verify | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the path and the content of each file."""
    for name in sorted(KERNELS):
        yield f"kernels/{name}.json", of_kernel(KERNELS[name], verify)
    for name in sorted(TRAININGS):
        yield f"trainings/{name}.json", of_training(TRAININGS[name], verify)


def text_of(content: dict[str, Any]) -> str:
    """Return a file's text: a case a line."""
    head = {name: part for name, part in content.items() if name != "cases"}
    lines = [json.dumps(case, ensure_ascii=False) for case in content["cases"]]
    opening = json.dumps(head, ensure_ascii=False)[:-1]
    return opening + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n"


def _head(kind: str, name: str, about: str, outputs: tuple[Output, ...]) -> dict[str, Any]:
    listed = [
        {
            "name": output.name,
            "source": output.source,
            "agreement": output.agreement,
            "tol": float(output.tol).hex(),
        }
        for output in outputs
    ]
    start = {"format": FORMAT, "version": VERSION, "kind": kind, "name": name}
    return {**start, "about": about, "outputs": listed}


def of_kernel(kernel: Kernel, verify: Verify | None = None) -> dict[str, Any]:
    """Return the content of a kernel's file."""
    about = (getattr(refimpl.kernels, kernel.name).__doc__ or "").split("\n")[0]
    cases: list[dict[str, Any]] = []
    for flag, arguments in _arguments(kernel):
        real = {name: plain(value) for name, value in arguments.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = kernel.run(refimpl.kernels, copied(arguments))
        if verify is not None:
            verify(kernel.name, real, expected)
        short = {name: _shortened(value) for name, value in expected.items()}
        case = {
            "id": f"{kernel.name}/{len(cases) + 1}",
            "comment": COMMENTS[flag],
            "flags": [flag],
            "arguments": {name: encode(value) for name, value in arguments.items()},
            "expected": {name: encode(value) for name, value in short.items()},
        }
        within = _within(kernel, real, expected) if flag != "large" else {}
        cases.append(case | ({"within": within} if within else {}))
    return {**_head("kernel", kernel.name, about, kernel.outputs), "cases": cases}


def _arguments(kernel: Kernel) -> Iterator[tuple[str, Values]]:
    for flag in kernel.flags:
        for number in range(CASES_OF_A_FLAG):
            seed = zlib.crc32(f"{kernel.name}/{flag}/{number}".encode())
            yield flag, kernel.draw(Lcg(seed), flag)
    if kernel.large is not None:
        yield "large", kernel.large()


def _shortened(value: Any) -> Any:
    return Digest.of(value) if isinstance(value, np.ndarray) and value.size > LARGE else value


def _within(kernel: Kernel, arguments: Values, expected: Values) -> dict[str, Any]:
    listed = kernel.rounding(arguments, expected)
    return {
        name: encode(np.asarray(value, dtype=np.float64))
        for name, value in listed.items()
        if np.any(value)
    }


def of_training(training: Training, verify: Verify | None = None) -> dict[str, Any]:
    """Return the content of a training's file: every round's state."""
    cases = []
    asked = [*training.cases(), *rule_cases(training.name)]
    for number, case in enumerate(asked, start=1):
        expected = training.run(case.arguments)
        if verify is not None:
            verify(training.name, case.arguments, expected)
        cases.append(
            {
                "id": f"{training.name}/{number}",
                "comment": case.comment,
                "flags": list(case.flags),
                "arguments": {name: encode(value) for name, value in case.arguments.items()},
                "expected": [encode(state) for state in expected],
            }
        )
    return {**_head("training", training.name, training.about, training.outputs), "cases": cases}
