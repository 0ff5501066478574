"""Every public name of refimpl has a docstring in numpydoc's form, with an example that runs.

`pytest --doctest-modules refimpl` runs the examples; here stands what they cannot show.
"""

import ast
import dataclasses
import inspect
import re
from pathlib import Path

import pytest
import raising
from public_names import everything, methods, modules, parameters

from refimpl import boosted_distance, estimators

ROOT = Path(__file__).resolve().parents[2]
BANNED = ("would do", "shall")
HEADING = re.compile(r"^(\S[^\n]*)\n-{3,}$", re.MULTILINE)

WITHOUT_EXAMPLE: dict[str, str] = {}
"""Public names that cannot have an example, with the reason."""


def sections(docstring):
    """Return a docstring's text by the headings of its sections; the first has the heading ''."""
    pieces = HEADING.split(inspect.cleandoc(docstring))
    return dict(zip(["", *pieces[1::2]], pieces[::2], strict=True))


def documented(text):
    """Return the names that a section such as Parameters lists: `X, y : array_like` gives two."""
    entries = [line for line in text.splitlines() if line and not line[0].isspace()]
    return {name.strip(" *") for entry in entries for name in entry.split(" : ")[0].split(",")}


def summary_faults(docstring):
    """Yield what is wrong with the first line."""
    if not (docstring or "").strip():
        yield "no docstring"
        return
    first = inspect.cleandoc(docstring).splitlines()[0]
    if not first.endswith("."):
        yield f"the first line must end with a full stop; got {first!r}"
    if not first[0].isupper():
        yield f"the first line must start with a capital; got {first!r}"


def parameter_faults(thing, parts):
    names = [parameter.name for parameter in parameters(thing)]
    listed = documented(parts.get("Parameters", "")) | documented(parts.get("Other Parameters", ""))
    if inspect.isclass(thing):
        listed |= documented(parts.get("Attributes", ""))  # the fields of a result
    elif names and "Parameters" not in parts:
        yield "no Parameters"
        return
    missing = [name for name in names if name not in listed]
    if missing:
        yield f"parameters without a description: {', '.join(missing)}"


def returns_something(function):
    annotation = inspect.signature(function).return_annotation
    return annotation not in (None, "None", "NoReturn", inspect.Signature.empty)


def is_protocol(cls):
    return getattr(cls, "_is_protocol", False)


def section_faults(name, thing):
    """Yield which sections a public function or class lacks."""
    if is_protocol(thing):
        return  # users do not call them
    parts = sections(thing.__doc__)
    if name not in WITHOUT_EXAMPLE and ">>>" not in parts.get("Examples", ""):
        yield "no Examples with >>>"
    if "See Also" not in parts:
        yield "no See Also"
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        return  # it takes a message
    yield from parameter_faults(thing, parts)
    if not inspect.isclass(thing) and returns_something(thing):
        if not {"Returns", "Yields"} & set(parts):
            yield "no Returns"
    yield from raises_faults(name, thing)


def raises_faults(name, thing):
    """Yield by which calls an error comes that no section Raises tells."""
    if "Raises" in sections(thing.__doc__):
        return
    if path := raising.cause(thing):
        yield f"no Raises: {path}"


def is_printed(thing):
    """Whether it is of an algorithm as printed, whose long form is at the form for use."""
    return thing.__module__.endswith(".algorithm")


def faults(name, thing):
    yield from (f"{name}: {fault}" for fault in summary_faults(thing.__doc__))
    if thing.__doc__ and not is_printed(thing):
        yield from (f"{name}: {fault}" for fault in section_faults(name, thing))
    if not inspect.isclass(thing) or is_protocol(thing):
        return
    for method, _ in methods(thing):
        for fault in summary_faults(inspect.getdoc(getattr(thing, method))):
            yield f"{name}.{method}: {fault}"


def refuse(lines):
    """Fail with one line for each fault."""
    lines = list(lines)
    if lines:
        pytest.fail(f"{len(lines)} faults\n" + "\n".join(lines), pytrace=False)


def test_every_module_says_what_it_exports():
    """Each module has a docstring and an `__all__` of names that exist."""
    lines = []
    for module in modules():
        exported = getattr(module, "__all__", None)
        if not module.__doc__:
            lines.append(f"{module.__name__}: no docstring")
        if exported is None:
            lines.append(f"{module.__name__}: no __all__")
        lines += [
            f"{module.__name__}: __all__ names {name!r}, which is not there"
            for name in exported or ()
            if not hasattr(module, name)
        ]
    refuse(lines)


ROOMS = sorted({".".join(name.split(".")[:2]) for name in everything()})


@pytest.mark.parametrize("room", ROOMS)
def test_public_docstrings(room):
    refuse(
        fault
        for name, thing in everything().items()
        if name == room or name.startswith(room + ".")
        for fault in faults(name, thing)
    )


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
    refuse(fault for name, thing in everything().items() for fault in default_faults(name, thing))


def test_exceptions_are_still_there():
    names = everything()
    refuse(f"{name} is not public any more" for name in WITHOUT_EXAMPLE if name not in names)


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
    refuse(
        f"{module.__name__}:{line}: {name}"
        for module in modules()
        for line, name in long_texts(ast.parse(inspect.getsource(module)), module.__all__)
    )


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
    refuse(
        f"{path.relative_to(ROOT)}:{line}: {word!r}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for line, text in docstrings(path)
        for word in BANNED
        if re.search(rf"\b{word}\b", text, re.IGNORECASE)
    )


# ------------------------------------------------------------ the rules themselves, on small cases


def good(X, y=None, *extra):
    """Return a sum.

    Parameters
    ----------
    X, y : array_like
        Numbers.
    *extra : int

    Returns
    -------
    int

    See Also
    --------
    bad : Does not.

    Examples
    --------
    >>> good(1)
    1
    """


def bad(X, k) -> int:
    """the sum

    Parameters
    ----------
    X : array_like
    """


@dataclasses.dataclass
class Fields:
    """Hold a number.

    Attributes
    ----------
    number : int

    See Also
    --------
    good : Adds.

    Examples
    --------
    >>> Fields(1).number
    1
    """

    number: int
    other: int = 0

    def method(self):
        """do nothing"""


class RaisesInAProperty:
    @property
    def value(self):
        """A number."""
        raise ValueError


@pytest.mark.parametrize(
    ("thing", "path"),
    [
        (boosted_distance.selected_dimensions, ""),
        (boosted_distance.staged_nearest_neighbor, "staged_nearest_neighbor"),
        (boosted_distance.StumpEnsemble, "StumpEnsemble.__post_init__ > _check_stumps"),
        (estimators.LandmarkTransformer, "LandmarkTransformer.transform > landmarked"),
        (estimators.BoostMapClassifier, ""),  # its methods tell of their errors
        (RaisesInAProperty, "RaisesInAProperty.value"),
    ],
)
def test_by_which_calls_an_error_comes(monkeypatch, thing, path):
    monkeypatch.setattr(raising, "PROJECT", ("refimpl", __name__.partition(".")[0]))
    assert raising.cause(thing) == path


def test_the_rules():
    assert not list(faults("good", good))
    assert [fault.partition(": ")[2] for fault in faults("bad", bad)] == [
        "the first line must end with a full stop; got 'the sum'",
        "the first line must start with a capital; got 'the sum'",
        "no Examples with >>>",
        "no See Also",
        "parameters without a description: k",
        "no Returns",
    ]
    fields = list(faults("Fields", Fields))
    assert fields == ["Fields: parameters without a description: other"]
    assert list(summary_faults(" ")) == ["no docstring"]
