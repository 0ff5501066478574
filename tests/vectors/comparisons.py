"""Hold the results of a kernel or a training against those of its oracle.

An oracle takes the arguments by name, arrays as lists and records as dicts, and returns the results
that it knows. They must be equal; those that it gives as :func:`near` may be off by rounding. An
oracle that takes ``out`` gets the results, too: what is open it takes from there, and what it only
knows in part it asserts.
"""

import dataclasses
import inspect
import math
from typing import Any, NamedTuple

import numpy as np

ORACLES = {}
MANY = 2000
"""Rows from which the oracles' loops take minutes."""


def oracle(function):
    """Enter an oracle under the name of its kernel or training."""
    ORACLES[function.__name__] = function
    return function


class Near(NamedTuple):
    """A value up to rounding, and the size of the terms that it is a sum of."""

    value: Any
    size: Any


def near(value, size=0.0):
    """Return a value for which rounding is allowed."""
    return Near(value, size)


def summed(terms):
    """Return the sums of nested lists of terms; a tuple holds the terms of one sum."""
    return near(_sums(terms, float), _sums(terms, abs))


def _sums(terms, part):
    if isinstance(terms, tuple):
        return math.fsum(map(part, terms))
    return [_sums(one, part) for one in terms]


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


def verify(name, arguments, expected):
    """Raise AssertionError if an oracle says otherwise."""
    function, out = ORACLES[name], plain(expected)
    given = {"out": out} if "out" in inspect.signature(function).parameters else {}
    known = function(**given, **plain(arguments))
    if isinstance(known, dict):
        known, out = [known], [out]
    assert len(known) == len(out), (name, len(known), len(out))
    for want, got in zip(known, out, strict=True):
        for part, value in want.items():
            require_equal(f"{name}: {part}", got[part], value)


def require_equal(where, got, want):
    """Raise AssertionError unless two results are equal, or near where that is allowed."""
    if not isinstance(want, Near):
        assert got == want, (where, got, want)
        return
    got, value = np.asarray(got, dtype=float), np.asarray(want.value, dtype=float)
    assert got.size == value.size, (where, got.shape, value.shape)
    value = value.reshape(got.shape)
    bound = 1e-10 * np.abs(value) + 1e-11 * np.asarray(want.size, dtype=float)
    with np.errstate(invalid="ignore"):
        assert ((got == value) | (np.abs(got - value) <= bound)).all(), (where, got, value)
