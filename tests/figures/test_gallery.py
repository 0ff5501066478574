"""Words and numbers of the pages; whole pages are in the gate: tests/figures/test_views.py."""

import pytest

from paper_figures.gallery import numbers, signs, words
from paper_figures.gallery.texts import sentence, with_links
from paper_figures.judge import cells, verdicts


def test_printed_parts_come_from_the_index_of_the_paper():
    parts = words.printed_parts("boosted_distance")
    assert {"Algorithm A.1", "Algorithm A.2", "Algorithm A.3"} <= set(parts["table2"])
    assert "Algorithm A.2" in parts["rounds"] and "Algorithm A.2" not in parts["figure2"]
    assert words.printed_parts("first_paper") == {}
    assert {"Figure 3", "§ 7.3", "eq. 11"} <= set(words.printed_parts("boostmap")["table1"])


def test_a_text_links_the_entries_that_it_names():
    entries = {"lmnn.steps", "ftune.table1"}
    text = "see `steps`, ftune.table1, `x<y`, lmnn.steps and i.e. this"
    assert with_links(text, "lmnn", entries) == (
        'see <a href="#steps"><code>steps</code></a>, '
        '<a href="../ftune/index.html#table1">ftune.table1</a>, <code>x&lt;y</code>, '
        '<a href="#steps">lmnn.steps</a> and i.e. this'
    )
    named = with_links("search_forest.many_k2: twice", "lmnn", {"search_forest.many_k2"})
    assert named == '<a href="../search_forest/index.html#many_k2">search_forest.many_k2</a>: twice'


@pytest.mark.parametrize(
    "text, whole",
    [
        ("a reason", "A reason."),
        ("m is not said", "m is not said."),
        ("gender/gender.npz is missing", "gender/gender.npz is missing."),
        ("Done!", "Done!"),
    ],
)
def test_sentences(text, whole):
    assert sentence(text) == whole


def test_every_state_has_a_sign():
    assert set(signs.VERDICTS) == set(verdicts.STATES)
    assert set(signs.CLAIMS) == set(cells.STATES)
    marks = [sign for sign, _ in signs.VERDICTS.values()]
    assert len(set(marks)) == len(marks)


# ------------------------------------------------------------------------------- numbers as text


def row(published, ours, std=None, **keys):
    n = 1 if std is None else 4
    error = None if std is None else std / 2
    return keys | {"published": published, "ours": ours, "error": error, "n": n}


@pytest.mark.parametrize(
    "printed, ours, stds, decimals",
    [
        ([12.0, 8.88], [15.14], [1.9], 2),  # as printed
        ([0.93], [0.9284], [0.004], 3),  # the deviation needs one more
        ([3.0], [4.2513], [None], 3),  # without printed decimals, four digits of the largest
        ([844.0], [7], [None], 0),
        ([], [0.12345], [None], 4),
        ([], [45.4912, 7.5], [None, None], 2),
        ([], [123456.7], [None], 0),
        ([], [38.4, 0.0], [None, None], 1),  # more would be zeros
    ],
)
def test_decimals_of_a_table(printed, ours, stds, decimals):
    rows = [row(p, None) for p in printed]
    rows += [row(None, value, std) for value, std in zip(ours, stds, strict=True)]
    assert numbers.our_decimals(rows) == decimals


@pytest.mark.parametrize(
    "value, digits, sign, text",
    [
        (12.0, 2, "", "12.00"),
        (12, 2, "", "12"),
        (-0.49, 2, "", "−0.49"),
        (0.001234, 2, "", "0.001234"),
        (0.005, 2, "", "0.01"),  # half of the last decimal is shown with two decimals
        (0.00499, 2, "", "0.00499"),
        (0.0, 2, "+", "+0.00"),
        (2359.0, None, "", "2359"),
        (12.34567, None, "+", "+12.35"),
        (3_238_962_626, 0, "", "3,238,962,626"),
        (123456.7, None, "", "123,457"),
        (None, 2, "", "–"),
    ],
)
def test_number_text(value, digits, sign, text):
    assert numbers.number_text(value, digits, sign) == text


def test_a_small_deviation_has_one_digit():
    texts = [numbers.spread_text(std, 3) for std in (0.000347, 0.0005, 0.0)]
    assert texts == ["0.0003", "0.001", "0.000"]


@pytest.mark.parametrize(
    "value, error, texts",
    [
        (1.2717, 0.0703, ("1.272", "0.070")),
        (93.8, 1.295, ("93.8", "1.3")),
        (540.2, 37.0, ("540", "37")),
        (50, 0.0, ("50", "")),
        (1.5, None, ("1.5", "")),
    ],
)
def test_an_error_has_two_digits(value, error, texts):
    assert numbers.with_error(value, error) == texts


@pytest.mark.parametrize(
    "seconds, text",
    [
        (0.44, "0.4 s"),
        (59.96, "1 min 0 s"),
        (250.4, "4 min 10 s"),
        (3599.7, "1 h 0 min"),
        (12_300, "3 h 25 min"),
        (9_000_000, "2,500 h 0 min"),
    ],
)
def test_durations(seconds, text):
    assert numbers.duration_text(seconds) == text
