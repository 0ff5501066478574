"""The rows of Li et al.'s figures of recall: what was computed, beside the printed numbers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paper_figures.search_forest.methods import SETS
from paper_figures.search_forest.results_curves import (
    EQ_18,
    FOREST,
    KMEANS,
    PLANES,
    READINGS,
    Curve,
    best_regions,
    curves_of,
    method_of,
    named_for_figures,
)
from paper_figures.store import Row
from paper_figures.tasks import Context, Gathered, Result, absent_rows

NOTES_OF = {
    ("figure1", "paper"): (
        "The forest has the paper's number of trees and of levels. It is learnt from 20,000 of the "
        "points, and once from all of them. Its planes and offsets are those of eq. 18, whose "
        "coordinates are centred and scaled for each node: the paper does not say in which "
        "coordinates x~ is. What other splits find: splits.",
        "The paper does not say how its k-means trees are searched, nor how many regions their "
        "nodes have (regions); best-bin-first is the search of the source that it names. It "
        "prefers small leaves: their centres are almost the points, so that it finds items in "
        "almost the order of their distances, and compares with many centres. A scan of codes is "
        "no index: it looks at all of them (table 1).",
    ),
    ("figure2", "paper"): (
        "The forest has the paper's 60 trees, of 13 levels (less than 800 bits), "
        "and learns from 20,000 of the points. The database is 20 times smaller than the "
        "paper's million: of 50,000 images 250 are the share of 0.5 per cent that 5000 are there. "
        "The GIST is our own (data/gist.py).",
    ),
}
READING = (
    "Whole sets, the main reading: what is returned is the union of the leaves (LSH: buckets) that "
    "a query reaches in the first trees, in no order; section 4.1 says that more returned items "
    "take more trees, whose number stands in the cell. Between two numbers of trees recall is "
    "interpolated. Ranked lists: the candidates of all trees, ordered by T or by the trees that "
    "agree, are cut. Codes and best-bin-first search give a list in any case."
)
RULE = (
    "Settings that the paper leaves open (lambda; regions and leaves of the k-means trees; "
    "functions and width of LSH) are those of the largest mean recall along the curve when 300 "
    "points of the database are the queries, among a part of the others; K, "
    "the counts and the leaves of the k-means trees shrink with the database. Each reading has its "
    "own setting. The trees' leaves are no smaller than in their source, which does not divide "
    "fewer points than there are regions."
)
DRAWN = "Means over {} draws of forests, trees and tables, with their standard deviation."


def computed(results: Sequence[Result]) -> list[Result]:
    """Return the results that have a value."""
    return [r for r in results if r.value is not None]


def curves(figure: str) -> Callable[[Context, Sequence[Result]], Gathered]:
    """Return the reduction of Figure 1 or 2: recall by the number of returned items."""

    def gathered(context: Context, results: Sequence[Result]) -> Gathered:
        read = best_regions(curves_of(results, named_for_figures(results)))
        printed = _printed(context, figure)
        rows = _whole(results, [row for curve in read for row in curve.rows(printed)])
        drawing = [curve.drawing() for curve in read]
        notes = [set_note(results), READING, *NOTES_OF.get((figure, context.scale), ())]
        return Gathered(rows, [*notes, RULE, *_curve_notes(read, drawing)], drawing)

    return gathered


def _whole(results: Sequence[Result], rows: list[Row]) -> list[Row]:
    """Return the rows with those of missing results before them."""
    keys = ("reading", "method", "setting", "returned", "trees")
    missing = dict.fromkeys(keys) | {"method": "all"}
    return [*absent_rows(results, missing), *rows]


def _printed(context: Context, figure: str) -> dict[tuple[str, int], float]:
    """Return the recalls that the text prints, by method and number of returned items."""
    if context.scale != "paper":
        return {}
    return {
        (FOREST if line["method"] == "forest" else line["method"], int(line["returned"])): line[
            "recall"
        ]
        for line in context.published("search_forest/text.csv")
        if line["place"] == figure
    }


def _curve_notes(read: Sequence[Curve], drawing: list[dict[str, Any]]) -> list[str]:
    """Return the notes on the forests, their lambdas, and where the forest is ahead."""
    notes = [note for curve in read for note in _forest_note(curve)]
    draws = max((len(curve.draws) for curve in read), default=1)
    if draws > 1:
        notes.insert(0, DRAWN.format(draws))
    ranked = [line for line in drawing if line["reading"] != READINGS[SETS]]
    return [*notes, *cost_notes(ranked), *order_notes(drawing)]


def set_note(results: Sequence[Result]) -> str:
    """Return the note that says what is searched, and what is counted."""
    at = results[0].params
    sets = " and ".join(dict.fromkeys(r.params["data_set"] for r in results))
    d = ", ".join(str(d) for d in sorted({r.params["d"] for r in results}))
    return (
        f"The paper's images are not available: {sets} on {d} components, "
        f"{at['queries']} queries that are not in the database. "
        f"Recall of the {at['K']} nearest in per cent."
    )


def _forest_note(curve: Curve) -> list[str]:
    """Return the note on a forest: its size, its time, the choice of lambda."""
    first = curve.draws[0]
    if not curve.method.startswith(FOREST):
        return []
    model = first["model"]
    tried = ", ".join(f"{lam:g}: {100 * mean:.1f}" for lam, mean in first["tried"])
    return [
        f"{curve.method}, {READINGS[curve.reading]}: {model['trees']} trees of at most "
        f"{curve.params['max_depth']} levels and of {model['leaves']:.0f} leaves on average, "
        f"learnt from {curve.params['n_train']} points in {model['seconds']:.0f} s; a query has "
        f"{first['candidates']:.0f} candidates."
        + (f" Mean recall in the choice of lambda: {tried}." if tried else "")
    ]


def cost_notes(drawing: list[dict[str, Any]]) -> list[str]:
    """Return the note on comparisons that the number of returned items does not count."""
    by_name = {
        line["method"]: (line["counts"], np.array(line["compared"]), line["recall"])
        for line in drawing
        if "compared" in line and (line["method"] == FOREST or FOREST not in line["method"])
    }
    if FOREST not in by_name or len(by_name) == 1:
        return []
    counts, planes, recall = by_name.pop(FOREST)
    costs = [f"{FOREST}: at most {planes[0]:.0f} planes"] + [
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


def order_notes(drawing: list[dict[str, Any]]) -> list[str]:
    """Return a note for each reading: where along the curve the forest is ahead of each method.

    A rival with one list in any case stands beside both readings.
    """
    lists = [line for line in drawing if line["reading"] != READINGS[SETS]]
    notes = []
    for reading in READINGS.values():
        of_reading = {line["method"]: line for line in drawing if line["reading"] == reading}
        if FOREST not in of_reading:
            continue
        others = {line["method"]: line for line in lists} | of_reading
        forest = others.pop(FOREST)
        rivals = {name: line for name, line in others.items() if FOREST not in name}
        notes.append(f"{reading.capitalize()}: {_order(forest, rivals)}")
    return notes


def _order(forest: dict[str, Any], rivals: dict[str, dict[str, Any]]) -> str:
    where = {
        method: [
            count
            for count, ours, theirs in zip(
                forest["counts"], forest["recall"], line["recall"], strict=True
            )
            if ours > theirs
        ]
        for method, line in rivals.items()
    }
    whole = [method for method, counts in where.items() if len(counts) == len(forest["counts"])]
    parts = [
        f"{method} at {', '.join(map(str, counts)) or 'no number'}"
        for method, counts in where.items()
        if method not in whole
    ]
    return (
        "the paper has the forest ahead of all others. Here it is ahead all along the curve of: "
        f"{', '.join(whole) or 'none'}. Of the others: {'; '.join(parts) or 'none'}."
    )


# --------------------------------------------------------------------------- other figures


def dimensions(context: Context, results: Sequence[Result]) -> Gathered:
    """Return recall by the number of components, and how far the forest is ahead of the others."""
    keys = ("points", "components", "reading", "method", "setting", "returned", "trees")
    rows = absent_rows(results, dict.fromkeys(keys) | {"method": "all"})
    lines: dict[tuple[str, str, str], dict[int, float]] = {}
    read: dict[tuple[str, int], list[Curve]] = {}
    for points, d in dict.fromkeys(
        (r.params["data_set"], r.params["d"]) for r in computed(results)
    ):
        mine = [r for r in results if (r.params["data_set"], r.params["d"]) == (points, d)]
        read[points, d] = curves_of(mine, _whatever_regions)
        for curve in read[points, d]:
            place = {"points": points, "components": d}
            rows += [place | row for row in curve.rows({})]
            middle = curve.mean("recall")[len(curve.counts) // 2]
            lines.setdefault((points, READINGS[curve.reading], curve.method), {})[d] = middle
    drawing = [
        {
            "points": points,
            "reading": reading,
            "method": method,
            "components": list(line),
            "recall": list(line.values()),
        }
        for (points, reading, method), line in lines.items()
    ]
    notes = [set_note(results), DIMENSIONS, READING, *_differences(read), RULE]
    return Gathered(rows, notes, drawing)


def _whatever_regions(r: Result) -> str:
    """Return a method's name, which does not say how many regions its k-means trees have."""
    return KMEANS if r.name == "kmeans" else method_of(r)


def _differences(read: dict[tuple[str, int], list[Curve]]) -> list[str]:
    """Return the note on the forest's recall less that of every other method."""
    notes: dict[str, list[str]] = {}
    counts = ""
    for (_, d), curves in read.items():
        forest = {c.reading: np.array(c.mean("recall")) for c in curves if c.method == FOREST}
        for curve in curves:
            if curve.method != FOREST and curve.reading in forest:
                counts = ", ".join(map(str, curve.counts))
                less = ", ".join(f"{x:+.1f}" for x in forest[curve.reading] - curve.mean("recall"))
                name = f"{curve.method}, {READINGS[curve.reading]}"
                notes.setdefault(name, []).append(f"{d} components {less}")
    if not notes:
        return []
    return [
        f"The forest's recall less that of the others, among {counts} returned items. "
        + " ".join(f"{name}: {'; '.join(parts)}." for name, parts in notes.items())
    ]


DIMENSIONS = (
    "The paper's vectors have 1000 dimensions, and it says that k-means trees lose with the "
    "dimension. To try that, the same points are searched on few of their principal components and "
    "on many, each time for the neighbours on those components."
)


def splits(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the rows of the forest's recall by how its planes are chosen."""
    names = ("planes", "offset", "moves", "augment", "lambda", "leaves", "reading", "returned")
    rows = absent_rows(results, dict.fromkeys(names))
    read = curves_of(results, _planes)
    for curve in read:
        params = curve.params
        learnt = "planes" not in params
        keys = {
            "planes": EQ_18 if learnt else PLANES[params["planes"]],
            "offset": params.get("offset", "eigenvector") if learnt else None,
            "moves": params.get("refine", 0) if learnt else None,
            "augment": params.get("augment", 0.1) if learnt else None,
            "lambda": curve.draws[0]["setting"],
            "leaves": round(curve.draws[0]["model"]["leaves"]),
        }
        kept = ("reading", "returned", "published", "ours", "std", "repetitions")
        rows += [keys | {key: row[key] for key in kept if key in row} for row in curve.rows({})]
    draws = max((len(curve.draws) for curve in read), default=1)
    return Gathered(rows, [set_note(results), SPLITS, READING, DRAWN.format(draws), RULE])


def _planes(r: Result) -> str:
    """Return a name for each way to choose planes."""
    keys = ("planes", "offset", "refine", "augment")
    return ", ".join(str(r.params.get(key, "")) for key in keys)


SPLITS = (
    "All trees stop by eq. 17 and have at most the same depth; lambda is chosen for each kind of "
    "planes. Offset: b of the plane is the eigenvector's, as eq. 18 has it, or where eq. 17 itself "
    "is largest. Moves: how often the plane may go on to where eq. 17 is larger. Augment: the last "
    "entry of x~ (1 in the paper, which does not say in which coordinates x is); the others are "
    "centred and scaled to unit spread for each node. The eigenvector's b, no moves, and 0.1 are "
    "the printed form of the other figures. Not learnt: a random direction, or one of a node's "
    "five principal directions, each at the median; the plane between the centres of 2-means. K "
    "shrinks with the training points."
)
