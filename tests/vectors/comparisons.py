"""Hold the results of a kernel or a training against those of its oracle, by the judge of
:mod:`refimpl.check`: they must agree without any difference.

An oracle takes the arguments by name, arrays as lists and records as dicts, and returns the results
that it knows. An oracle that takes ``out`` gets the results, too: what is open it takes from there,
and what it only knows in part it asserts.
"""

import dataclasses
import inspect
import math

import numpy as np

from refimpl.check.comparing import compare_outputs

ORACLES = {}
MANY = 2000
"""Rows from which the oracles' loops take minutes."""

TOL = 1e-10
"""The most by which two computations of one round's state may differ, of its size."""


def oracle(function):
    """Enter an oracle under the name of its kernel or training."""
    ORACLES[function.__name__] = function
    return function


def summed(terms):
    """Return the sums of nested lists of terms; a tuple holds the terms of one sum."""
    return math.fsum(terms) if isinstance(terms, tuple) else [summed(one) for one in terms]


def columns(rows, *names):
    """Return the columns of rows by their names."""
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def tables(rows, *names):
    """Return the columns of several lists of rows, a list for each."""
    return {name: [[one[place] for one in row] for row in rows] for place, name in enumerate(names)}


def joined(rows, starts, *names):
    """Return the columns of several lists of rows, one behind the other, and where each begins."""
    flat = [one for row in rows for one in row]
    return {starts: np.cumsum([0, *map(len, rows)]).tolist(), **columns(flat, *names)}


def plain(value):
    """Return arrays as lists, records as dicts."""
    if dataclasses.is_dataclass(value):
        return {part.name: plain(getattr(value, part.name)) for part in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _digits_only(subject):
    """Return the subject without the room that a training in an order of its own gets."""
    outputs = (dataclasses.replace(one, tol=min(one.tol, TOL)) for one in subject.outputs)
    return dataclasses.replace(subject, outputs=tuple(outputs))


def verify(case):
    """Raise AssertionError if an oracle says otherwise."""
    name, arguments, states = case.subject.name, case.arguments, case.expected
    function, is_kernel = ORACLES[name], case.subject.kind == "kernel"
    given = plain(arguments)
    if "out" in inspect.signature(function).parameters:
        given["out"] = plain(states[0] if is_kernel else states)
    known = [function(**given)] if is_kernel else function(**given)
    assert len(known) == len(states), (name, len(known), len(states))
    subject = _digits_only(case.subject)
    for parts, got in zip(known, states, strict=True):
        # a list without entries does not say how many columns it has
        want = {part: np.reshape(value, np.shape(got[part])) for part, value in parts.items()}
        within, bounds = subject.allowed(arguments, {**got, **want})
        faults = compare_outputs(subject.outputs, want, got, within, bounds)
        assert not faults, (name, faults)
