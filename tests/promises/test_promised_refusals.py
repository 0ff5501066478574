"""All public functions, trainings and estimates of memory refuse wrong arguments in the same words.

What one of them refuses beside these is tested in its room.
"""

import dataclasses
import inspect
import re

import numpy as np
import pytest
from calls import CALLS, EDGES, FOREST, MODEL, Call, Fit, X, y
from trainings import TRAININGS, each

from refimpl.boosted_distance import adaboost_rounds, selected_dimensions
from refimpl.boostmap import BoostMapOptions
from refimpl.boostmap.edges import canny, chamfer, chamfer_nearest
from refimpl.ftune import FTuneOptions
from refimpl.ftune import goodness as good
from refimpl.ftune.linear_models import train
from refimpl.ftune.similarities import Gaussian, Similarity, mean_distance
from refimpl.lmnn import LMNNOptions
from refimpl.rivals.fastmap import fastmap
from refimpl.rivals.lipschitz import random_singletons
from refimpl.rivals.metricmap import metricmap
from refimpl.rivals.sparsemap import sparsemap
from refimpl.search_forest import ForestOptions, InvertedIndex
from refimpl.spaces import CallableSpace

FUNCTIONS = {name: one for name, one in CALLS.items() if not name.startswith("printed ")}
SHARES = {"epsilon_1": 0.1, "delta": 0.1}
OTHERS = (
    *map(Call, (BoostMapOptions, ForestOptions, FTuneOptions, LMNNOptions, Similarity)),
    Call(CallableSpace, distance=np.subtract, objects=X),
    Call(InvertedIndex, forest=FOREST),
    Call(adaboost_rounds),
    Call(selected_dimensions, model=MODEL),
    Call(canny, images=EDGES),
    Call(chamfer, A=EDGES),
    Call(chamfer_nearest, Q=EDGES, X=EDGES, k=1),
    *(Call(embed, d=2) for embed in (fastmap, metricmap, random_singletons)),
    Call(sparsemap, sigma=2),
    Call(Gaussian, width=1.0),
    Call(mean_distance),
    Call(train, y=1 - 2 * y, C=1.0),
    Call(good.goodness, f=np.sign, gamma=0.1, sample=6),
    Call(good.goodness_of_loss, f=np.sign, loss="hinge", sample=6),
    Call(good.hinge_at_margin, gamma=0.1),
    Call(good.pairs_for_margin, gamma=0.1, **SHARES),
    Call(good.pairs_for_loss, **SHARES),
    Call(good.pairs_for_family, covering=6, **SHARES),
)
ALL = FUNCTIONS | {f"{one.function.__name__} itself": one for one in OTHERS}
ALL |= {f"training {name}": one for name, one in TRAININGS.items()}
ESTIMATES = {
    f"estimate of {name}": dataclasses.replace(one, function=one.estimate)
    for name, one in TRAININGS.items()
    if one.estimate
}


def taking(wanted, calls=ALL):
    """Return the mark that runs a test on all calls, and on each parameter that is wanted of it."""
    chosen = {
        f"{name}, {parameter.name}": (one, parameter.name)
        for name, one in calls.items()
        for parameter in inspect.signature(one.function).parameters.values()
        if wanted(one, parameter)
    }
    return pytest.mark.parametrize(("call", "name"), chosen.values(), ids=chosen)


def named(name):
    return taking(lambda call, parameter: parameter.name == name)


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


@taking(
    lambda call, its: its.name in ("model", "forest", "space", "distances", "triples"),
    ALL | ESTIMATES,
)
def test_objects(call, name):
    if name in call.arguments() and not isinstance(call.arguments()[name], np.ndarray):
        for wrong in (3, {}):
            kind = type(wrong).__name__
            with pytest.raises(TypeError, match=rf"^{name} must .*; got (an? )?{kind}\b"):
                call(**{name: wrong})


def annotated(text):
    """Return the mark for the parameters with an annotation, alone or beside None."""

    def wanted(call, parameter):
        said = inspect.formatannotation(parameter.annotation).strip("'").removesuffix(" | None")
        said = "str" if "Literal[" in said and "Mapping" not in said else said
        unchecked = call.function.__name__ == "estimate_memory" and parameter.name == "max_memory"
        return said == text and parameter.name not in ("kernels", "smallest") and not unchecked

    return taking(wanted, ALL | ESTIMATES)


def require_refusal(call, name, values):
    for wrong in values:
        with pytest.raises((TypeError, ValueError), match=rf"(?s)^{name} must .*; got "):
            call(**{name: wrong})
            pytest.fail(f"{wrong!r} is taken")


LEAST = dict.fromkeys(("max_leaves", "branching", "most", "n_training_points"), 2)
LEAST |= dict.fromkeys(("n_pairs", "query_sensitive", "refine", "stump_above", "iterations"), 0)
"""The least integers that are taken, other than 1."""

FROM_0 = {"alpha", "augment", "bias", "gamma", "high", "least_gain", "low", "min_eigenvalue"}
FROM_0 |= {"rcond", "ridge", "rtol", "sigma", "tol", "validation"}
BEYOND = {"lam": (1.0, 5e-324), "mu": (1e200, 1e-101), "validation": (1.0,), "bias": (1e200,)}
BEYOND |= {"B": (1e200,), "augment": (1e200,), "width": (1e-200,)}
BEYOND |= dict.fromkeys(("rcond", "rtol", "least_gain", "delta"), (1.0,))
"""Numbers above 0 that are too large or too small."""


@annotated("int")
def test_integers(call, name):
    require_refusal(call, name, (LEAST.get(name, 1) - 1, 1.5, np.nan, "1", True, [1]))


@annotated("float")
def test_numbers(call, name):
    zero = () if name in FROM_0 else (0.0,)
    require_refusal(call, name, (-1.0, np.nan, np.inf, "1", [1.0], *zero, *BEYOND.get(name, ())))


@annotated("str")
def test_choices(call, name):
    require_refusal(call, name, ("neither", 3, ["neither"]))


@taking(lambda call, its: its.name in {*"XPNKQDL", "metric", "matrix"} & call.arguments().keys())
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf], ids=str)
def test_numbers_that_are_none(call, name, wrong):
    """By the name of the argument."""
    changed = np.array(call.arguments()[name])
    if changed.dtype.kind == "f" and changed.ndim == 2:
        changed[1, 2] = wrong
        with pytest.raises(ValueError, match=rf"{name}\b.*(NaN|infin|finite|{wrong})"):
            call(**{name: changed})


@taking(lambda call, its: its.name == "options" and hasattr(call, "options"), ALL | ESTIMATES)
def test_options(call, name):
    message = re.escape(f"options must be {call.options.__name__}(...); got {{'depth': 3}}")
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
