"""The parts of somebody's rounds: other names that are read, names that nobody knows, and parts
that no round has.

Not handled here: the values of the parts (:mod:`refimpl.check.stages`).
"""

from typing import Any

from refimpl.check.kernel import Output, Values
from refimpl.check.trainings import TRAININGS, Training

__all__ = ["NAMES", "Compared", "renamed", "unknown_part"]

NAMES = {
    "feature": "f",
    "i_t": "f",
    "polarity": "p",
    "threshold": "theta",
    "weights": "w",
    "error": "epsilon",
    "class": "C",
    "label": "l_y",
    "loss": "z",
    "leaves": "leaf",
}
"""Other names of parts, and the names of the outputs that they stand for."""


def renamed(training: Training, state: Values) -> Values:
    """Return a round's state by the names of the training's outputs."""
    known = {output.name for output in training.outputs}
    named: Values = {}
    for name, part in state.items():
        other = NAMES.get(name) if isinstance(name, str) else None
        is_alias = name not in known and other in known and other not in state
        named[other if is_alias and other is not None else name] = part
    return named


def unknown_part(
    training: Training, expected: list[Values], states: list[Values]
) -> tuple[int, Output, str] | None:
    """Return the parts of the first round that are no outputs: the round, the first, and words.

    What the vectors hold beside the outputs, such as a proven bound, is known.
    """
    beside = {name for state in expected for name in state}
    known = [output.name for output in training.outputs]
    for number, state in enumerate(states, start=1):
        unknown = [name for name in state if name not in known and name not in beside]
        if unknown:
            names = ", ".join(map(repr, unknown))
            words = f"unknown part {names}; the parts are {', '.join(known)}"
            return number, Output(str(unknown[0]), training.algorithm), words
    return None


class Compared:
    """Which parts of each training's rounds were compared."""

    def __init__(self) -> None:
        self.parts: dict[str, set[str]] = {}

    def add(self, training: str, expected: list[Values], got: list[Values]) -> None:
        """Take the rounds of a case: a part is compared where both sides have it."""
        parts = self.parts.setdefault(training, set())
        for want, state in zip(expected, got, strict=False):
            parts |= {name for name, part in state.items() if _compared(want.get(name), part)}

    def notes(self) -> list[str]:
        """Return a note for each training some parts of which no round had."""
        listed = []
        for name, parts in self.parts.items():
            missing = [o.name for o in TRAININGS[name].outputs if o.name not in parts]
            if missing:
                listed.append(f"{name}: not compared, no round has them: {', '.join(missing)}")
        return listed


def _compared(want: Any, got: Any) -> bool:
    return want is not None and got is not None
