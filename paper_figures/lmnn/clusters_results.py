"""The rows of figure 4: means over runs by the number of metrics, and by who votes."""

from collections.abc import Sequence

import numpy as np

from paper_figures.store import Row
from paper_figures.tasks import Context, Gathered, Result, absent_rows

VOTERS = {"error": "points that trained", "all": "all points"}
BY_CLASS = "one for each class"


def figure4(context: Context, results: Sequence[Result]) -> Gathered:
    """Return means and deviations over runs."""
    rows = absent_rows(results, {"data set": "all", "metrics": None, "voters": None})
    groups: dict[tuple[str, int | None], list[Result]] = {}
    for r in (r for r in results if r.value is not None):
        groups.setdefault((r.params["data_set"], r.params["p"]), []).append(r)
    for (name, p), runs in groups.items():
        for key, voters in VOTERS.items():
            keys = {"data set": name, "metrics": BY_CLASS if p is None else p, "voters": voters}
            rows.append(_mean(keys, [r.value[key] for r in runs]))
    counts = sorted({len(runs) for runs in groups.values()})
    said = " or ".join(map(str, counts))
    notes = [
        f"Means of {said} runs (the paper: 100). Each holds out other 30 % of the training points, "
        "which end the printed steps early, and starts k-means elsewhere. The paper does not say "
        "whether the points held out vote in the test."
    ]
    return Gathered(rows, notes)


def _mean(keys: Row, errors: Sequence[float]) -> Row:
    row = keys | {"published": None, "ours": round(float(np.mean(errors)), 3)}
    if len(errors) == 1:
        return row | {"std": None}
    return row | {"std": float(np.std(errors, ddof=1)), "repetitions": len(errors)}
