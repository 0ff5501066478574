"""The names of paper_figures in the API reference have docstrings in numpydoc's form.

Those of refimpl are held by tests/project/test_docstrings.py. Not tested: that a section says all
that matters.
"""

import pytest
from docstring_faults import faults

from paper_figures.site import api

OURS = [entry for entry in api.entries() if entry.module.startswith("paper_figures.")]


@pytest.mark.parametrize("entry", OURS, ids=lambda entry: entry.path)
def test_a_name_of_paper_figures_has_its_sections(entry):
    assert list(faults(entry.path, entry.thing)) == []
