"""Headless Chromium for the tests of pages; it is set to a width and a colour scheme."""

import shutil
from contextlib import contextmanager
from time import sleep

import pytest

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()
browser_only = pytest.mark.skipif(
    not (CHROMIUM and DRIVER),
    reason="chromium and chromedriver are not installed (Debian: chromium-driver)",
)


@contextmanager
def chromium(profile):
    """Yield a driver with its own profile folder; its console is kept."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    # a window that has no focus sends no events of it, and writes nothing to the clipboard
    driver.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
    try:
        yield driver
    finally:
        driver.quit()


def show(driver, address):
    """Open a page anew, and wait until all of it is there: the driver may answer before."""
    driver.get("about:blank")
    driver.get(address)
    there = "return location.href !== 'about:blank' && document.readyState === 'complete'"
    for _ in range(600):
        if driver.execute_script(there):
            return
        sleep(0.05)
    raise TimeoutError(f"{address} is not there after half a minute")


def set_width(driver, width):
    """Make the window as wide as a desktop's or a phone's."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def set_media(driver, scheme="light", media=""):
    """Choose light or dark, and print or the screen."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})


def press(driver, key, code):
    """Press a key that does not write, such as Tab."""
    for kind in ("rawKeyDown", "keyUp"):
        event = {"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
        driver.execute_cdp_cmd("Input.dispatchKeyEvent", event)
