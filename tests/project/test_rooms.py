"""The rooms of the package: what `import refimpl` gives, that each can be imported alone, and that
all are installed.
"""

import tomllib

import pytest
from processes import ROOT, output

import refimpl


@pytest.mark.parametrize("room", refimpl.ROOMS)
def test_a_room_comes_when_it_is_asked_for(room):
    code = f"import refimpl; print(refimpl.{room}.__name__)"
    assert output("-c", code) == f"refimpl.{room}"


def test_what_is_no_room_is_no_attribute():
    with pytest.raises(AttributeError, match="has no attribute 'lmn'"):
        refimpl.lmn  # noqa: B018
    assert set(refimpl.ROOMS) <= set(dir(refimpl))


def test_every_room_but_the_site_is_installed():
    """The site is built in a checkout alone."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rooms = {
        ".".join(path.relative_to(ROOT).parent.parts)
        for package in ("refimpl", "refimpl_fast", "paper_figures")
        for path in (ROOT / package).rglob("__init__.py")
    }
    site = {room for room in rooms if room.startswith("paper_figures.site")}
    assert site and set(project["tool"]["setuptools"]["packages"]) == rooms - site
