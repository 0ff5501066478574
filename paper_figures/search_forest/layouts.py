"""The tables of the search forest's entries, in the paper's lines and columns."""

from paper_figures.registry import Grid

RECALL = (Grid(("method", "setting"), ("returned",)),)
DIMENSIONS = (Grid(("components", "method", "setting"), ("returned",)),)
SENSITIVITY = (Grid(("lambda", "training points", "depth", "moves", "candidates"), ("returned",)),)
SPLITS = (Grid(("offset", "moves", "augment", "lambda", "leaves"), ("returned",)),)
LIBRARIES = (Grid(("method", "setting", "compared", "recall@10", "ms a query")),)
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
    "regions": RECALL,
    "sensitivity": SENSITIVITY,
    "splits": SPLITS,
    "libraries": LIBRARIES,
    "table1": TABLE1,
}
"""The tables of each entry."""
