"""Say what the functions of a module of trainings take and return: a table, and a file to start
from.
"""

import re
import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from refimpl.check.files import cases_of
from refimpl.check.reports import ROOMS
from refimpl.check.subject import Output, States, Training
from refimpl.check.subjects import TRAININGS

WIDEST = 46
"""Columns of a function in the table."""


def listing(where: Path, examples: int) -> str:
    """Return a table of the functions that a module may have."""
    rows = [("function", "algorithm", "printed lines", "vectors")]
    for name, training in TRAININGS.items():
        parts = [re.sub("_[01]$", "_C", part) for part in training.takes]
        taken = f"{name}({', '.join(dict.fromkeys(parts))})"
        if len(taken) > WIDEST:
            taken = f"{name}(...)"
        count = len(cases_of(training, where))
        rows.append((taken, training.form, _lines(training), str(count)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(part.ljust(width) for part, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    marks = ", ".join(f"{mark} {room}" for mark, room in ROOMS.items())
    hint = "--skeleton NAME says what a function takes and returns: it prints a file to start from"
    random = f"each is asked its vectors and {examples} random examples (--examples)"
    return "\n".join([*lines, "", random, hint, f"their PAPER.md: {marks}"])


def _lines(training: Training) -> str:
    """Return the printed lines of a training's outputs, the shared begin of their marks once."""
    sources = dict.fromkeys(output.source.partition(",")[0] for output in training.outputs)
    listed: list[str] = []
    begin = ""
    for source in sources:
        before, colon, line = source.rpartition(":")
        listed.append(line if colon and before == begin else source)
        begin = before
    return ", ".join(listed)


def skeleton(name: str, where: Path) -> str:
    """Return a file with the function of a training, to be filled in."""
    training = TRAININGS[name]
    first = cases_of(training, where)[0]
    about = textwrap.fill(f"{training.about[0].upper()}{training.about[1:]}.", 96)
    forms = "; ".join(f"{part}: {_form(value)}" for part, value in first.arguments.items())
    forms = textwrap.indent(textwrap.fill(f"In the first vector: {forms}.", 92), "    ")
    parts = "".join(_part(output, first.expected) for output in training.outputs)
    head = f"def {name}({', '.join(training.takes)}):"
    if len(head) > 100:
        taken = textwrap.indent(textwrap.fill(", ".join(training.takes), 92), "    ")
        head = f"def {name}(\n{taken},\n):"
    return f'''"""{about}

Check this file with: python -m refimpl.check trainings FILE.py
"""

import numpy as np


{head}
    """Return a list with a dict for each round; a dict may leave out parts.

{forms}
    """
    rounds = []
    # In each round, as in the first round of the first vector:
    # rounds.append({{
{parts}    # }})
    return rounds'''


def _part(output: Output, states: States) -> str:
    """Return the line of a skeleton for a part of a round."""
    line = f'    #     "{output.name}": ...,  # {output.source}: '
    if output.name in states[0]:
        return f"{line}{_form(states[0][output.name])}\n"
    return f"{line}in one more dict at the end, {_form(states[-1][output.name])}\n"


def _form(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return repr(value)
