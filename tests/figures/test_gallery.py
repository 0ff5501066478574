"""The pages of a made-up folder: which files there are, where links lead, what each entry shows."""

import pytest
from fake_paper import paper_of, record_of
from html_tree import read_page

from paper_figures import gallery, judge
from paper_figures.gallery import signs, words
from paper_figures.gallery.texts import sentence, with_links
from paper_figures.judge import verdicts
from paper_figures.judge.numbers import Number
from paper_figures.registry import spoken
from paper_figures.store import Store
from paper_figures.study import Gathered, View


def figure(name, title, *, picture=False):
    def plot(record, figure):
        raise AssertionError("the pages draw nothing")

    return View(name, title, Gathered, plot if picture else None, size=(5.0, 2.5))


PAPERS = [
    paper_of(
        "first_paper",
        "On <distances>",
        "Journal & Co. 1 (2001)",
        figure("figure1", "Curves", picture=True),
        figure("table1", "Sizes"),
        figure("table3", "Failed"),
    ),
    paper_of("second", "Other", "Elsewhere", figure("table10", "Not run"), figure("codings", "C")),
]
ABSENT = {"why": "no file"}


def row(published, ours, **keys):
    return keys | {"published": published, "ours": ours, "error": None, "n": 1}


def fill(folder, scale="paper"):
    store = Store(folder)
    notes = ["first & note", "see `table1`", "third"]
    data = [{"name": "uci/a.data", "sha256": "ab" * 32}]
    more = {"notes": notes, "data": data, "scale": scale}
    rows = [row(70, 70, set="x"), row(70, 60, set="<y>"), row(None, None, set="z") | ABSENT]
    store.write(record_of("first_paper", "figure1", rows, **more))
    for name in ("figure1.svg", "figure1.png", "table1.svg"):  # a table has no picture
        (folder / "first_paper" / name).write_text("")
    store.write(record_of("first_paper", "table1", [row(1.0, 1.0, set="x")], scale=scale))
    store.write(record_of("first_paper", "table3", [row(1.0, 1.0, n=1)]))
    failure = {"error": "Traceback <x>\nValueError: bad", "scale": "small", "kernels": "fast"}
    store.write_failure("first_paper", "table3", failure | {"seed": 0})
    store.write(record_of("second", "codings", [row(None, n, n=n) for n in range(40)], scale=scale))
    return store


def tree(path):
    return read_page(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    assert gallery.write(fill(folder), PAPERS) == folder / "index.html"
    return folder


@pytest.fixture(scope="module")
def page(out):
    return tree(out / "first_paper/index.html")


@pytest.fixture(scope="module")
def first(out):
    return tree(out / "index.html")


def chips(element):
    return [li.text for ul in element.all("ul", **{"class": "chips"}) for li in ul.all("li")]


# ------------------------------------------------------------------------------------ all pages


def test_pages_are_the_same_when_made_again(out):
    before = {path: path.read_bytes() for path in out.rglob("index.html")}
    gallery.write(Store(out), PAPERS)
    assert {path: path.read_bytes() for path in out.rglob("index.html")} == before


def test_a_page_is_made_anew_when_a_result_changes(tmp_path):
    store = fill(tmp_path)
    gallery.write(store, PAPERS)
    second = tmp_path / "second/index.html"
    second.unlink()
    store.write(record_of("first_paper", "table1", [row(1.0, 2.5, set="x")]))
    gallery.write(store, PAPERS)
    assert "2.5" in tree(tmp_path / "first_paper/index.html").only("article", id="table1").text
    assert second.is_file()


def test_no_text_stands_loose_between_the_elements(page, first):
    for kind in ("html", "body", "main", "section", "article", "table", "tr", "tbody", "ul", "ol"):
        for element in (*page.all(kind), *first.all(kind)):
            loose = [child for child in element.children if isinstance(child, str)]
            assert not "".join(loose).strip(), kind


# ------------------------------------------------------------------------------- a paper's page


def test_entries_stand_in_the_papers_order(page):
    assert page.only("h1").text == "On <distances>"
    assert page.all("p", **{"class": "source"})[0].text == "Journal & Co. 1 (2001)"
    articles = page.all("article")
    assert [a["id"] for a in articles] == ["figure1", "table1", "table3"]
    assert [a["class"] for a in articles] == ["figure", "table", "table"]
    assert articles[0].only("h3").text == "Figure 1: Curves #"
    contents = page.only("ul", **{"class": "contents"})
    assert [a["href"] for a in contents.all("a")] == ["#figure1", "#table1", "#table3"]
    assert "No claims of this paper" in page.only("section", id="claims").text


def test_an_entry_counts_its_verdicts(page):
    assert chips(page.only("article", id="figure1"))[:4] == [
        "= 1 same",
        "≠ 1 different",
        "∅ 1 not available",
        "! 1 of them open",
    ]
    assert chips(page.only("article", id="table1")) == ["= 1 same"]
    assert chips(page.only("article", id="table3")) == ["✗ failed"]


def test_the_legend_names_the_signs_of_the_page_alone(page):
    legend = page.only("ul", **{"class": "legend"})
    assert [span.text for span in legend.all("span")] == [
        "= same",
        "≠ different",
        "∅ not available",
        "! open",
    ]


def test_a_failure_hides_the_old_result(page):
    failed = page.only("article", id="table3")
    assert failed.only("pre").text == "Traceback <x>\nValueError: bad"
    assert not failed.all("table")
    assert failed.all("code")[0].text == "python -m paper_figures first_paper.table3"


def test_an_entry_that_was_not_made_says_how(out):
    waiting = tree(out / "second/index.html").only("article", id="table10")
    command = "python -m paper_figures second.table10, at the paper's scale with --scale paper."
    assert waiting.only("p").text == f"Make it with {command}"
    assert chips(waiting) == ["… not yet run"]


def test_a_picture_has_its_size_words_and_files(page):
    shown = page.only("article", id="figure1")
    image = shown.only("img")
    assert (image["src"], image["alt"]) == ("figure1.svg", "Curves")
    assert (image["width"], image["height"], image["loading"]) == ("480", "240", "lazy")
    files = ["figure1.svg", "figure1.png", "figure1.json"]
    assert [a["href"] for a in shown.only("figcaption").all("a")] == files
    assert len(page.all("img")) == 1  # neither a table nor a figure without files has one


def test_the_first_of_many_notes_stands_open(page):
    shown = page.only("article", id="figure1")
    few, folded = shown.all("ul", **{"class": "notes"})
    assert few.text == "First & note." and folded.text == "See table1.Third."
    assert folded.only("a")["href"] == "#table1"
    assert shown.all("details")[0].only("summary").text == "2 more notes"


def test_where_an_entry_comes_from(page):
    origin = page.only("article", id="figure1").only("details", **{"class": "origin"})
    assert origin.only("summary").text == "How it was made: 12.5 s, command, data, versions"
    command, data = origin.all("code")
    assert command.text == (
        "python -m paper_figures first_paper.figure1 --scale paper --kernels fast --seed 7"
    )
    assert data.text == "ab" * 32 and origin.all("a")[0]["href"] == "figure1.json"
    assert "numpy 2.1, python 3.12" in origin.text and "Study s, version 1" in origin.text


def test_a_footnote_names_an_experiment_of_the_entry_itself_but_no_line_does(tmp_path, monkeypatch):
    inside = verdicts.Explanation("a", "w", "first_paper.table1", (), {}, (), "same")
    judged = [verdicts.Verdict(verdicts.WORSE, 1.0, 0.1, inside)]
    monkeypatch.setattr(verdicts, "judge", lambda record: judged * len(record["rows"]))
    gallery.write(fill(tmp_path), PAPERS)
    page = tree(tmp_path / "first_paper/index.html")
    table, other = (page.only("article", id=name) for name in ("table1", "figure1"))
    assert [p.text for p in table.all("p", **{"class": "links"})] == ["Explains Figure 1"]
    assert [p.text for p in other.all("p", **{"class": "links"})] == ["Explained by Table 1"]
    assert [a.text for a in table.all("a") if a["href"] == "#table1"] == [
        "#",
        "Experiment: Table 1",
    ]


# ------------------------------------------------------------------- small scale, and a checkout


def stand_ins(folder):
    found = tree(folder / "first_paper/index.html").all("p", **{"class": "stand-in"})
    return [(p.text, [a["href"] for a in p.all("a")]) for p in found]


def test_small_scale_numbers_are_called_a_stand_in(tmp_path, out):
    gallery.write(fill(tmp_path, scale="small"), PAPERS)
    shown = stand_ins(tmp_path)
    assert "these numbers are of stand-ins" in tree(tmp_path / "index.html").only("header").text
    assert len(shown) == 2 and all("numbers are of a stand-in" in text for text, _ in shown)
    assert "paper_figures/reproduced/first_paper/README.md" in shown[0][0] and shown[0][1] == []
    assert stand_ins(out) == []


def test_in_a_checkout_the_committed_results_and_the_code_are_linked(tmp_path):
    committed = tmp_path / "paper_figures/reproduced/first_paper/README.md"
    code = tmp_path / "refimpl/first_paper/algorithm.py"
    record_of_table1 = committed.with_name("table1.json")
    for path in (committed, code, record_of_table1):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    folder = tmp_path / "figures"
    gallery.write(fill(folder, scale="small"), PAPERS)
    figure1, table1 = stand_ins(folder)
    assert (
        figure1[0].endswith("The numbers at the paper's scale are not yet made.")
        and figure1[1] == []
    )
    assert table1[1] == ["../../paper_figures/reproduced/first_paper/README.md"]
    header = tree(folder / "first_paper/index.html").only("header")
    links = header.only("p", **{"class": "links"}).all("a")
    assert [a["href"] for a in links] == [
        "../../refimpl/first_paper/algorithm.py",
        "../../paper_figures/reproduced/first_paper/README.md",
    ]


def test_outside_a_checkout_no_code_is_linked(page):
    assert not page.only("header").all("p", **{"class": "links"})


# ------------------------------------------------------------------------------ claims, and words


@pytest.fixture
def claimed(tmp_path, monkeypatch):
    """A folder whose first paper has a claim that holds, and one that is open."""
    claim = judge.Claim("all-low", "first_paper", "§ 3", "All <errors> are low.", ("table1",))
    settled = judge.Claim("more", "first_paper", "§ 4", "More.", (), settle="five runs of table1")
    numbers = (
        Number("x", 1.2345, 0.125, 1.5, ("first_paper.table1",)),
        Number("y", 2.0, None, None, ("second.codings", "first_paper.figure1"), 1),
        Number("z", 4.0, 0.5, None, (), 1000),
        Number("w", 5.0, 0.0),
    )
    decided = [
        judge.Decided(claim, "holds", numbers, "both are low"),
        judge.Decided(settled, "open", (), "no entry decides it"),
    ]
    monkeypatch.setattr(
        judge, "decide", lambda paper, records: decided if paper == "first_paper" else []
    )
    gallery.write(fill(tmp_path), PAPERS)
    return tmp_path


def test_claims_open_the_page_with_numbers_and_what_would_settle_them(claimed):
    page = tree(claimed / "first_paper/index.html")
    section = page.only("section", id="claims")
    assert chips(section) == ["✓ 1 holds", "? 1 open"]
    low, more = section.only("ol").all("li", id="claim-all-low")[0], section.all("li")[-1]
    assert [p.text for p in low.all("p")] == [
        "§ 3",
        "Reproduced in: Table 1",
        "All <errors> are low.",
        "Because: Both are low.",
    ]
    assert [li.text for li in low.only("ul").all("li")] == [
        "x: 1.23 ± 0.12 (s.e.), published 1.5 Table 1",
        "y: 2 (run once) Codings Figure 1",
        "z: 4.00 ± 0.50 (s.e., n = 1,000)",
        "w: 5",
    ]
    assert [a["href"] for a in low.all("a")] == [
        "#claim-all-low",
        "#table1",
        "#table1",
        "../second/index.html#codings",
        "#figure1",
    ]
    assert "What would settle it: Five runs of table1." in more.text


def test_the_first_page_counts_and_lists_the_claims(claimed):
    first = tree(claimed / "index.html")
    assert "Of 2 claims that the papers make, 1 holds, 0 fail, 1 is open" in first.text
    rows = first.only("table", **{"class": "list"}).only("tbody").all("tr")
    claim_row = next(r for r in rows if r["data-kind"] == "claim")
    assert claim_row["data-states"] == "claim-holds"
    assert claim_row.only("a")["href"] == "first_paper/index.html#claim-all-low"


def test_nothing_made_decides_no_claim(tmp_path, monkeypatch):
    claim = judge.Claim("low", "first_paper", "§ 3", "Low.", ("table1",), settle="five runs")
    undecided = [judge.Decided(claim, "open", (), "no record")]
    monkeypatch.setattr(judge, "decide", lambda *_: undecided)
    gallery.write(Store(tmp_path), PAPERS)
    first = tree(tmp_path / "index.html")
    assert "claims that the papers make" not in first.only("header").text
    card = first.all("article")[0]
    assert "1, none decided: nothing is made yet" in card.text and "? 1 open" not in chips(card)
    section = tree(tmp_path / "first_paper/index.html").only("section", id="claims")
    assert chips(section) == [] and section.only("p", **{"class": "stand-in"}).text.startswith(
        "Nothing of this paper is made yet in this folder"
    )
    assert section.all("li", id="claim-low") == section.only("details").all("li")


def test_the_list_has_every_entry_with_its_words(first):
    rows = first.only("table", **{"class": "list"}).only("tbody").all("tr")
    assert [r.only("a")["href"] for r in rows] == [
        f"{paper.name}/index.html#{f.name}" for paper in PAPERS for f in paper.figures
    ]
    assert rows[0]["data-states"].split() == ["same", "different", "not-available", "open"]
    assert [r["data-kind"] for r in rows] == ["figure", "table", "table", "table", "experiment"]
    for word in ("figure1", "<y>", "uci/a.data"):
        assert word in rows[0]["data-text"]


def test_cards_have_counts_and_thumbnails(first):
    cards = first.all("article", **{"class": "card"})
    assert [c["data-paper"] for c in cards] == ["first_paper", "second"]
    assert [c.only("h2").only("a")["href"] for c in cards] == [
        "first_paper/index.html",
        "second/index.html",
    ]
    assert "2 of 3 figures, tables and experiments made" in cards[0].text
    assert cards[0].only("img")["src"] == "first_paper/figure1.svg"
    assert "! 1 of them open" in chips(cards[0])
    assert not any("beyond" in chip for chip in chips(cards[1]))


def test_printed_parts_come_from_the_index_of_the_paper():
    parts = words.printed_parts("boosted_distance")
    assert {"Algorithm A.1", "Algorithm A.2", "Algorithm A.3"} <= set(parts["table2"])
    assert "Algorithm A.2" in parts["rounds"] and "Algorithm A.2" not in parts["figure2"]
    assert words.printed_parts("first_paper") == {}
    assert {"Figure 3", "§ 7.3", "eq. 11"} <= set(words.printed_parts("boostmap")["table1"])


def test_names_are_spoken():
    names = ("table2", "active_set", "figure10", "costs_by_k")
    assert [spoken(name) for name in names] == ["Table 2", "Active set", "Figure 10", "Costs by k"]


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
    assert set(signs.CLAIMS) == set(judge.STATES)
    marks = [sign for sign, _ in signs.VERDICTS.values()]
    assert len(set(marks)) == len(marks)


def test_the_small_scale_folds_the_claims_and_says_where_they_are_decided(tmp_path, monkeypatch):
    claim = judge.Claim("all-low", "first_paper", "§ 3", "All errors are low.", ("table1",))
    decided = [judge.Decided(claim, "not testable here", (), "the small scale")]
    monkeypatch.setattr(judge, "decide", lambda paper, records: decided)
    committed = tmp_path / "paper_figures/reproduced/first_paper/README.md"
    committed.parent.mkdir(parents=True)
    committed.write_text("")
    (tmp_path / "refimpl").mkdir()
    store = fill(tmp_path / "out", scale="small")
    (tmp_path / "out/first_paper/table3.json").unlink()
    gallery.write(store, PAPERS)
    section = tree(tmp_path / "out/first_paper/index.html").only("section", id="claims")
    folded = section.only("details")
    assert "open" not in folded.attributes and folded.only("li", id="claim-all-low")
    address = "../../paper_figures/reproduced/first_paper/README.md"
    assert section.only("p", **{"class": "stand-in"}).only("a")["href"] == address
