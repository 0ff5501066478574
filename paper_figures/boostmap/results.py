"""Athitsos et al. (2005), § 11: what the figures and tables gather from the trained variants."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from paper_figures.boostmap.problem import KS
from paper_figures.boostmap.protocol import (
    NOTES,
    SIZES,
    exact_tasks,
    fastmap_tasks,
    trained,
    variant_tasks,
)
from paper_figures.store import Row
from paper_figures.tasks import Context, Gathered, Result, Task, absent_rows, number_row
from refimpl.spaces import best_dimensions
from refimpl.typing import FloatArray

SHOWN = (50, 80, 90, 95, 99)  # percentiles that become rows; the pictures hold all
SHOWN_K = (1, 2, 3, 5, 10, 20, 50, 100)
SUCCESS, K = 98, 10  # § 11.2
CLIPPED = "FastMap, clipped"


def mean_row(keys: Row, published: float | None, values: Sequence[float] | FloatArray) -> Row:
    """Return the row of a number's mean over trainings; of one training without a deviation."""
    mean = round(float(np.mean(values)), 6)
    if len(values) == 1:
        return number_row(keys, published, mean)
    std = round(float(np.std(values, ddof=1)), 6)
    return number_row(keys, published, mean, std=std, repetitions=len(values))


# --------------------------------------------------------------------------------- figure 5, § 11.2


def dimensions_tasks(context: Context) -> list[Task]:
    """Return the tasks of FastMap and the two query-insensitive feature-space variants."""
    return fastmap_tasks(context) + variant_tasks(context, (("Fe", "Ra"), ("Fe", "Se")))


def by_dimension(
    context: Context, results: Sequence[Result]
) -> dict[str, list[dict[int, dict[str, Any]]]]:
    """Return a dict of method -> for each training a dict of d -> {"ranks", "cost"}."""
    measures: dict[str, list[dict[int, dict[str, Any]]]] = {}
    for r in results:
        if r.name == "fastmap" and r.value:
            method = CLIPPED if r.params["clip"] else "FastMap"
            measures.setdefault(method, []).append(_keys_as_int(r.value["dimensions"]))
    for (distance, triples), values in trained(results).items():
        measures[f"BoostMap-{distance}-{triples}-QI"] = [
            _keys_as_int(value["dimensions"]) | {value["d"]: value["QI"]} for value in values
        ]
    return measures


def _keys_as_int(measures: dict[str, Any]) -> dict[int, Any]:
    return {int(d): measure for d, measure in measures.items()}


def figure5(context: Context, results: Sequence[Result]) -> Gathered:
    """Return percentiles of ENN-k ranks by the number of dimensions."""
    rows = absent_rows(
        results, {"method": "all", "k": None, "percentile": None, "dimensions": None}
    )
    for method, trainings in by_dimension(context, results).items():
        for d in sorted({d for measures in trainings for d in measures}):
            ranks = [measures[d]["ranks"] for measures in trainings if d in measures]
            rows += [
                mean_row(
                    {"method": method, "k": k, "percentile": p, "dimensions": d},
                    None,
                    [by_k[str(k)][p - 1] for by_k in ranks],
                )
                for k in KS
                if str(k) in ranks[0]
                for p in (95, 99)
            ]
    return Gathered(rows, [*NOTES, *_fastmap_ahead(rows)])


def _fastmap_ahead(rows: list[Row]) -> list[str]:
    """Say up to how many dimensions FastMap has lower ranks than BoostMap-Fe-Ra-QI."""
    ranks = {
        (row["method"], row["k"], row["percentile"], row["dimensions"]): row["ours"] for row in rows
    }
    notes = []
    for name in ("FastMap", CLIPPED):
        ahead: dict[int, int] = {}
        for (method, k, percent, d), rank in ranks.items():
            if method == name and rank < ranks.get(("BoostMap-Fe-Ra-QI", k, percent, d), 0):
                ahead[k] = max(d, ahead.get(k, 0))
        if ahead:
            notes.append(
                f"{name} has lower ranks than BoostMap-Fe-Ra-QI up to "
                + ", ".join(f"{d} dimensions (k = {k})" for k, d in ahead.items())
                + "; in the paper BoostMap-Fe-Ra-QI is ahead from 16 dimensions on."
            )
    return notes


def best_cost(measures: dict[int, dict[str, Any]], k: int, percent: int) -> dict[str, int]:
    """Return d and p with the fewest exact distances for all k nearest of so many queries."""
    ranks = {d: [measure["ranks"][str(k)][percent - 1]] for d, measure in measures.items()}
    cost = {d: measure["cost"] for d, measure in measures.items()}
    d, p, total = best_dimensions(ranks, cost, 100)
    return {
        "dimensions": d,
        "candidates_p": p,
        "embedding_distances": total - p,
        "total_distances": total,
    }


def costs(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the fewest exact distances that find the 10 nearest of 98 % of queries (§ 11.2)."""
    printed = {row["method"]: row for row in context.published("boostmap/section11_2.csv")}
    rows = absent_rows(results, {"method": "all", "quantity": None})
    for method, trainings in by_dimension(context, results).items():
        line = printed.get(method.split(",")[0], {}) if context.scale == "paper" else {}
        best = [best_cost(measures, K, SUCCESS) for measures in trainings]
        for name in ("dimensions", "candidates_p", "embedding_distances", "total_distances"):
            keys = {"method": method, "quantity": name}
            rows.append(mean_row(keys, line.get(name), [values[name] for values in best]))
    note = (
        "Distances to references that several dimensions share are computed once; "
        "the paper counts two for each dimension, 'at most'. Only the dimensions of figure 5 are "
        "tried."
    )
    return Gathered(rows, [note])


# ---------------------------------------------------------------------- tables 1-2, figures 6, 7, 9


def ranks_tasks(context: Context) -> list[Task]:
    """Return the tasks of the feature-space variants."""
    return variant_tasks(context, (("Fe", "Ra"), ("Fe", "Se")))


def table1(context: Context, results: Sequence[Result]) -> Gathered:
    """Return percentiles of ENN-k ranks: random and selective triples."""
    gathered = _ranks_table(context, results, ("distance", "triples"))
    return replace(gathered, notes=[*NOTES, *gathered.notes])


def table2(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the same numbers by the triples.

    The paper's heads are those of its table 1 (ERRATUM BM-6).
    """
    return _ranks_table(context, results, ("triples", "distance"))


def _ranks_table(context: Context, results: Sequence[Result], order: Sequence[str]) -> Gathered:
    rows = absent_rows(
        results, {"distance": "all", "triples": "all", "k": None, "percentile": None}
    )
    measures = {
        (sensitivity, triples): [value[sensitivity]["ranks"] for value in values]
        for (distance, triples), values in trained(results).items()
        for sensitivity in ("QI", "QS")
        if distance == "Fe"
    }
    lines = sorted(
        context.published("boostmap/table1_2.csv"), key=lambda line: [line[key] for key in order]
    )
    for line in lines if measures else ():
        k = int(line["k"])
        percent = int(line["percentile"])
        trainings = measures.get((line["distance"], line["triples"]), [])
        ranks = [by_k[str(k)][percent - 1] for by_k in trainings if str(k) in by_k]
        if not ranks:
            continue
        published = line["enn_k_rank"] if context.scale == "paper" else None
        keys = {key: line[key] for key in order} | {"k": k, "percentile": percent}
        rows.append(mean_row(keys, published, ranks))
    lower = sum(row["published"] is not None and row["ours"] <= row["published"] for row in rows)
    compared = sum(row["published"] is not None for row in rows)
    notes = [
        f"Ours is at or below the printed rank in {lower} of {compared} cells (lower is better)."
    ]
    return Gathered(rows, notes + _orders(rows))


def _orders(rows: list[Row]) -> list[str]:
    """Say in how many cells selective triples do no worse than random ones, and QS than QI.

    The other cells are named.
    """
    cells = {
        (row["distance"], row["triples"], row["k"], row["percentile"]): row
        for row in rows
        if row["ours"]
    }
    notes = []
    for place, better, worse in ((1, "Se", "Ra"), (0, "QS", "QI")):
        pairs = {
            key: (row, cells[(*key[:place], worse, *key[place + 1 :])])
            for key, row in cells.items()
            if key[place] == better
        }
        for whose in ("ours", "published"):
            bad = [
                key
                for key, (row, other) in pairs.items()
                if (row[whose] or 0) > (other[whose] or 0)
            ]
            named = "; ".join(f"{d}, {t}, k = {k}, {p}th" for d, t, k, p in bad)
            if pairs and (whose == "ours" or any(row[whose] for row, _ in pairs.values())):
                notes.append(
                    f"{better} at or below {worse}, {whose}: {len(pairs) - len(bad)} of "
                    f"{len(pairs)} cells" + (f"; not in {named}" if bad else "") + "."
                )
    return notes


def _curves(results: Sequence[Result], variants: Iterable[tuple[str, str, str, str]]) -> Gathered:
    """Return rows at some percentiles and the whole curves of the variants."""
    rows = []
    drawing = []
    measures = trained(results)
    for distance, triples, sensitivity, panel in variants:
        if (distance, triples) not in measures:
            continue
        trainings = [value[sensitivity]["ranks"] for value in measures[distance, triples]]
        method = f"BoostMap-{distance}-{triples}-{sensitivity}"
        for k in (k for k in KS if str(k) in trainings[0]):
            ranks = np.array([by_k[str(k)] for by_k in trainings])
            values = ranks.mean(axis=0).tolist()
            drawing.append({"method": method, "k": k, "panel": panel, "values": values})
            rows += [
                mean_row({"method": method, "k": k, "percentile": p}, None, ranks[:, p - 1])
                for p in SHOWN
            ]
    rows = rows or absent_rows(results, {"method": "all", "k": None, "percentile": None})
    return Gathered(rows, [], drawing)


def figure6(context: Context, results: Sequence[Result]) -> Gathered:
    """Compare random and selective triples."""
    return _curves(results, [("Fe", t, s, s) for s in ("QI", "QS") for t in ("Ra", "Se")])


def figure7(context: Context, results: Sequence[Result]) -> Gathered:
    """Compare query-insensitive and query-sensitive embeddings."""
    return _curves(results, [("Fe", t, s, t) for t in ("Ra", "Se") for s in ("QI", "QS")])


def figure9(context: Context, results: Sequence[Result]) -> Gathered:
    """Compare feature space and parameter space."""
    return _curves(results, [(f, "Se", s, s) for s in ("QI", "QS") for f in ("Fe", "Pa")])


# ----------------------------------------------------------------------- figures 8, 10, 11, table 3


def errors_tasks(context: Context) -> list[Task]:
    """Return the tasks of the variants with selective triples, and the chamfer distance itself."""
    return exact_tasks(context) + variant_tasks(context, (("Fe", "Se"), ("Pa", "Se")))


def errors_of(results: Sequence[Result]) -> dict[str, list[list[float]]]:
    """Return a dict of method -> for each training the k-nn errors in per cent."""
    errors = {}
    for r in results:
        if r.name == "exact" and r.value:
            errors["chamfer distance"] = [r.value["errors"]]
    for (distance, triples), values in trained(results).items():
        errors |= {
            f"BoostMap-{distance}-{triples}-{s}": [value[s]["errors"] for value in values]
            for s in ("QI", "QS")
            if "errors" in values[0][s]
        }
    return errors


def _error_curves(results: Sequence[Result], methods: Sequence[str]) -> Gathered:
    rows = []
    drawing = []
    errors = errors_of(results)
    for method in (method for method in methods if method in errors):
        trainings = np.array(errors[method])
        drawing.append({"method": method, "values": trainings.mean(axis=0).tolist()})
        shown = [k for k in SHOWN_K if k <= trainings.shape[1]]
        rows += [mean_row({"method": method, "k": k}, None, trainings[:, k - 1]) for k in shown]
    return Gathered(rows or absent_rows(results, {"method": "all", "k": None}), [], drawing)


def figure8(context: Context, results: Sequence[Result]) -> Gathered:
    """Compare k-nn errors, query-insensitive and query-sensitive, in parameter space."""
    return _error_curves(results, ("BoostMap-Pa-Se-QI", "BoostMap-Pa-Se-QS"))


def figure10(context: Context, results: Sequence[Result]) -> Gathered:
    """Compare k-nn errors in feature space and in parameter space."""
    return _error_curves(
        results, [f"BoostMap-{f}-Se-{s}" for s in ("QI", "QS") for f in ("Fe", "Pa")]
    )


def figure11(context: Context, results: Sequence[Result]) -> Gathered:
    """Compare k-nn errors of the chamfer distance and of the embedding."""
    return _error_curves(results, ("chamfer distance", "BoostMap-Pa-Se-QS"))


def _best_k(trainings: Sequence[Sequence[float]]) -> int:
    """Return the k whose k-nn error, the mean over trainings, is least."""
    return int(np.mean(trainings, axis=0).argmin()) + 1


def table3(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the 1-nn and the best k-nn error in per cent, chamfer distance and embedding."""
    rows = absent_rows(results, {"method": "all", "measure": None})
    errors = errors_of(results)
    printed = {
        row["measure"].split(" (")[0]: row for row in context.published("boostmap/table3.csv")
    }
    for method, column in (
        ("chamfer distance", "chamfer"),
        ("BoostMap-Pa-Se-QS", "BoostMap-Pa-Se-QS"),
    ):
        if method not in errors:
            continue
        trainings = errors[method]
        for measure, k in (("1-nn error", 1), ("best k-nn error", _best_k(trainings))):
            published = (
                round(100 * printed[measure][column], 2) if context.scale == "paper" else None
            )
            keys = {"method": method, "measure": measure, "at k": k}
            values = [round(training[k - 1], 2) for training in trainings]
            rows.append(mean_row(keys, published, values))
    note = f"Embeddings have {SIZES[context.scale]['d']} dimensions; errors in per cent."
    return Gathered(rows, [*NOTES, note])
