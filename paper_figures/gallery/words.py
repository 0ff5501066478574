"""What a search finds an entry or a claim by, and the printed lines behind an entry.

The index of the room's PAPER.md says which figure shows which printed line.
"""

import re
from functools import cache
from itertools import chain

from paper_figures.gallery.entries import Entry
from paper_figures.judge import Decided
from paper_figures.registry import PAPERS
from refimpl.check.reports import tables

_PLACE = re.compile(r"\b[A-Z]{2}:[A-Za-z]*[\d.]*[\w.]*")
_SPOKEN = re.compile(r"(?:Algorithm|eq\.|§|Figure|Definition|Theorem) [A-Z]?\.?\d+(?:\.\d+)*")


@cache
def printed_parts(paper: str) -> dict[str, list[str]]:
    """Return the printed parts that each figure shows: ``{"table2": ["Algorithm A.1", ...]}``."""
    if paper not in PAPERS:
        return {}
    places = {place: _SPOKEN.search(said) for place, _, said in tables(paper)["Printed lines"]}
    parts: dict[str, set[str]] = {}
    for what, *_, figures in chain.from_iterable(tables(paper).values()):
        named = [name[0] for place in _PLACE.findall(what) if (name := places.get(place))]
        named += re.findall(r"^Algorithm [A-Z\d][.\d]*\b", what)
        for figure in re.findall(rf"`{paper}\.(\w+)`", figures):
            parts.setdefault(figure, set()).update(named)
    return {figure: sorted(named) for figure, named in parts.items() if named}


def of_entry(entry: Entry) -> str:
    """Return the words of an entry that its row does not show: data sets, methods, files."""
    words = [entry.figure.name]
    for item in entry.judged:
        words += [value for value in item.row.values() if isinstance(value, str)]
    for grid in entry.figure.layout:
        words += [name for names in grid.names.values() for name in names.values()]
    if entry.record is not None:
        words += [source["name"] for source in entry.record["data"]]
    return _joined(words)


def of_claim(decided: Decided) -> str:
    """Return the words of a claim that its row does not show."""
    claim = decided.claim
    return _joined([claim.id, "claim", *claim.figures, decided.because, claim.settle])


def _joined(words: list[str]) -> str:
    return " ".join(dict.fromkeys(word for word in words if word))
