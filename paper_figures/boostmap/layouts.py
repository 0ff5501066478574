"""The tables of the BoostMap report's entries, in the report's lines and columns."""

from paper_figures.tasks import Grid

TRIPLES = {"Ra": "random", "Se": "selective"}
METHOD = ("method",)

FIGURE1 = (Grid(("quantity",), details=("of",), once="counted"),)
FIGURE2 = (Grid(("quantity",), once="deterministic"),)
FIGURE4 = (Grid(("quantity",), once="counted"),)
FIGURE5 = (Grid(("method", "k", "percentile"), ("dimensions",)),)
COSTS = (
    Grid(
        METHOD,
        ("quantity",),
        order={
            "quantity": ("dimensions", "candidates_p", "embedding_distances", "total_distances")
        },
        names={
            "quantity": {
                "candidates_p": "candidates p",
                "embedding_distances": "distances to embed a query",
                "total_distances": "distances in all",
            }
        },
    ),
)
TABLE1 = (
    Grid(
        ("k", "percentile"),
        ("distance", "triples"),
        order={"distance": ("QI", "QS"), "triples": ("Ra", "Se")},
        names={"distance": {"QI": "BoostMap-Fe-QI", "QS": "BoostMap-Fe-QS"}, "triples": TRIPLES},
    ),
)
RANKS = (Grid(("method", "k"), ("percentile",)),)
TABLE2 = (
    Grid(
        ("k", "percentile"),
        ("triples", "distance"),
        order={"distance": ("QI", "QS"), "triples": ("Ra", "Se")},
        names={
            "triples": {"Ra": "BoostMap-Fe-Ra", "Se": "BoostMap-Fe-Se"},
            "distance": {"QI": "query-insensitive (QI)", "QS": "query-sensitive (QS)"},
        },
    ),
)
ERRORS = (Grid(METHOD, ("k",)),)
TABLE3 = (
    Grid(
        ("measure",),
        METHOD,
        details=("at k",),
        order={"measure": ("1-nn error", "best k-nn error")},
        headings={"at k": "ours at k"},
    ),
)
OTHER_K = (Grid(("k", "percentile"), ("dimensions",), tables=("ratio",)),)
COSTS_BY_K = (Grid(("method", "k"), ("of queries, %",)),)
PAIRED = (Grid(("difference",), ("k",), details=("error over queries",)),)
REMARKS = (Grid(("quantity",)),)

LAYOUTS = {
    "figure1": FIGURE1,
    "figure2": FIGURE2,
    "figure4": FIGURE4,
    "figure5": FIGURE5,
    "costs": COSTS,
    "table1": TABLE1,
    "figure6": RANKS,
    "figure7": RANKS,
    "table2": TABLE2,
    "figure8": ERRORS,
    "figure9": RANKS,
    "figure10": ERRORS,
    "figure11": ERRORS,
    "table3": TABLE3,
    "other_k": OTHER_K,
    "costs_by_k": COSTS_BY_K,
    "paired": PAIRED,
    "remarks": REMARKS,
}
"""The tables of each entry."""
