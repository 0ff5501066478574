"""A row of the reader: a printed line with all that hangs on it."""

import json
import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property
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
from paper_figures.site.mathml import inline, mathml
from paper_figures.site.runs import Live
from paper_figures.site.snippets import Snippet
from paper_figures.site.typeset import compared

__all__ = [
    "FUNCTIONS",
    "Page",
    "anchor",
    "coded",
    "coloured",
    "data",
    "highlighted",
    "json_of",
    "meanings",
    "pieces",
    "short",
]

_LETTERS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
_GREEK = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(_LETTERS.split())})(?![A-Za-z])")
_NAME = re.compile(r'<span class="(n[a-z]?)">([A-Za-z_]\w*)</span>')


def anchor(id: str) -> str:
    """Return the permalink of a printed line: ``BD-A.2-7``."""
    return id.replace(":", "-")


def short(id: str) -> str:
    """Return what a line is called within its section: its number, or the equation's name."""
    place, _, number = id.split(":", 1)[1].partition(":")
    return number or place


def coded(cell: str) -> str:
    """Return a cell of a PAPER.md as HTML: the text between backquotes is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(cell))


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
    """Return the lines of code as HTML; a name with a meaning has it as its title."""
    marked = coloured_lines(snippet) if language == "cython" else []
    meaning = names or {}

    def named(match: re.Match[str]) -> str:
        kind, name = match.groups()
        if name not in meaning:
            return match[0]
        return f'<span class="{kind} symbol" title="{escape(meaning[name])}">{name}</span>'

    return _NAME.sub(named, listings.coloured(snippet.text, language, bool(names), marked))


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

    @cached_property
    def addresses(self) -> dict[str, str]:
        """{dotted path: place in the API reference}."""
        return api.addresses()

    def row(self, id: str, live: Live | None) -> str:
        """Return the row of a printed line."""
        return str(_shown().row(self, id, live))

    def described(self, snippet: Snippet) -> str:
        """Return the place in the API reference of what a snippet is in; empty if it has none."""
        module = snippet.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        return self.addresses.get(f"{module}.{snippet.inside.split('.')[0]}", "")

    def values(self, id: str, live: Live, round: int) -> str:
        """Return the values of a line in a round as HTML.

        A line that ran in a single round, such as one before the loop, shows its values always.
        """
        ran = [snippet for snippet in live.snippets[id] if live.trace.seen(snippet)]
        now = [snippet for snippet in ran if _round(live, snippet, round) is not None]
        now = self._last_words(id, live, now, round)
        if now:
            parts = [self._left(id, live, snippet, round) for snippet in now]
        else:
            parts = [self._resting(id, live, ran, round)] if ran else []
        return "".join(dict.fromkeys(parts)) or '<div class="note">not reached in this run</div>'

    def _kept(self, id: str, live: Live, snippet: Snippet, round: int) -> dict[str, Any]:
        """Return the values to show that a statement left in a round in which it ran."""
        at = _round(live, snippet, round)
        record = None if at is None else live.trace.at(snippet, at)
        step = self.steps.get(id)
        names = [*tracing.wanted(snippet, step.show if step else ()), "holds", "returns"]
        return {} if record is None else {n: record.values[n] for n in names if n in record.values}

    def _last_words(self, id: str, live: Live, now: list[Snippet], round: int) -> list[Snippet]:
        """Return the statements without those of which a later one, beside it, shows all names."""
        names = [set(self._kept(id, live, snippet, round)) for snippet in now]
        return [
            snippet
            for place, snippet in enumerate(now)
            if not any(
                later.inside == snippet.inside
                and later.file == snippet.file
                and more >= names[place]
                for later, more in zip(now[place + 1 :], names[place + 1 :], strict=True)
            )
        ]

    def _left(self, id: str, live: Live, snippet: Snippet, round: int) -> str:
        """Return what a statement left in a round in which it ran."""
        at = _round(live, snippet, round)
        if at is None:
            return ""
        kept = self._kept(id, live, snippet, round).items()
        places = {(s.file, s.inside) for s in live.snippets[id] if live.trace.seen(s)}
        several = len(places) > 1
        if len(live.snippets[id]) > 1 and not kept:
            return ""
        where = f'<div class="note">in <code>{escape(snippet.inside)}</code></div>'
        note = _note(live.trace.seen(snippet), live.trace.rounds, live.trace.times(snippet, at))
        values_html = "".join(values.html(name, value) for name, value in kept)
        return (where if several else "") + note + values_html

    def _resting(self, id: str, live: Live, ran: list[Snippet], round: int) -> str:
        """Return why no statement ran in a round, and what they left the last time, or will."""
        reached = sorted({at for snippet in ran for at in live.trace.seen(snippet)})
        at = max((r for r in reached if r < round), default=reached[0])
        step = self.steps.get(id)
        why = f" {inline(step.rests)}" if step and step.rests else ""
        name = live.example.rounds.split()[0]
        when = (
            f"{'From' if at < round else 'First in'} {name} {at}:" if at else "Before the rounds:"
        )
        last = self._last_words(id, live, ran, at)
        left = "".join(dict.fromkeys(self._left(id, live, snippet, at) for snippet in last))
        return (
            f'<div class="note"><b>Not in {name} {round}.</b>{why}</div>'
            f'<div class="rests"><div class="note">{when}</div>{left}</div>'
        )


def _round(live: Live, snippet: Snippet, round: int) -> int | None:
    """Return the round whose values are those of a statement; None if it rests."""
    seen = live.trace.seen(snippet)
    if len(seen) == 1:
        return seen[0]
    return round if round in seen else None


def _note(seen: list[int], rounds: int, times: int) -> str:
    words = []
    if seen == [0] and rounds:
        words.append("before the rounds")
    elif len(seen) == 1 and rounds > 1:
        words.append("at the end" if seen == [rounds] else f"only in round {seen[0]}")
    if times > 1:
        words.append(f"the last of {times} times")
    return f'<div class="note">{", ".join(words)}</div>' if words else ""


def test_of(name: str) -> str:
    """Return a test as HTML: its name in words, and its source."""
    return str(_shown().test(name))


def _shown() -> Any:
    """Return the template of the rows."""
    return rst.macros("rows", *FUNCTIONS)


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
    return _GREEK.sub(lambda match: _letter(match[0]), symbol)


def _letter(name: str) -> str:
    """Return a Greek letter by its name."""
    size = "CAPITAL" if name[0].isupper() else "SMALL"
    return unicodedata.lookup(f"GREEK {size} LETTER {name.upper().replace('LAMBDA', 'LAMDA')}")


def _aligned(parts: list[str], count: int, whole: str) -> list[str]:
    """Return the parts if there are as many as names, else the whole for each name."""
    return parts if len(parts) == count else [whole] * count


def _listed(text: str) -> list[str]:
    """Return what commas outside of brackets divide."""
    parts = re.split(r",\s+(?![^(\[{]*[)\]}])", text)
    return [part.strip() for part in parts]


def figure_of(name: str) -> str:
    """Return the link to a figure from a page one folder below the site."""
    return figures.address(name, "../")


FUNCTIONS = (
    *(inline, mathml, compared, anchor, short, highlighted, listings.address),
    *(snippets.reference, snippets.others, snippets.cython, snippets.function, snippets.in_headers),
    *(figure_of, spoken),
)
"""What the templates use."""
