"""What the command says: as text, as JSON, as an HTML page.

Not handled here: the checks.
"""

import html
import json
import math
from dataclasses import dataclass, field
from typing import Any

from refimpl.check.comparing import Difference
from refimpl.check.printed import remarks
from refimpl.check.subject import EQUAL_WORTH, LAST_BITS, NOT_COMPARED, TIE

__all__ = ["ACCEPTED", "AGREES", "DIFFERS", "UNUSABLE", "Report"]

AGREES, DIFFERS, UNUSABLE = 0, 1, 2
ACCEPTED = {"last-bits": LAST_BITS, "ties": TIE, "choices": EQUAL_WORTH, "uncompared": NOT_COMPARED}
"""Differences that a user may accept, by the names of the command line."""
MOST_IDS = 4
MOST_INPUT = 600
"""Characters of an input that the text shows; ``--json`` has the whole of it."""


@dataclass
class Report:
    """The outcome of a command.

    Attributes
    ----------
    title : str
    facts : list of (str, object)
        What was looked at, and numbers.
    differences : list of Difference
    notes : list of str
        What a reader may want to know; no differences.
    accepted : frozenset of str
        The kinds of differences that leave the exit code at 0.
    decides : bool
        Whether there is a right answer.
    """

    title: str
    facts: list[tuple[str, Any]] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    accepted: frozenset[str] = frozenset()
    decides: bool = True

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
        """Return the report as text."""
        lines = [self.title]
        lines += [f"  {name}: {value}" for name, value in self.facts]
        for group in self.groups():
            first = group[0]
            lines += ["", f"{first.name}, {first.source}: {first.kind}", f"  {first.words}"]
            lines += [f"  {line}" for line in remarks(first.source, first.kind)]
            if first.id:
                lines.append(f"  {first.id}{about(first)}{others(group)}")
            lines += [f"  {line}" for line in shown(first.arguments)]
        lines += ["", *self.notes] if self.notes else []
        lines += ["", self.outcome()]
        return "\n".join(lines)

    def as_json(self) -> str:
        """Return the report as JSON."""
        content = {
            "title": self.title,
            "result": self.result,
            "facts": {name: _number(value) for name, value in self.facts},
            "differences": [
                {**one.as_json(), "remarks": remarks(one.source, one.kind)}
                for one in self.differences
            ],
            "notes": self.notes,
        }
        return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)

    def as_dict(self) -> dict[str, Any]:
        """Return what another process needs to make the report again."""
        return {
            "title": self.title,
            "facts": [(name, _number(value)) for name, value in self.facts],
            "differences": [difference.as_json() for difference in self.differences],
            "notes": self.notes,
            "decides": self.decides,
        }

    def as_html(self) -> str:
        """Return the report as a page without scripts."""
        rows = "".join(
            f"<tr><th>{_escaped(name)}</th><td>{_escaped(value)}</td></tr>"
            for name, value in self.facts
        )
        body = (
            f"<h1>{_escaped(self.title)}</h1><p><strong>{_escaped(self.outcome())}</strong></p>"
            f"<table>{rows}</table>"
        )
        for group in self.groups():
            first = group[0]
            given = "\n".join(shown(first.arguments))
            words = [first.words, *remarks(first.source, first.kind)]
            if first.id:
                words.append(f"{first.id}{about(first)}{others(group)}")
            body += f"<h2>{_escaped(first.name)}, {_escaped(first.source)}: {first.kind}</h2>"
            body += "".join(f"<p>{_escaped(line)}</p>" for line in words)
            body += f"<pre>{_escaped(given)}</pre>" if given else ""
        body += "".join(f"<p>{_escaped(note)}</p>" for note in self.notes)
        return (
            '<!doctype html><html lang="en"><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<title>{_escaped(self.title)}</title><style>{STYLE}</style><body>{body}</body></html>\n"
        )


STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere}th{text-align:left;vertical-align:top;padding-right:1em}"
)


def _escaped(value: Any) -> str:
    return html.escape(str(value))


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
        elements = value["values"]
        if value["dtype"].startswith("float"):
            elements = [float.fromhex(element) for element in elements]
        if value["dtype"] == "bool":
            elements = [element == 1 for element in elements]
        text = _nested(elements, value["shape"])
        return f"{text}  # {value['dtype']}" if value["shape"] else text
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {readable(part)}" for name, part in value.items()) + "}"
    return repr(value)


def _nested(elements: list[Any], shape: list[int]) -> str:
    if not shape:
        return repr(elements[0])
    size = len(elements) // shape[0] if shape[0] else 0
    parts = [_nested(elements[i * size : (i + 1) * size], shape[1:]) for i in range(shape[0])]
    return f"[{', '.join(parts)}]"
