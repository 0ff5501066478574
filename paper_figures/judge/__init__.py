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
    rows = { data_set = "*", landmarks = [30, 300] }  # a cell for each combination; "*": all;
                                    # a__b = [[1, 2], [3, 4]]: pairs of values of a and b
    of = "FTUNE"                    # whose number; a list makes a cell for each
    over_all = ["BBS", "DBOOST"]    # less each of these, all in one cell; `over`: a cell for each
    is = "above"                    # above, below, near, not above, not below, as published
    limit = 0.0                     # of the number, or of the difference
    need = "every"                  # or most, a number, "all but 1": how many cells must be so

`numbers` says how a number is named. A cell is so if its number is beyond the limit by more than
chance allows, which is the two-sided quantile `SURE` of Student's t with the runs of the number; it
fails if it is so far on the other side, and is open between. An unknown error decides nothing.
Further fields of a test:

- ``key``: the key that a plain name is a value of (`method`);
- ``without = [{ k = [1, 10] }]``: cells that are left out; ``apart = ["k"]``: cells that are
  counted apart for each value of these keys;
- ``steps = "bits"``: the values of this key are a series; each step of it is a cell, a number less
  the one before;
- ``worth``: the smallest lead that counts; a cell fails if its whole interval is below it;
- ``against = "open"``: what speaks against the claim leaves it open;
- ``also``: further tests of the same cells; ``none_fails = true``: one cell that fails decides;
- ``missing = "not testable here"``: the state of a cell without a number or a known error;
- ``reading``: a name; ``readings`` of the claim says "first" (the first reading decides) or "agree"
  (it is open unless all say the same). Where one reading holds and another one fails the claim is
  not testable here: what decides between them is missing;
- ``runs``: the error is taken as that of so many runs, if there were more.

A claim with ``why`` is not testable here, whatever its tests show. ``at_best`` is the state of one
that holds on data that cannot decide it. ``note`` ends its reason. ``by_the_paper`` says what the
paper's own tables show of it, where the published numbers of the cells do not. ``[[not_here]]``
names rows that decide nothing.

The verdict of each row beside its published number is in `verdicts`. Not handled here: the pages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from paper_figures.judge.cells import (
    FAILS,
    HOLDS,
    NOT_TESTABLE,
    OPEN,
    Cell,
    Part,
    cells_of,
    counted,
    worst,
)
from paper_figures.judge.numbers import Number, Records, Source
from paper_figures.judge.reading import Claim, Claims, load_claims
from paper_figures.judge.reasons import because, by_the_paper
from paper_figures.judge.verdicts import load_rules
from paper_figures.store import Record, Store
from paper_figures.study import Paper

SMALL_SCALE = "the records of this folder are of the small scale; the claim is about the paper's"


@dataclass(frozen=True)
class Decided:
    """A claim with its state, and the numbers that decide it."""

    claim: Claim
    state: str  # one of `cells.STATES`
    numbers: tuple[Number, ...]
    because: str  # how the numbers decide
    cells: tuple[tuple[str, str], ...] = ()  # the name and the state of each
    printed: str = ""  # what the paper's own tables say of the claim, if they speak of it


# --------------------------------------------------------------------------- deciding


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
    if claim.readings and {HOLDS, FAILS} <= {first, *others}:
        state = NOT_TESTABLE  # no run decides between readings
    elif claim.readings == "agree":
        state = first if set(others) <= {first} else OPEN
    elif claim.readings == "first":
        state = first
    return claim.at_best if state == HOLDS and claim.at_best else state


def decide_claim(claim: Claim, content: Claims, records: Records) -> Decided:
    """Decide a claim by its tests."""
    if claim.why and not claim.tests:
        return Decided(claim, NOT_TESTABLE, (), claim.why)
    if any(record["scale"] != "paper" for record in records.values()):
        return Decided(claim, NOT_TESTABLE, (), claim.why or SMALL_SCALE)
    parts = parts_of(Source(claim.paper, records, load_rules(claim.paper)), claim, content)
    state = NOT_TESTABLE if claim.why else state_of_parts(claim, parts)
    cells = [cell for part in parts for cell in part.cells]
    numbers = dict.fromkeys(cell.number for cell in cells if cell.number is not None)
    listed = tuple((cell.name, cell.state) for cell in cells)
    reading = parts[0].test.get("reading")  # others compare with the same published numbers
    of_one = [c for part in parts if part.test.get("reading") == reading for c in part.cells]
    return Decided(
        claim, state, tuple(numbers), because(claim, parts), listed, by_the_paper(claim, of_one)
    )


def decide(paper: str, records: Records) -> list[Decided]:
    """Decide each claim of a paper, in the order of claims.toml, from the records of one folder."""
    # a cell whose record is missing is open; in a folder of small-scale records none is testable
    content = load_claims(paper)
    return [decide_claim(claim, content, records) for claim in content.claims]


def read_records(store: Store, paper: Paper) -> dict[str, Record]:
    """Return the paper's records that the folder holds, by the names of their figures."""
    records = {figure.name: store.read(paper.name, figure.name) for figure in paper.figures}
    return {name: record for name, record in records.items() if record is not None}
