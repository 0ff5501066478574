"""Parameters that all estimators understand alike."""

import importlib
import numbers

import numpy as np

_KERNELS = {"reference": "refimpl.kernels", "fast": "refimpl_fast"}


def kernels_named(name):
    """The kernel module called "reference" or "fast"."""
    if not isinstance(name, str) or name not in _KERNELS:
        raise ValueError(f"kernels: {name!r} is unknown; 'reference' or 'fast' would do")
    return importlib.import_module(_KERNELS[name])


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
        raise TypeError(f"random_state is {random_state!r}; an integer, None, a RandomState or a Generator would do")
    if isinstance(random_state, numbers.Integral) and random_state < 0:
        raise ValueError(f"random_state is {random_state}; it must be at least 0")
    return np.random.default_rng(random_state)
