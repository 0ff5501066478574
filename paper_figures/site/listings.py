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
import refimpl_fast

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["address", "link_of", "pages", "setup"]

ROOT = Path(refimpl.__file__).parents[1]
LEXERS = {".py": "python", ".pyx": "cython", ".h": "cpp"}


@cache
def files() -> tuple[str, ...]:
    """Return the files that are pages, from the top of the checkout."""
    paths = [*Path(refimpl.__file__).parent.rglob("*.py")]
    paths += [p for p in Path(refimpl_fast.__file__).parent.iterdir() if p.suffix in LEXERS]
    # of the figures' package the modules that the API describes
    figures = Path(paper_figures.__file__).parent
    paths += [path for part in ("", "judge", "gallery") for path in (figures / part).glob("*.py")]
    return tuple(path.relative_to(ROOT).as_posix() for path in sorted(paths))


def address(file: str, line: int) -> str:
    """Return the link to a line from a page one folder below the site; empty if there is none.

    Parameters
    ----------
    file : str
        From the top of the checkout.
    line : int
        From 1.

    Returns
    -------
    str

    See Also
    --------
    link_of : The same for an object.

    Examples
    --------
    >>> from paper_figures.site.listings import address
    >>> address("refimpl/lmnn/algorithm.py", 3)
    '../source/refimpl/lmnn/algorithm.py.html#line-3'
    """
    return f"../source/{file}.html#line-{line}" if file in files() else ""


def link_of(domain: str, info: dict[str, str]) -> str | None:
    """Return the link from an entry of the API to its definition, as sphinx.ext.linkcode asks.

    Parameters
    ----------
    domain : str
        Sphinx's name of the language; all entries are in Python.
    info : dict of str to str
        The module and the full name.

    Returns
    -------
    str or None

    See Also
    --------
    address : The link to a line.

    Examples
    --------
    >>> from paper_figures.site.listings import link_of
    >>> link_of("py", {"module": "refimpl_fast", "fullname": "nothing"}) is None
    True
    """
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
    inside = path.is_relative_to(ROOT)
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


def pages(app: "Sphinx | None" = None) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the name, the contents and the template of the page of each module.

    Parameters
    ----------
    app : sphinx.application.Sphinx, optional
        Sphinx gives it; it is not asked.

    Yields
    ------
    (str, dict, str)

    See Also
    --------
    paper_figures.site.snippets : Single lines of these modules.

    Examples
    --------
    >>> from paper_figures.site.listings import pages
    >>> next(pages())[2]
    'page.html'
    """
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name

    form = HtmlFormatter(linespans="line", cssclass="highlight numbered")
    for file in files():
        lexer = get_lexer_by_name(LEXERS[Path(file).suffix])
        shown = highlight((ROOT / file).read_text(encoding="utf-8"), lexer, form)
        shown = shown.replace("<pre>", '<pre tabindex="0">', 1)
        yield f"source/{file}", {"title": file, "body": f"<h1>{file}</h1>{shown}"}, "page.html"


def setup(app: "Sphinx") -> dict[str, Any]:
    """Let Sphinx write the pages."""
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
