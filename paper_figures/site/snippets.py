"""The marked statements of the code, cut out of the files when the site is built."""

import ast
import re
import textwrap
from dataclasses import dataclass, field
from functools import cache

from paper_figures.site.printed import ROOT, Mark, Paper, marks

_HEADS = (ast.For, ast.While, ast.If, ast.With, ast.FunctionDef, ast.ClassDef)
BEFORE, AFTER = 3, 5
"""Lines of a Cython function that are shown around a marked one."""


@dataclass(frozen=True)
class Snippet:
    """Some lines of a file."""

    file: str  # from the top of the checkout
    first: int  # its lines, from 1
    last: int
    text: str  # without the indentation that the lines share
    inside: str  # the function, such as "Forest.split"
    marked: tuple[int, ...] = ()  # the marked lines, from 1
    node: ast.stmt | None = field(default=None, compare=False, repr=False)

    @property
    def key(self) -> tuple[str, int]:
        """What a statement has however many of its marks are shown: its file and last line."""
        return self.file, self.last

    @property
    def place(self) -> tuple[str, str]:
        """The file and the function."""
        return self.file, self.inside


@cache
def _lines(file: str) -> tuple[str, ...]:
    return tuple((ROOT / file).read_text(encoding="utf-8").splitlines())


def _cut(file: str, first: int, last: int) -> str:
    return textwrap.dedent("\n".join(_lines(file)[first - 1 : last]))


def head(node: ast.stmt) -> tuple[int, int]:
    """Return the lines of a statement; of one with a body, those above it."""
    last = node.end_lineno or node.lineno
    if isinstance(node, _HEADS):
        last = max(node.lineno, node.body[0].lineno - 1)
    return node.lineno, last


@cache
def _statements(file: str) -> tuple[tuple[ast.stmt, str], ...]:
    """Return all statements of a file with the function that each belongs to."""
    listed: list[tuple[ast.stmt, str]] = []

    def walk(node: ast.AST, inside: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                listed.append((child, inside))
            named = isinstance(child, ast.FunctionDef | ast.ClassDef)
            name = getattr(child, "name", "")
            walk(child, f"{inside}.{name}".strip(".") if named else inside)

    walk(ast.parse("\n".join(_lines(file))), "")
    return tuple(sorted(listed, key=lambda pair: pair[0].lineno))


def statement(mark: Mark) -> Snippet:
    """Return the statement that a mark of a .py file belongs to.

    A comment on a line of its own belongs to the statement below it."""
    alone = _lines(mark.file)[mark.line - 1].lstrip().startswith("#")
    around = [
        (node, inside)
        for node, inside in _statements(mark.file)
        if head(node)[0] <= mark.line <= head(node)[1]
    ]
    below = [
        pair
        for pair in _statements(mark.file)
        if pair[0].lineno > mark.line
        and not (isinstance(pair[0], ast.AnnAssign) and pair[0].value is None)
    ]
    inner = [p for p in around if not isinstance(p[0], ast.FunctionDef | ast.ClassDef)]
    node, inside = below[0] if alone and not inner else inner[-1]
    first, last = head(node)
    first = min(first, mark.line)
    return Snippet(mark.file, first, last, _cut(mark.file, first, last), inside, (mark.line,), node)


def span(file: str, name: str) -> tuple[int, int] | None:
    """Return the first and the last line of a function or class, such as ``Forest.split``."""
    for node, inside in _statements(file):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if f"{inside}.{node.name}".strip(".") == name:
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                return first, node.end_lineno or 0
    return None


def located(dotted: str) -> tuple[str, str] | None:
    """Return the file and the name in it of a dotted path below ``refimpl``."""
    parts = dotted.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        for file in ("/".join(parts[:cut]) + ".py", "/".join(parts[:cut]) + "/__init__.py"):
            if (ROOT / "refimpl" / file).is_file():
                return f"refimpl/{file}", ".".join(parts[cut:])
    return None


@cache
def _reference(room: str, id: str, code: tuple[str, ...]) -> tuple[Mark, ...]:
    found = [mark for mark in marks().get(id, []) if mark.file.endswith(".py")]
    printed = tuple(mark for mark in found if mark.file == f"refimpl/{room}/algorithm.py")
    if printed:
        return printed
    spans = []
    for place in filter(None, map(located, code)):
        if lines := span(*place):
            spans.append((place[0], *lines))
    return tuple(
        mark
        for mark in found
        if any(mark.file == file and a <= mark.line <= b for file, a, b in spans)
    )


def reference(paper: Paper, id: str) -> list[Snippet]:
    """Return the statements of the algorithm as printed that do a printed line.

    Where ``algorithm.py`` has none, they are those of the function that PAPER.md names."""
    return _merged([statement(m) for m in _reference(paper.room, id, paper.lines[id].code)])


def others(paper: Paper, id: str) -> list[Snippet]:
    """Return the other marked Python statements: readable kernels, and the form for use."""
    shown = _reference(paper.room, id, paper.lines[id].code)
    left = [m for m in marks().get(id, []) if m.file.endswith(".py") and m not in shown]
    return _merged([statement(mark) for mark in left])


def _merged(snippets: list[Snippet]) -> list[Snippet]:
    return list({snippet.key: snippet for snippet in reversed(snippets)}.values())[::-1]


def cython(id: str) -> list[Snippet]:
    """Return the marked lines of the Cython kernels, with some of their function around each."""
    listed: list[Snippet] = []
    for mark in marks().get(id, []):
        if not mark.file.endswith(".pyx"):
            continue
        inside, top, end = _cython_function(mark.file, mark.line)
        first, last = max(top, mark.line - BEFORE), min(end, mark.line + AFTER)
        marked: tuple[int, ...] = (mark.line,)
        if listed and listed[-1].file == mark.file and first <= listed[-1].last + 1:
            before = listed.pop()
            first, marked = before.first, (*before.marked, mark.line)
        text = _cut(mark.file, first, last)
        listed.append(Snippet(mark.file, first, last, text, inside, marked))
    return listed


def _cython_function(file: str, line: int) -> tuple[str, int, int]:
    """Return the Cython function around a line, and the first and last line to show of it."""
    lines = _lines(file)
    starts = r"\s*(?:@|(?:def|cdef|cpdef|class|cdef class)\b.*[:(]\s*$|def .*:$)"
    top = next(n for n in range(line, 0, -1) if re.match(starts, lines[n - 1]) and n < line)
    indent = len(lines[top - 1]) - len(lines[top - 1].lstrip())
    end = next(
        (
            n - 1
            for n in range(line + 1, len(lines) + 1)
            if lines[n - 1].strip()
            and len(lines[n - 1]) - len(lines[n - 1].lstrip()) <= indent
            and not lines[n - 1].lstrip().startswith(")")
        ),
        len(lines),
    )
    while not lines[end - 1].strip():
        end -= 1
    words = re.findall(r"(\w+)\s*\(", lines[top - 1]) or re.findall(r"class (\w+)", lines[top - 1])
    quotes = [n for n in range(top, line) if '"""' in lines[n - 1]]
    body = quotes[-1] + 1 if quotes else top  # half a docstring would look like code
    return (words[0] if words else ""), body, end


@cache
def _defined_in_headers() -> dict[str, Snippet]:
    """Return the line that begins each inline function of the kernels' headers."""
    found = {}
    for path in sorted((ROOT / "refimpl_fast").glob("*.h")):
        file = path.relative_to(ROOT).as_posix()
        for number, text in enumerate(_lines(file), 1):
            if defined := re.match(r"static inline .*?(\w+)\(", text):
                found[defined[1]] = Snippet(file, number, number, text, defined[1])
    return found


def in_headers(snippet: Snippet) -> list[Snippet]:
    """Return where the functions of headers are that the marked lines of a kernel call."""
    called = [re.findall(r"(\w+)\(", _lines(snippet.file)[line - 1]) for line in snippet.marked]
    names = dict.fromkeys(name for names in called for name in names)
    headers = _defined_in_headers()
    return [headers[name] for name in names if name in headers]


def function(file: str, name: str) -> Snippet | None:
    """Return the whole source of a function, such as a test; None if there is none."""
    lines = span(file, name)
    return None if lines is None else Snippet(file, *lines, _cut(file, *lines), name)
