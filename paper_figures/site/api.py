"""The pages of the API reference: a page for each public module, an entry for each public name."""

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from paper_figures.registry import PAPERS
from paper_figures.site import listings, printed, rst
from paper_figures.site.docstrings import escaped
from refimpl import rivals

KERNELS = "refimpl.kernels"
TIMES = """\
The last columns say how many times as fast the kernels in Cython are as these in NumPy: one thread,
thousands of points, vectors of AVX-512 and of AVX2 (:doc:`/speed/widths`)."""
SPEED = printed.ROOT / "tests" / "benchmarks" / "widths.md"
GROUPS = {
    "Papers": (
        *(f"refimpl.{paper}{part}" for paper in PAPERS for part in ("", ".algorithm")),
        *("refimpl.boosted_distance.weak_learners", "refimpl.boostmap.edges"),
        *("refimpl.ftune.goodness", "refimpl.ftune.linear_models", "refimpl.ftune.similarities"),
    ),
    "Shared": (
        *("refimpl", "refimpl.estimators", "refimpl.spaces", "refimpl.ball_trees"),
        *("refimpl.progress", "refimpl.typing", KERNELS, "refimpl.check"),
    ),
    "Rivals": tuple(f"refimpl.rivals.{name}" for name in rivals.__all__),
    "Kernels in Cython": ("refimpl_fast",),
    "Figures": ("paper_figures.study", "paper_figures.rows"),
}
"""The modules whose names users import, in the order of the reference."""


@dataclass(frozen=True)
class Entry:
    """A public name: the module that documents it, its name there, and what it is."""

    module: str
    name: str
    thing: Any

    @property
    def path(self) -> str:
        """The dotted path."""
        return f"{self.module}.{self.name}"

    @property
    def page(self) -> str:
        """The name of its page: a kernel's is that of its family."""
        return self.thing.__module__ if self.module == KERNELS else self.module

    @property
    def address(self) -> str:
        """The page and the anchor, from the top of the site."""
        return f"api/{self.page}.html#{self.path}"


def documented() -> list[ModuleType]:
    """Return the modules that have a page."""
    return [importlib.import_module(name) for names in GROUPS.values() for name in names]


def _exported(module: ModuleType) -> Iterator[tuple[str, Any]]:
    top = module.__name__.partition(".")[0]
    for name in getattr(module, "__all__", ()):  # a family of kernels has none
        thing = getattr(module, name)
        home = getattr(thing, "__module__", None) or ""
        if (inspect.isroutine(thing) or inspect.isclass(thing)) and home.partition(".")[0] == top:
            yield name, thing


def entries() -> list[Entry]:
    """Return each public name once, under its shortest dotted path."""
    best: dict[int, Entry] = {}
    for module in documented():
        for name, thing in _exported(module):
            entry = Entry(module.__name__, name, thing)
            if id(thing) not in best or len(entry.path) < len(best[id(thing)].path):
                best[id(thing)] = entry
    return list(best.values())


@cache
def addresses() -> dict[str, str]:
    """Return {dotted path: address}, for every path by which a public name can be imported."""
    where = {id(entry.thing): entry.address for entry in entries()}
    paths = {}
    for module in documented():
        for name, thing in _exported(module):
            paths[f"{module.__name__}.{name}"] = where[id(thing)]
            home = f"{thing.__module__}.{getattr(thing, '__qualname__', name)}"
            paths.setdefault(home, where[id(thing)])
    return paths


def write(sources: Path) -> None:
    """Write ``api/index`` and a page for each module into the copy of the sources."""
    listed = entries()
    for module in [*documented(), *_families(listed)]:
        own = [entry for entry in listed if entry.page == module.__name__]
        above = kernels_table(listed) if module.__name__ == KERNELS else []
        rst.put(sources, f"api/{module.__name__}", _page(module, above, own, listed))
    words = """\
A page for each module, with every public name and an example that runs as a test.
:doc:`Files </files>` has the code."""
    index = [*rst.titled("API reference"), words, ""]
    for title, names in GROUPS.items():
        index += rst.titled(title, "-")
        index += rst.toctree(names, ":hidden:", ":maxdepth: 1", f":caption: {title}")
        index += [*(f"- :doc:`{name}`: {_summary(name)}" for name in names), ""]
    index += rst.toctree(["../files"], ":hidden:")
    rst.put(sources, "api/index", index)


def _families(listed: list[Entry]) -> list[ModuleType]:
    """Return the modules whose kernels have a page together."""
    names = sorted({entry.page for entry in listed if entry.module == KERNELS})
    return [importlib.import_module(name) for name in names]


def kernels_table(listed: list[Entry]) -> list[str]:
    """Return the table of all kernels: printed lines, the twin's code, how much faster it is."""
    families = _families(listed)
    rows = []
    gains, printed_at = _gains(), _printed_at()
    for family in families:
        for entry in listed:
            if entry.page == family.__name__ and inspect.isroutine(entry.thing):
                twin = listings.link_of("py", {"module": "refimpl_fast", "fullname": entry.name})
                lines = ", ".join(f"`{id} <{to}>`__" for id, to in printed_at.get(entry.name, ()))
                code = f"`{Path(str(twin).partition('.html')[0]).name} <{twin}>`__"
                name = f":py:obj:`{entry.name} <{entry.path}>`"
                rows.append((name, lines, code, *gains.get(entry.name, ("", ""))))
    below = rst.toctree((module.__name__ for module in families), ":hidden:")
    heads = ("kernel", "printed lines", "in Cython", "AVX-512", "AVX2")
    return [TIMES, "", *below, *rst.table(heads, rows)]


def _gains() -> dict[str, tuple[str, str]]:
    """Return how many times as fast each kernel in Cython is, with AVX-512 and with AVX2."""
    row = r"^\| (\w+) \| ([\d.e+]+) \| ([\d.]+) \| ([\d.]+) \|"
    rows = re.findall(row, SPEED.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        name: (times(float(ref), float(v4)), times(float(ref), float(v3)))
        for name, ref, v4, v3 in rows
    }


def times(slow: float, fast: float) -> str:
    """Return a quotient with two digits, or all before the point if they are more."""
    quotient = slow / fast
    return f"{quotient:,.0f}" if quotient >= 10 else f"{quotient:.1f}"


def _printed_at() -> dict[str, list[tuple[str, str]]]:
    """Return the printed lines that each kernel computes, with their places in the reader."""
    found: dict[str, list[tuple[str, str]]] = {}
    for paper in PAPERS:
        for line in printed.read(paper).lines.values():
            for kernel in line.kernels:
                place = f"../reader/{paper}.html#{line.id.replace(':', '-')}"
                found.setdefault(kernel, []).append((line.id, place))
    return found


def _summary(name: str) -> str:
    """Return the first paragraph of a module's docstring, as a line."""
    first = (importlib.import_module(name).__doc__ or "").strip().partition("\n\n")[0]
    return escaped(" ".join(first.split()))


def _breakable(name: str) -> str:
    """Return a dotted name with places where a narrow line may break, which nobody sees."""
    return name.replace(".", ".\u200b").replace("_", "\u200b_")


def _page(module: ModuleType, above: list[str], own: list[Entry], listed: list[Entry]) -> list[str]:
    title = module.__name__
    text = [*rst.titled(_breakable(title)), *above]
    text += [f".. automodule:: {title}", "   :no-members:", ""]
    elsewhere = {id(e.thing): e for e in listed if title not in (e.module, e.page)}
    moved = [(name, elsewhere[id(t)]) for name, t in _exported(module) if id(t) in elsewhere]
    if moved:
        names = ", ".join(f":py:obj:`{name} <{entry.path}>`" for name, entry in moved)
        text += [f"Described elsewhere: {names}.", ""]
    for entry in own:
        kind = "class" if inspect.isclass(entry.thing) else "function"
        text += rst.titled(entry.name, "-")
        text += [f".. auto{kind}:: {entry.path}", *_members(entry.thing), ""]
    return text


def _members(thing: Any) -> list[str]:
    """Return the option that lists the public methods of a class that are written here."""
    if not inspect.isclass(thing):
        return []
    names: list[str] = []
    for base in reversed(thing.__mro__):
        if base.__module__.partition(".")[0] not in ("refimpl", "refimpl_fast", "paper_figures"):
            continue
        for name, member in vars(base).items():
            function = getattr(member, "__func__", member)
            if not name.startswith("_") and inspect.isfunction(function) and name not in names:
                names.append(name)
    return ["   :members: " + ", ".join(names)] if names else []
