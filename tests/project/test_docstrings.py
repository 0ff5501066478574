"""Every public name of refimpl has a docstring in numpydoc's form, with an example that runs.

`pytest --doctest-modules refimpl` runs the examples; here stands what they cannot show.
"""

import ast
import inspect
import re
from pathlib import Path
from pkgutil import resolve_name

import pytest
from docstring_faults import faults
from public_names import everything, is_public, modules, parameters

from paper_figures.site import api

ROOT = Path(__file__).resolve().parents[2]
BANNED = ("would do", "shall")


def test_every_module_says_what_it_exports():
    """Each module has a docstring, and a public one has an `__all__` of names that exist."""
    lines = []
    for module in modules():
        exported = getattr(module, "__all__", None)
        if not module.__doc__:
            lines.append(f"{module.__name__}: no docstring")
        if exported is None and is_public(module):
            lines.append(f"{module.__name__}: no __all__")
        lines += [
            f"{module.__name__}: __all__ names {name!r}, which is not there"
            for name in exported or ()
            if not hasattr(module, name)
        ]
    assert lines == []


ROOMS = sorted({".".join(name.split(".")[:2]) for name in everything()})


@pytest.mark.parametrize("room", ROOMS)
def test_public_docstrings(room):
    assert [
        fault
        for name, thing in everything().items()
        if name == room or name.startswith(room + ".")
        for fault in faults(name, thing)
    ] == []


def test_what_docstrings_refer_to_exists():
    """Full names alone; the site's build follows the others."""
    found = {
        name: re.findall(
            r":(?:func|class|meth|mod):`([a-z]\w*\.[\w.]+)`", inspect.getdoc(thing) or ""
        )
        for name, thing in everything().items()
    }
    assert len(found["refimpl.estimators.LMNN"]) > 3
    for names in found.values():
        for name in names:
            resolve_name(name)


def test_the_docstrings_of_paper_figures_in_the_reference():
    pytest.importorskip("refimpl_fast", reason="it is in the reference", exc_type=ImportError)
    entries = [one for one in api.entries() if one.module.startswith("paper_figures.")]
    assert [fault for one in entries for fault in faults(one.path, one.thing)] == []


DEFAULT = re.compile(r"^(\w+) : .*, default (\S+)$", re.MULTILINE)


def default_faults(name, thing):
    """Yield the defaults that the description of a single parameter names wrongly."""
    described = dict(DEFAULT.findall(inspect.cleandoc(thing.__doc__)))
    if not described:
        return
    for parameter in parameters(thing):
        text = described.get(parameter.name)
        if text is None or parameter.default is parameter.empty:
            continue
        try:
            default = ast.literal_eval(text)
        except ValueError:
            continue  # an expression
        if parameter.default != default:
            yield f"{name}: {parameter.name} is {parameter.default!r} by default, not {text}"


def test_defaults_are_those_that_are_described():
    assert [
        fault for name, thing in everything().items() for fault in default_faults(name, thing)
    ] == []


def docstrings(path):
    """Yield (line, text) of every docstring in a file, private ones included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "lineno", 1), text


def long_texts(place, exported):
    """Yield (line, name) of docstrings of several lines that are not of an exported name."""
    for node in place.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        known = not node.name.startswith("_") and (exported is None or node.name in exported)
        if not known and "\n" in (ast.get_docstring(node) or ""):
            yield node.lineno, node.name
        if isinstance(node, ast.ClassDef):
            yield from long_texts(node, None if known else ())


def test_a_name_that_is_not_exported_has_one_line():
    public = {path.rpartition(".")[2] for path in everything()}
    assert [
        f"{module.__name__}:{line}: {name}"
        for module in modules()
        for line, name in long_texts(
            ast.parse(inspect.getsource(module)), getattr(module, "__all__", public)
        )
    ] == []


@pytest.mark.parametrize(
    "source, found",
    [
        ("def f():\n    'F.\\n\\nG.'", ["f"]),
        ("def g():\n    'F.\\n\\nG.'", []),
        ("class g:\n    def h(self):\n        'F.\\n\\nG.'", []),
        ("class f:\n    def h(self):\n        'F.\\n\\nG.'", ["h"]),
        ("def f():\n    'F.'", []),
    ],
)
def test_a_long_docstring_is_found(source, found):
    assert [name for _, name in long_texts(ast.parse(source), ("g",))] == found


@pytest.mark.parametrize("package", ["refimpl", "refimpl_fast", "paper_figures"])
def test_banned_words(package):
    assert [
        f"{path.relative_to(ROOT)}:{line}: {word!r}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for line, text in docstrings(path)
        for word in BANNED
        if re.search(rf"\b{word}\b", text, re.IGNORECASE)
    ] == []


# ------------------------------------------------------------ the rules themselves, on small cases


class Fields:
    """hold two numbers

    Attributes
    ----------
    number : int
    """

    def __init__(self, number, other):
        pass

    def method(self):
        """do nothing"""


def test_the_rules():
    said = [line.partition(": ")[2].partition(" ")[0] for line in faults("Fields", Fields)]
    assert sorted(said) == ["EX01", "PR01", "SA01", "SS02", "SS03", "no"]
    line = next(line for line in faults("Fields", Fields) if "PR01" in line)
    assert "'other'" in line and "'number'" not in line
