"""The errata of the five papers: as published and as corrected side by side.

The words and the numbers of a counter-example are those of PAPER.md; what differs between both
sides is marked.
"""

from pathlib import Path

from paper_figures.site import front, printed, rows, rst
from paper_figures.site.typeset import compared, typeset

INTRODUCTION = """\
Misprints and errors of the five papers, as published and as corrected. What differs is marked. The
test below an erratum computes its counter-example."""


def write(sources: Path) -> None:
    """Write ``errata.rst``, a section for each paper, into the copy of the sources."""
    text = [*rst.titled("Errata"), INTRODUCTION, ""]
    tests: list[str] = []
    shown = rows.macros("errata")
    for room in printed.PREFIXES:
        paper = printed.read(room)
        text += [f".. _{room}:", "", *rst.titled(front.ABOUT[room][0], "-")]
        for one in paper.errata:
            ids = [id for id in paper.lines if one in paper.errata_of(id)]
            sides = compared(one.printed, one.corrected)
            text += rst.raw(shown.card(room, one, ids, sides, typeset(one.evidence)))
            tests.append(one.test.strip("`"))
    text += [*rst.raw(rows.sources_of(tests)), *rst.scripts("tests", top="")]
    rst.put(sources, "errata", text)
