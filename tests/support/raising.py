"""Which public functions and classes raise an error: by their own lines, or by helpers they call.

Calls are followed by name, within this project's Python. Not seen: errors of compiled kernels, of
other libraries, and of methods of other objects.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import Any

PROJECT = ("refimpl", "paper_figures")
DEPTH = 4
"""How many calls deep a helper may stand."""
AT_FIRST = ("__init__", "__post_init__", "__new__")
HARMLESS = ("as_kernels",)
"""Helpers whose only error names a module that has no kernels: an algorithm as printed takes its
kernels as they are."""


@cache
def tree(function: Callable[..., Any]) -> ast.AST | None:
    """Return a function's syntax tree, or None if it was not written in a file."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None


def helpers(function: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Yield the functions of the project that a function calls by a name, or as module.name."""
    names = getattr(function, "__globals__", {})
    for node in ast.walk(tree(function) or ast.Module([], [])):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        helper = None
        if isinstance(called, ast.Name):
            helper = names.get(called.id)
        elif isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            module = names.get(called.value.id)
            helper = getattr(module, called.attr, None) if isinstance(module, ModuleType) else None
        if inspect.isfunction(helper) and helper.__module__.partition(".")[0] in PROJECT:
            yield helper


@cache
def of_function(function: Callable[..., Any], depth: int = DEPTH) -> str:
    """Return by which calls a function comes to a ``raise``; the empty string if it does not."""
    function = inspect.unwrap(function)
    if function.__name__ in HARMLESS:
        return ""
    if any(
        isinstance(node, ast.Raise) and node.exc
        for node in ast.walk(tree(function) or ast.Module([], []))
    ):
        return function.__qualname__
    if depth:
        for helper in helpers(function):
            if path := of_function(helper, depth - 1):
                return f"{function.__qualname__} > {path}"
    return ""


def members(cls: type) -> Iterator[Callable[..., Any]]:
    """Yield the functions by which users come into a class: its making and its public members."""
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] not in PROJECT:
            continue
        for name, member in vars(base).items():
            if name.startswith("_") and name not in AT_FIRST:
                continue
            function = getattr(member, "__func__", getattr(member, "fget", member))
            if (
                inspect.isfunction(function)
                and inspect.unwrap(function).__module__ == base.__module__
            ):
                yield function


def cause(thing: Any) -> str:
    """Return how a public function or class comes to a ``raise``; the empty string if it does not.

    A method whose own docstring has a section Raises is left out.
    """
    if not inspect.isclass(thing):
        return of_function(thing)
    listed = (
        of_function(f) for f in members(thing) if "\nRaises\n---" not in (inspect.getdoc(f) or "")
    )
    return next(filter(None, listed), "")
