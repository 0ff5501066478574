"""The frame that all pages share: head, style, script, permalinks."""

import re
from collections.abc import Collection
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
<body class="gallery {escape(css)}">
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


def with_links(text: str, paper: str, entries: Collection[str]) -> str:
    """Return a text as HTML: `code`, and links where it names an entry.

    Parameters
    ----------
    text : str
        Names stand as ``paper.figure``, or within backquotes as ``figure`` of this paper.
    paper : str
        The paper on whose page it stands.
    entries : collection of str
        The full names of all entries.

    Returns
    -------
    str
    """
    parts = re.split(r"(`[^`]+`|\b[a-z]+(?:_[a-z]+)*\.[a-z]+(?:_[a-z]+)*\d*\b)", text)
    return "".join(
        _named(part, paper, entries) if place % 2 else escape(part)
        for place, part in enumerate(parts)
    )


def _named(part: str, paper: str, entries: Collection[str]) -> str:
    name = part.strip("`")
    full = name if "." in name else f"{paper}.{name}"
    shown = f"<code>{escape(name)}</code>" if part.startswith("`") else escape(part)
    if full not in entries:
        return shown
    return f'<a href="{escape(entry_address(full, paper))}">{shown}</a>'


def entry_address(full: str, paper: str) -> str:
    """Return the address of an entry, as ``lmnn.table1``, from a paper's page."""
    other, _, figure = full.partition(".")
    return f"#{figure}" if other == paper else f"../{other}/index.html#{figure}"


def sentence(text: str) -> str:
    """Return a text that begins with a capital letter and ends with a full stop.

    A symbol or the name of a file keeps its first letter.
    """
    first = text.partition(" ")[0].rstrip(",")
    word = first.isalpha() and (len(first) > 1 or first == "a")
    whole = text[:1].upper() + text[1:] if word else text
    return whole if whole.endswith((".", "!", "?")) else whole + "."


def picture(path: str, words: str, size: tuple[int, int]) -> str:
    """Return a picture, which has colours for light and dark pages."""
    width, height = size
    seen = f'alt="{escape(words)}" width="{width}" height="{height}" loading="lazy"'
    # the theme of the site puts other pictures on white
    return f'<div class="picture"><img class="dark-light" src="{escape(path)}.svg" {seen}></div>'


def search_form(action: str, shown: str) -> str:
    """Return a field that searches all papers on the first page."""
    return f"""<form class="seek" role="search" action="{escape(action)}" method="get">
<label><span class="heard">Search all papers</span>
<input type="search" name="find" placeholder="{escape(shown)}" autocomplete="off"></label>
<button>Search</button>
</form>"""
