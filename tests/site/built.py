"""The built site that the tests look at: REFIMPL_SITE, or site/ of the checkout."""

import os
from pathlib import Path

import pytest
from browser import set_width, show

from paper_figures.site import printed

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ.get("REFIMPL_SITE") or ROOT / "site")
UNFOLD = "document.querySelectorAll('main details').forEach(d => d.open = true);"
READERS = [f"reader/{room}.html" for room in printed.PREFIXES]
built = pytest.mark.skipif(not (SITE / "objects.inv").is_file(), reason="no site: `make site`")
CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")


def require_fit(browser):
    """Require that the page that is open fits a desktop and a phone, folded and unfolded."""
    script = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for unfold in (False, True):
        if unfold:
            browser.execute_script(UNFOLD)
        for width in (1280, 390):
            set_width(browser, width)
            assert browser.execute_script(script) <= 0, (unfold, width)


def open_page(browser, page, more=""):
    """Open a page anew; `more` is its fragment or its query."""
    show(browser, (SITE / page).as_uri() + more)
