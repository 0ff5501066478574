"""The rows of the papers' own figures at the small scale, as numbers."""

import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import paper_figures
from paper_figures.registry import load_papers

REPRODUCED = Path(paper_figures.__file__).parent / "reproduced"
NUMBERS = ("published", "ours", "error")
WORDS = {"n", "why", "tolerance"}
TIMED = re.compile(r'times as fast|"seconds|"search": ')  # in the keys of rows that are times
CLOSE = 1e-6  # of the number itself


def normal(row):
    """A row as [keys, numbers]: what a figure shows, in a form that no rewriting changes."""
    keys = {key: row[key] for key in sorted(row) if key not in WORDS and key not in NUMBERS}
    error = row["error"]
    std = None if error is None else error * row["n"] ** 0.5
    return [keys, [six(row["published"]), six(row["ours"]), six(std)]]


def six(value):
    """Return a number to six digits."""
    return value if value is None else float(f"{value:.6g}")


def rows(folder=None):
    """The rows of each of the papers' own figures, computed anew or read from a folder."""
    own = [
        f"{paper.name}.{figure.name}"
        for paper in load_papers()
        for figure in paper.figures
        if figure.printed
    ]
    with tempfile.TemporaryDirectory() as scratch:
        if folder is None:
            folder = Path(scratch)
            command = [sys.executable, "-m", "paper_figures", *own, "--out", scratch]
            blas = {"OPENBLAS_CORETYPE": "Haswell"}  # a kernel that every processor here has
            subprocess.run(command, check=True, env=os.environ | blas)
        return {name: _read(folder, name) for name in own}


def _read(folder, name):
    record = json.loads((folder / (name.replace(".", "/") + ".json")).read_text(encoding="utf-8"))
    found = [normal(row) for row in record["rows"]]
    return [[keys, [] if TIMED.search(json.dumps(keys)) else numbers] for keys, numbers in found]


def same_rows(was, now):
    """Return a line for each row of a figure that moved."""
    if len(was) != len(now):
        return [f"{len(was)} rows were there, {len(now)} are"]
    return [
        f"row {i}: was {_text(one)}; is {_text(other)}"
        for i, (one, other) in enumerate(zip(was, now, strict=True))
        if one[0] != other[0] or not all(map(_close, one[1], other[1]))
    ]


def _text(row):
    return json.dumps(row[1]) + " " + json.dumps(row[0], ensure_ascii=False)[:120]


def _close(one, other):
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=CLOSE, abs_tol=1e-12)
