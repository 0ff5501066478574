"""Amores, Sebe & Radeva (2006), § 4.2: reductions in other readings, at both sizes of training.

With four fifths of the data, the paper says, NN after PCA, LDA and NDA is as good as NN without a
reduction; with 200 vectors LDA is no better than guessing. A reading is chosen on other cells than
those that it is judged on: on the other sets, or at the other size.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from paper_figures.boosted_distance.protocol import HIGH, OPTIONS, absent, row_of, sets_of
from paper_figures.boosted_distance.reduced import reductions
from paper_figures.registry import Context, Gathered, Result, Task
from paper_figures.store import Row

FEW, FOUR_FIFTHS = "as in table 2", "80% of the data"
SHARES: dict[str, float | None] = {FOUR_FIFTHS: 0.8, FEW: None}
"""The share of the data to train on; None is § 4.1's protocol, 200 vectors of these sets."""
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
                "share": share,
                "dimensions": DIMENSIONS[scale],
                "readings": readings(scale),
            },
            (name,),
            (),
        )
        for share in SHARES.values()
        for name, paper in sets_of(context).items()
        if paper in HIGH
        for repetition in range(REPETITIONS[scale])
    ]


def more_reductions(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the accuracy of each reading by the number of dimensions, beside that of NN."""
    rows: list[Row] = []
    for training, share in SHARES.items():
        for name, paper in sets_of(context).items():
            mine = [r for r in results if r.params["data_set"] == name]
            runs = [r.value for r in mine if r.params["share"] == share and r.value]
            keys: Row = {"data_set": name, "training": training}
            if runs:
                rows += _rows_of_set(context, keys, runs)
            elif paper in HIGH:
                keys |= {"quantity": ACCURACY, "reading": "all", "dimensions": None}
                rows.append(absent(keys, None, results, name))
    note = (
        "Accuracy is 100 minus the mean of the two classes' error rates; NN with the Euclidean "
        f"distance. To train on: {SHARES[FOUR_FIFTHS]:.0%} of the data, and as in table 2 (200 "
        "vectors of the paper's large sets)."
    )
    return Gathered(rows, [note])


def _rows_of_set(context: Context, keys: Row, runs: Sequence[dict[str, Any]]) -> list[Row]:
    none = np.array([run["none"] for run in runs])
    plain: Row = {"quantity": ACCURACY, "reading": "NN without reduction", "dimensions": None}
    rows = [row_of(keys | plain, None, 100.0 - none)]
    for place, reading in enumerate(readings(context.scale)):
        rows += _rows_of_reading(context, keys | {"reading": named(reading)}, runs, place)
    return rows


def _rows_of_reading(
    context: Context, of_reading: Row, runs: Sequence[dict[str, Any]], place: int
) -> list[Row]:
    none = np.array([run["none"] for run in runs])
    rows = []
    for i, k in enumerate(DIMENSIONS[context.scale]):
        values = [run["errors"][place][i] for run in runs]
        if None in values:
            continue
        errors = np.array(values, dtype=np.float64)
        keys = of_reading | {"dimensions": k}
        rows.append(row_of(keys | {"quantity": ACCURACY}, None, 100.0 - errors))
        rows.append(row_of(keys | {"quantity": LESS_NONE}, None, none - errors))
    return rows
