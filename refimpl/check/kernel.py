"""What the check knows of a kernel: how to draw its arguments, how to call it in a module, what its
results are, and how another choice is judged.

The class of a result says when two numbers agree:

* ``bits``: they are equal; zeros of either sign are, and so is any NaN to another;
* ``digits``: they differ by ``tol`` (2**-40) of the expected number at most, or by what ``within``
  says for the element: the rounding errors of any order of summation;
* ``optimum``: a choice or a place that stands for a least or largest value; another one is as good
  if its value is, which the check of this package computes;
* ``count``: how much was looked at, which no answer depends on.

Not handled here: the kernels themselves (:mod:`refimpl.check.cases`), comparing
(:mod:`refimpl.check.comparing`).
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import refimpl.kernels
from refimpl.check.calling import call
from refimpl.check.drawing import Source
from refimpl.check.encoding import plain

__all__ = [
    "AGREES",
    "EQUAL_WORTH",
    "KERNELS",
    "LAST_BITS",
    "NOT_COMPARED",
    "NOT_RUN",
    "TIE",
    "WRONG",
    "Kernel",
    "Output",
    "Values",
    "asked",
    "copied",
    "enter",
    "named",
    "outputs_of",
    "rounding",
]

Values = dict[str, Any]
Judge = Callable[[Values, Values, Values], str]

LAST_BITS = "last bits"
AGREES = ""
TIE = "a tie broken otherwise"
EQUAL_WORTH = "another choice of equal worth"
NOT_COMPARED = "another choice; what follows it was not compared"
WRONG = "wrong"
NOT_RUN = "no answer"


@dataclass(frozen=True)
class Output:
    """A result of a kernel or of a round.

    Attributes
    ----------
    name : str
    source : str
        The mark of the printed line that it stands for, or the source that is no paper of the five.
    agreement : str
        "bits", "digits", "optimum" or "count".
    tol : float
        For "digits" and "optimum": how far a number may be off, relative to the expected.
    """

    name: str
    source: str
    agreement: str = "bits"
    tol: float = 2.0**-40


@dataclass(frozen=True)
class Kernel:
    """A kernel of the contract.

    Attributes
    ----------
    name : str
    outputs : tuple of Output
    draw : callable
        ``draw(source, flag)`` returns arguments by name.
    flags : tuple of str
        What a case can be about.
    run : callable
        ``run(module, arguments)`` returns the results by name.
    judge : callable, optional
        ``judge(arguments, expected, results)`` says whether another choice is as good.
    rounding : callable, optional
        ``rounding(arguments, expected)`` returns by name what rounding may change.
    large : callable, optional
        Returns arguments of 2**16 + 1 rows.
    needs : tuple of str
        Other kernels that make one of its arguments.
    dependent : tuple of str
        Results that are others where another choice was made.
    following : callable, optional
        ``following(arguments, results)`` returns the dependent results of somebody's choice.
        Without it they are not compared after another choice.
    record : bool
        Whether the result is a record that a module may have in a form of its own. Its parts are
        None then, and are not compared.
    """

    name: str
    outputs: tuple[Output, ...]
    draw: Callable[[Source, str], Values]
    flags: tuple[str, ...]
    run: Callable[[Any, Values], Values]
    judge: Judge | None = None
    rounding: Callable[[Values, Values], Values] = field(default=lambda arguments, expected: {})
    large: Callable[[], Values] | None = None
    needs: tuple[str, ...] = ()
    dependent: tuple[str, ...] = ()
    following: Callable[[Values, Values], Values] | None = None
    record: bool = False


KERNELS: dict[str, Kernel] = {}
"""Every kernel of the contract by its name, filled by :mod:`refimpl.check.cases`."""


def enter(
    outputs: str,
    *,
    flags: str = "ties, plain, negative zero, denormals, scales",
    run: Callable[[Any, Values], Values] | None = None,
    **more: Any,
) -> Callable[[Callable[[Source, str], Values]], Callable[[Source, str], Values]]:
    """Decorate the function that draws a kernel's arguments; it has the kernel's name.

    `outputs` lists ``name source agreement`` with semicolons between them.
    """
    listed = outputs_of(outputs)

    def into_table(draw: Callable[[Source, str], Values]) -> Callable[[Source, str], Values]:
        name = draw.__name__
        names = tuple(flag.strip() for flag in flags.split(","))
        KERNELS[name] = Kernel(name, listed, draw, names, run or _plain_run(name, listed), **more)
        return draw

    return into_table


def outputs_of(text: str) -> tuple[Output, ...]:
    """Return outputs from ``name source agreement`` with semicolons between them.

    The tolerance stands behind the agreement: ``digits~1e-6``.
    """
    outputs = []
    for part in text.split(";"):
        name, rest = part.strip().split(" ", 1)
        source, _, last = rest.rpartition(" ")
        agreement, _, tol = last.partition("~")
        outputs.append(Output(name, source, agreement, float(tol) if tol else 2.0**-40))
    return tuple(outputs)


def _plain_run(name: str, outputs: tuple[Output, ...]) -> Callable[[Any, Values], Values]:
    def run(module: Any, arguments: Values) -> Values:
        returned = asked(module, name, arguments)
        parts = returned if len(outputs) > 1 else (returned,)
        return named(name, outputs, parts)

    return run


def asked(module: Any, name: str, arguments: Values) -> Any:
    """Return what a module's kernel returns for arguments by name."""
    order = inspect.signature(getattr(refimpl.kernels, name)).parameters
    return call(
        getattr(module, name), name, {part: arguments[part] for part in order if part in arguments}
    )


def named(name: str, outputs: tuple[Output, ...], parts: Any) -> Values:
    """Return the parts of a result by their names."""
    if not isinstance(parts, tuple | list) or len(parts) != len(outputs):
        raise TypeError(
            f"{name} must return {', '.join(output.name for output in outputs)}; "
            f"got {type(parts).__name__}"
        )
    return {output.name: part for output, part in zip(outputs, parts, strict=True)}


def rounding(terms: Any, count: int) -> Any:
    """Return what the order of summation may change, from the sums of absolute terms.

    Rounded up to powers of two.
    """
    bound = np.asarray(terms, dtype=np.float64) * (count + 4) * 2.0**-51
    with np.errstate(over="ignore", under="ignore"):
        powers = np.ldexp(1.0, np.frexp(bound)[1])
    return np.where(bound > 0, powers, 0.0)


def copied(arguments: Mapping[str, Any]) -> Values:
    """Return arguments for one call: recipes as arrays, arrays copied."""
    values = {name: plain(value) for name, value in arguments.items()}
    return {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }
