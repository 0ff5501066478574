"""The most memory that a call takes of what Python and NumPy allocate."""

import tracemalloc

import scipy.optimize  # noqa: F401 - trainings import it late, and its memory is not theirs

from refimpl.resources import processors


def traced_peak(train):
    processors()  # imports joblib, which is not part of the training
    tracemalloc.start()
    try:
        train()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
