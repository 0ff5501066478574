"""Hold a module of kernels against the vectors.

The reference fills what the module lacks. A kernel is run if it is the module's own, or if one of
its arguments is made by a kernel of the module.

Not handled here: a module that hangs or crashes (:mod:`refimpl.check.supervision`), further cases
(:mod:`refimpl.check.exploring`), reports.
"""

import functools
import importlib
import importlib.util
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import refimpl.kernels
from refimpl.check.calling import SignatureError
from refimpl.check.cases import KERNELS
from refimpl.check.comparing import Difference, Fault, compare
from refimpl.check.encoding import decode, encode, plain
from refimpl.check.files import VectorError, load
from refimpl.check.kernel import NOT_RUN, WRONG, Kernel, Output, Values, copied

__all__ = [
    "UNWATCHED",
    "Module",
    "UnusableError",
    "Watch",
    "as_case",
    "check_case",
    "decoded_cases",
    "difference_of",
    "imported",
    "raised",
    "vector_differences",
]

OWN = Path(__file__).parent
WRITTEN = {("add_similarity", "S"), ("least_similar", "sums")}


class UnusableError(Exception):
    """What the user named cannot be checked."""


class Watch:
    """What is told while a check runs; nobody listens."""

    def case(self, name: str, case: dict[str, Any]) -> AbstractContextManager[object]:
        """Enter a case of a kernel or training."""
        return nullcontext()

    def calls(self, name: str) -> None:
        """Tell that the module's own kernel is called."""

    def differs(self, difference: Difference) -> None:
        """Tell a difference."""


UNWATCHED = Watch()


def imported(name: str) -> Any:
    """Import a module by its dotted name, or from a file; the current folder counts.

    The folder of a file stands last on the path: a json.py there hides no module of Python.
    """
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    path = Path(name) if name.endswith(".py") else None
    if path is not None:
        if not path.is_file():
            raise UnusableError(f"there is no file {name}")
        sys.path.append(str(path.parent.resolve()))
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


class Module:
    """A module of kernels, filled from the reference.

    Attributes
    ----------
    written : tuple of str
        The kernels that the module has.
    own : tuple of str
        Those of them that are not replaced by the reference's.
    filled : namespace
        All kernels.

    Parameters
    ----------
    module : module
    without : collection of str
        Kernels that are replaced by the reference's.
    watch : Watch
        Its `calls` is told of each call of an own kernel.
    """

    def __init__(
        self, module: Any, without: Collection[str] = (), watch: Watch = UNWATCHED
    ) -> None:
        self.written = tuple(
            name
            for name in KERNELS
            if getattr(module, name, None) not in (None, getattr(refimpl.kernels, name))
        )
        if not self.written:
            raise UnusableError(
                f"{getattr(module, '__name__', module)} has no kernel of its own; the kernels are "
                + ", ".join(sorted(KERNELS))
            )
        self.own = tuple(name for name in self.written if name not in without)
        self.filled = SimpleNamespace()
        for name in refimpl.kernels.__all__:
            kernel = getattr(refimpl.kernels, name)
            if name in self.own:
                kernel = _telling(getattr(module, name), name, watch)
            elif name not in KERNELS:
                kernel = getattr(module, name, kernel)
            setattr(self.filled, name, kernel)

    def checked(self) -> list[str]:
        """Return the kernels to check."""
        return [
            name for name, kernel in KERNELS.items() if {name, *kernel.needs}.intersection(self.own)
        ]

    def with_reference(self, names: tuple[str, ...]) -> Any:
        """Return the namespace with the reference's kernels of these names."""
        other = {name: getattr(refimpl.kernels, name) for name in names}
        return SimpleNamespace(**{**vars(self.filled), **other})


def _telling(kernel: Any, name: str, watch: Watch) -> Any:
    """Return a kernel that tells each of its calls."""

    @functools.wraps(kernel)
    def called(*arguments: Any, **options: Any) -> Any:
        watch.calls(name)
        return kernel(*arguments, **options)

    return called


def decoded_cases(where: Path, name: str) -> Iterator[tuple[dict[str, Any], Values, Values]]:
    """Yield each case of a kernel's file with its arguments and its expected results."""
    content = load(where, "kernels", name)
    kernel = KERNELS.get(name)
    wanted = {output.name for output in kernel.outputs} if kernel else set()
    for case in content["cases"]:
        try:
            arguments = {key: plain(decode(value)) for key, value in case["arguments"].items()}
            expected = {key: decode(value) for key, value in case["expected"].items()}
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise VectorError(f"{case['id']} cannot be read: {error}") from error
        if kernel is None or set(expected) != wanted:
            raise VectorError(f"{case['id']} must expect {', '.join(sorted(wanted))}")
        yield case, arguments, expected


def vector_differences(
    module: Module,
    where: Path,
    names: list[str],
    progress: Callable[[str, int], None],
    watch: Watch = UNWATCHED,
) -> list[Difference]:
    """Return what differs on the vectors, one difference a case at most."""
    differences = []
    for name in names:
        count = 0
        for case, arguments, expected in decoded_cases(where, name):
            count += 1
            with watch.case(name, case):
                fault, blamed = check_case(module, KERNELS[name], arguments, expected)
            if fault is not None:
                differences.append(difference_of(blamed, fault, case))
                watch.differs(differences[-1])
        progress(name, count)
    return differences


def difference_of(name: str, fault: Fault, case: dict[str, Any]) -> Difference:
    """Return the difference of a case as it is reported."""
    return Difference(
        name=name,
        kind=fault.kind,
        output=fault.output.name,
        source=fault.output.source,
        words=fault.words,
        id=case["id"],
        flags=tuple(case["flags"]),
        comment=case.get("comment", ""),
        arguments=case["arguments"],
    )


def check_case(
    module: Module, kernel: Kernel, arguments: Values, expected: Values
) -> tuple[Fault | None, str]:
    """Return the fault of one case, and the kernel that is to blame.

    Where the reference's `needs` mend it, the module's own kernel among them is to blame.
    """
    fault = _fault(module.filled, kernel, arguments, expected)
    own = tuple(name for name in kernel.needs if name in module.own)
    if fault is None or not own:
        return fault, kernel.name
    if kernel.name in module.own:
        try:
            mended = _fault(module.with_reference(own), kernel, arguments, expected)
        except Exception:  # the module's kernel takes no record but its own
            return fault, kernel.name
        if mended is not None:
            return fault, kernel.name
    words = f"shown by {kernel.name}: {fault.words}"
    return Fault(fault.kind, KERNELS[own[0]].outputs[0], words), own[0]


def _fault(module: Any, kernel: Kernel, arguments: Values, expected: Values) -> Fault | None:
    given = copied(arguments)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = kernel.run(module, given)
    except (Exception, SystemExit) as error:
        words = raised(error)
        return Fault(NOT_RUN, kernel.outputs[0], words)
    with np.errstate(all="ignore"):  # the module may have set "raise"
        fault = compare(kernel, arguments, expected, got)
    if fault is not None and fault.kind == WRONG:
        return fault
    return _written(kernel, arguments, given) or fault


def raised(error: BaseException) -> str:
    """Return what an exception of somebody's code says, and where it was raised."""
    if isinstance(error, SignatureError):
        return str(error)
    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename)
        if OWN not in path.parents:  # the deepest line that is not the check's own
            where = f" ({path.name}, line {frame.lineno})"
    return f"raised {type(error).__name__}: {error}{where}"


def _written(kernel: Kernel, arguments: Values, given: Values) -> Fault | None:
    """Return the fault of a kernel that wrote to an argument."""
    for name, value in arguments.items():
        if (kernel.name, name) in WRITTEN or not isinstance(value, np.ndarray):
            continue
        if value.tobytes() != given[name].tobytes():
            words = f"the kernel wrote to its argument {name}"
            return Fault(WRONG, Output(name, "refimpl.kernels.contract"), words)
    return None


def as_case(flag: str, arguments: Values) -> dict[str, Any]:
    """Return a case that no vector has."""
    encoded = {key: encode(value) for key, value in arguments.items()}
    return {"id": "found by Hypothesis", "flags": [flag], "arguments": encoded}
