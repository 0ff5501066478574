"""Every kernel says what it takes, returns and raises, with an example; the twins say the same."""

import inspect

import pytest
from agreement import KERNELS

import refimpl.kernels

CLASSES = {"BallTree", "SearchForest", "SortedFeatures"}
NAMES = refimpl.kernels.__all__


@pytest.mark.parametrize("name", NAMES)
def test_each_part_of_the_docstring_is_there(name):
    text = inspect.getdoc(getattr(refimpl.kernels, name))
    parts = ["Attributes"] if name in CLASSES else ["Parameters"]
    if name not in CLASSES | {"add_similarity"}:
        parts.append("Returns")
    for part in [*parts, "Raises", "See Also", "Examples"]:
        assert f"\n{part}\n{'-' * len(part)}\n" in text
    assert text.partition("\n")[0].endswith(".")
    if name not in CLASSES:
        first = text.split()[0]
        assert first[0].isupper() and not first.endswith("s") and first not in ("The", "All", "A")


@pytest.mark.parametrize("name", NAMES)
def test_each_argument_is_documented(name):
    parameters = inspect.signature(getattr(refimpl.kernels, name)).parameters
    head = inspect.getdoc(getattr(refimpl.kernels, name)).partition("Raises\n")[0]
    documented = {
        word.strip()
        for line in head.splitlines()
        if line and not line[0].isspace()
        for word in line.partition(" : ")[0].split(",")
    }
    assert set(parameters) <= documented


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
@pytest.mark.parametrize("name", sorted(set(NAMES) - CLASSES))
def test_the_fast_twin_has_the_same_summary(name):
    reference, fast = (inspect.getdoc(getattr(k, name)) for k in KERNELS)
    assert fast.partition("\n")[0] == reference.partition("\n")[0]
    assert f"See :func:`refimpl.kernels.{name}`." in fast


def test_the_tie_rule_stands_where_it_is_needed():
    assert "polarity 1 before -1" in refimpl.kernels.best_stump.__doc__
