"""Athitsos et al. (2005): the rules that decide their claims, `published/boostmap/claims.toml`.

Ranks have the error of :mod:`paper_figures.boostmap.rank_errors`. Errors of k-nn are compared in
pairs (`paired`), query by query.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from paper_figures.boostmap.rank_errors import K, rank_of, with_rounding
from paper_figures.boostmap.text_claims import TEXT_RULES, paired_below, paired_difference
from paper_figures.claims import Rule
from paper_figures.claims.evidence import (
    Decision,
    Missing,
    Number,
    Records,
    at_least,
    below,
    every,
    less,
    more,
    most,
    near,
    number,
    ratio,
    row,
    rows,
)

PERCENTILES = (95, 99)
CELLS = [(k, p) for k in K for p in PERCENTILES]
FASTMAP = "FastMap"
CLIPPED = "FastMap, clipped"
ORIGINAL = "BoostMap-Fe-Ra-QI"
SELECTIVE = "BoostMap-Fe-Se-QI"
CLASSIFYING = "BoostMap-Pa-Se-QS"
CHAMFER = "chamfer distance"
BESIDE_CHAMFER = "Pa-Se-QS minus chamfer distance"
SIMILAR = 1.25
"""A rank is similar to another if it is at most so many times as high."""
NEARLY = 0.5
"""Errors are nearly the same if they differ by at most so many points."""


def _say_how_many(
    pairs: Mapping[str, tuple[Number, Number]], decide: Callable[[Number, Number], Decision] = less
) -> Decision:
    """Decide "the first is lower" in each cell; say in how many it is so, beyond the error or not.

    `decide` is `less` or `more`.
    """
    sign = 1.0 if decide is less else -1.0
    so = sum(sign * (a.ours - b.ours) < 0.0 for a, b in pairs.values())
    counted = every({name: decide(a, b) for name, (a, b) in pairs.items()}, "cells")
    because = f"{counted.because}; {so} of {len(pairs)} cells are on the claim's side by any amount"
    return Decision(counted.state, counted.numbers, because)


# --------------------------------------------------------------------------- Section 11.2


def _cost(records: Records, method: str, quantity: str, deterministic: bool = False) -> Number:
    name = f"{method}, {quantity.replace('_', ' ')}"
    keys: dict[str, Any] = {"method": method, "quantity": quantity}
    return number(records, "costs", name, deterministic=deterministic, **keys)


def _candidates(records: Records, method: str) -> Number:
    return with_rounding(_cost(records, method, "candidates_p"))


def _total(records: Records, method: str) -> Number:
    """Return the exact distances of a query."""
    return with_rounding(_cost(records, method, "total_distances"))


def fewer_distances_than_fastmap(records: Records) -> Decision:
    """Compare with FastMap as printed and with its squares below 0 set to 0."""
    original = _total(records, ORIGINAL)
    return _say_how_many({m: (original, _total(records, m)) for m in (FASTMAP, CLIPPED)})


def fewer_candidates(records: Records) -> Decision:
    """Compare p with that of FastMap as printed and with its squares below 0 set to 0."""
    original = _candidates(records, ORIGINAL)
    return _say_how_many({m: (original, _candidates(records, m)) for m in (FASTMAP, CLIPPED)})


def selective_fewest_distances(records: Records) -> Decision:
    """Compare with random triples and with both FastMaps."""
    selective = _total(records, SELECTIVE)
    others = (ORIGINAL, FASTMAP, CLIPPED)
    return _say_how_many({method: (selective, _total(records, method)) for method in others})


def best_dimensions(records: Records) -> Decision:
    """Ask that the best d of both BoostMaps is above that of both FastMaps."""
    best = {m: _cost(records, m, "dimensions") for m in (FASTMAP, CLIPPED, ORIGINAL, SELECTIVE)}
    cells = {
        f"{boostmap} beside {fastmap}": more(best[boostmap], best[fastmap])
        for boostmap in (ORIGINAL, SELECTIVE)
        for fastmap in (FASTMAP, CLIPPED)
    }
    return every(cells, "comparisons")


def embedding_cost(records: Records) -> Decision:
    """Compare with 2 d. References are counted, so a run has no chance in it.

    Both numbers are means over the same runs, so that their deviation over the runs is no error.
    """
    cells = {}
    for method in (FASTMAP, CLIPPED, ORIGINAL, SELECTIVE):
        distances = _cost(records, method, "embedding_distances")
        bound = 2.0 * _cost(records, method, "dimensions").ours
        cells[method] = below(replace(distances, std_error=0.0, runs=None), bound + 0.05)
    return every(cells, "methods")


# --------------------------------------------------------------------------- Figure 5


def _figure5(records: Records, method: str, d: int, k: int, percentile: int) -> Number:
    name = f"{method}, {d} dimensions, k = {k}, {percentile} %"
    keys = {"method": method, "dimensions": d, "k": k, "percentile": percentile}
    return rank_of(records, "figure5", name, **keys)


def _dimensions(records: Records) -> list[int]:
    return sorted({r["dimensions"] for r in rows(records, "figure5", method=ORIGINAL)})


def _fastmap(records: Records, d: int, k: int, percentile: int) -> Number:
    """Return FastMap's rank; clipped FastMap's where FastMap has no so many dimensions."""
    try:
        return _figure5(records, FASTMAP, d, k, percentile)
    except Missing:
        return _figure5(records, CLIPPED, d, k, percentile)


def fastmap_best_below_16(records: Records) -> Decision:
    """Ask for one cell in which FastMap is below both BoostMaps."""
    cells = {}
    for d in _dimensions(records):
        for k, p in CELLS:
            if d < 16:
                fastmap = _fastmap(records, d, k, p)
                cells[f"d = {d} k = {k} {p} %"] = every(
                    {m: less(fastmap, _figure5(records, m, d, k, p)) for m in (ORIGINAL, SELECTIVE)}
                )
    return at_least(cells, 1)


def fastmap_few_dimensions(records: Records) -> Decision:
    """Compare BoostMap at 256 dimensions with FastMap at its best number of dimensions."""
    pairs = {}
    for k, p in CELLS:
        ranks = [
            _figure5(records, method, row["dimensions"], k, p)
            for method in (FASTMAP, CLIPPED)
            for row in rows(records, "figure5", method=method, k=k, percentile=p)
        ]
        lowest = min(ranks, key=lambda rank: rank.ours)
        pairs[f"k = {k} {p} %"] = (_figure5(records, ORIGINAL, 256, k, p), lowest)
    return _say_how_many(pairs)


def random_beats_fastmap_from_16(records: Records) -> Decision:
    """Compare in every cell from 16 dimensions on."""
    return _say_how_many(
        {
            f"d = {d} k = {k} {p} %": (
                _figure5(records, ORIGINAL, d, k, p),
                _fastmap(records, d, k, p),
            )
            for d in _dimensions(records)
            for k, p in CELLS
            if d >= 16
        }
    )


def selective_worse_low_dimensions(records: Records) -> Decision:
    """Compare in every cell below 16 dimensions."""
    return _say_how_many(
        {
            f"d = {d} k = {k} {p} %": (
                _figure5(records, SELECTIVE, d, k, p),
                _figure5(records, ORIGINAL, d, k, p),
            )
            for d in _dimensions(records)
            for k, p in CELLS
            if d < 16
        },
        more,
    )


def selective_best_at_256(records: Records) -> Decision:
    """Compare with random triples and with FastMap at 256 dimensions."""
    pairs = {}
    for k, p in CELLS:
        selective = _figure5(records, SELECTIVE, 256, k, p)
        pairs[f"random k = {k} {p} %"] = (selective, _figure5(records, ORIGINAL, 256, k, p))
        pairs[f"FastMap k = {k} {p} %"] = (selective, _fastmap(records, 256, k, p))
    return _say_how_many(pairs)


# --------------------------------------------------------------------------- Tables 1 and 2


def _table(
    records: Records, table: str, triples: str, distance: str, cell: tuple[int, int]
) -> Number:
    k, p = cell
    name = f"{triples}-{distance}, k = {k}, {p} %"
    keys = {"triples": triples, "distance": distance, "k": k, "percentile": p}
    return rank_of(records, table, name, **keys)


def selective_better_than_random(records: Records) -> Decision:
    """Compare in the 12 cells of Table 1, and at Figure 6's percentiles 80 and 90."""
    pairs = {}
    for distance in ("QI", "QS"):
        for cell in CELLS:
            pairs[f"{distance} k = {cell[0]} {cell[1]} %"] = (
                _table(records, "table1", "Se", distance, cell),
                _table(records, "table1", "Ra", distance, cell),
            )
        for k in K:
            for p in (80, 90):
                se, ra = (
                    rank_of(
                        records,
                        "figure6",
                        f"{triples}-{distance}, k = {k}, {p} %",
                        method=f"BoostMap-Fe-{triples}-{distance}",
                        k=k,
                        percentile=p,
                    )
                    for triples in ("Se", "Ra")
                )
                pairs[f"{distance} k = {k} {p} %"] = (se, ra)
    return _say_how_many(pairs)


def _query_sensitive(records: Records) -> dict[str, tuple[Number, Number]]:
    return {
        f"{triples} k = {cell[0]} {cell[1]} %": (
            _table(records, "table2", triples, "QS", cell),
            _table(records, "table2", triples, "QI", cell),
        )
        for triples in ("Ra", "Se")
        for cell in CELLS
    }


def query_sensitive_similar_or_better(records: Records) -> Decision:
    """Ask of most cells that the ratio is below 1.25, beyond its error."""
    cells = {
        name: below(ratio(qs, qi), SIMILAR) for name, (qs, qi) in _query_sensitive(records).items()
    }
    return most(cells)


def query_sensitive_much_better_somewhere(records: Records) -> Decision:
    """Ask for one cell."""
    pairs = _query_sensitive(records)
    return at_least({name: less(qs, qi) for name, (qs, qi) in pairs.items()}, 1)


def extensions_add_up(records: Records) -> Decision:
    """Compare query-sensitive ranks with selective triples and the original's."""
    return _say_how_many(
        {
            f"k = {cell[0]} {cell[1]} %": (
                _table(records, "table1", "Se", "QS", cell),
                _table(records, "table1", "Ra", "QI", cell),
            )
            for cell in CELLS
        }
    )


# --------------------------------------------------------------------------- classification


def query_sensitive_knn_error(records: Records) -> Decision:
    """Compare at the k of the rows."""
    return paired_below(records, ["Pa-Se-QS minus Pa-Se-QI"])


def parameter_space_worse_ranks(records: Records) -> Decision:
    """Compare at percentiles 80 to 99."""
    pairs = {}
    for distance in ("QI", "QS"):
        for k in K:
            for p in (80, 90, 95, 99):
                feature, parameter = (
                    rank_of(
                        records,
                        "figure9",
                        f"{space}-Se-{distance}, k = {k}, {p} %",
                        method=f"BoostMap-{space}-Se-{distance}",
                        k=k,
                        percentile=p,
                    )
                    for space in ("Fe", "Pa")
                )
                pairs[f"{distance} k = {k} {p} %"] = (feature, parameter)
    return _say_how_many(pairs)


def parameter_space_lower_error(records: Records) -> Decision:
    """Compare at the k of the rows."""
    return paired_below(records, [f"Pa-Se-{d} minus Fe-Se-{d}" for d in ("QI", "QS")])


def embedding_below_chamfer(records: Records) -> Decision:
    """Count the k of the rows."""
    return paired_below(records, [BESIDE_CHAMFER], in_most=True)


def _table3(records: Records, method: str, measure: str) -> Number:
    """Return an error of table 3.

    The chamfer distance has no chance in it beside trainings: all classify the same queries. The
    error of the paired difference over these queries is the embedding's, as in `paired` at the k
    nearest to its own.
    """
    name = f"{method}, {measure} in %"
    if method == CHAMFER:
        return number(records, "table3", name, deterministic=True, method=method, measure=measure)
    error = number(records, "table3", name, method=method, measure=measure)
    k = row(records, "table3", method=method, measure=measure)["at k"]
    lines = rows(records, "paired", difference=BESIDE_CHAMFER)
    nearest = min(lines, key=lambda line: abs(math.log(line["k"] / k)))
    of_both = math.hypot(error.std_error or 0.0, float(nearest["error over queries"]))
    return replace(error, std_error=of_both)


def chamfer_best_overall(records: Records) -> Decision:
    """Compare the best errors."""
    return less(*(_table3(records, method, "best k-nn error") for method in (CHAMFER, CLASSIFYING)))


def one_nn_below_chamfer(records: Records) -> Decision:
    """Compare the 1-nn errors."""
    return below(paired_difference(records, BESIDE_CHAMFER, 1))


def best_error_as_chamfer(records: Records) -> Decision:
    """Ask that the best errors differ by half a point at most, beyond the error."""
    ours, chamfer = (
        _table3(records, method, "best k-nn error") for method in (CLASSIFYING, CHAMFER)
    )
    return near(ours, chamfer, NEARLY)


RULES: dict[str, Rule] = {
    "fewer-distances-than-fastmap": fewer_distances_than_fastmap,
    "fewer-candidates": fewer_candidates,
    "selective-fewest-distances": selective_fewest_distances,
    "best-dimensions": best_dimensions,
    "embedding-cost": embedding_cost,
    "fastmap-best-below-16": fastmap_best_below_16,
    "fastmap-few-dimensions": fastmap_few_dimensions,
    "random-beats-fastmap-from-16": random_beats_fastmap_from_16,
    "selective-worse-low-dimensions": selective_worse_low_dimensions,
    "selective-best-at-256": selective_best_at_256,
    "selective-better-than-random": selective_better_than_random,
    "query-sensitive-similar-or-better": query_sensitive_similar_or_better,
    "query-sensitive-much-better-somewhere": query_sensitive_much_better_somewhere,
    "query-sensitive-knn-error": query_sensitive_knn_error,
    "parameter-space-worse-ranks": parameter_space_worse_ranks,
    "parameter-space-lower-error": parameter_space_lower_error,
    "embedding-below-chamfer": embedding_below_chamfer,
    "one-nn-below-chamfer": one_nn_below_chamfer,
    "best-error-as-chamfer": best_error_as_chamfer,
    "chamfer-best-overall": chamfer_best_overall,
    "extensions-add-up": extensions_add_up,
    **TEXT_RULES,
}
