"""``python -m tests.site.loads [PAGE ...]``: measure what the pages of the built site weigh.

For each page: its requests, their bytes, its elements, and the time from the beginning of the
navigation to the end of the load event in headless Chromium, from the disk: the median of three
loads at 1280 px and of three at 390 px, at this machine's speed. Without names, all pages.
The test of the limits (test_site_weight.py) counts the same without a browser; times stand in no
test, since they depend on what else the machine does.
"""

import argparse
import statistics
import sys
import tempfile
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

from tests.site.built import ROOT, SITE

LOADS = 3
TIMES = """
const entry = performance.getEntriesByType("navigation")[0];
return [entry.loadEventEnd, document.getElementsByTagName("*").length];
"""


class Weight(HTMLParser):
    """What a page asks for before its load event: its requests, their bytes, and its elements.

    Pictures that are loaded when they come into view do not count, nor do the parts that a script
    makes.
    """

    def __init__(self, page):
        super().__init__()
        self.folder = page.parent
        self.files = {page.resolve()}
        self.elements = 0
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        self.elements += 1
        named = dict(attrs)
        address = named.get("href") if tag == "link" else named.get("src")
        loads = tag in ("script", "img", "iframe") or named.get("rel") in ("stylesheet", "preload")
        if not address or not loads or named.get("loading") == "lazy":
            return
        parts = urlsplit(address)
        if not parts.scheme:
            self.files.add((self.folder / unquote(parts.path)).resolve())

    @property
    def requests(self):
        return len(self.files)

    @property
    def bytes(self):
        return sum(path.stat().st_size for path in self.files)


def pages(site):
    """Return the names of all pages of a site."""
    return sorted(
        path.relative_to(site).as_posix()
        for path in site.rglob("*.html")
        if "_static" not in path.parts  # a template of the theme
    )


def measured(driver, address, width):
    """Return the milliseconds of a page's load, and its elements when it is loaded."""
    from browser import set_width, show

    set_width(driver, width)
    seen = []
    for _ in range(LOADS):
        show(driver, address)
        seen.append(driver.execute_script(TIMES))
    return statistics.median(times[0] for times in seen), seen[-1][1]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.site.loads", description=__doc__)
    parser.add_argument("pages", nargs="*", help="such as reader/lmnn.html; none means all")
    names = parser.parse_args(arguments).pages or pages(SITE)
    sys.path.insert(0, str(ROOT / "tests" / "support"))
    from browser import chromium

    slowest = []
    print(f"{'page':<52} {'requests':>8} {'kB':>6} {'elements':>8} {'ms 1280':>8} {'ms 390':>7}")
    with tempfile.TemporaryDirectory() as profile, chromium(profile) as driver:
        for name in names:
            weight = Weight(SITE / name)
            wide, elements = measured(driver, (SITE / name).as_uri(), 1280)
            narrow, _ = measured(driver, (SITE / name).as_uri(), 390)
            slowest.append((max(wide, narrow), name))
            size = f"{weight.requests:8} {weight.bytes / 1e3:6.0f} {elements:8}"
            numbers = f"{size} {wide:8.0f} {narrow:7.0f}"
            print(f"{name:<52} {numbers}", flush=True)
    over = [f"{name} {ms:.0f} ms" for ms, name in slowest if ms > 1500]
    print(f"{len(names)} pages; the slowest: {max(slowest)[1]}, {max(slowest)[0]:.0f} ms")
    print(f"over 1.5 s: {', '.join(over) or 'none'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
