"""Every kernel says what it takes, returns and raises, with an example; the twins say the same."""

import inspect

import pytest
from agreement import KERNELS

import refimpl.kernels

CLASSES = {"BallTree", "SearchForest", "SortedFeatures"}
NAMES = refimpl.kernels.__all__


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
@pytest.mark.parametrize("name", sorted(set(NAMES) - CLASSES))
def test_the_fast_twin_has_the_same_summary(name):
    reference, fast = (inspect.getdoc(getattr(k, name)) for k in KERNELS)
    assert fast.partition("\n")[0] == reference.partition("\n")[0]
    assert f"See :func:`refimpl.kernels.{name}`." in fast


def test_the_tie_rule_stands_where_it_is_needed():
    assert "polarity 1 before -1" in refimpl.kernels.best_stump.__doc__
