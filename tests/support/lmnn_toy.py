"""A small data set for the tasks of LMNN's figures."""

import numpy as np
from agreement import KERNELS
from toy_sets import provide

from paper_figures.study import Job

N, N_TRAIN = 70, 54
fast_or_reference = "fast" if len(KERNELS) > 1 else "reference"


def points(monkeypatch):
    """Let the tasks load the data set "lmnn toy"; return its images and classes.

    They are images of 4 x 4 in three classes that overlap, unequal in size and in brightness.
    """
    rng = np.random.default_rng(3)
    y = rng.permutation(np.repeat([2, 5, 7], [30, 24, 16]))
    X = rng.gamma(2.0, 1.0, size=(N, 16)) * np.linspace(3.0, 0.5, 16)
    X[np.arange(N), y] += 5.0
    X = X * rng.gamma(3.0, 1.0, size=(N, 1))
    provide(monkeypatch, "lmnn toy", X, y, N_TRAIN)
    return X, y


def ask(compute, **cell):
    """The observations of a cell, each with the cell's parameters."""
    job = Job(0, fast_or_reference, None, (cell["data_set"],))
    return [cell | item for item in compute(job, **cell)]
