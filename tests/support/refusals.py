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
