"""The Cython modules as pages of the site, each line with an anchor, beside those in Python."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import refimpl_fast

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["pages", "setup"]


def pages(app: "Sphinx | None" = None) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the name, the contents and the template of the page of each Cython module.

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
    >>> next(pages())[2]  # doctest: +SKIP
    'page.html'
    """
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import CythonLexer

    form = HtmlFormatter(lineanchors="line", anchorlinenos=False)
    for path in sorted(Path(refimpl_fast.__file__).parent.glob("*.pyx")):
        title = f"refimpl_fast/{path.name}"
        shown = highlight(path.read_text(encoding="utf-8"), CythonLexer(), form)
        body = f"<h1>{title}</h1>{shown}"
        yield f"_modules/refimpl_fast/{path.stem}", {"title": title, "body": body}, "page.html"


def setup(app: "Sphinx") -> dict[str, Any]:
    """Let Sphinx write the pages."""
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
