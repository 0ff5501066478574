"""The Markdown files of the project as pages, by hand; and what is taken out of built pages.

Not tested: what the files say.
"""

import pytest

from paper_figures.site.documents import PAGES, ROOT, page
from paper_figures.site.finish import finish

pytest.importorskip("markdown_it")


def test_headings_tables_and_pictures():
    text = "# A *b*_c\n\nOne.\n\n## Two\n\n| a |\n|---|\n| 1 |\n\n![words](figure1.png)\n"
    shown = page(text, "paper_figures/reproduced/lmnn/README.md", "figures/lmnn/summary")
    assert "A b\\_c\n============\n" in shown and "\nTwo\n------\n" in shown
    assert '   <div class="pst-scrollable-table-container"><table class="table">' in shown
    assert '<img src="figure1.svg" alt="words" loading="lazy" />' in shown


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("widths.md", '<a href="widths.html">x</a>'),
        ("../builds/README.md", '<a href="../install/platforms.html">x</a>'),
        ("../conftest.py", "<span>x</span>"),
        ("https://example.org/", '<a href="https://example.org/">x</a>'),
    ],
)
def test_a_link_leads_to_the_page_of_its_file(link, shown):
    text = page(f"# T\n\n[x]({link})", "tests/benchmarks/README.md", "speed/index")
    assert f"<p>{shown}</p>" in text


def test_every_document_exists():
    assert all((ROOT / path).is_file() for path in PAGES)


def test_finished_pages_are_lighter(tmp_path):
    (tmp_path / "a.js.map").write_text("{}")
    code = '<span class="n">x</span> <span class="o">=</span> <span class="mi">1</span>'
    (tmp_path / "m.html").write_text(code)
    finish(tmp_path)
    assert (tmp_path / "m.html").read_text() == 'x = <span class="mi">1</span>'
    assert not list(tmp_path.glob("*.map"))
