"""Bit-for-bit comparison of kernel modules and of what they return."""

import dataclasses
import types

import numpy as np

import refimpl.kernels

try:
    import refimpl_fast
except ImportError:  # tests/kernels/test_stumps.py checks that this failure is loud
    refimpl_fast = None

KERNELS = [refimpl.kernels] + ([refimpl_fast] if refimpl_fast is not None else [])
NAMES = ["reference", "fast"][: len(KERNELS)]


class Difference(AssertionError):
    """Two results differ; the message says where."""


def assert_same(a, b, name="result"):
    """Equal type, shape and bits, of results and of all that they hold; any NaN is as good."""
    if dataclasses.is_dataclass(a) and type(a) is type(b):
        for field in dataclasses.fields(a):
            assert_same(getattr(a, field.name), getattr(b, field.name), f"{name}.{field.name}")
        return
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        if len(a) != len(b):
            raise Difference(f"{name}: {len(a)} and {len(b)} parts")
        for place, (one, other) in enumerate(zip(a, b, strict=True)):
            assert_same(one, other, f"{name}[{place}]")
        return
    if a is b:
        return
    a = np.asarray(a)
    b = np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        raise Difference(f"{name}: {a.dtype} of shape {a.shape}, and {b.dtype} of shape {b.shape}")
    if a.tobytes() == b.tobytes():
        return
    unequal = (a != b) & ~((a != a) & (b != b))
    if a.dtype.kind == "f":
        unequal |= (np.signbit(a) != np.signbit(b)) & (a == a)
    if unequal.any():
        place = tuple(int(i) for i in np.argwhere(unequal)[0])
        raise Difference(
            f"{name}{list(place)}: {a[place]!r} and {b[place]!r}, "
            f"{unequal.sum()} of {a.size} differ"
        )


def require_twins(kernel, values, threads, finite=True):
    """Raise a Difference unless the fast twin does the same on these numbers of threads."""
    expected = outcome(getattr(refimpl.kernels, kernel), values, threads[0])
    for n in threads:
        got = outcome(getattr(KERNELS[-1], kernel), values, n)
        require_equal_outcomes(expected, got, finite)


def outcome(function, values, threads):
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


def require_equal_outcomes(reference, fast, finite=True):
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


def other_kernels(**changed):
    """A module like the fastest kernels, but for some functions."""
    module = types.ModuleType("other_kernels")
    vars(module).update({name: getattr(KERNELS[-1], name) for name in refimpl.kernels.__all__})
    vars(module).update(changed)
    return module
