"""Why a claim has its state, in plain English: made from its cells alone."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from paper_figures.judge.cells import (
    FAILS,
    HOLDS,
    NOT_TESTABLE,
    OPEN,
    Cell,
    Part,
    said_of,
    wanted_of,
)
from paper_figures.judge.numbers import Test, common, distance
from paper_figures.judge.reading import Claim
from paper_figures.judge.verdicts import sure
from paper_figures.registry import spoken

NAMED = 6
"""Up to so many cells are named in a sentence; the page lists all."""


def because(claim: Claim, parts: Sequence[Part]) -> str:
    """Say in plain English how the cells decide a claim, each sentence once."""
    said = [*map(sentence_of, parts), claim.note, claim.why]
    return ".\n".join(dict.fromkeys(_capital(sentence) for sentence in said if sentence))


def sentence_of(part: Part) -> str:
    """Say how the cells that are counted together decide."""
    test, cells = part.test, part.cells
    said = _of_one(cells[0], test) if len(cells) == 1 else _of_several(cells, test)
    reading = test.get("reading", "")
    return f"{_capital(reading)}: {said}" if reading else said


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _of_one(cell: Cell, test: Test) -> str:
    """Say how one number decides."""
    number = cell.number
    if number is None:
        return cell.missing
    experiments = " and ".join(spoken(entry.partition(".")[2]) for entry in number.entries)
    said = f"{experiments or 'It'} has {number.ours:.4g} for {number.name or 'this'}"
    limit = float(test.get("limit", 0.0))
    if number.std_error is None:
        return f"{said}, measured once, so its uncertainty is unknown"
    if number.std_error == 0.0:
        return f"{said}, which is exact" + (f"; the limit is {limit:g}" if limit else "")
    compared = replace(number, ours=abs(number.ours)) if test["is"] == "near" else number
    away = distance(compared, limit)
    chance = sure(number.freedom) * number.std_error
    side = "above" if away > 0 else "below"
    certain = "clearly" if abs(away) > chance else "not clearly"
    error = f"standard error {number.std_error:.2g}"
    return f"{said} ({error}), {certain} {side} {limit:g}"


def _of_several(cells: Sequence[Cell], test: Test) -> str:
    """Count the cells in words, and name those that are not so if they are few."""
    states = Counter(cell.state for cell in cells)
    testable = [cell for cell in cells if cell.state != NOT_TESTABLE]
    away = _listed(f"{c.name}: {c.missing}" for c in cells if c not in testable and c.missing)
    if not testable:
        return away or "no cell can be tested here"
    lacking = [c.missing for c in testable if c.missing]
    if len(lacking) == len(testable):
        return lacking[0]
    shared = common([cell.name for cell in testable])
    further = [said_of(each["of"]) for each in test.get("also", []) if "of" in each]
    where = " and ".join([", ".join([spoken(test["figure"]), *shared]), *filter(None, further)])
    needed = f" ({_needed(len(testable), test)})" if len(testable) > 1 else ""
    said = f"{where}: true in {states[HOLDS]} of {_cells(len(testable))}{needed}"
    for state, word in ((FAILS, "false"), (OPEN, "undecided")):
        if states[state]:
            names = _listed(_rest(cell.name, shared) for cell in cells if cell.state == state)
            said += f", {word} in {states[state]}" + (f" ({names})" if names else "")
    if lacking:
        said += f"; {len(lacking)} of them are not computed yet"
    if states[NOT_TESTABLE]:
        said += f"; {states[NOT_TESTABLE]} more cannot be tested here"
        said += f" ({away})" if away else ""
    return said


def _rest(name: str, shared: Sequence[str]) -> str:
    """Return what a name has beside the parts that all have."""
    return ", ".join(part for part in name.split(", ") if part not in shared)


def _listed(names: Iterable[str]) -> str:
    """List a few names; many are on the page."""
    kept = [name for name in names if name]
    return "; ".join(kept) if len(kept) <= NAMED else ""


def _cells(n: int) -> str:
    return "1 cell" if n == 1 else f"{n} cells"


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
