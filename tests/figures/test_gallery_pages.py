"""What the gallery shows of fixed records: summary, filters, tables of numbers, pictures, origins.

The page in a browser, and as one file without addresses, is in test_gallery.py.
"""

import pytest
from html_tree import read_page

from paper_figures import gallery
from paper_figures.registry import Figure, Paper
from paper_figures.store import Store


def plot(record, figure):
    raise AssertionError("the page draws nothing")


def figure(name, title, *, picture=False):
    return Figure(name, title, list, list, plot if picture else None, size=(5.0, 2.5))


PAPERS = [
    Paper(
        "first_paper",
        "On <distances>",
        "Journal & Co. 1 (2001)",
        (
            figure("figure1", "Curves", picture=True),
            figure("table1", "Sizes"),
            figure("table2", "Errors"),
            figure("table3", "Failed"),
        ),
    ),
    Paper(
        "second",
        "Other",
        "Elsewhere",
        (figure("table10", "Not run"), figure("readings", "Absent"), figure("figure2", "Ours")),
    ),
]


def record(paper, name, rows, **more):
    return {
        "paper": paper,
        "figure": name,
        "title": "T",
        "scale": "paper",
        "kernels": "fast",
        "seed": 7,
        "seconds": 12.5,
        "versions": {"numpy": "2.1", "python": "3.12"},
        "data": [],
        "rows": rows,
        "notes": [],
        "key": "k",
    } | more


def row(published, ours, std=None, **more):
    of_std = {} if std is None else {"repetitions": 4}
    return more | {"published": published, "ours": ours, "std": std} | of_std


ABSENT = {"status": "not available", "why": "no file"}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    store = Store(folder)
    curves = [
        row(70, 70, method="a <b>", at=None, sizes=[1, 2]),
        row(70, 60, method="c", at=3, sizes=list(range(99)), why="some reason"),
        row(None, None, method="d", at=4.5, sizes="s") | ABSENT,
    ]
    notes = ["first & note", "second note"]
    data = [{"name": "uci/a.data", "sha256": "ab" * 32}]
    store.write(record("first_paper", "figure1", curves, notes=notes, data=data))
    for suffix in (".svg", ".png"):
        (folder / f"first_paper/figure1{suffix}").write_text("")
        (folder / f"first_paper/table1{suffix}").write_text("")  # a table has no picture
    sizes = [
        row(10.25, 10.5, 2.0, set="x"),
        row(4.5, 4.25, 0.1, set="y"),
        row(1.0, 1000.004, set="z", why="w"),
        row(None, 0.0004, set="u"),
    ]
    store.write(record("first_paper", "table1", sizes))
    store.write(
        record(
            "first_paper", "table2", [row(None, i, n=i) for i in range(41)] + [row(1.0, 3.0, n=41)]
        )
    )
    store.write(record("first_paper", "table3", [row(1.0, 1.0, n=1)]))
    failure = {"error": "Traceback <x>\nValueError: bad", "scale": "small", "kernels": "fast"}
    store.write_failure("first_paper", "table3", failure | {"seed": 0})
    store.write(record("second", "readings", [row(3.0, None, n=1) | ABSENT]))
    store.write(record("second", "figure2", [row(None, 2.0, n=n) for n in range(40)]))
    path = gallery.write(store, PAPERS)
    assert path == folder / "index.html"
    return read_page(path.read_text(encoding="utf-8"))


def article(page, name):
    return page.only("article", id=name)


def cells(row_element):
    return [cell.text for cell in row_element.children if cell.tag == "td"]


def body(table):
    return table.only("tbody").all("tr")


# --------------------------------------------------------------------------------- summary, filters


def test_the_summary_has_a_row_for_each_figure(page):
    rows = body(page.only("table", id="summary"))
    assert [cells(r) for r in rows] == [
        [
            "first_paper",
            "Figure 1 Curves",
            "≈ differs (explained)",
            "1 of 2",
            "paper",
            "fast",
            "12.5",
        ],
        [
            "first_paper",
            "Table 1 Sizes",
            "≠ differs (not explained)",
            "1 of 3",
            "paper",
            "fast",
            "12.5",
        ],
        [
            "first_paper",
            "Table 2 Errors",
            "≠ differs (not explained)",
            "0 of 1",
            "paper",
            "fast",
            "12.5",
        ],
        ["first_paper", "Table 3 Failed", "✗ failed", "–", "–", "–", "–"],
        ["second", "Table 10 Not run", "… not yet run", "–", "–", "–", "–"],
        ["second", "Readings Absent", "∅ not available", "–", "paper", "fast", "12.5"],
        ["second", "Figure 2 Ours", "no published numbers", "–", "paper", "fast", "12.5"],
    ]
    links = [r.only("a")["href"] for r in rows]
    assert links[0] == "#first_paper.figure1" and links[4] == "#second.table10"
    assert all(page.all("article", id=link[1:]) for link in links)
    shares = [r.all("td")[3].attributes.get("data-sort") for r in rows]
    assert shares == ["0.500000", "0.333333", "0.000000", None, None, None, None]
    # from best to worst: reproduced, explained, not explained, no numbers, absent, failed, not run
    assert [r.all("td")[2]["data-sort"] for r in rows] == ["1", "2", "2", "5", "6", "4", "3"]


def test_no_text_stands_loose_between_the_elements(page):
    kinds = ("html", "body", "main", "section", "article", "figure", "table", "tr", "select")
    kinds += ("thead", "tbody", "ul", "details")
    for kind in kinds:
        for element in page.all(kind):
            loose = [child for child in element.children if isinstance(child, str)]
            assert not "".join(loose).strip(), kind
    for box in page.all("div"):
        assert not "".join(child for child in box.children if isinstance(child, str)).strip()


def test_the_columns_of_the_summary(page):
    head = page.only("table", id="summary").only("thead")
    assert [(th.text, th["class"]) for th in head.all("th")] == [
        ("paper", ""),
        ("figure", ""),
        ("status", ""),
        ("agree", ""),
        ("scale", "wide"),
        ("kernels", "wide"),
        ("seconds", "wide"),
    ]


def test_what_the_filters_read(page):
    data = {
        a["id"]: {k: v for k, v in a.attributes.items() if k.startswith("data-")}
        for a in page.all("article")
    }
    assert data["first_paper.figure1"] == {
        "data-paper": "first_paper",
        "data-kind": "figure",
        "data-state": "differs (explained)",
        "data-text": "first_paper on <distances> figure1 curves differs (explained) a <b> c some "
        "reason d s not available no file",
    }
    assert data["second.table10"]["data-kind"] == "table"
    assert data["second.readings"]["data-kind"] == "figure"
    rows = body(page.only("table", id="summary"))
    assert [r["data-state"] for r in rows] == [d["data-state"] for d in data.values()]


def test_filters_offer_the_states_that_there_are(page):
    form = page.only("form", id="filters")
    options = {s["id"]: [(o["value"], o.text) for o in s.all("option")] for s in form.all("select")}
    assert options["filter-state"] == [
        ("", "any status (7)"),
        ("differs (explained)", "differs (explained) (1)"),
        ("differs (not explained)", "differs (not explained) (2)"),
        ("no published numbers", "no published numbers (1)"),
        ("not available", "not available (1)"),
        ("failed", "failed (1)"),
        ("not yet run", "not yet run (1)"),
    ]
    assert [value for value, _ in options["filter-paper"]] == ["", "first_paper", "second"]
    assert options["filter-kind"][1:] == [("figure", "figures"), ("table", "tables")]
    assert form.only("output").text == "7 shown"


def test_sections_of_papers(page):
    sections = page.all("section")
    assert [s["data-paper"] for s in sections] == ["first_paper", "second"]
    assert sections[0].only("h2").text == "On <distances>"
    assert sections[0].only("p", **{"class": "source"}).text == "Journal & Co. 1 (2001)"
    assert [len(s.all("article")) for s in sections] == [4, 3]
    assert article(page, "second.table10").only("h3").text == "Table 10: Not run … not yet run"


# -------------------------------------------------------------------------------- tables of numbers


def test_a_table_shows_ours_beside_the_published_numbers(page):
    table = article(page, "first_paper.table1").only("table")
    head = [(th.text, th.classes) for th in table.all("th")]
    text, number = ["text"], ["number"]
    assert head == [
        ("set", text),
        ("published", number),
        ("ours", number),
        ("difference", number),
        ("std", number),
        ("status", text),
        ("why", text),
    ]
    assert [cells(r) for r in body(table)] == [
        # two decimals, as the published 10.25 has
        ["x", "10.25", "10.50", "+0.25", "2.00", "✓ agrees", ""],
        ["y", "4.50", "4.25", "−0.25", "0.10", "≠ differs", ""],
        ["z", "1.00", "1000.00", "+999.00", "–", "≈ differs (explained)", "w"],
        ["u", "–", "0.0004", "–", "–", "ours only", ""],
    ]
    sorts = [[c.attributes.get("data-sort") for c in r.all("td")[1:5]] for r in body(table)]
    assert sorts[:2] == [["10.25", "10.5", "0.25", "2.0"], ["4.5", "4.25", "-0.25", "0.1"]]
    assert sorts[3] == [None, "0.0004", None, None]


def test_values_of_keys(page):
    rows = body(article(page, "first_paper.figure1").only("table"))
    long = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17"  # cut after 60
    assert [cells(r)[:6] for r in rows] == [
        ["a <b>", "", "[1, 2]", "70", "70", "+0"],
        ["c", "3", long[:60], "70", "60", "−10"],
        ["d", "4.5", "s", "–", "n/a", "–"],
    ]
    badges = [
        r.only("span", **{"class": f"badge {style}"}).text
        for r, style in zip(rows, ("agrees", "differs-explained", "not-available"), strict=True)
    ]
    assert badges == ["✓ agrees", "≈ differs (explained)", "∅ not available"]
    assert [cells(r)[-1] for r in rows] == ["", "some reason", "no file"]
    assert rows[2].only("abbr")["title"] == "not available"


def test_tables_without_reasons_have_no_column_for_them(page):
    table = article(page, "first_paper.table2").only("table")
    assert [th.text for th in table.all("th")][-1] == "status"


def test_a_long_table_is_closed(page):
    long = article(page, "first_paper.table2")
    short = article(page, "second.figure2")
    assert long.all("details")[0].only("summary").text == "42 rows of numbers"
    assert "open" not in long.all("details")[0].attributes and long.all("div", tabindex="0")[
        0
    ].classes == ["box", "long"]
    assert short.all("details")[0].only("summary").text == "40 rows of numbers"
    assert "open" in short.all("details")[0].attributes and short.all("div", tabindex="0")[
        0
    ].classes == ["box", "short"]
    label = short.all("div", tabindex="0")[0]["aria-label"]
    assert label == "Numbers of figure2"


@pytest.mark.parametrize(
    "value, digits, sign, text",
    [
        (0.005, 2, "", "0.01"),  # half of the last decimal is shown with two decimals
        (0.00499, 2, "", "0.00499"),
        (-0.00499, 2, "+", "−0.00499"),
        (1.5, 0, "", "2"),
        (1000, None, "", "1000"),
        (999.96, None, "", "1000"),
        (1234.5, None, "", "1234"),
        (12.34567, None, "+", "+12.35"),
        (3.0, None, "+", "+3"),
        (-7, 1, "", "−7"),
        (0, 1, "+", "+0"),
        (None, None, "+", "–"),
    ],
)
def test_number_text(value, digits, sign, text):
    assert gallery.number_text(value, digits, sign) == text


# --------------------------------------------------------------- pictures, notes, origins, failures


def test_a_picture_has_its_size_words_and_files(page):
    shown = article(page, "first_paper.figure1")
    image = shown.only("img")
    assert image["src"] == "first_paper/figure1.svg" and image["alt"] == "Curves"
    assert (image["width"], image["height"], image["loading"]) == ("480", "240", "lazy")
    assert [(a["href"], a.text) for a in shown.only("figcaption").all("a")] == [
        ("first_paper/figure1.svg", "svg"),
        ("first_paper/figure1.png", "png"),
        ("first_paper/figure1.json", "json"),
    ]
    assert len(page.all("img")) == 1  # neither a table nor a figure without files has one


def test_notes_stand_above_the_table(page):
    notes = article(page, "first_paper.figure1").only("ul", **{"class": "notes"})
    assert [item.text for item in notes.all("li")] == ["first & note", "second note"]
    assert not article(page, "first_paper.table1").all("ul", **{"class": "notes"})


def test_where_a_figure_comes_from(page):
    origin = article(page, "first_paper.figure1").only("details", **{"class": "origin"})
    assert origin.only("summary").text == "Made in 12.5 s; command, data, versions"
    first, data = origin.all("code")
    assert first.text == (
        "python -m paper_figures first_paper.figure1 --scale paper --kernels fast --seed 7"
    )
    assert data.text == "ab" * 32
    assert [li.text for li in origin.all("li")] == ["uci/a.data: " + "ab" * 32]
    assert "numpy 2.1, python 3.12. The seconds are the sum over all tasks." in origin.text
    other = article(page, "first_paper.table1").only("details", **{"class": "origin"})
    assert [li.text for li in other.all("li")] == ["no data files"]


def test_a_failure_hides_the_old_result(page):
    failed = article(page, "first_paper.table3")
    assert failed.only("pre").text == "Traceback <x>\nValueError: bad"
    assert not failed.all("table")
    assert failed.only("code").text == "python -m paper_figures first_paper.table3"


def test_a_figure_that_was_not_made_says_how(page):
    waiting = article(page, "second.table10")
    assert waiting.only("p").text == "Make it with python -m paper_figures second.table10"
    assert not waiting.all("table") and not waiting.all("pre")
