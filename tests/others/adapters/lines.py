"""Answer cases by JSON lines: what every adapter shares, and all that a program of your own needs.

A case is a line ``{"id": ..., "kernel": name, "arguments": {...}}`` (or ``"training"``); the answer
is a line ``{"id": ..., "result": {...}}``, ``{"id": ..., "skip": true}`` or ``{"id": ..., "error":
...}``. NumPy is all that it needs.

Not handled here: records such as trees, which no adapter takes.
"""

import json
import os
import sys

import numpy as np


def generated(recipe):
    """Return the array of a recipe: a linear congruential generator modulo 2**64."""
    x, values = recipe["seed"], []
    for _ in range(int(np.prod(recipe["shape"]))):
        x = (6364136223846793005 * x + 1442695040888963407) % 2**64
        values.append(recipe["low"] + (x >> 33) % (recipe["high"] - recipe["low"] + 1))
    array = np.array(values, dtype=recipe["dtype"]).reshape(recipe["shape"])
    return array * 2.0 ** recipe["exponent"] if array.dtype.kind == "f" else array


def decoded(value):
    """Return an argument: an array, a number, or what JSON has."""
    if isinstance(value, dict) and "generator" in value:
        return generated(value)
    if not isinstance(value, dict) or "dtype" not in value:
        return value
    elements = value["values"]
    if value["dtype"].startswith("float"):
        elements = [float.fromhex(element) for element in elements]
    elif value["dtype"] == "uint64":
        elements = [int(element, 16) for element in elements]
    array = np.array(elements, dtype=value["dtype"]).reshape(value["shape"])
    return array if array.shape else array.item()


def encoded(value):
    """Return a result as JSON has it: floats by their hexadecimal digits."""
    if isinstance(value, dict):
        return {name: encoded(part) for name, part in value.items()}
    if isinstance(value, list):
        return [encoded(part) for part in value]
    array = np.asarray(value)
    if array.dtype.kind == "f":
        elements = [float(element).hex() for element in array.ravel()]
        dtype = "float64"
    else:
        elements = [int(element) for element in array.ravel()]
        dtype = "int64"
    return {"dtype": dtype, "shape": list(array.shape), "values": elements}


def serve(answers):
    """Answer every line: ``answers[name](**arguments)`` returns the results by their names.

    What a library prints goes to the standard error: a line that is no answer ends the check.
    """
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        asked = json.loads(line)
        answer = answers.get(asked.get("kernel") or asked.get("training"))
        said = {"id": asked["id"]}
        if answer is None:
            said["skip"] = True
        else:
            given = {name: decoded(value) for name, value in asked["arguments"].items()}
            try:
                result = answer(**given)
                said |= {"skip": True} if result is None else {"result": encoded(result)}
            except Exception as error:
                said["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(said), file=stream, flush=True)


def without(places, squares, skip, k):
    """Return the k nearest of k + 1, without the point that each query must skip."""
    rows = []
    for i, (row, values) in enumerate(zip(places, squares, strict=True)):
        keep = np.ones(len(row), dtype=bool) if skip is None else row != skip[i]
        rows.append((row[keep][:k], values[keep][:k]))
    return {
        "indices": np.array([row for row, _ in rows], dtype=np.int64),
        "squares": np.array([values for _, values in rows], dtype=np.float64),
    }
