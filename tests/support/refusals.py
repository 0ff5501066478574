"""What kernels refuse: both twins must do so with the same type of error and the same words."""

import numpy as np
import pytest
from agreement import KERNELS


def refusal(name, *arguments, **options):
    """Call the kernel of this name in every kernel module; return the error that all of them raise."""
    errors = []
    for kernels in KERNELS:
        with pytest.raises((TypeError, ValueError)) as found:
            getattr(kernels, name)(*arguments, **options)
        errors.append(found.value)
    assert len({(type(error), str(error)) for error in errors}) == 1, errors
    return errors[0]


def assert_refused(calls):
    """Assert that each call, (name, arguments, error, part of the message), is refused so by all kernel modules."""
    for name, arguments, error, message in calls:
        found = refusal(name, *arguments)
        assert type(found) is error and message in str(found), (name, found)


def assert_arrays_only(name, arguments):
    """Assert that every array among the arguments must be one: no list, no subclass with another arithmetic, and of its
    own dtype and order, in every kernel module."""
    for place, argument in enumerate(arguments):
        if not hasattr(argument, "dtype"):
            continue
        others = [None, argument.tolist(), argument.astype("U1"), argument.astype(complex), argument.astype(">i2")]
        others += [np.ma.array(argument)] + ([argument.view(np.matrix)] if argument.ndim == 2 else [])
        for other in others:
            changed = [*arguments[:place], other, *arguments[place + 1 :]]
            assert type(refusal(name, *changed)) is TypeError
        for other in (argument[..., None], argument.repeat(2, axis=-1)[..., ::2]):
            if other.size > 1:
                changed = [*arguments[:place], other, *arguments[place + 1 :]]
                assert type(refusal(name, *changed)) is ValueError
