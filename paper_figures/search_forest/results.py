"""The rows of Li et al.'s figures: what the tasks computed, beside the printed numbers."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from paper_figures.registry import Context, Gathered, Result
from paper_figures.rows import absent_rows
from paper_figures.store import Row

NAMES = {
    "forest": "Boosted Search Forest",
    "colliding": "k-means trees",
    "hashing": "LSH",
    "best-bin-first": "k-means trees, best-bin-first",
}
UNIONS = {
    "union_forest": NAMES["forest"],
    "union_kmeans": NAMES["colliding"],
    "union_hashing": NAMES["hashing"],
}
NOTES_OF = {
    ("figure1", "paper"): (
        "The forest has the paper's number of trees and of levels, and learns from all points. "
        "Its planes and offsets are those of eq. 18, whose coordinates are centred and scaled for "
        "each node: the paper does not say in which coordinates x~ is. "
        "What other splits find: splits.",
        "The paper does not say how its k-means trees are searched, "
        "nor how many regions their nodes have (regions); best-bin-first is the search of the "
        "source that it names. It prefers small leaves: their centres are almost the points, "
        "so that it finds items in almost the order of their distances, "
        "and compares with many centres. Whether the paper's order hangs on its 1000 dimensions "
        "was tried on other points (dimensions). A scan of codes is no index: "
        "it looks at all of them (table 1).",
    ),
    ("figure2", "paper"): (
        "The forest has the paper's 60 trees, of 13 levels (less than 800 bits), "
        "and learns from 20,000 of the points, for time. The database is 20 times smaller than the "
        "paper's million: of 50,000 images 250 are the share of 0.5 per cent that 5000 are there. "
        "The GIST is our own (data/gist.py). The smallest lambda tried is the best, "
        "by less each time it is halved, and the candidates grow.",
    ),
}
MOVES = (
    "One setting is changed at a time, from the middle one. K shrinks with the training points. "
    "Moves: how often a split's plane may go from the eigenvector of eq. 18 to where eq. "
    "17 itself is larger; not at all in the printed form."
)
RULE = (
    "Settings that the paper leaves open (lambda; regions and leaves of the k-means trees; "
    "functions and width of LSH) are those of the largest mean recall along the curve when 300 "
    "points of the database are the queries, among a part of the others; K, "
    "the counts and the leaves of the k-means trees shrink with the database. "
    "The trees' leaves are no smaller than in their source, which does not divide fewer points "
    "than there are regions."
)


def method_of(r: Result) -> str:
    """Return the name of a task's curve."""
    if r.name == "spectral":
        return f"spectral hashing {r.params['bits']} bits"
    if r.name == "kmeans":
        name = NAMES["best-bin-first" if r.params["first_best"] else "colliding"]
        return name if r.params["trees"] > 1 else name.replace("trees", "tree")
    return NAMES[r.name]


def computed(results: Sequence[Result]) -> list[Result]:
    """Return the results that have a value."""
    return [r for r in results if r.value is not None]


def curves(figure: str) -> Callable[[Context, Sequence[Result]], Gathered]:
    """Return the reduction of Figure 1 or 2: recall by the number of returned items."""

    def gathered(context: Context, results: Sequence[Result]) -> Gathered:
        rows = absent_rows(results, {"method": "all", "returned": None})
        drawing = []
        for r in computed(results):
            points = list(zip(r.params["counts"], r.value["recall"], strict=True))
            rows += _curve_rows(
                context, figure, method_of(r), [r.value["setting"]] * len(points), points
            )
            drawing.append(_curve(r, method_of(r)))
        for row in rows:
            row.setdefault("setting", None)
        notes = [
            set_note(results),
            *NOTES_OF.get((figure, context.scale), ()),
            RULE,
            *_forest_notes(results),
        ]
        return Gathered(rows, [*notes, *cost_notes(drawing), *_order_note(drawing)], drawing)

    return gathered


def _curve(r: Result, method: str) -> dict[str, Any]:
    """Return what is drawn of a curve."""
    return {"method": method, "counts": list(r.params["counts"])} | {
        key: r.value[key]
        for key in ("recall", "returned", "candidates", "compared")
        if key in r.value
    }


def _curve_rows(
    context: Context, figure: str, method: str, settings: Any, points: Sequence[Any]
) -> Iterator[Row]:
    """Yield the points of a curve, returned items and recall, beside what the text prints."""
    printed = {
        (line["method"], int(line["returned"])): line["recall"]
        for line in context.published("search_forest/text.csv")
        if line["place"] == figure
    }
    name = "forest" if method == NAMES["forest"] else method
    for setting, (count, recall) in zip(settings, points, strict=True):
        published = printed.get((name, count)) if context.scale == "paper" else None
        yield {
            "method": method,
            "returned": count,
            "setting": str(setting),
            "published": published,
            "ours": round(recall, 2),
            "std": None,
        }


def set_note(results: Sequence[Result], how: str = "; every method returns its best first") -> str:
    """Return the note that says what is searched, and what is counted."""
    at = results[0].params
    d = ", ".join(str(d) for d in sorted({r.params["d"] for r in results}))
    return (
        f"The paper's images are not available: {at['data_set']} on {d} components, "
        f"{at['queries']} queries that are not in the database. "
        f"Recall of the {at['K']} nearest in per cent{how}."
    )


def _forest_notes(results: Sequence[Result]) -> list[str]:
    """Return the note on the first forest: its size, its time, the choice of lambda."""
    forests = [r for r in computed(results) if r.name == "forest"]
    return [
        f"Forest: {r.value['trees']} trees of at most {r.params['max_depth']} levels and of "
        f"{r.value['leaves']:.0f} leaves on average, learnt from {r.params['n_train']} points in "
        f"{r.value['seconds']:.0f} s; a query has {r.value['candidates']:.0f} candidates. "
        f"Mean recall in the choice of "
        "lambda: " + ", ".join(f"{lam}: {100 * mean:.1f}" for lam, mean in r.value["tried"]) + "."
        for r in forests[:1]
    ]


def cost_notes(drawing: list[dict[str, Any]]) -> list[str]:
    """Return the note on comparisons that the number of returned items does not count."""
    by_name = {
        line["method"]: (line["counts"], np.array(line["compared"]), line["recall"])
        for line in drawing
        if "compared" in line
    }
    if NAMES["forest"] not in by_name or len(by_name) == 1:
        return []
    counts, planes, recall = by_name.pop(NAMES["forest"])
    costs = [f"{NAMES['forest']}: at most {planes[0]} planes"] + [
        f"{name}: {' to '.join(f'{x:.0f}' for x in np.unique(np.round(other[[0, -1]])))}"
        for name, (_, other, _) in by_name.items()
    ]
    ahead = []
    for name, (returned, other, theirs) in by_name.items():
        total = np.add(returned, other)
        ours = np.add(counts, planes)
        shared = [
            (count, x, y)
            for count, x, y in zip(counts, ours, recall, strict=True)
            if total[0] <= x <= total[-1]
        ]
        where = [str(count) for count, x, y in shared if y > np.interp(x, total, theirs)]
        ahead.append(f"{name} at {', '.join(where) or 'no number'} (of {len(shared)})")
    return [
        f"A query is compared with planes, centres or projections before it is with items. "
        f"{'; '.join(costs)}. If "
        "these count as items, the forest is ahead, at its own numbers of returned items where "
        "both have a curve, of: "
        f"{'; '.join(ahead)}."
    ]


def _order_note(drawing: list[dict[str, Any]]) -> list[str]:
    """Return the note on where along the curve the forest is ahead of each method."""
    curves = {line["method"]: line for line in drawing}
    if NAMES["forest"] not in curves:
        return []
    forest = curves.pop(NAMES["forest"])
    where = {
        method: [
            count
            for count, ours, theirs in zip(
                forest["counts"], forest["recall"], line["recall"], strict=True
            )
            if ours > theirs
        ]
        for method, line in curves.items()
    }
    whole = [method for method, counts in where.items() if len(counts) == len(forest["counts"])]
    parts = [
        f"{method} at {', '.join(map(str, counts)) or 'no number'}"
        for method, counts in where.items()
        if method not in whole
    ]
    return [
        "The paper has the forest ahead of all others. Here it is ahead all along the curve of: "
        f"{', '.join(whole) or 'none'}. Of the others: {'; '.join(parts) or 'none'}."
    ]


UNION = (
    "What is returned is the union of the leaves (LSH: buckets) that a query reaches in the first "
    "trees, in no order; of spectral hashing the nearest codes. "
    "Section 4.1 says that more returned items take more trees. "
    "Between two numbers of trees recall is interpolated. Figure 1 orders the candidates of all "
    "trees, by T or by the trees that agree, and cuts. For each number of returned items the "
    "setting is the best at that number when 300 points of the database are the queries, "
    "among a part of the others."
)


def unions(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the rows of Figure 1 with whole candidate sets."""
    rows = absent_rows(results, {"method": "all", "returned": None})
    drawing = []
    for r in computed(results):
        method = UNIONS.get(r.name) or method_of(r)
        settings = r.value.get("settings")
        points = list(zip(r.params["counts"], r.value["recall"], strict=True))
        rows += _curve_rows(
            context, "figure1", method, settings or [r.value["setting"]] * len(points), points
        )
        drawing.append(
            {
                "method": method,
                "counts": list(r.params["counts"]),
                "recall": list(r.value["recall"]),
            }
        )
    for row in rows:
        row.setdefault("setting", None)
    return Gathered(
        rows,
        [set_note(results, how=""), UNION, *_union_notes(results), *_order_note(drawing)],
        drawing,
    )


def _union_notes(results: Sequence[Result]) -> list[str]:
    """Return notes on how many items all trees return together, by setting."""
    return [
        f"{UNIONS[r.name]}, {len(sizes)} trees or tables with the setting {setting}: "
        f"all return {sizes[-1]:.0f} items on average, recall {recalls[-1]:.1f}."
        for r in computed(results)
        if r.name in UNIONS
        for setting, sizes, recalls in r.value["curves"]
    ]


def dimensions(context: Context, results: Sequence[Result]) -> Gathered:
    """Return recall by the number of components, and how far the forest is ahead of the others."""
    rows = absent_rows(results, {"components": None, "method": "all", "returned": None})
    lines: dict[str, dict[int, float]] = {}
    for r in computed(results):
        rows += [
            {"components": r.params["d"]} | row
            for row in _curve_rows(
                context,
                "dimensions",
                method_of(r),
                [r.value["setting"]] * len(r.params["counts"]),
                list(zip(r.params["counts"], r.value["recall"], strict=True)),
            )
        ]
        middle = len(r.params["counts"]) // 2
        lines.setdefault(method_of(r), {})[r.params["d"]] = float(r.value["recall"][middle])
    for row in rows:
        row.setdefault("setting", None)
    drawing = [
        {"method": method, "components": list(line), "recall": list(line.values())}
        for method, line in lines.items()
    ]
    return Gathered(
        rows, [set_note(results), DIMENSIONS, *_differences(computed(results)), RULE], drawing
    )


def _differences(results: Sequence[Result]) -> list[str]:
    """Return the note on the forest's recall less that of every other method."""
    forest = {r.params["d"]: np.array(r.value["recall"]) for r in results if r.name == "forest"}
    notes: dict[str, list[str]] = {}
    for r in results:
        if r.name != "forest" and r.params["d"] in forest:
            less = ", ".join(f"{x:+.1f}" for x in forest[r.params["d"]] - r.value["recall"])
            notes.setdefault(method_of(r), []).append(f"{r.params['d']} components {less}")
    if not notes:
        return []
    counts = ", ".join(map(str, results[0].params["counts"]))
    return [
        f"The forest's recall less that of the others, among {counts} returned items. "
        + " ".join(f"{name}: {'; '.join(parts)}." for name, parts in notes.items())
    ]


DIMENSIONS = (
    "Figures 1 and 2 do not have the paper's order of methods. "
    "The paper's vectors have 1000 dimensions, and it says that k-means trees lose with the "
    "dimension. To try whether that is why, the same points are searched on few of their principal "
    "components and on many, each time for the neighbours on those components."
)


def regions(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the rows of the forest and of k-means trees by how many regions their nodes have."""
    rows = absent_rows(results, {"method": "all", "returned": None, "setting": None})
    drawing = []
    for r in computed(results):
        name = method_of(r)
        if r.name == "kmeans":
            name += f" of {r.value['setting'][0]} regions"
        points = list(zip(r.params["counts"], r.value["recall"], strict=True))
        rows += _curve_rows(context, "regions", name, [r.value["setting"]] * len(points), points)
        drawing.append(_curve(r, name))
    return Gathered(
        rows,
        [set_note(results), REGIONS, *cost_notes(drawing), *_order_note(drawing), RULE],
        drawing,
    )


REGIONS = (
    "The paper does not say into how many regions its k-means trees divide a node. "
    "A node of the forest has two parts, and its branchings are what the paper counts as bits. "
    "More regions take fewer levels, and more comparisons."
)


def sensitivity(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the rows of the forest's recall when one setting is changed."""
    rows = absent_rows(
        results,
        {"lambda": None, "training points": None, "depth": None, "moves": None, "returned": None},
    )
    for r in computed(results):
        keys = {
            "lambda": r.value["setting"],
            "training points": r.params["n_train"],
            "depth": r.params["max_depth"],
            "moves": r.params["refine"],
        }
        middle = len(r.params["counts"]) // 2
        for place in (middle, len(r.params["counts"]) - 1):
            rows.append(
                keys
                | {
                    "returned": r.params["counts"][place],
                    "candidates": round(r.value["candidates"]),
                    "published": None,
                    "ours": round(r.value["recall"][place], 2),
                    "std": None,
                }
            )
    for row in rows:
        row.setdefault("candidates", None)
    return Gathered(rows, [set_note(results), MOVES])


def splits(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the rows of the forest's recall by offset, moves and lambda."""
    keys = {
        "offset": None,
        "moves": None,
        "augment": None,
        "lambda": None,
        "leaves": None,
        "returned": None,
    }
    rows = absent_rows(results, keys)
    for r in computed(results):
        setting = {
            "offset": r.params["offset"],
            "moves": r.params["refine"],
            "augment": r.params["augment"],
            "lambda": r.value["setting"],
            "leaves": round(r.value["leaves"]),
        }
        rows += [
            setting | {"returned": count, "published": None, "ours": round(recall, 2), "std": None}
            for count, recall in zip(r.params["counts"], r.value["recall"], strict=True)
        ]
    return Gathered(rows, [set_note(results), SPLITS])


SPLITS = (
    "Offset: b of the plane is the eigenvector's, as eq. 18 has it, or where eq. "
    "17 itself is largest. Moves: how often the plane may go on to where eq. "
    "17 is larger. Augment: the last entry of x~ (1 in the paper, "
    "which does not say in which coordinates x is); the others are centred and scaled to unit "
    "spread for each node. The other figures have the eigenvector's b, no moves, and 0.1, "
    "which is the printed form; only libraries moves its planes, "
    "and sensitivity says where it does. K shrinks with the training points."
)


def table1(context: Context, results: Sequence[Result]) -> Gathered:
    """Return seconds for a query, and the paper's half billion by the growth that was measured."""
    keys = {"bits": None, "items": None, "search": None, "candidates": None}
    rows = absent_rows(results, keys)
    drawing = []
    printed = {int(line["bits"]): line for line in context.published("search_forest/table1.csv")}
    kinds = (
        ("scan", "linear scan", "linear_scan_s"),
        ("index", "forest", "boosted_search_forest_s"),
    )
    by_bits: dict[int, list[Result]] = {}
    growth: dict[str, list[float]] = {}
    for r in computed(results):
        by_bits.setdefault(r.params["bits"], []).append(r)
    for bits, of_bits in by_bits.items():
        of_bits.sort(key=lambda r: r.params["n"])
        n = [r.params["n"] for r in of_bits]
        for key, name, column in kinds:
            seconds = [r.value[key] for r in of_bits]
            rows += [_measured_row(r, key, name) for r in of_bits]
            drawing.append({"bits": bits, "search": name, "items": n, "seconds": seconds})
            if len(of_bits) > 1:
                growth.setdefault(name, []).append(seconds[-1] / seconds[-2])
                rows.append(
                    {
                        "bits": bits,
                        "items": HALF_BILLION,
                        "search": f"{name}, extrapolated",
                        "candidates": None,
                        "published": printed[bits][column] if bits in printed else None,
                        "ours": float(f"{seconds[-1] * HALF_BILLION / n[-1]:.3g}"),
                        "std": None,
                    }
                )
    return Gathered(rows, [*NOTES, *_growth_notes(growth, by_bits)], drawing)


def _measured_row(r: Result, key: str, name: str) -> Row:
    """Return the row of the seconds that a search took, a value of the result by its key."""
    return {
        "bits": r.params["bits"],
        "items": r.params["n"],
        "search": name,
        "candidates": round(r.value["candidates"]) if key == "index" else None,
        "published": None,
        "ours": float(f"{r.value[key]:.3g}"),
        "std": None,
    }


def _growth_notes(growth: dict[str, list[float]], by_bits: dict[int, list[Result]]) -> list[str]:
    """Return the note on how the times grew between the two largest sizes."""
    if not growth:
        return []
    before, last = (r.params["n"] for r in next(iter(by_bits.values()))[-2:])
    times = "; ".join(
        f"{name} {min(grown):.2g} to {max(grown):.2g}" for name, grown in growth.items()
    )
    return [
        f"Measured growth from {before:,} to {last:,} items, {last / before:.2g} times as many: "
        f"{times} times."
    ]


HALF_BILLION = 500_000_000
NOTES = [
    "Seconds for a query, one thread. Synthetic items: random codes in a file that is mapped into "
    "memory; the index has a tree of 2^16 leaves for each 16 bits, "
    "whose leaves are those bits. Its time is a walk down all trees (32 dimensions) and the "
    "gathering of all candidates with their scores. The scan keeps the 100 nearest; the paper does "
    "not sort. The paper does not say how many candidates its leaves hold, nor the dimension.",
    "The half billion is not computed: it is extrapolated in proportion from the largest size, "
    "since codes and an index's lists grow in proportion. Codes of 32 bits take words of 64.",
]
