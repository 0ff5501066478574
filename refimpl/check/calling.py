"""Call somebody's function, by the names of the arguments or in their order.

Not handled here: what the function returns, or raises.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["SignatureError", "call"]


class SignatureError(TypeError):
    """The function does not take the arguments."""


def call(function: Callable[..., Any], name: str, arguments: Mapping[str, Any]) -> Any:
    """Return what the function returns for the arguments.

    They are given by name. A function that has other names gets them in their order.

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
        If the function takes neither.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # compiled functions may have none
        return function(**arguments)
    try:
        signature.bind(**arguments)
    except TypeError:
        try:
            signature.bind(*arguments.values())
        except TypeError:
            raise SignatureError(
                f"{name} must take {', '.join(arguments)}, by name or in this order; "
                f"got {name}{signature}"
            ) from None
        return function(*arguments.values())
    return function(**arguments)
