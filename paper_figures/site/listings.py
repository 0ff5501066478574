"""The code that the API describes as pages of the site, with an anchor for each line."""

import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import paper_figures
import refimpl
from paper_figures.site import rst
from paper_figures.site.finish import element, lighter
from paper_figures.site.printed import ROOT

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WORDS = """\
Every file of refimpl and refimpl_fast, and those of paper_figures that the API describes. Each line
has an address."""
OF_FIGURES = ("registry.py", "rows.py", "study.py", "store.py", "judge/[_r]*.py")
LEXERS = {".py": "python", ".pyx": "cython", ".h": "cpp"}


@cache
def files() -> tuple[str, ...]:
    """Return the files that are pages, from the top of the checkout."""
    paths = [*Path(refimpl.__file__).parent.rglob("*.py")]
    paths += [p for p in (ROOT / "refimpl_fast").iterdir() if p.suffix in LEXERS]
    figures = Path(paper_figures.__file__).parent
    paths += [path for pattern in OF_FIGURES for path in figures.glob(pattern)]
    return tuple(path.relative_to(ROOT).as_posix() for path in sorted(paths))


def address(file: str, line: int) -> str:
    """Return the link to a line from a page one folder below the site; empty if there is none."""
    return f"../source/{file}.html#L{line}" if file in files() else ""


def link_of(domain: str, info: dict[str, str]) -> str | None:
    """Return the link from an entry of the API to its definition, as sphinx.ext.linkcode asks."""
    if info["module"].startswith("refimpl_fast"):
        file, line = _cython().get(info["fullname"], ("", 0))
        return address(file, line) or None
    found: Any = importlib.import_module(info["module"])
    try:
        for name in info["fullname"].split("."):
            found = getattr(found, name)
        file = inspect.getsourcefile(inspect.unwrap(found)) or ""
        line = inspect.getsourcelines(inspect.unwrap(found))[1]
    except (AttributeError, OSError, TypeError):  # a constant, an attribute of an instance
        return None
    path = Path(file)
    inside = path.is_relative_to(ROOT) and not inspect.ismodule(found)
    return (address(path.relative_to(ROOT).as_posix(), line) or None) if inside else None


@cache
def _cython() -> dict[str, tuple[str, int]]:
    """Return the file and the line of each function of the Cython modules."""
    found = {}
    for file in files():
        if file.endswith(".pyx"):
            for line, text in enumerate((ROOT / file).read_text("utf-8").splitlines(), 1):
                if defined := re.match(r"def (\w+)\(", text):
                    found[defined[1]] = file, line
    return found


def pages(app: "Sphinx") -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the name, the contents and the template of each file."""
    for file in files():
        shown = {"title": file, "body": body(file), "theme_article_header_start": []}
        yield f"source/{file}", shown, "page.html"


def write(sources: Path) -> None:
    """Write the page that lists all files, folder by folder, into the copy of the sources."""
    folders: dict[str, list[str]] = {}
    for file in files():
        folder, _, name = file.rpartition("/")
        link = f'<a href="source/{file}.html">{name}</a>'
        folders.setdefault(folder, []).append(link)
    text = [*rst.titled("Files"), WORDS, ""]
    for folder, links in folders.items():
        text += [*rst.titled(folder, "-"), *rst.raw(f"<p>{', '.join(links)}</p>")]
    rst.put(sources, "files", text)


def body(file: str) -> str:
    """Return a file with an anchor for each line; lines of one colour share an element.

    Numbers and names of types keep the text's own colour."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name

    text = (ROOT / file).read_text(encoding="utf-8")
    html = highlight(text, get_lexer_by_name(LEXERS[Path(file).suffix]), HtmlFormatter(nowrap=True))
    html = re.sub(r"</?u>", "", lighter(html)).rstrip("\n")
    groups: list[tuple[str, list[str]]] = []
    for number, line in enumerate(html.split("\n"), 1):
        whole = re.fullmatch(r"(\s*)(<q>|<b class=c>)([^<]*)</[bq]>", line)
        colour, shown = (whole[2], whole[1] + whole[3]) if whole else ("", line)
        if not groups or (line and colour != groups[-1][0]):
            groups.append((colour, []))
        groups[-1][1].append(f"<i id=L{number}>{shown}</i>")
    joined = [(colour, "\n".join(lines)) for colour, lines in groups]
    code = "\n".join(
        f"{colour}{lines}{f'</{element(colour)}>' * bool(colour)}" for colour, lines in joined
    )
    return f'<h1>{file}</h1><div class="highlight numbered"><pre tabindex="0">{code}</pre></div>'


def setup(app: "Sphinx") -> dict[str, Any]:
    """Let Sphinx write the pages."""
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
