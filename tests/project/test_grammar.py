"""The public functions of all five papers follow one grammar (refimpl/GRAMMAR.md).

A trained model comes first, then queries Q, points X and labels y, then numbers. Left out are the
algorithms as printed, which keep the papers' own symbols. The kernels have an order of their own,
`refimpl.kernels.contract`.
"""

import importlib
import inspect
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from public_names import ROOMS, everything, methods, parameters

from refimpl import estimators

ROOT = Path(__file__).resolve().parents[2]
MOST_PARAMETERS = 12
OLD_NAMES = {"labels", "queries", "Y", "models", "ensemble", "checkpoint", "neighbours"}
LAST = ["kernels", "threads", "callback", "start", "max_memory"]
LEFT_OUT = (".algorithm.", "refimpl.typing.")
NAMES = {
    name: thing
    for name, thing in everything().items()
    if not any(part in name for part in LEFT_OUT)
}


def functions():
    """Return public functions, methods and constructors by name; no estimators, no data classes."""
    named = {}
    for name, thing in NAMES.items():
        if not inspect.isclass(thing):
            named[name] = thing
            continue
        data = hasattr(thing, "__dataclass_fields__") or issubclass(thing, tuple | BaseException)
        if not data and not name.startswith("refimpl.estimators"):
            named[name] = thing
        named |= {f"{name}.{method}": function for method, function in methods(thing)}
    return named


FUNCTIONS = functions()
ORDERED = {name: f for name, f in FUNCTIONS.items() if not name.startswith("refimpl.kernels")}


def test_at_most_twelve_parameters():
    """Put what belongs together into options=."""
    assert [name for name, f in FUNCTIONS.items() if len(parameters(f)) > MOST_PARAMETERS] == []


def test_no_old_names():
    found = {name: {p.name for p in parameters(f)} & OLD_NAMES for name, f in FUNCTIONS.items()}
    assert {name: old for name, old in found.items() if old} == {}


def description(function, name):
    """Return what a docstring says below a parameter's name."""
    lines = inspect.cleandoc(function.__doc__ or "").splitlines()
    starts = [i for i, line in enumerate(lines) if re.match(rf"{name}\b[^:]* : ", line)]
    if not starts:
        return ""
    following = itertools.takewhile(lambda line: line.startswith(" "), lines[starts[0] + 1 :])
    return " ".join(following)


def rng_faults(name, function):
    """Yield what is wrong with a parameter rng."""
    rng = {parameter.name: parameter for parameter in parameters(function)}.get("rng")
    if rng is None:
        return
    if rng.kind is not rng.KEYWORD_ONLY:
        yield f"{name}: rng must be keyword-only"
    if rng.default is rng.empty or name.endswith("estimate_memory"):
        return
    if not re.search("need|requir", description(function, "rng"), re.IGNORECASE):
        yield f"{name}: rng has a default, and its description does not say when it is needed"


def last_faults(name, function):
    """Yield what is wrong with kernels, threads, callback, start and max_memory."""
    listed = parameters(function)
    names = [parameter.name for parameter in listed]
    present = [last for last in LAST if last in names]
    positional = [p.name for p in listed if p.name in present and p.kind is not p.KEYWORD_ONLY]
    if positional:
        yield f"{name}: {', '.join(positional)} must be keyword-only"
    named = [p.name for p in listed if p.kind is not p.VAR_KEYWORD]
    if present and named[-len(present) :] != present:
        yield f"{name}: {', '.join(present)} must be the last parameters; got {', '.join(named)}"


def order_faults(name, function):
    """Yield whether Q, X and y stand in another order."""
    listed = [p.name for p in parameters(function) if p.kind is not p.KEYWORD_ONLY]
    present = [name for name in listed if name in ("Q", "X", "y")]
    if present != sorted(present, key="QXy".index):
        yield f"{name}: Q, X, y must stand in this order; got {', '.join(listed)}"


@pytest.mark.parametrize("rule", [rng_faults, last_faults, order_faults])
def test_rng_the_last_parameters_and_queries_points_labels(rule):
    assert [fault for name, f in ORDERED.items() for fault in rule(name, f)] == []


@pytest.mark.parametrize("room", ROOMS)
def test_estimate_memory_takes_what_the_training_takes(room):
    module = importlib.import_module(f"refimpl.{room}")
    estimate = parameters(module.estimate_memory)
    training = parameters(getattr(module, room))
    assert [(p.name, p.kind) for p in estimate] == [(p.name, p.kind) for p in training]
    for mine, theirs in zip(estimate, training, strict=True):
        assert mine.default == (None if mine.name == "rng" else theirs.default), mine.name


@pytest.mark.parametrize("name", estimators.__all__)
def test_estimators_use_scikit_learns_names(name):
    names = [parameter.name for parameter in parameters(getattr(estimators, name))]
    symbols = [p for p in names if re.fullmatch(r"[A-Z](_\w+)?|[a-z]", p) and p != "C"]
    assert not symbols, "paper symbols; scikit-learn's parameters are words"
    assert not {"threads", "rng", "T", "seed"} & set(names)
    assert "n_jobs" in names


@pytest.mark.parametrize("name", estimators.__all__)
def test_estimators_have_the_same_last_parameters(name):
    last = ["random_state", "kernels", "n_jobs", "callback", "start", "warm_start", "max_memory"]
    names = [parameter.name for parameter in parameters(getattr(estimators, name))]
    present = [parameter for parameter in last if parameter in names]
    assert names[-len(present) :] == present
    if name != "LandmarkTransformer":  # it does not train
        assert {"callback", "max_memory"} <= set(names)


def table():
    """Yield (function's path, arguments) of the table of the public surface."""
    text = (ROOT / "refimpl" / "GRAMMAR.md").read_text(encoding="utf-8")
    part = re.search(r"^## The public surface$(.*?)(?=^## |\Z)", text, re.M | re.S)
    assert part, "GRAMMAR.md has no heading '## The public surface'"
    for line in part[1].splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("| ").split("|")]
        if len(cells) == 5 and "." in cells[1]:
            yield cells[1], cells[2]


def written(function):
    """Return a signature as the table writes it: names, and * where keyword-only begins."""
    names = []
    for parameter in parameters(function):
        star = parameter.kind is parameter.KEYWORD_ONLY and "*" not in names
        if star and not any(name.startswith("*") for name in names):
            names.append("*")
        prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        names.append(prefix.get(parameter.kind, "") + parameter.name)
    return ", ".join(names)


def test_the_table_of_the_public_surface():
    lines = []
    paths = set()
    for path, arguments in table():
        room, _, name = path.removeprefix("refimpl.").rpartition(".")
        function = getattr(importlib.import_module(f"refimpl.{room}"), name, None)
        paths.add(f"{room}.{name}")
        if function is None:
            lines.append(f"{path}: not there")
        elif written(function) != arguments:
            lines.append(f"{path}: {written(function)} (the table has {arguments})")
    trainings = {f"{room}.{room}" for room in ROOMS}
    lines += [f"{path}: not in the table" for path in sorted(trainings - paths)]
    assert lines == []


# ------------------------------------------------------------ the rules themselves, on small cases


def good(model, Q, X, y, k, *, rng, kernels=None, threads=None, start=None):
    pass


def bad(X, Q, y, rng=None, *, threads=None, kernels=None, most=3):
    """Do something.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws numbers.
    most : int
    """


def draws(X, *, rng=None):
    """Draw.

    Parameters
    ----------
    rng : numpy.random.Generator, optional
        Needed if X is large.

    """


def test_the_rules():
    for rule in (rng_faults, last_faults, order_faults):
        assert not list(rule("good", good))
        assert list(rule("bad", bad))
    assert len(list(rng_faults("bad", bad))) == 2
    assert not list(rng_faults("draws", draws))
    assert written(good) == "model, Q, X, y, k, *, rng, kernels, threads, start"
    assert written(np.broadcast_arrays) == "*args, subok"
