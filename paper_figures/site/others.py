"""The page "Other implementations": what other libraries give on the vectors.

It is written from ``others.json``, the record of ``python -m tests.others``.
"""

import json
from html import escape
from pathlib import Path
from typing import Any

from paper_figures.site import rst

__all__ = ["OUTCOMES", "RECORD", "page", "read", "text", "write"]

RECORD = Path(__file__).parent / "others.json"
OUTCOMES = ("same", "stops early", "approximate", "other convention", "differs", "not available")
TITLE = "Other implementations"
INTRODUCTION = """\
The vectors are small problems with known results, by which this project checks itself (version
{version}). Here other libraries answer those that they have a function for. Each library ran in an
environment of its own, in the versions below, and was asked by ``python -m refimpl.check --
PROGRAM``, as in :doc:`guides/check`.

*Same*
   All cases agree, up to last bits, ties broken otherwise and choices of equal worth.
*Stops early*
   The library minimises the paper's objective, but its steps end before the least value. A number
   says how far. The same steps, computed here, end at the same value.
*Approximate*
   The library documents that its search may miss neighbours. A number says which share it finds.
*Other convention*
   Every answer is right by another objective or rule of the library, which its documentation or
   the named source file states. The report computes that objective for each case. Where another
   call gives the papers' result, it is named.
*Differs*
   A case that no convention of the library explains.
*Not available*
   The library could not be installed.

No case is left out because of its answer.

A metric of LMNN is *same* if its objective, eq. 3 of the paper, is at most a thousandth above the
proven lower bound; ``python -m refimpl.check metric`` has the same limit. If two target neighbours
are equally near, the library's own choice is taken, and the library is asked once more with the
points moved apart. A library that minimises another objective must come as near to the optimum of
that objective.

``python -m tests.others`` asks all libraries again. To ask one library, run its adapter in an
environment that has it::

    cd tests/others/adapters
    python -m refimpl.check --only best_stump -- python ask_scikit_learn.py stump
"""


def read(path: Path = RECORD) -> dict[str, Any]:
    """Return the record."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def text(record: dict[str, Any]) -> str:
    """Return a record as its file has it."""
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def write(sources: Path) -> None:
    """Write the page into the site's sources."""
    rst.put(sources, "others", page(read()))


def kept(text: str) -> str:
    """Return text whose line breaks a block of raw HTML keeps, empty lines too."""
    return escape(text).replace("\n", "&#10;")


def page(record: dict[str, Any]) -> list[str]:
    """Return the page of a record, as Sphinx reads it."""
    shown = rst.macros("others", kept)
    introduction = INTRODUCTION.format(version=record["vectors"]["version"])
    lines = [*rst.titled(TITLE), introduction, *rst.raw(shown.summary(record["libraries"]))]
    for library in record["libraries"]:
        lines += [*rst.titled(library["name"], "-"), *rst.raw(shown.of(library))]
    return lines
