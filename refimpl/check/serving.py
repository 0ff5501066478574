"""Answer cases by somebody's module: in this process, or by JSON lines in a process of its own.

The first line names the module and its memory; the answer says what the module has. For a kernel
the reference fills what the module lacks. What the module writes to its standard output goes to
standard error.
"""

import importlib
import importlib.util
import json
import os
import sys
import traceback
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import refimpl.kernels
from refimpl.check.encoding import DTYPES, decode, encode
from refimpl.check.files import UnusableError
from refimpl.check.programs import OUT_OF_MEMORY, Asked, limit_memory, memory_left
from refimpl.check.subject import FormError, Subject, Values, call, copied, in_order
from refimpl.check.subjects import KERNELS, TRAININGS

OWN = Path(__file__).parent
NEAR = 2**21
"""Bytes below the limit on memory from which the module has used it up."""


class Server(Asked):
    """A module that answers cases, in this process."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.own = tuple(
            name
            for name in KERNELS
            if getattr(module, name, None) not in (None, getattr(refimpl.kernels, name))
        )
        self.trainings = tuple(name for name in TRAININGS if callable(getattr(module, name, None)))

    def about(self) -> dict[str, Any]:
        """Return what the module has."""
        subjects: list[Subject] = [KERNELS[name] for name in self.own]
        subjects += [TRAININGS[name] for name in self.trainings]
        other = [
            one.name for one in subjects if in_order(getattr(self.module, one.name), one.takes)
        ]
        return {"own": self.own, "trainings": self.trainings, "in order": other}

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a case; ``reference`` lists kernels that the reference replaces."""
        arguments = {name: decode(part) for name, part in question["arguments"].items()}
        given = copied(arguments)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if "training" in question:
                    result: Any = self._rounds(question["training"], given)
                else:
                    result = self._results(question, given)
        except (Exception, SystemExit) as error:
            return {"id": question["id"], "raised": raised(error)}
        if result == {}:  # a record of the module's own kind
            return {"id": question["id"], "skip": True}
        kernel = KERNELS.get(question.get("kernel", ""))
        written = kernel.written if kernel else ()
        wrote = [
            part
            for part, value in arguments.items()
            if isinstance(value, np.ndarray) and part not in written
            if value.tobytes() != given[part].tobytes()
        ]
        return {"id": question["id"], "result": result, "wrote": wrote}

    def _results(self, question: dict[str, Any], given: Values) -> dict[str, Any]:
        """Return the results of a kernel; of a record what it has of the reference's parts."""
        kernel = KERNELS[question["kernel"]]
        result = kernel.run(self._filled(question.get("reference", ())), given)
        if kernel.record:
            result = {name: part for name, part in result.items() if part is not None}
        return {name: encoded(part) for name, part in result.items()}

    def _rounds(self, name: str, given: Values) -> list[dict[str, Any]]:
        returned = call(getattr(self.module, name), name, given)
        states = [returned] if isinstance(returned, dict) else returned
        if isinstance(states, Iterable):
            states = list(states)
        if not isinstance(states, list) or not all(isinstance(state, dict) for state in states):
            parts = ", ".join(output.name for output in TRAININGS[name].outputs)
            raise FormError(
                f"{name} must return a list, for each round a dict with some of {parts}; got "
                f"{_named(returned)}. --skeleton {name} prints a file to start from"
            )
        return [{str(part): encoded(value) for part, value in state.items()} for state in states]

    def _filled(self, replaced: Sequence[str]) -> Any:
        """Return all kernels: the module's, and the reference's for what it lacks."""
        filled = {name: getattr(refimpl.kernels, name) for name in refimpl.kernels.__all__}
        for name, kernel in filled.items():
            if name in self.own and name not in replaced:
                filled[name] = getattr(self.module, name)
            elif name not in KERNELS:
                filled[name] = getattr(self.module, name, kernel)
        return SimpleNamespace(**filled)


def checked(own: Sequence[str]) -> list[str]:
    """Return the kernels that are, or whose arguments are made by, a module's own kernels."""
    return [name for name, kernel in KERNELS.items() if {name, *kernel.needs}.intersection(own)]


def _named(returned: Any) -> str:
    """Return what somebody's training returned instead of its rounds."""
    name = type(returned).__name__
    if isinstance(returned, list | tuple) and returned:
        return f"{name} of {type(returned[0]).__name__}"
    return name


def encoded(value: Any) -> Any:
    """Return a result as JSON has it; of what is no array of numbers only what it is."""
    if value is None or isinstance(value, str | bool | int):
        return encode(value)
    try:
        if np.ma.is_masked(value):
            return {"odd": "masked elements"}
        array = np.asarray(value)
    except MemoryError:
        raise
    except Exception:  # __array__ of somebody's class may raise anything
        return {"odd": type(value).__name__}
    if str(array.dtype) in DTYPES:
        return encode(array)
    if array.dtype.kind in "biuf":
        return encode(array.astype(np.float64 if array.dtype.kind == "f" else np.int64))
    return {"odd": type(value).__name__ if array.dtype == object else f"dtype {array.dtype}"}


def raised(error: BaseException) -> str:
    """Return what an exception of somebody's code says, and where it was raised."""
    if isinstance(error, FormError):
        return str(error)
    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename)
        if OWN not in path.parents:  # the deepest line that is not the check's own
            where = f" ({path.name}, line {frame.lineno})"
    return f"raised {type(error).__name__}: {error}{where}"


def imported(name: str) -> Any:
    """Import a module by its dotted name, or from a file; the current folder counts."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    path = Path(name) if name.endswith(".py") else None
    if Path(name).is_dir() and not name.isidentifier():
        raise UnusableError(f"name a module or a .py file; got the folder {name}")
    if path is not None:
        if not path.is_file():
            raise UnusableError(f"there is no file {name}")
        sys.path.append(str(path.parent.resolve()))  # last: a json.py there hides no other
    try:
        return _from_file(path) if path else importlib.import_module(name)
    except ImportError as error:
        raise UnusableError(f"cannot import {name}: {error}") from error
    except (Exception, SystemExit) as error:
        raise UnusableError(f"{name} raised {type(error).__name__}: {error}") from error


def _from_file(path: Path) -> Any:
    """Return the module of a file, whatever other module has its name (json.py, random.py)."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError("no Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # dataclasses and pickle look there
    spec.loader.exec_module(module)
    return module


# ----------------------------------------------------------------------------- a process of its own


def _require_memory() -> None:
    """Raise MemoryError if the limit is nearly reached."""
    if memory_left() < NEAR:
        raise MemoryError


def serve() -> None:
    """Read questions from the standard input, and write answers to the standard output."""
    questions = os.fdopen(os.dup(0), "rb")
    output = os.dup(1)
    answers = os.fdopen(output, "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # the module reads no question
    os.dup2(2, 1)  # what it prints
    process = os.getpid()
    server: Server | None = None
    for line in questions:
        try:
            question = json.loads(line)
            if server is None:
                limit_memory(question["memory"])
                try:
                    server = Server(imported(question["module"]))
                    about = server.about()
                except UnusableError as error:
                    about = {"unusable": str(error)}
                text = json.dumps({"id": question["id"], **about})
            else:
                text = json.dumps(server.answer(question))
                _require_memory()
        except MemoryError:
            if os.getpid() == process:
                os.write(output, OUT_OF_MEMORY)  # there may be none left for another line
            os._exit(1)
        if os.getpid() != process:
            os._exit(0)  # a process that the module forked
        answers.write(text + "\n")
        answers.flush()


if __name__ == "__main__":
    serve()
