"""Amores, Sebe & Radeva (2006): four tables of experiments with what the paper leaves open.

The column ``printed`` holds the paper's number where there is one. Only the rows of
:func:`distances` are compared with it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paper_figures.boosted_distance.protocol import (
    BALANCED,
    METHODS,
    OPTIONS,
    PLAIN,
    REPETITIONS,
    ROUNDS,
    SUBSTITUTES,
    Errors,
    Line,
    absent,
    chosen_rounds,
    cross_validations,
    errors_by_set,
    errors_of,
    printed_lines,
    repetitions,
    row_of,
    sets_of,
)
from paper_figures.boosted_distance.tasks import distance_readings
from paper_figures.registry import Context, Gathered, Result, Task
from paper_figures.store import Row
from refimpl.rivals.nearest_neighbor import NAMES

READINGS = (  # method, column of table 2, stored under, measure, similarity
    (METHODS["stumps"], "adaboost", "stumps", BALANCED, "-"),
    (METHODS["stumps"], "adaboost", "stumps", PLAIN, "-"),
    (METHODS["boosted"], "boosted_distance", "boosted", BALANCED, "normalised"),
    (METHODS["boosted"], "boosted_distance", "boosted", PLAIN, "normalised"),
    (METHODS["boosted"], "boosted_distance", "literal", BALANCED, "literal sum"),
    (METHODS["boosted"], "boosted_distance", "literal", PLAIN, "literal sum"),
)
MEASURES = {PLAIN: "share of all test vectors", BALANCED: "mean of the two classes"}
FIRST = {"order": "appearance"}
COMMON = {"order": "frequency"}
CODINGS: tuple[
    tuple[str, str, dict[str, Any], str], ...
] = (  # set as read, set of table 2, options, what is different
    ("ad-excerpt", "ad", {}, "748 complete rows of the first 998, geometry columns kept"),
    ("arrhythmia", "arrhythmia", {"missing": "mean"}, "all 452 rows, missing values = mean"),
    ("splice", "splice", {}, "letters numbered by the alphabet"),
    ("splice", "splice", FIRST, "letters numbered as they appear"),
    ("splice", "splice", COMMON | {"ambiguous": "one code"}, "ambiguous letters share one number"),
    ("splice", "splice", COMMON | {"ambiguous": "drop"}, "rows with ambiguous letters dropped"),
    ("spectf", "spectf", {"duplicates": "drop"}, "the 80 rows that stand twice taken once"),
    ("vote1", "vote1", {"missing": "middle"}, "n, ?, y = 0, 1, 2"),
    ("vote1", "vote1", {"missing": "mean"}, "? = the more frequent vote"),
    ("vote1", "vote1", {"missing": "drop"}, "complete rows"),
    ("vote1", "vote1", {"physician": False}, "without physician-fee-freeze, as elsewhere"),
    ("credit", "credit", {}, "symbols numbered by the alphabet"),
    ("credit", "credit", FIRST | {"missing": "mean"}, "missing values = mean or most frequent"),
    ("credit", "credit", FIRST | {"missing": "drop"}, "complete rows"),
    ("wbc", "wbc", {"missing": "mean"}, "missing values = mean"),
    ("wbc", "wbc", {"missing": "drop"}, "complete rows"),
    ("pima", "pima", {"zeros": "mean"}, "zeros that stand for missing values = mean"),
    ("pima", "pima", {"zeros": "drop"}, "rows with such zeros dropped"),
)
DISTANCE_READINGS: tuple[dict[str, Any], ...] = (
    {"name": "Mah-CD", "ridge": 1e-3},
    {"name": "Mah-CD", "ridge": 1.0},
    {"name": "Mah-CD", "log_det": True},
    {"name": "Mah-C", "ridge": 1e-3},
    {"name": "Mah-CD", "ridge": 0.1},
    {"name": "Mah-D", "ridge": 1.0},
    {"name": "RCA-D", "ridge": 1.0},
    {"name": "RCA-D", "chunklets": 2},
    {"name": "RCA", "chunklets": 2},
    {"name": "RCA", "ridge": 1e-3},
    {"name": "Mah", "ridge": 1e-3},
)
WIDE = ("ad",)  # full matrices with a ridge cost O(d^3) there


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


# ----------------------------------------------------------------------------------------- readings


def readings(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the errors of the boosted methods under each error measure and similarity."""
    place = chosen_rounds(context, results)
    rows = []
    gaps: dict[tuple[str, str, str], list[float]] = {}
    errors_of_sets = {measure: errors_by_set(context, results, measure) for measure in MEASURES}
    for name, line in printed_lines(context).items():
        if name not in errors_of_sets[PLAIN]:
            keys = {
                "data_set": name,
                "method": "all",
                "error": "-",
                "similarity": "-",
                "printed": None,
            }
            rows.append(absent(keys, None, results, name))
            continue
        for method, column, source, measure, similarity in READINGS:
            keys = {
                "data_set": name,
                "method": method,
                "error": MEASURES[measure],
                "similarity": similarity,
            }
            values = errors_of_sets[measure][name][source][:, place]
            row = row_of(keys | {"printed": line.get(column)}, None, values)
            rows.append(row)
            if line:
                gaps.setdefault((method, MEASURES[measure], similarity), []).append(
                    abs(row["ours"] - row["printed"])
                )
    notes = [f"T = {ROUNDS[context.scale][place]}."]
    notes += [
        f"{method}, {measure}, similarity {similarity}: {np.mean(gap):.2f} points from the "
        "printed errors on average."
        for (method, measure, similarity), gap in gaps.items()
    ]
    return Gathered(rows, notes)


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
            validated = [np.array(run[method])[i, BALANCED] for run in runs]
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


# ------------------------------------------------------------------------------------------ codings


def codings_tasks(context: Context) -> list[Task]:
    """Return repetitions with other codings, and other readings of the distances.

    The small scale has the readings alone.
    """
    tasks = cross_validations(context)
    for name in sets_of(context):
        tried = [r for r in DISTANCE_READINGS if name not in WIDE or r["name"].endswith("D")]
        tasks += [
            Task(
                "distances",
                distance_readings,
                {
                    "data_set": name,
                    "options": OPTIONS.get(name, {}),
                    "repetition": i,
                    "readings": tried,
                },
                data=(name,),
                kernels=(),
            )
            for i in range(REPETITIONS[context.scale])
        ]
    if context.scale == "paper":
        for name, _, options, _ in CODINGS:
            tasks += repetitions(context, [name], options, tree_rounds=())
    return tasks


def codings(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the errors at the chosen T under each coding and under each reading of a distance."""
    rows = []
    place = chosen_rounds(context, results)
    lines = printed_lines(context)
    if context.scale == "paper":
        for name, paper, options, label in CODINGS:
            mine = [
                r
                for r in results
                if r.name == "repetition"
                and r.params["data_set"] == name
                and r.params["options"] == options
            ]
            rows += _coding_rows(paper, label, errors_of(mine), lines[paper], place, mine)
    for name in sets_of(context):
        runs = [
            r for r in results if r.name == "distances" and r.params["data_set"] == name and r.value
        ]
        for i, reading in enumerate(runs[0].params["readings"] if runs else ()):
            values = np.array([run.value["errors"][i][BALANCED] for run in runs])
            best = lines[name].get("best_nn_distance")
            keys = {
                "data_set": name,
                "reading": _named(reading),
                "method": f"NN, {reading['name']}",
                "printed": lines[name]["nn"] if reading["name"] == best else None,
            }
            rows.append(row_of(keys, None, values))
    return Gathered(
        rows,
        [f"T = {ROUNDS[context.scale][place]}. Errors are means of the two classes' error rates."],
    )


def _coding_rows(
    name: str, label: str, errors: Errors, line: Line, place: int, results: Sequence[Result]
) -> list[Row]:
    keys: Row = {"data_set": name, "reading": label}
    if not errors:
        keys |= {"method": "all", "printed": None}
        return [absent(keys, None, results, results[0].params["data_set"])]
    best = line["best_nn_distance"]
    shown = (
        (f"NN, {best}", line["nn"], errors[best]),
        (METHODS["stumps"], line["adaboost"], errors["stumps"][:, place]),
        (METHODS["boosted"], line["boosted_distance"], errors["boosted"][:, place]),
    )
    return [
        row_of(keys | {"method": m, "printed": printed}, None, values)
        for m, printed, values in shown
    ]


def _named(reading: Mapping[str, Any]) -> str:
    words = {
        "ridge": "ridge {:g}",
        "log_det": "with log-determinant",
        "chunklets": "random chunklets of {:g} vectors",
    }
    return "; ".join(words[key].format(value) for key, value in reading.items() if key != "name")
