"""No page of the built site is heavy: its requests, their bytes and its elements have limits.

They stand for the time that a page takes to load, which `python -m tests.site.loads` measures and
no test does. The limits leave room for growth by half; the theme and its fonts take much of them.
"""

from tests.site.built import SITE, built
from tests.site.loads import Weight, pages

pytestmark = built
REQUESTS, BYTES, ELEMENTS = 24, 2_200_000, 16_000
WHOLE = 12_000_000


def test_no_page_is_heavy():
    names = pages(SITE)
    assert len(names) > 50
    heavy = {}
    for name in names:
        weight = Weight(SITE / name)
        numbers = (weight.requests, weight.bytes, weight.elements)
        if any(n > most for n, most in zip(numbers, (REQUESTS, BYTES, ELEMENTS), strict=True)):
            heavy[name] = numbers
    assert heavy == {}


def test_the_site_is_light():
    files = [path for path in SITE.rglob("*") if path.is_file()]
    assert len(files) > 300
    assert sum(path.stat().st_size for path in files) < WHOLE


def test_a_page_of_known_weight(tmp_path):
    """By hand: the page, a script named twice, a style and a picture, but not the late one."""
    for name, size in (("a.js", 10), ("b.css", 20), ("c.png", 30), ("late.png", 1000)):
        (tmp_path / name).write_bytes(b"x" * size)
    html = (
        '<html><link rel="stylesheet" href="b.css?v=1"><link rel="next" href="c.html">'
        '<script src="a.js"></script><script src="a.js"></script>'
        '<img src="c.png"><img src="late.png" loading="lazy"><img src="data:,x"></html>'
    )
    (tmp_path / "page.html").write_text(html)
    weight = Weight(tmp_path / "page.html")
    assert (weight.requests, weight.bytes, weight.elements) == (4, len(html) + 60, 8)
