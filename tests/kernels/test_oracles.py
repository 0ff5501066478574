"""Every kernel computes what its paper says: what is drawn is held against the independent oracles.

The arguments are those of the table (:mod:`refimpl.check.subjects`), longer than the vectors'. That
both twins give the same bits is tested in test_twins.py.
"""

import numpy as np
import pytest

from refimpl.check.subject import of_reference
from refimpl.check.subjects import KERNELS
from tests.fuzz.hard import Hard
from tests.vectors.__main__ import verify

CASES = 60


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_oracle_agrees_with_what_is_drawn(kernel):
    subject = KERNELS[kernel]
    for number in range(CASES):
        source = Hard(np.random.default_rng([29, number]), tame=True)
        source.wide = False
        flag = subject.flags[number % len(subject.flags)]
        arguments = subject.draw(source, flag)
        (expected,) = of_reference(subject, arguments)
        verify(kernel, arguments, expected)
