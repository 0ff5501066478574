"""The page "Other implementations": what other libraries give on the vectors.

It is written from ``others.json``, the record of ``python -m tests.others``.
"""

import json
from pathlib import Path
from typing import Any

__all__ = ["RECORD", "read", "text"]

RECORD = Path(__file__).parent / "others.json"


def read(path: Path = RECORD) -> dict[str, Any]:
    """Return the record."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def text(record: dict[str, Any]) -> str:
    """Return a record as its file has it."""
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"
