"""What the command says, as text, JSON or an HTML page, and what ``PAPER.md`` says of a line."""

import dataclasses
import html
import json
import math
import re
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from refimpl.check.comparing import Difference
from refimpl.check.encoding import decode
from refimpl.check.subject import Kind

AGREES, DIFFERS, UNUSABLE = 0, 1, 2
ACCEPTED = {
    "last-bits": Kind.LAST_BITS,
    "ties": Kind.TIE,
    "choices": Kind.EQUAL_WORTH,
    "uncompared": Kind.NOT_COMPARED,
}
"""Differences that a user may accept, by the names of the command line."""
MOST_IDS = 4
MOST_INPUT = 600
"""Characters of an input that the text shows; ``--json`` has the whole of it."""


@dataclass
class Report:
    """The outcome of a command."""

    title: str
    facts: list[tuple[str, Any]] = field(default_factory=list)  # what was looked at, and numbers
    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    accepted: frozenset[str] = frozenset()  # kinds of differences that leave the exit code at 0
    decides: bool = True  # whether there is a right answer

    @property
    def code(self) -> int:
        """The exit code: 0 agrees, 1 differs."""
        kinds = {difference.kind for difference in self.differences}
        return DIFFERS if kinds - self.accepted else AGREES

    @property
    def result(self) -> str:
        """The outcome: "agrees", "differs" or "no verdict"."""
        if not self.decides:
            return "no verdict"
        return "differs" if self.code == DIFFERS else "agrees"

    def outcome(self) -> str:
        """Return the last line: the result, and the differences if all may be accepted."""
        kinds = sorted({difference.kind for difference in self.differences})
        if not kinds or set(kinds) - set(ACCEPTED.values()):
            return self.result
        options = ",".join(name for name, kind in ACCEPTED.items() if kind in kinds)
        how = "accepted" if self.code == AGREES else f"--accept {options} makes the exit code 0"
        return f"{self.result}: nothing is wrong, but there are: {', '.join(kinds)} ({how})"

    def groups(self) -> list[list[Difference]]:
        """Return the differences of one kind in one result together, the shortest input first."""
        listed: dict[tuple[str, str, str], list[Difference]] = {}
        for difference in self.differences:
            key = difference.name, difference.kind, difference.output
            listed.setdefault(key, []).append(difference)
        return [
            sorted(group, key=lambda difference: len(json.dumps(difference.arguments)))
            for group in listed.values()
        ]

    def text(self) -> str:
        """Return the report as text; of the differences of a group the shortest input."""
        lines = [self.title, *(f"  {name}: {value}" for name, value in self.facts)]
        for group in self.groups():
            first = group[0]
            words = [first.words, *remarks(first.source, first.kind)]
            words += [f"{first.id}{about(first)}{others(group)}"] if first.id else []
            lines += ["", f"{first.name}, {first.source}: {first.kind}"]
            lines += [f"  {line}" for line in [*words, *shown(first.arguments)]]
        lines += ["", *self.notes] if self.notes else []
        return "\n".join([*lines, "", self.outcome()])

    def as_json(self) -> str:
        """Return the report as JSON."""
        content = {
            "title": self.title,
            "result": self.result,
            "facts": {name: _number(value) for name, value in self.facts},
            "differences": [
                {**dataclasses.asdict(one), "remarks": remarks(one.source, one.kind)}
                for one in self.differences
            ],
            "notes": self.notes,
        }
        return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)

    def as_html(self) -> str:
        """Return the report as a page without scripts."""
        text = self.text().removeprefix(self.title).lstrip("\n")
        return PAGE.format(title=html.escape(self.title), text=html.escape(text))


PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>{title}</title>
<style>:root{{color-scheme:light dark}} body{{max-width:60em;margin:2em auto;padding:0 1em}}
h1{{font:bold 1.4em sans-serif}} pre{{white-space:pre-wrap;overflow-wrap:anywhere}}</style>
<body><h1>{title}</h1><pre>{text}</pre></body></html>
"""


def _number(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no NaN
    return value if isinstance(value, int | float | str | bool | None) else str(value)


def about(difference: Difference) -> str:
    """Return what a case is about, in brackets."""
    words = difference.comment or ", ".join(difference.flags)
    return f" ({words})" if words else ""


def others(group: list[Difference]) -> str:
    """Return the ids of the other cases of a group, a few of them."""
    ids = [difference.id for difference in group[1:]]
    if not ids:
        return ""
    more = f" and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
    return f"; also {', '.join(ids[:MOST_IDS])}{more}"


def shown(arguments: Any) -> list[str]:
    """Return the arguments of a case, a line for each, as Python reads them."""
    if not isinstance(arguments, dict):
        return []
    lines = []
    for name, value in arguments.items():
        text = f"{name} = {readable(value)}"
        lines.append(text if len(text) <= MOST_INPUT else f"{text[:MOST_INPUT]} ...")
    return lines


def readable(value: Any) -> str:
    """Return an encoded value in decimals: 17 digits give a float back."""
    if isinstance(value, dict) and {"dtype", "shape", "values"} <= value.keys():
        elements = np.asarray(decode(value)).tolist()
        return f"{elements}  # {value['dtype']}" if value["shape"] else repr(elements)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {readable(part)}" for name, part in value.items()) + "}"
    return repr(value)


# --------------------------------------------------------------------------- what the papers leave

ROOMS = {
    "BD": "boosted_distance",
    "BM": "boostmap",
    "SF": "search_forest",
    "LM": "lmnn",
    "FT": "ftune",
}
MARK = re.compile(r"\b(?:BD|BM|SF|LM|FT):\w+(?:\.\w+)*(?::\d+)?")


def remarks(source: str, kind: str) -> list[str]:
    """Return what PAPER.md says of a line: its misprint, or what the paper leaves open."""
    room = ROOMS.get(source.partition(":")[0])
    if room is None:
        return []
    lines = []
    if kind == Kind.WRONG:
        for id, place, printed, corrected, *_ in tables(room)["Errata"]:
            if source in MARK.findall(place):
                lines.append(
                    f"ERRATUM {id}: the paper has {printed}; the reference has {corrected}"
                )
    if kind in (Kind.TIE, Kind.EQUAL_WORTH, Kind.NOT_COMPARED):
        for name, place, what, taken, *_ in tables(room)["Open readings"]:
            if source in MARK.findall(place):
                name = name.rstrip("*")
                lines.append(f"open in the paper ({name}): {what}. The reference: {taken}")
    return [line.replace("`", "") for line in lines]


def tables(room: str) -> dict[str, list[list[str]]]:
    """Return the tables of a PAPER.md by the heading above each, without their first rows."""
    return {name: listed[1:] for name, listed in whole_tables(room).items()}


@cache
def whole_tables(room: str) -> dict[str, list[list[str]]]:
    """Return the tables of a PAPER.md by the heading above each."""
    rows: dict[str, list[list[str]]] = {}
    section = ""
    text = (resources.files("refimpl") / room / "PAPER.md").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("## "):
            section = line[3:].strip()
            rows[section] = []
        elif line.startswith("|") and section and not re.fullmatch(r"[|\s:-]+", line):
            cells = re.split(r"(?<!\\)\|", line.strip()[1:-1])
            rows[section].append([cell.strip().replace("\\|", "|") for cell in cells])
    return rows
