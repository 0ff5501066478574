"""Tables of the pages: made-up rows and verdicts, and the lines, columns and cells they become."""

from pathlib import Path

import pytest
from fake_paper import paper_of
from html_tree import read_page

from paper_figures.gallery import numbers
from paper_figures.gallery.entries import Entry, Judged, Room
from paper_figures.gallery.html import template
from paper_figures.judge import verdicts
from paper_figures.judge.verdicts import Explanation, Verdict
from paper_figures.study import Gathered, Grid, View

WHY = Explanation("a", "another step size", "made_up.steps", (), {}, (), "same")
ELSEWHERE = Explanation("b", "as in B", "other.table9", (), {}, (), "same")
GRID = Grid(
    ("set", "k"),
    ("items", "method"),
    details=("at",),
    headings={"set": "data set"},
    order={"method": ("B", "A"), "items": (30, 300)},
    names={"items": {30: "30 points", 300: "300 points"}},
)


def row(published, ours, std=None, **keys):
    n = 1 if std is None else 4
    error = None if std is None else std / 2
    return keys | {"published": published, "ours": ours, "error": error, "n": n}


def page_of(judged, *grids, pictures=()):
    """Return the tables and the footnotes of an entry, as trees."""
    figure = View("table1", "T", Gathered, layout=grids)
    paper = paper_of("made_up", "Title", "Source", figure)
    items = tuple(Judged(*pair) for pair in judged)
    entry = Entry(paper, figure, {"rows": []}, None, items, tuple(pictures))
    room = Room(paper, (entry,), (), Path("/nowhere"), None, frozenset({"made_up.table1"}))
    notes = {}
    page = template("tables").module
    return read_page(page.numbers(entry, notes)), read_page(
        page.written_notes(notes, "table1", room)
    )


def lines(table, part):
    return [[cell.text for cell in line.children] for line in table.only(part).all("tr")]


def test_columns_stand_in_the_papers_order_below_their_headings():
    judged = [
        (row(1.0, 1.0, set="x", k=1, items=n, method=m), Verdict("same"))
        for n in (300, 30)
        for m in "AB"
    ]
    page, _ = page_of(judged, GRID)
    head = page.only("thead").all("tr")
    assert [th.text for th in head[0].all("th")] == ["data set", "k", "30 points", "300 points"]
    assert [th.attributes.get("colspan") for th in head[0].all("th")] == [None, None, "2", "2"]
    assert [th.attributes.get("rowspan") for th in head[0].all("th")] == ["2", "2", None, None]
    assert [th.text for th in head[1].all("th")] == ["B", "A", "B", "A"]


def test_a_heading_that_lines_share_stands_once():
    judged = [
        (row(1.0, 1.0, set=s, k=k, items=30, method="A"), Verdict("same"))
        for s, k in (("x", 1), ("x", 2), ("y", 1))
    ]
    page, _ = page_of(judged, GRID)
    heads = [[th.text for th in tr.all("th")] for tr in page.only("tbody").all("tr")]
    assert heads == [["x", "1"], ["2"], ["y", "1"]]
    first = page.only("tbody").all("th")[0]
    assert (first["scope"], first["rowspan"]) == ("rowgroup", "2")


def test_a_cell_shows_both_numbers_the_sign_and_what_is_open():
    better = Verdict("better", -1.25, 0.5)
    judged = [
        (row(12.5, 11.25, 1.0, set="x", k=1, items=30, method="A", at="L1"), better),
        (row(12.5, 12.5, set="x", k=1, items=30, method="B", at=""), Verdict("same", 0.0)),
        (
            row(3.0, None, set="x", k=1, items=300, method="A"),
            Verdict("not available", note="gone"),
        ),
    ]
    page, notes = page_of(judged, GRID)
    same, open_cell, absent = page.only("tbody").all("td")
    assert open_cell.classes == ["better", "open"]
    assert [span.text for span in open_cell.children] == [
        "11.2 ±0.5",
        "published 12.5 ▲!better, open",
        "−1.2 (s.e. 0.5)",
        "at L1",
    ]
    assert same.classes == ["same"]
    assert [span.text for span in same.children][:2] == ["12.5", "published 12.5 =same"]
    assert absent.children[0].text == "n/a" and absent.classes == ["not-available"]
    assert [li.text for li in notes.all("li")] == ["Gone."]


def test_an_error_below_the_decimals_has_one_digit():
    judged = [(row(0.69, 0.78, 0.0003, k=1), Verdict("worse", 0.09, 0.0002148))]
    page, _ = page_of(judged, Grid(("k",)))
    assert page.only("span", **{"class": "difference"}).text == "+0.090 (s.e. 0.0002)"


def test_the_best_has_a_star():
    judged = [(row(1.0, 2.0, k=k, best=b), Verdict("same")) for k, b in ((1, "yes"), (2, ""))]
    grid = Grid(("k",), best="best", headings={"best": "best by a test"})
    page, _ = page_of(judged, grid)
    assert [td.children[0].text for td in page.all("td")] == ["★ 2", "2"]
    assert page.only("caption").text == "Run once. ★ best by a test."
    page, _ = page_of(judged[1:], grid)
    assert page.only("caption").text == "Run once."


def test_a_place_without_a_row_is_empty():
    judged = [
        (row(1.0, 1.0, set="x", k=1, items=30, method="A"), Verdict("same")),
        (row(1.0, 1.0, set="x", k=2, items=30, method="B"), Verdict("same")),
    ]
    page, _ = page_of(judged, GRID)
    cells = [[td.classes for td in tr.all("td")] for tr in page.only("tbody").all("tr")]
    empty, full = [], ["same"]
    assert cells == [[empty, full], [full, empty]]


def test_one_table_for_each_value_says_of_how_many_runs():
    judged = [(row(1.0, 1.0, 0.5, k=k, set=s), Verdict("same")) for s in ("x", "y") for k in (1, 2)]
    page, _ = page_of(judged, Grid(("k",), tables=("set",)))
    assert [caption.text for caption in page.all("caption")] == [
        f"Set {s}. Means of 4 runs ± the standard error." for s in ("x", "y")
    ]
    assert [lines(table, "tbody")[1][0] for table in page.all("table")] == ["2", "2"]


def test_numbers_that_are_counted_are_no_means():
    page, _ = page_of([(row(1.0, 1.0, 0.0, k=1) | {"n": 1}, Verdict("same"))], Grid(("k",)))
    assert page.only("caption").text == "Exact counts."


def test_means_of_unequal_runs_say_their_runs_in_each_cell():
    judged = [
        (row(1.0, 1.0, 0.5, k=1), Verdict("same")),
        (row(1.0, 1.0, 0.5, k=2) | {"n": 1000}, Verdict("same")),
        (row(1.0, 2.0, k=3), Verdict("better")),
    ]
    page, _ = page_of(judged, Grid(("k",)))
    assert page.only("caption").text == (
        "Means of n runs or points ± the standard error. Without ±: run once."
    )
    cells = [[detail.text for detail in cell.all("small")] for cell in page.all("td")]
    assert cells == [["n = 4"], ["n = 1,000"], []]


def test_numbers_without_runs_are_named_by_the_layout():
    judged = [(row(1.0, 1.0, k=1, set=None), Verdict("same"))]
    for grid, caption in (
        (Grid(("k",)), "Run once."),
        (Grid(("k",), tables=("set",), once="counted"), "Counted."),
    ):
        page, _ = page_of(judged, grid)
        assert page.only("caption").text == caption
    absent = [(row(1.0, None, k=1) | {"why": "gone"}, Verdict("not available", note="gone"))]
    page, _ = page_of(absent, Grid(("k",)))
    assert not page.all("caption")


def test_numbers_without_a_printed_one_stand_in_a_table_below():
    judged = [
        (row(1.0, 1.0, k=1), Verdict("same")),
        (row(None, 2.0, k=2), Verdict("beyond the paper", note="a trial")),
        (row(None, None, k=3, set="y") | {"why": "gone"}, Verdict("not available", note="gone")),
    ]
    page, notes = page_of(judged, Grid(("k",)))
    above, below = page.all("table")
    assert lines(above, "tbody") == [["1", "1published 1 =same"]]
    assert lines(below, "tbody") == [["2", "2"]]
    anchors = [div["id"] for div in page.all("div") if "numbers" in div.classes]
    assert anchors == ["table1-numbers", "table1-numbers-ours"]
    sentences = [p.text for p in page.all("p", **{"class": "below"})]
    assert sentences == ["A trial.", "Not available: y1"]
    assert [li["id"] for li in notes.all("li")] == ["table1-note-1"]


@pytest.mark.parametrize(
    "count, pictures, folded", [(8, (), False), (9, (), True), (4, (".svg",), False)]
)
def test_long_tables_of_ours_are_folded(count, pictures, folded):
    judged = [(row(None, 1.0, k=k), Verdict("beyond the paper")) for k in range(count)]
    page, _ = page_of(judged, Grid(("k",)), pictures=pictures)
    assert bool(page.all("details", id="table1-numbers-ours")) is folded


def test_what_a_picture_shows_is_folded_sooner():
    judged = [(row(None, 1.0, k=k, a="x"), Verdict("beyond the paper")) for k in range(5)]
    page, _ = page_of(judged, Grid(("a",), ("k",)), pictures=[".svg"])
    details = page.only("details", id="table1-numbers-ours")
    assert (
        details.only("summary").text == "Reproduced numbers: 5" and "open" not in details.attributes
    )


@pytest.mark.parametrize("count, folded", [(48, False), (49, True)])
def test_printed_tables_stand_open_but_for_the_longest(count, folded):
    judged = [(row(1.0, 1.0, k=k), Verdict("same")) for k in range(count)]
    page, _ = page_of(judged, Grid(("k",)))
    assert bool(page.all("details", id="table1-numbers")) is folded


def test_rows_go_to_the_first_table_that_takes_them_and_the_rest_into_a_list():
    judged = [
        (row(1.0, 1.0, kind="a", k=1), Verdict("same")),
        (row(1.0, 1.0, kind="b", k=2), Verdict("same")),
        (row(1.0, 1.0, kind="c", k=3), Verdict("same")),
    ]
    grids = (
        Grid(("k",), where={"kind": ("a",)}, title="First"),
        Grid(("k",), where={"kind": ("a", "b")}, title="Second"),
    )
    page, _ = page_of(judged, *grids)
    assert [h4.text for h4 in page.all("h4")] == ["First", "Second"]
    assert [lines(table, "tbody")[0][:-1] for table in page.all("table")] == [
        ["1"],
        ["2"],
        ["c", "3"],
    ]


def test_a_key_of_numbers_names_its_columns():
    judged = [(row(1.0, 1.0, k=k, m="A"), Verdict("same")) for k in (1, 10_000)]
    page, _ = page_of(judged, Grid(("m",), ("k",)))
    assert lines(page, "thead") == [["m", "k"], ["1", "10,000"]]


def test_a_reason_that_cells_share_is_one_footnote_with_its_experiment():
    judged = [
        (row(1.0, 2.0, k=1), Verdict("worse", 1.0, 0.1, WHY)),
        (row(1.0, 2.0, k=2), Verdict("worse", 1.0, 0.1, ELSEWHERE)),
        (row(1.0, 2.0, k=3), Verdict("worse", 1.0, 0.1, WHY, note="one run")),
    ]
    page, notes = page_of(judged, Grid(("k",)))
    marks = [[a["href"] for a in td.all("a")] for td in page.all("td")]
    first, second, third = (f"#table1-note-{n}" for n in (1, 2, 3))
    assert marks == [[first], [second], [first, third]]
    assert [li.text for li in notes.all("li")] == [
        "Another step size. Experiment: Steps",
        "As in B. Experiment: Table 9",
        "One run.",
    ]
    assert [a["href"] for a in notes.all("a")] == ["#steps", "../other/index.html#table9"]
    assert all("open" not in td.classes for td in page.all("td"))


def test_many_footnotes_are_folded():
    judged = [(row(1.0, 2.0, k=k), Verdict("read off", note=f"note {k}")) for k in range(9)]
    _, notes = page_of(judged, Grid(("k",)))
    assert notes.only("details").only("summary").text == "9 notes"
    _, notes = page_of(judged[:8], Grid(("k",)))
    assert not notes.all("details")


def test_numbers_without_an_error_are_one_sentence():
    bare = Verdict("different", 1.0, None, note=verdicts.NO_ERROR)
    page, notes = page_of([(row(1.0, 2.0, k=k), bare) for k in (1, 2)], Grid(("k",)))
    assert page.only("caption").text == (
        "Run once. A number without ± is the same only if it is equal but for the rounding."
    )
    assert notes.children == []


# ------------------------------------------------------------------------------- numbers as text


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
    assert [numbers.spread_text(std, 3) for std in (0.000347, 0.0005, 0.0)] == [
        "0.0003",
        "0.001",
        "0.000",
    ]


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
