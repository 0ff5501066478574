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

__all__ = ["Record", "Trace", "plain", "run", "wanted"]

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

    def at(self, snippet: Snippet, round: int) -> Record | None:
        """Return the last record of a statement in a round."""
        key = (snippet.file, snippet.last)
        kept = [r for r in self.records if r.key == key and r.round == round]
        return kept[-1] if kept else None

    def times(self, snippet: Snippet, round: int) -> int:
        """Return how often a statement ran in a round."""
        key = (snippet.file, snippet.last)
        return sum(r.key == key and r.round == round for r in self.records)

    def seen(self, snippet: Snippet) -> list[int]:
        """Return the rounds in which a statement ran."""
        key = (snippet.file, snippet.last)
        return sorted({r.round for r in self.records if r.key == key})

    def latest(self, name: str, round: int) -> Any:
        """Return the last value that a name had by the end of a round; None if it had none."""
        kept = [r for r in self.records if r.round <= round and name in r.values]
        return kept[-1].values[name] if kept else None


def plain(value: Any, depth: int = 0) -> Any:
    """Return a copy of a value as numbers, texts, arrays, lists and dicts."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth > 3:
        return type(value).__name__
    if hasattr(value, "toarray"):
        return value.toarray()
    if isinstance(value, Mapping):
        return {str(plain(k)): plain(v, depth + 1) for k, v in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [f.name for f in dataclasses.fields(value)]
        return {name: plain(getattr(value, name), depth + 1) for name in fields}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: plain(getattr(value, name), depth + 1) for name in value._fields}
    if isinstance(value, list | tuple):
        return [plain(entry, depth + 1) for entry in value]
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
        self.key = (snippet.file, snippet.last)
        self.node = snippet.node
        self.shows = wanted(snippet, shows)
        self.codes = [(text, compile(text, "<shown>", "eval")) for text in self.shows]

    def body(self) -> range:
        node = self.node
        if isinstance(node, ast.For | ast.While | ast.If):
            return range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1)
        return range(0)

    def values(self, frame: FrameType) -> Values:
        kept: Values = {}
        for text, code in self.codes:
            try:
                value = eval(code, frame.f_globals, frame.f_locals)
            except (NameError, IndexError, KeyError, TypeError, AttributeError):
                continue
            kept[text] = plain(value)
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
            node = watched.node
            first = node.lineno if node is not None else watched.key[1]
            file = str(ROOT / watched.key[0])
            for line in range(first, watched.key[1] + 1):
                self.lines.setdefault(file, {})[line] = watched
        self.spans = {file: (min(at), max(at)) for file, at in self.lines.items()}

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        watched = self.lines.get(frame.f_code.co_filename)
        if watched is None:
            return None
        lines = watched

        def local(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "line":
                now = lines.get(frame.f_lineno)
                self.leave(frame, now, frame.f_lineno)
                if now is not None:
                    self.enter(frame, now)
            elif event == "return":
                self.leave(frame, None, None, argument)
            return local

        return local

    def enter(self, frame: FrameType, now: _Statement) -> None:
        before = self.last.get(id(frame))
        if now.key == self.tick and (before is None or before[1] is not now):
            self.round += 1
        self.last[id(frame)] = (frame, now)

    def leave(
        self, frame: FrameType, now: _Statement | None, line: int | None, returned: Any = None
    ) -> None:
        before = self.last.get(id(frame))
        if before is None or before[1] is now:
            return
        del self.last[id(frame)]
        watched = before[1]
        values = watched.values(frame)
        if isinstance(watched.node, ast.For | ast.While | ast.If):
            inside = line is not None and line in watched.body()
            if isinstance(watched.node, ast.For) and not inside:
                self.round -= watched.key == self.tick  # the loop is over: no round begins
                return
            if not isinstance(watched.node, ast.For):
                values["holds"] = inside
        elif isinstance(watched.node, ast.Return) and line is None and not watched.shows:
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
    tracer = _Tracer(statements, None if tick is None else (tick.file, tick.last))
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
