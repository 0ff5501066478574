"""One case: the same arguments for both twins, and what must be the same of what comes out."""

import warnings

import numpy as np

import refimpl.kernels
import refimpl_fast
from refimpl.kernels.contract import CONTRACT
from tests.support.agreement import Difference, assert_same

from .hard import Hard, arguments_of
from .hostile import mutate

HOSTILE = 0.4  # share of the cases with a wrong argument
THREADS = (None, 1, 2, 7)
NAMES = tuple(CONTRACT)


def run(seed, number, only=None):
    """Run case `number` of a seed, of one kernel if `only` names it. Returns the kernel's name and
    the kind of case.
    """
    rng = np.random.default_rng([seed, number])
    kernel = only or NAMES[rng.integers(len(NAMES))]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        values = arguments_of(kernel, rng)
        finite = True
        hostile = rng.random() < HOSTILE
        if hostile:
            values, finite = mutate(Hard(rng), values)
        threads = values.pop("threads", THREADS[rng.integers(len(THREADS))])
        require_twins(kernel, values, (threads,), finite)
    return kernel, "hostile" if hostile else "valid"


def require_twins(kernel, values, threads, finite=True):
    """Raise a Difference unless the fast twin does the same on these numbers of threads."""
    expected = _outcome(getattr(refimpl.kernels, kernel), values, threads[0])
    for n in threads:
        got = _outcome(getattr(refimpl_fast, kernel), values, n)
        require_equal_outcomes(expected, got, finite)


def _outcome(function, values, threads):
    """What it returns, what it wrote, and what it raised: (results, error)."""
    copies = {name: _copy(value) for name, value in values.items()}
    try:
        returned = function(**copies, threads=threads)
    except Exception as error:
        return None, error
    return (returned, copies), None


def _copy(value):
    """The same array, layout and flags included."""
    if not isinstance(value, np.ndarray) or not value.flags.writeable or value.dtype == object:
        return value
    if value.base is not None and not value.flags.c_contiguous:
        return value  # a view with strides: kernels refuse it
    return value.copy(order="K")


def require_equal_outcomes(reference, fast, finite):
    (expected, error), (got, other) = reference, fast
    if (error is None) != (other is None):
        raise Difference(f"the reference {_said(error)}; the fast twin {_said(other)}")
    if error is not None:
        if type(error) is not type(other):
            raise Difference(f"{_said(error)}; the fast twin {_said(other)}")
        if str(error) != str(other) and not isinstance(error, MemoryError):
            raise Difference(f"two messages: {_said(error)}; {_said(other)}")
    elif finite:
        assert_same(expected[0], got[0])
        for name in expected[1]:
            assert_same(expected[1][name], got[1][name], name)


def _said(error):
    return "returned" if error is None else f"raised {type(error).__name__}: {error}"
