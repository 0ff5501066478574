"""Athitsos et al. (2005): rules for claims that stand in the text alone, and for paired errors.

The other rules are in :mod:`paper_figures.boostmap.claims`.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from paper_figures.claims import Rule
from paper_figures.claims.evidence import (
    FAILS,
    HOLDS,
    OPEN,
    Decision,
    Missing,
    Number,
    Records,
    above,
    below,
    both,
    entries_of,
    every,
    less,
    more,
    most,
    number,
    row,
    rows,
    runs_of,
)

SLIGHT = 0.05
"""A part of a retrieval takes next to nothing if it takes at most this share of its time."""
MILLISECONDS = "milliseconds a query: "
STEPS = ("embed", "filter", "refine")
OF_FIGURE_5 = ((1, 10, 100), (95, 99))
"""The k and the percentiles that Figure 5 shows."""
HIGH = (95, 98, 99)
"""Shares of the queries, in per cent, that count as high."""


# ---------------------------------------------------------------------------- differences of errors


def paired_difference(records: Records, difference: str, k: int) -> Number:
    """Return a paired difference; its error has the trainings in it and the queries."""
    keys: dict[str, Any] = {"difference": difference, "k": k}
    of_trainings = number(records, "paired", f"{difference}, k = {k}", **keys)
    of_queries = float(row(records, "paired", **keys)["error over queries"])
    return replace(of_trainings, std_error=math.hypot(of_trainings.std_error or 0.0, of_queries))


def paired_below(records: Records, differences: Iterable[str], in_most: bool = False) -> Decision:
    """Decide that the first method errs less at every k of `paired`, or at most of them.

    For "most" the k are equally spaced: 1, 10, 20 and so on.
    """
    cells = {}
    for difference in differences:
        for line in rows(records, "paired", difference=difference):
            if in_most and line["k"] != 1 and line["k"] % 10:
                continue
            name = f"{difference}, k = {line['k']}"
            cells[name] = below(paired_difference(records, difference, line["k"]))
    return (most if in_most else every)(cells, "cells")


# ------------------------------------------------------------------------------------------- § 11.2


def other_k(records: Records) -> Decision:
    """Ask of every ratio that it is below 1, but for the k and percentiles that Figure 5 shows."""
    cells = {}
    for line in rows(records, "other_k"):
        if line["ours"] is None:
            raise Missing(f"other_k has no numbers: {line['why']}")
        if line["k"] in OF_FIGURE_5[0] and line["percentile"] in OF_FIGURE_5[1]:
            continue
        keys: dict[str, Any] = {
            name: line[name] for name in ("ratio", "k", "percentile", "dimensions")
        }
        cells[", ".join(map(str, keys.values()))] = below(number(records, "other_k", **keys), 1.0)
    return every(cells, "cells")


def selective_wins_from_some_k(records: Records) -> Decision:
    """Ask it of the largest k, for high shares of the queries."""
    largest = max(line["k"] or 0 for line in rows(records, "costs_by_k"))
    cells = {}
    for percent in HIGH:
        keys: dict[str, Any] = {"k": largest, "of queries, %": percent}
        where = f"k = {largest}, {percent} %"
        random, selective = (
            number(records, "costs_by_k", f"{method}, {where}", method=method, **keys)
            for method in ("BoostMap-Fe-Ra-QI", "BoostMap-Fe-Se-QI")
        )
        cells[f"k = {largest} {percent} %"] = less(selective, random)
    return every(cells, "cells")


# ------------------------------------------------------------------------------- §§ 7.5, 8.3 and 11


def _milliseconds(records: Records, name: str) -> Number:
    return number(records, "remarks", name, quantity=MILLISECONDS + name)


def _sum(numbers: Iterable[Number], name: str) -> Number:
    parts = list(numbers)
    errors = [part.std_error for part in parts]
    error = None if None in errors else math.hypot(*(e or 0.0 for e in errors))
    return Number(
        name, math.fsum(part.ours for part in parts), error, None, entries_of(parts), runs_of(parts)
    )


def high_dimensions_pay(records: Records) -> Decision:
    """Ask that BoostMap's filter is slower and its whole retrieval faster than FastMap's."""
    filters = [_milliseconds(records, f"{method}, filter") for method in ("FastMap", "BoostMap")]
    totals = [
        _sum(
            (_milliseconds(records, f"{method}, {step}") for step in STEPS),
            f"{method}, milliseconds a query",
        )
        for method in ("BoostMap", "FastMap")
    ]
    return both(less(*filters), less(*totals))


def query_sensitive_no_cost(records: Records) -> Decision:
    """Ask that the weights of a query take at most a twentieth of the time of a retrieval."""
    plain = [_milliseconds(records, f"BoostMap, {step}") for step in STEPS]
    total = _sum(plain, "BoostMap, milliseconds a query")
    more = _sum(
        [
            _milliseconds(records, "BoostMap, weights of a query"),
            _milliseconds(records, "BoostMap, filter with weights of a query"),
            replace(plain[1], ours=-plain[1].ours),
        ],
        "what the weights of a query add, milliseconds",
    )
    error = None
    if more.std_error is not None and total.std_error is not None:
        error = math.hypot(more.std_error, SLIGHT * total.std_error) / total.ours
    share = Number(
        "share of the time", more.ours / total.ours, error, None, more.entries, more.runs
    )
    decision = below(share, SLIGHT)
    return Decision(decision.state, (*decision.numbers, more, total), decision.because)


def splitters_on_their_own(records: Records) -> Decision:
    """Ask it of more than half of the rounds; more often than by chance leaves it open."""
    quantity = "second phase: the splitter has the same embedding, % of rounds"
    share = number(records, "remarks", quantity, quantity=quantity)
    chance = "second phase: the same by chance, %"
    by_chance = number(records, "remarks", chance, deterministic=True, quantity=chance)
    decision = above(share, 50.0)
    if decision.state == FAILS and more(share, by_chance).state == HOLDS:
        because = "in fewer than half of the rounds, yet more often than by chance"
        return Decision(OPEN, (share, by_chance), because)
    return decision


def chamfer_not_metric(records: Records) -> Decision:
    """Ask for one triple of images; that there is one is no matter of chance."""
    quantity = "triples of images that break the triangle inequality, %"
    return above(number(records, "remarks", quantity, deterministic=True, quantity=quantity))


TEXT_RULES: Mapping[str, Rule] = {
    "other-k-and-percentiles": other_k,
    "selective-wins-from-some-k": selective_wins_from_some_k,
    "high-dimensions-pay": high_dimensions_pay,
    "query-sensitive-no-cost": query_sensitive_no_cost,
    "splitters-on-their-own-embedding": splitters_on_their_own,
    "chamfer-not-metric": chamfer_not_metric,
}
