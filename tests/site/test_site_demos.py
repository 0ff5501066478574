"""The demos, each opened from the disk in headless Chromium as a single file.

That their numbers are those that were accepted is held by the gate. Not tested: a touch screen,
whose ranges are the browser's own.
"""

import pytest
from browser import browser_only, press, set_media, set_width, show

from paper_figures.site import demos
from paper_figures.site.demos import pages

ROOMS = ["boosted_distance", "boostmap", "search_forest", "lmnn", "ftune"]
LIMIT = 200_000
SHOWN = """
const shown = {};
for (const output of document.querySelectorAll("[data-value]")) {
  shown[output.dataset.value] = output.textContent;
}
return shown;
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The pages, each alone in its folder."""
    top = tmp_path_factory.mktemp("demos")
    for room in ROOMS:
        (top / room).mkdir()
        (top / room / "page.html").write_text(pages.page(pages.load(room)), encoding="utf-8")
    return top


def open_page(browser, folder, room):
    show(browser, (folder / room / "page.html").as_uri())


def places(browser):
    script = "return [...document.querySelectorAll('input[type=range]')].map(i => Number(i.value))"
    return tuple(browser.execute_script(script))


@pytest.mark.parametrize("room", ROOMS)
def test_a_page_is_small_and_names_no_other_file(folder, room):
    text = (folder / room / "page.html").read_text(encoding="utf-8")
    assert len(text.encode()) < LIMIT
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "src=" not in text and "<link" not in text


@browser_only
@pytest.mark.parametrize("room", ROOMS)
def test_the_keys_move_each_slider_and_its_numbers(browser, folder, room):
    open_page(browser, folder, room)
    demo = pages.load(room)
    before = browser.execute_script("return document.getElementById('picture').innerHTML")
    for i, slider in enumerate(demo.sliders):
        was = places(browser)
        browser.execute_script("document.getElementById(arguments[0]).focus()", slider.id)
        key = ("ArrowRight", 39) if was[i] + 1 < len(slider.values) else ("ArrowLeft", 37)
        press(browser, *key)
        now = places(browser)
        assert abs(now[i] - was[i]) == 1
        shown = browser.execute_script(SHOWN)
        assert shown.items() <= dict(demo.frames[now].values).items()
        label = browser.execute_script(
            "return document.querySelector(`label[for=${arguments[0]}] output`).textContent",
            slider.id,
        )
        assert label == slider.values[now[i]]
    after = browser.execute_script("return document.getElementById('picture').innerHTML")
    assert before != after


@browser_only
@pytest.mark.parametrize("room", ROOMS)
def test_each_thing_to_try_says_what_one_sees(browser, folder, room):
    open_page(browser, folder, room)
    demo = pages.load(room)
    for i, one in enumerate(demo.tries):
        browser.execute_script("document.querySelectorAll('button')[arguments[0]].click()", i)
        assert (
            browser.execute_script("return document.getElementById('seen').textContent")
            == one["seen"]
        )
        now = dict(zip([slider.id for slider in demo.sliders], places(browser), strict=True))
        assert now == now | one["places"]


@browser_only
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("room", ROOMS)
def test_a_phone_shows_it_whole(browser, folder, room, scheme):
    set_width(browser, 390)
    set_media(browser, scheme)
    open_page(browser, folder, room)
    script = """
      const wide = [...document.querySelectorAll("body *")].filter(e =>
        !e.closest("svg") && e.getBoundingClientRect().right > innerWidth + 1);
      const targets = [...document.querySelectorAll("input, button")];
      return [document.documentElement.scrollWidth, wide.map(e => e.outerHTML.slice(0, 60)),
        Math.min(...targets.map(e => e.getBoundingClientRect().height)),
        getComputedStyle(document.body).backgroundColor];
    """
    width, wide, height, page = browser.execute_script(script)
    assert (width, wide) == (390, [])
    assert height >= 28
    assert page == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 30)"}[scheme]


@browser_only
@pytest.mark.parametrize("room", ROOMS)
def test_without_a_script_the_first_picture_and_its_numbers_show(browser, folder, room):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        open_page(browser, folder, room)
        shapes = browser.find_elements("css selector", "#picture path")
        values = browser.find_elements("css selector", "dd output")
        demo = pages.load(room)
        assert len(shapes) > 4 and shapes[0].is_displayed()
        first = demo.frames[demo.start].values
        assert [value.text for value in values] == [first[name] for name, _ in demo.readouts]
        assert not browser.find_element("css selector", "input").is_displayed()
        assert "With JavaScript" in browser.find_element("css selector", "noscript").text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@browser_only
@pytest.mark.parametrize("room", ROOMS)
def test_the_script_draws_the_still_picture(browser, folder, room):
    """Both writers of pictures, in Python and in the script, write the same paths."""
    open_page(browser, folder, room)
    demo = pages.load(room)
    first = demo.frames[demo.start]
    still = [demos.drawn(s, first.points) for name, s in first.layers if name != "t"]
    script = "return [...document.querySelectorAll('#picture path')].map(p => p.getAttribute('d'))"
    assert browser.execute_script(script) == still
