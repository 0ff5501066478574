"""The tables of the BoostMap report's entries, in the report's lines and columns."""

from paper_figures.registry import Grid

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
EDGES = (
    Grid(
        ("detector", "edge pixels"),
        ("quantity",),
        details=("printed",),
        alike=("printed",),
        order={
            "quantity": (
                "1-nn error, %",
                "best k-nn error, % (ours at k = 4)",
                "best k-nn error, % (ours at k = 5)",
                "best k-nn error, % (ours at k = 6)",
            )
        },
    ),
)
READINGS = (
    Grid(
        ("reading",),
        ("triples", "k"),
        tables=("of dimensions",),
        details=("times as in table 1", "printed", "reached", "with pivot pairs"),
        headings={"of dimensions": "dimensions", "times as in table 1": "times as in Table 1"},
        names={"triples": {"Ra": "random triples", "Se": "selective triples"}},
    ),
)
GRAPH = (Grid(("method", "setting", "success, %", "recall, %")),)
_TRIPLES = {"triples": {"Ra": "random triples", "Se": "selective triples"}}
ADDITIONS = (
    Grid(
        ("reading",),
        ("k", "percentile"),
        tables=("triples",),
        where={"quantity": ("rank",)},
        details=("printed", "reached", "distances to embed", "with pivot pairs", "negative"),
        headings={"negative": "negative weights"},
        names=_TRIPLES,
        title="Ranks",
    ),
    Grid(
        ("reading",),
        ("k", "percentile"),
        where={"quantity": ("random / selective",)},
        details=("printed",),
        title="Ranks with random triples over those with selective ones",
    ),
    Grid(
        ("reading",),
        ("quantity",),
        title="Which reading is nearest to the printed ranks",
        once="from the means of all runs",
    ),
)
SECOND_PHASE = (
    Grid(
        ("second phase", "rounds"),
        ("k", "percentile"),
        tables=("first phase", "triples"),
        where={"quantity": ("rank",)},
        details=("printed", "reached"),
        headings={"reached": "dimensions"},
        names=_TRIPLES,
        title="Ranks",
    ),
    Grid(
        ("second phase", "rounds"),
        ("k", "percentile"),
        tables=("first phase", "triples"),
        where={"quantity": ("times the rank without it",)},
        details=("printed",),
        names=_TRIPLES,
        title="Ranks with the second phase over those without it",
    ),
    Grid(
        ("first phase", "second phase", "rounds"),
        ("quantity",),
        title="Which pair of phases is nearest to the printed query-sensitive ranks",
        once="from the means of all runs",
    ),
)
FASTMAP = (
    Grid(
        ("detector",),
        ("quantity",),
        where={"squares below 0": (None,)},
        details=("printed",),
        alike=("quantity",),
        title="k-nn errors of the chamfer distance (Table 3)",
    ),
    Grid(
        ("detector", "squares below 0"),
        ("quantity",),
        details=("printed",),
        alike=("quantity",),
        title="FastMap's best dimensions (§ 11.2)",
    ),
)
PAYS = (
    Grid(
        ("method",),
        ("distance",),
        tables=("recall",),
        where={"cost": (None,)},
        details=("reached", "build"),
        headings={"fewest": "the fewest", "recall": "recall, %", "reached": "recall reached, %"},
        best="fewest",
        title="Exact distances a query",
    ),
    Grid(("method",), ("distance",), tables=("cost",), title="What it costs beside them"),
)

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
    "edges": EDGES,
    "readings": READINGS,
    "additions": ADDITIONS,
    "second_phase": SECOND_PHASE,
    "fastmap": FASTMAP,
    "pays": PAYS,
    "graph": GRAPH,
}
"""The tables of each entry."""
