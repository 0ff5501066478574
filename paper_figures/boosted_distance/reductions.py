"""Amores, Sebe & Radeva (2006), § 4.2: reductions with four fifths of the data, in other readings.

The paper says that then NN after PCA, LDA and NDA is as good as NN without a reduction.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from paper_figures.boosted_distance.protocol import HIGH, OPTIONS, absent, row_of, sets_of
from paper_figures.boosted_distance.reduced import reductions
from paper_figures.registry import Context, Gathered, Result, Task
from paper_figures.store import Row

SHARE = 0.8
REPETITIONS = {"small": 2, "paper": 10}
DIMENSIONS = {"small": (1, 5), "paper": (1, 2, 5, 10, 20, 50)}
_AFTER: dict[str, tuple[int, ...]] = {"small": (20,), "paper": (20, 50, 100)}
_NEIGHBOURS = ((1, 2.0), (3, 0.0), (3, 2.0), (10, 2.0))
ACCURACY, LESS_NONE = "accuracy (%)", "less the accuracy without reduction, paired"


def readings(scale: str) -> list[dict[str, Any]]:
    """Return the readings of a scale."""
    listed: list[dict[str, Any]] = [
        {"method": "PCA", "first": None},
        {"method": "LDA", "first": None},
        {"method": "LDA", "first": None, "solver": "eigen", "shrinkage": "auto"},
    ]
    for first in _AFTER[scale]:
        listed.append({"method": "LDA", "first": first})
        listed += [
            {"method": "NDA", "first": first, "k": k, "alpha": alpha} for k, alpha in _NEIGHBOURS
        ]
    return listed


def named(reading: dict[str, Any]) -> str:
    """Return a reading in words."""
    words = [reading["method"]]
    if "shrinkage" in reading:
        words.append("shrunken covariance")
    if "k" in reading:
        words.append(f"k = {reading['k']}, alpha = {reading['alpha']:g}")
    if reading["first"] is not None:
        words.append(f"after PCA to {reading['first']}")
    return ", ".join(words)


def tasks(context: Context) -> list[Task]:
    """Return the splits of the sets of many dimensions."""
    scale = context.scale
    return [
        Task(
            "reductions",
            reductions,
            {
                "data_set": name,
                "options": OPTIONS.get(name, {}),
                "repetition": repetition,
                "share": SHARE,
                "dimensions": DIMENSIONS[scale],
                "readings": readings(scale),
            },
            (name,),
            (),
        )
        for name, paper in sets_of(context).items()
        if paper in HIGH
        for repetition in range(REPETITIONS[scale])
    ]


def more_reductions(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the accuracy of each reading by the number of dimensions, beside that of NN."""
    rows: list[Row] = []
    for name, paper in sets_of(context).items():
        runs = [r.value for r in results if r.params["data_set"] == name and r.value]
        if not runs:
            if paper in HIGH:
                keys: Row = {"data_set": name, "quantity": ACCURACY}
                keys |= {"reading": "all", "dimensions": None}
                rows.append(absent(keys, None, results, name))
            continue
        none = np.array([run["none"] for run in runs])
        keys = {"data_set": name, "quantity": ACCURACY}
        keys |= {"reading": "NN without reduction", "dimensions": None}
        rows.append(row_of(keys, None, 100.0 - none))
        for place, reading in enumerate(readings(context.scale)):
            rows += _rows_of_reading(context, name, named(reading), runs, place)
    note = (
        "Accuracy is 100 minus the mean of the two classes' error rates; NN with the Euclidean "
        f"distance; {SHARE:.0%} of the data to train on."
    )
    return Gathered(rows, [note])


def _rows_of_reading(
    context: Context, name: str, words: str, runs: Sequence[dict[str, Any]], place: int
) -> list[Row]:
    none = np.array([run["none"] for run in runs])
    rows = []
    for i, k in enumerate(DIMENSIONS[context.scale]):
        values = [run["errors"][place][i] for run in runs]
        if None in values:
            continue
        errors = np.array(values, dtype=np.float64)
        keys = {"data_set": name, "reading": words, "dimensions": k}
        rows.append(row_of(keys | {"quantity": ACCURACY}, None, 100.0 - errors))
        rows.append(row_of(keys | {"quantity": LESS_NONE}, None, none - errors))
    return rows
