"""The page "Other implementations": what other libraries give on the vectors.

It is written from ``others.json``, the record of ``python -m tests.others``.
"""

import json
from pathlib import Path
from typing import Any

from paper_figures.site import rst

RECORD = Path(__file__).parent / "others.json"


def read(path: Path = RECORD) -> dict[str, Any]:
    """Return the record."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def text(record: dict[str, Any]) -> str:
    """Return a record as its file has it."""
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def write(sources: Path) -> None:
    """Put the record into the page."""
    rst.fill(sources, "others", "what the libraries gave", page(read()))


def page(record: dict[str, Any]) -> list[str]:
    """Return what a record says, as Sphinx reads it."""
    shown = rst.macros("others")
    lines = [f"The vectors were those of version {record['vectors']['version']}.", ""]
    lines += rst.raw(shown.summary(record["libraries"]))
    for library in record["libraries"]:
        lines += [*rst.titled(library["name"], "-"), *rst.raw(shown.of(library))]
    return lines
