"""The public names of refimpl: what the `__all__` of its public modules lists.

Public are the rooms, the algorithms as printed, the rivals, and the modules below that users import
by their own name. Every other module is a room's workshop: its functions have a docstring, but its
arguments may change from one day to the next.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import refimpl

ROOMS = ("boosted_distance", "boostmap", "search_forest", "lmnn", "ftune")
PUBLIC = {
    "refimpl",
    *(f"refimpl.{room}" for room in ROOMS),
    *(f"refimpl.{room}.algorithm" for room in ROOMS),
    "refimpl.ball_trees",
    "refimpl.boosted_distance.weak_learners",
    "refimpl.boostmap.edges",
    "refimpl.estimators",
    "refimpl.ftune.goodness",
    "refimpl.ftune.linear_models",
    "refimpl.ftune.similarities",
    "refimpl.kernels",
    "refimpl.progress",
    "refimpl.spaces",
    "refimpl.typing",
}


def modules() -> list[ModuleType]:
    """Return all modules of refimpl, its rooms' workshops included."""
    names = ["refimpl"]
    for module in pkgutil.walk_packages(refimpl.__path__, "refimpl."):
        if not any(part.startswith("_") for part in module.name.split(".")):
            names.append(module.name)
    return [importlib.import_module(name) for name in sorted(names)]


def is_public(module: ModuleType) -> bool:
    return module.__name__ in PUBLIC or module.__name__.startswith("refimpl.rivals")


def public(module: ModuleType) -> dict[str, Any]:
    """Return the functions and classes that a module exports, by their names there."""
    exported = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    return {
        name: thing
        for name, thing in exported.items()
        if (inspect.isroutine(thing) or inspect.isclass(thing))
        and thing.__module__.startswith("refimpl")
    }


def everything() -> dict[str, Any]:
    """Return each public function and class once, by its shortest dotted name.

    So a function that a room exports goes by the room's name, not by its module's.
    """
    names: dict[int, tuple[str, Any]] = {}
    for module in filter(is_public, modules()):
        for name, thing in public(module).items():
            path = f"{module.__name__}.{name}"
            if id(thing) not in names or len(path) < len(names[id(thing)][0]):
                names[id(thing)] = (path, thing)
    return dict(sorted(names.values(), key=lambda pair: pair[0]))


def methods(cls: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public methods that a class of refimpl defines itself or in a base class here."""
    for base in cls.__mro__:
        if not base.__module__.startswith("refimpl"):
            continue
        for name, member in vars(base).items():
            function = getattr(member, "__func__", member)
            if not name.startswith("_") and inspect.isfunction(function):
                yield name, function


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return a function's parameters without self and cls."""
    listed = list(inspect.signature(function).parameters.values())
    return [parameter for parameter in listed if parameter.name not in ("self", "cls")]
