"""What the check knows of a training: its cases, how the reference runs, and the states of its
rounds.

A state is a dict of values. Its outputs stand in the order in which the algorithm computes them, so
the first that differs belongs to the line that does.

Not handled here: the algorithms (the modules of this package), comparing with somebody's rounds
(:mod:`refimpl.check.stages`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from refimpl.check.drawing import Source
from refimpl.check.kernel import Output, States, Subject, Values

__all__ = ["DRAWS", "TRAININGS", "Case", "States", "Training", "enter"]


@dataclass(frozen=True)
class Case:
    """The arguments of a training, and what they are about."""

    comment: str
    flags: tuple[str, ...]
    arguments: Values


@dataclass(frozen=True, kw_only=True)
class Training(Subject):
    """An algorithm of a paper, or a rival.

    Attributes
    ----------
    algorithm : str
        What the command line calls it, such as "A.2".
    about : str
    cases : callable
        Returns the cases.
    run : callable
        ``run(arguments)`` returns the state of each round, by the reference.
    loop : str
        The mark of the line that says how many rounds there are; by default that of the first
        output.
    """

    kind: ClassVar[str] = "training"
    algorithm: str
    about: str
    cases: Callable[[], list[Case]]
    run: Callable[[Values], States]
    loop: str = ""

    def expected(self, arguments: Values) -> States:
        """Return the state of each round by the reference."""
        return self.run(arguments)

    def problem(self, source: Source) -> tuple[str, Values]:
        """Draw a small problem; ValueError says that there is none for these integers."""
        return "random", DRAWS[self.name](source)

    def takes(self) -> list[str]:
        """Return the arguments of the first case."""
        return list(self.cases()[0].arguments)

    def allowed(self, arguments: Values, want: Values) -> tuple[Values, tuple[str, ...]]:
        """Return tol / 1024 of the largest element of each array, and the bounds of `rounding`.

        What cancels is no digit.
        """
        within: Values = {}
        for output in self.outputs:
            value = want.get(output.name)
            if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
                largest = np.abs(value[np.isfinite(value)]).max(initial=0.0)
                within[output.name] = output.tol / 1024 * float(largest)
        bounds = self.rounding(arguments, want)
        return within | bounds, tuple(bounds)

    def ends(self) -> Output:
        """Return what a training that ends too early or too late differs in."""
        return Output("rounds", self.loop or self.outputs[0].source)

    def form(self) -> str:
        """Return the algorithm."""
        return self.algorithm


DRAWS: dict[str, Callable[[Source], Values]] = {}
"""Small problems by the name of the training, filled by :mod:`refimpl.check.trainings.drawn`."""
TRAININGS: dict[str, Training] = {}
"""Every training by its name."""


def enter(training: Training) -> Any:
    """Put a training into the table."""
    TRAININGS[training.name] = training
    return training
