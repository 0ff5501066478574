"""The Markdown files of the project as pages of the site: notes on a paper, results, speed, builds.

A link to a file that has a page leads to the page; any other link becomes plain text, since the
site must work where the project is not.
"""

import os
import re
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any

from paper_figures import plots, registry
from paper_figures.data.fetch import find
from paper_figures.data.files import FILES, DataFile
from paper_figures.store import Store

__all__ = ["PAGES", "page", "raw", "readers", "write"]

ROOT = Path(registry.__file__).resolve().parents[1]
RESULTS = "paper_figures/reproduced"
PAGES = {
    **{f"refimpl/{room}/PAPER.md": f"papers/{room}" for room in registry.PAPERS},
    **{f"{RESULTS}/{room}/README.md": f"figures/{room}/summary" for room in registry.ROOMS},
    "tests/benchmarks/README.md": "speed/index",
    "tests/benchmarks/widths.md": "speed/widths",
    "tests/benchmarks/notes.md": "speed/notes",
    "tests/builds/README.md": "install/platforms",
}
"""{a file of the project: its page, without a suffix}."""
BELOW = {"speed/index": ("widths", "notes")}
TABLE = '<div class="pst-scrollable-table-container"><table class="table">'
PICTURES = {"tests/benchmarks/speed.png": "speed/speed.png"}
INSTALL = "Install and run"


def raw(html: str) -> list[str]:
    """Return HTML as a block of reStructuredText.

    Parameters
    ----------
    html : str

    Returns
    -------
    list of str
        Its lines, and an empty one.
    """
    return [".. raw:: html", "", *(f"   {line}" for line in html.splitlines()), ""]


def page(text: str, source: str, name: str) -> str:
    """Return a Markdown text as reStructuredText, with its headings as those of the page.

    Parameters
    ----------
    text : str
    source : str
        The file that it is of, from the top of the project; its links start there.
    name : str
        The page, from the top of the site, without a suffix.

    Returns
    -------
    str
    """
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark").enable("table")
    tokens = reader.parse(text)
    for token in tokens:
        _lead(token.children or [], source, name)
    lines: list[str] = []
    block: list[Any] = []

    def flush() -> None:
        if block:
            html = reader.renderer.render(block, reader.options, {})
            html = html.replace("<table>", TABLE)
            lines.extend(raw(html.replace("</table>", "</table></div>")))
            block.clear()

    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token.type == "heading_open" and token.tag in ("h1", "h2"):
            flush()
            title = re.sub(r"([*`_|\\])", r"\\\1", _plain(tokens[place + 1]))
            lines += [title, ("=" if token.tag == "h1" else "-") * 2 * len(title), ""]
            place += 3
            continue
        block.append(token)
        place += 1
    flush()
    return "\n".join(lines) + "\n"


def _plain(token: Any) -> str:
    return "".join(child.content for child in token.children or ())


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
        if target in PAGES:
            start = PurePosixPath(name).parent
            token.attrs["href"] = os.path.relpath(f"{PAGES[target]}.html", start)
        elif "://" not in href:
            tag, token.attrs = "span", {}
        token.tag = tag


def write(sources: Path) -> None:
    """Write the pages, and copy their pictures.

    Parameters
    ----------
    sources : Path
        The copy of the Sphinx sources.
    """
    for source, name in PAGES.items():
        text = page((ROOT / source).read_text(encoding="utf-8"), source, name)
        if name in BELOW:
            text += "\n.. toctree::\n   :hidden:\n\n"
            text += "".join(f"   {below}\n" for below in BELOW[name])
        _put(sources, name, text)
    _put(sources, "install/index", _install())
    _put(sources, "install/data", _data())
    for source, name in PICTURES.items():
        path = sources / "_extra" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(plots.fewer_colours((ROOT / source).read_bytes()))


def _put(sources: Path, name: str, text: str) -> None:
    path = sources / f"{name}.rst"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _install() -> str:
    """Return the README's commands, with the pages on platforms and data below."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (commands,) = re.findall(r"^## Commands\n(.*?)^## ", text, re.DOTALL | re.MULTILINE)
    shown = page(f"# {INSTALL}\n{commands}", "README.md", "install/index")
    return (
        f"{shown}\n- :doc:`platforms`: compilers and processors, and what was built and run on each"
        "\n- :doc:`data`: the files of the data sets, where they come from, and their licences\n"
        "- :doc:`../speed/index`: times of every kernel and training\n\n"
        ".. toctree::\n   :hidden:\n\n   platforms\n   data\n"
    )


def _data() -> str:
    """Return the page of the data files."""
    title = "Data files"
    here = sum(find(name) is not None for name in FILES)
    used = readers()
    rows = "".join(_file(file, used.get(file.name, [])) for file in FILES.values())
    names = ("file", "read by", "size", "from", "licence")
    heads = "".join(f'<th scope="col">{name}</th>' for name in names)
    html = f"{TABLE}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    words = (
        "The papers' scale reads these files. A file is looked for in the folder of ``--data``, "
        "then in that of\n``REFIMPL_DATA``, then in the user's cache, and is downloaded last. Its "
        "sha256 is always compared.\nThe small scale reads none of them.\n"
        f"{here} of {len(FILES)} files were present where this page was made; only these have a "
        "size.\n"
        "*Read by* names the figures, tables and experiments whose stored results need the file.\n"
    )
    return "\n".join([title, "=" * len(title), "", words, *raw(html)])


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


def _file(file: DataFile, used: list[tuple[str, str]]) -> str:
    path = find(file.name)
    size = f"{path.stat().st_size / 1e6:,.2f} MB" if path is not None else "not present"
    source = escape(file.url) if file.url else "put in place by hand"
    note = f"<br>{escape(file.note)}" if file.note else ""
    shown = ", ".join(
        f'<a href="../figures/{paper}/index.html#{figure}">{paper}.{figure}</a>'
        for paper, figure in used
    )
    return (
        f"<tr><td><code>{escape(file.name)}</code></td><td class='long'>{shown}</td><td>{size}</td>"
        f"<td class='long'>{source}{note}</td><td>{escape(file.licence)}</td></tr>"
    )
