"""Lines of Python that show a finding, and what they print in the library's environment.

Not handled here: which case is shown.
"""

import subprocess

import numpy as np

__all__ = ["MOST_LINES", "lines_of", "literal", "shown"]

MOST_LINES = 5
SECONDS = 300


def literal(value):
    """Return a value as Python reads it; an array as nested lists."""
    if isinstance(value, np.ndarray):
        whole = value.dtype.kind == "f" and bool((value == np.rint(value)).all())
        return repr(value.astype(np.int64).tolist() if whole else value.tolist())
    return repr(value)


def lines_of(item, case):
    """Return the lines of an item with the arguments of a case in the place of their names."""
    text = item.lines
    for name, value in case.arguments.items():
        if "{" + name + "}" in text:
            text = text.replace("{" + name + "}", literal(value))
    return text


def shown(item, case, python):
    """Return the lines and their output; None where the item has none."""
    if not item.lines:
        return None
    text = lines_of(item, case)
    done = subprocess.run(
        [str(python), "-W", "ignore", "-c", text], capture_output=True, text=True, timeout=SECONDS
    )
    if done.returncode:
        raise RuntimeError(f"{item.call}: {done.stderr}")
    return {"lines": text, "prints": done.stdout.rstrip()}
