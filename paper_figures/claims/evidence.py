"""Numbers that decide a claim: take them from the records, compare them, combine the cells.

A difference counts from two of its standard errors on: `above` and `less` hold beyond them, fail
beyond them on the other side, and are open between. A number measured once, without an error,
decides nothing, unless the quantity is deterministic. `every` and `at_least` count cells.

Not handled here: which claims there are (`claims`), and the rules of a paper (its own `claims`).
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from paper_figures.store import NOT_AVAILABLE, Record, Row

HOLDS = "holds"
FAILS = "fails"
OPEN = "open"
NOT_TESTABLE = "not testable here"
STATES = (HOLDS, FAILS, OPEN, NOT_TESTABLE)
SURE = 2.0
"""So many standard errors of a difference make it count."""
NAMED = 6
"""Up to so many cells that fail or are open are named in a sentence; a decision lists all."""
Records: TypeAlias = Mapping[str, Record]
"""The records of one paper in one folder, by the names of their figures."""


class Missing(LookupError):
    """A number that a rule needs is not in the records; the message names its figure."""


@dataclass(frozen=True)
class Number:
    """A number that decides a claim.

    Attributes
    ----------
    name : str
    ours : float
    std_error : float or None
        0 of a deterministic quantity, None of a number measured once.
    published : float or None
    entries : tuple of str
        Where it stands, such as ``("boosted_distance.table2",)``.
    runs : int or None
        How many runs it is a mean of; None of a deterministic quantity, and where the parts of a
        number had different runs.

    See Also
    --------
    Decision : What numbers decide.

    Examples
    --------
    >>> Number("error on MNIST", 1.77, 0.13, 1.72, ("lmnn.table1",)).ours
    1.77
    """

    name: str
    ours: float
    std_error: float | None = None
    published: float | None = None
    entries: tuple[str, ...] = ()
    runs: int | None = None


@dataclass(frozen=True)
class Decision:
    """What a rule returns: a state, the numbers that decide, and how they do.

    Attributes
    ----------
    state : str
        One of :data:`STATES`.
    numbers : tuple of Number
    because : str
        A clause that says how the numbers decide.
    cells : tuple of (str, str)
        Where cells are counted, the name and the state of each.

    Raises
    ------
    ValueError
        If the state is none of them.

    See Also
    --------
    paper_figures.claims.decide : Asks the rules for decisions.

    Examples
    --------
    >>> Decision("holds", (Number("ratio", 0.5),), "ours is half").state
    'holds'
    >>> Decision("true")
    Traceback (most recent call last):
    ...
    ValueError: state must be one of holds, fails, open, not testable here; got 'true'
    """

    state: str
    numbers: tuple[Number, ...] = ()
    because: str = ""
    cells: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if self.state not in STATES:
            raise ValueError(f"state must be one of {', '.join(STATES)}; got {self.state!r}")


# --------------------------------------------------------------------------- numbers


def rows(records: Records, figure: str, **keys: Any) -> list[Row]:
    """Return a figure's rows that have these keys.

    Parameters
    ----------
    records : mapping
    figure : str
        ``"table2"``.
    **keys
        What the rows must hold, such as ``method="Boosted Distance"``.

    Returns
    -------
    list of dict
        At least one; some may be not available.

    Raises
    ------
    Missing
        If there is no such record, or no such row.
    """
    if figure not in records:
        raise Missing(f"there is no record of {figure}")
    matching = [
        row for row in records[figure]["rows"] if all(row.get(k) == v for k, v in keys.items())
    ]
    if not matching:
        raise Missing(f"{figure} has no row with {_words(keys)}")
    return matching


def row(records: Records, figure: str, **keys: Any) -> Row:
    """Return a figure's only row with these keys, which has a number of ours; see :func:`rows`."""
    matching = rows(records, figure, **keys)
    if len(matching) > 1:
        raise ValueError(f"{figure} must have one row with {_words(keys)}; got {len(matching)}")
    if matching[0].get("status") == NOT_AVAILABLE:
        raise Missing(f"{figure} has no number for {_words(keys)}: {matching[0]['why']}")
    return matching[0]


def _words(keys: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in keys.items()) or "any key"


def number(
    records: Records,
    figure: str,
    name: str = "",
    *,
    deterministic: bool = False,
    points: int | None = None,
    **keys: Any,
) -> Number:
    """Return the number of a figure's only row with these keys.

    Parameters
    ----------
    records : mapping
    figure : str
    name : str, optional
        What the number is; the values of the keys if empty.
    deterministic : bool
        The quantity has no chance in it: its standard error is 0.
    points : int, optional
        The number is a percentage of so many test points, of which a single run has a binomial
        error. A standard error over runs comes first.
    **keys
        What the row must hold.

    Returns
    -------
    Number
    """
    return as_number(
        records, figure, row(records, figure, **keys), name, deterministic, points, keys
    )


def as_number(
    records: Records,
    figure: str,
    row: Row,
    name: str = "",
    deterministic: bool = False,
    points: int | None = None,
    keys: Mapping[str, Any] | None = None,
) -> Number:
    """Return a row as a number; see :func:`number`."""
    error = None
    runs = None if deterministic else 1
    if row["std"] is not None:
        runs = int(row["repetitions"])
        error = float(row["std"]) / math.sqrt(runs)
    elif deterministic:
        error = 0.0
    elif points is not None:
        error = binomial_error(row["ours"], points)
    entry = f"{records[figure]['paper']}.{figure}"
    name = name or ", ".join(str(value) for value in (keys or {}).values())
    return Number(name, float(row["ours"]), error, row["published"], (entry,), runs)


def entries_of(numbers: Iterable[Number]) -> tuple[str, ...]:
    """Return the entries that numbers come from, each once."""
    return tuple(dict.fromkeys(entry for number in numbers for entry in number.entries))


def runs_of(numbers: Iterable[Number]) -> int | None:
    """Return how many runs numbers are means of; None if they differ, or if chance has no part."""
    runs = {number.runs for number in numbers if number.std_error != 0.0}
    return runs.pop() if len(runs) == 1 else None


def binomial_error(percent: float, points: int) -> float:
    """Return the standard error of a percentage of so many test points.

    The share is taken as (hits + 1) / (points + 2), so that no hit at all has an error too.
    """
    share = (percent / 100.0 * points + 1.0) / (points + 2.0)
    return 100.0 * math.sqrt(share * (1.0 - share) / points)


def difference(a: Number, b: Number, name: str = "") -> Number:
    """Return a - b of two independent numbers; its error is None if one of theirs is."""
    errors = (a.std_error, b.std_error)
    error = None if None in errors else math.hypot(*(value or 0.0 for value in errors))
    prints = (a.published, b.published)
    published = None if prints[0] is None or prints[1] is None else prints[0] - prints[1]
    name = name or f"{a.name} minus {b.name}"
    return Number(name, a.ours - b.ours, error, published, entries_of((a, b)), runs_of((a, b)))


def ratio(a: Number, b: Number, name: str = "") -> Number:
    """Return a / b of two independent numbers, with the error of first order.

    Raises
    ------
    Missing
        If b is 0.
    """
    if b.ours == 0.0:
        raise Missing(f"{b.name} is 0, so that there is no ratio to it")
    value = a.ours / b.ours
    error = None
    if a.std_error is not None and b.std_error is not None:
        error = math.hypot(a.std_error, value * b.std_error) / abs(b.ours)
    published = a.published / b.published if a.published and b.published else None
    name = name or f"{a.name} over {b.name}"
    return Number(name, value, error, published, entries_of((a, b)), runs_of((a, b)))


def average(numbers: Sequence[Number], name: str) -> Number:
    """Return the mean of independent numbers; its error is None if one of theirs is.

    Raises
    ------
    Missing
        If there are no numbers.
    """
    if not numbers:
        raise Missing(f"there is no number for the {name}")
    n = len(numbers)
    errors = [number.std_error for number in numbers]
    known = [error for error in errors if error is not None]
    prints = [number.published for number in numbers if number.published is not None]
    return Number(
        name,
        math.fsum(number.ours for number in numbers) / n,
        math.hypot(*known) / n if len(known) == n else None,
        math.fsum(prints) / n if len(prints) == n else None,
        entries_of(numbers),
        runs_of(numbers),
    )


# --------------------------------------------------------------------------- states


def above(number: Number, limit: float = 0.0) -> Decision:
    """Decide "the number is above the limit".

    It holds or fails from two standard errors on and is open between. A deterministic number that
    equals the limit fails. A number measured once, without an error, decides nothing.
    """
    if number.std_error is None:
        return Decision(OPEN, (number,), f"{number.name} was measured once, without an error")
    distance = number.ours - limit
    if number.std_error == 0.0:
        state = HOLDS if distance > 0.0 else FAILS
        return Decision(state, (number,), "the quantity is deterministic")
    if abs(distance) <= SURE * number.std_error:
        return Decision(OPEN, (number,), "the difference is within two of its standard errors")
    state = HOLDS if distance > 0.0 else FAILS
    return Decision(state, (number,), "the difference is beyond two of its standard errors")


def below(number: Number, limit: float = 0.0) -> Decision:
    """Decide "the number is below the limit"; see :func:`above`."""
    mirrored = above(replace(number, ours=-number.ours), -limit)
    return Decision(mirrored.state, (number,), mirrored.because)


def less(a: Number, b: Number) -> Decision:
    """Decide "a is less than b" for two independent numbers; see :func:`above`."""
    decision = below(difference(a, b))
    return Decision(decision.state, (a, b), decision.because)


def more(a: Number, b: Number) -> Decision:
    """Decide "a is more than b" for two independent numbers; see :func:`above`."""
    decision = above(difference(a, b))
    return Decision(decision.state, (a, b), decision.because)


def near(a: Number, b: Number, within: float) -> Decision:
    """Decide "a and b differ by at most `within`", counted from two standard errors on."""
    gap = difference(a, b)
    decision = below(replace(gap, ours=abs(gap.ours)), within)
    if gap.std_error == 0.0 and abs(gap.ours) == within:
        decision = Decision(HOLDS, (), decision.because)
    return Decision(decision.state, (a, b), decision.because)


def every(cells: Mapping[str, Decision], what: str = "cells") -> Decision:
    """Decide "it is so in every cell": it fails if a cell fails, and is open if one is open.

    Parameters
    ----------
    cells : mapping of str to Decision
        The cells by their names. Those that are not testable here are left out of the count.
    what : str
        What the cells are, such as ``"sets"``.

    Returns
    -------
    Decision
        With the numbers of all cells; it names those that fail or are open.
    """
    return at_least(cells, _testable(cells), what)


def most(cells: Mapping[str, Decision], what: str = "cells") -> Decision:
    """Decide "it is so in most cells", in more than half of them; see :func:`every`."""
    return at_least(cells, _testable(cells) // 2 + 1, what)


def at_least(cells: Mapping[str, Decision], wanted: int, what: str = "cells") -> Decision:
    """Decide "it is so in at least `wanted` cells", cell by cell; see :func:`every`.

    It holds if as many cells hold, and fails if they do not even with the open ones.
    """
    numbers = _numbers(cells.values())
    listed = tuple((name, cell.state) for name, cell in cells.items())
    states = Counter(state for _, state in listed)
    testable = _testable(cells)
    if not testable:
        because = f"none of the {what} is testable here"
        return Decision(NOT_TESTABLE, numbers, because, listed)
    possible = states[HOLDS] + states[OPEN]
    state = HOLDS if states[HOLDS] >= wanted else OPEN if possible >= wanted else FAILS
    because = f"holds in {states[HOLDS]} of {testable} {what}, {wanted} needed"
    for other in (FAILS, OPEN, NOT_TESTABLE):
        if names := [name for name, state_of in listed if state_of == other]:
            few = len(names) <= NAMED
            because += f"; {other}: {', '.join(names) if few else f'{len(names)} {what}'}"
    return Decision(state, numbers, because, listed)


def _testable(cells: Mapping[str, Decision]) -> int:
    return sum(cell.state != NOT_TESTABLE for cell in cells.values())


def tried(rule: Callable[..., Decision], *arguments: Any, **options: Any) -> Decision:
    """Return what the rule returns; an open decision that says what is missing, if it is."""
    try:
        return rule(*arguments, **options)
    except Missing as missing:
        return Decision(OPEN, (), str(missing))


def both(first: Decision, second: Decision) -> Decision:
    """Decide a claim of two halves: it fails if one fails, and is open if one is open."""
    states = (first.state, second.state)
    state = next((state for state in (FAILS, OPEN, NOT_TESTABLE) if state in states), HOLDS)
    because = "; ".join(half.because for half in (first, second) if half.because)
    return Decision(state, _numbers((first, second)), because, first.cells + second.cells)


def _numbers(decisions: Iterable[Decision]) -> tuple[Number, ...]:
    """Return the numbers of several decisions, each once, in their order."""
    return tuple(dict.fromkeys(number for item in decisions for number in item.numbers))
