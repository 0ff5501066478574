"""Claims are decided by their tests: each test of each claim, with errors planted on both sides.

The form of claims.toml is in test_published_claims.py, numbers and their errors in
test_evidence.py. Not tested here: how a page shows claims.
"""

import copy
import json
import re
from pathlib import Path

import pytest

from paper_figures import judge
from paper_figures.judge import cells, evidence
from paper_figures.judge.cells import FAILS, HOLDS, NOT_TESTABLE, OPEN, Cell, Part
from paper_figures.judge.evidence import Number, Source
from paper_figures.judge.reading import Claim, load_claims
from paper_figures.registry import PAPERS, load_papers
from paper_figures.store import Store

REPRODUCED = Path(judge.__file__).parents[1] / "reproduced"
CONTENTS = {paper: load_claims(paper) for paper in PAPERS}
RECORDS = {
    paper.name: judge.read_records(Store(REPRODUCED), paper)
    for paper in load_papers()
    if paper.name in PAPERS
}
FAR = 1e7

# --------------------------------------------------------------------------- errors in the records


def followed(paper, test, records):
    """Return each cell of a test, with the rows of its number and the rows of those beside it."""
    made, found, seen = [], [], []
    true_error, true_find, true_cell = evidence.error_of, cells.find, cells.cell_of

    def error(source, asked, row, exact):
        seen.append(row)
        return true_error(source, asked, row, exact)

    def find(*args):
        seen.clear()
        number = true_find(*args)
        found.append(list(seen))
        return number

    def cell(*args):
        found.clear()
        one = true_cell(*args)
        own, *others = found or [[]]
        made.append((one, own, [row for rows in others for row in rows]))
        return one

    content = CONTENTS[paper]
    source = Source(paper, records, content.lower_bounds)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(evidence, "error_of", error)
        patched.setattr(cells, "find", find)
        patched.setattr(cells, "cell_of", cell)
        list(cells.cells_of(source, test, content.not_here))
    return made


def known(cell):
    return cell.number is not None and cell.number.std_error is not None


PLANTED = [
    pytest.param(paper, test, place, id=f"{paper}-{claim.id}-{i}-{place}")
    for paper, content in CONTENTS.items()
    for claim in content.claims
    for i, test in enumerate(claim.tests)
    for made in [followed(paper, test, RECORDS[paper])]
    for places in [[place for place, (cell, *_) in enumerate(made) if known(cell)]]
    for place in sorted({*places[:1], *places[-1:]})
]


def rows_to_change(records, test, own, beside):
    """Return the rows that a cell's number may be taken from."""
    if "geometric_mean" in json.dumps(test["of"] if "of" in test else ""):
        return own[::2]  # the numerators
    if "best" not in json.dumps([test.get("of"), test.get("rows")]):
        return own[:1]
    (rows,) = [r["rows"] for r in records.values() if any(row is own[0] for row in r["rows"])]
    text = {k: v for k, v in own[0].items() if isinstance(v, str) and k != "why"}
    alike = [row for row in rows if all(row.get(k) == v for k, v in text.items())]
    others = [id(row) for row in beside if row is not own[0]]
    return [row for row in alike if row["ours"] is not None and id(row) not in others]


def far(number, test, large):
    """Return a number far away on one side, as far as its kind goes."""
    if "points" in test:
        return 100.0 if large else 0.0
    if "geometric_mean" in json.dumps(test.get("of")):
        return number * FAR if large else number / FAR
    return (abs(number) + 1.0) * (FAR if large else -FAR)


@pytest.mark.parametrize("large", [True, False], ids=["large", "small"])
@pytest.mark.parametrize("paper, test, place", PLANTED)
def test_an_error_in_a_record_moves_its_cell(paper, test, place, large):
    """A cell fails if its number is far on the wrong side, and holds if it is on the right one.

    What else a cell must fulfil is of other numbers.
    """
    test = {name: value for name, value in test.items() if name != "also"}
    records = copy.deepcopy(RECORDS[paper])
    cell, own, beside = followed(paper, test, records)[place]
    if any(row is own[0] for row in beside):
        pytest.skip("its number is on both sides")
    of = test.get("of")
    field = of.get("field", "ours") if isinstance(of, dict) else "ours"
    meets = test["is"] in ("near", "as published")
    if meets and not large:  # exactly what the claim says, of which a number is a linear function
        own[0][field] += 1.0
        slope = followed(paper, test, records)[place][0].number.ours - cell.number.ours
        own[0][field] -= 1.0 + cell.number.ours / slope
    else:
        for row in rows_to_change(records, test, own, beside):
            row[field] = far(row[field], test, large)
    now = followed(paper, test, records)[place][0]
    good = not large if meets or test["is"] in ("below", "not above") else large
    doubtful = test.get("against") == OPEN or cell.number.bound
    if good:
        assert now.state in {HOLDS, *([OPEN] if cell.number.bound else [])}
    else:
        assert now.state in {FAILS, *([OPEN] if doubtful else [])}


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
        ("first", "", [FAILS, HOLDS], OPEN),
        ("agree", "", [HOLDS, HOLDS], HOLDS),
        ("agree", "", [OPEN, HOLDS], OPEN),
        ("agree", "", [FAILS, HOLDS], OPEN),
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


def test_a_lower_bound_decides_on_its_own_side_only():
    low = Number("x", -3.0, 1.0, bound=1)
    assert cells.state_of(low, {"is": "above"}) == OPEN
    assert cells.state_of(low, {"is": "below"}) == OPEN
    assert cells.state_of(Number("x", 3.0, 1.0, bound=1), {"is": "above"}) == HOLDS


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


@pytest.mark.parametrize("paper", PAPERS)
def test_the_committed_claims_are_those_of_the_committed_records(paper):
    stored = (REPRODUCED / paper / "claims.json").read_text(encoding="utf-8")
    assert stored == judge.dump(paper, judge.decide(paper, RECORDS[paper]))
