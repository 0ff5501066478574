"""Amores, Sebe & Radeva (2006), figure 3: Boosted Distance and other reductions of
dimensionality.
"""

from collections.abc import Sequence

import numpy as np

from paper_figures.boosted_distance.protocol import (
    HIGH,
    METHODS,
    OPTIONS,
    REPETITIONS,
    ROUNDS,
    Errors,
    absent,
    errors_by_set,
    printed_in_text,
    repetitions,
    row_of,
    sets_of,
)
from paper_figures.boosted_distance.tasks import projections
from paper_figures.store import Row
from paper_figures.tasks import Context, Gathered, Result, Task

DIMENSIONS = {
    "small": (1, 2, 3, 5, 7, 10, 15, 20, 30, 50),
    "paper": (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 199),
}
MANY = {"small": (1, 2, 5, 10, 20, 50), "paper": (1, 2, 5, 10, 20, 50, 100, 200, 500)}
MANY_REPETITIONS = {"small": 5, "paper": 20}
SHARE = 0.8
IMAGES = ("gender", "MNIST")  # on which LDA fails, § 4.2
LABELS = {
    "none": "NN (L2)",
    "PCA": "PCA",
    "NDA": "NDA",
    "LDA": "LDA",
    "LDA, singular": "LDA by S_b v = lambda S_w v",
}
NOTES = (
    "Accuracy is 100 minus the mean of the two classes' error rates. Boosted Distance is drawn "
    "over 2 T, an upper bound on its dimensions (T for each of the two classes); `used` is the "
    "mean number of dimensions it looks at.",
    "NDA (k = 3, alpha = 2) leaves out directions whose within-class scatter is below 1e-8 (§ "
    "4.2); it is shown as far as all repetitions have the dimension.",
    "LDA has one dimension. It is solved by the pseudo-inverse (scikit-learn's svd); for the "
    "image sets also as the generalised eigenproblem with the singular scatter matrix, which "
    "gives the paper's 50 %.",
)


def tasks(context: Context) -> list[Task]:
    """Return the repetitions and the projections of the high-dimensional sets.

    A part of the projections trains on 80 % of the data.
    """
    names = {name: paper for name, paper in sets_of(context).items() if paper in HIGH}
    protocols = (
        (None, DIMENSIONS[context.scale], REPETITIONS[context.scale]),
        (SHARE, MANY[context.scale], MANY_REPETITIONS[context.scale]),
    )
    return repetitions(context, names) + [
        Task(
            "projections",
            projections,
            {
                "data_set": name,
                "options": OPTIONS.get(name, {}),
                "repetition": i,
                "dimensions": dimensions,
                "share": share,
                "singular": paper in IMAGES and share is None,
            },
            data=(name,),
            kernels=(),
        )
        for share, dimensions, count in protocols
        for name, paper in names.items()
        for i in range(count)
    ]


def figure3(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the accuracy by the number of dimensions.

    The check with 80 % of the data as the training set follows.
    """
    rows = []
    notes = list(NOTES)
    errors_of_sets = errors_by_set(context, results)
    accuracy_of_lda = printed_in_text(context, "accuracy of LDA (%)")
    for name, paper in sets_of(context).items():
        if paper not in HIGH:
            continue
        mine = [r for r in results if r.params["data_set"] == name and r.value]
        printed = accuracy_of_lda.get(paper) if name != "digits17" else None
        if not mine:
            keys = {
                "data_set": name,
                "method": "LDA",
                "training": "200 vectors",
                "dimensions": 1,
                "used": None,
            }
            rows.append(absent(keys, printed, results, name))
            continue
        rows += _boosted_rows(context, name, mine, errors_of_sets[name])
        for share in (None, SHARE):
            projected = [r for r in mine if r.name == "projections" and r.params["share"] == share]
            training = "as in table 2" if share is None else f"{share:.0%} of the data"
            rows += _projection_rows(name, training, projected, printed)
        notes.append(_verdict(name, rows))
    return Gathered(rows, notes)


def _boosted_rows(
    context: Context, name: str, results: Sequence[Result], errors: Errors
) -> list[Row]:
    runs = [r.value["dimensions"] for r in results if r.name == "repetition"]
    used = np.mean(runs, axis=0)
    return [
        row_of(
            {
                "data_set": name,
                "method": METHODS["boosted"],
                "training": "as in table 2",
                "dimensions": 2 * t,
                "used": round(float(used[i]), 2),
            },
            None,
            100 - errors["boosted"][:, i],
        )
        for i, t in enumerate(ROUNDS[context.scale])
    ]


def _projection_rows(
    name: str, training: str, results: Sequence[Result], printed: float | None
) -> list[Row]:
    rows = []
    for method in results[0].value["errors"]:
        runs = [r.value["errors"][method] for r in results]
        single = len(runs[0]) == 1
        for i, k in enumerate([1] if single else results[0].params["dimensions"]):
            if any(run[i] is None for run in runs):
                break
            accuracy = np.array([100 - run[i] for run in runs])
            keys = {
                "data_set": name,
                "method": LABELS[method],
                "training": training,
                "dimensions": None if method == "none" else k,
                "used": None,
            }
            rows.append(row_of(keys, printed if method == "LDA, singular" else None, accuracy))
    return rows


def _verdict(name: str, rows: list[Row]) -> str:
    """Say which projection helps NN, with few training vectors and with many."""

    def best(training: str, method: str) -> Row | None:
        keys = {"data_set": name, "training": training, "method": method}
        mine = [row for row in rows if keys.items() <= row.items()]
        return max(mine, key=lambda row: row["ours"]) if mine else None

    parts = []
    for training in ("as in table 2", f"{SHARE:.0%} of the data"):
        methods = ("Boosted Distance", "NN (L2)", "PCA", "LDA", "NDA")
        shown = [(method, best(training, method)) for method in methods]
        numbers = [f"{method} {row['ours']:.2f}" for method, row in shown if row]
        parts.append(training + ": " + ", ".join(numbers))
    return f"{name}, best accuracy over the numbers of dimensions. " + "; ".join(parts) + "."
