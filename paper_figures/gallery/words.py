"""What a search finds an entry or a claim by, and the printed lines behind an entry.

The index of the room's PAPER.md says which figure shows which printed line.
"""

import re
from functools import cache
from importlib.resources import files

from paper_figures.gallery.entries import Entry, Room
from paper_figures.judge import Decided
from paper_figures.study import Paper

_PLACE = re.compile(r"\b[A-Z]{2}:[A-Za-z]*[\d.]*[\w.]*")
_SPOKEN = re.compile(r"(?:Algorithm|eq\.|§|Figure|Definition|Theorem) [A-Z]?\.?\d+(?:\.\d+)*")


@cache
def printed_parts(paper: str) -> dict[str, tuple[str, ...]]:
    """Return the printed parts that each figure shows: ``{"table2": ("Algorithm A.1", ...)}``."""
    path = files("refimpl").joinpath(paper, "PAPER.md")
    if not path.is_file():
        return {}
    lines = [
        [cell.strip() for cell in line.strip("| ").split(" | ")]
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ]
    spoken = _spoken_places(lines)
    parts: dict[str, dict[str, None]] = {}
    for cells in lines:
        for figure in re.findall(rf"`{paper}\.(\w+)`", cells[-1]):
            named = parts.setdefault(figure, {})
            places = [spoken.get(place) for place in _PLACE.findall(cells[0])]
            named.update(dict.fromkeys(place for place in places if place))
            named.update(dict.fromkeys(re.findall(r"^Algorithm [A-Z\d][.\d]*\b", cells[0])))
    return {figure: tuple(sorted(named)) for figure, named in parts.items() if named}


def _spoken_places(lines: list[list[str]]) -> dict[str, str]:
    """Return what the places of the printed lines are called: Algorithm A.2 for BD:A.2."""
    places = {}
    for cells in lines:
        if len(cells) == 3 and _PLACE.fullmatch(cells[0]):
            name = _SPOKEN.search(cells[2])
            places[cells[0]] = name[0] if name else ""
    return places


def of_entry(entry: Entry) -> str:
    """Return the words of an entry: paper, authors, names, data sets, methods, algorithms."""
    figure = entry.figure
    words = [*_of_paper(entry.paper), figure.name, entry.spoken, figure.title, *entry.states]
    words += printed_parts(entry.paper.name).get(figure.name, ())
    for item in entry.judged:
        words += [value for value in item.row.values() if isinstance(value, str)]
    for grid in figure.layout:
        words += [name for names in grid.names.values() for name in names.values()]
    if entry.record is not None:
        words += [source["name"] for source in entry.record["data"]]
    return _joined(words)


def of_claim(room: Room, decided: Decided) -> str:
    """Return the words of a claim."""
    claim = decided.claim
    words = [*_of_paper(room.paper), claim.id, claim.where, claim.claim, decided.state, "claim"]
    return _joined([*words, *claim.figures, decided.because, claim.settle])


def _of_paper(paper: Paper) -> tuple[str, ...]:
    return paper.name, paper.name.replace("_", " "), paper.title, paper.source


def _joined(words: list[str]) -> str:
    return " ".join(dict.fromkeys(word for word in words if word)).lower()
