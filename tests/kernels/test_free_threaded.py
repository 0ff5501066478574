"""The fast kernels in several Python threads at once, with Python's lock and without it.

A Python without the lock ("free-threaded") starts it again, and warns, for modules that do not
declare that they need none. The kernels do not declare it. Not tested here: a thread that changes
an array while a kernel reads it. As with NumPy's functions, callers must not do that.
"""

import sysconfig
import warnings

import numpy as np
import pytest
from agreement import outcome, require_equal_outcomes
from processes import output
from teams import at_once

refimpl_fast = pytest.importorskip(
    "refimpl_fast", reason="refimpl_fast is not built", exc_type=ImportError
)

THREADS = 4
ROUNDS = 3


def test_all_kernels_in_several_threads_give_what_the_reference_gives():
    from refimpl import kernels
    from refimpl.kernels.contract import CONTRACT
    from tests.fuzz.hard import arguments_of

    cases = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, name in enumerate(CONTRACT):
            with np.errstate(all="ignore"):
                values = arguments_of(name, np.random.default_rng([7, number]))
                values.pop("threads", None)
                cases.append((name, values, outcome(getattr(kernels, name), values, 2)))

    def work(thread):
        for at in np.random.default_rng(thread).permutation(ROUNDS * len(cases)) % len(cases):
            name, values, expected = cases[at]
            with np.errstate(all="ignore"):
                require_equal_outcomes(expected, outcome(getattr(refimpl_fast, name), values, 2))

    at_once(work, range(THREADS))


def test_a_python_without_the_lock_starts_it_for_the_kernels_and_says_so():
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this Python always has its lock")
    code = """
import sys, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import refimpl_fast
assert sys._is_gil_enabled()
assert any("enabled to load module 'refimpl_fast." in str(w.message) for w in caught), caught
"""
    output("-c", code, PYTHON_GIL="")
