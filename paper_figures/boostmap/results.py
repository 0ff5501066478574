"""Athitsos et al. (2005), § 11: what the figures and tables gather from the trained variants."""

import numpy as np

from paper_figures.boostmap.explanations import TABLE3, cost_reason, explained, rank_reason
from paper_figures.boostmap.protocol import (
    NOTES,
    SIZES,
    exact_tasks,
    fastmap_tasks,
    trained,
    variant_tasks,
)
from paper_figures.registry import Gathered
from paper_figures.rows import absent_rows, number_row
from refimpl.spaces.retrieval import best_dimensions

SHOWN = (50, 80, 90, 95, 99)  # percentiles that become rows; the pictures hold all
SHOWN_K = (1, 2, 3, 5, 10, 20, 50, 100)
SUCCESS, K = 98, 10  # § 11.2


# ------------------------------------------------------------------------------------- figure 5, § 11.2


def dimensions_tasks(context):
    """FastMap and the two query-insensitive feature-space variants."""
    return fastmap_tasks(context) + variant_tasks(context, (("Fe", "Ra"), ("Fe", "Se")))


def _by_dimension(context, results):
    """dict of method -> dict of d -> {"ranks", "cost"}."""
    found = {}
    for r in results:
        if r.name == "fastmap" and r.value:
            found["FastMap" + (", clipped" if r.params["clip"] else "")] = _keys_as_int(r.value["dimensions"])
    for (distance, triples), value in trained(results).items():
        found[f"BoostMap-{distance}-{triples}-QI"] = _keys_as_int(value["dimensions"]) | {value["d"]: value["QI"]}
    return found


def _keys_as_int(measures):
    return {int(d): measure for d, measure in measures.items()}


def figure5(context, results):
    """Percentiles of ENN-k ranks by the number of dimensions."""
    rows = absent_rows(results, {"method": "all", "k": None, "percentile": None, "dimensions": None})
    for method, measures in _by_dimension(context, results).items():
        for d, measure in sorted(measures.items()):
            rows += [
                number_row({"method": method, "k": int(k), "percentile": p, "dimensions": d}, None, ranks[p - 1])
                for k, ranks in measure["ranks"].items()
                for p in (95, 99)
            ]
    return Gathered(rows, [*NOTES, *_fastmap_ahead(rows)])


def _fastmap_ahead(rows):
    """Up to how many dimensions FastMap has lower ranks than BoostMap-Fe-Se-QI; the paper: under 16."""
    found = {(row["method"], row["k"], row["percentile"], row["dimensions"]): row["ours"] for row in rows}
    notes = []
    for name in ("FastMap", "FastMap, clipped"):
        ahead = {}
        for (method, k, percent, d), rank in found.items():
            if method == name and rank < found.get(("BoostMap-Fe-Se-QI", k, percent, d), 0):
                ahead[k] = max(d, ahead.get(k, 0))
        if ahead:
            notes.append(f"{name} has lower ranks than BoostMap-Fe-Se-QI up to "
                         + ", ".join(f"{d} dimensions (k = {k})" for k, d in ahead.items())
                         + "; the paper: under 16 dimensions.")
    return notes


def costs(context, results):
    """§ 11.2: the fewest exact distances that find the true 10 nearest neighbours of 98 % of the queries."""
    printed = {row["method"]: row for row in context.published("boostmap/section11_2.csv")}
    rows = absent_rows(results, {"method": "all", "quantity": None})
    for method, measures in _by_dimension(context, results).items():
        line = printed.get(method.split(",")[0], {}) if context.scale == "paper" else {}
        ranks = {d: [measure["ranks"][str(K)][SUCCESS - 1]] for d, measure in measures.items()}
        d, p, total = best_dimensions(ranks, {d: measure["cost"] for d, measure in measures.items()}, 100)
        found = {"dimensions": d, "candidates_p": p, "embedding_distances": total - p, "total_distances": total}
        for name, value in found.items():
            row = number_row({"method": method, "quantity": name}, line.get(name), value)
            rows.append(explained(row, cost_reason(method, name)))
    note = ("Distances to references that several dimensions share are computed once; the paper counts two for each "
            "dimension, 'at most'. Only the dimensions of figure 5 are tried.")
    return Gathered(rows, [*NOTES, note])


# ---------------------------------------------------------------------------- tables 1-2, figures 6, 7, 9


def ranks_tasks(context):
    """The feature-space variants."""
    return variant_tasks(context, (("Fe", "Ra"), ("Fe", "Se")))


def table1(context, results):
    """Percentiles of ENN-k ranks: random and selective triples."""
    return _ranks_table(context, results, ("distance", "triples"))


def table2(context, results):
    """The same numbers by the triples; the paper's heads are those of its table 1 (ERRATUM BM-6)."""
    return _ranks_table(context, results, ("triples", "distance"))


def _ranks_table(context, results, order):
    rows, found = absent_rows(results, {"distance": "all", "triples": "all", "k": None, "percentile": None}), {}
    for (distance, triples), value in trained(results).items():
        found |= {(sensitivity, triples): value[sensitivity]["ranks"] for sensitivity in ("QI", "QS")
                  if distance == "Fe"}
    lines = sorted(context.published("boostmap/table1_2.csv"), key=lambda line: [line[key] for key in order])
    for line in lines if found else ():
        k, percent = int(line["k"]), int(line["percentile"])
        ranks = found[line["distance"], line["triples"]].get(str(k))
        if ranks is None:
            continue
        published = line["enn_k_rank"] if context.scale == "paper" else None
        keys = {key: line[key] for key in order} | {"k": k, "percentile": percent}
        reason = rank_reason(line["distance"], line["triples"])
        rows.append(explained(number_row(keys, published, ranks[percent - 1]), reason))
    lower = sum(row["published"] is not None and row["ours"] <= row["published"] for row in rows)
    compared = sum(row["published"] is not None for row in rows)
    notes = [*NOTES, f"Ours is at or below the printed rank in {lower} of {compared} cells (lower is better)."]
    return Gathered(rows, notes + _orders(rows))


def _orders(rows):
    """In how many cells selective triples do no worse than random ones, and QS no worse than QI; which do not."""
    cells = {(row["distance"], row["triples"], row["k"], row["percentile"]): row for row in rows if row["ours"]}
    notes = []
    for place, better, worse in ((1, "Se", "Ra"), (0, "QS", "QI")):
        pairs = {key: (row, cells[(*key[:place], worse, *key[place + 1 :])]) for key, row in cells.items()
                 if key[place] == better}
        for whose in ("ours", "published"):
            bad = [key for key, (one, other) in pairs.items() if (one[whose] or 0) > (other[whose] or 0)]
            named = "; ".join(f"{d}, {t}, k = {k}, {p}th" for d, t, k, p in bad)
            if pairs and (whose == "ours" or any(one[whose] for one, _ in pairs.values())):
                notes.append(f"{better} at or below {worse}, {whose}: {len(pairs) - len(bad)} of {len(pairs)} cells"
                             + (f"; not in {named}" if bad else "") + ".")
    return notes


def _curves(results, wanted):
    """Rows at some percentiles and the whole curves of the wanted (distance, triples, sensitivity)."""
    rows, drawing = [], []
    found = trained(results)
    for distance, triples, sensitivity, panel in wanted:
        if (distance, triples) not in found:
            continue
        ranks = found[distance, triples][sensitivity]["ranks"]
        method = f"BoostMap-{distance}-{triples}-{sensitivity}"
        for k, values in ranks.items():
            drawing.append({"method": method, "k": int(k), "panel": panel, "values": values})
            rows += [number_row({"method": method, "k": int(k), "percentile": p}, None, values[p - 1]) for p in SHOWN]
    rows = rows or absent_rows(results, {"method": "all", "k": None, "percentile": None})
    return Gathered(rows, list(NOTES), drawing)


def figure6(context, results):
    """Random against selective triples."""
    return _curves(results, [("Fe", t, s, s) for s in ("QI", "QS") for t in ("Ra", "Se")])


def figure7(context, results):
    """Query-insensitive against query-sensitive."""
    return _curves(results, [("Fe", t, s, t) for t in ("Ra", "Se") for s in ("QI", "QS")])


def figure9(context, results):
    """Feature space against parameter space."""
    return _curves(results, [(f, "Se", s, s) for s in ("QI", "QS") for f in ("Fe", "Pa")])


# ------------------------------------------------------------------------------- figures 8, 10, 11, table 3


def errors_tasks(context):
    """The variants with selective triples, and the chamfer distance itself."""
    return exact_tasks(context) + variant_tasks(context, (("Fe", "Se"), ("Pa", "Se")))


def _errors(results):
    found = {}
    for r in results:
        if r.name == "exact" and r.value:
            found["chamfer distance"] = r.value["errors"]
    for (distance, triples), value in trained(results).items():
        found |= {f"BoostMap-{distance}-{triples}-{s}": value[s]["errors"] for s in ("QI", "QS")}
    return found


def _error_curves(results, wanted):
    rows, drawing, found = [], [], _errors(results)
    for method in (method for method in wanted if method in found):
        drawing.append({"method": method, "values": found[method]})
        shown = [k for k in SHOWN_K if k <= len(found[method])]
        rows += [number_row({"method": method, "k": k}, None, found[method][k - 1]) for k in shown]
    return Gathered(rows or absent_rows(results, {"method": "all", "k": None}), list(NOTES), drawing)


def figure8(context, results):
    """k-nn error: query-insensitive against query-sensitive, parameter space."""
    return _error_curves(results, ("BoostMap-Pa-Se-QI", "BoostMap-Pa-Se-QS"))


def figure10(context, results):
    """k-nn error: feature space against parameter space."""
    return _error_curves(results, [f"BoostMap-{f}-Se-{s}" for s in ("QI", "QS") for f in ("Fe", "Pa")])


def figure11(context, results):
    """k-nn error: the chamfer distance against the embedding."""
    return _error_curves(results, ("chamfer distance", "BoostMap-Pa-Se-QS"))


def best_of_errors(errors):
    """(1-nn error, 1), (least k-nn error, its k) out of the k-nn errors in per cent, rounded as they are printed."""
    best = int(np.argmin(errors))
    return (round(errors[0], 2), 1), (round(errors[best], 2), best + 1)


def table3(context, results):
    """1-nn error and the best k-nn error, chamfer distance and embedding, in per cent."""
    rows, found = absent_rows(results, {"method": "all", "measure": None}), _errors(results)
    printed = {row["measure"].split(" (")[0]: row for row in context.published("boostmap/table3.csv")}
    for method, column in (("chamfer distance", "chamfer"), ("BoostMap-Pa-Se-QS", "BoostMap-Pa-Se-QS")):
        if method not in found:
            continue
        measures = zip(("1-nn error", "best k-nn error"), best_of_errors(found[method]), strict=True)
        for measure, (value, k) in measures:
            published = round(100 * printed[measure][column], 2) if context.scale == "paper" else None
            row = number_row({"method": method, "measure": measure, "at k": k}, published, value)
            rows.append(explained(row, TABLE3[method]))
    note = f"Embeddings have {SIZES[context.scale]['d']} dimensions; errors in per cent."
    return Gathered(rows, [*NOTES, note, "Table `edges` holds the chamfer distance's errors by edge detector."])
