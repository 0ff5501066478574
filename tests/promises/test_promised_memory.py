"""The estimate of a training's memory is an upper bound, and `max_memory` is held against it.

Many shapes and options, and the resident set: tests/shared/test_memory.py.
"""

import os

import numpy as np
import pytest
from peaks import traced_peak
from trainings import each

from refimpl.resources import processors

estimated = each(lambda one: one.estimate)


@estimated
def test_the_estimate_is_an_upper_bound_and_not_a_loose_one(training, kernels):
    training(kernels=kernels)  # what is made once
    peak = traced_peak(lambda: training(kernels=kernels, threads=1))
    assert peak <= training.memory(kernels=kernels, threads=1) <= 8 * peak + 2**21


@estimated
def test_what_is_estimated_is_enough(training):
    enough = training.memory()
    training(max_memory=enough)
    if not training.exact:  # it lists fewer pairs at a time, and ends only when none fit
        return
    with pytest.raises(MemoryError, match=rf"^max_memory is {enough - 1:,} bytes; .* up to"):
        training(max_memory=enough - 1)


@estimated
def test_an_estimate_takes_the_arguments_of_the_training(training):
    given = {"callback": print, "max_memory": 1, "start": training.steps()[1][0].result}
    assert training.memory(**given) == training.memory()
    # no more threads work than there are processors
    assert training.memory(threads=10**9) == training.memory()


@estimated
def test_estimates_count_the_processors_that_the_process_may_use(training, monkeypatch):
    """Not those of the machine, of which a container or an affinity may leave a few."""
    expected = training.memory(threads=processors())
    monkeypatch.setattr(os, "cpu_count", lambda: 4096)
    assert training.memory() == expected


@each()
def test_too_little_is_refused_before_any_work(training):
    steps = []
    with pytest.raises(MemoryError, match=r"^max_memory is 1 bytes"):
        training(max_memory=1, callback=steps.append)
    assert not steps
    training(max_memory=np.int64(10**9))
