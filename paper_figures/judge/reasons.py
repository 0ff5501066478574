"""Why a claim has its state, in plain English: made from its cells alone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from paper_figures.judge.cells import FAILS, HOLDS, NOT_TESTABLE, OPEN, Cell, Part, wanted_of
from paper_figures.judge.numbers import Test, distance, words
from paper_figures.judge.reading import Claim
from paper_figures.judge.rows import sure
from paper_figures.registry import spoken

NAMED = 6
"""Up to so many cells are named in a sentence; the page lists all."""


def because(claim: Claim, parts: Sequence[Part]) -> str:
    """Say in plain English how the cells decide a claim, each sentence once."""
    awaits = f"Open until {claim.awaits}" if claim.awaits else ""
    said = [awaits, *map(sentence_of, parts), claim.note, claim.why]
    return ". ".join(dict.fromkeys(_capital(sentence) for sentence in said if sentence))


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
    limit = float(test.get("limit", 0.0))
    if number.std_error is None:
        return f"{said}, measured once, so its uncertainty is unknown"
    if number.std_error == 0.0:
        return f"{said}, exactly" + (f" (limit {limit:g})" if limit else "")
    compared = replace(number, ours=abs(number.ours)) if test["is"] == "near" else number
    away = abs(distance(compared, limit)) / number.std_error
    return f"{said}, {away:.1f} standard errors from {limit:g} ({sure(number.freedom):.1f} count)"


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
