"""Athitsos et al. (2005), beyond the paper: which edge detector fits Table 3 and FastMap.

The paper names no detector. Each one that `edges` tries is measured twice: by the k-nn errors of
the chamfer distance (Table 3), and by FastMap's best d and p (§ 11.2), for which nothing is
trained. A detector is chosen by Table 3's errors and checked on FastMap's d and p.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paper_figures.boostmap.fastmaps import fastmap_by_dimension
from paper_figures.boostmap.protocol import FASTMAP, SET, SPACE
from paper_figures.boostmap.readings import DETECTORS, WORDS, edges_tasks
from paper_figures.boostmap.results import best_of_errors, mean_row
from paper_figures.boostmap.trials import DIMENSIONS
from paper_figures.claims.evidence import SURE, binomial_error
from paper_figures.registry import Context, Gathered, Result, Task
from paper_figures.rows import absent_row, absent_rows, number_row
from paper_figures.store import Row

FASTMAPS: dict[str, dict[str, int]] = {
    "small": {"dimensions": 12, "draws": 2, "queries": 200},
    "paper": {"dimensions": 128, "draws": 5, "queries": 2000},
}
FIRST, BEST = "1-nn error, %", "best k-nn error, %"
BEST_D, ITS_P = "best d", "p at the best d"
OFF_TABLE3 = "points off Table 3's errors, mean"
OFF_FASTMAP = "factor to FastMap's printed d and p, mean"
TESTED = 10_000  # MNIST's test images, all of which `edges` and Table 3 have
FORMS = {False: "kept", True: "set to 0"}
"""What becomes of FastMap's squares below 0."""


def fastmap_tasks(context: Context) -> list[Task]:
    """Return a task for each detector, with negative squares kept and set to 0, and those of edges.

    The detectors are those of `edges`, whose tasks have their k-nn errors.
    """
    return [
        Task(
            "fastmap_by_dimension",
            fastmap_by_dimension,
            {"data_set": SET[context.scale], **SPACE[context.scale]}
            | FASTMAPS[context.scale]
            | {"detector": detector, "n_train": FASTMAP[context.scale], "clip": clip},
            data=(SET[context.scale],),
            kernels=("chamfer",),
        )
        for detector in DETECTORS[context.scale]
        for clip in FORMS
    ] + edges_tasks(context)


def fastmap_table(context: Context, results: Sequence[Result]) -> Gathered:
    """Return k-nn errors, FastMap's best d and its p by detector, and which detector fits both."""
    nothing: Row = {"detector": "all", "squares below 0": None, "quantity": None, "printed": None}
    rows = absent_rows(results, nothing)
    printed = _printed(context)
    measured: dict[str, dict[str, Any]] = {}
    for detector in DETECTORS[context.scale]:
        mine = [r for r in results if r.value and tuple(r.params["detector"]) == detector]
        name = WORDS[detector[0]].format(*detector[1:])
        lost = max((r.value["lost"] for r in mine), default=0)
        if lost:
            why = f"{lost} images lose all their edges, and have no chamfer distance"
            rows.append(absent_row(nothing | {"detector": name, "quantity": "all"}, why))
        else:
            measured[name] = _measured(mine)
            rows += _rows_of_detector(name, measured[name], printed)
    off = _off_rows(measured, printed)
    queries = FASTMAPS[context.scale]["queries"]
    note = (
        "d and p with the fewest exact distances, p + those that embed a query, for all 10 nearest "
        f"of 98 % of {queries:,} queries (§ 11.2); every d up to "
        f"{FASTMAPS[context.scale]['dimensions']} is tried. Means over draws of "
        f"{FASTMAP[context.scale]:,} objects and of pivots. The errors are the chamfer distance's."
    )
    said = _chosen(off, measured, printed) + _fits(measured, printed) if off else []
    return Gathered(rows + off, [note, *said])


def _printed(context: Context) -> dict[str, float]:
    """Return what Table 3 and § 11.2 print, by quantity; nothing at another scale."""
    if context.scale != "paper":
        return {}
    errors = [100 * row["chamfer"] for row in context.published("boostmap/table3.csv")]
    lines = context.published("boostmap/section11_2.csv")
    line = next(line for line in lines if line["method"] == "FastMap")
    known = {FIRST: round(errors[0], 2), BEST: round(errors[1], 2)}
    return known | {BEST_D: line["dimensions"], ITS_P: line["candidates_p"]}


def _measured(results: Sequence[Result]) -> dict[str, Any]:
    """Return a detector's values by quantity: of the errors one, of FastMap by form and draw."""
    values: dict[str, Any] = {}
    for r in results:
        if r.name == "edges":
            (first, _), (best, k) = best_of_errors(r.value["errors"])
            values |= {FIRST: first, BEST: best, "k": k}
        else:
            values[FORMS[r.params["clip"]]] = best_of_draws(r.value["draws"])
    return values


def best_of_draws(draws: Sequence[Mapping[str, Any]]) -> dict[str, list[float]]:
    """Return the best d, its p, and p at 11 dimensions, each by draw."""
    best = []
    for draw in draws:
        totals = np.array(draw["p"]) + np.array(draw["cost"])
        best.append(int(totals.argmin()))
    quantities = {
        BEST_D: [place + 1.0 for place in best],
        ITS_P: [float(draw["p"][place]) for draw, place in zip(draws, best, strict=True)],
    }
    at_11 = [float(draw["p"][DIMENSIONS - 1]) for draw in draws if len(draw["p"]) >= DIMENSIONS]
    if len(at_11) == len(draws):
        quantities[f"p at d = {DIMENSIONS}"] = at_11
    return quantities


def _rows_of_detector(
    name: str, values: Mapping[str, Any], printed: Mapping[str, float]
) -> list[Row]:
    rows = []
    if FIRST in values:
        keys: Row = {"detector": name, "squares below 0": None}
        for quantity in (FIRST, BEST):
            more = {"quantity": quantity, "printed": printed.get(quantity)}
            rows.append(number_row(keys | more, None, values[quantity]))
        more = {"quantity": "k of the best error", "printed": 5 if printed else None}
        rows.append(number_row(keys | more, None, values["k"]))
    for form in FORMS.values():
        keys = {"detector": name, "squares below 0": form}
        for quantity, of_draws in values.get(form, {}).items():
            known = printed.get(quantity, printed.get(ITS_P))
            more = {"quantity": quantity, "printed": known}
            rows.append(mean_row(keys | more, None, of_draws))
    return rows


def _off_rows(measured: Mapping[str, Mapping[str, Any]], printed: Mapping[str, float]) -> list[Row]:
    """Return how far each detector is off Table 3, and off FastMap's d and p in each form."""
    rows = []
    for name, values in measured.items() if printed else ():
        keys: Row = {"detector": name, "squares below 0": None, "printed": None}
        if FIRST in values:
            off = [abs(values[quantity] - printed[quantity]) for quantity in (FIRST, BEST)]
            mean = round(float(np.mean(off)), 3)
            rows.append(number_row(keys | {"quantity": OFF_TABLE3}, None, mean))
        for form in (form for form in FORMS.values() if form in values):
            logs = [
                abs(math.log(float(np.mean(values[form][quantity])) / printed[quantity]))
                for quantity in (BEST_D, ITS_P)
            ]
            more = {"squares below 0": form, "quantity": OFF_FASTMAP}
            factor = round(math.exp(float(np.mean(logs))), 3)
            rows.append(number_row(keys | more, None, factor))
    return rows


def _chosen(
    off: Sequence[Row], measured: Mapping[str, Mapping[str, Any]], printed: Mapping[str, float]
) -> list[str]:
    """Say which detector Table 3 chooses, what FastMap shows with it, and with which it is nearest.

    Table 3 does not choose the form of FastMap's squares, so both are shown for its detector.
    """
    points = {row["detector"]: row["ours"] for row in off if row["quantity"] == OFF_TABLE3}
    factors = {
        (row["detector"], row["squares below 0"]): row["ours"]
        for row in off
        if row["quantity"] == OFF_FASTMAP
    }
    if not points or not factors:
        return []
    chosen = min(points, key=lambda name: points[name])
    nearest = min(factors, key=lambda of: factors[of])

    def shown(name: str, form: str) -> str:
        d, p = (float(np.mean(measured[name][form][quantity])) for quantity in (BEST_D, ITS_P))
        return f"d = {d:.1f} and p = {p:,.0f}, squares {form}: a factor {factors[name, form]:g}"

    said = f"Table 3's two errors choose {chosen}, {points[chosen]:g} points off."
    forms = [shown(name, form) for name, form in factors if name == chosen]
    if forms:
        said += f" FastMap then has {'; '.join(forms)} to the print "
        said += f"({printed[BEST_D]:g} and {printed[ITS_P]:,.0f})."
    same = "the same one" if nearest[0] == chosen else nearest[0]
    return [f"{said} FastMap is nearest with {same} ({shown(*nearest)})."]


def _fits(measured: Mapping[str, Mapping[str, Any]], printed: Mapping[str, float]) -> list[str]:
    """Say which detectors fit Table 3, FastMap, and both at once, within two standard errors.

    An error has a binomial error over the test images, and so has the printed one. The printed d
    and p are taken as a single draw.
    """
    of_table3 = [
        name
        for name, values in measured.items()
        if FIRST in values
        and all(
            abs(values[quantity] - printed[quantity])
            <= SURE * math.sqrt(2.0) * binomial_error(printed[quantity], TESTED)
            for quantity in (FIRST, BEST)
        )
    ]
    of_fastmap = [
        name
        for name, values in measured.items()
        if any(
            all(near_a_draw(values[form][q], printed[q]) for q in (BEST_D, ITS_P))
            for form in FORMS.values()
            if form in values
        )
    ]
    both = [name for name in of_table3 if name in of_fastmap]
    listed = ["; ".join(names) or "none" for names in (of_table3, of_fastmap, both)]
    return [
        f"Within two standard errors of both printed k-nn errors: {listed[0]}. Of FastMap's d and "
        f"p: {listed[1]}. At once: {listed[2]}."
    ]


def near_a_draw(values: Sequence[float], printed: float) -> bool:
    """Return whether a printed number may be one more draw: two standard errors of the difference.

    A single value has no error, so that it is near to itself alone.
    """
    n = len(values)
    error = float(np.std(values, ddof=1)) * math.sqrt(1.0 + 1.0 / n) if n > 1 else 0.0
    return abs(float(np.mean(values)) - printed) <= SURE * error
