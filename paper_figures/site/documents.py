"""The Markdown files of the project as pages of the site: notes on a paper, results, speed, builds.

A link to a file that has a page leads to the page; any other link becomes plain text, since the
site must work where the project is not.
"""

import os
import re
from html import unescape
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from paper_figures import plots, registry
from paper_figures.data.fetch import find
from paper_figures.data.files import FILES
from paper_figures.site import listings, rst
from paper_figures.site.printed import ROOT
from paper_figures.site.typeset import typeset
from paper_figures.store import Store

RESULTS = "paper_figures/reproduced"
GUIDES = "paper_figures/site/source/"
PAGES = {
    **{f"refimpl/{room}/PAPER.md": f"papers/{room}" for room in registry.PAPERS},
    **{f"{RESULTS}/{room}/README.md": f"figures/{room}/summary" for room in registry.ROOMS},
    "tests/benchmarks/README.md": "speed/index",
    "tests/benchmarks/widths.md": "speed/widths",
    "tests/benchmarks/widths_v3.md": "speed/widths_v3",
    "tests/benchmarks/notes.md": "speed/notes",
    "tests/builds/README.md": "install/platforms",
}
"""{a file of the project: its page, without a suffix}."""
TABLE = '<div class="pst-scrollable-table-container"><table class="table">'
PICTURE = "tests/benchmarks/speed.png"
FURTHER = """\
- :doc:`platforms`: compilers and processors, and what was built and run on each
- :doc:`data`: the files of the data sets, where they come from, and their licences
- :doc:`../speed/index`: times of every kernel and training
"""
OF_DATA = """\
These files are read at the papers' scale; the small scale needs none. A file is looked for in the
folder of ``--data``, then in that of ``REFIMPL_DATA``, then in the user's cache. If it is in none
of them, it is downloaded. Its sha256 is always compared. *Here* says whether the file was present
where this page was made, as {here} of {all} were. *Read by* names the figures, tables and
experiments whose stored results need the file.
"""


def page(text: str, source: str, name: str) -> list[str]:
    """Return a Markdown text as reStructuredText, with its headings as those of the page."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark").enable("table")
    tokens = reader.parse(text)
    for before, token in pairwise(tokens):
        _lead(token.children or [], source, name)
        if before.type == "td_open" and name.startswith("papers/"):
            _typeset(token.children or [])
    html = reader.renderer.render(tokens, reader.options, {}).replace("<table>", TABLE)
    html = html.replace("</table>", "</table></div>")
    first, *parts = re.split(r"<h([12])>(.*?)</h[12]>", html)
    lines = rst.raw(first)
    for level, title, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        plain = unescape(re.sub(r"<[^>]*>", "", title))
        heading = re.sub(r"([*`_|\\])", r"\\\1", plain)
        lines += [*rst.titled(heading, "=" if level == "1" else "-"), *rst.raw(body)]
    return lines


def page_of(file: str) -> str | None:
    """Return the page that shows a file of the project, without a suffix; None if none does."""
    if file.startswith(GUIDES):
        return file.removeprefix(GUIDES).removesuffix(".rst")
    return PAGES.get(file) or (f"source/{file}" if file in listings.files() else None)


def _lead(tokens: list[Any], source: str, name: str) -> None:
    """Lead each link to the page of its file; make it plain text if there is none."""
    tag = "a"
    for token in tokens:
        if token.type == "image" and name.startswith("figures/"):
            token.attrs["src"] = str(token.attrs["src"]).replace(".png", ".svg")
            token.attrs["class"] = "dark-light"  # the theme puts other pictures on white
        if token.type == "image":
            token.attrs["loading"] = "lazy"
        if token.type == "link_close":
            token.tag = tag
        if token.type != "link_open":
            continue
        href = str(token.attrs["href"])
        target = os.path.normpath(PurePosixPath(source).parent / href)
        tag = "a"
        if page := page_of(target):
            start = PurePosixPath(name).parent
            token.attrs["href"] = os.path.relpath(f"{page}.html", start)
        elif "://" not in href:
            tag, token.attrs = "span", {}
        token.tag = tag


def _typeset(tokens: list[Any]) -> None:
    """Set the formulas of a cell; its code stays as it is."""
    for token in tokens:
        if token.type == "text" and "::" not in token.content:  # the name of a test
            token.type, token.content = "html_inline", typeset(token.content)


def write(sources: Path) -> None:
    """Write the pages, and copy the picture of the speed."""
    for source, name in PAGES.items():
        lines = page((ROOT / source).read_text(encoding="utf-8"), source, name)
        if name == "speed/index":
            lines += rst.toctree(("widths", "widths_v3", "notes"), ":hidden:")
        rst.put(sources, name, lines)
    rst.put(sources, "install/index", _install())
    rst.put(sources, "install/data", _data())
    folder = sources / "_extra" / "speed"
    folder.mkdir(parents=True)
    (folder / "speed.png").write_bytes(plots.fewer_colours((ROOT / PICTURE).read_bytes()))


def _install() -> list[str]:
    """Return the README's commands, with the pages on platforms and data below."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (commands,) = re.findall(r"^## Commands\n(.*?)^## ", text, re.DOTALL | re.MULTILINE)
    shown = page(f"# Install and run\n{commands}", "README.md", "install/index")
    return [*shown, FURTHER, *rst.toctree(("platforms", "data"), ":hidden:")]


def _data() -> list[str]:
    """Return the page of the data files."""
    here = {name for name in FILES if find(name) is not None}
    table = rst.macros("data", registry.spoken).table(FILES.values(), here, readers())
    words = OF_DATA.format(here=len(here), all=len(FILES))
    return [*rst.titled("Data files"), words, *rst.raw(table)]


def readers() -> dict[str, list[tuple[str, str]]]:
    """Return the paper and the name of each figure and table whose record was made from a file."""
    found: dict[str, list[tuple[str, str]]] = {}
    store = Store(ROOT / RESULTS)
    for paper in registry.load_papers():
        for figure in paper.figures:
            record = store.read(paper.name, figure.name) or {"data": []}
            for one in record["data"]:
                found.setdefault(one["name"], []).append((paper.name, figure.name))
    return found
