"""The pages of the committed results in headless Chromium: size, colours, search, keys, print."""

import base64
import shutil
from pathlib import Path

import pytest
from browser import browser_only, press, set_media, set_width, show
from result_pages import write_pages

from paper_figures import gallery, registry
from paper_figures.gallery import entries
from paper_figures.store import Store
from tests.site.built import CONTRAST, UNFOLD, require_fit

pytestmark = browser_only
REPRODUCED = Path(registry.__file__).parent / "reproduced"
PAPERS = registry.load_papers()
PAGES = ["index.html", *(f"{name}/index.html" for name in registry.PAPERS)]
MOST = 15_000
"""No page is higher on a desktop, in pixels."""


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages") / "reproduced"
    write_pages(folder)
    return folder


def open_page(browser, out, page, width=1280, more=""):
    set_width(browser, width)
    show(browser, (out / page).as_uri() + more)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_the_screen(browser, out, page):
    open_page(browser, out, page)
    assert browser.execute_script("return document.documentElement.scrollHeight") <= MOST
    require_fit(browser)


def test_many_experiments_are_folded_until_one_is_asked_for(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(entries, "FEW_EXPERIMENTS", 1)
    shutil.copytree(REPRODUCED / "boostmap", tmp_path / "boostmap")
    gallery.write(Store(tmp_path), PAPERS)
    opened = """
      const bodies = [...document.querySelectorAll('details.body')];
      return [bodies.length, bodies.filter(d => d.open).map(d => d.parentElement.id),
              bodies.every(d => d.parentElement.className === 'experiment')]
    """
    open_page(browser, tmp_path, "boostmap/index.html")
    count, unfolded, all_experiments = browser.execute_script(opened)
    assert count > 1 and unfolded == [] and all_experiments
    open_page(browser, tmp_path, "boostmap/index.html", more="#remarks")
    assert browser.execute_script(opened)[1] == ["remarks"]


@pytest.mark.parametrize("page", PAGES)
def test_text_stands_out_in_both_schemes(browser, out, page):
    open_page(browser, out, page)
    browser.execute_script(UNFOLD + "document.querySelector('#differences')?.click();")
    paper = []
    for scheme in ("light", "dark"):
        set_media(browser, scheme)
        weak, seen = browser.execute_script(CONTRAST, "body")
        assert weak == [] and seen > 5, scheme
        paper.append(
            browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        )
    assert paper[0] != paper[1]


# ------------------------------------------------------------------------------- first page


def found(browser):
    script = """
      return [...document.querySelectorAll('table.list tbody tr')]
        .filter(r => r.checkVisibility()).map(r => r.querySelector('a').getAttribute('href'))
    """
    return browser.execute_script(script)


def choose(browser, name, value):
    script = "const f = document.getElementById(arguments[0]); f.value = arguments[1];"
    browser.execute_script(
        script + "f.dispatchEvent(new Event('input', {bubbles: true}))", f"filter-{name}", value
    )


def query(browser):
    return browser.execute_script("return location.search")


def test_the_first_page_shows_the_papers_and_their_comparison(browser, out):
    open_page(browser, out, "index.html")
    cards = browser.execute_script(
        "return [...document.querySelectorAll('.card')].filter(c => c.checkVisibility())"
        ".map(c => [c.dataset.paper, c.getBoundingClientRect().bottom, "
        "c.querySelectorAll('img').length])"
    )
    assert [paper for paper, _, _ in cards] == list(registry.ROOMS)
    papers = cards[:-1]
    assert all(bottom < 1500 and pictures >= 2 for _, bottom, pictures in papers), cards
    assert found(browser) == []


def test_search_finds_algorithms_authors_and_sets(browser, out):
    open_page(browser, out, "index.html")
    choose(browser, "find", "A.2")
    assert {"boosted_distance/index.html#table2", "boosted_distance/index.html#rounds"} <= set(
        found(browser)
    )
    assert all(link.startswith("boosted_distance/") for link in found(browser))
    choose(browser, "find", "Athitsos")
    entries = [link for link in found(browser) if "#claim-" not in link]
    boostmap = next(paper for paper in PAPERS if paper.name == "boostmap")
    assert entries == [f"boostmap/index.html#{figure.name}" for figure in boostmap.figures]
    assert all(link.startswith("boostmap/") for link in found(browser))
    choose(browser, "find", "table 1")  # neither Table 10 nor Table 2
    assert "lmnn/index.html#table1" in found(browser)
    assert "ftune/index.html#table2" not in found(browser)
    choose(browser, "find", "mfeat-zernike")
    assert found(browser)
    assert {link.split("/")[0] for link in found(browser)} <= {"ftune", "lmnn", "search_forest"}
    choose(browser, "find", "no such word")
    assert found(browser) == []
    assert browser.execute_script("return document.getElementById('nothing').checkVisibility()")


def test_the_filter_stands_in_the_address(browser, out):
    open_page(browser, out, "index.html")
    choose(browser, "paper", "lmnn")
    all_of_lmnn = found(browser)
    choose(browser, "kind", "table")
    assert query(browser) == "?paper=lmnn&kind=table"
    assert found(browser) == ["lmnn/index.html#table1"]
    browser.back()
    assert query(browser) == "?paper=lmnn" and found(browser) == all_of_lmnn
    browser.back()
    assert query(browser) == "" and found(browser) == []
    browser.forward()
    assert found(browser) == all_of_lmnn
    open_page(browser, out, "index.html", more="?kind=figure&find=gist")
    assert found(browser) == ["search_forest/index.html#figure2"]
    assert browser.execute_script("return document.getElementById('filter-find').value") == "gist"
    browser.execute_script("document.querySelector('#filters button').click()")
    browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert query(browser) == "" and found(browser) == []


def test_a_paper_page_searches_all_papers(browser, out):
    open_page(browser, out, "ftune/index.html")
    browser.execute_script(
        "const f = document.querySelector('.seek'); f.elements.find.value = 'Athitsos';"
        "f.requestSubmit()"
    )
    browser.execute_async_script("setTimeout(arguments[0], 300)")
    assert query(browser) == "?find=Athitsos"
    assert "boostmap/index.html#table1" in found(browser)


# --------------------------------------------------------------------- permalinks, keys, print


@pytest.mark.parametrize("page", ["boosted_distance/index.html", "index.html"])
def test_permalinks_open_the_folded_place(browser, out, page):
    open_page(browser, out, page)
    anchors = browser.execute_script("""
      const named = [...document.querySelectorAll('details:not([open])')];
      return [named.find(d => d.id)?.id, named.flatMap(d => [...d.querySelectorAll('[id]')])
        .find(e => e.id && e.localName != 'p')?.id].filter(Boolean)
    """)
    assert anchors
    inside = """
      const target = document.getElementById(arguments[0]);
      const shown = target.localName == 'details' ? target.open : target.checkVisibility();
      const box = target.getBoundingClientRect();
      return shown && box.top < innerHeight && box.bottom > 0
    """
    for anchor in anchors:
        open_page(browser, out, page, more=f"#{anchor}")
        assert browser.execute_script(inside, anchor), anchor
        open_page(browser, out, page)
        browser.execute_script("location.hash = arguments[0]", anchor)
        browser.execute_async_script("setTimeout(arguments[0], 50)")
        assert browser.execute_script(inside, anchor), anchor


def test_a_damaged_address_opens_the_page(browser, out):
    open_page(browser, out, "ftune/index.html", more="#%zz")
    assert browser.execute_script("return scrollY") == 0  # and the fixture reads the console


def test_every_entry_and_claim_has_a_visible_link_to_copy(browser, out):
    open_page(browser, out, "boosted_distance/index.html", 390)
    missing = browser.execute_script("""
      return [...document.querySelectorAll('article, .claim')].filter(e => {
        const link = e.querySelector('.permalink');
        return !link?.checkVisibility() || link.getAttribute('href') != '#' + e.id;
      }).map(e => e.id)
    """)
    assert missing == []


@pytest.mark.parametrize("page", ["lmnn/index.html", "index.html"])
def test_the_keyboard_reaches_everything(browser, out, page):
    open_page(browser, out, page)
    wanted = browser.execute_script("""
      window.reached = new Set();
      window.unseen = [];
      const seen = e => {
        window.reached.add(e.target);
        const outline = getComputedStyle(e.target).outlineStyle;
        if (outline == 'none') window.unseen.push(e.target.outerHTML);
      };
      document.addEventListener('focusin', seen);
      const kinds = 'a[href], button, input, select, summary, [tabindex="0"]';
      window.wanted = [...document.querySelectorAll(kinds)].filter(e => e.checkVisibility());
      return window.wanted.length
    """)
    for _ in range(wanted + 5):
        press(browser, "Tab", 9)
    script = "return window.wanted.filter(e => !window.reached.has(e)).map(e => e.outerHTML)"
    assert browser.execute_script(script) == []
    assert browser.execute_script("return window.unseen") == []


def test_a_key_opens_what_is_folded_and_shows_the_differences(browser, out):
    open_page(browser, out, "lmnn/index.html")
    shown = "return document.querySelector('.difference').checkVisibility()"
    assert not browser.execute_script(shown)
    browser.execute_script("document.getElementById('differences').focus()")
    press(browser, " ", 32)
    assert browser.execute_script(shown)
    browser.execute_script("document.querySelector('summary').focus()")
    press(browser, " ", 32)
    browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert browser.execute_script("return document.querySelector('summary').parentElement.open")


@pytest.mark.parametrize("page", ["ftune/index.html", "index.html"])
def test_print_leaves_out_what_paper_cannot_do(browser, out, page):
    open_page(browser, out, page)
    folded = """
      const parts = 'details:not([open]) > :not(summary, [hidden])';
      const inside = [...document.querySelectorAll(parts)];
      return [inside.length, inside.filter(e => e.checkVisibility()).length];
    """
    assert browser.execute_script(folded)[1] == 0
    set_media(browser, "dark", "print")
    inside, seen = browser.execute_script(folded)
    assert inside == seen > 0
    shown = browser.execute_script("""
      return [...document.querySelectorAll('form, .permalink, .contents')]
        .filter(e => e.checkVisibility()).map(e => e.outerHTML.slice(0, 60))
    """)
    assert shown == []
    boxes = browser.execute_script(
        "return [...document.querySelectorAll('.box')].map(b => getComputedStyle(b).overflowX)"
    )
    assert set(boxes) <= {"visible"}
    light = "return getComputedStyle(document.body).backgroundColor"
    assert browser.execute_script(light) == "rgb(255, 255, 255)"
    pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert 1 <= pdf.count(b"/Type /Page\n") <= 40
