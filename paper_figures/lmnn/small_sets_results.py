"""The rows of `lmnn.small_sets`: means over splits, and how one metric compares, split by split."""

from collections.abc import Sequence

import numpy as np

from paper_figures.registry import Context, Gathered, Result
from paper_figures.rows import absent_rows
from paper_figures.store import Row

MEASURES = {"test": "test error (%)", "train": "training error (%)"}
LESS = "test error less that of one metric (%)"
ONE = "one metric"


def small_sets(context: Context, results: Sequence[Result]) -> Gathered:
    """Return test and training errors of each method on each set."""
    rows = absent_rows(results, {"data set": "all", "method": None, "measure": None})
    by_set: dict[str, list[Result]] = {}
    for r in (r for r in results if r.value is not None):
        by_set.setdefault(r.params["data_set"], []).append(r)
    for name, splits in by_set.items():
        for method in splits[0].value:
            keys = {"data set": name, "method": method}
            for key, measure in MEASURES.items():
                errors = [r.value[method][key] for r in splits]
                rows.append(_mean(keys | {"measure": measure}, errors))
            if method != ONE:
                less = [r.value[method]["test"] - r.value[ONE]["test"] for r in splits]
                rows.append(_mean(keys | {"measure": LESS}, less))
    most = max((r.params["most"] for r in results), default=0)
    notes = [
        f"Means over splits. Two thirds of a set train, {most} points at most, standardised; "
        "k = 3. Several metrics: one for each class; 30 % of the points are held out and end the "
        "steps, which is the estimator's default, or none are and the training goes on to the "
        "optimum. Training errors of neighbours leave a point out. The SVC has an RBF kernel; "
        "cross validation chooses C."
    ]
    return Gathered(rows, notes)


def _mean(keys: Row, values: Sequence[float]) -> Row:
    row = keys | {"published": None, "ours": round(float(np.mean(values)), 3)}
    if len(values) == 1:
        return row | {"std": None}
    return row | {"std": float(np.std(values, ddof=1)), "repetitions": len(values)}
