"""Whole algorithms beside their printed steps, and the pages of files, in headless Chromium."""

import re

import pytest
from browser import browser_only, press, show

from paper_figures.site import printed, runs, steps, whole
from tests.site.built import ROOT, SITE, built, open_page

pytestmark = built
BOTH = """
return [...document.querySelectorAll(arguments[0] + " .both")].map(part => part.textContent);
"""


def open_whole(browser, room):
    open_page(browser, f"whole/{room}.html")


@browser_only
@pytest.mark.parametrize("room", printed.PREFIXES)
def test_functions_are_whole_and_unchanged(browser, room):
    open_whole(browser, room)
    script = """
      const all = [...document.querySelectorAll(".functions > .highlight")];
      return all.map(one => [...one.querySelectorAll(".codeline")].map(row => row.textContent));
    """
    shown = browser.execute_script(script)
    wanted = [
        f.text for section in steps.read(room).sections for f in whole.functions(room, section)
    ]
    assert len(wanted) >= 3
    for lines, text in zip(shown, wanted, strict=True):
        assert [line.rstrip() for line in lines] == [line.rstrip() for line in text.split("\n")]


@browser_only
def test_a_step_and_its_line_are_marked_together(browser):
    open_whole(browser, "boosted_distance")
    browser.execute_script("document.getElementById('BD-A.2-9').focus()")
    (line,) = browser.execute_script(BOTH, ".functions")
    assert "beta_t = epsilon_t / (1 - epsilon_t)  # BD:A.2:9" in line
    script = """
      const row = [...document.querySelectorAll(".codeline[data-lines]")];
      row.find(one => one.textContent.includes("BD:A.2:12")).focus();
    """
    browser.execute_script(script)
    (step,) = browser.execute_script(BOTH, ".steps")
    assert step.startswith("12")


@browser_only
def test_tab_reaches_the_steps(browser):
    open_whole(browser, "boosted_distance")
    browser.execute_script("document.getElementById('BD-A.2-9').focus()")
    for _ in range(2):  # the link of the step, and the next step
        press(browser, "Tab", 9)
    assert browser.execute_script("return document.activeElement.id") == "BD-A.2-10"


@browser_only
def test_the_slider_shows_the_values_of_a_round(browser):
    open_whole(browser, "boosted_distance")
    section = next(s for s in steps.read("boosted_distance").sections if s.id == "A.2")
    trace = runs.live("boosted_distance", section).trace
    slider = "document.getElementById('BD-A.2-9').closest('section.whole').querySelector('input')"
    browser.execute_script(f"{slider}.focus()")
    for round in (2, 3):
        press(browser, "ArrowRight", 39)
        shown = browser.find_element("css selector", "#BD-A\\.2-9 .values").text
        value = float(re.search(r"(\d\.\d+)\s*$", shown)[1])
        assert value == pytest.approx(trace.latest("beta_t", round), rel=1e-3)


@browser_only
@pytest.mark.parametrize("file", ["refimpl/lmnn/algorithm.py", "refimpl_fast/stumps.pyx"])
def test_a_file_is_shown_line_by_line(browser, file):
    show(browser, (SITE / f"source/{file}.html").as_uri())
    script = """
      return [...document.querySelectorAll(".numbered i")].map(row => row.textContent);
    """
    shown = browser.execute_script(script)
    text = (ROOT / file).read_text(encoding="utf-8").rstrip("\n").split("\n")
    assert [line.rstrip() for line in shown] == [line.rstrip() for line in text]


@browser_only
@pytest.mark.parametrize(
    ("room", "name"),
    [
        ("boosted_distance", "error_beyond_rounding"),  # of the file itself
        ("boosted_distance", "Ensemble"),  # imported
        ("boostmap", "minimize_z"),  # a kernel
    ],
)
def test_a_name_leads_to_its_definition(browser, room, name):
    open_whole(browser, room)
    script = """
      const names = [...document.querySelectorAll(".functions .codeline a")];
      return names.find(name => name.textContent === arguments[0]).href;
    """
    show(browser, browser.execute_script(script, name))
    lines = """
      const rows = [...document.querySelectorAll(".numbered i")];
      const at = rows.indexOf(document.querySelector(":target"));
      return rows.slice(at, at + 3).map(row => row.textContent);
    """
    shown = "\n".join(browser.execute_script(lines))
    assert re.search(rf"^(def|class) {name}\b", shown, re.M), shown
