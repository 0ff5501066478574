"""The Markdown files of the project as pages, by hand; and what is taken out of built pages.

Not tested: what the files say.
"""

import json
import re
from statistics import median

import pytest

from paper_figures.site import __main__ as command
from paper_figures.site import guides
from paper_figures.site.documents import ROOT, page, readers
from paper_figures.site.figures import REPRODUCED
from paper_figures.store import Store

pytest.importorskip("markdown_it")


def test_headings_tables_and_pictures():
    text = "# A *b*_c\n\nOne.\n\n## Two\n\n| a |\n|---|\n| 1 |\n\n![words](figure1.png)\n"
    shown = "\n".join(page(text, "paper_figures/reproduced/lmnn/README.md", "figures/lmnn/summary"))
    assert re.search(r"^A b\\_c\n={6,}$", shown, re.M) and re.search(r"^Two\n-{3,}$", shown, re.M)
    assert '   <div class="pst-scrollable-table-container"><table class="table">' in shown
    assert '<img src="figure1.svg" alt="words" class="dark-light" loading="lazy" />' in shown


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("widths.md", '<a href="widths.html">x</a>'),
        ("../builds/README.md", '<a href="../install/platforms.html">x</a>'),
        ("../conftest.py", "<span>x</span>"),
        ("../../refimpl/lmnn/model.py", '<a href="../source/refimpl/lmnn/model.py.html">x</a>'),
        ("../../paper_figures/site/source/guides/own.rst", '<a href="../guides/own.html">x</a>'),
        ("https://example.org/", '<a href="https://example.org/">x</a>'),
    ],
)
def test_a_link_leads_to_the_page_of_its_file(link, shown):
    lines = page(f"# T\n\n[x]({link})", "tests/benchmarks/README.md", "speed/index")
    assert f"   <p>{shown}</p>" in lines


@pytest.mark.parametrize("folder", [True, False], ids=["folder", "file"])
def test_a_place_of_other_files_is_refused_before_any_work(tmp_path, folder, monkeypatch):
    place = tmp_path if folder else tmp_path / "notes.txt"
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    monkeypatch.setattr(command.front, "write", lambda *_: pytest.fail("it has begun"))
    with pytest.raises(SystemExit, match="must be an earlier site or empty"):
        command.main(["--out", str(place)])
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_the_formulas_of_a_paper_s_tables_are_set():
    text = "# T\n\nx_i\n\n| a |\n|---|\n| x_i is `x_i` |\n"
    shown = "\n".join(page(text, "refimpl/lmnn/PAPER.md", "papers/lmnn"))
    assert "<td><i>x</i><sub>i</sub> is <code>x_i</code></td>" in shown and "<p>x_i</p>" in shown


def test_the_page_of_data_says_what_reads_a_file():
    assert ("lmnn", "table1") in readers()["mnist/train-images-idx3-ubyte.gz"]
    assert ("ftune", "table2") in readers()["uci/isolet/isolet1+2+3+4.data"]


def test_the_guide_s_table_is_the_record_of_pays():
    text = "\n".join(guides.methods())
    rows = Store(REPRODUCED).read("pays", "when")["rows"]
    own = [row for row in rows if row["method"] == "LMNN"]
    errors = [row for row in own if row["measure"] == "error (%)"]
    best = sum(row["best"] == "yes" for row in errors)
    middle = median(row["ours"] for row in errors)
    assert re.search(rf"\* - LMNN\n +- {middle:.1f}\n(?: +- .*\n){{2}} +- {best}\n", text)
    assert text.count("* - ") == 1 + len({row["method"] for row in rows})


def test_the_guide_s_times_are_the_measured_ones():
    measured = json.loads((ROOT / "tests/benchmarks/speed.json").read_text("utf-8"))["rows"]
    seconds = measured["trainings/lmnns/thousands"]["seconds"]
    times = seconds["reference"] / seconds["fast, 1 thread"]
    text = "\n".join(guides.trainings())
    assert re.search(rf"\* - LMNN of .*\n(?: +- .*s\n){{2}} +- {times:.1f}\n", text)
    assert text.count("* - ") == 6
