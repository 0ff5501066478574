"""The gallery as a whole: in headless Chromium, at the widths of a desktop and of a phone, and as a
file of its own.

What its tables hold of a record is in test_gallery_pages.py.
"""

import json
import shutil

import fake_paper
import pytest
from html_tree import Element, read_page

from paper_figures import cli, gallery, registry
from paper_figures.store import Store

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
DRIVER = shutil.which("chromedriver")
browser_only = pytest.mark.skipif(
    not (CHROMIUM and DRIVER),
    reason="chromium and chromedriver are not installed (Debian: chromium-driver)",
)
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()
OTHER = registry.Paper(
    "other",
    "Another paper",
    "Elsewhere (2001)",
    (
        registry.Figure("table1", "Not yet run", fake_paper.mean_tasks, fake_paper.gather_means),
        registry.Figure("table2", "Many rows", fake_paper.mean_tasks, fake_paper.gather_means),
    ),
)
PAPERS = [fake_paper.PAPER, OTHER]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """A folder with a figure of every status."""
    folder = tmp_path_factory.mktemp("gallery")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fake_paper, "SECONDS", 0.0)
        arguments = ["fake", "--kernels", "reference", "--jobs", "1", "--out", str(folder)]
        assert cli.main(arguments, papers=PAPERS) == 1
    store = Store(folder)
    record = store.read("fake", "table1")
    rows = [
        {"set": f"set {i}", "published": 10.5, "ours": 10.5 + i / 100, "std": 9.0, "repetitions": 9}
        for i in range(60)
    ]
    store.write(record | {"paper": "other", "figure": "table2", "rows": rows})
    gallery.write(store, PAPERS)
    return folder


@pytest.fixture(params=[1280, 390], ids=["desktop", "phone"])
def browser(request, out, tmp_path):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        size = {
            "width": request.param,
            "height": 900,
            "deviceScaleFactor": 1,
            "mobile": request.param < 600,
        }
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get((out / "index.html").as_uri())
        yield driver
        assert driver.get_log("browser") == []
    finally:
        driver.quit()


def visible(browser):
    script = (
        "return [...document.querySelectorAll('article')].filter(a => a.checkVisibility()).map(a "
        "=> a.id)"
    )
    listed = (
        "return [...document.querySelectorAll('#summary tbody tr')].filter(r => "
        "r.checkVisibility()).length"
    )
    articles = browser.execute_script(script)
    assert browser.execute_script(listed) == len(articles)
    assert browser.execute_script("return document.getElementById('filter-count').textContent") == (
        f"{len(articles)} shown"
    )
    return articles


def choose(browser, name, value):
    script = "const f = document.getElementById(arguments[0]); f.value = arguments[1];"
    browser.execute_script(
        script + "f.dispatchEvent(new Event('input', {bubbles: true}))", f"filter-{name}", value
    )


@browser_only
def test_page_in_a_browser(browser):
    wide = browser.execute_script("return document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, "the page scrolls sideways"
    load = """
      const done = arguments[0], images = [...document.images];
      images.forEach(i => i.scrollIntoView());
      const size = i => i.decode().then(() => [i.naturalWidth, i.alt]);
      Promise.all(images.map(size)).then(done, e => done(String(e)));
    """
    images = browser.execute_async_script(load)
    assert len(images) == 1 and all(width > 0 and alt for width, alt in images)
    assert (
        browser.execute_script("return document.querySelectorAll('img:not([loading=lazy])').length")
        == 0
    )
    numbers = browser.execute_script("""
      document.querySelectorAll('details').forEach(d => d.open = true);
      return [...document.querySelectorAll('td.published')].map(
        c => [c.textContent, c.nextElementSibling.className, c.nextElementSibling.textContent]);
    """)
    assert len(numbers) == 2 * (2 + fake_paper.N_TASKS) + 1 + 60
    assert all(
        "ours" in css and ours not in ("", "–")
        for published, css, ours in numbers
        if published != "–"
    )
    assert browser.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0


@browser_only
def test_filters_and_sorting_in_a_browser(browser):
    everything = visible(browser)
    assert everything == [f"{p.name}.{f.name}" for p in PAPERS for f in p.figures]
    choose(browser, "paper", "other")
    assert visible(browser) == ["other.table1", "other.table2"]
    choose(browser, "state", "not yet run")
    assert visible(browser) == ["other.table1"]
    browser.execute_script("document.querySelector('#filters button').click()")
    browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert visible(browser) == everything
    choose(browser, "kind", "figure")
    assert visible(browser) == ["fake.figure1"]
    choose(browser, "kind", "")
    choose(browser, "text", "LICENSED not")
    assert visible(browser) == ["fake.table3"]
    choose(browser, "text", "")
    click = "document.querySelectorAll('#summary th button')[2].click();"
    read = "return [...document.querySelectorAll('#summary tbody tr')].map(r => r.dataset.state)"
    rising = browser.execute_script(click + read)
    falling = browser.execute_script(click + read)
    assert rising[0] == "reproduced" and rising[-1] == "not yet run" and falling[0] == "not yet run"
    column = """
      const t = document.querySelector('article[id="other.table2"] table');
      [...t.tHead.rows[0].cells].find(c => c.textContent == 'difference').firstChild.click();
      return [...t.tBodies[0].rows].map(r => Number(r.querySelector('.difference').dataset.sort));
    """
    assert (lambda values: values == sorted(values))(browser.execute_script(column))


def elements(root):
    """Return all elements of a page."""
    inside = [child for child in root.children if isinstance(child, Element)]
    return [element for child in inside for element in (child, *elements(child))]


def test_page_is_whole_and_self_contained(out):
    text = (out / "index.html").read_text(encoding="utf-8")
    page = elements(read_page(text))
    assert len(page) > 500
    for element in page:
        for name in ("src", "href"):
            address = element.attributes.get(name, "#")
            assert ":" not in address or address.startswith("data:"), (element.tag, address)
            assert address.startswith(("#", "data:")) or (out / address).is_file(), address
    ids = [element["id"] for element in page if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    targets = {element.attributes.get("href", "")[1:] for element in page if element.tag == "a"}
    assert {t for t in targets if t in ids} >= {
        f"{p.name}.{f.name}" for p in PAPERS for f in p.figures
    }
    assert str(out) not in text and "made up &lt;for&gt; the tests" in text


def test_page_shows_every_figure_with_its_origin(out):
    text = (out / "index.html").read_text(encoding="utf-8")
    for paper in PAPERS:
        for figure in paper.figures:
            assert f'id="{paper.name}.{figure.name}"' in text
    assert "python -m paper_figures fake.table1 --scale small --kernels reference --seed 0" in text
    record = json.loads((out / "fake/table1.json").read_text())
    assert record["versions"]["numpy"] in text


def test_page_is_the_same_when_made_again(out):
    before = (out / "index.html").read_bytes()
    gallery.write(Store(out), PAPERS)
    assert (out / "index.html").read_bytes() == before


@pytest.mark.parametrize(
    "value, digits, text",
    [
        (12.0, 2, "12.00"),
        (12, 2, "12"),
        (-0.49, 2, "−0.49"),
        (0.001234, 2, "0.001234"),
        (0.0, 2, "0.00"),
        (2359.0, None, "2359"),
        (17.3123, None, "17.31"),
        (123456.7, None, "123457"),
        (None, 2, "–"),
    ],
)
def test_numbers_are_written_as_the_paper_writes_them(value, digits, text):
    assert gallery.number_text(value, digits) == text
