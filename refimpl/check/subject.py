"""What the check knows of a kernel or a training: how to draw its arguments, how the reference runs
it, what its results are, and how another choice is judged.

The class of a result says when two numbers agree:

* ``bits``: they are equal; zeros of either sign are, and so is any NaN to another;
* ``digits``: they differ by ``tol`` (2**-40) of the expected number at most, or by what ``within``
  says for the element: the rounding errors of any order of summation;
* ``optimum``: a choice or a place that stands for a least or largest value; another one is as good
  if its value is, which the check of this package computes;
* ``count``: how much was looked at, which no answer depends on.

A kernel has one state, its results; a training has one for each round. The outputs of a state stand
in the order in which the algorithm computes them, so the first that differs belongs to the line
that does.
"""

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np

import refimpl.kernels
from refimpl.check.drawing import Source
from refimpl.check.encoding import encode
from refimpl.kernels.contract import CONTRACT

Values = dict[str, Any]
States = list[Values]
Judge = Callable[[Values, Values, Values], "Kind"]


class Kind(StrEnum):
    """How a result differs from the expected one, the mildest kind first."""

    AGREES = ""
    LAST_BITS = "last bits"
    TIE = "a tie broken otherwise"
    EQUAL_WORTH = "another choice of equal worth"
    NOT_COMPARED = "another choice; what follows it was not compared"
    WRONG = "wrong"
    NOT_RUN = "no answer"


@dataclass(frozen=True)
class Output:
    """A result: its name, the mark of its printed line or another source, and when it agrees."""

    name: str
    source: str
    agreement: str = "bits"
    tol: float = 2.0**-40


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What somebody's implementation is asked for: a kernel of the contract, or a training."""

    kind: ClassVar[str]
    name: str  # also that of the function that somebody's module must have
    takes: tuple[str, ...]  # the arguments of this function, in their order
    outputs: tuple[Output, ...]
    needed: tuple[str, ...] = ()  # the outputs that a state may not leave out
    form: str  # the source of what it takes and returns
    about: str = ""
    loop: str = ""  # the mark of the line that says how many rounds there are
    flags: tuple[str, ...] = ("random",)  # what a case that is drawn can be about
    # draw(source, flag) returns the arguments of a small problem; NoProblemError: none
    draw: Callable[[Source, str], Values]
    # judge(arguments, expected, state) says whether another choice is as good
    judge: Judge | None = None
    # rounding(arguments, expected) returns by name what rounding may change
    rounding: Callable[[Values, Values], Values] = lambda arguments, expected: {}
    # results that are others where another choice of equal worth was made; following(arguments,
    # state) returns those of somebody's choice, else they are not compared after another choice
    dependent: tuple[str, ...] = ()
    following: Callable[[Values, Values], Values] | None = None
    # follow(arguments, states) returns what each state must be after the choices before it
    follow: Callable[[Values, States], States] | None = None
    needs: tuple[str, ...] = ()  # kernels that make one of its arguments

    def allowed(self, arguments: Values, want: Values) -> tuple[Values, tuple[str, ...]]:
        """Return by name what rounding may change, and for which names this is a bound."""
        return self.rounding(arguments, want), ()


@dataclass(frozen=True, kw_only=True)
class Kernel(Subject):
    """A kernel of the contract."""

    kind: ClassVar[str] = "kernel"
    run: Callable[[Any, Values], Values]  # run(module, arguments) returns the results by name
    record: bool = False  # the result is a record that a module may have in a form of its own
    written: tuple[str, ...] = ()  # arguments that are results


@dataclass(frozen=True, kw_only=True)
class Training(Subject):
    """An algorithm of a paper, or a rival."""

    kind: ClassVar[str] = "training"
    run: Callable[[Values], States]

    def allowed(self, arguments: Values, want: Values) -> tuple[Values, tuple[str, ...]]:
        """Return tol / 1024 of the largest element, as what cancels is no digit, and bounds."""
        within: Values = {}
        for output in self.outputs:
            value = want.get(output.name)
            if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
                largest = np.abs(value[np.isfinite(value)]).max(initial=0.0)
                within[output.name] = output.tol / 1024 * float(largest)
        bounds = self.rounding(arguments, want)
        return within | bounds, tuple(bounds)


@dataclass(frozen=True)
class Case:
    """What somebody's implementation is asked, and what is expected of it."""

    subject: Subject
    id: str  # of the vector; "" for a log
    arguments: Values
    expected: States
    encoded: Values | None = None  # the arguments as JSON has them
    flags: tuple[str, ...] = ()
    comment: str = ""

    def question(self) -> Values:
        """Return the object that asks it."""
        return {"id": self.id, self.subject.kind: self.subject.name, "arguments": self.encoded}


def of_reference(subject: Subject, arguments: Values) -> States:
    """Return the reference's states; it warns of nothing."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if isinstance(subject, Training):
            return subject.run(arguments)
        assert isinstance(subject, Kernel)
        return [subject.run(refimpl.kernels, copied(arguments))]


def posed(subject: Subject, source: Source, flag: str) -> Case | None:
    """Return a case that is drawn; None if its arguments make no problem."""
    # A training may refuse what was drawn, such as landmarks of one class.
    try:
        arguments = subject.draw(source, flag)
        expected = of_reference(subject, arguments)
    except (ValueError, LookupError, ArithmeticError):
        if subject.kind == "kernel":
            raise
        return None
    encoded = {name: encode(value) for name, value in arguments.items()}
    return Case(subject, "found by Hypothesis", arguments, expected, encoded, (flag,))


# ---------------------------------------------------------------------------------------- the table

KERNELS: dict[str, Kernel] = {}
"""Every kernel of the contract by its name, filled by :mod:`refimpl.check.subjects`."""
TRAININGS: dict[str, Training] = {}
"""Every training by its name."""


def kernel(
    outputs: str,
    *,
    flags: str = "ties, plain, negative zero, denormals, scales",
    needs: tuple[str, ...] = (),
    record: bool = False,
    over: str = "",
    **more: Any,
) -> Callable[[Callable[[Source, str], Values]], Callable[[Source, str], Values]]:
    """Decorate the function that draws a kernel's arguments; it has the kernel's name."""
    # `over` names the argument over whose entries it adds products, and nothing else.
    listed = _outputs(outputs)
    needed = () if record else tuple(one.name for one in listed if one.agreement != "count")

    def into_table(draw: Callable[[Source, str], Values]) -> Callable[[Source, str], Values]:
        name = draw.__name__
        takes = CONTRACT[name]
        about = getattr(refimpl.kernels, name).__doc__ or ""
        written = tuple(part for part in takes if getattr(takes[part], "written", False))
        if over:
            more["rounding"] = _of_products(name, listed[0].name, over)
        KERNELS[name] = Kernel(
            name=name,
            takes=tuple(takes),
            outputs=listed,
            needed=needed,
            form="refimpl.kernels.contract",
            about=about.partition("\n")[0],
            draw=draw,
            flags=tuple(flag.strip() for flag in flags.split(",")),
            run=_run_of(name, listed, needs, record, written),
            needs=needs,
            record=record,
            written=written,
            **more,
        )
        return draw

    return into_table


def training(
    outputs: str,
    *,
    algorithm: str,
    about: str,
    draw: Callable[[Source], Values],
    takes: tuple[str, ...] = (),
    **more: Any,
) -> Callable[[Callable[..., States]], Callable[..., States]]:
    """Decorate the reference's function of a training, whose name and arguments somebody's has."""
    # `algorithm` is its mark, as PAPER.md has it, or its name; `takes` names arguments behind **.

    def into_table(run: Callable[..., States]) -> Callable[..., States]:
        name = run.__name__
        TRAININGS[name] = Training(
            name=name,
            takes=takes or tuple(inspect.signature(run).parameters),
            outputs=_outputs(outputs),
            form=algorithm,
            about=" ".join(about.split()),
            draw=lambda source, flag: draw(source),
            run=lambda arguments: run(**arguments),
            **more,
        )
        return run

    return into_table


def _outputs(text: str) -> tuple[Output, ...]:
    """Return outputs from ``name source agreement~tol`` with semicolons between them."""
    outputs = []
    for part in text.split(";"):
        name, rest = part.strip().split(" ", 1)
        source, _, last = rest.rpartition(" ")
        agreement, _, tol = last.partition("~")
        outputs.append(Output(name, source, agreement, float(tol) if tol else 2.0**-40))
    return tuple(outputs)


def _run_of(
    name: str,
    outputs: tuple[Output, ...],
    needs: tuple[str, ...],
    record: bool,
    written: tuple[str, ...],
) -> Callable[[Any, Values], Values]:
    """Return how a kernel is run: what it needs is made first, and is its first argument."""
    own = [output.name for output in outputs if output.name not in written]
    first = next(iter(CONTRACT[name]))

    def run(module: Any, arguments: Values) -> Values:
        given = {**arguments, first: _asked(module, needs[0], arguments)} if needs else arguments
        returned = _asked(module, name, given)
        if record:
            return {part: getattr(returned, part, None) for part in own}
        parts = returned if len(own) > 1 else (returned,)[: len(own)]
        if isinstance(parts, tuple | list) and 0 < len(parts) < len(own):  # split_pairs: two parts
            parts = [one for part in parts if isinstance(part, tuple | list) for one in part]
        if not own and returned is not None:
            raise TypeError(f"{name} must return None; got {type(returned).__name__}")
        if not isinstance(parts, tuple | list) or len(parts) != len(own):
            raise TypeError(f"{name} must return {', '.join(own)}; got {type(parts).__name__}")
        results = {part: arguments[part] for part in written if part in arguments}
        return dict(zip(own, parts, strict=True)) | results

    return run


def _asked(module: Any, name: str, arguments: Values) -> Any:
    """Return what a module's kernel returns for arguments by name."""
    given = {part: arguments[part] for part in CONTRACT[name] if part in arguments}
    return call(getattr(module, name), name, given)


def rounding(terms: Any, count: int) -> Any:
    """Return what the order of summation of absolute terms may change, as powers of two."""
    bound = np.asarray(terms, dtype=np.float64) * (count + 4) * 2.0**-51
    with np.errstate(over="ignore", under="ignore"):
        powers = np.ldexp(1.0, np.frexp(bound)[1])
    return np.where(bound > 0, powers, 0.0)


def _of_products(kernel: str, output: str, over: str) -> Callable[[Values, Values], Values]:
    """Return the rounding of sums of products: by the kernel's sums of absolute values."""

    def bounds(arguments: Values, expected: Values) -> Values:
        parts = {
            name: np.abs(part).astype(np.float64) if part.dtype.kind == "f" else part
            for name, part in arguments.items()
        }
        sums = KERNELS[kernel].run(refimpl.kernels, parts)[output]
        return {output: rounding(sums, len(arguments[over]))}

    return bounds


def copied(arguments: Mapping[str, Any]) -> Values:
    """Return arguments for one call, arrays copied."""
    return {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in arguments.items()
    }


# ---------------------------------------------------------------------- calling somebody's function


class FormError(TypeError):
    """The function does not take the arguments, or returns no rounds."""


def call(function: Callable[..., Any], name: str, arguments: Mapping[str, Any]) -> Any:
    """Return what a function returns for arguments by name, or in their order by other names."""
    if _binds(function, **arguments):
        return function(**arguments)
    if in_order(function, list(arguments)):
        return function(*arguments.values())
    raise FormError(
        f"{name} must take {', '.join(arguments)}, by name or in this order; "
        f"got {name}{inspect.signature(function)}"
    )


def in_order(function: Callable[..., Any], names: Sequence[str]) -> bool:
    """Whether a function gets arguments of these names in their order: it has other names."""
    if _binds(function, **dict.fromkeys(names)) or not _binds(function, *names):
        return False
    own = list(inspect.signature(function).parameters)
    return all(own.index(name) == place for place, name in enumerate(names) if name in own)


def _binds(function: Callable[..., Any], *places: Any, **names: Any) -> bool:
    """Whether a function takes arguments; compiled ones without a signature are believed to."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*places, **names)
    except TypeError:
        return False
    return True
