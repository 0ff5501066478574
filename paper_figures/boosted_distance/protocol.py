"""Amores, Sebe & Radeva (2006): the protocol of § 4.1, shared by table 2, figures 2 to 5 and the readings.

T is not printed in the paper. Rule: one T for both boosted methods and all sets, the one of least cross-validated
error, within training samples alone and averaged over sets, samples and the two methods. The test parts are not
looked at.
"""

import numpy as np

from paper_figures.boosted_distance.tasks import cross_validation, repetition
from paper_figures.registry import Task
from paper_figures.rows import absent_row

ROUNDS = {
    "small": (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100),
    "paper": (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500),
}
TREE_ROUNDS = (1, 3, 10, 30, 100)
REPETITIONS = {"small": 10, "paper": 100}
SAMPLES = {"small": 4, "paper": 10}
OPTIONS = {"splice": {"order": "frequency"}, "credit": {"order": "appearance"}}
SMALL = {"wdbc": "wdbc-small", "MNIST": "digits17"}
HIGH = ("ad", "gender", "MNIST", "arrhythmia")
PLAIN, BALANCED = 0, 1  # the two errors that a task stores: share of all, mean of the two classes' error rates
METHODS = {"boosted": "Boosted Distance", "stumps": "AdaBoost, stumps", "trees": "AdaBoost, C4.5-like trees"}


def sets_of(context):
    """The data sets of a scale: dict of our name -> the paper's name."""
    names = [row["data_set"] for row in context.published("boosted_distance/table2.csv")]
    return {SMALL[name]: name for name in SMALL} if context.scale == "small" else {name: name for name in names}


def printed_lines(context):
    """The lines of the paper's table 2 by our name of the set; none for digits17, which stands in for MNIST."""
    printed = {row["data_set"]: row for row in context.published("boosted_distance/table2.csv")}
    return {name: {} if name == "digits17" else printed[paper] for name, paper in sets_of(context).items()}


def repetitions(context, names, options=None, tree_rounds=TREE_ROUNDS):
    """All repetitions of some sets, read with the given options or those of :data:`OPTIONS`."""
    return [
        Task(
            "repetition",
            repetition,
            {"data_set": name, "options": OPTIONS.get(name, {}) if options is None else options, "repetition": i,
             "rounds": ROUNDS[context.scale], "tree_rounds": tree_rounds},
            data=(name,),
            kernels=("stumps",),
        )
        for name in names
        for i in range(REPETITIONS[context.scale])
    ]


def cross_validations(context):
    """What chooses T."""
    return [
        Task(
            "cross_validation",
            cross_validation,
            {"data_set": name, "options": OPTIONS.get(name, {}), "repetition": i, "rounds": ROUNDS[context.scale],
             "folds": 5},
            data=(name,),
            kernels=("stumps",),
        )
        for name in sets_of(context)
        for i in range(SAMPLES[context.scale])
    ]


def tasks(context):
    """All repetitions, and the cross-validation that chooses T."""
    return repetitions(context, sets_of(context)) + cross_validations(context)


def chosen_rounds(context, results):
    """T by the rule above, as its place among the rounds."""
    runs = [r.value for r in results if r.name == "cross_validation" and r.value]
    errors = [[np.array(run[m])[:, BALANCED] for m in ("boosted", "stumps")] for run in runs]
    return int(np.mean(errors, axis=(0, 1)).argmin())


def errors_of(results, measure=BALANCED):
    """Errors of the repetitions by method: arrays with a row per repetition."""
    runs = [r.value["errors"] for r in results if r.name == "repetition" and r.value]
    return {m: np.array([np.array(run[m])[..., measure] for run in runs]) for m in (runs[0] if runs else ())}


def errors_by_set(context, results, measure=BALANCED):
    """What :func:`errors_of` gives, for each set that is available."""
    mine = {name: [r for r in results if r.params["data_set"] == name] for name in sets_of(context)}
    found = {name: errors_of(some, measure) for name, some in mine.items()}
    return {name: errors for name, errors in found.items() if errors}


def tree_place(t):
    """The place among :data:`TREE_ROUNDS` of the largest number not above t."""
    return max(i for i, rounds in enumerate(TREE_ROUNDS) if rounds <= max(1, t))


def row_of(keys, published, values, why=""):
    """A row with the mean and the standard deviation of `values`, and `why` if it differs from `published`."""
    row = keys | {"published": published, "ours": float(values.mean()), "std": float(values.std(ddof=1)),
                  "repetitions": len(values)}
    if published is not None and abs(row["ours"] - published) > 2 * row["std"] / len(values) ** 0.5:
        row["why"] = why
    return row


def absent(keys, published, results, name):
    """A row of a set that is not available."""
    why = next((r.why for r in results if r.params["data_set"] == name and r.why), "not available")
    return absent_row(keys, why, published)
