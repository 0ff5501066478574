"""What rules are made of: numbers taken from records, compared, and cells that are counted.

Expected values are worked out by hand. Reading claims.toml and deciding are in test_claims.py.
"""

import math

import pytest

from paper_figures.claims import evidence
from paper_figures.claims.evidence import Decision, Missing, Number

HOLDS, FAILS, OPEN, NOT_TESTABLE = evidence.STATES


def row(ours, std=None, repetitions=None, published=None, **keys):
    values = keys | {"published": published, "ours": ours, "std": std}
    return values | ({"repetitions": repetitions} if repetitions else {})


RECORDS = {
    "table1": {
        "paper": "toy",
        "rows": [
            row(10.0, 4.0, 16, 9.0, method="a", k=1),
            row(12.0, 3.0, 9, 8.0, method="b", k=1),
            row(5.0, None, None, None, method="once", k=1),
            row(1.0, method="twice"),
            row(2.0, method="twice"),
            row(None, method="absent") | {"status": "not available", "why": "no file"},
        ],
    }
}


def table1(**keys):
    return evidence.number(RECORDS, "table1", **keys)


# ------------------------------------------------------------------------------- numbers


def test_a_number_has_the_standard_error_of_its_mean():
    number = table1(method="a", k=1)  # 4 / sqrt(16)
    assert number == Number("a, 1", 10.0, 1.0, 9.0, ("toy.table1",), 16)


def test_a_number_of_one_run_has_no_error_unless_its_kind_says_so():
    assert table1(method="once").std_error is None
    assert table1(method="once", deterministic=True).std_error == 0.0
    # 5 % of 100 points: (5 + 1) / (100 + 2) = 1 / 17, 100 sqrt(1/17 * 16/17 / 100) = 40 / 17
    assert table1(method="once", points=100).std_error == pytest.approx(40 / 17, rel=1e-14)
    assert table1(method="a", points=100, deterministic=True).std_error == 1.0


def test_no_hit_at_all_has_an_error():
    # (0 + 1) / (2 + 2) = 1/4; 100 sqrt(1/4 * 3/4 / 2)
    assert evidence.binomial_error(0.0, 2) == pytest.approx(100 * math.sqrt(3 / 32), rel=1e-14)
    assert evidence.binomial_error(100.0, 2) == evidence.binomial_error(0.0, 2)


def test_a_name_of_ones_own():
    assert evidence.number(RECORDS, "table1", "method a", method="a").name == "method a"


@pytest.mark.parametrize(
    "figure, keys, words",
    [
        ("table9", {}, "there is no record of table9"),
        ("table1", {"method": "c"}, "table1 has no row with method = c"),
        ("table1", {"method": "a", "k": 2}, "table1 has no row with method = a, k = 2"),
        ("table1", {"method": "absent"}, "table1 has no number for method = absent: no file"),
    ],
)
def test_what_is_missing_is_named(figure, keys, words):
    with pytest.raises(Missing) as error:
        evidence.number(RECORDS, figure, **keys)
    assert str(error.value) == words


def test_a_key_of_several_rows_is_a_mistake_of_the_rule():
    with pytest.raises(ValueError, match="table1 must have one row with method = twice; got 2"):
        table1(method="twice")


def test_the_difference_of_independent_numbers():
    a, b = Number("a", 10.0, 3.0, 9.0, ("e",)), Number("b", 12.0, 4.0, 8.0, ("f",))
    gap = evidence.difference(a, b)
    assert gap == Number("a minus b", -2.0, 5.0, 1.0, ("e", "f"))
    once = Number("c", 1.0, None, None, ("e",))
    assert evidence.difference(a, once, "gap") == Number("gap", 9.0, None, None, ("e",))
    assert evidence.difference(once, a).std_error is None


def test_the_ratio_of_independent_numbers():
    a, b = Number("a", 6.0, 0.6, 8.0, ("e",)), Number("b", 2.0, 0.4, 4.0, ("e",))
    share = evidence.ratio(a, b)
    assert (share.name, share.ours, share.published) == ("a over b", 3.0, 2.0)
    assert share.entries == ("e",)
    # relative errors 0.1 and 0.2 add up to sqrt(0.05) of 3
    assert share.std_error == pytest.approx(3 * math.sqrt(0.05), rel=1e-14)
    assert evidence.ratio(a, Number("c", 2.0)).std_error is None
    assert evidence.ratio(a, Number("c", 2.0, 0.0, None)).published is None


def test_the_average_of_independent_numbers():
    numbers = [Number("a", 1.0, 3.0, 2.0, ("e",)), Number("b", 5.0, 4.0, 6.0, ("f",))]
    assert evidence.average(numbers, "m") == Number("m", 3.0, 2.5, 4.0, ("e", "f"))
    numbers.append(Number("c", 3.0, None, None, ("e",)))
    assert evidence.average(numbers, "m") == Number("m", 3.0, None, None, ("e", "f"))


def test_no_ratio_to_zero_and_no_mean_of_nothing():
    with pytest.raises(Missing, match=r"^b is 0, so that there is no ratio to it$"):
        evidence.ratio(Number("a", 1.0, 1.0), Number("b", 0.0, 1.0))
    with pytest.raises(Missing, match=r"^there is no number for the mean of 0 sets$"):
        evidence.average([], "mean of 0 sets")


# ------------------------------------------------------------------------------- comparisons


@pytest.mark.parametrize(
    "ours, error, expected",
    [
        (3.01, 1.0, HOLDS),
        (3.0, 1.0, OPEN),  # two standard errors above the limit, not beyond them
        (1.0, 1.0, OPEN),
        (-1.0, 1.0, OPEN),
        (-1.01, 1.0, FAILS),
        (1.01, 0.0, HOLDS),
        (1.0, 0.0, FAILS),  # a deterministic number that equals the limit is not above it
        (0.99, 0.0, FAILS),
        (9.0, None, OPEN),  # measured once
    ],
)
def test_above_a_limit_of_one(ours, error, expected):
    number = Number("n", ours, error)
    decision = evidence.above(number, 1.0)
    assert (decision.state, decision.numbers) == (expected, (number,))
    # mirrored at the limit
    mirrored = Number("n", 2.0 - ours, error)
    decision = evidence.below(mirrored, 1.0)
    assert (decision.state, decision.numbers) == (expected, (mirrored,))


def test_decisions_say_why():
    assert evidence.above(Number("n", 1.0)).because == "n was measured once, without an error"
    assert evidence.above(Number("n", 1.0, 0.0)).because == "the quantity is deterministic"
    assert "within two" in evidence.above(Number("n", 1.0, 1.0)).because
    assert "beyond two" in evidence.above(Number("n", 5.0, 1.0)).because


@pytest.mark.parametrize(
    "b, expected", [(11.0, HOLDS), (10.0, OPEN), (-10.0, OPEN), (-11.0, FAILS)]
)
def test_less_and_more_of_two_numbers(b, expected):
    first, second = Number("a", 0.0, 3.0), Number("b", b, 4.0)  # twice the error is 10
    assert evidence.less(first, second) == Decision(
        expected, (first, second), evidence.less(first, second).because
    )
    assert evidence.more(second, first).state == expected
    assert evidence.more(second, first).numbers == (second, first)


@pytest.mark.parametrize(
    "b, error, expected",
    [
        (0.5, 0.1, HOLDS),
        (-0.5, 0.1, HOLDS),
        (0.9, 0.1, OPEN),
        (1.1, 0.1, OPEN),
        (1.3, 0.1, FAILS),
        (-1.3, 0.1, FAILS),
        (1.0, 0.0, HOLDS),
        (-1.0, 0.0, HOLDS),
        (1.01, 0.0, FAILS),
        (0.0, None, OPEN),
    ],
)
def test_near_within_one(b, error, expected):
    first, second = Number("a", 0.0, 0.0), Number("b", b, error)
    decision = evidence.near(first, second, 1.0)
    assert (decision.state, decision.numbers) == (expected, (first, second))


# ------------------------------------------------------------------------------- cells

NUMBERS = {state: Number(state, 1.0, 0.1) for state in evidence.STATES}


def cells(*states):
    return {f"{i}": Decision(state, (NUMBERS[state],)) for i, state in enumerate(states)}


@pytest.mark.parametrize(
    "states, expected",
    [
        ((HOLDS, HOLDS), HOLDS),
        ((HOLDS, OPEN), OPEN),
        ((OPEN, FAILS), FAILS),
        ((HOLDS, FAILS), FAILS),
        ((HOLDS, NOT_TESTABLE), HOLDS),
        ((OPEN, NOT_TESTABLE), OPEN),
        ((NOT_TESTABLE,), NOT_TESTABLE),
        ((), NOT_TESTABLE),
    ],
)
def test_every(states, expected):
    assert evidence.every(cells(*states)).state == expected


@pytest.mark.parametrize(
    "states, expected",
    [
        ((HOLDS, HOLDS, FAILS), HOLDS),
        ((HOLDS, OPEN, FAILS), OPEN),
        ((HOLDS, FAILS, FAILS), FAILS),
        ((HOLDS, FAILS), FAILS),  # half is not most
        ((HOLDS, NOT_TESTABLE, NOT_TESTABLE), HOLDS),
    ],
)
def test_most(states, expected):
    assert evidence.most(cells(*states)).state == expected


@pytest.mark.parametrize("wanted, expected", [(1, HOLDS), (2, HOLDS), (3, OPEN), (4, FAILS)])
def test_at_least(wanted, expected):
    decision = evidence.at_least(cells(HOLDS, HOLDS, OPEN, FAILS, NOT_TESTABLE), wanted, "sets")
    assert decision.state == expected
    assert decision.because == (
        f"holds in 2 of 4 sets, {wanted} needed; fails: 3; open: 2; not testable here: 4"
    )
    assert decision.cells == (
        ("0", HOLDS),
        ("1", HOLDS),
        ("2", OPEN),
        ("3", FAILS),
        ("4", NOT_TESTABLE),
    )
    # a number that two cells share stands once
    assert decision.numbers == tuple(NUMBERS[s] for s in (HOLDS, OPEN, FAILS, NOT_TESTABLE))


def test_many_cells_are_counted_instead_of_named():
    decision = evidence.every(cells(HOLDS, *[OPEN] * 7), "cells")
    assert decision.because == "holds in 1 of 8 cells, 8 needed; open: 7 cells"
    decision = evidence.every(cells(HOLDS, *[OPEN] * 6), "cells")
    assert decision.because == "holds in 1 of 7 cells, 7 needed; open: 1, 2, 3, 4, 5, 6"


@pytest.mark.parametrize(
    "first, second, expected",
    [
        (HOLDS, HOLDS, HOLDS),
        (HOLDS, OPEN, OPEN),
        (OPEN, FAILS, FAILS),
        (NOT_TESTABLE, HOLDS, NOT_TESTABLE),
        (OPEN, NOT_TESTABLE, OPEN),
    ],
)
def test_both(first, second, expected):
    left = Decision(first, (NUMBERS[first],), "left", (("l", first),))
    right = Decision(second, (NUMBERS[second],), "right", (("r", second),))
    decision = evidence.both(left, right)
    assert decision.state == evidence.both(right, left).state == expected
    assert decision.because == "left; right"
    assert decision.cells == (("l", first), ("r", second))
    assert set(decision.numbers) == {NUMBERS[first], NUMBERS[second]}


def test_a_cell_whose_number_is_missing_is_open():
    def rule(method):
        return evidence.above(table1(method=method))

    assert evidence.tried(rule, "a").state == HOLDS
    decision = evidence.tried(rule, "absent")
    assert decision == Decision(OPEN, (), "table1 has no number for method = absent: no file")


def test_a_number_says_of_how_many_runs_it_is_if_its_parts_agree():
    four, other, once = (Number("n", 2.0, 0.5, runs=runs) for runs in (4, 4, 1))
    exact = Number("exact", 1.0, 0.0)
    assert evidence.difference(four, other).runs == 4
    assert evidence.ratio(four, exact).runs == 4  # chance has no part in the other
    assert evidence.average([four, other, once], "mean").runs is None
    assert evidence.difference(exact, exact).runs is None
    assert table1(method="once").runs == table1(method="once", points=100).runs == 1
    assert table1(method="once", deterministic=True).runs is None
