"""What a paper claims of its experiments, and whether our numbers bear it out.

``published/<paper>/claims.toml`` restates each claim in our own words, with the tests that decide
it from the records::

    [lists]
    here = ["sonar", "wine"]        # "$here" in a test means this list

    [[claim]]
    id = "ahead-on-every-set"
    where = "Table 1"
    claim = "FTUNE is more accurate than both rivals on every set."
    settle = "..."                  # the experiment that settles it if it fails or is open

    [[claim.test]]
    figure = "table1"
    rows = { data_set = "*", landmarks = [30, 300] }  # a cell for each combination; "*": all
    of = "FTUNE"                    # whose number; a list makes a cell for each
    over_all = ["BBS", "DBOOST"]    # less each of these, all in one cell; `over`: a cell for each
    is = "above"                    # above, below, near, not above, not below, as published
    limit = 0.0                     # of the number, or of the difference
    need = "every"                  # or most, a number, "all but 1": how many cells must be so

`evidence` says how a number is named. A cell is so if its number is beyond the limit by more than
chance allows, which is the two-sided quantile `SURE` of Student's t with the runs of the number; it
fails if it is so far on the other side, and is open between. An unknown error decides nothing.
Further fields of a test:

- ``key``: the key that a plain name is a value of (`method`);
- ``where = { data_set = { wine = { d = 3 } } }``: more keys, by the value of a key;
- ``without = [{ k = [1, 10] }]``: cells that are left out; ``apart = ["k"]``: cells that are
  counted apart for each value of these keys (`of` is one);
- ``steps = "bits"``: the values of this key are a series; each step of it is a cell, a number less
  the one before;
- ``worth``: the smallest lead that counts; a cell fails if its whole interval is below it;
- ``against = "open"``: what speaks against the claim leaves it open;
- ``also``: further tests of the same cells; ``none_fails = true``: one cell that fails decides;
- ``missing = "not testable here"``: the state of a cell without a number or a known error;
- ``reading``: a name; ``readings`` of the claim says "first" (the first reading decides, and it is
  open if another one says the opposite) or "agree" (it is open unless all say the same);
- ``points``, ``both_errors``, ``more_error``, ``rounding``, ``exact``, ``one_sample``, ``runs``:
  the error of a row whose record does not say it.

A claim with ``why`` is not testable here, and one with ``awaits`` is open until that run, whatever
their tests show. ``at_best`` is the state of one that holds on data that cannot decide it. ``note``
ends its reason. ``by_the_paper`` says what the paper's own tables show of it, where the published
numbers of the cells do not. ``[[not_here]]`` names rows that decide nothing; ``[[lower_bound]]``
rows whose number is a lower bound of the true one, or which row to take instead.

Not handled here: the verdict of each number beside its published one (`verdict`), and the pages.
"""

import itertools
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

from scipy.special import stdtrit

from paper_figures.evidence import (
    Missing,
    Number,
    Records,
    Source,
    Test,
    combined,
    find,
    fits,
    less_published,
    named,
    words,
)
from paper_figures.published_claims import Claim, Claims, InvalidClaims, load_claims
from paper_figures.registry import Paper, spoken
from paper_figures.store import NOT_AVAILABLE, Record, Store, write_atomic

__all__ = [
    "FAILS",
    "HOLDS",
    "NOT_TESTABLE",
    "OPEN",
    "STATES",
    "Cell",
    "Claim",
    "Decided",
    "InvalidClaims",
    "Number",
    "count",
    "decide",
    "load",
    "write",
]

HOLDS = "holds"
FAILS = "fails"
OPEN = "open"
NOT_TESTABLE = "not testable here"
STATES = (HOLDS, FAILS, OPEN, NOT_TESTABLE)
SURE = 0.954
"""An interval that holds the true number this often: two standard errors of many runs."""
NAMED = 6
"""Up to so many cells are named in a sentence; the page lists all."""
SMALL_SCALE = "the records of this folder are of the small scale; the claim is about the paper's"


@dataclass(frozen=True)
class Cell:
    """One comparison that a test makes.

    Attributes
    ----------
    name : str
    state : str
        One of :data:`STATES`.
    number : Number or None
        What is compared with the limit: a difference, or the number itself.
    missing : str
        What is not there, if the number is not.
    keys : mapping
        The keys of its rows, and ``of``.
    printed : bool or None
        Whether the paper's own numbers are on the claim's side; None if they do not say.

    See Also
    --------
    decide : Decides claims by cells.

    Examples
    --------
    >>> Cell("sonar", HOLDS).state
    'holds'
    """

    name: str
    state: str
    number: Number | None = None
    missing: str = ""
    keys: Mapping[str, Any] | None = None
    printed: bool | None = None


@dataclass(frozen=True)
class Decided:
    """A claim with its state, the numbers that decide it, why they do, and the cells counted.

    Attributes
    ----------
    claim : Claim
    state : str
        One of :data:`STATES`.
    numbers : tuple of Number
    because : str
        How the numbers decide.
    cells : tuple of (str, str)
        The name and the state of each cell.
    printed : str
        What the paper's own tables say of the claim; empty if they do not speak of it.

    See Also
    --------
    decide : Decides the claims of a paper.

    Examples
    --------
    >>> claim = Claim("faster", "lmnn", "Section 4", "Ball trees are faster.")
    >>> Decided(claim, OPEN, (), "one timing").state
    'open'
    """

    claim: Claim
    state: str
    numbers: tuple[Number, ...]
    because: str
    cells: tuple[tuple[str, str], ...] = ()
    printed: str = ""


def load(paper: str) -> list[Claim]:
    """Read the claims of a paper, in their order in its claims.toml.

    Parameters
    ----------
    paper : str
        ``"boosted_distance"``.

    Returns
    -------
    list of Claim
        Empty for a paper without the file.

    Raises
    ------
    InvalidClaims
        If the file is not as the module's docstring says; the message names the line.

    See Also
    --------
    decide : Decides them.

    Examples
    --------
    >>> load("lmnn")[0].paper
    'lmnn'
    >>> load("no-such-paper")
    []
    """
    return list(load_claims(paper).claims)


# --------------------------------------------------------------------------- one comparison


def side(number: Number, limit: float) -> int:
    """Return 1 if a number is above the limit beyond its error, -1 if below, 0 if neither."""
    distance = number.ours - limit
    if number.std_error is None:
        return 0
    if number.std_error == 0.0:
        return 1 if distance > 0.0 else -1
    if abs(distance) <= sure(number) * number.std_error:
        return 0
    return 1 if distance > 0.0 else -1


def sure(number: Number) -> float:
    """Return how many standard errors make a number count, by Student's t."""
    freedom = number.freedom
    return _quantile(freedom if math.isfinite(freedom) else 1e9)


@cache
def _quantile(freedom: float) -> float:
    """Return the two-sided quantile of Student's t; a number of one run is never sure."""
    return float(stdtrit(freedom, (1.0 + SURE) / 2.0)) if freedom > 0.0 else math.inf


def state_of(number: Number, test: Test) -> str:
    """Return the state of "the number is as the test says"."""
    kind = test["is"]
    if kind == "as published":
        if number.std_error is None:
            return OPEN
        return HOLDS if side(number, 0.0) == 0 or number.ours == 0.0 else FAILS
    negated, _, direction = kind.rpartition(" ")
    if direction == "near":
        number = replace(number, ours=abs(number.ours))
    sign = 1 if direction == "above" else -1
    towards = replace(number, ours=sign * number.ours, bound=sign * number.bound)
    limit = sign * test.get("limit", 0.0)
    at = side(towards, limit)
    if direction == "near" and towards.std_error == 0.0 and towards.ours == limit:
        at = 1
    if "worth" in test and side(towards, limit + test["worth"]) < 0:
        at = -1
    if negated:
        return HOLDS if at <= 0 else OPEN if towards.bound < 0 else FAILS
    state = {1: HOLDS, 0: OPEN, -1: FAILS}[at]
    doubtful = (state == FAILS and towards.bound > 0) or (state == HOLDS and towards.bound < 0)
    against = state == FAILS and test.get("against") == OPEN
    return OPEN if doubtful or against else state


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
        key: {**value, "not": [own[key]]}
        if isinstance(value, Mapping) and value.get("not") == "own"
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
                yield _cell(source, test, of, over, keys)


def _steps(source: Source, test: Test, of: Any, keys: Mapping[str, Any]) -> Iterator[Cell]:
    """Yield a cell for each step of a series: a number less the one before it."""
    along = test["steps"]
    values = keys[along]
    if len(values) < 2:
        yield Cell(words({**keys, along: None}), test.get("missing", OPEN), None, "", keys)
    for before, after in itertools.pairwise(values):
        over = {**named(test, of), along: before}
        cell = _cell(source, test, of, over, {**keys, along: after})
        yield replace(cell, name=f"{words({**keys, along: after})} over {_plain(before)}")


def _plain(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


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
    for values in itertools.product(*axes.values()):
        keys = dict(zip(axes, values, strict=True))
        if any(fits(keys, some) for some in test.get("without", [])) or not _listed(
            source, test, keys
        ):
            continue
        for key, more in test.get("where", {}).items():
            keys |= more.get(str(keys[key]), {})
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
        listed = [row for row in listed if row.get("status") != NOT_AVAILABLE]
    found = list(dict.fromkeys(row[key] for row in listed if row.get(key) is not None))
    return (sorted(found) if key == test.get("steps") else found) or ["*"]


def _cell(source: Source, test: Test, of: Any, over: Any, keys: Mapping[str, Any]) -> Cell:
    own = {**keys, "of": of if isinstance(of, str | int) else None}
    numbers: list[tuple[str, Number, bool | None]] = []
    try:
        for rival in test.get("over_all", [over]):
            number = compared(source, test, of, rival, keys)
            numbers.append((state_of(number, test), number, _by_print(number, test)))
        more = [
            state for also in test.get("also", []) for state in _also(source, test, also, of, keys)
        ]
    except Missing as missing:
        name = words({**keys, "of": _said(of), "over": _said(over)})
        return Cell(name, test.get("missing", OPEN), None, str(missing), own)
    state = worst([*(state for state, _, _ in numbers), *more])
    if "missing" in test and any(number.std_error is None for _, number, _ in numbers):
        return Cell(numbers[0][1].name, test["missing"], numbers[0][1], "its error is unknown", own)
    number = min(numbers, key=lambda each: (FAILS, OPEN, HOLDS).index(each[0]))[1]
    prints = [said for _, _, said in numbers]
    printed = None if None in prints or more else all(prints)
    return Cell(number.name, state, number, "", own, printed)


def _said(table: Any) -> str | None:
    """Say a table of keys in a cell's name; one that computes is not said."""
    if table is None or isinstance(table, str | int):
        return None if table is None else str(table)
    return words({k: v for k, v in table.items() if isinstance(v, str | int)}) or None


def _also(
    source: Source, test: Test, also: Test, of: Any, keys: Mapping[str, Any]
) -> Iterator[str]:
    further = {"figure": test["figure"], "key": test.get("key", "method"), "of": of, **also}
    for over in further.get("over_all", [None]):
        yield state_of(compared(source, further, further["of"], over, keys), further)


def _by_print(number: Number, test: Test) -> bool | None:
    """Return whether the published numbers are on the side that the test asks for."""
    if number.published is None or test["is"] not in ("above", "below"):
        return None
    distance = number.published - float(test.get("limit", 0.0))
    return distance > 0.0 if test["is"] == "above" else distance < 0.0


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
        return n - int(need.split()[-1])
    return n if need == "every" else n // 2 + 1


# --------------------------------------------------------------------------- a claim


@dataclass(frozen=True)
class Part:
    """Cells that are counted together, with the state that they give."""

    test: Test
    cells: tuple[Cell, ...]
    state: str


def parts_of(source: Source, claim: Claim, content: Claims) -> list[Part]:
    """Return the parts of a claim: the cells of each test, counted apart where it says so."""
    parts = []
    for test in claim.tests:
        groups: dict[tuple[Any, ...], list[Cell]] = {}
        for cell in cells_of(source, test, content.not_here):
            keys = cell.keys or {}
            groups.setdefault(tuple(keys.get(key) for key in test.get("apart", ())), []).append(
                cell
            )
        for cells in groups.values():
            state = counted(cells, test.get("need", "every"))
            if test.get("none_fails") and any(cell.state == FAILS for cell in cells):
                state = FAILS
            parts.append(Part(test, tuple(cells), state))
    return parts


def state_of_parts(claim: Claim, parts: Sequence[Part]) -> str:
    """Return the state of a claim from those of its parts."""
    by_reading: dict[str, list[str]] = {}
    for part in parts:
        by_reading.setdefault(part.test.get("reading", ""), []).append(part.state)
    first, *others = (worst(states) for states in by_reading.values())
    state = worst([first, *others])
    if claim.readings == "agree":
        state = first if set(others) <= {first} else OPEN
    elif claim.readings == "first":
        state = OPEN if {HOLDS, FAILS} <= {first, *others} else first
    return claim.at_best if state == HOLDS and claim.at_best else state


def decide_claim(claim: Claim, content: Claims, records: Records) -> Decided:
    """Decide a claim by its tests; see :func:`decide`."""
    if claim.why and not claim.tests:
        return Decided(claim, NOT_TESTABLE, (), claim.why)
    if any(record["scale"] != "paper" for record in records.values()):
        return Decided(claim, NOT_TESTABLE, (), claim.why or SMALL_SCALE)
    parts = parts_of(Source(claim.paper, records, content.lower_bounds), claim, content)
    state = NOT_TESTABLE if claim.why else OPEN if claim.awaits else state_of_parts(claim, parts)
    cells = [cell for part in parts for cell in part.cells]
    numbers = dict.fromkeys(cell.number for cell in cells if cell.number is not None)
    listed = tuple((cell.name, cell.state) for cell in cells)
    return Decided(
        claim, state, tuple(numbers), because(claim, parts), listed, by_the_paper(claim, cells)
    )


def because(claim: Claim, parts: Sequence[Part]) -> str:
    """Say in plain English how the cells decide a claim, each sentence once."""
    awaits = f"Open until {claim.awaits}" if claim.awaits else ""
    said = [awaits, *map(sentence_of, parts), claim.note, claim.why]
    return ". ".join(dict.fromkeys(filter(None, said)))


def sentence_of(part: Part) -> str:
    """Say how the cells that are counted together decide."""
    test, cells = part.test, part.cells
    keys = {key: (cells[0].keys or {}).get(key) for key in test.get("apart", ())}
    where = ", ".join(filter(None, [test.get("reading", ""), words(keys)]))
    said = _of_one(cells[0], test) if len(cells) == 1 else _of_several(cells, test)
    return f"{_capital(where)}: {said}" if where else _capital(said)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _of_one(cell: Cell, test: Test) -> str:
    """Say how one number decides."""
    number = cell.number
    if number is None:
        return cell.missing
    experiments = ", ".join(spoken(entry.partition(".")[2]) for entry in number.entries)
    said = f"{number.name or 'the number'} ({experiments}) is {number.ours:.4g}"
    limit = 0.0 if test["is"] == "as published" else test.get("limit", 0.0)
    if number.std_error is None:
        return f"{said}, measured once, so its uncertainty is unknown"
    if number.std_error == 0.0:
        return f"{said}, exactly" + (f" (limit {limit:g})" if limit else "")
    ours = abs(number.ours) if test["is"] == "near" else number.ours
    away = abs(ours - limit) / number.std_error
    return f"{said}, {away:.1f} standard errors from {limit:g} ({sure(number):.1f} count)"


def _of_several(cells: Sequence[Cell], test: Test) -> str:
    """Count the cells in words, and name those that are not so if they are few."""
    states = Counter(cell.state for cell in cells)
    testable = len(cells) - states[NOT_TESTABLE]
    away = [f"{c.name} ({c.missing})" for c in cells if c.state == NOT_TESTABLE and c.missing]
    if not testable:
        return "; ".join(away) if len(away) <= NAMED else "no cell can be tested here"
    lacking = [c.missing for c in cells if c.state != NOT_TESTABLE and c.missing]
    if len(lacking) == testable:
        return lacking[0]
    said = f"true in {states[HOLDS]} of {testable} cells ({_needed(testable, test)})"
    for state, word in ((FAILS, "false"), (OPEN, "undecided")):
        names = [cell.name for cell in cells if cell.state == state]
        if names:
            listed = f" ({'; '.join(names)})" if len(names) <= NAMED else ""
            said += f", {word} in {len(names)}{listed}"
    if lacking:
        said += f"; {len(lacking)} of them are not computed yet"
    if away:
        listed = f" ({'; '.join(away)})" if len(away) <= NAMED else ""
        said += f"; {len(away)} more cannot be tested here{listed}"
    return said


def _needed(n: int, test: Test) -> str:
    need = test.get("need", "every")
    if need == "every":
        return "all are needed"
    wanted = wanted_of(n, need)
    return "one suffices" if wanted == 1 else f"{wanted} are needed"


def by_the_paper(claim: Claim, cells: Sequence[Cell]) -> str:
    """Say what the paper's own tables show of a claim, in one line."""
    said = [cell.printed for cell in cells if cell.printed is not None]
    if claim.by_the_paper or not said:
        return claim.by_the_paper
    if len(said) == 1:
        return "it is so" if said[0] else "it is not so"
    return f"it is so in {sum(said)} of {len(said)} cells, whose errors are not published"


def decide(paper: str, records: Records) -> list[Decided]:
    """Decide each claim of a paper from the records of one folder.

    Parameters
    ----------
    paper : str
    records : mapping of str to dict
        The folder's records, by the names of their figures.

    Returns
    -------
    list of Decided
        In the order of claims.toml. A cell whose record is missing is open. In a folder of
        small-scale records no claim is testable.

    Raises
    ------
    InvalidClaims
        If the paper's claims.toml does not have its form.

    See Also
    --------
    load : The claims alone.
    count : How many are in each state.

    Examples
    --------
    >>> decided = decide("lmnn", {})
    >>> {item.state for item in decided} <= {OPEN, NOT_TESTABLE}  # without records nothing holds
    True
    """
    content = load_claims(paper)
    return [decide_claim(claim, content, records) for claim in content.claims]


def read_records(store: Store, paper: Paper) -> dict[str, Record]:
    """Return the paper's records that the folder holds, by the names of their figures."""
    records = {figure.name: store.read(paper.name, figure.name) for figure in paper.figures}
    return {name: record for name, record in records.items() if record is not None}


def write(store: Store, papers: Sequence[Paper]) -> None:
    """Decide the claims of the papers and write ``OUT/<paper>/claims.json``.

    Parameters
    ----------
    store : store.Store
    papers : sequence of registry.Paper
        A paper without claims gets no file.

    Raises
    ------
    InvalidClaims
        As for :func:`decide`.
    paper_figures.store.CannotStore
        If the file system refuses.

    See Also
    --------
    decide : What is written.

    Examples
    --------
    >>> import tempfile
    >>> from paper_figures.registry import load_papers
    >>> store = Store(tempfile.mkdtemp())
    >>> write(store, load_papers())
    >>> json.loads(store.path("lmnn", "claims", ".json").read_text())["count"]["holds"]
    0
    """
    for paper in papers:
        if load(paper.name):
            decided = decide(paper.name, read_records(store, paper))
            write_atomic(store.path(paper.name, "claims", ".json"), dump(paper.name, decided))


def count(decided: Iterable[Decided]) -> dict[str, int]:
    """Return how many claims are in each of :data:`STATES`.

    Parameters
    ----------
    decided : iterable of Decided

    Returns
    -------
    dict
        {state: number}.

    See Also
    --------
    decide : Decides claims.

    Examples
    --------
    >>> count(decide("lmnn", {}))["fails"]
    0
    """
    states = Counter(item.state for item in decided)
    return {state: states[state] for state in STATES}


def dump(paper: str, decided: Sequence[Decided]) -> str:
    """Return decided claims as JSON text, sorted by id, each on a line of its own."""
    lines = [_as_json(item) for item in sorted(decided, key=lambda item: item.claim.id)]
    head = f' "paper": {json.dumps(paper)},\n "count": {json.dumps(count(decided))},\n'
    return "{\n" + head + ' "claims": [\n  ' + ",\n  ".join(lines) + "\n ]\n}\n"


SHOWN = ("name", "ours", "std_error", "published", "entries", "runs")


def _as_json(item: Decided) -> str:
    claim = item.claim
    numbers = [
        {name: _short(value) for name, value in asdict(number).items() if name in SHOWN}
        for number in item.numbers
    ]
    line = {
        "id": claim.id,
        "where": claim.where,
        "claim": claim.claim,
        "state": item.state,
        "because": item.because,
        "printed": item.printed,
        "settle": claim.settle,
        "figures": [f"{claim.paper}.{name}" for name in claim.figures],
        "cells": list(item.cells),
        "numbers": numbers,
    }
    return json.dumps(line, allow_nan=False, ensure_ascii=False)


def _short(value: Any) -> Any:
    """Keep eight digits of a number, which no order of additions changes."""
    return float(f"{value:.8g}") if isinstance(value, float) else value
