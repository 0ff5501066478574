"""A paper for the tests of paper_figures: small random cells, a failure, a set that is not
available.

Run as a script, it is `python -m paper_figures` with this paper in place of the real ones.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

from paper_figures.cli import main
from paper_figures.rows import absent, number
from paper_figures.study import SCALES, Gathered, Paper, Study, View, grid

N_CELLS = 14
SECONDS = float(os.environ.get("FAKE_SECONDS", "0.15"))  # a cell takes so long


def noisy_mean(job, *, run):
    time.sleep(SECONDS)
    draws = job.rng_for("draws", run).normal(loc=5.0, size=50)
    shared = job.rng_for("split", "a").integers(1000)
    yield {"mean": draws.mean(), "draws": draws[:3], "shared": shared}


def fail(job, *, run):
    raise ArithmeticError("this cell always fails")


def count_labels(job, *, data_set):
    yield {"n_labels": len(job.load(data_set).y)}


def gather_means(seen):
    values = [item["mean"] for item in seen.items]
    keys = [{"quantity": "mean"}, {"quantity": "far"}]
    rows = [number(key, values, to) for key, to in zip(keys, (5.0, 9.25), strict=True)]
    rows += [number({"quantity": f"draw {i}"}, [v]) for i, v in enumerate(values)]
    return Gathered(rows, ["made up <for> the tests"])


def gather_labels(seen):
    rows = [absent({"set": item["data_set"]}, item["why"], 2462) for item in seen.missing]
    rows += [number({"set": item["data_set"]}, [item["n_labels"]]) for item in seen.items]
    return Gathered(rows)


def plot_means(record, figure):
    axes = figure.subplots()
    axes.plot([row["ours"] for row in record["rows"]], marker="o")


def both(**axes):
    """The same cells at both scales."""
    return {scale: grid(**axes) for scale in SCALES}


def downloads(*sets):
    """A paper of one study that reads these sets."""
    view = View("table4", "Downloads", gather_labels)
    return Paper("fake", "T", "S", (Study("sets", count_labels, both(data_set=sets), (view,)),))


def paper_of(name, title, source, *views):
    """A paper of one study with these views."""
    study = Study("made_up", noisy_mean, both(run=range(2)), views)
    return Paper(name, title, source, (study,))


FIGURE1 = View("figure1", "Means, drawn", gather_means, plot_means, alt="Means of random numbers.")
MEANS = (FIGURE1, View("table1", "Means", gather_means))
FAILING = View("table2", "Always failing", gather_means)
LICENSED = View("table3", "Licensed", gather_labels)
PAPER = Paper(
    "fake",
    "A paper & its <tests>",
    "Nowhere (2000)",
    (
        Study("means", noisy_mean, both(run=range(N_CELLS)), MEANS),
        Study("failing", fail, both(run=[0]), (FAILING,)),
        Study("licensed", count_labels, both(data_set=["gender"]), (LICENSED,)),
    ),
)

MAKE = ("--kernels", "reference", "--jobs", "1")


def run(out, *arguments):
    """Run the command with the made-up paper; return its exit code."""
    return main([*MAKE, *arguments, "--out", str(out)], papers=[PAPER])


def record(out, figure):
    """Return a stored record."""
    return json.loads((Path(out) / "fake" / f"{figure}.json").read_text(encoding="utf-8"))


def record_of(paper, figure, rows, **changes):
    """Return a record as a run would store it."""
    record = {
        "paper": paper,
        "figure": figure,
        "title": "T",
        "study": "s",
        "version": 1,
        "scale": "paper",
        "kernels": "fast",
        "seed": 7,
        "cells": 4,
        "seconds": 12.5,
        "cpu_seconds": 11.0,
        "machines": ["a machine"],
        "versions": {"numpy": "2.1", "python": "3.12"},
        "data": [{"name": "d", "sha256": "0" * 64}],
        "rows": rows,
        "notes": [],
        "key": "k",
    }
    return record | changes


def parts(out):
    """Return the stored cells, with the times at which they were written."""
    found = (Path(out) / "fake" / ".parts").rglob("*.json")
    return {path: path.stat().st_mtime_ns for path in found}


if __name__ == "__main__":
    # a suite in the background of a shell ignores Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)
    import fake_paper

    sys.exit(main(papers=[fake_paper.PAPER]))
