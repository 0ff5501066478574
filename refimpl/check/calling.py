"""Call somebody's function, by the names of the arguments or in their order.

Not handled here: what the function returns, or raises.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["SignatureError", "call", "in_order"]


class SignatureError(TypeError):
    """The function does not take the arguments."""


def call(function: Callable[..., Any], name: str, arguments: Mapping[str, Any]) -> Any:
    """Return what the function returns for the arguments.

    They are given by name. A function that has none of the names gets them in their order.

    Parameters
    ----------
    function : callable
    name : str
        What the check calls it.
    arguments : mapping
        In the order of the reference's parameters.

    Raises
    ------
    SignatureError
        If the function takes neither, or has some of the names at other places.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # compiled functions may have none
        return function(**arguments)
    try:
        signature.bind(**arguments)
    except TypeError:
        if not in_order(function, list(arguments)):
            raise SignatureError(
                f"{name} must take {', '.join(arguments)}, by name or in this order; "
                f"got {name}{signature}"
            ) from None
        return function(*arguments.values())
    return function(**arguments)


def in_order(function: Callable[..., Any], names: Sequence[str]) -> bool:
    """Whether a function gets arguments of these names in their order: it has other names."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    try:
        signature.bind(**dict.fromkeys(names))
    except TypeError:
        pass
    else:
        return False
    try:
        signature.bind(*names)
    except TypeError:
        return False
    own = list(signature.parameters)
    return all(own.index(name) == place for place, name in enumerate(names) if name in own)
