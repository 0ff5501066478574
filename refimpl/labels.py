"""Labels of classes: their types, and arrays that hold them unchanged.

Not handled here: the checks of an argument that holds labels (:mod:`refimpl.checks`).
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["label_array", "require_one_type"]


def require_one_type(labels: Iterable[Any], name: str, what: str = "label") -> None:
    """Refuse labels of several types, such as 1, 1.0, True and "1", which an array would mix up.

    Parameters
    ----------
    labels : iterable
        Python or NumPy scalars; 1 and numpy.int64(1) are of one type.
    name : str
        How the messages call the argument.
    what : str, default "label"
        How the messages call a single label.

    Raises
    ------
    TypeError
        If the labels are not all of one type, or a label is None.

    Examples
    --------
    >>> from refimpl.labels import require_one_type
    >>> require_one_type([1, "1"], "y")
    Traceback (most recent call last):
        ...
    TypeError: y must hold labels of one type; got 1 (int) and '1' (str)
    """
    first: dict[type, Any] = {}
    for label in labels:
        first.setdefault(_kind(label), label)
    if type(None) in first:
        raise TypeError(f"{name} must hold {what}s other than None; got None")
    if len(first) > 1:
        a, b, *_ = first.values()
        raise TypeError(
            f"{name} must hold {what}s of one type; "
            f"got {a!r} ({type(a).__name__}) and {b!r} ({type(b).__name__})"
        )


def label_array(labels: list[Any]) -> NDArray[Any]:
    """Return a dict's labels as an array from which the same labels can be read back.

    Parameters
    ----------
    labels : list
        Integers, strings, booleans or floats, all of one type.

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError
        If the labels have another type or several types.
    ValueError
        If the array would change a label, as it drops the null characters that end a string.

    Examples
    --------
    >>> from refimpl.labels import label_array
    >>> label_array(["b", "a"]).tolist()
    ['b', 'a']
    """
    require_one_type(labels, "value", "label")
    array = np.array(labels) if np.isscalar(labels[0]) else np.empty(0, dtype=object)
    if array.dtype.kind not in "biufUS":
        raise TypeError(
            "value must have labels that are integers, strings, booleans or floats; "
            f"got {labels[0]!r}"
        )
    for label, back in zip(labels, array.tolist(), strict=True):
        if label != back or isinstance(back, float) != isinstance(label, float | np.floating):
            raise ValueError(f"value must have labels that an array holds unchanged; got {label!r}")
    return array


def _kind(label: Any) -> type:
    """Return the Python type of a Python or NumPy scalar."""
    types: tuple[tuple[type, ...], ...]
    types = ((bool, np.bool_), (int, np.integer), (float, np.floating), (str,), (bytes,))
    return next((kinds[0] for kinds in types if isinstance(label, kinds)), type(label))
