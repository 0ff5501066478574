"""The cells of a test: what is compared, and the state of each comparison.

Not handled here: how a number is named (`numbers`), and the state of a claim (`judge`).
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from paper_figures.judge.numbers import (
    Missing,
    Number,
    Source,
    Test,
    combined,
    distance,
    find,
    less_published,
    named,
    short,
    words,
)
from paper_figures.judge.reading import fits
from paper_figures.judge.verdicts import names, sure
from paper_figures.study import grid

HOLDS = "holds"
FAILS = "fails"
OPEN = "open"
NOT_TESTABLE = "not testable here"
STATES = (HOLDS, FAILS, OPEN, NOT_TESTABLE)


@dataclass(frozen=True)
class Cell:
    """A comparison that a test makes: its state, and the number compared with the limit."""

    name: str
    state: str
    number: Number | None = None
    missing: str = ""  # what is not there, if the number is not
    keys: Mapping[str, Any] | None = None  # of its rows
    printed: bool | None = None  # whether the paper's own numbers are on the claim's side


@dataclass(frozen=True)
class Part:
    """Cells that are counted together, with the state that they give."""

    test: Test
    cells: tuple[Cell, ...]
    state: str


# --------------------------------------------------------------------------- one comparison


def side(number: Number, limit: float) -> int:
    """Return 1 if a number is above the limit beyond its error, -1 if below, 0 if neither."""
    away, error = distance(number, limit), number.std_error
    if error is None or (error > 0.0 and abs(away) <= sure(number.freedom) * error):
        return 0
    return 1 if away > 0.0 else -1


def state_of(number: Number, test: Test) -> str:
    """Return the state of "the number is as the test says"."""
    kind = test["is"]
    if number.std_error is None:
        return OPEN
    if kind == "as published":
        return HOLDS if side(number, 0.0) == 0 or number.ours == 0.0 else FAILS
    negated, _, direction = kind.rpartition(" ")
    if direction == "near":
        number = replace(number, ours=abs(number.ours))
    sign = 1 if direction == "above" else -1
    towards = replace(number, ours=sign * number.ours)
    limit = sign * test.get("limit", 0.0)
    at = side(towards, limit)
    if direction == "near" and towards.std_error == 0.0 and towards.ours == limit:
        at = 1
    least = limit + test.get("worth", 0.0)
    if "worth" in test and towards.ours < least and side(towards, least) < 0:
        at = -1
    if negated:
        return HOLDS if at <= 0 else FAILS
    state = {1: HOLDS, 0: OPEN, -1: FAILS}[at]
    return OPEN if state == FAILS and test.get("against") == OPEN else state


def compared(source: Source, test: Test, of: Any, over: Any, keys: Mapping[str, Any]) -> Number:
    """Return the number that is compared with the limit."""
    number = find(source, test, of, keys)
    if over is not None:
        number = combined(
            [number, find(source, test, _other({**keys, **named(test, of)}, over), keys)],
            [1.0, -1.0],
        )
    elif test["is"] == "as published":
        number = less_published(number)
    runs = test.get("runs")
    if runs and number.std_error and number.runs and number.runs > runs:
        error = number.std_error * math.sqrt(number.runs / runs)
        number = replace(
            number, std_error=error, runs=runs, freedom=number.freedom * runs / number.runs
        )
    return number


def _other(own: Mapping[str, Any], over: Any) -> Any:
    """Return the table of the number beside, in which "own" is the first one's value of a key."""
    if not isinstance(over, Mapping):
        return over
    return {
        key: {**value, "not": [own[key] if one == "own" else one for one in names(value["not"])]}
        if isinstance(value, Mapping) and "not" in value
        else value
        for key, value in over.items()
    }


def worst(states: Iterable[str]) -> str:
    """Return the state of a claim of several parts."""
    listed = list(states)
    return next((state for state in (FAILS, OPEN, NOT_TESTABLE) if state in listed), HOLDS)


# --------------------------------------------------------------------------- the cells of a test


def cells_of(source: Source, test: Test, not_here: Sequence[Mapping[str, Any]]) -> Iterator[Cell]:
    """Yield the cells of a test, in the order of its keys."""
    away: set[tuple[tuple[str, Any], ...]] = set()
    for keys in _combinations(source, test):
        lacking = next((each for each in not_here if fits(dict(keys), each["rows"])), None)
        if lacking is not None:
            own = {key: keys[key] for key in lacking["rows"]}
            if tuple(own.items()) not in away:
                away.add(tuple(own.items()))
                yield Cell(words(own), NOT_TESTABLE, missing=lacking["why"], keys=keys)
            continue
        for of in _each(test, "of"):
            if "steps" in test:
                yield from _steps(source, test, of, keys)
                continue
            for over in _each(test, "over"):
                yield cell_of(source, test, of, over, keys)


def _steps(source: Source, test: Test, of: Any, keys: Mapping[str, Any]) -> Iterator[Cell]:
    """Yield a cell for each step of a series: a number less the one before it."""
    along = test["steps"]
    values = keys[along]
    if len(values) < 2:
        yield Cell(words({**keys, along: None}), test.get("missing", OPEN), None, "", keys)
    for before, after in itertools.pairwise(values):
        over = {**named(test, of), along: before}
        cell = cell_of(source, test, of, over, {**keys, along: after})
        yield replace(cell, name=f"{words({**keys, along: after})} over {short(before)}")


def _each(test: Test, name: str) -> list[Any]:
    value = test.get(name)
    return value if isinstance(value, list) else [value]


def _combinations(source: Source, test: Test) -> Iterator[dict[str, Any]]:
    axes: dict[str, list[Any]] = {}
    for key, values in test.get("rows", {}).items():
        if values == "*":
            values = _values(source, test, key)
        axes[key] = values if isinstance(values, list) else [values]
        if key == test.get("steps"):
            axes[key] = [axes[key]]
    for keys in grid(**axes):
        left_out = any(fits(keys, some) for some in test.get("without", []))
        if not left_out and _listed(source, test, keys):
            yield keys


def _listed(source: Source, test: Test, keys: Mapping[str, Any]) -> bool:
    """Return whether a figure has a row of these values, of the keys that take all of theirs."""
    free = {key: keys[key] for key, values in test.get("rows", {}).items() if values == "*"}
    if len(free) < 2 or "*" in free.values() or test["figure"] not in source.records:
        return True
    return bool(source.rows(test["figure"], free))


def _values(source: Source, test: Test, key: str) -> list[Any]:
    """Return the values of a key in a figure: those with numbers, unless a cell may lack one."""
    try:
        listed = source.rows(test["figure"], {})
    except Missing:
        return ["*"]  # one cell, which says what is missing
    if "missing" not in test:
        listed = [row for row in listed if row["ours"] is not None]
    found = list(dict.fromkeys(row[key] for row in listed if row.get(key) is not None))
    return (sorted(found) if key == test.get("steps") else found) or ["*"]


def cell_of(source: Source, test: Test, of: Any, over: Any, keys: Mapping[str, Any]) -> Cell:
    numbers: list[tuple[str, Number, bool | None]] = []
    try:
        for rival in test.get("over_all", [over]):
            number = compared(source, test, of, rival, keys)
            numbers.append((state_of(number, test), number, _by_print(number, test)))
        more = [_also(source, test, also, of, keys) for also in test.get("also", [])]
    except Missing as missing:
        name = words({**keys, "of": said_of(of), "over": said_of(over)})
        return Cell(name, test.get("missing", OPEN), None, str(missing), keys)
    state = worst([*(state for state, _, _ in numbers), *more])
    if "missing" in test and any(number.std_error is None for _, number, _ in numbers):
        return Cell(
            numbers[0][1].name, test["missing"], numbers[0][1], "its error is unknown", keys
        )
    number = min(numbers, key=lambda each: (FAILS, OPEN, HOLDS).index(each[0]))[1]
    prints = [said for _, _, said in numbers]
    printed = None if None in prints or more else all(prints)
    name = number.name
    if len(numbers) > 1:
        rivals = " and ".join(said_of(rival) or "" for rival in test["over_all"])
        name = f"{words({**keys, 'of': said_of(of)})} minus {rivals}"
    return Cell(name, state, number, "", keys, printed)


def said_of(table: Any) -> str | None:
    """Say a table of keys in a cell's name; one that computes is not said."""
    if table is None or isinstance(table, str | int):
        return None if table is None else str(table)
    return words({k: v for k, v in table.items() if isinstance(v, str | int)}) or None


def _also(source: Source, test: Test, also: Test, of: Any, keys: Mapping[str, Any]) -> str:
    """Return the state of a further condition of a cell."""
    further = {"figure": test["figure"], "key": test.get("key", "method"), "of": of, **also}
    return state_of(compared(source, further, further["of"], None, keys), further)


def _by_print(number: Number, test: Test) -> bool | None:
    """Return whether the published numbers are on the side that the test asks for."""
    if number.published is None or test["is"] not in ("above", "below"):
        return None
    above = number.published - float(test.get("limit", 0.0))
    return above > 0.0 if test["is"] == "above" else above < 0.0


def counted(cells: Sequence[Cell], need: str | int) -> str:
    """Return the state of "it is so in as many cells as are needed"."""
    states = Counter(cell.state for cell in cells)
    testable = len(cells) - states[NOT_TESTABLE]
    if not testable:
        return NOT_TESTABLE
    wanted = wanted_of(testable, need)
    if states[HOLDS] >= wanted:
        return HOLDS
    return OPEN if states[HOLDS] + states[OPEN] >= wanted else FAILS


def wanted_of(n: int, need: str | int) -> int:
    """Return how many of n cells must be so."""
    if isinstance(need, int):
        return need
    if need.startswith("all but"):
        return max(n - int(need.split()[-1]), 1)
    return n if need == "every" else n // 2 + 1
