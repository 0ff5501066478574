"""The same points on more and more of their components.

Li et al. (2011) say in § 4.1 that k-means trees lose with the dimension, and have vectors of 1,000
dimensions themselves. Here the same points are searched on few of their principal components and on
many, each time for the neighbours on those components. A trial chooses the leaves of k-means trees
for each number of components, and 17 trees then run out of candidates. In a second study the leaves
are the same for all and so large that the trees return what is asked for.
"""

from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import numpy as np

from paper_figures import plots
from paper_figures.rows import by
from paper_figures.search_forest.curves import BEST_BIN_FIRST, CODES, COUNTS, SETTINGS
from paper_figures.search_forest.recall import (
    BY_READING,
    FOREST,
    KMEANS,
    LSH,
    READING,
    RULE,
    Curve,
    curves_of,
    forest_cell,
    leaves_of,
    recalls,
    rival_cell,
    set_note,
)
from paper_figures.store import Record, Row
from paper_figures.study import Cell, Gathered, Grid, Seen, Study, View

SIZES: dict[str, dict[str, Any]] = {
    "small": SETTINGS["digits"]
    | {
        "sets": {"digits": {"queries": 300, "sample": 900}},
        "components": (4, 10, 30),
        "codes": 64,
        "lams": (0.05, 0.1),
    },
    "paper": SETTINGS["MNIST-10"]
    | {
        "sets": {
            "20news": {"queries": 1000, "sample": 6000},
            "MNIST-10": {"queries": 1000, "sample": 20_000},
        },
        "components": (8, 32, 200),
        "codes": 200,
        "n_train": 13_192,
        "lams": (0.02, 0.05, 0.1, 0.2),
        "draws": 5,
    },
}
KEYS = ("points", "components", "reading", "method", "setting", "returned", "trees")
NOTE = (
    "The paper's vectors have 1000 dimensions, and it says that k-means trees lose with the "
    "dimension. To try that, the same points are searched on few of their principal components and "
    "on many, each time for the neighbours on those components. K-means trees are drawn {} times."
)


def cells(scale: str) -> list[Cell]:
    """Return the cells of a scale: all methods on the first set, k-means trees on all."""
    of = SIZES[scale]
    settings = leaves_of([n for n in of["regions"] if n > 2], of["leaves"])
    tables = [(k, w) for k in of["functions"] for w in of["widths"]]
    trees, bits, first = of["trees"], of["codes"], next(iter(of["sets"]))
    listed = []
    for d in of["components"]:
        for name, sizes in of["sets"].items():
            at = {"data_set": name, "d": d, "K": 20, "counts": COUNTS} | sizes
            if name == first:
                listed.append(forest_cell(at, of, 1))
            listed.append(rival_cell(at, KMEANS, KMEANS, of["draws"], settings, trees))
            if name == first:
                listed += [
                    rival_cell(at, BEST_BIN_FIRST, "best bin first", 1, settings, trees),
                    rival_cell(at, LSH, LSH, 1, tables, trees),
                    rival_cell(at, f"{CODES} {bits} bits", CODES, 1, [bits], None),
                ]
    return listed


def gather(seen: Seen) -> Gathered:
    """Return recall by the number of components, and how far the forest is ahead of the others."""
    rows = seen.absent(dict.fromkeys(KEYS) | {"method": "all"}) + list(recall_rows(seen))
    read: dict[int, list[Curve]] = {}
    for (_, d), items in by(seen.items, "data_set", "d").items():
        read.setdefault(d, curves_of(items))
    note = NOTE.format(SIZES[seen.scale]["draws"])
    return Gathered(rows, [set_note(seen), note, READING, *differences(read), RULE])


def recall_rows(seen: Seen) -> Iterator[Row]:
    """Yield recall by set, components, method and the number of returned items."""
    for (points, d), items in by(seen.items, "data_set", "d").items():
        place = {"points": points, "components": d}
        yield from (place | row for curve in curves_of(items) for row in curve.rows())


def differences(read: dict[int, list[Curve]]) -> list[str]:
    """Return the note on the forest's recall less that of every other method."""
    notes: dict[str, list[str]] = {}
    counts: list[int] = []
    for d, curves in read.items():
        forest = {c.reading: np.array(c.mean("recall")) for c in curves if c.method == FOREST}
        for curve in curves:
            if curve.method != FOREST and curve.reading in forest:
                counts = curve.counts
                less = ", ".join(f"{x:+.1f}" for x in forest[curve.reading] - curve.mean("recall"))
                name = f"{curve.method}, {curve.reading}"
                notes.setdefault(name, []).append(f"{d} components {less}")
    if not notes:
        return []
    return [
        f"The forest's recall less that of the others, among {', '.join(map(str, counts))} "
        "returned items. "
        + " ".join(f"{name}: {'; '.join(parts)}." for name, parts in notes.items())
    ]


def draw(record: Record, figure: plots.Figure) -> None:
    """Draw recall by the number of components: a panel for whole sets, one for ranked lists."""
    computed = [row for row in record["rows"] if row["ours"] is not None]
    points = computed[0]["points"]
    counts = sorted({row["returned"] for row in computed})
    middle = counts[len(counts) // 2]
    rows = [row for row in computed if (row["points"], row["returned"]) == (points, middle)]
    names = list(dict.fromkeys(row["method"] for row in rows))
    handles: dict[str, Any] = {}
    for axis, (reading,), mine in plots.panels_by(figure, rows, "reading", columns=1):
        handles |= plots.lines_by(axis, mine, "method", names, itemgetter("components"))
        axis.set(
            title=f"{reading.capitalize()}: {points}",
            xlabel="principal components",
            ylabel="recall of the nearest (%)",
            ylim=(0, 102),
        )
        plots.logarithmic_at(axis, sorted({row["components"] for row in rows}))
    plots.key(figure, handles)


STUDY = Study(
    "dimensions",
    recalls,
    {scale: cells(scale) for scale in SIZES},
    (
        View(
            "dimensions",
            "The same points on more and more components",
            gather,
            draw,
            "Recall by the number of components, in whole sets and in ranked lists, for the "
            "forest, k-means trees, LSH and spectral hashing.",
            (5.2, 6.4),
            (
                Grid(
                    ("points", "components", "method", "setting"), details=("trees",), **BY_READING
                ),
            ),
        ),
    ),
)


# --------------------------------------------------------------------------- leaves of one size

REGIONS = 8
LEAVES = {"small": 32, "paper": 63}
RETURNED = {"small": (20, 40), "paper": (100, 200)}


def cells_of_trees(scale: str) -> list[Cell]:
    """Return a cell for each set and number of components, with all draws."""
    of = SIZES[scale]
    setting = [(REGIONS, LEAVES[scale])]
    return [
        rival_cell(
            {"data_set": name, "d": d, "K": 20, "counts": RETURNED[scale]} | sizes,
            *(KMEANS, KMEANS, of["draws"], setting, of["trees"]),
        )
        for d in of["components"]
        for name, sizes in of["sets"].items()
    ]


def gather_trees(seen: Seen) -> Gathered:
    """Return recall by set, components and the number of returned items."""
    rows = seen.absent(dict.fromkeys(KEYS) | {"points": "all"}) + list(recall_rows(seen))
    draws = SIZES[seen.scale]["draws"]
    note = f"All trees have the same regions and leaves. They are drawn {draws} times."
    return Gathered(rows, [set_note(seen), note, READING])


TREES = Study(
    "kmeans_trees",
    recalls,
    {scale: cells_of_trees(scale) for scale in SIZES},
    (
        View(
            "kmeans_trees",
            "K-means trees on more and more components",
            gather_trees,
            layout=(
                Grid(
                    ("points", "components"),
                    details=("trees", "setting"),
                    where={"method": (KMEANS,)},
                    **BY_READING,
                ),
            ),
        ),
    ),
)
