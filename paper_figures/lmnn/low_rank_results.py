"""The rows of figure 2: errors, differences of two methods digit by digit, and searches."""

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np

from paper_figures.store import Row
from paper_figures.tasks import Context, Gathered, Result, absent_rows, number_row

SOLVERS = {"printed": "printed steps", "optimum": "optimum"}
EUCLIDEAN = "Euclidean, all components"
ERROR = "test error (%)"
COMPARED = "errors less those of {} (%)"
SEARCHES = (  # measure, way, baseline
    ("balls, times as fast as the scan", "balls", "scan"),
    ("boxes, times as fast as the scan", "boxes", "scan"),
    ("balls, times as fast as one leaf", "balls", "leaf"),
)
COUNTS = (
    ("points compared, balls (%)", "balls"),
    ("points compared, boxes (%)", "boxes"),
    ("coordinates added up, scan (%)", "terms"),
)
FEWER = "balls, times fewer coordinates than the scan"
OTHERS = ("PCA", "LMNN-SVD", "all components")  # what errors are compared with
OF_SEARCHES = (*(measure for measure, *_ in SEARCHES), FEWER, *(measure for measure, _ in COUNTS))

Measured = Mapping[str, Any]


def figure2(context: Context, results: Sequence[Result]) -> Gathered:
    """Return test errors, their differences, and what searches cost, by method and rank."""
    rows = absent_rows(results, {"method": "all", "dimensions": None, "measure": None})
    measured = dict(_measured(results))
    for (method, dimensions), value in measured.items():
        keys = {"method": method, "dimensions": dimensions}
        error = number_row(keys | {"measure": ERROR}, None, round(value["error"], 2))
        rows += [error, *_differences(keys, value, measured), *_searches(keys, value)]
    return Gathered(rows, list(_notes(results)), _drawing(measured))


def _measured(results: Sequence[Result]) -> Iterator[tuple[tuple[str, int], Measured]]:
    """Yield the method and the dimensions of everything that was measured."""
    for r in (r for r in results if r.value is not None):
        if r.name == "low_rank_rect":
            yield (f"LMNN-RECT, {SOLVERS[r.params['solver']]}", r.params["r"]), r.value
            continue
        solver = SOLVERS.get(r.params.get("solver", ""))
        full = EUCLIDEAN if solver is None else f"LMNN, full rank, {solver}"
        low = "PCA" if solver is None else f"LMNN-SVD, {solver}"
        yield (full, r.params["d"]), r.value["full"]
        for rank, value in r.value["ranks"].items():
            yield (low, int(rank)), value


def _differences(
    keys: Row, value: Measured, measured: Mapping[tuple[str, int], Measured]
) -> Iterator[Row]:
    """Yield the errors less those of PCA, of LMNN-SVD and of all components, on the same points."""
    method, dimensions = keys["method"], keys["dimensions"]
    if "RECT" not in method and "SVD" not in method:
        return
    others = {"PCA": ("PCA", dimensions)}
    if "RECT" in method:
        others["LMNN-SVD"] = (method.replace("RECT", "SVD"), dimensions)
    others["all components"] = next((at for at in measured if at[0] == EUCLIDEAN), ("", 0))
    for name, at in others.items():
        if at not in measured:
            continue
        points = _test_points(value)
        less, error = difference(set(value["wrong"]), set(measured[at]["wrong"]), points)
        yield keys | {
            "measure": COMPARED.format(name),
            "published": None,
            "ours": round(less, 3),
            "std": error,
            "repetitions": 1,
        }


def _test_points(value: Measured) -> int:
    """Return the number of test points, from the errors and their share; 1 without errors."""
    wrong = len(value["wrong"])
    return round(100 * wrong / value["error"]) if wrong else 1


def difference(mine: Set[int], others: Set[int], points: int) -> tuple[float, float]:
    """Return errors of one method less those of another in per cent, and the standard error.

    Parameters
    ----------
    mine, others : set of int
        The test points that each method gets wrong.
    points : int
        The number of test points.
    """
    alone = len(mine - others), len(others - mine)
    share = (alone[0] - alone[1]) / points
    # one more on each side, so that two equal methods have an error too
    variance = (sum(alone) + 2) / points - share**2
    return 100 * share, 100 * math.sqrt(max(variance, 0.0) / points)


def _searches(keys: Row, value: Measured) -> Iterator[Row]:
    """Yield ratios of seconds, over parts of the queries, and the counts."""
    for measure, way, baseline in SEARCHES:
        parts = np.array(value["seconds_of"][way])
        whole = np.array(value["seconds_of"][baseline])
        if not (parts > 0).all():  # too short for the clock
            continue
        ratios = whole / parts
        yield keys | {
            "measure": measure,
            "published": None,
            "ours": round(float(whole.sum() / parts.sum()), 2),
            "std": float(ratios.std(ddof=1)),
            "repetitions": len(ratios),
        }
    for measure, name in COUNTS:
        yield number_row(keys | {"measure": measure}, None, round(100 * value[name], 2))
    fewer = value["terms"] / value["balls"]
    yield number_row(keys | {"measure": FEWER}, None, round(fewer, 2))


def _notes(results: Sequence[Result]) -> Iterator[str]:
    yield (
        "k = 3. The printed steps go from the Euclidean metric on the points as given; the optimum "
        "is that of eq. 3, for RECT a local one. The scan is that of § 4.2. Each way to search "
        "gets the same queries in the same run, part by part; its ratio is one of processor "
        "seconds, and its error that over the parts."
    )
    best = {
        r.params["solver"]: r.value["objective"]
        for r in results
        if r.value is not None and r.name == "low_rank_full"
    }
    steps = max((r.value.get("steps", 0) for r in results if r.value is not None), default=0)
    if len(best) == 2:
        above = 100 * (best["printed"] / best["optimum"] - 1)
        yield (f"The {steps} printed steps of the full metric end {above:.0f} % above its optimum.")


def _drawing(measured: Mapping[tuple[str, int], Measured]) -> dict[str, Any]:
    """Return by method and rank the error and the gains, and the error of all components."""
    drawing: dict[str, Any] = {"methods": {}}
    for (method, dimensions), value in measured.items():
        if method == EUCLIDEAN:
            drawing["baseline"] = value["error"]
        elif "full rank" not in method:
            seconds = {way: sum(times) for way, times in value["seconds_of"].items()}
            drawing["methods"].setdefault(method, {})[str(dimensions)] = {
                "error": value["error"],
                "balls": seconds["scan"] / seconds["balls"] if seconds["balls"] else None,
                "boxes": seconds["scan"] / seconds["boxes"] if seconds["boxes"] else None,
                "fewer": value["terms"] / value["balls"],
            }
    return drawing
