"""Amores, Sebe & Radeva (2006): table 2 and figures 2, 4 and 5, all from the same repetitions."""

from collections.abc import Sequence

import numpy as np

from paper_figures.boosted_distance.protocol import (
    HIGH,
    MEASURE,
    METHODS,
    NORMALISED,
    ROUNDS,
    TREE_ROUNDS,
    Errors,
    Line,
    absent,
    chosen_rounds,
    errors_by_set,
    printed_in_text,
    printed_lines,
    repetitions,
    row_of,
    sets_of,
    tree_place,
)
from paper_figures.store import Row
from paper_figures.tasks import Context, Gathered, Result, Task, number_row
from refimpl.rivals.nearest_neighbor import NAMES
from refimpl.typing import FloatArray

WINS = "sets on which Boosted Distance beats AdaBoost"  # as in published/boosted_distance/text.csv
GAIN = "mean relative improvement (%)"


def table2(context: Context, results: Sequence[Result]) -> Gathered:
    """Return table 2: NN with its best distance, AdaBoost, Boosted Distance and their difference.

    Two rows on the claims of § 4.3 follow.
    """
    rounds = ROUNDS[context.scale]
    place = chosen_rounds(context, results)
    errors_of_sets = errors_by_set(context, results)
    lines = printed_lines(context)
    rows = []
    for name, line in lines.items():
        rows += _lines(name, line, errors_of_sets.get(name), place, results)
    rows += _summary(context, errors_of_sets, place)
    notes = [
        f"T = {rounds[place]}, the one of least cross-validated error, within training samples "
        "alone. The paper does not print its T; the table `rounds` shows what depends on it.",
        MEASURE,
        NORMALISED,
    ]
    return Gathered(rows, notes)


def _lines(
    name: str, line: Line, errors: Errors | None, place: int, results: Sequence[Result]
) -> list[Row]:
    method_of = {
        "nn": "NN, best of eight distances",
        "adaboost": METHODS["stumps"],
        "boosted_distance": METHODS["boosted"],
        "diff": "difference",
    }
    if errors is None:
        return [
            absent(
                {"data_set": name, "method": method, "distance": ""},
                line.get(column),
                results,
                name,
            )
            for column, method in method_of.items()
        ]
    best = min(NAMES, key=lambda distance: errors[distance].mean())
    named = f"{best} (printed {line.get('best_nn_distance', '-')})"
    keys = {"data_set": name, "method": method_of.pop("nn"), "distance": named}
    rows = [row_of(keys, line.get("nn"), errors[best])]
    ada = errors["stumps"]
    ours = errors["boosted"]
    for (column, method), stages in zip(method_of.items(), (ada, ours, ada - ours), strict=True):
        keys = {"data_set": name, "method": method, "distance": ""}
        rows.append(row_of(keys, line.get(column), stages[:, place]))
    return rows


def _summary(context: Context, errors_of_sets: dict[str, Errors], place: int) -> list[Row]:
    """Return the claims of § 4.3: how often Boosted Distance wins, and by how much."""
    means = [
        (errors["stumps"][:, place].mean(), errors["boosted"][:, place].mean())
        for errors in errors_of_sets.values()
    ]
    gains = [100 * (ada - ours) / ada for ada, ours in means]
    wins = sum(gain > 0 for gain in gains)
    whole = context.scale == "paper"
    printed = {method: printed_in_text(context, method)["15 sets"] for method in (WINS, GAIN)}
    keys = {"data_set": f"{len(means)} sets", "distance": ""}
    return [
        number_row(keys | {"method": WINS}, int(printed[WINS]) if whole else None, int(wins)),
        number_row(
            keys | {"method": GAIN}, printed[GAIN] if whole else None, float(np.mean(gains))
        ),
    ]


def figure2_tasks(context: Context) -> list[Task]:
    """Return the repetitions of the high-dimensional sets."""
    return repetitions(context, [name for name, paper in sets_of(context).items() if paper in HIGH])


def figure2(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the accuracy by the number of rounds."""
    rows = []
    rounds = ROUNDS[context.scale]
    errors_of_sets = errors_by_set(context, results)
    for name, paper in sets_of(context).items():
        if paper not in HIGH:
            continue
        if name not in errors_of_sets:
            rows.append(
                absent({"data_set": name, "method": "all", "rounds": 0}, None, results, name)
            )
            continue
        for method in ("boosted", "stumps"):
            for i, t in enumerate(rounds):
                keys = {"data_set": name, "method": METHODS[method], "rounds": t}
                rows.append(row_of(keys, None, 100 - errors_of_sets[name][method][:, i]))
        keys = {"data_set": name, "method": "NN (L2)", "rounds": 0}
        rows.append(row_of(keys, None, 100 - errors_of_sets[name]["L2"]))
    return Gathered(
        rows, ["Accuracy is 100 minus the mean of the two classes' error rates.", NORMALISED]
    )


def _bars(context: Context, results: Sequence[Result], methods: Sequence[str]) -> Gathered:
    rounds = ROUNDS[context.scale]
    place = chosen_rounds(context, results)
    errors_of_sets = errors_by_set(context, results)
    rows = []
    for name in sets_of(context):
        if name not in errors_of_sets:
            rows.append(absent({"data_set": name, "method": "all"}, None, results, name))
            continue
        errors = errors_of_sets[name]
        for method in methods:
            keys = {"data_set": name, "method": METHODS.get(method, "NN, best distance")}
            rows.append(row_of(keys, None, _values(errors, method, rounds, place)))
    means = [
        (e["boosted"][:, place].mean(), _values(e, "trees", rounds, place).mean())
        for e in errors_of_sets.values()
    ]
    wins = sum(ours < trees for ours, trees in means)
    trees = (
        f"Boosted Distance beats AdaBoost with trees on {wins} of {len(means)} sets. The paper's "
        "trees are C4.5's. The trees here are scikit-learn's, with entropy, two vectors in a leaf "
        "at least, and cost-complexity pruning in the place of C4.5's own."
    )
    return Gathered(
        rows, [f"T = {rounds[place]} (trees: at most {max(TREE_ROUNDS)}).", trees, MEASURE]
    )


def _values(errors: Errors, method: str, rounds: Sequence[int], place: int) -> FloatArray:
    if method == "nn":
        return min((errors[d] for d in NAMES), key=np.mean)
    return errors[method][:, tree_place(rounds[place]) if method == "trees" else place]


def figure4(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the errors of AdaBoost with stumps and with trees, and of Boosted Distance."""
    return _bars(context, results, ("stumps", "trees", "boosted"))


def figure5(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the errors of the methods of figure 4 and of NN with the best distance."""
    return _bars(context, results, ("nn", "stumps", "trees", "boosted"))
