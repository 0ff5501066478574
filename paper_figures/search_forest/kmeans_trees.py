"""K-means trees with leaves of one size on more and more components (§ 4.1).

Li et al. (2011) say that k-means trees find less as the points have more dimensions. In
`dimensions` a trial chooses the leaves for each number of components, and 17 trees then run out of
candidates. Here the leaves are the same for all and so large that the trees return what is asked
for.

Not handled here: the other methods (`dimensions`).
"""

from paper_figures.rows import by
from paper_figures.search_forest.dimensions import SIZES
from paper_figures.search_forest.recall import (
    BY_READING,
    KMEANS,
    READING,
    curves_of,
    recalls,
    rival_cell,
    set_note,
)
from paper_figures.study import Cell, Gathered, Grid, Seen, Study, View

REGIONS = 8
LEAVES = {"small": 32, "paper": 63}
COUNTS = {"small": (20, 40), "paper": (100, 200)}


def cells(scale: str) -> list[Cell]:
    """Return a cell for each set and number of components, with all draws."""
    of = SIZES[scale]
    setting = [(REGIONS, LEAVES[scale])]
    return [
        rival_cell(
            {"data_set": name, "d": d, "K": 20, "counts": COUNTS[scale]} | sizes,
            *(KMEANS, KMEANS, of["draws"], setting, of["trees"]),
        )
        for d in of["components"]
        for name, sizes in of["sets"].items()
    ]


def gather(seen: Seen) -> Gathered:
    """Return recall by set, components and the number of returned items."""
    names = ("points", "components", "reading", "method", "setting", "returned", "trees")
    rows = seen.absent(dict.fromkeys(names) | {"points": "all"})
    for (points, d), items in by(seen.items, "data_set", "d").items():
        place = {"points": points, "components": d}
        rows += [place | row for curve in curves_of(items) for row in curve.rows()]
    draws = SIZES[seen.scale]["draws"]
    note = f"All trees have the same regions and leaves. They are drawn {draws} times."
    return Gathered(rows, [set_note(seen), note, READING])


STUDY = Study(
    "kmeans_trees",
    recalls,
    {scale: cells(scale) for scale in SIZES},
    (
        View(
            "kmeans_trees",
            "K-means trees on more and more components",
            gather,
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
