"""A headless Chromium for the tests of the site; its console must stay empty."""

import pytest
from browser import chromium, set_media, set_width


@pytest.fixture(scope="session")
def only_browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def browser(only_browser):
    set_width(only_browser, 1280)
    set_media(only_browser)
    only_browser.get_log("browser")  # of the test before
    yield only_browser
    bad = [line for line in only_browser.get_log("browser") if line["level"] != "INFO"]
    assert bad == []


@pytest.fixture
def phone(browser):
    set_width(browser, 390)
    return browser
