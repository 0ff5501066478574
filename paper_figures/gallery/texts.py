"""Texts as HTML: sentences, and names of entries as links."""

import re
from collections.abc import Collection
from html import escape

from paper_figures.gallery.entries import Room


def linked(text: str, room: Room) -> str:
    """Return a text of a paper's page as a sentence, with links where it names entries."""
    return with_links(sentence(text), room.name, room.names)


def with_links(text: str, paper: str, entries: Collection[str]) -> str:
    """Return a text as HTML: `code`, and links where it names an entry (``paper.figure``)."""
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
    """Return a text as a sentence; a symbol or a file's name keeps its first letter."""
    first = text.partition(" ")[0].rstrip(",")
    word = first.isalpha() and (len(first) > 1 or first == "a")
    whole = text[:1].upper() + text[1:] if word else text
    return whole if whole.endswith((".", "!", "?")) else whole + "."
