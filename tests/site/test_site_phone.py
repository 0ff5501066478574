"""The built site at 390 px, a phone, in headless Chromium: what the styles for narrow pages do.

That no page scrolls sideways stands in test_site_pages.py. Not tested: a touch screen.
"""

import pytest
from browser import browser_only, set_width

from tests.site.built import READERS, built, open_page

pytestmark = [built, browser_only]
WORDS = """
const broken = [];
for (const part of document.querySelectorAll(arguments[0])) {
  const text = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = text.nextNode(); node; node = text.nextNode()) {
    for (const match of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
      if (lines.size > 1) broken.push(match[0]);
    }
  }
}
return broken;
"""
BEYOND = """
const wide = [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility());
return [wide.length, wide.filter(e => e.getBoundingClientRect().right > innerWidth
  || e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 40))];
"""


@pytest.mark.parametrize(
    "page",
    [
        *READERS,
        "index.html",
        "others.html",
        "figures/index.html",
        "guides/search.html",
        "api/refimpl.search_forest.algorithm.html",
        "api/refimpl.boosted_distance.weak_learners.html",
    ],
)
def test_a_title_keeps_its_words_whole(phone, page):
    open_page(phone, page)
    assert phone.execute_script(WORDS, "main h1") == []


@pytest.mark.parametrize(
    "page",
    [
        *("guides/which.html", "guides/kernels.html", "api/refimpl.kernels.html"),
        *("install/index.html", "install/data.html", "speed/index.html", "papers/lmnn.html"),
    ],
)
def test_a_table_keeps_its_words_whole(phone, page):
    """It scrolls rather than be a column of letters; addresses alone may break."""
    open_page(phone, page)
    cells = "main article th, main article td:not(.long)"
    assert phone.execute_script("return document.querySelector(arguments[0])", cells)
    assert phone.execute_script(WORDS, cells) == []


def test_the_test_of_titles_sees_a_broken_word(phone):
    """Letters as wide as a fifth of the screen break "implementations" in others' title."""
    open_page(phone, "others.html")
    phone.execute_script("document.querySelector('main h1').style.fontSize = '78px'")
    assert "implementations" in phone.execute_script(WORDS, "main h1")


def test_the_calls_of_other_implementations_are_shown_whole(phone):
    """Headings wrap, and so do the cells of the table."""
    open_page(phone, "others.html")
    for parts in ("main h3", ".others td", ".others table"):
        count, cut = phone.execute_script(BEYOND, parts)
        assert count > 0 and cut == [], parts


@pytest.mark.parametrize("width", [1280, 800])
def test_the_table_of_other_implementations_fits_a_wide_page(phone, width):
    """It needs no scroll bar of its own: long calls wrap."""
    set_width(phone, width)
    open_page(phone, "others.html")
    count, cut = phone.execute_script(BEYOND, ".others, .others td, .others table")
    assert count > 100 and cut == []


def test_a_library_stands_above_its_calls(phone):
    """A row is a small block: the library once, the outcome beside the twin, the call below."""
    open_page(phone, "others.html")
    script = """
      const rows = [...document.querySelectorAll(".others tbody tr")];
      return rows.map(row => [...row.cells].map(cell => {
        const box = cell.getBoundingClientRect();
        const lines = cell.firstChild ? document.createRange() : null;
        lines?.selectNodeContents(cell);
        const tops = lines ? [...lines.getClientRects()].map(b => Math.round(b.top)) : [];
        return [cell.textContent, box.top, box.bottom, box.width, new Set(tops).size];
      }));
    """
    rows = phone.execute_script(script)
    assert len(rows) > 20
    for library, outcome, twin, call in rows:
        if library[0]:
            assert library[4] == 1, library[0]  # a line
            assert library[2] <= outcome[1] + 1
        else:
            assert library[3] == 0
        assert outcome[1] == twin[1], outcome[0]
        assert call[1] >= max(outcome[2], twin[2]) - 1, call[0]


def test_a_list_of_pages_has_no_bullets_beyond_the_edge(phone):
    open_page(phone, "guides/index.html")
    script = """
      const entries = [...document.querySelectorAll(".toctree-wrapper li")];
      return entries.map(entry => [getComputedStyle(entry).listStyleType,
        entry.getBoundingClientRect().left >= 0]);
    """
    entries = phone.execute_script(script)
    assert len(entries) > 5 and all(entry == ["none", True] for entry in entries)


@pytest.mark.parametrize("page", READERS)
def test_a_line_is_one_column(phone, page):
    """The code stands below the step, from the left edge, and nothing is cut off beside it."""
    open_page(phone, page)
    script = """
      return [...document.querySelectorAll("article.line")].filter(line => {
        const boxes = [".step", ".code"].map(p => line.querySelector(p).getBoundingClientRect());
        const [step, code] = boxes;
        const box = line.getBoundingClientRect();
        return code.top < step.bottom - 1 || code.left > box.left + 8 || code.right > box.right + 1;
      }).map(line => line.id);
    """
    assert phone.execute_script(script) == []


@pytest.mark.parametrize("page", READERS)
def test_the_bar_of_a_section_is_two_rows_at_most(phone, page):
    """The numbers of the lines stand in one row, which scrolls; the slider fits beside its name."""
    open_page(phone, page)
    script = """
      return [...document.querySelectorAll(".bar")].filter(bar => {
        const boxes = [...bar.querySelectorAll(".lines a")].map(a => a.getBoundingClientRect());
        const rows = new Set(boxes.map(box => Math.round(box.top)));
        return rows.size > 1 || bar.offsetHeight > 100 || bar.scrollWidth > bar.clientWidth + 1;
      }).map(bar => bar.innerText);
    """
    assert phone.execute_script(script) == []


@pytest.mark.parametrize("page", READERS)
def test_rows_of_a_matrix_stay_rows(phone, page):
    """A matrix of n lines of text is n lines high."""
    open_page(phone, page)
    script = """
      const all = [...document.querySelectorAll(".value.matrix .is")];
      const wrong = all.filter(is => {
        const lines = is.textContent.split("\\n").length;
        const height = parseFloat(getComputedStyle(is).lineHeight);
        return Math.abs(is.clientHeight - lines * height) > height / 2 + 12;
      });
      return [all.length, wrong.map(is => is.textContent.slice(0, 60))];
    """
    count, wrong = phone.execute_script(script)
    assert count > 0 and wrong == []
