"""Small data sets and trainings for the tests of LMNN."""

import dataclasses
from functools import partial

import numpy as np
from agreement import KERNELS

from refimpl.lmnn import LMNNOptions, lmnn, lmnn_rect


def blobs(seed=0, n=36, d=4, classes=3, spread=0.7):
    """Return points of overlapping classes, and their labels 0, 1, ..."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, d)) * np.linspace(2, 0.3, d) + spread * y[:, None] * np.linspace(
        0, 1, d
    )
    return X, y


OPTIONS = {field.name for field in dataclasses.fields(LMNNOptions)}


def trained(*arguments, train=lmnn, **given):
    """Train, by default on the fastest kernels; options are given among the arguments by name."""
    options = LMNNOptions(**{name: given.pop(name) for name in OPTIONS & given.keys()})
    return train(*arguments, options=options, **{"kernels": KERNELS[-1], **given})


trained_rect = partial(trained, train=lmnn_rect)
