"""The frame that all pages share: head, style, script, permalinks."""

from html import escape
from importlib.resources import files


def frame(title: str, body: str, css: str) -> str:
    """Return a whole page, with style and script inside.

    Parameters
    ----------
    title : str
        As text.
    body : str
        As HTML.
    css : str
        The class of the body: what kind of page it is.

    Returns
    -------
    str
    """
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>
{asset("gallery.css")}</style>
</head>
<body class="{escape(css)}">
{body}
<script>
{asset("gallery.js")}</script>
</body>
</html>
"""


def asset(name: str) -> str:
    """Return the text of a file of ``paper_figures/assets``."""
    return files("paper_figures").joinpath("assets", name).read_text(encoding="utf-8")


def permalink(anchor: str, what: str) -> str:
    """Return a visible link to a place of the page, to copy."""
    return (
        f'<a class="permalink" href="#{escape(anchor)}" aria-label="Link to {escape(what)}">#</a>'
    )


def search_form(action: str, shown: str) -> str:
    """Return a field that searches all papers on the first page."""
    return f"""<form class="find" role="search" action="{escape(action)}" method="get">
<label><span class="heard">Search all papers</span>
<input type="search" name="find" placeholder="{escape(shown)}" autocomplete="off"></label>
<button>Search</button>
</form>"""
