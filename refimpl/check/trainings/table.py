"""What the check knows of a training: its cases, how the reference runs, and the states of its
rounds.

A state is a dict of values. Its outputs stand in the order in which the algorithm computes them, so
the first that differs belongs to the line that does.

Not handled here: the algorithms (the modules of this package), comparing with somebody's rounds
(:mod:`refimpl.check.stages`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from refimpl.check.kernel import Output, Values

__all__ = ["TRAININGS", "Case", "States", "Training", "enter"]

States = list[Values]
Judge = Callable[[Values, Values, Values], str]


@dataclass(frozen=True)
class Case:
    """The arguments of a training, and what they are about."""

    comment: str
    flags: tuple[str, ...]
    arguments: Values


@dataclass(frozen=True)
class Training:
    """An algorithm of a paper, or a rival.

    Attributes
    ----------
    name : str
        Also the name of the function that somebody's module must have.
    algorithm : str
        What the command line calls it, such as "A.2".
    about : str
    outputs : tuple of Output
        Of a round's state.
    cases : callable
        Returns the cases.
    run : callable
        ``run(arguments)`` returns the state of each round, by the reference.
    judge : callable, optional
        ``judge(arguments, expected, state)`` says whether a round's other choice is as good.
    follow : callable, optional
        ``follow(arguments, states)`` returns what each round must be after somebody's choices in
        the rounds before it.
    loop : str
        The mark of the line that says how many rounds there are; by default that of the first
        output.
    rounding : callable, optional
        ``rounding(arguments, expected)`` returns by name what rounding may change in a round; it
        is a bound.
    dependent : tuple of str
        Results of a round that are others where another choice of equal worth was made; without
        `follow` they are not compared then.
    """

    name: str
    algorithm: str
    about: str
    outputs: tuple[Output, ...]
    cases: Callable[[], list[Case]]
    run: Callable[[Values], States]
    judge: Judge | None = None
    follow: Callable[[Values, States], States] | None = None
    loop: str = ""
    rounding: Callable[[Values, Values], Values] = field(default=lambda arguments, expected: {})
    dependent: tuple[str, ...] = ()

    def ends(self) -> Output:
        """Return what a training that ends too early or too late differs in."""
        return Output("rounds", self.loop or self.outputs[0].source)


TRAININGS: dict[str, Training] = {}
"""Every training by its name."""


def enter(training: Training) -> Any:
    """Put a training into the table."""
    TRAININGS[training.name] = training
    return training
