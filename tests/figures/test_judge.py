"""Claims are decided by their tests: each test of each claim, with errors planted on both sides."""

import re
from pathlib import Path

import pytest

from paper_figures import judge
from paper_figures.judge import cells
from paper_figures.judge.cells import FAILS, HOLDS, NOT_TESTABLE, OPEN, Cell, Part
from paper_figures.judge.numbers import Number, Source
from paper_figures.judge.reading import Claim, load_claims
from paper_figures.judge.verdicts import load_rules
from paper_figures.registry import PAPERS, load_papers
from paper_figures.store import Store

REPRODUCED = Path(judge.__file__).parents[1] / "reproduced"
CONTENTS = {paper: load_claims(paper) for paper in PAPERS}
RECORDS = {
    paper.name: judge.read_records(Store(REPRODUCED), paper)
    for paper in load_papers()
    if paper.name in PAPERS
}


# --------------------------------------------------------------------------- errors in the records


def copied(records):
    """Return records whose rows can be changed."""
    return {
        name: record | {"rows": [dict(row) for row in record["rows"]]}
        for name, record in records.items()
    }


class Spied(Source):
    """Records that note which rows are looked at."""

    def rows(self, figure, keys):
        found = super().rows(figure, keys)
        self.seen.extend(found)
        return found


def evaluated(paper, test, place, records):
    """Return a cell of a test, and the rows with numbers that it looked at."""
    source = Spied(paper, records, load_rules(paper))
    object.__setattr__(source, "seen", [])
    for i, cell in enumerate(cells.cells_of(source, test, CONTENTS[paper].not_here)):
        if i == place:
            rows = {id(row): row for row in source.seen if row["ours"] is not None}
            return cell, list(rows.values())
        source.seen.clear()
    raise LookupError(f"the test has no cell {place}")


def groups(rows):
    """Return the rows alone, and together with those that share one of their keys."""
    keys = {(k, v) for row in rows for k, v in row.items() if isinstance(v, str | int)}
    shared = [[row for row in rows if row.get(k) == v] for k, v in sorted(keys, key=str)]
    return [*([row] for row in rows), *shared, rows]


def planted(paper, test, place, records, wanted):
    """Change rows until the cell of a test has a state; return whether that was possible.

    An error is far from the number that is there, or for what must meet a number exactly as large
    as the difference.
    """
    of = test.get("of")
    field = of.get("field", "ours") if isinstance(of, dict) else "ours"
    cell, rows = evaluated(paper, test, place, records)
    if cell.state == wanted:
        return True
    for group in groups(rows):
        group = [row for row in group if row.get(field) is not None]
        kept = [row[field] for row in group]

        def becomes(values, group=group):
            for row, value in zip(group, values, strict=True):
                row[field] = value
            return evaluated(paper, test, place, records)[0]

        changed = [[x + far * (abs(x) + 1.0) for x in kept] for far in (1e6, -1e6)]
        changed += [[x * far for x in kept] for far in (1e6, 1e-6, 1e12)]
        if test["is"] in ("near", "as published") and len(group) == 1:
            slope = becomes([kept[0] + 1.0]).number.ours - cell.number.ours
            changed += [[kept[0] - cell.number.ours / slope]] if slope else []
        if any(becomes(values).state == wanted for values in changed):
            return True
        becomes(kept)
    return False


def known(cell):
    return cell.number is not None and cell.number.std_error is not None


PLANTED = [
    pytest.param(
        paper,
        claim,
        test,
        place,
        id=f"{paper}-{claim.id}-{i}-{place}",
        marks=() if place == places[0] else pytest.mark.further,
    )
    for paper, content in CONTENTS.items()
    for claim in content.claims
    for i, test in enumerate(claim.tests)
    for source in [Source(paper, RECORDS[paper], load_rules(paper))]
    for made in [list(cells.cells_of(source, test, content.not_here))]
    for places in [[place for place, cell in enumerate(made) if known(cell)]]
    for place in sorted({*places[:1], *places[-1:]})
]


def alone(test):
    """Return a test without its further ones."""
    return {name: value for name, value in test.items() if name != "also"}


def further(test):
    """Return the further tests of a test, as tests of their own."""
    own = ("also", "over", "over_all", "is", "limit", "worth", "against")
    return [
        {name: v for name, v in test.items() if name not in own} | also
        for also in test.get("also", [])
    ]


@pytest.mark.parametrize("paper, claim, test, place", PLANTED)
def test_an_error_in_a_record_moves_its_cell_and_its_claim(paper, claim, test, place):
    """A cell holds if its number and all further ones are far on the right side.

    It fails if one of them is far on the wrong side, and so does a claim that needs every cell.
    """
    good = copied(RECORDS[paper])
    for one in (alone(test), *further(test)):
        assert planted(paper, one, place, good, HOLDS), one
    assert evaluated(paper, test, place, good)[0].state == HOLDS
    for one in (alone(test), *further(test)):
        bad, wrong = copied(good), one.get("against", FAILS)
        assert planted(paper, one, place, bad, wrong), one
        assert evaluated(paper, test, place, bad)[0].state == wrong
        if test.get("need", "every") == "every" and not claim.why:
            state = judge.decide_claim(claim, CONTENTS[paper], bad).state
            may_be_open = state == OPEN and (claim.readings or wrong == OPEN)
            assert state == FAILS or may_be_open or (state == NOT_TESTABLE and claim.readings)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_test_finds_a_number(paper):
    source = Source(paper, RECORDS[paper], load_rules(paper))
    for claim in CONTENTS[paper].claims:
        for test in claim.tests:
            made = list(cells.cells_of(source, test, CONTENTS[paper].not_here))
            found = any(known(cell) for cell in made)
            unknown = any(cell.number is not None for cell in made)
            assert found or unknown, (claim.id, [cell.missing for cell in made])


# --------------------------------------------------------------------------- cells to a state


def states(*listed):
    return [Cell(f"{i}", state) for i, state in enumerate(listed)]


@pytest.mark.parametrize(
    "need, listed, state",
    [
        ("every", [HOLDS, HOLDS], HOLDS),
        ("every", [HOLDS, OPEN], OPEN),
        ("every", [HOLDS, OPEN, FAILS], FAILS),
        ("every", [HOLDS, NOT_TESTABLE], HOLDS),
        ("every", [NOT_TESTABLE], NOT_TESTABLE),
        ("most", [HOLDS, HOLDS, FAILS], HOLDS),
        ("most", [HOLDS, FAILS], FAILS),
        ("most", [HOLDS, OPEN], OPEN),
        (1, [FAILS, FAILS, HOLDS], HOLDS),
        (2, [HOLDS, FAILS, OPEN], OPEN),
        ("all but 1", [HOLDS, HOLDS, FAILS], HOLDS),
        ("all but 1", [HOLDS, FAILS, FAILS], FAILS),
        ("all but 1", [FAILS, NOT_TESTABLE], FAILS),  # at least one must be so
    ],
)
def test_so_many_cells_are_needed(need, listed, state):
    assert cells.counted(states(*listed), need) == state


@pytest.mark.parametrize(
    "readings, at_best, listed, state",
    [
        ("", "", [HOLDS, HOLDS], HOLDS),
        ("", "", [HOLDS, FAILS], FAILS),
        ("", OPEN, [HOLDS, HOLDS], OPEN),
        ("", OPEN, [HOLDS, FAILS], FAILS),
        ("first", "", [HOLDS, OPEN], HOLDS),
        ("first", "", [FAILS, HOLDS], NOT_TESTABLE),
        ("agree", "", [HOLDS, HOLDS], HOLDS),
        ("agree", "", [OPEN, HOLDS], OPEN),
        ("agree", "", [FAILS, HOLDS], NOT_TESTABLE),
        ("agree", "", [FAILS, FAILS], FAILS),
    ],
)
def test_parts_and_readings_give_a_state(readings, at_best, listed, state):
    claim = Claim("a", "toy", "Table 1", "A.", readings=readings, at_best=at_best)
    parts = [
        Part({"is": "above"} | ({"reading": str(i)} if readings else {}), (), part)
        for i, part in enumerate(listed)
    ]
    assert judge.state_of_parts(claim, parts) == state


@pytest.mark.parametrize(
    "ours, error, test, state",
    [
        (3.0, 1.0, {"is": "above"}, HOLDS),
        (-3.0, 1.0, {"is": "above"}, FAILS),
        (1.0, 1.0, {"is": "above"}, OPEN),
        (9.0, None, {"is": "above"}, OPEN),
        (9.0, None, {"is": "not above"}, OPEN),
        (-9.0, None, {"is": "not above"}, OPEN),
        (0.0, 0.0, {"is": "above"}, FAILS),
        (1.0, 0.1, {"is": "above", "limit": 2}, FAILS),
        (1.0, 0.4, {"is": "above", "worth": 2.0}, FAILS),  # ahead, but the lead is too small
        (1.0, 0.6, {"is": "above", "worth": 2.0}, OPEN),
        (3.0, 0.7, {"is": "above", "worth": 2.0}, HOLDS),
        (2.0, 0.0, {"is": "above", "worth": 2.0}, HOLDS),  # the smallest lead that counts
        (1.9, 0.0, {"is": "above", "worth": 2.0}, FAILS),
        (-1.0, 0.6, {"is": "below", "worth": 2.0}, OPEN),
        (0.5, 0.4, {"is": "below", "worth": 2.0}, FAILS),
        (-1.0, 1.0, {"is": "not above"}, HOLDS),
        (1.0, 1.0, {"is": "not above"}, HOLDS),
        (3.0, 1.0, {"is": "not above"}, FAILS),
        (-0.5, 0.1, {"is": "near", "limit": 1}, HOLDS),
        (-1.5, 0.1, {"is": "near", "limit": 1}, FAILS),
        (1.0, 0.0, {"is": "near", "limit": 1}, HOLDS),
        (1.0, 1.0, {"is": "as published"}, HOLDS),
        (3.0, 1.0, {"is": "as published"}, FAILS),
        (-3.0, 1.0, {"is": "above", "against": OPEN}, OPEN),
    ],
)
def test_a_number_gives_a_state(ours, error, test, state):
    assert cells.state_of(Number("x", ours, error), test) == state


# --------------------------------------------------------------------------- what is said


@pytest.mark.parametrize("paper", PAPERS)
def test_reasons_are_said_once_and_show_no_internal_name(paper):
    for item in judge.decide(paper, RECORDS[paper]):
        sentences = re.split(r"(?<!eq)\. ", item.because)
        assert item.because and len(set(sentences)) == len(sentences), item.claim.id
        for name in RECORDS[paper]:
            assert f"{paper}.{name}" not in item.because
        for number in item.numbers:
            assert number.entries, number


@pytest.mark.parametrize("paper", PAPERS)
def test_without_records_nothing_is_decided(paper):
    decided = judge.decide(paper, {})
    assert {item.state for item in decided} <= {OPEN, NOT_TESTABLE}
    small = {name: record | {"scale": "small"} for name, record in RECORDS[paper].items()}
    assert {item.state for item in judge.decide(paper, small)} == {NOT_TESTABLE}
