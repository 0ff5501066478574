"""The tables of the search forest's entries, in the paper's lines and columns."""

from paper_figures.tasks import Grid

READINGS = {"whole sets": "Whole sets", "ranked lists": "Ranked lists"}
NAMED = {"reading": READINGS}
IN_USE = {"trees": "trees in use"}
RECALL = (
    Grid(
        ("method", "setting"),
        ("returned",),
        tables=("reading",),
        details=("trees",),
        names=NAMED,
        headings=IN_USE,
    ),
)
DIMENSIONS = (
    Grid(
        ("points", "components", "method", "setting"),
        ("returned",),
        tables=("reading",),
        details=("trees",),
        names=NAMED,
        headings=IN_USE,
    ),
)
SPLITS = (
    Grid(
        ("planes", "offset", "moves", "augment", "lambda", "leaves"),
        ("returned",),
        tables=("reading",),
        names=NAMED,
    ),
)
GROWTH = (
    Grid(
        ("leaves", "index"),
        ("items",),
        details=("compared", "candidates"),
        headings={"items": "items; microseconds a query"},
    ),
)
LOOKUP = (
    Grid(
        ("data_set", "quantity"),
        ("bits",),
        headings={"data_set": "data set", "bits": "bits of a code"},
    ),
)
CLASSES = (Grid(("data set", "method"), ("returned",)),)
SEARCHES = {
    "linear scan": "linear scan",
    "linear scan, extrapolated": "linear scan",
    "forest": "Boosted Search Forest",
    "forest, extrapolated": "Boosted Search Forest",
}
TABLE1 = (
    Grid(
        ("items", "search"),
        ("bits",),
        details=("candidates",),
        where={"items": (500_000_000,)},
        alike=("search",),
        title="Seconds a query",
        headings={"bits": "bits of a code"},
        names={"search": SEARCHES},
    ),
    Grid(
        ("items", "search"),
        ("bits",),
        details=("candidates",),
        title="Seconds a query, fewer items",
        headings={"bits": "bits of a code"},
        names={"search": SEARCHES},
    ),
)

LAYOUTS = {
    "figure1": RECALL,
    "figure2": RECALL,
    "dimensions": DIMENSIONS,
    "splits": SPLITS,
    "table1": TABLE1,
    "growth": GROWTH,
    "lookup": LOOKUP,
    "classes": CLASSES,
}
"""The tables of each entry."""
