"""Amores, Sebe & Radeva (2006), § 4.3: AdaBoost with trees, by its settings and its learner.

The setting under which AdaBoost does best beside stumps is chosen on one half of the sets; what it
shows is read on the other half. A substitute for the paper's set is shown, but chooses nothing and
is not counted.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from paper_figures.boosted_distance.protocol import (
    FIRST_HALF,
    MEASURE,
    METHODS,
    OPTIONS,
    SECOND_HALF,
    SUBSTITUTES,
    absent,
    halves,
    row_of,
    sets_of,
)
from paper_figures.boosted_distance.tree_boosting import (
    PACKAGE,
    boosted_trees,
    outside_trees,
    versions,
)
from paper_figures.registry import Context, Gathered, Result, Task
from paper_figures.rows import absent_row, number_row
from paper_figures.store import Row

ROUNDS = {"small": 20, "paper": 100}
REPETITIONS = {"small": 2, "paper": 20}
BLOCK = 5  # repetitions of a task


def pruned(alpha: float, start: str) -> dict[str, Any]:
    """Return the setting of a tree that is pruned by cost and complexity."""
    tree = {"ccp_alpha": alpha, "min_samples_leaf": 2}
    return {"tree": tree, "share": 0.0, "start": start, "resample": False}


def unpruned(share: float, start: str) -> dict[str, Any]:
    """Return the setting of a tree as the toolbox grows it, on samples drawn by the weights."""
    return {"tree": {}, "share": share, "start": start, "resample": True}


STARTS = ("equal", "by class")
SKLEARN, WEKA = "trees of scikit-learn", "J48 of Weka"
ERROR = "error (%)"
MINUS_STUMPS, MINUS_BOOSTED = "less AdaBoost with stumps", "less Boosted Distance"
RATIO = "mean error, AdaBoost with stumps = 1"
IMPROVED = "sets on which trees err less than stumps"
BEATEN = "sets on which Boosted Distance errs less than trees"
SETTINGS = {
    "small": (pruned(0.02, "equal"), pruned(0.02, "by class"), unpruned(0.05, "equal")),
    "paper": (
        *(pruned(alpha, start) for start in STARTS for alpha in (0.0, 0.01, 0.02, 0.05)),
        *(unpruned(share, "equal") for share in (0.0, 0.05, 0.1, 0.2)),
        *(unpruned(share, "by class") for share in (0.05, 0.1)),
    ),
}
WAYS = (
    {"start": "equal", "resample": False},
    {"start": "by class", "resample": False},
    {"start": "equal", "resample": True},
)


def tasks(context: Context) -> list[Task]:
    """Return the repetitions of all sets with scikit-learn's trees, then with Weka's."""
    common: list[dict[str, Any]] = [
        {
            "data_set": name,
            "options": OPTIONS.get(name, {}),
            "repetitions": list(range(first, min(first + BLOCK, REPETITIONS[context.scale]))),
            "rounds": ROUNDS[context.scale],
        }
        for name in sets_of(context)
        for first in range(0, REPETITIONS[context.scale], BLOCK)
    ]
    settings = {"settings": SETTINGS[context.scale]}
    outside = {"ways": WAYS, "versions": versions()}
    kernels = ("similarity", "stumps")
    return [
        Task("trees", boosted_trees, params | settings, (params["data_set"],), kernels)
        for params in common
    ] + [
        Task("outside_trees", outside_trees, params | outside, (params["data_set"],), ())
        for params in common
    ]


def named(learner: str, setting: Mapping[str, Any]) -> Row:
    """Return the keys of a variant of AdaBoost with trees."""
    pruning = "its own"
    if learner == SKLEARN:
        alpha = setting["tree"].get("ccp_alpha")
        pruning = f"none below {setting['share']:.0%}" if alpha is None else f"cost {alpha:g}"
    sample = "drawn by the weights" if setting["resample"] else "weighted"
    return {"learner": learner, "pruning": pruning, "start": setting["start"], "sample": sample}


def trees(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the errors of each variant, beside stumps and Boosted Distance on the same splits."""
    settings = [dict(setting) for setting in SETTINGS[context.scale]]
    variants = [named(SKLEARN, setting) for setting in settings]
    variants += [named(WEKA, way) for way in WAYS]
    rows: list[Row] = []
    errors: dict[str, dict[str, Any]] = {}
    for name in sets_of(context):
        own = [r.value["errors"] for r in results if _is(r, "trees", name)]
        outside = [r.value["errors"] for r in results if _is(r, "outside_trees", name)]
        if not own:
            keys = {"data_set": name, "quantity": ERROR, "learner": "all"}
            keys |= {"pruning": "", "start": "", "sample": ""}
            rows.append(absent(keys, None, results, name))
            continue
        errors[name] = _joined(own, outside, len(settings))
        rows += _rows_of_set(name, variants, errors[name])
    counted = {name: of_set for name, of_set in errors.items() if name not in SUBSTITUTES}
    rows += _summary(variants, counted)
    known = versions()
    without = ", ".join(each for each, number in known.items() if number is None)
    notes = [f"{ROUNDS[context.scale]} rounds.", MEASURE, *_chosen(rows)]
    if without:
        notes.append(f"Without {WEKA}: this machine has no {without}.")
    return Gathered(rows, notes)


def _is(result: Result, task: str, name: str) -> bool:
    return bool(result.name == task and result.params["data_set"] == name and result.value)


def _joined(
    own: Sequence[Mapping[str, Any]], outside: Sequence[Any], n_settings: int
) -> dict[str, Any]:
    """Return arrays over the repetitions; a variant that was not run is None."""
    joined: dict[str, Any] = {
        method: np.array([v for run in own for v in run[method]])
        for method in ("boosted", "stumps")
    }
    joined["trees"] = [
        np.array([v for run in own for v in run["trees"][i]]) for i in range(n_settings)
    ]
    ran = [run for run in outside if run is not None]
    for i in range(len(WAYS)):
        joined["trees"].append(np.array([v for run in ran for v in run[i]]) if ran else None)
    return joined


def _rows_of_set(name: str, variants: Sequence[Row], errors: Mapping[str, Any]) -> list[Row]:
    plain = {"pruning": "", "start": "by class", "sample": "weighted"}
    rows = [
        row_of(
            {"data_set": name, "quantity": ERROR, "learner": METHODS[method]} | plain,
            None,
            errors[method],
        )
        for method in ("stumps", "boosted")
    ]
    for variant, values in zip(variants, errors["trees"], strict=True):
        if values is None:
            keys = {"data_set": name, "quantity": ERROR} | variant
            rows.append(absent_row(keys, f"{PACKAGE} and Java are needed"))
            continue
        n = len(values)  # the same splits for every learner
        shown = {
            ERROR: values,
            MINUS_STUMPS: values - errors["stumps"][:n],
            MINUS_BOOSTED: values - errors["boosted"][:n],
        }
        for quantity, of_quantity in shown.items():
            keys = {"data_set": name, "quantity": quantity} | variant
            rows.append(row_of(keys, None, of_quantity))
    return rows


def _summary(variants: Sequence[Row], errors: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """Return, for all sets and for each half, what each variant shows."""
    rows = []
    for group, names in {"all sets": list(errors), **halves(errors)}.items():
        for place, variant in enumerate(variants):
            ran = [n for n in names if errors[n]["trees"][place] is not None]
            if ran and len(ran) == len(names):
                keys = {"data_set": group} | variant
                for quantity, value in _counts(errors, ran, place).items():
                    rows.append(number_row(keys | {"quantity": quantity}, None, value))
    return rows


def _counts(
    errors: Mapping[str, Mapping[str, Any]], names: Iterable[str], place: int
) -> dict[str, float]:
    ratios, improved, beaten = [], 0, 0
    for name in names:
        values = errors[name]["trees"][place]
        stumps = float(errors[name]["stumps"][: len(values)].mean())
        boosted = float(errors[name]["boosted"][: len(values)].mean())
        mean = float(values.mean())
        ratios.append(mean / stumps if stumps else 1.0)
        improved += mean < stumps
        beaten += boosted < mean
    return {RATIO: float(np.mean(ratios)), IMPROVED: int(improved), BEATEN: int(beaten)}


def variant_of(row: Row) -> tuple[str, ...]:
    """Return what names a variant, of one of its rows."""
    return tuple(str(row[key]) for key in ("learner", "pruning", "start", "sample"))


def best_variant(rows: Iterable[Row], group: str) -> tuple[str, ...] | None:
    """Return the variant of least mean error beside stumps over some sets, from a record's rows."""
    ratios = {
        variant_of(row): row["ours"]
        for row in rows
        if row["data_set"] == group and row["quantity"] == RATIO and row["ours"] is not None
    }
    return min(ratios, key=lambda variant: ratios[variant]) if ratios else None


def _chosen(rows: Sequence[Row]) -> list[str]:
    """Say what each half chooses, and what it shows on the other half."""
    notes = []
    for half, other in ((FIRST_HALF, SECOND_HALF), (SECOND_HALF, FIRST_HALF)):
        chosen = best_variant(rows, half)
        if chosen is None:
            continue
        shown = [
            f"{row['quantity']}: {row['ours']:.4g}"
            for row in rows
            if row["data_set"] == other and variant_of(row) == chosen
        ]
        if shown:
            notes.append(
                f"The {half} chooses {_words(chosen)}. On the {other}, {'; '.join(shown)}."
            )
    return notes


def _words(variant: tuple[str, ...]) -> str:
    learner, pruning, start, sample = variant
    return f"{learner} (pruning: {pruning}; starting weights: {start}; sample: {sample})"
