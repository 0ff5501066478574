"""Figures 8, 10 and 11 and Table 3 of Athitsos et al. (2005): k-nn errors, and their differences.

Views of the trainings (`trainings`). The paper's 10,000 test images are all that it speaks of, so
that chance is in the trainings alone. With k = 2 a tie goes to the nearest object, as with k = 1:
it is left out.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from paper_figures.boostmap.drawn import draw_errors
from paper_figures.boostmap.images import KS
from paper_figures.boostmap.ranks import NOTE, of_methods, view
from paper_figures.boostmap.trainings import CHAMFER, SIZES, needs
from paper_figures.rows import exact, number, published
from paper_figures.store import Row
from paper_figures.study import Gathered, Grid, Seen

SHOWN_K = (1, 3, 5, 10, 20, 50, 100)
PAIRED_K = (1, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100)
ALL = "all"
PAIRS = (
    ("Pa-Se-QS", "Pa-Se-QI"),
    ("Pa-Se-QI", "Fe-Se-QI"),
    ("Pa-Se-QS", "Fe-Se-QS"),
    ("Pa-Se-QS", CHAMFER),
)
HIGH = (80, 90, 95, 99)  # percentiles of figure 9


def errors_of(seen: Seen, method: str) -> list[list[float]]:
    """Return the k-nn errors in per cent, k = 1, 2, ..., of each training."""
    return [item["errors"] for item in of_methods(seen, [method]) if "errors" in item]


def curves(seen: Seen, methods: Sequence[str]) -> Gathered:
    """Return k-nn errors of some methods; the drawing holds them for every k."""
    rows, drawing = [], []
    for method in methods:
        errors = np.array(errors_of(seen, method))
        if len(errors):
            drawing.append({"method": method, "values": errors.mean(axis=0)})
            shown = [k for k in SHOWN_K if k <= errors.shape[1]]
            rows += [number({"method": method, "k": k}, errors[:, k - 1]) for k in shown]
    return Gathered(rows or seen.absent({"method": "all", "k": None}), [], drawing)


def table3(seen: Seen) -> Gathered:
    """Return the 1-nn and the best k-nn error in per cent, chamfer distance and embedding."""
    rows = seen.absent({"method": "all", "measure": None})
    printed = {row["measure"].split(" (")[0]: row for row in published("boostmap/table3.csv")}
    for method, column in ((CHAMFER, "chamfer"), ("BoostMap-Pa-Se-QS", "BoostMap-Pa-Se-QS")):
        errors = np.array(errors_of(seen, method))
        if not len(errors):
            continue
        best = int(errors.mean(axis=0).argmin()) + 1
        for measure, k in (("1-nn error", 1), ("best k-nn error", best)):
            share = printed[measure][column] if seen.scale == "paper" else None
            of_print = None if share is None else round(100 * share, 2)
            keys = {"method": method, "measure": measure, "at k": k}
            of_runs = errors[:, k - 1].round(2)
            if method == CHAMFER:  # the test images are the population: nothing is drawn
                rows.append(exact(keys, float(of_runs[0]), of_print))
            else:
                rows.append(number(keys, of_runs, of_print))
    note = f"Embeddings have {SIZES[seen.scale]['d']} dimensions; errors in per cent."
    return Gathered(rows, [NOTE, note])


def paired(seen: Seen) -> Gathered:
    """Return differences of k-nn errors in points, and ratios of ranks, training by training."""
    rows = seen.absent({"difference": "all", "k": None})
    notes = [
        "Differences of k-nn errors in points; the trainings of a pair share their objects. "
        "Negative: the first errs less. "
        f"k = {ALL}: the mean over all k but 2. Ranks: how much higher those of the parameter "
        "space are, the geometric mean over the percentiles 80, 90, 95 and 99 (of figure 9)."
    ]
    for first, second in PAIRS:
        mine, others = (np.array(errors_of(seen, _long(name))) for name in (first, second))
        if not len(mine) or not len(others):
            continue
        n = len(mine) if second == CHAMFER else min(len(mine), len(others))
        difference = mine[:n] - others[:n]  # the chamfer distance has one line for all
        name = f"{first} minus {second}"
        most = difference.shape[1]
        for k in (k for k in PAIRED_K if k <= most):
            rows.append(number({"difference": name, "k": k}, difference[:, k - 1]))
        but_2 = np.delete(difference, 1, axis=1).mean(axis=1)
        rows.append(number({"difference": name, "k": ALL}, but_2))
        below = int((difference.mean(axis=0) < 0).sum())
        notes.append(f"{name}: negative at {below} of the {most} k from 1 on.")
    for form in ("QI", "QS"):
        rows += _ranks(seen, f"Pa-Se-{form}", f"Fe-Se-{form}")
    return Gathered(rows, notes)


def _long(name: str) -> str:
    return name if name == CHAMFER else f"BoostMap-{name}"


def _ranks(seen: Seen, first: str, second: str) -> Iterator[Row]:
    """Yield how much higher the ranks of the first method are, in per cent, by k and over all."""
    a, b = (
        {item["draw"]: item["ranks"] for item in of_methods(seen, [_long(name)]) if item["whole"]}
        for name in (first, second)
    )
    logs = {
        k: [
            [np.log(a[draw][str(k)][p - 1] / b[draw][str(k)][p - 1]) for p in HIGH]
            for draw in a
            if draw in b
        ]
        for k in KS
        if all(str(k) in ranks for ranks in a.values())
    }
    for k, of_k in [*logs.items(), (ALL, np.hstack(list(logs.values())) if logs else [])]:
        if len(of_k):
            higher = 100 * np.expm1(np.mean(of_k, axis=1))
            yield number({"difference": f"ranks: {first} over {second}, %", "k": k}, higher)


# -------------------------------------------------------------------------------------- the views

OF_FIGURE8 = partial(curves, methods=("BoostMap-Pa-Se-QI", "BoostMap-Pa-Se-QS"))
OF_FIGURE10 = partial(
    curves, methods=[f"BoostMap-{f}-Se-{s}" for s in ("QI", "QS") for f in ("Fe", "Pa")]
)
OF_FIGURE11 = partial(curves, methods=(CHAMFER, "BoostMap-Pa-Se-QS"))
BY_K = Grid(("method",), ("k",))
CURVES: Any = {
    "draw": draw_errors,
    "alt": "k-nn error in per cent by k; each curve has its name at its end.",
    "size": (5.2, 3.4),
}
BEST = Grid(
    ("measure",),
    ("method",),
    details=("at k",),
    order={"measure": ("1-nn error", "best k-nn error")},
    headings={"at k": "reproduced at k"},
)
QUERIES = "query-insensitive against query-sensitive"
SPACES = "feature space against parameter space"
OURS = "chamfer distance against BoostMap-Pa-Se-QS"
BOTH = needs("Fe-Se", "Pa-Se")
VIEWS = (
    view("figure8", f"k-nn error: {QUERIES}", OF_FIGURE8, needs("Pa-Se"), BY_K, **CURVES),
    view("figure10", f"k-nn error: {SPACES}", OF_FIGURE10, BOTH, BY_K, **CURVES),
    view("figure11", f"k-nn error: {OURS}", OF_FIGURE11, needs("exact", "Pa-Se"), BY_K, **CURVES),
    view("table3", f"k-nn errors: {OURS}", table3, needs("exact", "Pa-Se"), BEST),
    view(
        "paired",
        "§§ 11.4 and 11.5: differences of k-nn errors and of ranks, training by training",
        paired,
        needs("exact", "Fe-Se", "Pa-Se"),
        Grid(("difference",), ("k",)),
    ),
)
