"""Athitsos et al. (2005), beyond the paper: when BoostMap pays.

Exact distances a query at equal recall, for six distances that are no vectors' own.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from paper_figures.boostmap.exact_counts import RECALLS, exact_counts
from paper_figures.boostmap.graphs import has_pynndescent
from paper_figures.boostmap.results import mean_row
from paper_figures.registry import Context, Gathered, Result, Task
from paper_figures.rows import absent_row, absent_rows
from paper_figures.store import Row

KINDS = {
    "edit": "splice",
    "DTW": "pen-digits",
    "KL": "opt-digits",
    "Hausdorff": "MNIST-10",
    "chamfer": "MNIST-10",
    "cosine": "isolet",
}
"""The data set of each distance at the papers' scale."""
SMALL_SET = "digits"
FEWER = {"splice": 1135}
"""The database's size where a set has no 2,000 objects beside the queries."""
DRAWS = {"small": 2, "paper": 5}
OBJECTS = {"small": 200, "paper": 2000}
QUERIES = {"small": 40, "paper": 400}
SIZES: dict[str, dict[str, Any]] = {
    "small": {
        "candidates": 60,
        "objects": 80,
        "triples": 1000,
        "k_most": 12,
        "M_1": 40,
        "M_2": 10,
        "d": 16,
        "dimensions": (4, 8, 16),
        "query_sensitive": 16,
        "neighbors": 0,
    },
    "paper": {
        "candidates": 400,
        "objects": 600,
        "triples": 30_000,
        "k_most": 60,
        "M_1": 200,
        "M_2": 50,
        "d": 64,
        "dimensions": (4, 8, 16, 32, 64),
        "query_sensitive": 64,
        "neighbors": 20,
    },
}
EMBEDDINGS = "BoostMap"
NOT_REACHED = "no width of the search that was tried reaches the recall"
LIBRARY = "PyNNDescent is not installed: pip install refimpl[libraries]"


def pays_tasks(context: Context) -> list[Task]:
    """Return a task for each distance and draw."""
    small = context.scale == "small"
    tasks = []
    for draw in range(DRAWS[context.scale]):
        for kind, of_paper in KINDS.items():
            data_set = SMALL_SET if small else of_paper
            params = {
                "kind": kind,
                "data_set": data_set,
                "objects": FEWER.get(data_set, OBJECTS[context.scale]),
                "queries": QUERIES[context.scale],
                "sizes": SIZES[context.scale],
                "draw": draw,
            }
            kernels = ("chamfer", "losses", "scan")
            tasks.append(
                Task("exact_counts", exact_counts, params, data=(data_set,), kernels=kernels)
            )
    return tasks


def pays(context: Context, results: Sequence[Result]) -> Gathered:
    """Return exact distances a query by distance, method and recall, means over the draws."""
    empty: Row = {"distance": "all", "method": None, "recall": None}
    rows = absent_rows(results, empty)
    notes = list(_NOTES)
    for kind in KINDS:
        values = [r.value for r in results if r.value and r.params["kind"] == kind]
        if not values:
            continue
        for recall in RECALLS:
            counts = _counts(values, recall)
            if counts:
                rows += _rows(kind, recall, values, counts)
    if context.scale == "paper" and not has_pynndescent():
        rows.append(absent_row(empty | {"method": "PyNNDescent"}, LIBRARY))
    return Gathered(rows, notes + _who_wins(results))


_NOTES = (
    "Exact distances a query, with those that embed it, for a recall of so many per cent of its 10 "
    "nearest. Half of the queries choose d and p, or the width of a search; the other half gives "
    "the recall that stands in small beside the count. An object as near as the tenth counts as "
    "found. Means over draws of database and queries; a star: the fewest.",
    "Before the first query a method takes the distances under `build`: BoostMap those of its "
    "candidates and triples and those that embed the database, a tree or a graph those of its "
    "links. No time is in this table: where a distance is cheap, a scan of all of them is fastest.",
)


def _counts(values: Sequence[dict[str, Any]], recall: int) -> dict[str, list[float]]:
    """Return each method's distances by draw, of methods that reach the recall in every draw."""
    counts = {}
    for method in values[0]["methods"]:
        reached = [value["methods"][method]["at"].get(str(recall)) for value in values]
        if all(reached):
            counts[method] = [at["distances"] for at in reached]
    return counts


def _rows(
    kind: str, recall: int, values: Sequence[dict[str, Any]], counts: dict[str, list[float]]
) -> list[Row]:
    fewest = min(counts, key=lambda method: float(np.mean(counts[method])))
    rows = []
    for method in values[0]["methods"]:
        keys = {"distance": kind, "method": method, "recall": recall}
        if method not in counts:
            rows.append(absent_row(keys, NOT_REACHED))
            continue
        at = [value["methods"][method]["at"][str(recall)]["recall"] for value in values]
        build = [value["methods"][method]["build"] for value in values]
        keys |= {
            "reached": round(float(np.mean(at)), 1),
            "build": round(float(np.mean(build))),
            "fewest": "yes" if method == fewest else "no",
        }
        rows.append(mean_row(keys, None, counts[method]))
    return rows


def _who_wins(results: Sequence[Result], recall: int = 95) -> list[str]:
    """Say for each distance whether the best form of BoostMap takes fewer distances than rivals.

    A difference counts from two of its standard errors on, over the draws that both share.
    """
    said: dict[str, list[str]] = {"fewer": [], "more": [], "no sure difference": []}
    for kind in KINDS:
        values = [r.value for r in results if r.value and r.params["kind"] == kind]
        counts = _counts(values, recall) if values else {}
        ours = {m: c for m, c in counts.items() if m.startswith(EMBEDDINGS)}
        rivals = {m: c for m, c in counts.items() if m not in ours}
        if not ours or not rivals:
            continue
        best = min(ours, key=lambda method: float(np.mean(ours[method])))
        rival = min(rivals, key=lambda method: float(np.mean(rivals[method])))
        gap = np.array(ours[best]) - np.array(rivals[rival])
        error = float(np.std(gap, ddof=1)) / len(gap) ** 0.5 if len(gap) > 1 else np.inf
        sure = abs(float(gap.mean())) > 2 * error
        state = ("fewer" if gap.mean() < 0 else "more") if sure else "no sure difference"
        a, b = float(np.mean(ours[best])), float(np.mean(rivals[rival]))
        said[state].append(f"{kind} ({best.removeprefix('BoostMap, ')} {a:,.0f}, {rival} {b:,.0f})")
    words = {
        "fewer": "BoostMap takes fewer exact distances than every rival",
        "more": "BoostMap takes more than the best rival",
        "no sure difference": "No sure difference to the best rival",
    }
    return [
        f"{words[state]} at {recall} % recall: {'; '.join(kinds)}."
        for state, kinds in said.items()
        if kinds
    ]
