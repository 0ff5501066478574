"""What kernels refuse: both twins must do so with the same type of error and the same words."""

import numpy as np
import pytest
from agreement import KERNELS


def refusal(name, *arguments, error=None, **options):
    """The error of a kernel that refuses its arguments, as "type: message"; each twin must give the
    same one.

    Each gets copies of the arrays that a copy does not change. `error` is the type that it must
    have.
    """
    errors = []
    for kernels in KERNELS:
        mine = [a.copy() if _is_plain(a) else a for a in arguments]
        with pytest.raises((TypeError, ValueError)) as refused:
            getattr(kernels, name)(*mine, **options)
        assert error is None or refused.type is error
        errors.append(f"{refused.type.__name__}: {refused.value}")
    assert len(set(errors)) == 1, errors
    return errors[0]


def _is_plain(a):
    return isinstance(a, np.ndarray) and a.flags.c_contiguous and a.flags.writeable


def assert_refused(calls):
    """Assert that each call, (name, arguments, error, part of the message), is refused so by all
    kernel modules.
    """
    for name, arguments, error, message in calls:
        said = refusal(name, *arguments, error=error)
        assert message in said, (name, said)


def assert_arrays_only(name, arguments):
    """Assert that every array among the arguments must be one: no list, no subclass with another
    arithmetic, and of its
    own dtype and order, in every kernel module."""
    for place, argument in enumerate(arguments):
        if not hasattr(argument, "dtype"):
            continue
        others = [
            None,
            argument.tolist(),
            argument.astype("U1"),
            argument.astype(complex),
            argument.astype(">i2"),
        ]
        others += [np.ma.array(argument)] + (
            [argument.view(np.matrix)] if argument.ndim == 2 else []
        )
        for other in others:
            changed = [*arguments[:place], other, *arguments[place + 1 :]]
            refusal(name, *changed, error=TypeError)
        for other in (argument[..., None], argument.repeat(2, axis=-1)[..., ::2]):
            if other.size > 1:
                changed = [*arguments[:place], other, *arguments[place + 1 :]]
                refusal(name, *changed, error=ValueError)
