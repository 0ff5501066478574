"""Answer cases by JSON lines: what every adapter shares.

A case is a line ``{"id": ..., "kernel": name, "arguments": {...}}`` (or ``"training"``); the answer
is a line ``{"id": ..., "result": {...}}``, ``{"id": ..., "skip": true}`` or ``{"id": ..., "error":
...}``. The library's environment has no refimpl: its encoding is that of this checkout, and needs
NumPy alone.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[3]))

from refimpl.check.encoding import decode, encode


def serve(variants):
    """Answer every line by the variant that the command line names.

    ``variants[variant][name](**arguments)`` returns the results by their names. What a library
    prints goes to the standard error: a line that is no answer ends the check.
    """
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    answers = variants[sys.argv[1]]
    for line in sys.stdin:
        asked = json.loads(line)
        answer = answers.get(asked.get("kernel") or asked.get("training"))
        said = {"id": asked["id"]}
        if answer is None:
            said["skip"] = True
        else:
            given = {name: decode(value) for name, value in asked["arguments"].items()}
            try:
                result = answer(**given)
                said |= {"skip": True} if result is None else {"result": encode(result)}
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
