"""What the check knows of a kernel or a training: how to draw its arguments, what its results are,
and how another choice is judged.

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
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import refimpl.kernels
from refimpl.check.calling import call
from refimpl.check.drawing import Source
from refimpl.check.encoding import plain

__all__ = [
    "AGREES",
    "CHOICES",
    "EQUAL_WORTH",
    "KERNELS",
    "LAST_BITS",
    "NOT_COMPARED",
    "NOT_RUN",
    "TIE",
    "WRONG",
    "Kernel",
    "Output",
    "States",
    "Subject",
    "Values",
    "asked",
    "copied",
    "enter",
    "named",
    "outputs_of",
    "rounding",
]

Values = dict[str, Any]
States = list[Values]
Judge = Callable[[Values, Values, Values], str]

LAST_BITS = "last bits"
AGREES = ""
TIE = "a tie broken otherwise"
EQUAL_WORTH = "another choice of equal worth"
NOT_COMPARED = "another choice; what follows it was not compared"
WRONG = "wrong"
NOT_RUN = "no answer"
CHOICES = (TIE, EQUAL_WORTH)


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


def _no_rounding(arguments: Values, expected: Values) -> Values:
    return {}


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What somebody's implementation is asked for: a kernel of the contract, or a training.

    A kernel has one state, its results; a training has one for each round.

    Attributes
    ----------
    name : str
        Also the name of the function that somebody's module must have.
    outputs : tuple of Output
        Of a state.
    judge : callable, optional
        ``judge(arguments, expected, state)`` says whether another choice is as good.
    rounding : callable, optional
        ``rounding(arguments, expected)`` returns by name what rounding may change.
    dependent : tuple of str
        Results that are others where another choice of equal worth was made.
    following : callable, optional
        ``following(arguments, state)`` returns the dependent results of somebody's choice.
        Without it they are not compared after another choice.
    follow : callable, optional
        ``follow(arguments, states)`` returns what each state must be after somebody's choices in
        the states before it.
    """

    kind: ClassVar[str]
    name: str
    outputs: tuple[Output, ...]
    judge: Judge | None = None
    rounding: Callable[[Values, Values], Values] = _no_rounding
    dependent: tuple[str, ...] = ()
    following: Callable[[Values, Values], Values] | None = None
    follow: Callable[[Values, States], States] | None = None

    def expected(self, arguments: Values) -> States:
        """Return the states by the reference."""
        raise NotImplementedError

    def problem(self, source: Source) -> tuple[str, Values]:
        """Draw a small problem: what it is about, and its arguments."""
        raise NotImplementedError

    def takes(self) -> list[str]:
        """Return the names of the arguments of somebody's function, in their order."""
        raise NotImplementedError

    def must_have(self) -> tuple[str, ...]:
        """Return the outputs that a state may not leave out."""
        return ()

    def allowed(self, arguments: Values, want: Values) -> tuple[Values, tuple[str, ...]]:
        """Return by name what rounding may change, and for which names this is a bound."""
        return self.rounding(arguments, want), ()

    def ends(self) -> Output:
        """Return what an answer that ends too early or too late differs in."""
        return self.outputs[0]

    def form(self) -> str:
        """Return the source of what it takes and returns."""
        return "refimpl.kernels.contract"


@dataclass(frozen=True, kw_only=True)
class Kernel(Subject):
    """A kernel of the contract.

    Attributes
    ----------
    draw : callable
        ``draw(source, flag)`` returns arguments by name.
    flags : tuple of str
        What a case can be about.
    run : callable
        ``run(module, arguments)`` returns the results by name.
    large : callable, optional
        Returns arguments of 2**16 + 1 rows.
    needs : tuple of str
        Other kernels that make one of its arguments.
    record : bool
        Whether the result is a record that a module may have in a form of its own. Parts that it
        has not are not compared.
    """

    kind: ClassVar[str] = "kernel"
    draw: Callable[[Source, str], Values]
    flags: tuple[str, ...]
    run: Callable[[Any, Values], Values]
    large: Callable[[], Values] | None = None
    needs: tuple[str, ...] = ()
    record: bool = False

    def expected(self, arguments: Values) -> States:
        """Return the results by the reference."""
        return [self.run(refimpl.kernels, copied(arguments))]

    def problem(self, source: Source) -> tuple[str, Values]:
        """Draw a flag and arguments."""
        flag = source.pick(*self.flags)
        return flag, self.draw(source, flag)

    def takes(self) -> list[str]:
        """Return the parameters of the reference's kernel."""
        reference = inspect.signature(getattr(refimpl.kernels, self.name)).parameters
        return [part for part in reference if part != "threads"]

    def must_have(self) -> tuple[str, ...]:
        """Return all but counts; of a record nothing."""
        if self.record:
            return ()
        return tuple(output.name for output in self.outputs if output.agreement != "count")


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
        KERNELS[name] = Kernel(
            name=name,
            outputs=listed,
            draw=draw,
            flags=names,
            run=run or _plain_run(name, listed),
            **more,
        )
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
