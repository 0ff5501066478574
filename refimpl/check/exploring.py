"""Find further cases with Hypothesis, and shrink them.

The cases are drawn as the vectors are; the expected results are the reference's. Hypothesis is
optional: ``pip install 'refimpl[check]'``.

Not handled here: the vectors (:mod:`refimpl.check.running`).
"""

import importlib.util
import warnings
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import refimpl.kernels
from refimpl.check.cases import KERNELS
from refimpl.check.comparing import Difference
from refimpl.check.drawing import Source
from refimpl.check.kernel import EQUAL_WORTH, LAST_BITS, NOT_COMPARED, Kernel, Values, copied
from refimpl.check.running import UNWATCHED, Module, Watch, as_case, check_case, difference_of
from refimpl.check.stages import difference_in
from refimpl.check.trainings import TRAININGS
from refimpl.check.trainings.drawn import DRAWS

if TYPE_CHECKING:
    from hypothesis.strategies import DataObject

__all__ = ["available", "explored", "explored_training"]


class FoundError(Exception):
    """A case on which the module differs."""


class NoMemoryError(BaseException):
    """A MemoryError, which Hypothesis may not take for a failing example."""


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
    module: Module, name: str, examples: int, seed: int, watch: Watch = UNWATCHED
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
    watch : Watch, optional
    """
    kernel = KERNELS[name]

    def tries(source: Source) -> Difference | None:
        flag = source.pick(*kernel.flags)
        arguments = kernel.draw(source, flag)
        expected = _expected(kernel, arguments)
        case = as_case(flag, arguments)
        with watch.case(name, case):
            fault, blamed = check_case(module, kernel, arguments, expected)
        if fault is None:
            return None
        difference = difference_of(blamed, fault, case)
        watch.differs(difference)
        return difference

    return _smallest(tries, examples, seed)


def explored_training(
    answer: Callable[[str, Values], Any],
    name: str,
    examples: int,
    seed: int,
    watch: Watch = UNWATCHED,
) -> tuple[Difference | None, list[str]]:
    """Return the smallest problem on which Hypothesis finds a training different, and notes.

    What another order of summation explains is no finding here: on random problems rounding breaks
    ties. The notes count it. The vectors have each tie rule on numbers whose sums are exact.

    Parameters
    ----------
    answer : callable
        ``answer(name, arguments)`` runs somebody's training.
    name : str
    examples, seed : int
    watch : Watch, optional
    """
    import hypothesis

    training = TRAININGS[name]
    rounded: Counter[str] = Counter()
    tried = 0

    def tries(source: Source) -> Difference | None:
        nonlocal tried
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                arguments = DRAWS[name](source)
                expected = training.run(arguments)
        except MemoryError:
            raise
        except Exception:  # no problem for this training, such as landmarks of one class
            hypothesis.reject()
        case = as_case("random", arguments)
        with watch.case(name, case):
            difference = difference_in(training, case, arguments, expected, answer)
        tried += 1
        if difference is None:
            return None
        cause = _rounding(difference)
        if cause is not None:
            rounded[cause] += 1
            return None
        watch.differs(difference)
        return difference

    found = _smallest(tries, examples, seed)
    if found is not None:
        return found, []
    return None, [
        f"{name}: {cause} in {count} of {tried} random examples; rounding may be the reason"
        for cause, count in rounded.items()
    ]


def _rounding(difference: Difference) -> str | None:
    """Return the kind of a difference that another order of summation may explain, or None."""
    if difference.kind == NOT_COMPARED:
        return EQUAL_WORTH if EQUAL_WORTH in difference.words else None
    return difference.kind if difference.kind in (EQUAL_WORTH, LAST_BITS) else None


def _smallest(
    tries: Callable[[Source], Difference | None], examples: int, seed: int
) -> Difference | None:
    """Return the smallest difference that `tries` returns for the integers of Hypothesis."""
    import hypothesis
    from hypothesis import strategies as st

    last: list[Difference] = []

    def run(data: "DataObject") -> None:
        try:
            difference = tries(Drawn(data))
        except MemoryError as error:
            raise NoMemoryError from error
        if difference is not None:
            last[:] = [difference]
            raise FoundError

    test = hypothesis.seed(seed)(_settings(examples)(hypothesis.given(st.data())(run)))
    try:
        test()
    except (FoundError, hypothesis.errors.Unsatisfiable):
        pass
    except NoMemoryError as error:
        raise MemoryError from error
    except Exception:
        if not last:  # Hypothesis calls a module flaky whose answers change
            raise
    return last[0] if last else None


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
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return kernel.run(refimpl.kernels, copied(arguments))
