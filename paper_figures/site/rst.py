"""Pages of reStructuredText: titles, blocks of HTML, and the scripts that a page asks for."""

from collections.abc import Iterable
from pathlib import Path

__all__ = ["put", "raw", "scripts", "titled", "toctree"]


def titled(title: str, line: str = "=") -> list[str]:
    """Return a title, or a heading if its line is of hyphens."""
    return [title, line * 4 * len(title), ""]


def raw(html: str) -> list[str]:
    """Return HTML as a block of its own; the lines of code in it keep their indentation."""
    return [".. raw:: html", "", *(f"   {line}" for line in html.splitlines()), ""]


def scripts(*names: str, top: str = "../") -> list[str]:
    """Return what asks for scripts of the site, from a page that lies `top` below it."""
    return raw("\n".join(f'<script src="{top}_static/{name}.js" defer></script>' for name in names))


def toctree(names: Iterable[str], *options: str) -> list[str]:
    """Return the list of the pages below a page."""
    listed = [f"   {line}" for line in (*options, "", *names)]
    return [".. toctree::", *listed, ""]


def put(sources: Path, name: str, lines: Iterable[str]) -> None:
    """Write the source of a page, which is named without a suffix."""
    path = sources / f"{name}.rst"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
