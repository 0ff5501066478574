"""What ``PAPER.md`` says of a printed line: its misprint, and what the paper leaves open.

Not handled here: lines of other sources than the five papers.
"""

import re
from functools import cache
from importlib import resources

from refimpl.check.subject import EQUAL_WORTH, NOT_COMPARED, TIE, WRONG

__all__ = ["remarks"]

ROOMS = {
    "BD": "boosted_distance",
    "BM": "boostmap",
    "SF": "search_forest",
    "LM": "lmnn",
    "FT": "ftune",
}
COLUMN = re.compile(r"(?<!\\)\|")
MARK = re.compile(r"[A-Z]{2}:[\w.]+(?::\d+)?")


def remarks(source: str, kind: str) -> list[str]:
    """Return what helps to understand a difference of this kind at a printed line.

    A misprint may explain a wrong result, and what the paper leaves open another choice; neither
    explains a crash or last bits.

    Parameters
    ----------
    source : str
        The mark of the line, such as "BD:A.2:12".
    kind : str
        As in :class:`refimpl.check.comparing.Fault`.
    """
    room = ROOMS.get(source.partition(":")[0])
    if room is None:
        return []
    lines = []
    if kind == WRONG:
        for id, place, printed, corrected in _table(room, "## Errata"):
            if source in MARK.findall(place):
                lines.append(
                    f"ERRATUM {id}: the paper has {printed}; the reference has {corrected}"
                )
    if kind in (TIE, EQUAL_WORTH, NOT_COMPARED):
        for name, place, what, taken in _table(room, "## Open readings"):
            if source in MARK.findall(place):
                name = name.rstrip("*")
                lines.append(f"open in the paper ({name}): {what}. The reference: {taken}")
    return [line.replace("`", "") for line in lines]


@cache
def _table(room: str, heading: str) -> list[tuple[str, str, str, str]]:
    """Return the first four columns of the table below a heading of PAPER.md."""
    text = (resources.files("refimpl") / room / "PAPER.md").read_text(encoding="utf-8")
    part = text.partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    rows = []
    for line in part.splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in COLUMN.split(line)[1:5]]
        if len(cells) == 4 and not set(cells[0]) <= set("-:"):
            rows.append((cells[0], cells[1], cells[2], cells[3]))
    return rows[1:]
