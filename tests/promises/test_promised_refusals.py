"""All public functions, trainings and estimates of memory refuse wrong arguments in the same words.

What one of them refuses beside these is tested in its room.
"""

import dataclasses
import inspect
import re

import numpy as np
import pytest
from calls import CALLS, EDGES, FOREST, Call, Fit, X
from trainings import TRAININGS, each

from refimpl.boostmap import BoostMapOptions
from refimpl.boostmap.edges import chamfer
from refimpl.ftune import FTuneOptions
from refimpl.ftune.similarities import Similarity
from refimpl.lmnn import LMNNOptions
from refimpl.rivals.fastmap import fastmap
from refimpl.rivals.lipschitz import random_singletons
from refimpl.rivals.metricmap import metricmap
from refimpl.search_forest import ForestOptions, InvertedIndex
from refimpl.spaces import CallableSpace

FUNCTIONS = {name: one for name, one in CALLS.items() if not name.startswith("printed ")}
CLASSES = {
    "FTuneOptions": Call(FTuneOptions),
    "Similarity": Call(Similarity),
    "CallableSpace": Call(CallableSpace, distance=np.subtract, objects=X),
    "InvertedIndex": Call(InvertedIndex, forest=FOREST),
    "chamfer": Call(chamfer, A=EDGES),
    "metricmap of a space": Call(metricmap, d=2),
    "fastmap of a space": Call(fastmap, d=2),
    "random_singletons": Call(random_singletons, d=2),
}
ALL = FUNCTIONS | CLASSES | {f"training {name}": one for name, one in TRAININGS.items()}


def taking(wanted):
    """Return the mark that runs a test on all calls, and on each parameter that is wanted of it."""
    chosen = {
        f"{name}, {parameter.name}": (one, parameter.name)
        for name, one in ALL.items()
        for parameter in inspect.signature(one.function).parameters.values()
        if wanted(one, parameter)
    }
    return pytest.mark.parametrize(("call", "name"), chosen.values(), ids=chosen)


def named(name):
    return taking(lambda call, parameter: parameter.name == name)


def with_estimate(call):
    """Return a call, and its estimate of memory if it has one."""
    return (call, call.memory) if getattr(call, "estimate", None) else (call,)


@named("threads")
@pytest.mark.parametrize("wrong", ["1", 1.5, 0, -1, True], ids=repr)
def test_threads(call, name, wrong):
    error = ValueError if wrong in (0, -1) else TypeError
    for one in with_estimate(call):
        with pytest.raises(error, match=r"^threads must be .*; got "):
            one(threads=wrong)


@named("kernels")
@pytest.mark.parametrize("wrong", ["fast", 3, object()], ids=["text", "number", "object"])
def test_kernels(call, name, wrong):
    if not isinstance(call, Fit):  # they are names there
        with pytest.raises(TypeError, match=r"^kernels must (be a module|have the names of refi)"):
            call(kernels=wrong)


@named("rng")
@pytest.mark.parametrize("wrong", [0, np.random.RandomState(0), "7"], ids=["0", "old", "7"])
def test_generators(call, name, wrong):
    with pytest.raises(TypeError, match=r"^rng must be a .*default_rng"):
        call(rng=wrong)


@taking(lambda call, its: isinstance(its.default, bool) or its.name == "by_class")
@pytest.mark.parametrize("wrong", ["False", 1, [], np.array([True, False])], ids=repr)
def test_flags(call, name, wrong):
    with pytest.raises(TypeError, match=f"^{name} must be True or False; got "):
        call(**{name: wrong})


@taking(lambda call, its: its.name in {*"XPNKQDL", "metric", "matrix"} & call.arguments().keys())
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf], ids=str)
def test_numbers_that_are_none(call, name, wrong):
    """By the name of the argument."""
    changed = np.array(call.arguments()[name])
    if changed.dtype.kind == "f" and changed.ndim == 2:
        changed[1, 2] = wrong
        with pytest.raises(ValueError, match=rf"{name}\b.*(NaN|infin|finite|{wrong})"):
            call(**{name: changed})


@each(lambda one: one.options)
def test_options(training):
    message = re.escape(f"options must be {training.options.__name__}(...); got {{'depth': 3}}")
    for call in with_estimate(training):
        with pytest.raises(TypeError, match=f"^{message}$"):
            call(options={"depth": 3})


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
