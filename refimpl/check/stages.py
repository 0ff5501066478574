"""Compare somebody's training with the reference, round by round.

Not handled here: where the rounds come from (a module, a log, a program).
"""

import dataclasses
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from refimpl.check.comparing import FORM_ERRORS, Difference, Fault, compare_outputs, worst
from refimpl.check.encoding import decode, plain
from refimpl.check.files import VectorError, load
from refimpl.check.kernel import (
    AGREES,
    EQUAL_WORTH,
    NOT_COMPARED,
    NOT_RUN,
    TIE,
    WRONG,
    Output,
    Values,
)
from refimpl.check.parts import Compared, renamed, unknown_part
from refimpl.check.running import UNWATCHED, Watch, raised
from refimpl.check.trainings import TRAININGS, Training

__all__ = [
    "decoded_trainings",
    "difference_in",
    "first_fault",
    "listing",
    "own_trainings",
    "signatures",
    "training_differences",
]

CHOICES = (TIE, EQUAL_WORTH)


def first_fault(
    training: Training, arguments: Values, expected: list[Values], got: list[Values]
) -> tuple[int, Fault] | None:
    """Return the worst fault of all rounds, the first of several, and its round, counted from 1.

    The result is None if every round agrees. Where the check cannot follow somebody's choices, the
    comparison ends at a choice that is as good, and the fault says so.
    """
    if training.follow is not None:
        expected = training.follow(arguments, got)
    faults: list[tuple[int, Fault]] = []
    for number, (want, state) in enumerate(zip(expected, got, strict=False), start=1):
        fault = _round_fault(training, arguments, want, state)
        if fault is None:
            continue
        if fault.kind in CHOICES and training.follow is None:
            fault = _uncompared(training, fault, state, number, max(len(expected), len(got)))
        faults.append((number, fault))
        if fault.kind in (WRONG, NOT_COMPARED):
            break  # the rounds after it may follow from it
    else:
        faults += _other_number(training, len(expected), len(got))
    first = worst([fault for _, fault in faults])
    return next((item for item in faults if item[1] is first), None)


def _other_number(training: Training, expected: int, got: int) -> list[tuple[int, Fault]]:
    """Return the fault of a training that ends too early or too late."""
    if got == expected:
        return []
    words = f"{got} rounds; {expected} expected"
    if got < expected:
        words = f"the training ended after {got} of {expected} rounds"
    return [(min(expected, got) + 1, Fault(WRONG, training.ends(), words))]


def _uncompared(training: Training, fault: Fault, got: Values, number: int, rounds: int) -> Fault:
    """Return a choice's fault that says what was not compared because it hangs on the choice."""
    parts = [name for name in training.dependent if name in got]
    if number < rounds:
        parts.append(f"rounds {number + 1} to {rounds}")
    if not parts:
        return fault
    words = f"{fault.words}, {fault.kind}; not compared: {', '.join(parts)}"
    return Fault(NOT_COMPARED, fault.output, words)


def _round_fault(training: Training, arguments: Values, want: Values, got: Values) -> Fault | None:
    """Return the worst fault of a round, the first of several."""
    known = {output.name for output in training.outputs}
    if not known.intersection(got):
        return Fault(WRONG, training.outputs[0], f"a round must have one of {sorted(known)}")
    for output in training.outputs:
        if output.name in got and got[output.name] is None and want.get(output.name) is not None:
            return Fault(WRONG, output, f"{output.name} must be a result; got None")
    cancelled = _cancelled(training, want)
    bounds = training.rounding(arguments, want)
    faults = compare_outputs(training.outputs, want, got, cancelled | bounds, bounds)
    chosen = {fault.output.name for fault in faults if fault.judged()}
    verdict = None
    if chosen and training.judge is not None:
        try:
            verdict = training.judge(arguments, want, {**want, **got})
        except FORM_ERRORS:
            verdict = WRONG
    judged = []
    for fault in faults:
        kind = fault.kind
        if verdict is not None and fault.output.name in chosen:
            kind = verdict
        elif verdict in CHOICES and training.follow is None and not fault.final:
            kind = AGREES if fault.output.name in training.dependent else kind
        if kind != AGREES:
            judged.append(dataclasses.replace(fault, kind=kind))
    first = worst(judged)
    return None if first is None else _with_missing(training, first, got)


def _with_missing(training: Training, fault: Fault, got: Values) -> Fault:
    """Return a fault that says which parts before it the round lacks: the cause may be there."""
    names = [output.name for output in training.outputs]
    missing = [name for name in names[: names.index(fault.output.name)] if name not in got]
    if fault.kind != WRONG or fault.final or not missing:
        return fault
    words = f"{fault.words}; an earlier line may be the cause: the round has no "
    return Fault(fault.kind, fault.output, words + ", ".join(missing))


def _with_unknown(
    training: Training, found: tuple[int, Fault] | None, expected: list[Values], got: list[Values]
) -> tuple[int, Fault] | None:
    """Return the fault, or that of a part that nobody knows: it may be misspelt."""
    unknown = unknown_part(training, expected, got)
    if unknown is None:
        return found
    number, output, words = unknown
    if found is not None and found[1].kind == WRONG:
        more = f"{found[1].words}; round {number}: {words}"
        return found[0], dataclasses.replace(found[1], words=more)
    return number, Fault(WRONG, output, words)


def _written(training: Training, arguments: Values, given: Values) -> tuple[int, Fault] | None:
    """Return the fault of a training that wrote to an argument."""
    for name, value in arguments.items():
        if isinstance(value, np.ndarray) and value.tobytes() != given[name].tobytes():
            words = f"the training wrote to its argument {name}"
            return 0, Fault(WRONG, Output(name, training.algorithm), words)
    return None


def _cancelled(training: Training, want: Values) -> Values:
    """Return tol / 1024 times the largest element of each array: what cancels is no digit."""
    within = {}
    for output in training.outputs:
        value = want.get(output.name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
            largest = np.abs(value[np.isfinite(value)]).max(initial=0.0)
            within[output.name] = output.tol / 1024 * float(largest)
    return within


def decoded_trainings(where: Path, name: str) -> list[tuple[dict[str, Any], Values, list[Values]]]:
    """Return each case of a training's file with its arguments and the states of its rounds."""
    cases = []
    for case in load(where, "trainings", name)["cases"]:
        try:
            arguments = {key: plain(decode(value)) for key, value in case["arguments"].items()}
            states = [decode(state) for state in case["expected"]]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise VectorError(f"{case['id']} cannot be read: {error}") from error
        cases.append((case, arguments, states))
    return cases


def own_trainings(module: Any) -> list[str]:
    """Return the trainings for which a module has a function of this name."""
    return [name for name in TRAININGS if callable(getattr(module, name, None))]


def listing(where: Path, examples: int) -> str:
    """Return a table of the functions that a module may have."""
    rows = [("function", "algorithm", "vectors", "random examples")]
    for name, training in TRAININGS.items():
        parts = [re.sub("_[01]$", "_C", part) for part in training.cases()[0].arguments]
        taken = f"{name}({', '.join(dict.fromkeys(parts))})"
        count = len(load(where, "trainings", name)["cases"])
        rows.append((taken, training.algorithm, str(count), str(examples)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(part.ljust(width) for part, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, "", "--only NAME says what a function takes and returns"])


def signatures(names: list[str]) -> list[str]:
    """Return what the functions take and return, a paragraph each."""
    texts = []
    for name in names:
        training = TRAININGS[name]
        arguments = training.cases()[0].arguments
        taken = "; ".join(f"{part}: {_form(value)}" for part, value in arguments.items())
        given = ", ".join(f"{output.name} ({output.source})" for output in training.outputs)
        texts.append(
            f"{name}({', '.join(arguments)})\n  {training.about}.\n"
            f"  In the first vector: {taken}.\n"
            f"  It returns a list: for each round a dict with some of {given}.\n"
        )
    return texts


def _form(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return repr(value)


def training_differences(
    answer: Callable[[str, Values], Any],
    where: Path,
    names: list[str],
    progress: Callable[[str, int], None],
    watch: Watch = UNWATCHED,
    compared: Compared | None = None,
) -> list[Difference]:
    """Return what differs on the trainings' vectors; ``answer(name, arguments)`` runs one.

    `compared` is told which parts the rounds have.
    """
    differences = []
    for name in names:
        cases = decoded_trainings(where, name)
        for case, arguments, expected in cases:
            with watch.case(name, case):
                difference = difference_in(
                    TRAININGS[name], case, arguments, expected, answer, compared
                )
            if difference is not None:
                differences.append(difference)
                watch.differs(difference)
        progress(name, len(cases))
    return differences


def difference_in(
    training: Training,
    case: dict[str, Any],
    arguments: Values,
    expected: list[Values],
    answer: Callable[[str, Values], Any],
    compared: Compared | None = None,
) -> Difference | None:
    """Return what differs in one case, or None; `compared` is told the parts of the rounds."""
    given = {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in arguments.items()
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = list(answer(training.name, given))
            if not all(isinstance(state, dict) for state in got):
                raise TypeError(f"{training.name} must return a dict for each round")
    except (Exception, SystemExit) as error:
        found: tuple[int, Fault] | None = (0, Fault(NOT_RUN, training.outputs[0], raised(error)))
    else:
        got = [renamed(training, state) for state in got]
        if compared is not None:
            compared.add(training.name, expected, got)
        with np.errstate(all="ignore"):  # the module may have set "raise"
            found = first_fault(training, arguments, expected, got)
        found = _with_unknown(training, found, expected, got)
        if found is None or found[1].kind != WRONG:
            found = _written(training, arguments, given) or found
    if found is None:
        return None
    number, fault = found
    return Difference(
        name=training.name,
        kind=fault.kind,
        output=fault.output.name,
        source=fault.output.source,
        words=f"round {number}: {fault.words}" if number else fault.words,
        id=case["id"],
        flags=tuple(case["flags"]),
        comment=case.get("comment", ""),
        arguments=case["arguments"],
    )
