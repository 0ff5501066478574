"""Athitsos et al. (2005), § 11: what its text says of further k, percentiles and classification.

These tables come from the trainings of tables 1 to 3 and the draws of figure 5.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from paper_figures.boostmap.protocol import trained
from paper_figures.boostmap.results import best_cost, by_dimension, mean_row
from paper_figures.boostmap.tasks import RANKS_AT
from paper_figures.store import Row
from paper_figures.tasks import Context, Gathered, Result, absent_rows
from refimpl.typing import FloatArray

PERCENTILES = (80, 90, 95, 98, 99)
FASTMAP = "FastMap"
CLIPPED = "FastMap, clipped"
RANDOM = "BoostMap-Fe-Ra-QI"
SELECTIVE = "BoostMap-Fe-Se-QI"
FROM = 16  # dimensions from which on the text compares random triples with FastMap
PAIRED_K = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100)
COMPARISONS = (
    ("Pa-Se-QS minus Pa-Se-QI", ("Pa", "QS"), ("Pa", "QI")),
    ("Pa-Se-QI minus Fe-Se-QI", ("Pa", "QI"), ("Fe", "QI")),
    ("Pa-Se-QS minus Fe-Se-QS", ("Pa", "QS"), ("Fe", "QS")),
    ("Pa-Se-QS minus chamfer distance", ("Pa", "QS"), None),
)


# ------------------------------------------------------------------------------- other k, other p


def other_k(context: Context, results: Sequence[Result]) -> Gathered:
    """Return ratios of ranks for further k and percentiles, by the number of dimensions."""
    rows = absent_rows(results, {"ratio": "all", "k": None, "percentile": None, "dimensions": None})
    measures = by_dimension(context, results)
    ratios = ((RANDOM, FASTMAP), (RANDOM, CLIPPED), (SELECTIVE, CLIPPED), (SELECTIVE, RANDOM))
    ends = 0  # the dimensions that FastMap has in every draw
    for first, second in ratios:
        pairs = list(zip(measures.get(first, []), measures.get(second, []), strict=False))
        common = sorted(set.intersection(*[set(a) & set(b) for a, b in pairs])) if pairs else []
        if second == FASTMAP:
            ends = max(common, default=0)
        least = max(FROM, ends + 1 if second == CLIPPED else 0)
        wanted = [d for d in common if d >= least] if first == RANDOM else common[-1:]
        for d in wanted:
            rows += _ratio_rows(f"{first} / {second}", d, pairs)
    note = (
        "Ranks of the first method over those of the second, means over pairs of trainings. The "
        f"paper says that random triples beat FastMap from {FROM} dimensions on, and selective "
        "triples both with the most dimensions, for k up to 100 and percentiles from 80 to 99. "
        "FastMap ends where no pair of pivots is left; beyond, squares below 0 are set to 0 "
        "(clipped)."
    )
    return Gathered(rows, [note])


def _ratio_rows(name: str, d: int, pairs: Sequence[Any]) -> list[Row]:
    rows = []
    for k in RANKS_AT:
        for p in PERCENTILES:
            ranks = [(a[d]["ranks"].get(str(k)), b[d]["ranks"].get(str(k))) for a, b in pairs]
            if ranks[0][0] is None:
                continue
            values = [a[p - 1] / b[p - 1] for a, b in ranks]
            keys = {"ratio": name, "k": k, "percentile": p, "dimensions": d}
            rows.append(mean_row(keys, None, values))
    return rows


def costs_by_k(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the fewest exact distances, as in § 11.2, for further k and shares of the queries."""
    rows = absent_rows(results, {"method": "all", "k": None, "of queries, %": None})
    for method, trainings in by_dimension(context, results).items():
        for k in RANKS_AT:
            for percent in PERCENTILES:
                if any(str(k) not in m["ranks"] for run in trainings for m in run.values()):
                    continue
                totals = [best_cost(run, k, percent)["total_distances"] for run in trainings]
                keys = {"method": method, "k": k, "of queries, %": percent}
                rows.append(mean_row(keys, None, totals))
    note = (
        "Exact distances a query for all k nearest of so many queries, with the best d and p of "
        "each training among the dimensions of figure 5."
    )
    return Gathered(rows, [note])


# ------------------------------------------------------------------------------- paired differences


def paired(context: Context, results: Sequence[Result]) -> Gathered:
    """Return differences of k-nn errors in points, paired over the queries and the trainings."""
    rows = absent_rows(results, {"difference": "all", "k": None})
    wrong = _wrong(results)
    notes = [
        "Differences of k-nn errors in points, means over trainings, whose deviation stands with "
        "them. Both methods classify the same queries, so the error over queries, in small, is "
        "that of the paired difference. Negative: the first errs less."
    ]
    for name, first, second in COMPARISONS:
        if first not in wrong or second not in wrong:
            continue
        differences = _differences(wrong[first], wrong[second])
        most = differences.shape[1]
        for k in (k for k in PAIRED_K if k <= most):
            of_queries = differences[:, k - 1].mean(axis=0)
            error = 100 * float(of_queries.std(ddof=1)) / len(of_queries) ** 0.5
            keys = {"difference": name, "k": k, "error over queries": round(error, 4)}
            rows.append(mean_row(keys, None, 100 * differences[:, k - 1].mean(axis=1)))
        below = int((differences.mean(axis=(0, 2)) < 0).sum())
        notes.append(f"{name}: negative at {below} of the {most} k from 1 on.")
    return Gathered(rows, notes)


def _wrong(results: Sequence[Result]) -> dict[tuple[str, str] | None, FloatArray]:
    """Return which queries are classified wrong: arrays (trainings, k, queries); None: chamfer."""
    wrong: dict[tuple[str, str] | None, FloatArray] = {}
    for r in results:
        if r.name == "exact" and r.value:
            wrong[None] = unpacked([r.value])
    for (distance, triples), values in trained(results).items():
        for form in ("QI", "QS"):
            if triples == "Se" and "wrong" in values[0][form]:
                wrong[distance, form] = unpacked([value[form] for value in values])
    return wrong


def unpacked(trainings: Sequence[dict[str, Any]]) -> FloatArray:
    """Return the bits that :func:`paper_figures.boostmap.tasks.errors_of` packed, as 0 and 1."""
    return np.array(
        [
            [
                np.unpackbits(
                    np.frombuffer(bytes.fromhex(row), dtype=np.uint8), count=training["queries"]
                )
                for row in training["wrong"]
            ]
            for training in trainings
        ],
        dtype=np.float64,
    )


def _differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return first - second for each training; a single second one stands for all."""
    n = len(first) if len(second) == 1 else min(len(first), len(second))
    return first[:n] - (second if len(second) == 1 else second[:n])
