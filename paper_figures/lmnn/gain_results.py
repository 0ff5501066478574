"""The table of what ball trees gain in training (§ 4.2)."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from paper_figures.store import Row
from paper_figures.tasks import Context, Gathered, Result, absent_rows, number_row

NAMES = {
    "scan": "scan",
    "balls": "balls (eq. 7)",
    "small balls": "balls (eq. 7), leaves of 16",
    "boxes": "boxes",
    "products": "products",
}
# § 4.2, of the whole training. It does not name the points: ours are all digits, as in its Figure 2
PRINTED = {10: 1.9, 100: 1.2}
ALL_DIGITS = 60_000
COUNTED = "distances, times fewer than the scan"
SEARCH = "search, times as fast as the scan"
TRAINING = "training, times as fast as with the scan"
SHARE = "search, share of the training (%)"
BUILT = "building trees, share of the search (%)"
MEASURES = (COUNTED, SEARCH, TRAINING, SHARE, BUILT)


def training_gain(context: Context, results: Sequence[Result]) -> Gathered:
    """Return gains by counts, in the search and in the training, by points, way and dimensions."""
    rows = absent_rows(results, {"N": None, "measure": None, "way": "all", "dimensions": None})
    gains: list[Row] = []
    for r in (r for r in results if r.value is not None):
        for way in NAMES:
            gains += _of_way(r, way, context.scale == "paper")
    notes = [
        "The impostors of a training by the printed steps, under three of its metrics, on one "
        "thread. Every way finds the same ones, one after the other. The scan compares each point "
        "with all points of other classes by the trees' own loop, in rotated coordinates; sums end "
        "after every sixteen coordinates. § 4.2 prints the gain of the training alone."
    ]
    gains.sort(key=lambda row: MEASURES.index(row["measure"]))
    return Gathered(rows + gains, notes)


def _of_way(result: Result, way: str, paper: bool) -> Iterator[Row]:
    value, n, d = result.value, result.params["n"], result.params["d"]
    keys = {"N": n, "way": NAMES[way], "dimensions": d}
    mine, scan = (np.array(value["seconds_of"][name]) for name in (way, "scan"))
    rest, searches = value["rest"], value["searches"]
    whole = rest + searches * mine
    if way != "scan":
        fewer = 1 / np.array(value["share"][way])
        yield _mean(keys | {"measure": COUNTED}, fewer)
        yield _mean(keys | {"measure": SEARCH}, scan / mine)
        printed = PRINTED.get(d) if paper and way == "balls" and n == ALL_DIGITS else None
        yield _mean(keys | {"measure": TRAINING}, (rest + searches * scan) / whole, printed)
    yield _mean(keys | {"measure": SHARE}, 100 * searches * mine / whole)
    if way not in ("products", "scan"):
        built = np.array(value["built"][way])
        yield _mean(keys | {"measure": BUILT}, 100 * built / mine)


def _mean(keys: Row, values: Any, published: float | None = None) -> Row:
    mean = round(float(np.mean(values)), 3)
    if len(values) == 1:
        return number_row(keys, published, mean)
    return keys | {
        "published": published,
        "ours": mean,
        "std": float(np.std(values, ddof=1)),
        "repetitions": len(values),
    }
