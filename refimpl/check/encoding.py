"""Values of the vectors as JSON, and back.

An array is ``{"dtype": ..., "shape": [...], "values": [...]}``, its elements in C order. Floats are
hexadecimal strings as C writes them (``0x1.8p+1``, ``inf``, ``-inf``, ``nan``), 64-bit words are
hexadecimal strings without a point, other integers are numbers, booleans 0 and 1. A float alone is
an array of shape []. A large argument is given by the recipe of a generator, ``{"generator": "lcg",
...}`` (:func:`refimpl.check.drawing.generated`).

A record, such as a tree, is ``{"record": name, "fields": {...}}``.
"""

import dataclasses
import importlib
import math
import re
from typing import Any

import numpy as np

from refimpl.check.drawing import generated

DTYPES = ("bool", "float32", "float64", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
RECORDS = {
    "BallTree": "refimpl.kernels",
    "KMeansTrees": "refimpl.rivals.kmeans_trees",
    "SearchForest": "refimpl.kernels",
    "SortedFeatures": "refimpl.kernels",
}
"""Where a record is imported from when one comes: until then NumPy is all that is needed."""


def encode(value: Any) -> Any:
    """Return a value as JSON has it."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"record": type(value).__name__, "fields": fields}
    if isinstance(value, tuple | list):
        return [encode(part) for part in value]
    if isinstance(value, dict):
        return {name: encode(part) for name, part in value.items()}
    array = np.asarray(value)
    form = {"dtype": str(array.dtype), "shape": list(array.shape)}
    return {**form, "values": [_element(element) for element in array.ravel()]}


def _element(element: Any) -> Any:
    if isinstance(element, np.floating):
        return re.sub(r"\.?0*p", "p", float(element).hex())  # 0x1.8p+1
    if isinstance(element, np.uint64):
        return f"0x{int(element):x}"
    return int(element)


def decode(value: Any) -> Any:
    """Return a value from JSON."""
    if not isinstance(value, dict):
        return value
    if "generator" in value:
        return generated(value)
    if "record" in value:
        cls = getattr(importlib.import_module(RECORDS[value["record"]]), value["record"])
        return cls(**decode(value["fields"]))
    if "dtype" not in value:
        return {name: decode(part) for name, part in value.items()}
    return _array(value)


def _array(value: dict[str, Any]) -> Any:
    """Return an array; ValueError says what is wrong with its form, its length or an element."""
    if not {"shape", "values"} <= value.keys():
        raise ValueError(f"an array must have dtype, shape and values; got {', '.join(value)}")
    if value["dtype"] not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPES)}; got {value['dtype']!r}")
    dtype, shape, elements = np.dtype(value["dtype"]), value["shape"], value["values"]
    if len(elements) != math.prod(shape):
        raise ValueError(
            f"an array of shape {shape} must have {math.prod(shape)} values; got {len(elements)}"
        )
    array = np.array([_number(element, dtype) for element in elements], dtype=dtype).reshape(shape)
    return float(array) if array.shape == () and dtype == np.float64 else array


def _number(element: Any, dtype: np.dtype[Any]) -> Any:
    """Return an element: text for floats and 64-bit words, whole numbers for the others."""
    try:
        if dtype.kind == "f":
            return float.fromhex(element)
        if dtype == np.uint64:
            return int(element, 16)
        if element == int(element):
            return element
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"it holds what is no {dtype}: {element!r}")


# ------------------------------------------------------------------------------- somebody's answers


def read(value: Any) -> Any:
    """Return a value of somebody's JSON: as in the vectors, or plain numbers, texts and lists."""
    if isinstance(value, dict):
        return decode(value)
    if isinstance(value, list):
        array = np.array(_plain_numbers(value))
        # JavaScript writes 1e20 without a point
        return array.astype(np.float64) if array.dtype == object else array
    try:
        return None if value is None else _plain_number(value)
    except ValueError:
        return value  # a text


def _plain_numbers(parts: list[Any]) -> list[Any]:
    return [_plain_numbers(one) if isinstance(one, list) else _plain_number(one) for one in parts]


def _plain_number(part: Any) -> Any:
    """Return a number: a text is one in decimals, or a hexadecimal one from 0x."""
    if isinstance(part, str):
        return float.fromhex(part) if "0x" in part.lower() else float(part)
    if not isinstance(part, int | float):
        raise ValueError(f"must be a number; got {part!r}")
    float(part)  # refuses 10**400
    return part
