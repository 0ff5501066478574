"""Compare each result with the expected one, and name the difference.

Not handled here: whether another choice is as good (:mod:`refimpl.check.stages`).
"""

import dataclasses
import math
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from refimpl.check.encoding import Digest, fold
from refimpl.check.subject import (
    EQUAL_WORTH,
    LAST_BITS,
    NOT_COMPARED,
    NOT_RUN,
    TIE,
    WRONG,
    Output,
    Values,
)

__all__ = ["Difference", "Fault", "Odd", "compare_outputs", "numbers_fault", "worst"]

SEVERITY = (LAST_BITS, TIE, EQUAL_WORTH, NOT_COMPARED, WRONG, NOT_RUN)
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
    """What is wrong with one result.

    Attributes
    ----------
    kind : str
        "last bits", "a tie broken otherwise", "another choice of equal worth", "wrong", "no
        answer".
    output : Output
    words : str
        Where, what was expected, and what came.
    final : bool
        Whether no judge can call the result as good: it is no choice at all.
    """

    kind: str
    output: Output
    words: str
    final: bool = False

    def judged(self) -> bool:
        """Whether another choice may be as good."""
        return self.output.agreement == "optimum" and not self.final


@dataclass(frozen=True)
class Difference:
    """A difference of somebody's implementation from the reference, as it is reported.

    Attributes
    ----------
    name : str
        The kernel or algorithm.
    kind, output, source, words : str
        As in :class:`Fault`; `source` is the mark of the printed line, or the source.
    id : str
        The vector's id; "found by Hypothesis" for a case that no vector has.
    flags : tuple of str
    comment : str
        What the vector is about.
    arguments : object
        The input, as JSON has it.
    """

    name: str
    kind: str
    output: str
    source: str
    words: str
    id: str = ""
    flags: tuple[str, ...] = ()
    comment: str = ""
    arguments: Any = field(default=None, repr=False)

    def as_json(self) -> dict[str, Any]:
        """Return the fields for ``--json``."""
        return dataclasses.asdict(self)


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
    """Return the faults of all results by themselves, in their order.

    `bounds` names the results whose `within` is a bound: no error above it is one of last bits.
    """
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
        return Fault(WRONG, output, f"{output.name} must be an array; got {result.words}")
    if isinstance(expected, Digest):
        return _digest_fault(output, expected, result)
    want, got = np.asarray(expected), np.asarray(result)
    if got.shape != want.shape:
        words = f"{output.name} must be of shape {want.shape}; got {got.shape}"
        return Fault(WRONG, output, words)
    if got.dtype.kind not in "biuf" and want.dtype.kind in "biuf":
        words = f"{output.name} must be of dtype {want.dtype}; got {got.dtype}"
        return Fault(WRONG, output, words)
    if want.dtype.kind in "SU":
        same = bool((want == got).all())
        return None if same else Fault(WRONG, output, f"{output.name}: {want} expected; got {got}")
    if want.dtype.kind in "biu" and got.dtype.kind == "f" and not (got == np.floor(got)).all():
        other = float(got[got != np.floor(got)][0])
        words = f"{output.name} must hold whole numbers; got {other!r}"
        return Fault(WRONG, output, words, final=True)
    kind, place = numbers_fault(want, got, output, within, wider)
    if kind is None:
        return None
    at = f"[{', '.join(map(str, place))}]" if place else ""
    a, b = _said(want[place]), _said(got[place])
    words = f"{output.name}{at}: {a} expected; got {b}"
    if kind == WRONG and want.dtype.kind == "f" and _single(want[place], got[place]):
        words += ", as if computed in float32"
    if output.agreement == "count":
        kind = EQUAL_WORTH
    return Fault(kind, output, words)


def _said(value: Any) -> str:
    return repr(float(value)) if value.dtype.kind == "f" else str(value)


def _single(want: Any, got: Any) -> bool:
    want, got = float(want), float(got)
    return math.isfinite(want) and 0 < abs(want - got) <= 2.0**-20 * abs(want)


def _digest_fault(output: Output, expected: Digest, result: Any) -> Fault | None:
    got = np.asarray(result)
    if got.dtype.kind not in "biuf":
        return Fault(WRONG, output, f"{output.name} must be numbers; got {got.dtype}")
    with np.errstate(invalid="ignore", over="ignore"):
        elements = got.astype(expected.dtype)
    exact = bool(((elements == got) | (elements != elements)).all())  # 0.5 is no integer
    if got.shape == expected.shape and exact and fold(elements) == expected.value:
        return None
    words = f"{output.name}, of shape {expected.shape}, has another digest; its shape is " + (
        f"{got.shape}"
    )
    return Fault(WRONG, output, words)


def numbers_fault(
    want: Any, got: Any, output: Output, within: Any = 0.0, wider: float = WIDER
) -> tuple[str | None, tuple[int, ...]]:
    """Return the kind of the worst difference of two arrays of one shape, and its place.

    An integer may come as a float of the same value, and a float as an integer.
    """
    if want.dtype.kind != "f":
        different = want != got
        if not np.any(different):
            return None, ()
        return WRONG, tuple(int(i) for i in np.argwhere(different)[0])
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
    for kind, places in ((WRONG, far & outside), (LAST_BITS, outside)):
        if places.any():
            return kind, tuple(int(i) for i in np.argwhere(places)[0])
    return None, ()
