"""The built site as a reader uses it, in headless Chromium: fields, keys, copying, what is folded.

Not tested: what stands on the pages (test_site_pages.py), and phones with a touch screen.
"""

import re
from collections import Counter

import pytest
from browser import browser_only, press, set_width
from pictures import contrast

from paper_figures import registry
from paper_figures.gallery.entries import collect
from paper_figures.judge.cells import STATES
from paper_figures.site import figures, front, printed
from paper_figures.store import Store
from tests.site.built import built, open_page

pytestmark = [built, browser_only]
BD = "reader/boosted_distance.html"
FIRST = """
const field = document.getElementById("find-line");
field.value = arguments[0];
field.dispatchEvent(new Event("input"));
return [...document.querySelectorAll("#lines-listed a")].map(a => a.getAttribute("href"));
"""


@pytest.mark.parametrize(
    ("asked", "to"),
    [
        ("A.2 line 7", "#BD-A.2-7"),
        ("Algorithm A.2, line 7", "#BD-A.2-7"),
        ("a.2:7", "#BD-A.2-7"),
        ("BD:A.2:7", "#BD-A.2-7"),
        ("§ 7.3 step 5", "#BM-7.3-5"),
        ("eq. 19", "#BM-eq19"),
        ("(19)", "#BM-eq19"),
        ("Equation (A.1)", "#BD-eqA.1"),
        ("Algorithm 2 line 5", "#SF-2-5"),
        ("Theorem 5", "#FT-thm5"),
        ("thm. 2", "#FT-thm2"),
        ("Definition 4", "#FT-def4"),
        ("Figure 3, line 2", "#BM-fig3-2"),
        ("LMNN eq 6", "reader/lmnn.html#LM-eq6"),
        ("boostmap eq. 6", "reader/boostmap.html#BM-eq6"),
        ("Search Forest Algorithm 2 line 3", "reader/search_forest.html#SF-2-3"),
        ("LMNN Table 1", "figures/lmnn/index.html#table1"),
        ("FTUNE figure 2", "figures/ftune/index.html#figure2"),
        ("fastmap", "#refimpl.rivals.fastmap.fastmap"),
        ("how much faster", "speed/index.html"),
        ("boosted_distance", "#refimpl.boosted_distance.boosted_distance"),
    ],
)
def test_the_field_of_the_first_page_finds_lines_figures_and_functions(browser, asked, to):
    open_page(browser, "index.html")
    assert browser.execute_script(FIRST, asked)[0].endswith(to)


@pytest.mark.parametrize(
    ("asked", "to", "place", "words"),
    [
        ("LMNN eq. 6", "reader/lmnn.html#LM-eq6", "#LM-eq6", ["In Cython", "Test"]),
        (
            *("Boosted Distance Table 2", "figures/boosted_distance/index.html#table2"),
            *("#table2", ["published", "Experiment"]),
        ),
        ("swap", "guides/kernels.html", "#how-much-faster", ["LMNN", "times as fast"]),
        ("write a training", "guides/own.html", "article", ["skeleton fastmap", "agrees"]),
    ],
)
def test_a_question_is_answered_by_one_word_and_enter(browser, asked, to, place, words):
    """A printed line; a table and why it differs; how much faster; a check of an own FastMap."""
    open_page(browser, "index.html")
    browser.execute_script(FIRST, asked)
    browser.execute_script("document.querySelector('form.find').requestSubmit()")
    assert browser.current_url.endswith(to)
    shown = browser.find_element("css selector", place).text
    assert [word for word in words if word not in shown] == []


def test_the_field_lists_a_number_that_several_papers_print(browser):
    open_page(browser, "index.html")
    listed = browser.execute_script(FIRST, "eq 1")
    assert {link.partition("#")[2] for link in listed} >= {"SF-eq1", "LM-eq1", "FT-eq1"}
    assert browser.execute_script(FIRST, "no such line") == ["./search.html?q=no%20such%20line"]
    assert "Nothing has this" in browser.execute_script(
        "return document.getElementById('lines-listed').innerText"
    )


@pytest.mark.parametrize("asked", ["eq. 6", "Algorithm 2 line 3", "Table 2", "check"])
def test_enter_chooses_nothing_where_several_papers_have_the_number(browser, asked):
    open_page(browser, "index.html")
    before = browser.current_url
    listed = browser.execute_script(FIRST, asked)
    browser.execute_script("document.querySelector('form.find').requestSubmit()")
    assert browser.current_url == before and len({link.partition("#")[0] for link in listed}) > 1
    shown = "return !document.getElementById('lines-listed').hidden"
    assert browser.execute_script(shown)


def test_the_paper_that_was_read_last_is_listed_first(browser):
    open_page(browser, "index.html")
    browser.execute_script("localStorage.setItem('refimpl-paper', 'LMNN')")
    assert browser.execute_script(FIRST, "eq. 6")[0] == "reader/lmnn.html#LM-eq6"
    browser.execute_script("localStorage.clear()")


def test_every_printed_line_is_found_by_its_own_id(browser):
    open_page(browser, "index.html")
    for line in front.lines():
        assert browser.execute_script(FIRST, line["id"])[0] == line["to"]


def test_the_field_of_a_reader_goes_to_the_line(browser):
    open_page(browser, BD)
    press(browser, "g", 71)
    assert browser.execute_script("return document.activeElement.id") == "find-line"
    browser.execute_script(FIRST, "A.2 line 9")
    browser.execute_script("document.querySelector('form.find').requestSubmit()")
    assert browser.execute_script("return location.hash") == "#BD-A.2-9"


def test_a_click_copies_the_permalink(browser):
    open_page(browser, BD)
    browser.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite"]})
    browser.execute_script("document.querySelector('#BD-A\\\\.2-7 a.number').click()")
    browser.set_script_timeout(20)
    done = """
      const done = arguments[0], begun = Date.now();
      const look = () => {
        const said = document.querySelector(".said").textContent;
        if (said || Date.now() - begun > 15000) done(said); else setTimeout(look, 50);
      };
      look();
    """
    assert browser.execute_async_script(done) == "The permalink of BD:A.2:7 is copied."


def test_the_meaning_of_a_symbol_is_said_on_a_tap(browser):
    open_page(browser, BD)
    script = """
      const symbol = document.querySelector("article.line .symbol");
      symbol.click();
      return [symbol.textContent, symbol.title, document.querySelector(".said").textContent];
    """
    name, meaning, said = browser.execute_script(script)
    assert meaning and said == f"{name}: {meaning}"


def test_the_symbols_of_a_line_are_said_on_a_key(browser):
    """For readers without a pointer; the words are those of PAPER.md."""
    open_page(browser, BD, "#BD-A.2-9")
    browser.execute_script("document.getElementById('BD-A.2-9').focus()")
    press(browser, "s", 83)
    said = browser.execute_script("return document.querySelector('.said').textContent")
    assert said == "beta_t: β_t · epsilon_t: ε_t"


def test_an_arrow_key_says_that_a_section_has_no_rounds(browser):
    open_page(browser, "reader/ftune.html", "#FT-thm2")
    browser.execute_script("document.getElementById('FT-thm2').focus()")
    press(browser, "ArrowRight", 39)
    said = browser.execute_script("return document.querySelector('.said').textContent")
    assert said == "This section has no rounds."


@pytest.mark.parametrize("page", [BD, "errata.html"])
def test_a_test_shows_its_source_when_it_is_opened(browser, page):
    open_page(browser, page)
    script = """
      const done = arguments[0], test = document.querySelector("article details.test");
      const before = test.querySelector("pre") === null;
      test.addEventListener("toggle", () => done([before, test.querySelector("pre").innerText]));
      test.open = true;
    """
    before, source = browser.execute_async_script(script)
    assert before and "def test_" in source


@pytest.mark.parametrize("room", printed.PREFIXES)
def test_every_test_of_a_reader_is_there(browser, room):
    open_page(browser, f"reader/{room}.html")
    script = """
      const sources = JSON.parse(document.querySelector("script.tests").textContent);
      const names = [...document.querySelectorAll("details.test")].map(t => t.dataset.test);
      return [names.filter(name => !(name in sources)), names.length];
    """
    missing, count = browser.execute_script(script)
    assert missing == [] and count > 10


def test_the_slider_keeps_the_keys_of_the_page(browser):
    """After the slider is used, J still goes to the next line."""
    open_page(browser, BD)
    browser.execute_script("document.querySelector(\"[data-section='A.2'] input\").focus()")
    press(browser, "j", 74)
    assert browser.execute_script("return document.activeElement.className") == "line"


@pytest.mark.parametrize("page", ["index.html", "guides/kernels.html", "figures/index.html"])
def test_tab_goes_through_all_that_can_be_used(browser, page):
    """Real presses of Tab reach every link, button and field of the page's own part, in order."""
    open_page(browser, page)
    browser.execute_script("""
      const all = document.querySelectorAll("main article a[href], main input, main button");
      window.wanted = [...all].filter(e => e.checkVisibility({visibilityProperty: true}));
      window.reached = new Set();
      document.addEventListener("focusin", e => window.reached.add(e.target));
    """)
    wanted = browser.execute_script("return window.wanted.length")
    for _ in range(wanted + 60):
        press(browser, "Tab", 9)
        if browser.execute_script("return window.wanted.every(e => window.reached.has(e))"):
            break
    script = "return window.wanted.filter(e => !window.reached.has(e)).map(e => e.outerHTML)"
    unreached = browser.execute_script(script)
    assert wanted > 0 and unreached == []


def hexadecimal(colour):
    """Return rgb(a, b, c) as #aabbcc."""
    return "#" + bytes(int(part) for part in re.findall(r"\d+", colour)[:3]).hex()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_points_of_pictures_stand_out(browser, scheme):
    """3 to 1 against the page, as WCAG asks of graphics; luminance as WCAG 2.1 defines it."""
    open_page(browser, BD)
    script = """
      document.documentElement.dataset.theme = arguments[0];
      const parts = ["kind0", "kind1"].map(kind => document.querySelector(`svg .${kind}`));
      const page = getComputedStyle(document.body).backgroundColor;
      return [...parts.map(part => getComputedStyle(part).fill), page];
    """
    *points, page = browser.execute_script(script, scheme)
    points, page = [hexadecimal(point) for point in points], hexadecimal(page)
    assert min(contrast(point, page) for point in points) >= 3, (scheme, points, page)


def test_the_first_page_counts_the_claims_of_the_stored_results(browser):
    open_page(browser, "index.html")
    script = """
      const cards = [...document.querySelectorAll("article.paper")];
      const bold = card => [...card.querySelectorAll("ul.states b")];
      return cards.map(card => bold(card).map(b => Number(b.innerText)));
    """
    shown = browser.execute_script(script)
    papers = registry.load_papers()
    store = Store(figures.REPRODUCED)
    own = [paper for paper in papers if paper.name in registry.PAPERS]
    for paper, numbers in zip(own, shown, strict=True):
        counts = Counter(item.state for item in collect(store, paper, papers).claims)
        assert numbers == [counts[state] for state in STATES if counts[state]], paper.name


def test_the_menu_of_a_phone_has_the_links_and_the_colours(phone):
    """The same links as the head of a wide page; a choice of colours holds."""
    open_page(phone, "source/refimpl/lmnn/algorithm.py.html")
    links = "return [...document.querySelectorAll(arguments[0])].map(a => a.textContent.trim())"
    head = phone.execute_script(links, "#pst-header nav a")
    phone.execute_script("document.querySelector('button.primary-toggle').click()")
    assert phone.execute_script("return document.querySelector('#pst-primary-sidebar-modal').open")
    menu = "#pst-primary-sidebar-modal"
    assert phone.execute_script(links, f"{menu} nav a") == head and len(head) == 10
    for mode in ("dark", "light"):
        choice = f"{menu} [data-mode={mode}].theme-change-button"
        phone.execute_script("document.querySelector(arguments[0]).click()", choice)
        assert phone.execute_script("return document.documentElement.dataset.theme") == mode
    phone.execute_script("localStorage.clear()")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_button_opens_the_search(browser, width):
    set_width(browser, width)
    open_page(browser, "api/refimpl.lmnn.html")
    script = """
      const shown = [...document.querySelectorAll(".search-button__button")];
      const [button] = shown.filter(one => one.checkVisibility());
      button.click();
      const dialog = document.querySelector("#pst-search-dialog[open]");
      return [shown.length, dialog.querySelector("form").action, document.activeElement.name];
    """
    buttons, action, focused = browser.execute_script(script)
    assert buttons == 2 and action.endswith("/search.html") and focused == "q"


def test_the_list_of_modules_folds(browser):
    open_page(browser, "api/refimpl.lmnn.html")
    script = """
      const done = arguments[0], list = document.querySelector(".bd-docs-nav a");
      const button = document.getElementById("pst-collapse-sidebar-button");
      const before = list.checkVisibility(), said = button.ariaExpanded;
      const look = () => button.ariaExpanded !== said && done([before, button.ariaExpanded]);
      new MutationObserver(look).observe(button, {attributes: true});
      button.click();
    """
    assert browser.execute_async_script(script) == [True, "false"]
