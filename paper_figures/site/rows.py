"""A row of the reader: a printed line with all that hangs on it."""

import json
import re
from collections.abc import Iterable
from html import escape, unescape
from typing import Any

from paper_figures.registry import spoken
from paper_figures.site import (
    api,
    figures,
    listings,
    printed,
    rst,
    snippets,
    steps,
    tracing,
    values,
)
from paper_figures.site.finish import lighter
from paper_figures.site.mathml import inline, mathml
from paper_figures.site.runs import Live
from paper_figures.site.snippets import Snippet
from paper_figures.site.tracing import Trace
from paper_figures.site.typeset import LETTERS, compared, typeset

_NAME = re.compile(r'<span class="(n[a-z]?)">([A-Za-z_]\w*)</span>')


def anchor(id: str) -> str:
    """Return the permalink of a printed line: ``BD-A.2-7``."""
    return id.replace(":", "-")


def short(id: str) -> str:
    """Return what a line is called within its section: its number, or the equation's name."""
    place, _, number = id.split(":", 1)[1].partition(":")
    return number or place


def json_of(value: object) -> str:
    """Return a value as JSON in few bytes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def data(kind: str, value: object) -> str:
    """Return what a script of the page reads, as an element of the page."""
    text = json_of(value).replace("</script", "<\\/script")
    return f'<script type="application/json" class="{kind}">{text}</script>'


def pieces(texts: dict[str, list[str]]) -> dict[str, object]:
    """Return lists of HTML by their names; a text is the places of its pieces in a common list."""
    known: dict[str, int] = {}

    def places(text: str) -> list[int]:
        return [
            known.setdefault(piece, len(known)) for piece in re.split(r"(?=<\w)", text) if piece
        ]

    listed = {name: [places(text) for text in group] for name, group in texts.items()}
    return {"texts": listed, "pieces": list(known)}


def highlighted(snippet: Snippet, language: str, names: dict[str, str] | None = None) -> str:
    """Return code with colours, its marked lines, and what its names mean."""
    html = coloured(snippet, language, names)
    return f'<div class="highlight"><pre tabindex="0">{html}</pre></div>'


def coloured(snippet: Snippet, language: str, names: dict[str, str] | None = None) -> str:
    """Return the lines of code as HTML; no element reaches over the end of a line."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name

    marked = coloured_lines(snippet) if language == "cython" else []
    form = HtmlFormatter(nowrap=True, hl_lines=marked)
    html = str(highlight(snippet.text, get_lexer_by_name(language), form)).rstrip("\n")
    meaning = names or {}

    def named(match: re.Match[str]) -> str:
        kind, name = match.groups()
        if name not in meaning:
            return match[0]
        return f'<span class="{kind} symbol" title="{escape(meaning[name])}">{name}</span>'

    return _NAME.sub(named, html)


def coloured_lines(snippet: Snippet) -> list[int]:
    """Return the lines to colour, from 1: marked ones, and what a comment alone stands above."""
    lines = snippet.text.splitlines()
    listed: list[int] = []
    for mark in snippet.marked:
        number = mark - snippet.first + 1
        listed.append(number)
        while number < len(lines) and lines[number - 1].lstrip().startswith("#"):
            number += 1
            if lines[number - 1].lstrip().startswith("cdef "):
                break  # a declaration does nothing yet
            listed.append(number)
    return list(dict.fromkeys(listed))


class Page:
    """What the rows of a paper share."""

    def __init__(self, room: str) -> None:
        self.paper = printed.read(room)
        self.steps = steps.read(room).steps
        self.names = meanings(self.paper.symbols)

    def row(self, id: str, live: Live) -> str:
        """Return the row of a printed line."""
        return str(macros("rows").row(self, id, live))

    def values(self, id: str, live: Live, round: int) -> str:
        """Return the values of a line in a round as HTML.

        A line that rests says why, and what it left the last time, or will the first time.
        """
        if any(live.trace.of(one, round) for one in live.snippets[id]):
            return self._left(id, live, round)
        reached = sorted({at for one in live.snippets[id] for at in live.trace.seen(one)})
        at = max((other for other in reached if other < round), default=reached[0])
        name, why = live.section.rounds.split()[0], inline(self.steps[id].rests)
        when = f"{'From' if at < round else 'First in'} {name} {at}"
        return (
            f'<div class="note"><b>Not in {name} {round}.</b> {why}</div><div class="rests">'
            f'<div class="note">{when if at else "Before the rounds"}:</div>'
            f"{self._left(id, live, at)}</div>"
        )

    def _left(self, id: str, live: Live, round: int) -> str:
        """Return what the statements of a line left in a round.

        Of statements beside each other, the last one shows the names that it has.
        """
        places = {one.place for one in live.snippets[id] if live.trace.seen(one)}
        shown = [(one, self._kept(id, live, one, round)) for one in live.snippets[id]]
        parts: dict[str, None] = {}
        for number, (one, kept) in enumerate(shown, 1):
            beside = [more.keys() for other, more in shown[number:] if other.place == one.place]
            if kept and not any(names >= kept.keys() for names in beside):
                where = f'<div class="note">in <code>{escape(one.inside)}</code></div>'
                lines = "".join(values.html(name, value) for name, value in kept.items())
                note = _note(live.trace, one, round)
                parts[(where if len(places) > 1 else "") + note + lines] = None
        return "".join(parts)

    def _kept(self, id: str, live: Live, one: Snippet, round: int) -> dict[str, Any]:
        """Return the values to show that a statement left in a round; none if it rested."""
        names = [*tracing.wanted(one, self.steps[id].show), "holds", "returns"]
        left = [record.values for record in live.trace.of(one, round)[-1:]]
        return {name: kept[name] for kept in left for name in names if name in kept}


def _note(trace: Trace, one: Snippet, round: int) -> str:
    """Return when a statement ran, and how often, where that is not once in each round."""
    seen, times = trace.seen(one), len(trace.of(one, round))
    words = []
    if seen == [0] and trace.rounds:
        words.append("before the rounds")
    elif len(seen) == 1 and trace.rounds > 1:
        words.append("at the end" if seen == [trace.rounds] else f"only in round {seen[0]}")
    if times > 1:
        words.append(f"the last of {times} times")
    return f'<div class="note">{", ".join(words)}</div>' if words else ""


def described(snippet: Snippet) -> str:
    """Return the place in the API reference of what a snippet is in; empty if it has none."""
    module = snippet.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return api.addresses().get(f"{module}.{snippet.inside.split('.')[0]}", "")


def macros(name: str) -> Any:
    """Return the macros of a template of the reader."""
    return rst.macros(name, *FUNCTIONS)


def sources_of(names: Iterable[str]) -> str:
    """Return the sources of tests as data of the page, each once.

    Two thirds of a page's elements were colours of tests, most of them several times, so the script
    of the page puts them in when a reader opens a test.
    """
    sources = {}
    for name in dict.fromkeys(names):
        source = snippets.function(*name.split("::")) if "::" in name else None
        if source is not None:
            sources[name] = lighter(highlighted(source, "python"))
    return data("tests", sources)


def meanings(symbols: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Return {identifier: symbol and shape}, for the names of the code that the symbols list.

    A row may have several symbols, names and shapes. A name has its own symbol if one begins with
    it, and its own shape if there are as many shapes as names: commas divide them, and semicolons
    those of another function."""
    found: dict[str, list[str]] = {}
    for symbol, identifiers, shape in symbols:
        groups = identifiers.split(";")
        shapes = _aligned(shape.split(";"), len(groups), shape)
        for group, of_group in zip(groups, shapes, strict=True):
            names = re.findall(r"`([A-Za-z_]\w*)`", group)
            sizes = _aligned(_listed(of_group), len(names), of_group)
            for name, size in zip(names, sizes, strict=True):
                words = _own(name, unescape(symbol))
                words += "" if size.strip() == "-" else f", shape {size.strip()}"
                found.setdefault(name, []).append(words)
    return {name: "; ".join(dict.fromkeys(words)) for name, words in found.items()}


def _own(name: str, symbols: str) -> str:
    """Return the symbol that begins with a name, or all symbols of the row."""
    begins = re.compile(rf"{re.escape(name)}(?![A-Za-z0-9])")
    symbol = next((symbol for symbol in _listed(symbols) if begins.match(symbol)), symbols)
    return re.sub("[A-Za-z]+", lambda name: LETTERS.get(name[0], name[0]), symbol)


def _aligned(parts: list[str], count: int, whole: str) -> list[str]:
    """Return the parts if there are as many as names, else the whole for each name."""
    return parts if len(parts) == count else [whole] * count


def _listed(text: str) -> list[str]:
    """Return what commas outside of brackets divide."""
    parts = re.split(r",\s+(?![^(\[{]*[)\]}])", text)
    return [part.strip() for part in parts]


FUNCTIONS = (
    *(inline, mathml, compared, anchor, short, highlighted, listings.address),
    *(snippets.reference, snippets.others, snippets.cython, snippets.function, snippets.in_headers),
    *(described, figures.figure_of, spoken, typeset),
)
"""What the templates use."""
