"""The built site that the tests look at: REFIMPL_SITE, or site/ of the checkout."""

import os
from pathlib import Path

import pytest
from browser import show

from paper_figures.site import printed

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ.get("REFIMPL_SITE") or ROOT / "site")
READERS = [f"reader/{room}.html" for room in printed.PREFIXES]
built = pytest.mark.skipif(not (SITE / "objects.inv").is_file(), reason="no site: `make site`")


def open_page(browser, page, more=""):
    """Open a page anew; `more` is its fragment or its query."""
    show(browser, (SITE / page).as_uri() + more)
