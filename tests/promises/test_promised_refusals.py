"""All trainings, and their estimates of memory, refuse wrong arguments in the same words.

What a training refuses beside these is tested in its paper's room.
"""

import dataclasses
import re

import numpy as np
import pytest
from trainings import each

from refimpl.boostmap import BoostMapOptions
from refimpl.ftune import FTuneOptions
from refimpl.lmnn import LMNNOptions
from refimpl.search_forest import ForestOptions


def calls(training):
    """The training, and its estimate if it has one."""
    return (training, training.memory) if training.estimate else (training,)


@each()
@pytest.mark.parametrize("wrong", ["1", 1.5, 0, -1, True], ids=repr)
def test_threads(training, wrong, kernels):
    error = ValueError if wrong in (0, -1) else TypeError
    for call in calls(training):
        with pytest.raises(error, match=r"^threads must be .*; got "):
            call(threads=wrong, kernels=kernels)


@each()
@pytest.mark.parametrize("wrong", ["fast", 3, object()], ids=["text", "number", "object"])
def test_kernels(training, wrong):
    with pytest.raises(TypeError, match=r"^kernels must (be a module|have the names of refi)"):
        training(kernels=wrong)


@each(lambda one: one.options)
def test_options(training):
    message = re.escape(f"options must be {training.options.__name__}(...); got {{'depth': 3}}")
    for call in calls(training):
        with pytest.raises(TypeError, match=f"^{message}$"):
            call(options={"depth": 3})


@each(lambda one: "rng" in one.arguments())
@pytest.mark.parametrize("wrong", [0, np.random.RandomState(0), "7"], ids=["0", "old", "7"])
def test_generators(training, wrong):
    with pytest.raises(TypeError, match=r"^rng must be a .*default_rng"):
        training(rng=wrong)


@each()
def test_numbers_that_are_none(training):
    """NaN and infinities in points or similarities, by the name of the argument and the place."""
    for name in {"X", "P", "N", "K"} & training.arguments().keys():
        for wrong in (np.nan, np.inf, -np.inf):
            changed = training.arguments()[name].copy()
            changed[1, 2] = wrong
            with pytest.raises(ValueError, match=rf"{name}\b.*(NaN|infin|{wrong})"):
                training(**{name: changed})


@each(lambda one: "y" in one.arguments())
@pytest.mark.parametrize(
    "labels",
    [np.zeros(48), np.arange(47) % 2, 5, [], {1, 2}],
    ids=["one class", "too few", "a number", "none", "a set"],
)
def test_labels(training, labels):
    with pytest.raises((TypeError, ValueError), match=r"\by\b"):
        training(y=labels)


@pytest.mark.parametrize(
    ("numpy", "plain"),
    [
        (LMNNOptions(max_checks=np.int64(9), tol=1), LMNNOptions(max_checks=9, tol=1.0)),
        (ForestOptions(max_depth=np.int8(9), tol=1), ForestOptions(max_depth=9, tol=1.0)),
        (BoostMapOptions(n_best=np.int64(9)), BoostMapOptions(n_best=9)),
        (FTuneOptions(C=np.array([1, 2])), FTuneOptions(C=(1.0, 2.0))),
    ],
)
def test_options_are_values_that_do_not_change(numpy, plain):
    """Whatever the type of their numbers."""
    assert numpy == plain != type(plain)()
    assert repr(numpy) == repr(plain)
    for field in dataclasses.fields(plain):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(plain, field.name, 1)
