"""A test for each kernel and each training of a module that REFIMPL_CHECK names:
``REFIMPL_CHECK=my_module pytest --pyargs refimpl.check``.

Without the variable there is nothing to test, and pytest skips the test.

Not handled here: random examples (``python -m refimpl.check kernels my_module``).
"""

import os
import warnings
from functools import cache
from typing import Any

from refimpl.check.asking import Asking
from refimpl.check.files import UnusableError, folder
from refimpl.check.reports import Report
from refimpl.check.serving import Server, checked, imported
from refimpl.check.subjects import KERNELS


@cache
def own_module() -> Any:
    """Return the module in this process, so that a debugger sees it; None without one."""
    name = os.environ.get("REFIMPL_CHECK")
    return Server(imported(name)) if name else None


def pytest_generate_tests(metafunc: Any) -> None:
    """Make a case for each kernel and each training that the module has."""
    names: list[str] = []
    if own_module() is not None:
        server = own_module()
        names = [*checked(server.own), *server.trainings]
        if not names:
            raise UnusableError(
                f"{os.environ['REFIMPL_CHECK']} has no kernel or training of its own; the kernels "
                f"are {', '.join(sorted(KERNELS))}"
            )
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", names)


def test_agrees(name: str) -> None:
    """The kernel or training agrees with its vectors; a warning names what its rounds lack."""
    asking = Asking(own_module(), folder())
    found = asking.ask([name])
    for note in asking.missing_parts():
        warnings.warn(note, UserWarning, stacklevel=1)
    assert not found, "\n" + Report(name, differences=found).text()
