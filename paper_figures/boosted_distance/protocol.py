"""Amores, Sebe & Radeva (2006): the protocol of § 4.1, shared by table 2, figures 2 to 5 and the
readings.

The paper does not print T. Our rule: both boosted methods and all sets have the same T, that of
least cross-validated error. The errors come from training samples alone and are averaged over sets,
samples and the two methods. The test parts are not looked at.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from paper_figures.boosted_distance.tasks import cross_validation, repetition
from paper_figures.store import Row
from paper_figures.tasks import Context, Result, Task, absent_row
from refimpl.typing import FloatArray

Errors: TypeAlias = dict[str, FloatArray]
"""Errors by method; a row for each repetition."""
Line: TypeAlias = dict[str, Any]
"""A line of the paper's table 2 by column."""

ROUNDS = {
    "small": (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100),
    "paper": (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500),
}
TREE_ROUNDS = (1, 3, 10, 30, 100)
REPETITIONS = {"small": 10, "paper": 100}
SAMPLES = {"small": 4, "paper": 10}
OPTIONS = {"splice": {"order": "frequency"}, "credit": {"order": "appearance"}}
SMALL = {"wdbc": "wdbc-small", "MNIST": "digits17"}
SUBSTITUTES = ("ad",)  # other data than the paper's, under its name
HIGH = ("ad", "gender", "MNIST", "arrhythmia")
METHODS = {
    "boosted": "Boosted Distance",
    "stumps": "AdaBoost, stumps",
    "trees": "AdaBoost, C4.5-like trees",
}

MEASURE = (
    "Errors are means of the two classes' error rates. The paper does not name its measure; the "
    "share of all test vectors is much farther from its numbers."
)
NORMALISED = (
    "Boosted Distance uses the similarity divided by sum_t alpha_t (ERRATUM BD-2). The literal "
    "sum of Algorithm A.3 grows worse with T."
)


def sets_of(context: Context) -> dict[str, str]:
    """Return the data sets of a scale: dict of our name -> the paper's name."""
    if context.scale == "small":
        return {ours: paper for paper, ours in SMALL.items()}
    names = [row["data_set"] for row in context.published("boosted_distance/table2.csv")]
    return {name: name for name in names}


def printed_lines(context: Context) -> dict[str, Line]:
    """Return the lines of the paper's table 2 by our name of the set.

    The line of digits17, which stands in for MNIST, is empty.
    """
    printed = {row["data_set"]: row for row in context.published("boosted_distance/table2.csv")}
    return {
        name: {} if name == "digits17" else printed[paper]
        for name, paper in sets_of(context).items()
    }


def printed_in_text(context: Context, quantity: str) -> dict[str, float]:
    """Return a quantity that the paper's text prints, by data set."""
    return {
        row["data_set"]: row["value"]
        for row in context.published("boosted_distance/text.csv")
        if row["quantity"] == quantity
    }


def repetitions(context: Context, names: Iterable[str]) -> list[Task]:
    """Return all repetitions of some sets, read with their :data:`OPTIONS`."""
    return [
        Task(
            "repetition",
            repetition,
            {
                "data_set": name,
                "options": OPTIONS.get(name, {}),
                "repetition": i,
                "rounds": ROUNDS[context.scale],
                "tree_rounds": TREE_ROUNDS,
            },
            data=(name,),
            kernels=("similarity", "stumps"),
        )
        for name in names
        for i in range(REPETITIONS[context.scale])
    ]


def cross_validations(context: Context) -> list[Task]:
    """Return the tasks that choose T."""
    return [
        Task(
            "cross_validation",
            cross_validation,
            {
                "data_set": name,
                "options": OPTIONS.get(name, {}),
                "repetition": i,
                "rounds": ROUNDS[context.scale],
                "folds": 5,
            },
            data=(name,),
            kernels=("similarity", "stumps"),
        )
        for name in sets_of(context)
        for i in range(SAMPLES[context.scale])
    ]


def tasks(context: Context) -> list[Task]:
    """Return all repetitions, and the cross-validation that chooses T."""
    return repetitions(context, sets_of(context)) + cross_validations(context)


def chosen_rounds(context: Context, results: Sequence[Result]) -> int:
    """Return T by the rule above, as an index of the rounds."""
    runs = [r.value for r in results if r.name == "cross_validation" and r.value]
    errors = [[run[m] for m in ("boosted", "stumps")] for run in runs]
    return int(np.mean(errors, axis=(0, 1)).argmin())


def errors_by_set(context: Context, results: Sequence[Result]) -> dict[str, Errors]:
    """Return the errors of each set that is available: an array by method, a row a repetition."""
    errors = {}
    for name in sets_of(context):
        mine = [r for r in results if r.name == "repetition" and r.params["data_set"] == name]
        runs = [r.value["errors"] for r in mine if r.value]
        if runs:
            errors[name] = {m: np.array([run[m] for run in runs]) for m in runs[0]}
    return errors


def tree_place(t: int) -> int:
    """Return the index in :data:`TREE_ROUNDS` of the largest number not above t."""
    return max(i for i, rounds in enumerate(TREE_ROUNDS) if rounds <= max(1, t))


def row_of(keys: Row, published: float | None, values: FloatArray) -> Row:
    """Return a row with the mean and the standard deviation of `values`."""
    return keys | {
        "published": published,
        "ours": float(values.mean()),
        "std": float(values.std(ddof=1)),
        "repetitions": len(values),
    }


def absent(keys: Row, published: float | None, results: Sequence[Result], name: str) -> Row:
    """Return a row of a set that is not available."""
    why = next((r.why for r in results if r.params["data_set"] == name and r.why), "not available")
    return absent_row(keys, why, published)
