"""The layouts of the five papers' entries, and the table of costs, on the committed records."""

import json
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from fake_paper import paper_of
from result_pages import write_pages

from paper_figures import gallery, registry
from paper_figures.gallery.entries import Entry, Room
from paper_figures.store import NO_KEYS
from paper_figures.study import SCALES, Gathered, Grid, Paper, Study, View, grid

REPRODUCED = Path(registry.__file__).parent / "reproduced"
PAPERS = registry.load_papers()
SVG = "http://www.w3.org/2000/svg"
FIGURES = [(paper, figure) for paper in PAPERS for figure in paper.figures]


def rows_of(paper, figure):
    path = REPRODUCED / paper.name / f"{figure.name}.json"
    return json.loads(path.read_text(encoding="utf-8"))["rows"] if path.is_file() else []


def read_page(text):
    """Return the tree of a page."""
    return BeautifulSoup(text, "html.parser")


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    """The pages of the committed records, as trees by their paths."""
    folder = tmp_path_factory.mktemp("pages") / "reproduced"
    write_pages(folder)
    return {path: read_page(path.read_bytes()) for path in folder.rglob("*.html")}


def links_of(page):
    """Return the addresses of a page: links, pictures, forms."""
    kinds = (("a", "href"), ("img", "src"), ("source", "srcset"), ("form", "action"))
    found = [one[name] for tag, name in kinds for one in page.find_all(tag, **{name: True})]
    return [address for address in found if not address.startswith("data:")]


def test_every_link_leads_to_a_file_and_a_place_of_it(committed):
    places = {path: [e["id"] for e in page.find_all(id=True)] for path, page in committed.items()}
    lost = []
    for path, page in committed.items():
        for link in links_of(page):
            address, _, place = link.partition("#")
            target = (path.parent / address).resolve() if address else path
            if not target.is_file() or (place and place not in places[target]):
                lost.append((path.parent.name, link))
        text = path.read_text(encoding="utf-8")
        assert str(path.parents[1]) not in text and "http" not in text.replace(SVG, "")
    assert len(committed) == 1 + len(PAPERS) and lost == []
    assert all(len(names) == len(set(names)) for names in places.values())


@pytest.mark.parametrize("paper, figure", FIGURES, ids=lambda item: item.name)
def test_each_number_has_a_cell_of_its_own(paper, figure):
    places = []
    for row in rows_of(paper, figure):
        number, grid = next((n, g) for n, g in enumerate(figure.layout) if g.takes(row))
        shown = {*grid.keys, *grid.where, *NO_KEYS}
        assert set(row) <= shown, f"the table does not show {set(row) - shown}"
        keys = (*grid.tables, *grid.rows, *grid.columns)
        if row["ours"] is not None or row["published"] is not None:
            places.append((number, *(str(row.get(key)) for key in keys)))
    assert len(places) == len(set(places))


@pytest.mark.parametrize("paper, figure", FIGURES, ids=lambda item: item.name)
def test_an_order_names_keys_and_values_of_the_layout(paper, figure):
    rows = rows_of(paper, figure)
    if not rows:
        pytest.skip("the entry has no committed record")
    for table in figure.layout:
        taken = [row for row in rows if table.takes(row)]
        assert taken
        for key, values in table.order.items():
            if key not in table.keys:  # an order that several layouts share
                continue
            assert {row.get(key) for row in taken} & set(values), key


def test_names_of_values():
    grid = Grid(("a", "b_c"), headings={"a": "A"}, names={"a": {1: "one"}})
    assert [grid.heading(key) for key in ("a", "b_c")] == ["A", "b c"]
    values = [1, 2, 0.5, None, [1, 2], 60_000, "x", 1_347_400.0]
    names = ["one", "2", "0.5", "–", "[1, 2]", "60,000", "x", "1,347,400"]
    assert [grid.name("a", v) for v in values] == names


# -------------------------------------------------------- places in the print, looked up by hand


def printed(committed, paper, figure):
    """Return the last line of headings, and the printed numbers of each line below."""
    (page,) = (tree for path, tree in committed.items() if path.parent.name == paper)
    shown = page.find("article", id=figure).table
    heads = [th.text for th in shown.thead("tr")[-1]("th")]
    lines = []
    for tr in shown.tbody("tr"):
        spans = [td("span", class_="printed") for td in tr("td")]
        lines.append([span[0].text.split()[1] if span else "" for span in spans])
    return heads, lines


def test_boostmaps_tables_have_the_reports_columns(committed):
    heads, lines = printed(committed, "boostmap", "table1")
    assert heads == ["random", "selective", "random", "selective"]
    assert lines[0] == ["77", "20", "38", "20"]
    assert lines[-1] == ["11,617", "10,508", "7437", "7333"]
    assert printed(committed, "boostmap", "table2")[1][2] == ["949", "502", "330", "273"]


def test_ftunes_table_has_the_papers_lines(committed):
    heads, lines = printed(committed, "ftune", "table1")
    assert heads == ["BBS", "DBOOST", "FTUNE+D-S"] * 2
    assert lines[0] == ["0.73", "0.77", "0.84", "0.78", "0.82", "0.88"]  # AmazonBinary
    assert lines[4] == ["0.98", "1.00", "0.98", "0.98", "0.99", "0.98"]  # Protein


def test_lmnns_tables_have_the_papers_lines(committed):
    heads, lines = printed(committed, "lmnn", "table1")
    assert heads[1:3] == ["time (s)", "active set"]
    assert [line[1] for line in lines] == ["844", "6169", "50,345", "540,037"]
    heads, lines = printed(committed, "lmnn", "figure5")
    assert lines[0][0] == "1.72" and lines[1][0] == "1.18"  # mnist, test


# ---------------------------------------------------------------------------------------- costs


def costs(room):
    """The section of the first page that shows costs, in a list."""
    return read_page(gallery.first([room], alone=True))("section", id="cost")


def test_costs_are_those_of_the_cells():
    views = tuple(View(name, name, Gathered) for name in ("table1", "figure1"))
    paper = paper_of("made_up", "Title", "Source", *views)
    counted = ({"cells": 2, "cpu_seconds": 3000.0}, {"cells": 1, "cpu_seconds": None})
    record = {"seconds": 3600.0, "rows": [], "data": [], "scale": "paper"}
    entries = tuple(
        Entry(paper, view, record | cost, None, (), ())
        for view, cost in zip(views, counted, strict=True)
    )
    room = Room(paper, entries, (), Path("/nowhere"), None, frozenset())
    (section,) = costs(room)
    body = [[td.text for td in tr("td")] for tr in section.tbody("tr")]
    assert body == [
        ["Table 1", "2", "1 h 0 min", "50 min 0 s"],
        ["Figure 1", "1", "1 h 0 min", "not recorded"],
    ]
    said = "2 entries: about 50 min 0 s of CPU time, without 1 whose CPU time was not recorded"
    assert said in section.p.text


def test_a_cell_of_several_entries_counts_once():
    """Three cells of 100 seconds: one entry needs all, two of the others' are among them."""
    uses = (lambda cell: cell["run"] > 0, lambda cell: True, lambda cell: cell["run"] == 0)
    views = tuple(View(f"table{n}", "T", Gathered, uses=use) for n, use in enumerate(uses))
    study = Study("s", print, {scale: grid(run=range(3)) for scale in SCALES}, views)
    paper = Paper("made_up", "T", "S", (study,))
    records = ({"cells": n, "cpu_seconds": 100.0 * n, "seconds": 1.0} for n in (2, 3, 1))
    entries = tuple(
        Entry(paper, view, {"scale": "small", "rows": [], "data": []} | record, None, (), ())
        for view, record in zip(views, records, strict=True)
    )
    room = Room(paper, entries, (), Path("/nowhere"), None, frozenset())
    (section,) = costs(room)
    said = "3 entries: about 5 min 0 s of CPU time. A cell that several entries share counts once."
    assert section.p.text == said
