"""Every entry of the API reference has its sections and an example that runs.

The readable packages' docstrings are held by tests/project/test_docstrings.py, and their examples
run with the suite. Here stand the kernels in Cython, on which their twins' examples run, too, and
the names of paper_figures. Not tested: that a section says all that matters.
"""

import doctest
import inspect
import re

import pytest
import raising

import refimpl.kernels
import refimpl_fast
from paper_figures.site import api

HEADING = re.compile(r"^(\S[^\n]*)\n-{3,}$", re.MULTILINE)
KERNELS = [n for n in refimpl_fast.__all__ if not inspect.isclass(getattr(refimpl_fast, n))]
OURS = [entry for entry in api.entries() if entry.module.startswith("paper_figures.")]


def headings(text):
    return set(HEADING.findall(inspect.cleandoc(text)))


def present(entry):
    return headings(entry.thing.__doc__)


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_in_cython_runs_its_twins_example(name):
    assert f"refimpl.kernels.{name}`" in inspect.getdoc(getattr(refimpl_fast, name))
    text = inspect.getdoc(getattr(refimpl.kernels, name))
    text = text.replace("from refimpl.kernels import", "from refimpl_fast import")
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    lines = " ".join(part.source for part in example.examples)
    assert "from refimpl_fast import" in lines and "refimpl.kernels" not in lines
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    outcome = doctest.DocTestRunner(optionflags=flags).run(example)
    assert outcome.failed == 0 and outcome.attempted > 1


@pytest.mark.parametrize("entry", OURS, ids=lambda entry: entry.path)
def test_a_name_of_paper_figures_has_its_sections(entry):
    listed = present(entry)
    assert {"See Also", "Examples"} <= listed
    if inspect.isfunction(entry.thing):
        signature = inspect.signature(entry.thing)
        assert not signature.parameters or "Parameters" in listed
        assert signature.return_annotation is None or "Returns" in listed


@pytest.mark.parametrize("entry", OURS, ids=lambda entry: entry.path)
def test_a_name_of_paper_figures_that_raises_says_so(entry):
    assert "Raises" in present(entry) or raising.cause(entry.thing) == ""
