"""The twin of a kernel says the same as the reference, whose example runs on it, too."""

import doctest
import inspect

import pytest
from agreement import KERNELS

import refimpl.kernels
from refimpl.kernels.contract import CONTRACT


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
@pytest.mark.parametrize("name", CONTRACT)
def test_the_fast_twin_has_the_same_summary_and_runs_the_same_example(name):
    reference, fast = (inspect.getdoc(getattr(k, name)) for k in KERNELS)
    assert fast.partition("\n")[0] == reference.partition("\n")[0]
    assert f"See :func:`refimpl.kernels.{name}`." in fast
    text = reference.replace("from refimpl.kernels import", "from refimpl_fast import")
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    lines = " ".join(part.source for part in example.examples)
    assert "from refimpl_fast import" in lines and "refimpl.kernels" not in lines
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    outcome = doctest.DocTestRunner(optionflags=flags).run(example)
    assert outcome.failed == 0 and outcome.attempted > 1


def test_the_tie_rule_stands_where_it_is_needed():
    assert "polarity 1 before -1" in refimpl.kernels.best_stump.__doc__
