"""Lines of Python that show a finding, and what they print in the library's environment.

Not handled here: which case is shown.
"""

import subprocess

import numpy as np

from refimpl.check.judging import differences

MOST_LINES = 5
SECONDS = 1800


def literal(value):
    """Return a value as Python reads it; an array as nested lists."""
    if isinstance(value, np.ndarray):
        whole = value.dtype.kind == "f" and bool((value == np.rint(value)).all())
        return repr(value.astype(np.int64).tolist() if whole else value.tolist())
    return repr(value)


def lines_of(text, case):
    """Return lines with the arguments of a case in the place of their names."""
    given = case.arguments
    if "A" in given:
        given = {**given, "X": differences(given["A"], given["B"])}
    for name, value in given.items():
        text = text.replace("{" + name + "}", literal(value))
    return text


def shown(lines, case, python, seconds=SECONDS):
    """Return the lines of a finding and what they print, or how they end.

    A library may crash: that is the finding, not the end of the report.
    """
    text = lines_of(lines, case)
    command = [str(python), "-W", "ignore", "-c", text]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return {"lines": text, "prints": f"no end within {seconds:g} s"}
    said = [done.stdout.rstrip()]
    if done.returncode:
        said += [done.stderr.rstrip().rpartition("\n")[2], _end(done.returncode)]
    return {"lines": text, "prints": "\n".join(filter(None, said))}


def _end(code):
    return f"exit code {code}" if code > 0 else f"signal {-code}"
