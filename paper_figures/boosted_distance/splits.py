"""Amores, Sebe & Radeva (2006), § 4.1: training and test parts, and the errors of a test part."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from paper_figures.tasks import Job
from refimpl.typing import FloatArray, IntArray, Labels

LARGE = dict.fromkeys(("ad", "gender", "MNIST", "arrhythmia"), 200)


def split(
    job: Job, data_set: str, options: Mapping[str, Any], repetition: int, share: float | None = None
) -> tuple[FloatArray, Labels, IntArray, IntArray]:
    """Return the vectors, the labels, and the rows of the training and of the test part.

    § 4.1: 200 training samples for the large sets, 20 % for the others; `share` is another part.
    MNIST keeps its own test part.
    """
    loaded = job.load(data_set, **options)
    n = len(loaded.y)
    drawn_from = n if loaded.n_train is None else loaded.n_train
    order = job.rng_for("split", loaded.name, repetition).permutation(drawn_from)
    size = round(share * len(order)) if share else LARGE.get(loaded.name, round(0.2 * n))
    test = order[size:] if loaded.n_train is None else np.arange(loaded.n_train, n)
    return loaded.X, loaded.y, order[:size], test


def balanced_error(labels: Labels, truth: Labels) -> float:
    """Return the mean of the two classes' error rates, in per cent."""
    wrong = labels != truth
    return float(100 * np.mean([wrong[truth == C].mean() for C in np.unique(truth)]))
