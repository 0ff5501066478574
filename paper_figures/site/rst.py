"""Pages of reStructuredText: titles, blocks of HTML, and the scripts that a page asks for."""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from paper_figures.gallery.html import environment


@cache
def macros(name: str, *functions: Callable[..., Any]) -> Any:
    """Return the macros of a template, which has some functions by their names."""
    made = environment("paper_figures.site", "templates", *functions)
    return made.get_template(f"{name}.jinja").module


def titled(title: str, line: str = "=") -> list[str]:
    """Return a title, or a heading if its line is of hyphens."""
    return [title, line * 4 * len(title), ""]


def raw(html: str) -> list[str]:
    """Return HTML as a block of its own; the lines of code in it keep their indentation."""
    lines = [f"   {line}" for line in html.splitlines()]
    return [".. raw:: html", "", *lines, ""] if html.strip() else []


def scripts(*names: str, top: str = "../") -> list[str]:
    """Return what asks for scripts of the site, from a page that lies `top` below it."""
    return raw("\n".join(f'<script src="{top}_static/{name}.js" defer></script>' for name in names))


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """Return a table whose cells are reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in (head, *rows):
        lines += [f"{'     -' if place else '   * -'} {cell}" for place, cell in enumerate(row)]
    return [*lines, ""]


def toctree(names: Iterable[str], *options: str) -> list[str]:
    """Return the list of the pages below a page."""
    listed = [f"   {line}" for line in (*options, "", *names)]
    return [".. toctree::", *listed, ""]


def fill(sources: Path, name: str, place: str, lines: Iterable[str]) -> None:
    """Put lines where a page that is written by hand has a comment for them."""
    path = sources / f"{name}.rst"
    before, found, after = path.read_text(encoding="utf-8").partition(f".. {place}\n")
    if not found or f".. {place}\n" in after:
        raise ValueError(f"{path} must have the line '.. {place}' once")
    path.write_text("\n".join([before, *lines, after]), encoding="utf-8")


def put(sources: Path, name: str, lines: Iterable[str]) -> None:
    """Write the source of a page, which is named without a suffix."""
    path = sources / f"{name}.rst"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
