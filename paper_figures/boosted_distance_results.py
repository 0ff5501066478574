"""Amores, Sebe & Radeva (2006): table 2 and figures 2, 4 and 5, all from the same repetitions.

T is not printed in the paper. Rule: one T for both boosted methods and all sets, the smallest at which the
cross-validated error, within training samples alone and averaged over sets, samples and the two methods, is within
one standard error (of the paired difference) of the least. The test parts are not looked at.
"""

import numpy as np

from paper_figures.boosted_distance_tasks import NAMES, cross_validation, repetition
from paper_figures.registry import Gathered, Task

ROUNDS = {
    "small": (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100),
    "paper": (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500),
}
TREE_ROUNDS = (1, 3, 10, 30, 100)
REPETITIONS = {"small": 10, "paper": 100}
SAMPLES = {"small": 4, "paper": 10}
OPTIONS = {"splice": {"order": "appearance"}, "credit": {"order": "appearance"}}
SMALL = {"wdbc": "wdbc-small", "MNIST": "digits17"}
HIGH = ("ad", "gender", "MNIST", "arrhythmia")
BALANCED = 1  # of the two errors that a task stores: the mean of the two classes' error rates
METHODS = {"boosted": "Boosted Distance", "stumps": "AdaBoost, stumps", "trees": "AdaBoost, C4.5-like trees"}
MEASURE = (
    "Errors are means of the two classes' error rates. The paper does not name its measure; in a trial of 20 "
    "repetitions and T = 200 this one gave pima 31.8 / 29.0 (AdaBoost / Boosted Distance; printed 31.02 / 28.91), "
    "ionosphere 19.6 / 15.7 (19.92 / 16.27), arrhythmia 31.0 / 25.8 (31.39 / 25.78), german 33.9 / 31.8 "
    "(34.31 / 32.40), while the share of all test vectors gave 29.1 / 25.8, 15.7 / 11.9, 30.1 / 24.6, 30.2 / 27.8."
)
NORMALISED = (
    "Boosted Distance uses the similarity divided by sum_t alpha_t (ERRATUM BD-2). The literal sum of Algorithm A.3 "
    "grows worse with T: on wbc 4 % against 30 % at T = 500 in the same trial."
)
WHY = {
    "ad": "a substitute for ad.data: distinct binary rows, without the three geometry columns",
    "splice": "letters numbered as they appear in the file (C, A, G, T): alphabetical numbers gave 5.2 / 3.9 for "
    "AdaBoost / Boosted Distance; Mah-CD gives weight 0 to positions constant within a class, with a ridge of 1e-3 "
    "it fell from 22.7 to 14.3 (10.4 with alphabetical numbers)",
}
DEFAULT_WHY = "T is not printed; see the notes for T, the measure and the readings tried"


def _sets(context):
    names = [row["data_set"] for row in context.published("boosted_distance_table2.csv")]
    return {SMALL[name]: name for name in SMALL} if context.scale == "small" else {name: name for name in names}


def _tasks(context, names):
    rounds = ROUNDS[context.scale]
    return [
        Task(
            "repetition",
            repetition,
            {"data_set": name, "options": OPTIONS.get(name, {}), "repetition": i, "rounds": rounds,
             "tree_rounds": TREE_ROUNDS},
            data=(name,),
            kernels=("stumps",),
        )
        for name in names
        for i in range(REPETITIONS[context.scale])
    ]


def tasks(context):
    """All repetitions, and the cross-validation that chooses T."""
    names = _sets(context)
    return _tasks(context, names) + [
        Task(
            "cross_validation",
            cross_validation,
            {"data_set": name, "options": OPTIONS.get(name, {}), "repetition": i, "rounds": ROUNDS[context.scale],
             "folds": 5},
            data=(name,),
            kernels=("stumps",),
        )
        for name in names
        for i in range(SAMPLES[context.scale])
    ]


def chosen_rounds(context, results):
    """Give T by the rule above, as its place among the rounds."""
    runs = [r.value for r in results if r.name == "cross_validation" and r.value]
    errors = np.array([[np.array(run[m])[:, BALANCED] for m in ("boosted", "stumps")] for run in runs]).mean(axis=1)
    best = errors.mean(axis=0).argmin()
    worse = errors - errors[:, [best]]
    margin = worse.std(axis=0, ddof=1) / np.sqrt(len(runs))
    return int(np.flatnonzero(worse.mean(axis=0) <= margin)[0])


def _by_set(context, results):
    """Errors by data set and method: arrays with a row per repetition."""
    found = {}
    for name in _sets(context):
        runs = [r.value for r in results if r.name == "repetition" and r.params["data_set"] == name and r.value]
        if runs:
            found[name] = {m: np.array([np.array(r["errors"][m])[..., BALANCED] for r in runs])
                           for m in runs[0]["errors"]}
    return found


def _at(errors, method, place, rounds):
    if method in NAMES:
        return errors[method]
    if method == "trees":
        return errors[method][:, max(i for i, t in enumerate(TREE_ROUNDS) if t <= max(1, rounds[place]))]
    return errors[method][:, place]


def _row(keys, published, values, why):
    row = keys | {"published": published, "ours": float(values.mean()), "std": float(values.std(ddof=1)),
                  "repetitions": len(values)}
    error = row["std"] / len(values) ** 0.5
    if published is not None and abs(row["ours"] - published) > 2 * error:
        row["why"] = why
    return row


def _absent(keys, published, results, name):
    why = next((r.why for r in results if r.params["data_set"] == name and r.why), "not available")
    return keys | {"published": published, "ours": None, "std": None, "status": "not available", "why": why}


def table2(context, results):
    """NN with its best distance, AdaBoost, Boosted Distance, and their difference, for each set."""
    printed = {row["data_set"]: row for row in context.published("boosted_distance_table2.csv")}
    rounds, place, found = ROUNDS[context.scale], chosen_rounds(context, results), _by_set(context, results)
    rows, wins = [], 0
    for name, paper_name in _sets(context).items():
        line = {} if name == "digits17" else printed[paper_name]
        wanted = (("nn", "NN"), ("adaboost", METHODS["stumps"]), ("boosted_distance", METHODS["boosted"]),
                  ("diff", "difference"))
        if name not in found:
            rows += [_absent({"data_set": name, "method": m}, line.get(c), results, name) for c, m in wanted]
            continue
        errors, why = found[name], WHY.get(name, DEFAULT_WHY)
        best = min(NAMES, key=lambda d: errors[d].mean())
        ada, ours = (_at(errors, m, place, rounds) for m in ("stumps", "boosted"))
        wins += ours.mean() < ada.mean()
        label = f"NN, best distance ({best}; printed {line.get('best_nn_distance', '-')})"
        for (column, method), values in zip(wanted, (errors[best], ada, ours, ada - ours), strict=True):
            method = label if column == "nn" else method
            rows.append(_row({"data_set": name, "method": method}, line.get(column), values, why))
    notes = [
        f"T = {rounds[place]}, the smallest whose cross-validated error within training samples is within one "
        "standard error of the least.",
        MEASURE,
        NORMALISED,
        f"Boosted Distance has the lower error on {wins} of {len(found)} sets (printed: 13 of 15).",
    ]
    return Gathered(rows, notes)


def figure2_tasks(context):
    """The repetitions of the high-dimensional sets."""
    return _tasks(context, [name for name, paper in _sets(context).items() if paper in HIGH])


def figure2(context, results):
    """Accuracy by the number of rounds."""
    rows, rounds = [], ROUNDS[context.scale]
    found = _by_set(context, results)
    for name, paper_name in _sets(context).items():
        if paper_name not in HIGH:
            continue
        if name not in found:
            rows.append(_absent({"data_set": name, "method": "all", "rounds": 0}, None, results, name))
            continue
        for method in ("boosted", "stumps"):
            for i, t in enumerate(rounds):
                keys = {"data_set": name, "method": METHODS[method], "rounds": t}
                rows.append(_row(keys, None, 100 - found[name][method][:, i], ""))
        keys = {"data_set": name, "method": "NN (L2)", "rounds": 0}
        rows.append(_row(keys, None, 100 - found[name]["L2"], ""))
    return Gathered(rows, ["Accuracy is 100 minus the mean of the two classes' error rates.", NORMALISED])


def _bars(context, results, methods):
    rounds, place, found = ROUNDS[context.scale], chosen_rounds(context, results), _by_set(context, results)
    rows = []
    for name in _sets(context):
        if name not in found:
            rows.append(_absent({"data_set": name, "method": "all"}, None, results, name))
            continue
        errors = found[name]
        for method in methods:
            source = min(NAMES, key=lambda d: errors[d].mean()) if method == "nn" else method
            keys = {"data_set": name, "method": METHODS.get(method, "NN, best distance")}
            rows.append(_row(keys, None, _at(errors, source, place, rounds), ""))
    return Gathered(rows, [f"T = {rounds[place]} (trees: at most {max(TREE_ROUNDS)}).", MEASURE])


def figure4(context, results):
    """AdaBoost with stumps and with trees, and Boosted Distance."""
    return _bars(context, results, ("stumps", "trees", "boosted"))


def figure5(context, results):
    """The methods of figure 4 and NN with the best distance, with 95 % intervals."""
    return _bars(context, results, ("nn", "stumps", "trees", "boosted"))
