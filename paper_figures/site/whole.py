"""Whole algorithms: the printed steps on the left, the whole functions of the code on the right.

The steps, runs and values are those of the reader. A function is shown if a printed line of the
section is marked in it.
"""

import ast
import re
from functools import cache
from pathlib import Path

from paper_figures.site import front, listings, printed, rows, rst, runs, snippets, steps
from paper_figures.site.snippets import Snippet
from paper_figures.site.steps import Section

DOT = '<span class="o">.</span>'
NAME = re.compile(
    rf'(<span class="n">kernels</span>{re.escape(DOT)}|{re.escape(DOT)})?'
    r'<span class="(n[a-z]?)">(\w+)</span>'
)
"""A name, with what says whose attribute it is."""

INTRODUCTION = """\
The printed steps in our words are on the left, the whole functions of the code on the right. Point
at a step or at a line, or go to one with Tab, and its counterpart is marked. The slider goes from
round to round of a small run; a step shows what its lines computed."""


def functions(room: str, section: Section) -> list[Snippet]:
    """Return the functions of ``algorithm.py`` that hold marks of a section, in their order."""
    file = f"refimpl/{room}/algorithm.py"
    names: dict[str, None] = {}
    for id in runs.ids_of(room, section):
        for found in snippets.reference(printed.read(room), id):
            if found.file == file and found.inside:
                names[found.inside.partition(".")[0]] = None
    whole = [snippets.function(file, name) for name in names]
    return sorted(filter(None, whole), key=lambda one: one.first)


def write(sources: Path) -> None:
    """Write ``whole/``, a page for each paper, into the copy of the sources."""
    for room in printed.PREFIXES:
        rst.put(sources, f"whole/{room}", _page(room))
    listed = rst.toctree(printed.PREFIXES)
    rst.put(sources, "whole/index", [*rst.titled("Whole algorithms"), INTRODUCTION, "", *listed])


def _page(room: str) -> list[str]:
    text = [*rst.titled(f"{front.ABOUT[room][0]}: whole algorithms"), INTRODUCTION, ""]
    text += rst.raw(f'<p><a href="../reader/{room}.html">The same, line by line</a></p>')
    page = rows.Page(room)
    for section in steps.read(room).sections:
        found = functions(room, section)
        if found:
            text += [*rst.titled(section.title, "-"), *rst.raw(_section(page, section, found))]
    return [*text, *rst.scripts(room, "rounds", "whole")]


def _section(page: rows.Page, section: Section, found: list[Snippet]) -> str:
    ids = runs.ids_of(page.paper.room, section)
    live = runs.live(page.paper.room, section)
    whole = [(one, _lines(page, one, ids)) for one in found]
    twins = list(dict.fromkeys(twin for id in ids for twin in snippets.cython(id)))
    return str(rows.macros("whole").section(page, live, ids, whole, twins))


def _lines(page: rows.Page, one: Snippet, ids: list[str]) -> list[tuple[str, str]]:
    """Return the lines of a whole function, each with the printed lines that it does."""
    does: dict[int, list[str]] = {}
    for id in ids:
        for found in snippets.reference(page.paper, id):
            if found.file == one.file:
                for number in range(found.first, found.last + 1):
                    does.setdefault(number, []).append(rows.anchor(id))
    module, local = one.file.removesuffix(".py").replace("/", "."), _local(one.text)
    lines = []
    for number, html in enumerate(rows.coloured(one, "python", page.names).split("\n"), one.first):
        html = _linked(html, module, local)
        lines.append((html or " ", " ".join(does.get(number, ()))))
    return lines


def _local(text: str) -> set[str]:
    """Return the name of a function and those that it binds, which may be those of others."""
    nodes = list(ast.walk(function := ast.parse(text).body[0]))
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
    stored = (n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return arguments | {name.id for name in stored} | {getattr(function, "name", "")}


@cache
def _definition(module: str, name: str) -> str | None:
    return listings.link_of("py", {"module": module, "fullname": name})


def _linked(html: str, module: str, local: set[str]) -> str:
    """Return a line of code in which names, and kernels, lead to their definitions."""

    def link(match: re.Match[str]) -> str:
        before, kind, name = match.groups()
        if before == DOT or (not before and name in local):
            return match[0]
        address = _definition("refimpl.kernels" if before else module, name)
        shown = f'<a class="{kind}" href="{address}">{name}</a>'
        return f"{before or ''}{shown}" if address else match[0]

    return NAME.sub(link, html)
