"""Parameters that all estimators understand alike."""

import importlib
import numbers

import numpy as np
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from refimpl.checks import one_of

_KERNELS = {"reference": "refimpl.kernels", "fast": "refimpl_fast"}


def kernels_named(name):
    """The kernel module called "reference" or "fast"."""
    one_of(name, _KERNELS, "kernels")
    return importlib.import_module(_KERNELS[name])


def classes_of(y, X):
    """The classes and, for each object of X, its class's place among them.

    For an X that scikit-learn's ``validate_data`` does not take with y, as it may be a sequence of objects.
    """
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    check_classification_targets(y)
    return np.unique(y, return_inverse=True)


def as_random_generator(random_state):
    """One generator out of what scikit-learn and NumPy take for a source of random numbers.

    Parameters
    ----------
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
        None is seeded by the operating system. A RandomState is drawn from, so that the next call differs; a
        Generator is used itself.

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    TypeError, ValueError
        If it is anything else, or a negative integer.
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint32))
    if random_state is not None and not isinstance(random_state, numbers.Integral | np.random.Generator):
        raise TypeError(f"random_state must be an integer, None, a RandomState or a Generator; got {random_state!r}")
    if isinstance(random_state, numbers.Integral) and random_state < 0:
        raise ValueError(f"random_state is {random_state}; it must be at least 0")
    return np.random.default_rng(random_state)
