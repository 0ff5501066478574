"""Amores, Sebe & Radeva (2006), Table 2 at several numbers of rounds, set by set.

The paper does not print its T. Two rules choose it on one half of the sets, and each choice is
checked on the other half: the T that is nearest to the printed errors, and the T that keeps most of
the printed winners.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from paper_figures.boosted_distance.protocol import (
    FIRST_HALF,
    MEASURE,
    METHODS,
    NORMALISED,
    OPTIONS,
    REPETITIONS,
    SECOND_HALF,
    SUBSTITUTES,
    Line,
    absent,
    halves,
    printed_lines,
    row_of,
    sets_of,
)
from paper_figures.boosted_distance.stages import stages
from paper_figures.registry import Context, Gathered, Result, Task
from paper_figures.rows import number_row
from paper_figures.store import Row
from refimpl.typing import FloatArray

SHOWN = {"small": (10, 30, 100), "paper": (100, 200, 500)}
MANY_SPLITS: dict[str, dict[str, int]] = {"small": {}, "paper": {"sonar": 1000}}
"""Sets whose differences are too small for as many splits as the others have."""
FEW = 4  # repetitions at the small scale
BLOCK = 10  # repetitions of a task
COLUMNS = {"boosted": "boosted_distance", "stumps": "adaboost"}  # of published/.../table2.csv
DIFFERENCE = "AdaBoost minus Boosted Distance"
GAIN = "relative improvement (%)"
RISE = "rise of the test error since the first T"
GAP = "mean |ours - printed|"
WINNERS = "sets with the printed winner"

Staged: TypeAlias = dict[str, dict[str, FloatArray]]
"""Errors by method and part ("test", "train"): a line for each repetition, a column for each T."""


def blocks(context: Context, name: str) -> list[list[int]]:
    """Return the repetitions of a set, in blocks of one task each."""
    whole = REPETITIONS[context.scale] if context.scale == "paper" else FEW
    n = MANY_SPLITS[context.scale].get(name, whole)
    return [list(range(first, min(first + BLOCK, n))) for first in range(0, n, BLOCK)]


def tasks(context: Context) -> list[Task]:
    """Return the repetitions of all sets, in blocks."""
    return [
        Task(
            "stages",
            stages,
            {
                "data_set": name,
                "options": OPTIONS.get(name, {}),
                "repetitions": repetitions,
                "rounds": SHOWN[context.scale],
            },
            data=(name,),
            kernels=("similarity", "stumps"),
        )
        for name in sets_of(context)
        for repetitions in blocks(context, name)
    ]


def staged_errors(context: Context, results: Sequence[Result]) -> dict[str, Staged]:
    """Return the errors of each set that is available."""
    errors: dict[str, Staged] = {}
    for name in sets_of(context):
        runs = [r.value["errors"] for r in results if r.params["data_set"] == name and r.value]
        if runs:
            errors[name] = {
                method: {
                    part: np.concatenate([np.array(run[method][part]) for run in runs])
                    for part in ("test", "train")
                }
                for method in ("boosted", "stumps")
            }
    return errors


def by_rounds(context: Context, results: Sequence[Result]) -> Gathered:
    """Return errors, leads and rises by set and T, and which T is nearest to the print."""
    rounds = SHOWN[context.scale]
    errors = staged_errors(context, results)
    lines = printed_lines(context)
    rows = []
    for name, line in lines.items():
        if name in errors:
            rows += _rows_of_set(name, rounds, errors[name], line)
            continue
        keys = {"data_set": name, "method": "all", "part": "test", "rounds": None, "printed": None}
        rows.append(absent(keys, None, results, name))
    compared = [name for name in errors if lines[name] and name not in SUBSTITUTES]
    notes = [MEASURE, NORMALISED]
    if compared:
        rows += _summary(rounds, errors, lines, compared)
        notes += _chosen(rows, rounds) + _chosen_by_winners(rows, rounds)
    return Gathered(rows, notes)


def _rows_of_set(name: str, rounds: Sequence[int], errors: Staged, line: Line) -> list[Row]:
    boosted, stumps = errors["boosted"]["test"], errors["stumps"]["test"]
    rows = []
    for i, t in enumerate(rounds):
        keys = {"data_set": name, "rounds": t}
        for method, of_method in errors.items():
            for part, values in of_method.items():
                printed = line.get(COLUMNS[method]) if part == "test" else None
                named = {"method": METHODS[method], "part": part, "printed": printed}
                rows.append(row_of(keys | named, None, values[:, i]))
        lead = stumps[:, i] - boosted[:, i]
        keys |= {"part": "test"}
        named = {"method": DIFFERENCE, "printed": line.get("diff")}
        rows.append(row_of(keys | named, None, lead))
        named = {"method": GAIN, "printed": line.get("relative_improvement")}
        # of the mean errors, as the paper has it; the spread of AdaBoost's mean is left out
        whole = float(stumps[:, i].mean())
        if whole > 0.0:
            rows.append(row_of(keys | named, None, 100.0 * lead / whole))
        if i > 0:
            rows += _rises(keys, stumps[:, i] - stumps[:, 0], boosted[:, i] - boosted[:, 0])
    return rows


def _rises(keys: Row, stumps: FloatArray, boosted: FloatArray) -> list[Row]:
    """Return the rows of both rises since the first T, and of AdaBoost's minus ours."""
    rises = {
        f"{METHODS['stumps']}: {RISE}": stumps,
        f"{METHODS['boosted']}: {RISE}": boosted,
        f"{DIFFERENCE}: {RISE}": stumps - boosted,
    }
    return [
        row_of(keys | {"method": method, "printed": None}, None, values)
        for method, values in rises.items()
    ]


def _summary(
    rounds: Sequence[int],
    errors: Mapping[str, Staged],
    lines: Mapping[str, Line],
    compared: Sequence[str],
) -> list[Row]:
    """Return, for all sets and for each half, how near each T is to the print."""
    rows = []
    for group, names in {"all sets": list(compared), **halves(compared)}.items():
        for i, t in enumerate(rounds):
            keys = {"data_set": group, "rounds": t}
            means = {
                name: {m: float(errors[name][m]["test"][:, i].mean()) for m in COLUMNS}
                for name in names
            }
            gaps = [
                abs(means[name][method] - lines[name][column])
                for name in names
                for method, column in COLUMNS.items()
            ]
            kept = sum(
                (means[name]["boosted"] < means[name]["stumps"]) == (lines[name]["diff"] > 0)
                for name in names
            )
            if gaps:
                rows.append(number_row(keys | {"method": GAP}, None, float(np.mean(gaps))))
                rows.append(number_row(keys | {"method": WINNERS}, None, int(kept)))
    return rows


def _chosen(rows: Sequence[Row], rounds: Sequence[int]) -> list[str]:
    """Say which T each half chooses, and how near it is to the print on the other half."""
    gaps = _by_group(rows, GAP)
    said = []
    for chosen_on, checked_on in _ways(gaps, rounds):
        best = min((gaps[chosen_on, t], t) for t in rounds)[1]
        others = ", ".join(f"T = {t}: {gaps[checked_on, t]:.2f}" for t in rounds)
        said.append(f"The {chosen_on} chooses T = {best}; on the {checked_on}: {others}.")
    if not said:
        return []
    return [f"Which T is nearest to the printed errors, by {GAP} in points. " + " ".join(said)]


def _chosen_by_winners(rows: Sequence[Row], rounds: Sequence[int]) -> list[str]:
    """Say which T keeps most printed winners of each half, and how many of the other half.

    Several T may keep as many; all of them are named.
    """
    kept = _by_group(rows, WINNERS)
    said = []
    for chosen_on, checked_on in _ways(kept, rounds):
        most = max(kept[chosen_on, t] for t in rounds)
        best = [f"T = {t}" for t in rounds if kept[chosen_on, t] == most]
        others = ", ".join(f"T = {t}: {kept[checked_on, t]}" for t in rounds)
        said.append(
            f"The {chosen_on} chooses {' or '.join(best)}, with {most} winners; "
            f"on the {checked_on}: {others}."
        )
    if not said:
        return []
    return [
        "Which T keeps most of the printed winners, AdaBoost or Boosted Distance. " + " ".join(said)
    ]


def _by_group(rows: Sequence[Row], method: str) -> dict[tuple[str, int], float]:
    """Return a quantity of the summary by group of sets and T."""
    return {(r["data_set"], r["rounds"]): r["ours"] for r in rows if r["method"] == method}


def _ways(values: Mapping[tuple[str, int], float], rounds: Sequence[int]) -> list[tuple[str, str]]:
    """Return the half that chooses and the half that checks, both ways, where both have rows."""
    ways = ((FIRST_HALF, SECOND_HALF), (SECOND_HALF, FIRST_HALF))
    return [way for way in ways if all((half, rounds[0]) in values for half in way)]
