"""The marks of printed lines in the code, and the tables of the PAPER.md files that list them.

The marks (``# BD:A.2:7``) are the only link between a printed line and its code. Not handled here:
whether marks and tables agree, which ``tests/project/test_papers.py`` holds.
"""

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from refimpl.check.reports import MARK, ROOMS, tables

ROOT = Path(__file__).resolve().parents[2]
PREFIXES = {room: prefix for prefix, room in ROOMS.items()}
_NAMES = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Mark:
    """A mark of the code."""

    id: str  # such as "BD:A.2:7"
    file: str  # from the top of the checkout
    line: int  # of the comment, from 1


@dataclass(frozen=True)
class Line:
    """A printed line as the index of PAPER.md lists it."""

    id: str
    words: str
    code: tuple[str, ...]  # the cells of its row; empty where the cell is a dash
    kernels: tuple[str, ...]
    tests: tuple[str, ...]
    figures: tuple[str, ...]

    @property
    def place(self) -> str:
        """The part between the colons: ``A.2`` of ``BD:A.2:7``."""
        return self.id.split(":")[1]


@dataclass(frozen=True)
class Erratum:
    """A row of the errata."""

    id: str
    place: str
    printed: str
    corrected: str
    evidence: str
    test: str


@dataclass(frozen=True)
class Paper:
    """What a PAPER.md says."""

    room: str
    title: str
    lines: dict[str, Line]  # in the order of the print
    errata: tuple[Erratum, ...]
    symbols: tuple[tuple[str, str, str], ...]  # symbol, identifier, shape

    def errata_of(self, id: str) -> list[Erratum]:
        """Return the errata whose place is a printed line."""
        return [e for e in self.errata if id in MARK.findall(e.place)]


def _listed(places: list[list[str]]) -> Iterator[str]:
    for place, lines, _ in places:
        if lines == "-":
            yield place
            continue
        for part in lines.split(","):
            first, _, last = part.strip().partition("-")
            yield from (f"{place}:{n}" for n in range(int(first), int(last or first) + 1))


def _names(cell: str) -> tuple[str, ...]:
    return () if cell == "-" else tuple(_NAMES.findall(cell) or [cell])


def _lines(index: list[list[str]]) -> Iterator[Line]:
    for printed, words, *cells in index:
        for id in MARK.findall(printed):
            code, kernels, tests, figures = map(_names, cells)
            yield Line(id, words, code, kernels, tests, figures)


@cache
def read(room: str) -> Paper:
    """Read the PAPER.md of a room."""
    text = (ROOT / "refimpl" / room / "PAPER.md").read_text(encoding="utf-8")
    rows = tables(room)
    lines = {line.id: line for line in _lines(rows["Index"])}
    return Paper(
        room=room,
        title=text.splitlines()[0].removeprefix("# "),
        lines={id: lines[id] for id in _listed(rows["Printed lines"])},
        errata=tuple(Erratum(*row) for row in rows["Errata"]),
        symbols=tuple((row[0], row[1], row[2]) for row in rows["Symbols"]),
    )


def comments(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each comment of a .py or .pyx file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
        return
    for number, line in enumerate(text.splitlines(), 1):
        if "#" in line:
            yield number, line.split("#", 1)[1]


def code_files() -> list[Path]:
    """Return all files of both packages that may hold marks."""
    return sorted([*(ROOT / "refimpl").rglob("*.py"), *(ROOT / "refimpl_fast").glob("*.pyx")])


@cache
def marks() -> dict[str, list[Mark]]:
    """Return all marks of the code by printed line, in the order of the files."""
    places: dict[str, list[Mark]] = {}
    for path in code_files():
        for number, text in comments(path):
            for id in dict.fromkeys(MARK.findall(text)):
                mark = Mark(id, path.relative_to(ROOT).as_posix(), number)
                places.setdefault(id, []).append(mark)
    return places
