"""What is done to the pages that Sphinx wrote: less weight, links from listings to the API."""

import re
from functools import cache, partial
from pathlib import Path

__all__ = ["finish"]

PLAIN = re.compile(r'<span class="(?:n|p|w)">([^<]*)</span>')
"""A name, punctuation or white space of highlighted code: all have the text's own colour."""
BACK = re.compile(r'id="([^"]+)">\n?<a class="viewcode-back" href="([^"#]+)#([^"]+)"')


def finish(out: Path) -> None:
    """Take out what no reader sees, and mend the links from listings to the API.

    Parameters
    ----------
    out : Path
        The folder of the site.
    """
    for path in out.rglob("*.map"):  # of scripts, for whoever changes the theme
        path.unlink()
    for path in out.rglob("*.html"):
        text = PLAIN.sub(r"\1", path.read_text(encoding="utf-8"))
        if "viewcode-back" in text:
            text = BACK.sub(partial(_back, path), text)
        path.write_text(text, encoding="utf-8")


def _back(page: Path, found: re.Match[str]) -> str:
    """Return a link to the entry of a name, whichever module the entry names it by.

    viewcode takes it that all names of a file are described as those of one module.
    """
    name, address, anchor = found.groups()
    places = _ids((page.parent / address).resolve())
    if anchor not in places:
        anchor = next((place for place in places if place.endswith(f".{name}")), "")
    link = f"{address}#{anchor}" if anchor else address
    return f'id="{name}">\n<a class="viewcode-back" href="{link}"'


@cache
def _ids(page: Path) -> tuple[str, ...]:
    return tuple(re.findall(r'id="([^"]+)"', page.read_text(encoding="utf-8")))
