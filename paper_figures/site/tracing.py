"""A tracer that records what the marked lines of an algorithm computed, round by round.

The algorithms run as they are: ``sys.settrace`` tells when a line is left, and the values of the
variables that it assigns are kept. A *round* begins when a chosen line, the tick, is reached.

Not handled here: what a value looks like on a page (``values.py``).
"""

import ast
import dataclasses
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from paper_figures.site.printed import ROOT
from paper_figures.site.snippets import Snippet
from refimpl.typing import Kernels

Values = dict[str, Any]


@dataclass(frozen=True)
class Record:
    """What a marked line left once."""

    key: tuple[str, int]  # the file, and the last line of the statement
    round: int  # 0 before the first
    values: Values  # by the expressions that gave them


@dataclass(frozen=True)
class Trace:
    """All records of a run."""

    records: list[Record]
    rounds: int

    def of(self, snippet: Snippet, round: int) -> list[Record]:
        """Return what a statement left in a round; if it ran in a single one, in that one."""
        seen = self.seen(snippet)
        at = seen[0] if len(seen) == 1 else round
        return [r for r in self.records if r.key == snippet.key and r.round == at]

    def seen(self, snippet: Snippet) -> list[int]:
        """Return the rounds in which a statement ran."""
        return sorted({r.round for r in self.records if r.key == snippet.key})

    def latest(self, name: str, round: int) -> Any:
        """Return the last value that a name had by the end of a round; None if it had none."""
        kept = [r for r in self.records if r.round <= round and name in r.values]
        return kept[-1].values[name] if kept else None


def plain(value: Any) -> Any:
    """Return a copy of a value as numbers, texts, arrays, lists and dicts."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(plain(name)): plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return type(value).__name__


def _targets(node: ast.stmt | None) -> list[str]:
    """Return the expressions that a statement assigns."""
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For):
        targets = [node.target]
    else:
        return []
    flat: list[str] = []
    for target in targets:
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        for part in parts:
            part = part.value if isinstance(part, ast.Starred) else part
            if not (isinstance(part, ast.Name) and part.id == "_"):
                flat.append(ast.unparse(part))
    return flat


def wanted(snippet: Snippet, show: Sequence[str]) -> list[str]:
    """Return the expressions to keep of a statement: those asked for, or those that it assigns."""
    return list(show) or _targets(snippet.node)


class _Statement:
    """A statement to watch."""

    def __init__(self, snippet: Snippet, shows: Sequence[str]) -> None:
        assert snippet.node is not None, snippet
        self.key = snippet.key
        self.node = snippet.node
        self.asked = bool(shows)
        texts = dict.fromkeys(wanted(snippet, shows))
        self.codes = {text: compile(text, "<shown>", "eval") for text in texts}

    def values(self, frame: FrameType) -> Values:
        """Return what the expressions give in a frame, but for those that have no value yet."""
        kept: Values = {}
        for text, code in self.codes.items():
            try:
                kept[text] = plain(eval(code, frame.f_globals, frame.f_locals))
            except (NameError, IndexError, KeyError, TypeError, AttributeError):
                continue
        return kept


class _Tracer:
    """Follows the frames of the watched functions."""

    def __init__(self, statements: Sequence[_Statement], tick: tuple[str, int] | None) -> None:
        self.tick = tick
        self.round = 0
        self.records: list[Record] = []
        self.last: dict[int, tuple[FrameType, _Statement]] = {}
        self.lines: dict[str, dict[int, _Statement]] = {}
        for watched in statements:
            file, last = watched.key
            for line in range(watched.node.lineno, last + 1):
                self.lines.setdefault(str(ROOT / file), {})[line] = watched

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Follow a frame if its file has watched lines."""
        return self.follow if frame.f_code.co_filename in self.lines else None

    def follow(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Record a statement when another line begins, or the function returns."""
        if event == "line":
            now = self.lines[frame.f_code.co_filename].get(frame.f_lineno)
            self.leave(frame, now, frame.f_lineno)
            if now is not None:
                self.enter(frame, now)
        elif event == "return":
            self.leave(frame, None, None, argument)
        return self.follow

    def enter(self, frame: FrameType, now: _Statement) -> None:
        """Begin a statement, or go on with it on another line."""
        before = self.last.get(id(frame))
        if now.key == self.tick and (before is None or before[1] is not now):
            self.round += 1
        self.last[id(frame)] = (frame, now)

    def leave(
        self, frame: FrameType, now: _Statement | None, line: int | None, returned: Any = None
    ) -> None:
        """Record the statement before, unless the line still belongs to it."""
        before = self.last.get(id(frame))
        if before is None or before[1] is now:
            return
        del self.last[id(frame)]
        watched, node = before[1], before[1].node
        values = watched.values(frame)
        if isinstance(node, ast.For | ast.While | ast.If):
            last = node.body[-1].end_lineno or 0
            inside = line is not None and node.body[0].lineno <= line <= last
            if not isinstance(node, ast.For):
                values["holds"] = inside
            elif not inside:
                self.round -= watched.key == self.tick  # the loop is over: no round begins
                return
        elif isinstance(node, ast.Return) and line is None and not watched.asked:
            values["returns"] = plain(returned)
        self.records.append(Record(watched.key, self.round, values))


def run(
    example: Callable[[Any], object],
    kernels: Kernels,
    watched: Sequence[tuple[Snippet, Sequence[str]]],
    tick: Snippet | None,
) -> Trace:
    """Run an example with some kernels and record its marked lines; `tick` begins a round."""
    statements = [_Statement(snippet, shows) for snippet, shows in watched]
    tracer = _Tracer(statements, tick.key if tick else None)
    before = sys.gettrace()
    threading.settrace(tracer)
    sys.settrace(tracer)
    try:
        example(kernels)
    finally:
        sys.settrace(before)
        threading.settrace(before)
    rounds = max([record.round for record in tracer.records], default=0)
    return Trace(tracer.records, rounds)
