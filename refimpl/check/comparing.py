"""The one judge: compare the states of a kernel or a training with the expected ones.

A state agrees, or differs in last bits, by a tie, by another choice of equal worth, or is wrong.
What follows from a choice is compared after it where the check can follow it.
"""

import dataclasses
import math
from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from refimpl.check.judging import FORM_ERRORS
from refimpl.check.subject import Case, Kind, Output, States, Subject, Values

SEVERITY = list(Kind)
SINGLE = 2.0**-28
"""Errors above this share of a number are no last bits; float32 gives such errors."""
WIDER = 2.0**12
"""Times what rounding may change: errors above it are no last bits."""


@dataclass(frozen=True)
class Odd:
    """A result that is no array of numbers or texts, by what it is."""

    words: str


@dataclass(frozen=True)
class Fault:
    """What is wrong with one result: its kind, and where, what was expected and what came."""

    kind: Kind
    output: Output
    words: str
    final: bool = False  # no judge can call the result as good: it is no choice at all

    def judged(self) -> bool:
        """Whether another choice may be as good."""
        return self.output.agreement == "optimum" and not self.final


@dataclass(frozen=True)
class Difference:
    """A difference of somebody's implementation from the reference, as it is reported."""

    name: str  # of the kernel or algorithm
    kind: Kind
    output: str
    source: str  # the mark of the printed line, or the source
    words: str
    id: str = ""  # of the vector; "found by Hypothesis" for a case that no vector has
    flags: tuple[str, ...] = ()
    comment: str = ""
    arguments: Any = field(default=None, repr=False)  # as JSON has them


def worst(faults: list[Fault]) -> Fault | None:
    """Return the first of the worst faults, or None."""
    ranked = sorted(faults, key=lambda fault: -SEVERITY.index(fault.kind))  # stable
    return ranked[0] if ranked else None


def compare_outputs(
    outputs: tuple[Output, ...],
    want: Values,
    got: Values,
    within: Values,
    bounds: Container[str] = (),
) -> list[Fault]:
    """Return the faults of all results; `bounds` names those whose `within` is no estimate."""
    faults = []
    for output in outputs:
        expected, result = want.get(output.name), got.get(output.name)
        if result is None or expected is None:
            continue  # a record of the module's own kind
        wider = 1.0 if output.name in bounds else WIDER
        fault = value_fault(output, expected, result, within.get(output.name, 0.0), wider)
        if fault is not None:
            faults.append(fault)
    return faults


def value_fault(
    output: Output, expected: Any, result: Any, within: Any, wider: float = WIDER
) -> Fault | None:
    """Return what is wrong with one result, or None."""
    if isinstance(result, Odd):
        return Fault(Kind.WRONG, output, f"{output.name} must be an array; got {result.words}")
    want, got = np.asarray(expected), np.asarray(result)
    if got.shape != want.shape:
        words = f"{output.name} must be of shape {want.shape}; got {got.shape}"
        return Fault(Kind.WRONG, output, words)
    if got.dtype.kind not in "biuf" and want.dtype.kind in "biuf":
        words = f"{output.name} must be of dtype {want.dtype}; got {got.dtype}"
        return Fault(Kind.WRONG, output, words)
    if want.dtype.kind in "SU":
        same = bool((want == got).all())
        words = f"{output.name}: {want} expected; got {got}"
        return None if same else Fault(Kind.WRONG, output, words)
    if want.dtype.kind in "biu" and got.dtype.kind == "f" and not (got == np.floor(got)).all():
        other = float(got[got != np.floor(got)][0])
        words = f"{output.name} must hold whole numbers; got {other!r}"
        return Fault(Kind.WRONG, output, words, final=True)
    kind, place = numbers_fault(want, got, output, within, wider)
    if kind is None:
        return None
    at = f"[{', '.join(map(str, place))}]" if place else ""
    a, b = _said(want[place]), _said(got[place])
    words = f"{output.name}{at}: {a} expected; got {b}"
    if kind == Kind.WRONG and want.dtype.kind == "f" and _single(want[place], got[place]):
        words += ", as if computed in float32"
    if output.agreement == "count":
        kind = Kind.EQUAL_WORTH
    return Fault(kind, output, words)


def _said(value: Any) -> str:
    return repr(float(value)) if value.dtype.kind == "f" else str(value)


def _single(want: Any, got: Any) -> bool:
    want, got = float(want), float(got)
    return math.isfinite(want) and 0 < abs(want - got) <= 2.0**-20 * abs(want)


def numbers_fault(
    want: Any, got: Any, output: Output, within: Any = 0.0, wider: float = WIDER
) -> tuple[Kind | None, tuple[int, ...]]:
    """Return the kind of the worst difference of two arrays of one shape, and its place."""
    if want.dtype.kind != "f":
        different = want != got
        if not np.any(different):
            return None, ()
        return Kind.WRONG, tuple(int(i) for i in np.argwhere(different)[0])
    want = np.asarray(want, dtype=np.float64)
    got = np.asarray(got, dtype=np.float64)
    same = (want == got) | (np.isnan(want) & np.isnan(got))
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.where(same, 0.0, np.abs(want - got))
        digits = output.tol * np.abs(want) + within
        allowed = 0.0 if output.agreement in ("bits", "count") else digits
        outside = ~(error <= allowed)
        far = ~(error <= SINGLE * np.abs(want) + wider * np.asarray(within))
    finite = np.isfinite(want) & np.isfinite(got)
    far = (far | ~finite) & ~same
    outside = (outside | ~finite) & ~same
    for kind, places in ((Kind.WRONG, far & outside), (Kind.LAST_BITS, outside)):
        if places.any():
            return kind, tuple(int(i) for i in np.argwhere(places)[0])
    return None, ()


# ------------------------------------------------------------------------------------------- states

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
"""Other names of the parts of a round, and the names of the outputs that they stand for."""


def first_fault(case: Case, got: States) -> tuple[int, Fault] | None:
    """Return the worst fault of all states, the first of several, and its number from 1."""
    subject, arguments, expected = case.subject, case.arguments, case.expected
    with np.errstate(all="ignore"):
        if subject.follow is not None:
            expected = subject.follow(arguments, got)
        most = max(len(expected), len(got))
        faults: list[tuple[int, Fault]] = []
        for number, (want, state) in enumerate(zip(expected, got, strict=False), start=1):
            later = f"rounds {number + 1} to {most}" if number < most else ""
            fault = compare(subject, arguments, want, state, later)
            if fault is None:
                continue
            faults.append((number, fault))
            if fault.kind in (Kind.WRONG, Kind.NOT_COMPARED, Kind.NOT_RUN):
                break  # the states after it may follow from it
        else:
            faults += _other_number(subject, len(expected), len(got))
    first = worst([fault for _, fault in faults])
    return next((item for item in faults if item[1] is first), None)


def ends(subject: Subject) -> Output:
    """Return what an answer that ends too early or too late differs in."""
    return Output("rounds", subject.loop or subject.outputs[0].source)


def _other_number(subject: Subject, expected: int, got: int) -> list[tuple[int, Fault]]:
    """Return the fault of a training that ends too early or too late."""
    if got == expected:
        return []
    words = f"{got} rounds; {expected} expected"
    if got < expected:
        words = f"the training ended after {got} of {expected} rounds"
    if subject.kind == "kernel":
        words = f"the result must be an object; got a list of {got}"
    return [(min(expected, got) + 1, Fault(Kind.WRONG, ends(subject), words))]


def compare(
    subject: Subject, arguments: Values, want: Values, got: Values, later: str = ""
) -> Fault | None:
    """Return the worst fault of a state; `later` says what else follows from its choices."""
    fault = _form_fault(subject, want, got)
    if fault is not None:
        return fault
    within, bounds = subject.allowed(arguments, want)
    faults = compare_outputs(subject.outputs, want, got, within, bounds)
    if subject.judge is not None and any(fault.judged() for fault in faults):
        try:
            verdict = subject.judge(arguments, want, {**want, **got})
        except FORM_ERRORS:
            verdict = Kind.WRONG
        faults = [
            dataclasses.replace(fault, kind=verdict) if fault.judged() else fault
            for fault in faults
            if verdict != Kind.AGREES or not fault.judged()
        ]
        if verdict in (Kind.TIE, Kind.EQUAL_WORTH) and subject.follow is None:
            faults = _after_a_choice(subject, arguments, want, got, faults, later)
    return _with_missing(subject, worst(faults), want, got)


def _form_fault(subject: Subject, want: Values, got: Values) -> Fault | None:
    """Return the fault of a state that lacks what it must have."""
    known = [output.name for output in subject.outputs]
    for output in subject.outputs:
        if output.name in subject.needed and output.name not in got:
            return Fault(Kind.NOT_RUN, output, f"the result lacks {output.name}")
        lacking = output.name in got and got[output.name] is None
        if lacking and want.get(output.name) is not None:
            return Fault(Kind.WRONG, output, f"{output.name} must be a result; got None")
    if not set(known).intersection(got):
        words = f"a {'round' if subject.kind == 'training' else 'result'} must have one of"
        return Fault(Kind.WRONG, subject.outputs[0], f"{words} {sorted(known)}")
    return None


def _after_a_choice(
    subject: Subject, arguments: Values, want: Values, got: Values, faults: list[Fault], later: str
) -> list[Fault]:
    """Return the faults beside a choice that is as good, and what was not compared after it."""
    hang = [one for one in faults if one.output.name in subject.dependent and not one.judged()]
    faults = [one for one in faults if one not in hang]
    if subject.following is not None:
        wanted = {**want, **subject.following(arguments, got)}
        outputs = tuple(one for one in subject.outputs if one.name in subject.dependent)
        found = compare_outputs(outputs, wanted, got, subject.allowed(arguments, want)[0])
        faults += [one for one in found if one.output.agreement != "count"]
        hang = []
    names = [one.output.name for one in hang if one.output.agreement != "count"]
    names += [later] if later else []
    not_compared = f"not compared: {', '.join(names)}"
    return [
        dataclasses.replace(
            one, kind=Kind.NOT_COMPARED, words=f"{one.words}, {one.kind}; {not_compared}"
        )
        if names and one.judged()
        else one
        for one in faults
    ]


def _with_missing(subject: Subject, fault: Fault | None, want: Values, got: Values) -> Fault | None:
    """Return a fault that says which parts before it the state lacks: the cause may be there."""
    if fault is None or fault.kind != Kind.WRONG or fault.final:
        return fault
    names = [output.name for output in subject.outputs]
    before = names[: names.index(fault.output.name)]
    missing = [name for name in before if name in want and name not in got]
    if not missing:
        return fault
    words = f"{fault.words}; an earlier line may be the cause: the round has no "
    return dataclasses.replace(fault, words=words + ", ".join(missing))


# ------------------------------------------------------------------------------- parts of a round


def renamed(known: Collection[str], state: Values) -> Values:
    """Return a state by known names of its parts; of two names of a part the known one is right."""
    named: Values = {}
    for name, part in state.items():
        other = NAMES.get(name, name)
        is_alias = name not in known and other in known and other not in state
        named[other if is_alias else name] = part
    return named


def _with_unknown(
    case: Case, found: tuple[int, Fault] | None, got: States
) -> tuple[int, Fault] | None:
    """Return the fault, or that of a part that neither outputs nor vectors have: a misspelt one."""
    known = [output.name for output in case.subject.outputs]
    beside = {name for state in case.expected for name in state}.union(known)
    for number, state in enumerate(got, start=1):
        unknown = [name for name in state if name not in beside]
        if not unknown:
            continue
        names = ", ".join(map(repr, unknown))
        words = f"unknown part {names}; the parts are {', '.join(known)}"
        if found is not None and found[1].kind == Kind.WRONG:
            more = f"{found[1].words}; round {number}: {words}"
            return found[0], dataclasses.replace(found[1], words=more)
        return number, Fault(Kind.WRONG, Output(unknown[0], case.subject.form), words)
    return found


def difference_of(case: Case, got: States, wrote: Sequence[str] = ()) -> Difference | None:
    """Return what differs in a case, or None; `wrote` are the arguments that were changed."""
    subject = case.subject
    if subject.kind == "training":
        known = [output.name for output in subject.outputs]
        got = [renamed(known, state) for state in got]
    found = first_fault(case, got)
    if subject.kind == "training":
        found = _with_unknown(case, found, got)
    if wrote and (found is None or found[1].kind != Kind.WRONG):
        words = f"the {subject.kind} wrote to its argument {wrote[0]}"
        found = 0, Fault(Kind.WRONG, Output(wrote[0], subject.form), words)
    if found is None:
        return None
    number, fault = found
    if subject.kind == "training" and number:
        fault = dataclasses.replace(fault, words=f"round {number}: {fault.words}")
    return reported(case, fault)


def reported(case: Case, fault: Fault) -> Difference:
    """Return the difference of a case as it is reported."""
    return Difference(
        case.subject.name,
        fault.kind,
        fault.output.name,
        fault.output.source,
        fault.words,
        case.id,
        case.flags,
        case.comment,
        case.encoded,
    )
