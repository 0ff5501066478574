"""Figures 5 to 7 and 9 and Tables 1 and 2 of Athitsos et al. (2005): ENN-k ranks; and § 11.2.

Views of the trainings (`trainings`). Beside the paper's there are the text's costs, other k and
percentiles, and what its § 11.3 proposes: larger k' in few dimensions.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from paper_figures.boostmap.drawn import draw_dimensions, draw_percentiles
from paper_figures.boostmap.images import KS, RANKS_AT
from paper_figures.boostmap.trainings import CLIPPED, FASTMAP, K_MOST, OTHER_K_MOST, needs
from paper_figures.rows import means, number, published
from paper_figures.store import Row
from paper_figures.study import Cell, Gathered, Grid, Observation, Seen, View
from refimpl.spaces import best_dimensions

Gather: TypeAlias = Callable[[Seen], Gathered]
Uses: TypeAlias = Callable[[Cell], bool]

RANDOM, SELECTIVE = "BoostMap-Fe-Ra-QI", "BoostMap-Fe-Se-QI"
METHODS = (FASTMAP, CLIPPED, RANDOM, SELECTIVE)  # of figure 5
SHOWN = (50, 80, 90, 95, 99)  # percentiles that become rows; the pictures hold all
PERCENTILES = (80, 90, 95, 98, 99)  # § 11.2: from 80 to 99
SUCCESS, K = 98, 10  # § 11.2
FROM = 16  # dimensions from which on the text compares random triples with FastMap
NOTE = (  # of the first figure that has edges, and of tables 1 and 3: a page shows them thrice
    "Edge images by Canny's detector, sigma 1.7 (the paper names none); "
    "chamfer distances are sums of the two directions; candidates and training objects are drawn "
    "apart from one another; m = M_1 pivot pairs are tried in a round; "
    "the second phase has as many rounds as there are dimensions."
)


def of_methods(seen: Seen, methods: Sequence[str]) -> list[Observation]:
    """Return the observations of some methods in their order, by the number of dimensions."""
    items = [item for item in seen.items if item.get("method") in methods]
    return sorted(items, key=lambda i: (methods.index(i["method"]), i.get("dimensions", 0)))


def flat(
    items: Iterable[Observation], ks: Sequence[int], percentiles: Sequence[int]
) -> Iterator[Observation]:
    """Yield an observation for each rank: its method, dimensions, draw, k and percentile."""
    for item in items:
        named = {key: item[key] for key in ("method", "dimensions", "draw")}
        for k in (k for k in ks if str(k) in item["ranks"]):
            for p in percentiles:
                yield named | {"k": k, "percentile": p, "rank": item["ranks"][str(k)][p - 1]}


def runs(seen: Seen, method: str) -> dict[int, dict[int, Observation]]:
    """Return what a method has, by draw and dimensions."""
    found: dict[int, dict[int, Observation]] = {}
    for item in of_methods(seen, [method]):
        found.setdefault(item["draw"], {})[item["dimensions"]] = item
    return found


# ------------------------------------------------------------------------------- figure 5, § 11.2


def figure5(seen: Seen) -> Gathered:
    """Return percentiles of ENN-k ranks by the number of dimensions."""
    keys = ("method", "k", "percentile", "dimensions")
    items = of_methods(seen, METHODS)
    shown = {item["dimensions"] for item in items if "whole" in item}  # FastMap has more
    items = [item for item in items if item["dimensions"] in shown]
    rows = means(flat(items, KS, (95, 99)), keys, "rank")
    return Gathered(rows or seen.absent(dict.fromkeys(keys)), [NOTE])


COST = ("dimensions", "candidates_p", "embedding_distances", "total_distances")


def best_cost(run: Mapping[int, Observation], k: int, percent: int) -> dict[str, int]:
    """Return d and p with the fewest exact distances for all k nearest of so many queries."""
    ranks = {d: [item["ranks"][str(k)][percent - 1]] for d, item in run.items()}
    d, p, total = best_dimensions(ranks, {d: item["cost"] for d, item in run.items()}, 100)
    return dict(zip(COST, (d, p, total - p, total), strict=True))


def costs(seen: Seen) -> Gathered:
    """Return the fewest exact distances that find the 10 nearest of 98 % of queries (§ 11.2)."""
    printed = {line["method"]: line for line in seen.published("boostmap/section11_2.csv")}
    rows = seen.absent({"method": "all", "quantity": None})
    for method, found in _with_ranks(seen, K):
        best = [best_cost(run, K, SUCCESS) for run in found]
        line = printed.get(method.split(",")[0], {})
        for name in COST:
            keys = {"method": method, "quantity": name}
            rows.append(number(keys, [values[name] for values in best], line.get(name)))
    note = (
        "Distances to references that several dimensions share are computed once; the paper counts "
        "two for each dimension, 'at most'. FastMap has the best of all dimensions up to 32, "
        "BoostMap that of those of figure 5."
    )
    return Gathered(rows, [note])


def costs_by_k(seen: Seen) -> Gathered:
    """Return the fewest exact distances, as in § 11.2, for further k and shares of the queries."""
    rows = seen.absent({"method": "all", "k": None, "of queries, %": None})
    for k, percent in product(RANKS_AT, PERCENTILES):
        for method, found in _with_ranks(seen, k):
            totals = [best_cost(run, k, percent)["total_distances"] for run in found]
            rows.append(number({"method": method, "k": k, "of queries, %": percent}, totals))
    note = (
        "Exact distances a query for all k nearest of so many queries, with the best d and p of "
        "each training."
    )
    return Gathered(rows, [note])


def _with_ranks(seen: Seen, k: int) -> Iterator[tuple[str, list[dict[int, Observation]]]]:
    """Yield the methods of figure 5 whose ranks for this k are known, with their draws."""
    for method in METHODS:
        found = list(runs(seen, method).values())
        if found and all(str(k) in item["ranks"] for item in found[0].values()):
            yield method, found


def other_k(seen: Seen) -> Gathered:
    """Return ratios of ranks for further k and percentiles, by the number of dimensions."""
    rows = seen.absent({"ratio": "all", "k": None, "percentile": None, "dimensions": None})
    ends = 0  # the dimensions that FastMap has in every draw
    pairs = ((RANDOM, FASTMAP), (RANDOM, CLIPPED), (SELECTIVE, CLIPPED), (SELECTIVE, RANDOM))
    for first, second in pairs:
        common = _common(seen, first, second)
        if second == FASTMAP:
            ends = max(common, default=0)
        least = max(FROM, ends + 1 if second == CLIPPED else 0)
        wanted = [d for d in common if d >= least] if first == RANDOM else common[-1:]
        rows += ratios(seen, first, second, wanted, RANKS_AT, PERCENTILES)
    note = (
        "Ranks of the first method over those of the second, means over pairs of draws. The paper "
        f"says that random triples beat FastMap from {FROM} dimensions on, and selective triples "
        "both with the most dimensions, for k up to 100 and percentiles from 80 to 99. FastMap "
        "ends where no pair of pivots is left; beyond, squares below 0 are set to 0 (clipped)."
    )
    return Gathered(rows, [note])


def _common(seen: Seen, first: str, second: str) -> list[int]:
    """Return the numbers of dimensions that two methods have in each draw of both."""
    a, b = runs(seen, first), runs(seen, second)
    each = [set(a[draw]) & set(b[draw]) for draw in a if draw in b]
    return sorted(set.intersection(*each)) if each else []


def ratios(
    seen: Seen,
    first: str,
    second: str,
    dimensions: Sequence[int],
    ks: Sequence[int],
    percentiles: Sequence[int],
) -> Iterator[Row]:
    """Yield the ranks of one method over those of another one, means over their common draws."""
    a, b = runs(seen, first), runs(seen, second)
    for d, k, p in product(dimensions, ks, percentiles):
        both = [draw for draw in a if draw in b and d in a[draw] and d in b[draw]]
        pairs = [(a[draw][d]["ranks"], b[draw][d]["ranks"]) for draw in both]
        if str(k) in pairs[0][0]:
            keys = {"ratio": f"{first} / {second}", "k": k, "percentile": p, "dimensions": d}
            yield number(keys, [one[str(k)][p - 1] / two[str(k)][p - 1] for one, two in pairs])


# -------------------------------------------------------------------------------- § 10 and § 11.3


def selective(seen: Seen) -> Gathered:
    """Return what §§ 10 and 11.3 say of selective triples, and ranks in few dimensions."""
    keys = {"ratio": None, "dimensions": None, "k": None, "percentile": None}
    rows = seen.absent({"quantity": "all"})
    shares = [item for item in seen.items if "share" in item]
    own = [i for i in shares if i["sizes"]["k_most"] == K_MOST]
    rows += [keys | row for row in means(own, ["quantity"], "share")]
    shorter = [item["dimensions"] for item in of_methods(seen, [SELECTIVE, RANDOM])]
    few = sorted({d for d in shorter if d < FROM})
    made = list(ratios(seen, SELECTIVE, RANDOM, few, KS, (95, 99)))
    for k_most in OTHER_K_MOST:
        other = f"{SELECTIVE}, k' = {k_most}"
        made += ratios(seen, other, SELECTIVE, _common(seen, other, SELECTIVE), KS, (95, 99))
    rows += [{"quantity": "ratio of ranks"} | row for row in made]
    note = (
        "Shares are of the triples, and of the classifiers of a first round, means over trainings. "
        f"Ratios are of ranks in few dimensions, pair by pair; k' = {K_MOST} where none "
        "is named. Below 1 the method named first is better."
    )
    return Gathered(rows, [note])


# ------------------------------------------------------------------ tables 1, 2, figures 6, 7, 9


def table1(seen: Seen) -> Gathered:
    """Return percentiles of ENN-k ranks: random and selective triples."""
    return _table(seen, ("distance", "triples"), [NOTE])


def table2(seen: Seen) -> Gathered:
    """Return the same numbers by the triples: the paper's heads are table 1's (ERRATUM BM-6)."""
    return _table(seen, ("triples", "distance"), [])


def _table(seen: Seen, order: tuple[str, str], notes: list[str]) -> Gathered:
    lines = published("boostmap/table1_2.csv")
    lines.sort(key=lambda line: [line[key] for key in order])
    rows = seen.absent(dict.fromkeys((*order, "k", "percentile")))
    for line in lines:
        method = f"BoostMap-Fe-{line['triples']}-{line['distance']}"
        k, p = int(line["k"]), int(line["percentile"])
        whole = [i for i in of_methods(seen, [method]) if i["whole"]]
        ranks = [item["rank"] for item in flat(whole, [k], [p])]
        if ranks:
            row = {key: line[key] for key in order} | {"k": k, "percentile": p}
            printed = line["enn_k_rank"] if seen.scale == "paper" else None
            rows.append(number(row, ranks, printed))
    return Gathered(rows, notes)


def curves(seen: Seen, methods: Sequence[tuple[str, str]]) -> Gathered:
    """Return rows at some percentiles, and the whole curves of methods by their panels."""
    keys = ("method", "k", "percentile")
    rows, drawing = [], []
    for method, panel in methods:
        items = [item for item in of_methods(seen, [method]) if item["whole"]]
        rows += means(flat(items, KS, SHOWN), keys, "rank")
        for k in (k for k in KS if items and str(k) in items[0]["ranks"]):
            values = np.mean([item["ranks"][str(k)] for item in items], axis=0)
            drawing.append({"method": method, "k": k, "panel": panel, "values": values})
    return Gathered(rows or seen.absent(dict.fromkeys(keys)), [], drawing)


# -------------------------------------------------------------------------------------- the views

BY_DIMENSION = needs("fastmap", "Fe-Ra", "Fe-Se")
FEATURES = needs("Fe-Ra", "Fe-Se")
TRIPLES = {"Ra": "random", "Se": "selective"}
RATIOS = (
    "A panel for each k: ranks by percentile, divided by those of the method that the legend names "
    "second; the last percents of the queries have most of the room."
)
RANKS = Grid(("method", "k"), ("percentile",))
COSTS = Grid(
    ("method",),
    ("quantity",),
    order={"quantity": COST},
    names={
        "quantity": {
            "candidates_p": "candidates p",
            "embedding_distances": "distances to embed a query",
            "total_distances": "distances in all",
        }
    },
)
BY_TRIPLES = Grid(
    ("k", "percentile"),
    ("distance", "triples"),
    order={"distance": ("QI", "QS"), "triples": ("Ra", "Se")},
    names={"distance": {"QI": "BoostMap-Fe-QI", "QS": "BoostMap-Fe-QS"}, "triples": TRIPLES},
)
BY_DISTANCE = Grid(
    ("k", "percentile"),
    ("triples", "distance"),
    order=BY_TRIPLES.order,
    names={
        "triples": {"Ra": "BoostMap-Fe-Ra", "Se": "BoostMap-Fe-Se"},
        "distance": {"QI": "query-insensitive (QI)", "QS": "query-sensitive (QS)"},
    },
)


def view(name: str, title: str, gather: Gather, uses: Uses, *layout: Grid, **picture: Any) -> View:
    """Return a view; `picture` has its drawing."""
    return View(name, title, gather, layout=layout, uses=uses, **picture)


OF_FIGURE6 = [(f"BoostMap-Fe-{t}-{s}", s) for s in ("QI", "QS") for t in ("Ra", "Se")]
OF_FIGURE7 = [(f"BoostMap-Fe-{t}-{s}", t) for t in ("Ra", "Se") for s in ("QI", "QS")]
OF_FIGURE9 = [(f"BoostMap-{f}-Se-{s}", s) for s in ("QI", "QS") for f in ("Fe", "Pa")]
BY_PERCENTILE: Any = {"draw": draw_percentiles, "alt": RATIOS, "size": (5.2, 7.4)}
DIMENSIONS: Any = {
    "draw": draw_dimensions,
    "alt": "A panel for each k and percentile: ranks of FastMap and BoostMap by dimension.",
    "size": (5.2, 7.2),
}
RANK = "ENN-k ranks by percentile: "
VIEWS = (
    view(
        "figure5",
        "ENN-k ranks by the number of dimensions",
        figure5,
        BY_DIMENSION,
        Grid(("method", "k", "percentile"), ("dimensions",)),
        **DIMENSIONS,
    ),
    view(
        "costs",
        "§ 11.2: exact distances for the true 10 nearest of 98 % of the queries",
        costs,
        BY_DIMENSION,
        COSTS,
    ),
    view("table1", "ENN-k ranks: random against selective triples", table1, FEATURES, BY_TRIPLES),
    view(
        "figure6",
        RANK + "random against selective triples",
        partial(curves, methods=OF_FIGURE6),
        FEATURES,
        RANKS,
        **BY_PERCENTILE,
    ),
    view(
        "figure7",
        RANK + "query-insensitive against query-sensitive",
        partial(curves, methods=OF_FIGURE7),
        FEATURES,
        RANKS,
        **BY_PERCENTILE,
    ),
    view(
        "table2",
        "ENN-k ranks: query-insensitive against query-sensitive",
        table2,
        FEATURES,
        BY_DISTANCE,
    ),
    view(
        "figure9",
        RANK + "feature space against parameter space",
        partial(curves, methods=OF_FIGURE9),
        needs("Fe-Se", "Pa-Se"),
        RANKS,
        **BY_PERCENTILE,
    ),
    view(
        "other_k",
        "§ 11.2: ranks for further k and percentiles",
        other_k,
        BY_DIMENSION,
        Grid(("k", "percentile"), ("dimensions",), tables=("ratio",)),
    ),
    view(
        "costs_by_k",
        "§ 11.2: exact distances for further k and shares of the queries",
        costs_by_k,
        BY_DIMENSION,
        Grid(("method", "k"), ("of queries, %",)),
    ),
    view(
        "selective",
        "§§ 10 and 11.3: what the text says of selective triples",
        selective,
        needs("Fe-Ra", "Fe-Se", "Pa-Se", "other k'", "few dimensions"),
        Grid(
            ("quantity",), where=dict.fromkeys(("ratio", "dimensions", "k", "percentile"), (None,))
        ),
        Grid(
            ("ratio", "k", "percentile"),
            ("dimensions",),
            where={"quantity": ("ratio of ranks",)},
            title="ratios of ranks",
        ),
    ),
)
