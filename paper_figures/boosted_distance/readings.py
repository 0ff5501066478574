"""Amores, Sebe & Radeva (2006): what depends on T, and NN under each of the eight distances."""

from collections.abc import Sequence

import numpy as np

from paper_figures.boosted_distance.protocol import (
    METHODS,
    ROUNDS,
    SUBSTITUTES,
    absent,
    chosen_rounds,
    errors_by_set,
    printed_lines,
    row_of,
)
from paper_figures.tasks import Context, Gathered, Result
from refimpl.rivals.nearest_neighbor import NAMES

# ---------------------------------------------------------------------------------------- distances


def distances(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the errors of NN under each of the eight distances.

    The distance that the paper names is compared with the printed number.
    """
    rows = []
    errors_of_sets = errors_by_set(context, results)
    for name, line in printed_lines(context).items():
        if name not in errors_of_sets:
            rows.append(
                absent({"data_set": name, "distance": "all"}, line.get("nn"), results, name)
            )
            continue
        for distance in NAMES:
            values = errors_of_sets[name][distance]
            keys = {"data_set": name, "distance": distance}
            named = distance == line.get("best_nn_distance")
            rows.append(row_of(keys, line["nn"] if named else None, values))
    note = "The paper prints one number for each set: that of the distance which did best there."
    return Gathered(rows, [note])


# ------------------------------------------------------------------------------------------- rounds


def rounds(context: Context, results: Sequence[Result]) -> Gathered:
    """Return what depends on T: mean errors, wins, the distance from the printed table."""
    place = chosen_rounds(context, results)
    errors_of_sets = errors_by_set(context, results)
    lines = printed_lines(context)
    compared = [name for name in errors_of_sets if lines[name] and name not in SUBSTITUTES]
    runs = [r.value for r in results if r.name == "cross_validation" and r.value]
    rows = []

    def add(t: int, quantity: str, value: float) -> None:
        keys = {"rounds": t, "quantity": quantity}
        rows.append(keys | {"published": None, "ours": float(value), "std": None})

    for i, t in enumerate(ROUNDS[context.scale]):
        for method, column in (("boosted", "boosted_distance"), ("stumps", "adaboost")):
            means = {name: errors_of_sets[name][method][:, i].mean() for name in errors_of_sets}
            add(t, f"{METHODS[method]}: mean test error", np.mean(list(means.values())))
            validated = [run[method][i] for run in runs]
            add(t, f"{METHODS[method]}: mean cross-validated error", np.mean(validated))
            gaps = [abs(means[name] - lines[name][column]) for name in compared]
            add(t, f"{METHODS[method]}: mean |ours - printed|", np.mean(gaps))
        wins = sum(
            e["boosted"][:, i].mean() < e["stumps"][:, i].mean() for e in errors_of_sets.values()
        )
        add(t, "sets on which Boosted Distance has the lower error", wins)
    chosen = ROUNDS[context.scale][place]
    notes = [
        f"T = {chosen} is chosen, by the cross-validated errors alone (see table 2). Errors in "
        f"per cent, means of the two classes' rates, averaged over {len(errors_of_sets)} sets (the "
        f"distance from the printed ones: {len(compared)})."
    ]
    return Gathered(rows, notes, {"chosen": chosen})
