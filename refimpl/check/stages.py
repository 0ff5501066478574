"""The one judge: compare the states of a kernel or a training with the expected ones.

A state agrees, or differs in last bits, by a tie, by another choice of equal worth, or is wrong.
What follows from a choice is compared after it where the check can follow it.

Not handled here: single results (:mod:`refimpl.check.comparing`), where the states come from (a
program, a log).
"""

import dataclasses
from typing import Any

import numpy as np

from refimpl.check.comparing import Difference, Fault, compare_outputs, worst
from refimpl.check.encoding import Digest
from refimpl.check.judging import FORM_ERRORS
from refimpl.check.subject import (
    AGREES,
    CHOICES,
    NOT_COMPARED,
    NOT_RUN,
    WRONG,
    Output,
    States,
    Subject,
    Values,
)

__all__ = ["NAMES", "compare", "difference_of", "first_fault", "renamed", "reported"]

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


def first_fault(
    subject: Subject, arguments: Values, expected: States, got: States
) -> tuple[int, Fault] | None:
    """Return the worst fault of all states, the first of several, and its number from 1.

    The result is None if every state agrees. Where the check cannot follow somebody's choices, the
    comparison ends at a choice that is as good, and the fault says so.
    """
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
            if fault.kind in (WRONG, NOT_COMPARED, NOT_RUN):
                break  # the states after it may follow from it
        else:
            faults += _other_number(subject, len(expected), len(got))
    first = worst([fault for _, fault in faults])
    return next((item for item in faults if item[1] is first), None)


def _other_number(subject: Subject, expected: int, got: int) -> list[tuple[int, Fault]]:
    """Return the fault of a training that ends too early or too late."""
    if got == expected:
        return []
    words = f"{got} rounds; {expected} expected"
    if got < expected:
        words = f"the training ended after {got} of {expected} rounds"
    return [(min(expected, got) + 1, Fault(WRONG, subject.ends(), words))]


def compare(
    subject: Subject, arguments: Values, want: Values, got: Values, later: str = ""
) -> Fault | None:
    """Return the worst difference of a state from the expected one, the first of several.

    `later` says what else follows from the choices of this state.
    """
    fault = _form_fault(subject, want, got)
    if fault is not None:
        return fault
    full = not any(isinstance(value, Digest) for value in want.values())
    within, bounds = subject.allowed(arguments, want) if full else ({}, ())
    faults = compare_outputs(subject.outputs, want, got, within, bounds)
    if full and subject.judge is not None and any(fault.judged() for fault in faults):
        try:
            verdict = subject.judge(arguments, want, {**want, **got})
        except FORM_ERRORS:
            verdict = WRONG
        faults = [
            dataclasses.replace(fault, kind=verdict) if fault.judged() else fault
            for fault in faults
            if verdict != AGREES or not fault.judged()
        ]
        if verdict in CHOICES and subject.follow is None:
            faults = _after_a_choice(subject, arguments, want, got, faults, later)
    return _with_missing(subject, worst(faults), want, got)


def _form_fault(subject: Subject, want: Values, got: Values) -> Fault | None:
    """Return the fault of a state that lacks what it must have."""
    known = [output.name for output in subject.outputs]
    for output in subject.outputs:
        if output.name in subject.must_have() and output.name not in got:
            return Fault(NOT_RUN, output, f"the result lacks {output.name}")
        lacking = output.name in got and got[output.name] is None
        if lacking and want.get(output.name) is not None:
            return Fault(WRONG, output, f"{output.name} must be a result; got None")
    if not set(known).intersection(got):
        words = f"a {'round' if subject.kind == 'training' else 'result'} must have one of"
        return Fault(WRONG, subject.outputs[0], f"{words} {sorted(known)}")
    return None


def _after_a_choice(
    subject: Subject, arguments: Values, want: Values, got: Values, faults: list[Fault], later: str
) -> list[Fault]:
    """Return the faults beside a choice that is as good.

    What depends on the choice is compared with what follows from it, or said not to be compared.
    """
    chosen = [fault for fault in faults if fault.judged()]
    hangs = [
        fault
        for fault in faults
        if fault.output.name in subject.dependent and not fault.final and not fault.judged()
    ]
    others = [fault for fault in faults if fault not in chosen and fault not in hangs]
    names = [fault.output.name for fault in hangs if fault.output.agreement != "count"]
    if subject.following is not None:
        wanted = {**want, **subject.following(arguments, got)}
        outputs = tuple(one for one in subject.outputs if one.name in subject.dependent)
        found = compare_outputs(outputs, wanted, got, subject.allowed(arguments, want)[0])
        others += [fault for fault in found if fault.output.agreement != "count"]
        names = []
    names += [later] if later else []
    if names:
        chosen = [
            dataclasses.replace(
                one,
                kind=NOT_COMPARED,
                words=f"{one.words}, {one.kind}; not compared: {', '.join(names)}",
            )
            for one in chosen
        ]
    return others + chosen


def _with_missing(subject: Subject, fault: Fault | None, want: Values, got: Values) -> Fault | None:
    """Return a fault that says which parts before it the state lacks: the cause may be there."""
    if fault is None or fault.kind != WRONG or fault.final:
        return fault
    names = [output.name for output in subject.outputs]
    before = names[: names.index(fault.output.name)]
    missing = [name for name in before if name in want and name not in got]
    if not missing:
        return fault
    words = f"{fault.words}; an earlier line may be the cause: the round has no "
    return dataclasses.replace(fault, words=words + ", ".join(missing))


# ------------------------------------------------------------------------------- parts of a round


def renamed(subject: Subject, state: Values) -> Values:
    """Return a state by the names of the subject's outputs."""
    known = {output.name for output in subject.outputs}
    named: Values = {}
    for name, part in state.items():
        other = NAMES.get(name, name)
        is_alias = name not in known and other in known and other not in state
        named[other if is_alias else name] = part
    return named


def _with_unknown(
    subject: Subject, found: tuple[int, Fault] | None, expected: States, got: States
) -> tuple[int, Fault] | None:
    """Return the fault, or that of a part that is no output: it may be misspelt.

    What the vectors hold beside the outputs, such as a proven bound, is known.
    """
    known = [output.name for output in subject.outputs]
    beside = {name for state in expected for name in state}.union(known)
    for number, state in enumerate(got, start=1):
        unknown = [name for name in state if name not in beside]
        if not unknown:
            continue
        names = ", ".join(map(repr, unknown))
        words = f"unknown part {names}; the parts are {', '.join(known)}"
        if found is not None and found[1].kind == WRONG:
            more = f"{found[1].words}; round {number}: {words}"
            return found[0], dataclasses.replace(found[1], words=more)
        return number, Fault(WRONG, Output(unknown[0], subject.form()), words)
    return found


def difference_of(
    subject: Subject,
    case: dict[str, Any],
    arguments: Values,
    expected: States,
    got: States,
    wrote: list[str],
) -> Difference | None:
    """Return what differs in a case, or None; `wrote` are the arguments that were changed."""
    if subject.kind == "training":
        got = [renamed(subject, state) for state in got]
    found = first_fault(subject, arguments, expected, got)
    if subject.kind == "training":
        found = _with_unknown(subject, found, expected, got)
    if wrote and (found is None or found[1].kind != WRONG):
        words = f"the {subject.kind} wrote to its argument {wrote[0]}"
        found = 0, Fault(WRONG, Output(wrote[0], subject.form()), words)
    if found is None:
        return None
    number, fault = found
    if subject.kind == "training" and number:
        fault = dataclasses.replace(fault, words=f"round {number}: {fault.words}")
    return reported(subject.name, fault, case)


def reported(name: str, fault: Fault, case: dict[str, Any]) -> Difference:
    """Return the difference of a case as it is reported."""
    return Difference(
        name=name,
        kind=fault.kind,
        output=fault.output.name,
        source=fault.output.source,
        words=fault.words,
        id=case["id"],
        flags=tuple(case["flags"]),
        comment=case.get("comment", ""),
        arguments=case["arguments"],
    )
