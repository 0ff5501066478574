"""Claims are decided by their tests: what gives a cell its state, and cells the state of a claim.

What the tests of all claims say of the committed records is in the gate.
"""

import re
from pathlib import Path

import numpy as np
import pytest

from paper_figures import judge
from paper_figures.judge import cells
from paper_figures.judge.cells import FAILS, HOLDS, NOT_TESTABLE, OPEN, Cell, Part
from paper_figures.judge.numbers import Number, Source
from paper_figures.judge.reading import Claim, load_claims, named_figures
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


# --------------------------------------------------------------------------- the papers' own tests

TESTS = [
    pytest.param(paper, test, id=f"{paper}-{claim.id}-{i}")
    for paper in PAPERS
    for claim in CONTENTS[paper].claims
    for i, test in enumerate(claim.tests)
]


def made(paper, test, records):
    source = Source(paper, records, load_rules(paper))
    return list(cells.cells_of(source, test, CONTENTS[paper].not_here))


def shaken(paper, test, trial, rng):
    """Return records in which the numbers that share one key or two are far off, or all are right.

    Right is what the print has, or the number that the test compares with.
    """
    of, over = test.get("of"), test.get("over")
    field = of.get("field", "ours") if isinstance(of, dict) else "ours"
    right = over.get("number") if isinstance(over, dict) else None
    records = {name: RECORDS[paper][name] for name in {test["figure"], *named_figures([test])}}
    rows = [row for record in records.values() for row in record["rows"]]
    keys = sorted(
        {(k, v) for row in rows for k, v in row.items() if isinstance(v, str | int)}, key=str
    )
    (first, a), (second, b) = (keys[rng.integers(len(keys))] for _ in "12")
    far = (1e6, -1e6, 0.0)[trial % 3]

    def moved(row):
        x = row.get(field)
        if x is None:
            return row
        if trial == 0:
            x = row["published"] if right is None else right
        elif row.get(first) == a:
            x = 1e-6 * x + far * (abs(x) + 1)
        elif trial % 2 and row.get(second) == b:
            x -= far * (abs(x) + 1)
        return row if x is None else row | {field: x}

    for name, record in records.items():
        records[name] = record | {"rows": [moved(row) for row in record["rows"]]}
    return RECORDS[paper] | records


@pytest.mark.parametrize("paper, test", TESTS)
def test_every_test_finds_a_number_and_can_hold_and_can_fail(paper, test):
    """Made-up numbers decide it on both sides, unless its errors are unknown."""
    found = made(paper, test, RECORDS[paper])
    assert any(cell.number is not None for cell in found), [cell.missing for cell in found]
    wanted, seen = {HOLDS, test.get("against", FAILS)}, {cell.state for cell in found}
    rng = np.random.default_rng(0)
    for trial in range(300):
        if not wanted <= seen:
            seen |= {cell.state for cell in made(paper, test, shaken(paper, test, trial, rng))}
    known = [c for c in found if c.number is not None and c.number.std_error is not None]
    assert wanted <= seen or not known, seen


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
