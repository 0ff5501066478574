"""Numbers of claims: found in the records, combined, with their errors by hand."""

import math

import pytest

from paper_figures.judge.cells import compared
from paper_figures.judge.numbers import Missing, Number, Source, combined, distance, find
from paper_figures.judge.verdicts import sure

ROWS = [
    {"method": "a", "d": 1, "published": 5.0, "ours": 4.0, "error": 0.2, "n": 9},
    {"method": "a", "d": 2, "published": 3.0, "ours": 2.0, "error": 0.1, "n": 9},
    {"method": "b", "d": 1, "published": None, "ours": 8.0, "error": 0.4, "n": 9, "used": 7},
    {"method": "b", "d": 2, "published": None, "ours": 50.0, "error": None, "n": 1},
    {"method": "c", "d": 1, "published": None, "ours": None, "error": None, "n": 0},
    {"method": "e", "d": 1, "published": None, "ours": 1.0, "error": 0.5, "n": 9},
    {"method": "e", "d": 2, "published": None, "ours": 1.0, "error": None, "n": 9},
]
SOURCE = Source("toy", {"table1": {"rows": ROWS}, "figure1": {"rows": ROWS[:1]}})
D1 = {"d": 1}


@pytest.mark.parametrize(
    "of, keys, ours, error, published",
    [
        ("a", D1, 4.0, 0.2, 5.0),
        ({"method": "a", "figure": "figure1"}, D1, 4.0, 0.2, 5.0),
        ("b", {"d": 2}, 50.0, None, None),
        ({"number": 50}, D1, 50.0, 0.0, 50.0),
        ({"method": "a", "d": {"best": "lowest"}}, {}, 2.0, 0.1, 3.0),
        ({"method": "a", "d": {"best": "highest", "not": [1]}}, {}, 2.0, 0.1, 3.0),
        ({"method": "a", "d": {"best": "highest", "by": "d", "most": 1}}, {}, 4.0, 0.2, 5.0),
    ],
)
def test_a_number_is_found_with_its_error(of, keys, ours, error, published):
    number = find(SOURCE, {"figure": "table1", "is": "above"}, of, keys)
    assert (number.ours, number.published) == (pytest.approx(ours), published)
    assert number.std_error == (None if error is None else pytest.approx(error))


@pytest.mark.parametrize(
    "left_out, less", [("own", 4.0 - 1.0), (["own", "e"], 4.0 - 8.0), (["e"], 0.0)]
)
def test_the_best_beside_a_number_may_leave_out_its_own(left_out, less):
    over = {"method": {"best": "lowest", "not": left_out}}
    number = compared(SOURCE, {"figure": "table1", "is": "below"}, "a", over, D1)
    assert number.ours == pytest.approx(less)


def test_a_geometric_mean_has_the_spread_of_its_numbers():
    of = {"geometric_mean": {"d": [1, 2]}, "of": "a"}
    number = find(SOURCE, {"figure": "table1", "is": "above"}, of, {})
    assert number.ours == pytest.approx(math.sqrt(8)) and number.freedom == 1
    assert number.std_error == pytest.approx(number.ours * math.log(2) / 2)
    errors = math.log(math.sqrt(8) / 1.5) / (math.log(2) / 2)  # from 1.5, by logarithms
    assert distance(number, 1.5) / number.std_error == pytest.approx(errors)


@pytest.mark.parametrize(
    "of, keys, said",
    [
        ("c", D1, "Table 1 has no number yet for d 1, c"),
        ("a", {}, "Table 1 has 2 numbers for a"),
        ({"figure": "figure9"}, D1, "Figure 9 is not computed yet"),
        ({"method": "z", "d": {"best": "lowest"}}, {}, "Table 1 has no number yet for z"),
        ({"geometric_mean": {"d": [1]}, "of": {"times": [-1, "a"]}}, {}, "is not above 0"),
        ({"ratio": ["a", {"times": [0, "a"]}]}, D1, "is 0: there is no ratio to it"),
    ],
)
def test_what_is_missing_is_said(of, keys, said):
    with pytest.raises(Missing, match=said):
        find(SOURCE, {"figure": "table1", "is": "above"}, of, keys)


def test_degrees_of_freedom_are_those_of_welch_and_satterthwaite():
    one, other = Number("x", 1.0, 0.3, freedom=4), Number("y", 1.0, 0.4, freedom=9)
    both = combined([one, other], [1.0, -1.0])
    assert both.freedom == pytest.approx(0.5**4 / (0.3**4 / 4 + 0.4**4 / 9))
    assert combined([one, Number("z", 0.0, 0.0)], [1.0, 1.0]).freedom == pytest.approx(4)
    assert combined([one, Number("z", 1.0, 0.4, freedom=0)], [1.0, 1.0]).freedom == 0


@pytest.mark.parametrize(
    "freedom, times", [(4, 2.8585), (9, 2.3131), (math.inf, 1.9954), (0, math.inf)]
)
def test_few_runs_need_more_standard_errors(freedom, times):
    assert sure(freedom) == pytest.approx(times, abs=1e-4)
