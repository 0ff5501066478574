"""The printed algorithms, refimpl/<paper>/algorithm.py, hold what a reader of the paper expects and
nothing else.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "refimpl").glob("*/algorithm.py"))
MOST_ARGUMENTS = 8
FOR_USE = {"callback", "checkpoint", "done", "max_memory", "start", "tol_certificate"}
"""Arguments of the forms for use: a printed algorithm has none of them."""


def functions(tree):
    """The functions of a module and the methods of its classes, not what stands inside them."""
    places = [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]
    return [node for place in places for node in place.body if isinstance(node, ast.FunctionDef)]


def arguments(function):
    """Return the names of all arguments but self and cls."""
    signature = function.args
    listed = [*signature.posonlyargs, *signature.args, *signature.kwonlyargs]
    listed += filter(None, [signature.vararg, signature.kwarg])
    return [each.arg for each in listed if each.arg not in ("self", "cls")]


def lines_of(place, lines):
    """Count the lines of a function's or class's docstring, and of the code under it."""
    text = place.body[0] if ast.get_docstring(place) else None
    if text is None:
        return 0, 0
    full = [line.strip() for line in lines[text.lineno - 1 : text.end_lineno]]
    code = [line.strip() for line in lines[text.end_lineno : place.end_lineno]]
    return (
        sum(bool(line) and line != '"""' for line in full),
        sum(bool(line) and not line.startswith("#") for line in code),
    )


def complaints(source):
    """What a file of printed algorithms should not have, as texts."""
    tree = ast.parse(source)
    if not ast.get_docstring(tree):
        yield "the module has no docstring"
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise):
            yield f"line {node.lineno} raises"
    for function in functions(tree):
        names = arguments(function)
        if len(names) > MOST_ARGUMENTS:
            yield f"{function.name} takes {len(names)} arguments"
        for name in FOR_USE.intersection(names):
            yield f"{function.name} takes {name}"
        if not function.name.startswith("_") and not ast.get_docstring(function):
            yield f"{function.name} has no docstring"
    for place in [*functions(tree), *(n for n in tree.body if isinstance(n, ast.ClassDef))]:
        words, code = lines_of(place, source.splitlines())
        if words > code:
            yield f"{place.name} has {words} lines of words and {code} of code"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_printed_algorithms_are_simple(path):
    assert not list(complaints(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "body, words",
    [
        ("def f(a, b, c, d, *, e, f, g, h, i):\n    'F.'\n    pass", "f takes 9 arguments"),
        ("def f(a, *, callback=None):\n    'F.'\n    pass", "f takes callback"),
        ("def f(a):\n    pass", "f has no docstring"),
        ("def f(a):\n    'F.'\n    raise ValueError", "line 4 raises"),
        (
            'def f(a):\n    """F.\n\n    a : one\n    """\n    # a\n    return a',
            "f has 2 lines of words and 1 of code",
        ),
    ],
)
def test_what_is_not_simple_is_found(body, words):
    assert list(complaints(f"'A.'\n{body}")) == [words]
    assert not list(complaints("'A.'\ndef f(a, b, c, d, *, e, f, g, h):\n    'F.'\n    pass"))
