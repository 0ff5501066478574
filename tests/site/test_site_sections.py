"""Every entry of the API reference has its sections and an example that runs.

The readable packages' docstrings are held by tests/project/test_docstrings.py, and their examples
run with the suite. Here stand the kernels in Cython, which show their twin's sections, and the
names of paper_figures. Not tested: that a section says all that matters.
"""

import ast
import doctest
import inspect
import re
import textwrap

import pytest

import refimpl.kernels
import refimpl_fast
from paper_figures.site import api, docstrings

HEADING = re.compile(r"^(\S[^\n]*)\n-{3,}$", re.MULTILINE)
KERNELS = [n for n in refimpl_fast.__all__ if not inspect.isclass(getattr(refimpl_fast, n))]
PLACES = ("See Also", "Examples")
OURS = [entry for entry in api.entries() if entry.module.startswith("paper_figures.")]


def headings(text):
    return set(HEADING.findall(inspect.cleandoc(text)))


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_in_cython_runs_its_twins_example(name):
    text = docstrings.of_kernel(name)
    twin = inspect.getdoc(getattr(refimpl.kernels, name))
    assert headings(text) >= headings(twin) and f"refimpl.kernels.{name} : " in text
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    lines = " ".join(part.source for part in example.examples)
    assert "from refimpl_fast import" in lines and "refimpl.kernels" not in lines
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    outcome = doctest.DocTestRunner(optionflags=flags).run(example)
    assert outcome.failed == 0 and outcome.attempted > 1


@pytest.mark.parametrize("entry", OURS, ids=lambda entry: entry.path)
def test_a_name_of_paper_figures_has_its_sections(entry):
    present = headings(entry.thing.__doc__)
    error = inspect.isclass(entry.thing) and issubclass(entry.thing, Exception)
    assert "See Also" in present
    assert error or "Examples" in present
    if inspect.isfunction(entry.thing):
        signature = inspect.signature(entry.thing)
        assert not signature.parameters or "Parameters" in present
        assert signature.return_annotation is None or "Returns" in present


def raising(function):
    """Return the errors that a function's own lines raise."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return [n.exc for n in ast.walk(tree) if isinstance(n, ast.Raise) and n.exc is not None]


def test_a_function_that_raises_says_so():
    functions = [
        entry
        for entry in api.entries()
        if inspect.isfunction(entry.thing) and entry.module != "refimpl_fast"
    ]
    assert len(functions) > 150
    silent = [
        entry.path
        for entry in functions
        if raising(entry.thing) and "Raises" not in headings(entry.thing.__doc__)
    ]
    assert silent == []
