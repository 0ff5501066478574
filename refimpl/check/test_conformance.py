"""A test for each kernel and each training of a module that REFIMPL_CHECK names:
``REFIMPL_CHECK=my_module pytest --pyargs refimpl.check``.

Without the variable there is nothing to test, and pytest skips both tests.

Not handled here: further cases of Hypothesis (``python -m refimpl.check kernels my_module``).
"""

import os
import warnings
from functools import cache
from typing import Any

from refimpl.check.calling import call
from refimpl.check.comparing import Difference
from refimpl.check.files import folder
from refimpl.check.parts import Compared
from refimpl.check.reports import Report
from refimpl.check.running import Module, UnusableError, imported, vector_differences
from refimpl.check.stages import own_trainings, training_differences

__all__ = ["pytest_generate_tests", "test_kernel", "test_training"]


@cache
def own_module() -> Any:
    name = os.environ.get("REFIMPL_CHECK")
    return imported(name) if name else None


def _kernels() -> list[str]:
    if own_module() is None:
        return []
    try:
        return Module(own_module()).checked()
    except UnusableError:
        if own_trainings(own_module()):
            return []
        raise


def pytest_generate_tests(metafunc: Any) -> None:
    """Make a case for each kernel and each training that the module has."""
    if "kernel" in metafunc.fixturenames:
        metafunc.parametrize("kernel", _kernels())
    if "training" in metafunc.fixturenames:
        metafunc.parametrize("training", own_trainings(own_module()) if own_module() else [])


def _require_none(name: str, differences: list[Difference]) -> None:
    assert not differences, "\n" + Report(name, differences=differences).text()


def test_kernel(kernel: str) -> None:
    """The kernel agrees with its vectors."""
    found = vector_differences(Module(own_module()), folder(), [kernel], lambda name, count: None)
    _require_none(kernel, found)


def test_training(training: str) -> None:
    """The training agrees with its vectors, round by round; a warning names what it lacks."""
    compared = Compared()
    found = training_differences(
        lambda name, arguments: call(getattr(own_module(), name), name, arguments),
        folder(),
        [training],
        lambda name, count: None,
        compared=compared,
    )
    for note in compared.notes():
        warnings.warn(note, UserWarning, stacklevel=1)
    _require_none(training, found)
