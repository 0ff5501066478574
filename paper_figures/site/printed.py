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

__all__ = ["PREFIXES", "ROOT", "Erratum", "Line", "Mark", "Paper", "marks", "read"]

ROOT = Path(__file__).resolve().parents[2]
PREFIXES = {
    "boosted_distance": "BD",
    "boostmap": "BM",
    "search_forest": "SF",
    "lmnn": "LM",
    "ftune": "FT",
}
_MARK = re.compile(r"\b(?:BD|BM|SF|LM|FT):\w+(?:\.\w+)*(?::\d+)?")
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
    places: dict[str, str]  # {place: how it is counted}, in the order of the print
    lines: dict[str, Line]  # in the order of the print
    errata: tuple[Erratum, ...]
    symbols: tuple[tuple[str, str, str], ...]  # symbol, identifier, shape
    readings: dict[str, tuple[str, ...]]  # {name: the row} of those that have a line of code

    def errata_of(self, id: str) -> list[Erratum]:
        """Return the errata whose place is a printed line."""
        return [e for e in self.errata if id in _MARK.findall(e.place)]


def _tables(text: str) -> dict[str, list[list[str]]]:
    rows: dict[str, list[list[str]]] = {}
    section = ""
    for line in text.splitlines():
        if line.startswith("## "):
            section = line[3:].strip()
            rows[section] = []
        elif line.startswith("|") and section and not re.fullmatch(r"[|\s:-]+", line):
            cells = re.split(r"(?<!\\)\|", line.strip()[1:-1])
            rows[section].append([cell.strip().replace("\\|", "|") for cell in cells])
    return {name: listed[1:] for name, listed in rows.items()}


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
        for id in _MARK.findall(printed):
            code, kernels, tests, figures = map(_names, cells)
            yield Line(id, words, code, kernels, tests, figures)


@cache
def read(room: str) -> Paper:
    """Read the PAPER.md of a room."""
    text = (ROOT / "refimpl" / room / "PAPER.md").read_text(encoding="utf-8")
    tables = _tables(text)
    lines = {line.id: line for line in _lines(tables["Index"])}
    return Paper(
        room=room,
        title=text.splitlines()[0].removeprefix("# "),
        places={row[0].split(":")[1]: row[2] for row in tables["Printed lines"]},
        lines={id: lines[id] for id in _listed(tables["Printed lines"])},
        errata=tuple(Erratum(*row) for row in tables["Errata"]),
        symbols=tuple((row[0], row[1], row[2]) for row in tables["Symbols"]),
        readings={row[0]: tuple(row[1:]) for row in tables["Open readings"] if row[0][-1] != "*"},
    )


def _comments(path: Path) -> Iterator[tuple[int, str]]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
        return
    for number, line in enumerate(text.splitlines(), 1):
        if "#" in line:
            yield number, line.split("#", 1)[1]


@cache
def marks() -> dict[str, list[Mark]]:
    """Return all marks of the code by printed line, in the order of the files."""
    places: dict[str, list[Mark]] = {}
    files = [*(ROOT / "refimpl").rglob("*.py"), *(ROOT / "refimpl_fast").glob("*.pyx")]
    for path in sorted(files):
        for number, text in _comments(path):
            for id in dict.fromkeys(_MARK.findall(text)):
                mark = Mark(id, path.relative_to(ROOT).as_posix(), number)
                places.setdefault(id, []).append(mark)
    return places
