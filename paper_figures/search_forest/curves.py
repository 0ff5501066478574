"""Figures 1 and 2 of Li et al. (2011): recall by the number of returned items.

The paper has features of images that were never published, and GIST of a million images that have
been withdrawn; here are 60,000 digits, and 50,000 tiny images with a GIST of our own. It has 17
trees of 12 levels, and 60 of so many levels that a tree has less than 800 / 60 bits. In which
coordinates x~ of eq. 18 is, how the k-means trees are searched, and every size of the rivals is
left open: the forest is shown with x~ as printed, and in the coordinates that find more, which are
the library's default; settings are chosen on a trial (:mod:`recall`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from paper_figures import plots
from paper_figures.answers import tell
from paper_figures.rows import by
from paper_figures.search_forest.methods import RANKED, SETS
from paper_figures.search_forest.recall import (
    BY_READING,
    FOREST,
    KMEANS,
    LSH,
    READING,
    READINGS,
    RULE,
    Curve,
    curves_of,
    drawn_note,
    forest_cell,
    leaves_of,
    recalls,
    rival_cell,
    set_note,
)
from paper_figures.store import Record
from paper_figures.study import Cell, Gathered, Grid, Seen, Study, View
from paper_figures.themes import LIGHT

AS_PRINTED = f"{FOREST}, x~ as printed"
ALL_POINTS = f"{FOREST}, all points"
MOVED_PLANES = f"{FOREST}, moved planes"
MOVED = {"offset": "best", "refine": 10}
BEST_BIN_FIRST = f"{KMEANS}, best-bin-first"
CODES = "spectral hashing"
FIGURES = {
    "figure1": {"small": "digits", "paper": "MNIST-10"},
    "figure2": {"small": "digits-gist", "paper": "tiny-images"},
}
COUNTS = (20, 40, 60, 100, 150, 200)
DIGITS: dict[str, Any] = {
    "at": {"d": 30, "queries": 300, "K": 20, "sample": 900, "counts": COUNTS},
    "trees": 8,
    "depth": 8,
    "n_train": 300,
    "all": 600,
    "lams": (0.05, 0.1, 0.2),
    "regions": (2, 8),
    "leaves": (8, 16, 32, 64, 128),
    "bits": (16, 32, 64),
    "functions": (2, 4, 8),
    "widths": (0.5, 1.0, 2.0, 4.0),
    "draws": 2,
}
OF_GIST: dict[str, Any] = {"trees": 12, "all": None, "lams": (0.05, 0.1), "bits": (16, 64, 128)}
SETTINGS: dict[str, dict[str, Any]] = {
    "digits": DIGITS,
    "digits-gist": DIGITS | OF_GIST | {"at": DIGITS["at"] | {"d": 96}},
    "MNIST-10": {
        "at": {
            "d": 64,
            "queries": 1000,
            "K": 100,
            "sample": 20_000,
            "counts": tuple(range(100, 1001, 100)),
        },
        "trees": 17,
        "depth": 12,
        "n_train": 20_000,
        "all": 60_000,
        "lams": (0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4),
        "regions": (2, 8, 32),
        "leaves": (8, 16, 31, 63, 125, 250, 500, 1000),
        "bits": (32, 96, 200),
        "functions": (2, 4, 8, 12, 16, 24, 32),
        "widths": (0.5, 1.0, 2.0, 4.0, 8.0),
        "draws": 3,
    },
    "tiny-images": {
        "at": {
            "d": 384,
            "queries": 1000,
            "K": 100,
            "sample": 6_250,
            "counts": (250, *range(500, 5001, 500)),
        },
        "trees": 60,
        "depth": 13,
        "n_train": 10_000,
        "all": None,
        "lams": (0.0025, 0.005, 0.01, 0.02, 0.05),
        "regions": (2, 8, 32),
        "leaves": (8, 16, 63, 250, 500, 1000),
        "bits": (100, 500, 800),
        "functions": (2, 4, 8, 12, 16, 24),
        "widths": (1.0, 2.0, 4.0, 8.0),
        "draws": 3,
    },
}
NOTES = {
    "MNIST-10": (
        "The forest has the paper's number of trees and of levels. It is learnt from 20,000 of the "
        "points, and once from all of them. Its planes and offsets are those of eq. 18. The paper "
        "does not say in which coordinates x~ is: as printed are the points as they are with an "
        "entry 1, the others are centred and scaled for each node. What other splits find: splits.",
        "The paper does not say how its k-means trees are searched, nor how many regions their "
        "nodes have (regions); best-bin-first is the search of the source that it names. It "
        "prefers small leaves: their centres are almost the points, so that it finds items in "
        "almost the order of their distances, and compares with many centres. A scan of codes is "
        "no index: it looks at all of them (table 1).",
    ),
    "tiny-images": (
        "The forest has the paper's 60 trees, of 13 levels (less than 800 bits), "
        "and learns from 10,000 of the points. The database is 20 times smaller than the "
        "paper's million: of 50,000 images 250 are the share of 0.5 per cent that 5000 are there. "
        "The GIST is our own (data/gist.py).",
    ),
}


def cells(data_set: str) -> list[Cell]:
    """Return the cells of a figure: one for each method, with all its draws."""
    of = SETTINGS[data_set]
    at = {"data_set": data_set, **of["at"]}
    draws, trees, regions = of["draws"], of["trees"], of["regions"]
    many = leaves_of([n for n in regions if n > 2], of["leaves"])
    tables = [(k, w) for k in of["functions"] for w in of["widths"]]
    listed = [
        forest_cell(at, of, draws),
        forest_cell(at, of, draws, method=AS_PRINTED, coordinates="given"),
    ]
    for n in regions:
        name = f"{KMEANS} of {n} regions"
        listed.append(rival_cell(at, name, KMEANS, draws, leaves_of([n], of["leaves"]), trees))
    listed.append(rival_cell(at, BEST_BIN_FIRST, "best bin first", 1, many, trees))
    listed.append(rival_cell(at, LSH, LSH, draws, tables, trees))
    for bits in of["bits"]:
        listed.append(rival_cell(at, f"{CODES} {bits} bits", CODES, 1, [bits], None))
    if of["all"] is not None:
        listed.append(forest_cell(at, of | {"n_train": of["all"]}, 1, method=ALL_POINTS))
    return [*listed, forest_cell(at, of, 1, method=MOVED_PLANES, **MOVED)]


# --------------------------------------------------------------------------- rows and notes


def gather(figure: str, seen: Seen) -> Gathered:
    """Return recall by the number of returned items, beside the text's numbers."""
    curves = best_regions(curves_of(seen.items))
    keys = dict.fromkeys(("reading", "method", "setting", "returned", "trees")) | {"method": "all"}
    printed = {
        (name, int(line["returned"])): line["recall"]
        for line in seen.published("search_forest/text.csv")
        if line["place"] == figure
        for name in ((FOREST, AS_PRINTED) if line["method"] == "forest" else (line["method"],))
    }
    rows = seen.absent(keys) + [row for curve in curves for row in curve.rows(printed)]
    drawing = [curve.drawing() for curve in curves]
    notes = [
        set_note(seen),
        READING,
        *NOTES.get(FIGURES[figure][seen.scale], ()),
        RULE,
        drawn_note(curves),
        *map(forest_note, (c for c in curves if c.method.startswith(FOREST))),
        *cost_notes([line for line in drawing if line["reading"] == RANKED]),
    ]
    return Gathered(rows, notes, drawing)


def best_regions(curves: Sequence[Curve]) -> list[Curve]:
    """Return the curves, with k-means trees of the regions of largest recall on the trial."""
    chosen: list[Curve] = []
    for reading in READINGS:
        mine = [curve for curve in curves if curve.reading == reading]
        trees = [curve for curve in mine if curve.method.startswith(f"{KMEANS} of ")]
        best = max(trees, key=lambda curve: curve.trial, default=None)
        for curve in mine:
            if curve is best:
                chosen.append(Curve(KMEANS, reading, curve.draws))
            if curve not in trees or curve.method == f"{KMEANS} of 2 regions":
                chosen.append(curve)
    return chosen


def forest_note(curve: Curve) -> str:
    """Return the note on a forest: its size, its time, the choice of lambda."""
    first = curve.first
    tried = ", ".join(f"{lam:g}: {mean:.1f}" for lam, mean in first["tried"])
    return (
        f"{curve.method}, {curve.reading}: {first['of_forest']} trees of at most "
        f"{first['shape']['max_depth']} levels and of {first['leaves']:.0f} leaves on average, "
        f"learnt from {first['shape']['n_train']} points in {first['seconds']:.0f} s; a query has "
        f"{first['candidates']:.0f} candidates."
        + (f" Mean recall in the choice of lambda: {tried}." if tried else "")
    )


def cost_notes(lines: list[dict[str, Any]]) -> list[str]:
    """Return the note on comparisons that the number of returned items does not count."""
    by_name = {
        line["method"]: (line["counts"], np.array(line["compared"]), line["recall"])
        for line in lines
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


# --------------------------------------------------------------------------- the picture


PRINTED = "printed (other images)"


def draw(record: Record, figure: plots.Figure) -> None:
    """Draw recall by returned items; in the last panel comparisons count as items."""
    # a printed number is a hollow mark
    lines = record["drawing"]
    names = list(dict.fromkeys(line["method"] for line in lines))
    looks = _looks(names)
    rows = by(record["rows"], "method", "reading")
    handles: dict[str, Any] = {}
    parts = _parts(lines)
    least = min((min(line["recall"]) for line in lines), default=0)
    axes = plots.panels(figure, len(parts), 1)
    for axis, (title, drawn) in zip(axes, parts.items(), strict=True):
        by_way = title.startswith("Comparisons")
        ends = {}
        for line in drawn:
            before = line["compared"] if by_way else 0
            x = np.add(line["counts"], before)
            style = looks[line["method"]]
            handle = plots.mean_line(axis, x, rows[line["method"], line["reading"]], **style)
            if line["method"].startswith(CODES):
                name = line["method"].removeprefix(f"{CODES} ")
                ends[name] = (x[-1], line["recall"][-1], style["color"])
            else:
                handles.setdefault(line["method"], handle)
        axis.set(
            title=title,
            xlabel="returned items, and comparisons before" if by_way else "returned items",
            ylabel="recall of the nearest (%)",
            ylim=(max(0, 10 * (least // 10 - 1)), 102),
        )
        if by_way:
            plots.logarithmic(axis.xaxis)
        else:
            axis.set_xlim(0, None)
            _printed(axis, record, drawn, looks)
        if ends:
            plots.label_ends(axis, ends, gap=0.09)
    if any(row.get("published") is not None for row in record["rows"]):
        handles[PRINTED] = plots.in_key()
    note = plots.INTERVALS if any(row["error"] for row in record["rows"]) else ""
    plots.key(figure, {name: handles[name] for name in (*names, PRINTED) if name in handles}, note)


def _looks(names: list[str]) -> dict[str, dict[str, Any]]:
    """Return a look for each series; all codes are of one method and have one colour."""
    codes = [name for name in names if name.startswith(CODES)]
    others = [name for name in names if name not in codes]
    looks = {name: plots.series_style(place) for place, name in enumerate(others)}
    for place, name in enumerate(codes):
        looks[name] = plots.series_style(place) | {"color": LIGHT.soft, "marker": "<>p"[place]}
    return looks


def _parts(lines: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of each panel by the panel's title; no panel without lines."""
    sets = [line for line in lines if line["reading"] == SETS]
    lists = [line for line in lines if line["reading"] == RANKED]
    codes = [line for line in lists if line["method"].startswith(CODES)]
    trees = [line for line in lists if line not in codes]
    forests = [line for line in sets or trees if line["method"] in (FOREST, AS_PRINTED)]
    title = "Whole sets beside codes" if sets else "Codes"
    parts = {
        "Whole sets": sets,
        f"{title} (spectral hashing)": [*forests, *codes] if codes else [],
        "Ranked lists": trees,
        "Comparisons on the way counted as items": [line for line in trees if "compared" in line],
    }
    return {title: drawn for title, drawn in parts.items() if drawn}


def _printed(
    axis: plots.Axes, record: Record, drawn: list[dict[str, Any]], looks: dict[str, dict[str, Any]]
) -> None:
    shown = {(line["method"], line["reading"]) for line in drawn}
    for row in record["rows"]:
        if row.get("published") is not None and (row["method"], row["reading"]) in shown:
            look = plots.hollow(looks[row["method"]])
            (mark,) = axis.plot([row["returned"]], [row["published"]], **look)
            tell(mark, [row])


# --------------------------------------------------------------------------- the study


LAYOUT = (Grid(("method", "setting"), details=("trees",), **BY_READING),)
ALT = (
    "Recall of the nearest neighbours by the number of returned items, in whole sets and in ranked "
    "lists: the forest beside k-means trees and hashing, and beside spectral hashing. Then with "
    "planes and centres counted as items."
)


def _of(figure: str) -> Callable[[Cell], bool]:
    return lambda cell: cell["data_set"] in FIGURES[figure].values()


def _view(figure: str, title: str) -> View:
    size = (5.2, 12.0)
    return View(figure, title, partial(gather, figure), draw, ALT, size, LAYOUT, _of(figure))


STUDY = Study(
    "curves",
    recalls,
    {
        scale: [cell for names in FIGURES.values() for cell in cells(names[scale])]
        for scale in ("small", "paper")
    },
    (
        _view("figure1", "Recall by the number of returned items"),
        _view("figure2", "Recall by the number of returned items, GIST of images"),
    ),
)
