"""The built site in headless Chromium: what `make site` wrote is complete, light, fits and answers.

Not tested: how long a page takes to load, which depends on what else the machine does. What it asks
for, its bytes and its elements stand for that; their limits leave room for growth by half.
"""

import io
import os
import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
from browser import browser_only, press, set_width
from bs4 import BeautifulSoup
from PIL import Image

from paper_figures.site import api, listings, printed, reader, rows, runs, steps
from tests.site.built import CONTRAST, READERS, ROOT, SITE, UNFOLD, built, open_page, require_fit

pytestmark = built
PAGES = [
    "index.html",
    *READERS,
    *(f"whole/{room}.html" for room in printed.PREFIXES),
    "reader/index.html",
    "api/index.html",
    "api/refimpl.lmnn.html",
    "api/refimpl_fast.html",
    "api/refimpl.kernels.html",
    "api/refimpl.kernels.subgradient.html",
    "guides/estimators.html",
    "guides/kernels.html",
    "others.html",
    "figures/index.html",
    "figures/lmnn/summary.html",
    "papers/lmnn.html",
    "speed/index.html",
    "install/index.html",
    "install/platforms.html",
    "install/data.html",
    "source/refimpl_fast/stumps.pyx.html",
    "figures/lmnn/index.html",
    "search.html",
]
CONTAINERS = """
const own = "pre, table, figure, .formula, .wide, .box, .is, .lines, "
  + ".pst-scrollable-table-container";
return [...document.querySelectorAll("main, main *")].filter(e => !e.closest(own)
  && ["auto", "scroll"].includes(getComputedStyle(e).overflowX)
  && e.clientWidth > 100 && e.scrollWidth > e.clientWidth + 1).map(e => e.className);
"""


class Links(HTMLParser):
    """The ids, the links and the sources of a page, those that its load event waits for at once."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        self.at_once, self.elements = [], 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.elements += 1
        address = found.get("href" if tag == "link" else "src")
        waits = tag in ("script", "img", "iframe") or found.get("rel") in ("stylesheet", "preload")
        if address and waits and found.get("loading") != "lazy":
            self.at_once.append(address)
        self.ids.add(found.get("id"))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in ("script", "img", "source") and found.get("src"):
            self.loaded.append(found["src"])
        if tag == "link" and found.get("href") and found.get("rel") != "canonical":
            self.loaded.append(found["href"])


@pytest.fixture(scope="module")
def pages():
    return {
        path.relative_to(SITE).as_posix(): Links(path.read_text(encoding="utf-8"))
        for path in SITE.rglob("*.html")
        if "_static" not in path.parts  # a template of the theme
    }


def test_nothing_is_loaded_from_elsewhere(pages):
    for name, page in pages.items():
        for address in page.loaded:
            assert not urlsplit(address).netloc, (name, address)
            assert (
                address.startswith("data:")
                or (SITE / name).parent.joinpath(unquote(urlsplit(address).path)).exists()
            ), (name, address)
    for path in (SITE / "_static").rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(url\(|@import\s+)['\"]?(https?:)?//", text), path


def test_no_page_is_heavy_and_the_site_is_light(pages):
    assert len(pages) > 50
    for name, page in pages.items():
        addresses = [urlsplit(address) for address in page.at_once]
        here = SITE / name
        parts = {(here.parent / unquote(a.path)).resolve() for a in addresses if not a.scheme}
        size = sum(path.stat().st_size for path in {here.resolve(), *parts})
        assert len(parts) < 24 and size <= 2_200_000 and page.elements <= 16_000, name
    files = [path for path in SITE.rglob("*") if path.is_file()]
    assert len(files) > 300 and sum(path.stat().st_size for path in files) < 12_000_000


def test_every_link_within_the_site_leads_somewhere(pages):
    for name, page in pages.items():
        for link in page.links:
            address = urlsplit(link)
            assert not address.scheme and not address.netloc, (name, link)  # none leaves the site
            path = SITE / name
            if address.path:
                path = path.parent / unquote(address.path)
            target = os.path.relpath(path, SITE)
            assert path.is_file() and not target.startswith(".."), (name, link)
            if address.fragment and target in pages:
                assert unquote(address.fragment) in pages[target].ids, (name, link)


@pytest.mark.parametrize("room", printed.PREFIXES)
def test_a_reader_has_every_printed_line(pages, room):
    page = pages[f"reader/{room}.html"]
    assert {rows.anchor(id) for id in printed.read(room).lines} <= page.ids


@pytest.mark.parametrize("room", printed.PREFIXES)
def test_a_section_has_a_slider_or_says_why_not(room):
    """A slider where the run has rounds, a sentence where it has none, a picture if it is drawn."""
    page = BeautifulSoup((SITE / f"reader/{room}.html").read_bytes(), "html.parser")
    parts = page.select("section.printed")
    for section, part in zip(steps.read(room).sections, parts, strict=True):
        live = runs.live(room, section)
        assert part["data-section"] == section.id
        assert bool(part.select("[type=range]")) == (live.trace.rounds > 1), section.id
        assert (reader.SINGLE in part.get_text()) == (live.trace.rounds == 0), section.id
        assert bool(part.select(".drawn")) == bool(live.pictures), section.id


def test_a_paper_s_figures_lead_to_its_reader_code_notes_and_summary(pages):
    assert "../index.html" in pages["figures/index.html"].links
    for room in printed.PREFIXES:
        assert {
            f"../../reader/{room}.html",
            f"../../source/refimpl/{room}/algorithm.py.html",
            f"../../papers/{room}.html",
            "summary.html",
        } <= set(pages[f"figures/{room}/index.html"].links)


def test_every_page_has_the_navigation_of_the_site():
    for path in SITE.rglob("*.html"):
        # a demo is a file of its own, complete without the site
        if not {"_static", "demos"} & set(path.parts):
            assert path.read_text(encoding="utf-8").count("id=pst-header") == 1, path


def test_every_file_that_is_shown_can_be_read(pages):
    """Those of printed lines and of the API, and all of both packages, an anchor a line."""
    shown = {mark.file for marks in printed.marks().values() for mark in marks}
    for files in ("refimpl_fast/*.pyx", "refimpl_fast/*.h", "refimpl/**/*.py"):
        shown |= {path.relative_to(ROOT).as_posix() for path in ROOT.glob(files)}
    for entry in api.entries():
        link = listings.link_of("py", {"module": entry.module, "fullname": entry.name})
        shown |= {link.partition(".html#")[0].removeprefix("../source/")} if link else set()
    assert len(shown) > 170
    for file in shown:
        lines = len((ROOT / file).read_text(encoding="utf-8").splitlines())
        ids = pages[f"source/{file}.html"].ids
        assert {f"L{line}" for line in range(1, lines + 1)} <= ids, file


def test_every_public_name_has_its_entry(pages):
    ids = set().union(*(page.ids for name, page in pages.items() if name.startswith("api/")))
    for entry in api.entries():
        assert entry.path in ids, entry.path


def test_no_parameter_is_without_words():
    empty = re.compile(r"<dt><strong>([^<]*)</strong>(?:<span class=classifier>[^<]*</span>)?"
                       r"(?:<dd>)?(?=<dt>|</dl>)")  # fmt: skip
    for path in (SITE / "api").glob("*.html"):
        assert empty.findall(path.read_text(encoding="utf-8")) == [], path.name


# ------------------------------------------------------------------------------ in the browser


@browser_only
@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_the_screen(browser, page):
    open_page(browser, page)
    require_fit(browser)
    assert browser.execute_script(CONTAINERS) == []


@browser_only
@pytest.mark.parametrize(
    "page", [*READERS, "index.html", "api/refimpl.lmnn.html", "guides/kernels.html"]
)
def test_text_stands_out_in_both_schemes(browser, page):
    open_page(browser, page)
    browser.execute_script(UNFOLD)
    for scheme in ("light", "dark"):
        browser.execute_script("document.documentElement.dataset.theme = arguments[0]", scheme)
        weak, seen = browser.execute_script(CONTRAST, "main article")  # not the theme's own bars
        assert weak == [] and seen > 3, scheme


def values(browser, line):
    script = "return document.getElementById(arguments[0]).querySelector('.values').innerText"
    return browser.execute_script(script, line)


def picture(browser, section):
    script = "return document.querySelector(`[data-section='${arguments[0]}'] .drawn`).innerHTML"
    return browser.execute_script(script, section)


@browser_only
def test_the_slider_changes_values_and_picture(browser):
    open_page(browser, "reader/boosted_distance.html")
    before = values(browser, "BD-A.2-7"), picture(browser, "A.2")
    first = values(browser, "BD-A.2-4")
    browser.execute_script("""
      const slider = document.querySelector("[data-section='A.2'] input[type=range]");
      slider.value = 2;
      slider.dispatchEvent(new Event("input"));
    """)
    after = values(browser, "BD-A.2-7"), picture(browser, "A.2")
    assert "epsilon_t" in after[0]
    assert before[0] != after[0] and before[1] != after[1]
    assert values(browser, "BD-A.2-4") == first and "before the rounds" in first
    output = "return document.querySelector(\"[data-section='A.2'] output\").value"
    assert browser.execute_script(output) == "2"


@browser_only
@pytest.mark.parametrize("room", printed.PREFIXES)
def test_every_round_of_every_slider_can_be_shown(browser, room):
    open_page(browser, f"reader/{room}.html")
    script = """
      let shown = 0;
      for (const section of document.querySelectorAll("section.printed")) {
        const slider = section.querySelector("input[type=range]");
        if (!slider) continue;
        for (let round = 1; round <= Number(slider.max); round++) {
          slider.value = round;
          slider.dispatchEvent(new Event("input"));
          shown++;
          const texts = [...section.querySelectorAll(".values")].map(v => v.innerText);
          if (texts.some(t => !t.trim())) return "empty";
        }
      }
      return shown;
    """
    assert browser.execute_script(script) >= 9


@browser_only
def test_keys_go_from_line_to_line_and_from_round_to_round(browser):
    open_page(browser, "reader/boosted_distance.html", "#BD-A.2-6")
    focused = "return document.activeElement.id"
    browser.execute_script("document.getElementById('BD-A.2-6').focus()")
    press(browser, "j", 74)
    assert browser.execute_script(focused) == "BD-A.2-7"
    before = values(browser, "BD-A.2-7")
    press(browser, "ArrowRight", 39)
    after = values(browser, "BD-A.2-7")
    assert after != before
    press(browser, "ArrowLeft", 37)
    assert values(browser, "BD-A.2-7") == before
    press(browser, "k", 75)
    assert browser.execute_script(focused) == "BD-A.2-6"
    assert browser.execute_script("return location.hash") == "#BD-A.2-6"


@browser_only
def test_the_bar_stays_in_sight(browser):
    for width in (1280, 390):
        set_width(browser, width)
        open_page(browser, "reader/boosted_distance.html", "#BD-A.2-9")
        script = """
          const bar = document.querySelector("[data-section='A.2'] .bar").getBoundingClientRect();
          const line = document.getElementById("BD-A.2-9").getBoundingClientRect();
          const header = document.querySelector(".bd-header").getBoundingClientRect();
          return [bar.top - header.bottom, line.top - bar.bottom];
        """
        under, below = browser.execute_script(script)
        assert abs(under) <= 1 and below >= 0, width


@browser_only
def test_the_keyboard_reaches_what_can_be_used(browser):
    open_page(browser, "reader/boosted_distance.html")
    script = """
      const all = [...document.querySelectorAll("main article a[href], main summary, main input")];
      all.push(...[...document.querySelectorAll("pre")].filter(e => e.scrollWidth > e.clientWidth));
      const unreached = all.filter(e => e.checkVisibility() && e.tabIndex < 0);
      return unreached.map(e => e.outerHTML.slice(0, 60));
    """
    assert browser.execute_script(script) == []


@browser_only
def test_the_search_finds_a_step(browser):
    open_page(browser, "search.html", "?q=polarity")
    wait = """
      const done = arguments[0], begun = Date.now();
      let before = 0;  // the results come one after another: those of a second without another
      const look = () => {
        const found = [...document.querySelectorAll("#search-results li a")];
        const links = found.map(a => a.getAttribute("href"));
        const ended = links.length && links.length === before;
        before = links.length;
        if (ended || Date.now() - begun > 20000) done(links); else setTimeout(look, 1000);
      };
      look();
    """
    browser.set_script_timeout(30)
    found = browser.execute_async_script(wait)
    assert any("reader/boosted_distance" in link for link in found)
    for words, page in (
        ("deskewed", "papers/lmnn"),
        ("landmarks claim", "figures/ftune"),
        ("faiss AVX-512", "speed/"),
        ("crx.data", "install/data"),
    ):
        open_page(browser, "search.html", f"?q={words}")
        found = browser.execute_async_script(wait)
        assert any(page in link for link in found), words


@browser_only
def test_the_theme_switch_changes_pictures_and_colours_of_the_figures(browser):
    for page, picture in (("index", ".gallery figure img"), ("summary", "main img")):
        open_page(browser, f"figures/lmnn/{page}.html")
        script = """
          document.documentElement.dataset.theme = arguments[0];
          const image = document.querySelector(arguments[1]);
          image.loading = "eager";
          image.scrollIntoView({block: "center"});
          return image.decode().then(() => getComputedStyle(image).filter);
        """
        shown = []
        for theme in ("light", "dark"):
            assert browser.execute_script(script, theme, picture) == "none"
            png = browser.find_element("css selector", picture).screenshot_as_png
            shown.append(np.median(np.asarray(Image.open(io.BytesIO(png)).convert("L"))))
        assert shown[0] > 240 and shown[1] < 40, page  # the background
