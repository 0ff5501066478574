"""Find further cases with Hypothesis, and shrink them.

The cases are drawn as the vectors are; the expected results are the reference's. Hypothesis is
optional: ``pip install 'refimpl[check]'``.

Not handled here: the vectors (:mod:`refimpl.check.running`).
"""

import importlib.util
import warnings
from typing import TYPE_CHECKING, Any

import refimpl.kernels
from refimpl.check.cases import KERNELS
from refimpl.check.comparing import Difference, Fault
from refimpl.check.drawing import Source
from refimpl.check.kernel import Kernel, Values, copied
from refimpl.check.running import (
    Module,
    Watch,
    as_case,
    check_case,
    difference_of,
    unwatched,
)

if TYPE_CHECKING:
    from hypothesis.strategies import DataObject

__all__ = ["available", "explored"]


class FoundError(Exception):
    """A case on which the module differs."""


class Drawn(Source):
    """Integers that Hypothesis chooses, and makes small."""

    def __init__(self, data: "DataObject") -> None:
        self.data = data

    def integers(self, count: int, low: int, high: int) -> list[int]:
        """Return `count` integers from `low` to `high`."""
        from hypothesis import strategies as st

        numbers = st.integers(low, high)
        drawn: list[int] = self.data.draw(st.lists(numbers, min_size=count, max_size=count))
        return drawn


def available() -> bool:
    """Whether Hypothesis is installed."""
    return importlib.util.find_spec("hypothesis") is not None


def explored(
    module: Module, name: str, examples: int, seed: int, watch: Watch = unwatched
) -> Difference | None:
    """Return the smallest difference that Hypothesis finds for a kernel, or None.

    Parameters
    ----------
    module : Module
    name : str
        The kernel.
    examples : int
        How many cases to try.
    seed : int
    watch : callable, optional
        ``watch(name, case)`` is entered for each case.
    """
    import hypothesis
    from hypothesis import strategies as st

    kernel = KERNELS[name]
    smallest: list[tuple[str, Values, Fault, str]] = []

    def tries(data: "DataObject") -> None:
        source = Drawn(data)
        flag = source.pick(*kernel.flags)
        arguments = kernel.draw(source, flag)
        expected = _expected(kernel, arguments)
        with watch(name, as_case(name, flag, arguments)):
            fault, blamed = check_case(module, kernel, arguments, expected)
        if fault is not None:
            smallest[:] = [(flag, arguments, fault, blamed)]
            raise FoundError

    test = hypothesis.seed(seed)(_settings(examples)(hypothesis.given(st.data())(tries)))
    try:
        test()
    except FoundError:
        pass
    except Exception:
        if not smallest:  # Hypothesis calls a module flaky whose answers change
            raise
    if not smallest:
        return None
    flag, arguments, fault, blamed = smallest[0]
    return difference_of(blamed, fault, as_case(name, flag, arguments))


def _settings(examples: int) -> Any:
    import hypothesis

    return hypothesis.settings(
        max_examples=examples,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
    )


def _expected(kernel: Kernel, arguments: Values) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kernel.run(refimpl.kernels, copied(arguments))
