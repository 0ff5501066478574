"""The tables of the entries of Boosted Distance, in the paper's lines and columns."""

from paper_figures.registry import Grid

SETS = (
    "ad",
    "gender",
    "MNIST",
    "arrhythmia",
    "splice",
    "sonar",
    "spectf",
    "ionosphere",
    "wdbc",
    "german",
    "vote1",
    "credit",
    "wbc",
    "pima",
    "liver",
)
ORDER = {"data_set": SETS}
SET = {"data_set": "data set"}
METHODS = ("NN, best of eight distances", "AdaBoost, stumps", "Boosted Distance", "difference")

FIGURE1 = (Grid(("data_set", "class", "quantity"), headings=SET),)
TABLE1 = (Grid(("data_set",), ("quantity",), headings=SET, order=ORDER, alike=("quantity",)),)
FIGURE2 = (Grid(("data_set", "method"), ("rounds",), headings=SET, order=ORDER),)
FIGURE3 = (
    Grid(
        ("method", "training"),
        ("dimensions",),
        tables=("data_set",),
        details=("used",),
        headings=SET | {"used": "dimensions used"},
        order=ORDER,
    ),
)
TABLE2 = (
    Grid(
        ("data_set",),
        ("method",),
        details=("distance",),
        where={"method": METHODS},
        headings=SET | {"distance": ""},
        order=ORDER | {"method": METHODS},
        names={"method": {"difference": "AdaBoost − Boosted Distance"}},
    ),
    Grid(
        ("method", "data_set"),
        details=("distance",),
        title="Counts over the data sets (§ 4.3)",
        headings=SET,
    ),
)
FIGURE4 = (Grid(("data_set",), ("method",), headings=SET, order=ORDER),)
FIGURE5 = FIGURE4
ROUNDS = (Grid(("quantity",), ("rounds",)),)
DISTANCES = (
    Grid(
        ("data_set",),
        ("distance",),
        headings=SET,
        order=ORDER,
        names={"distance": {"all": "best of eight"}},
    ),
)
READINGS = (
    Grid(
        ("data_set",),
        ("method", "similarity", "error"),
        details=("printed",),
        headings=SET,
        order=ORDER,
    ),
)
CODINGS = (
    Grid(
        ("data_set", "reading"),
        ("method",),
        details=("printed",),
        where={"method": ("AdaBoost, stumps", "Boosted Distance")},
        title="AdaBoost and Boosted Distance under other codings of the data",
        headings=SET,
        order=ORDER,
    ),
    Grid(
        ("data_set", "method"),
        ("reading",),
        details=("printed",),
        where={
            "reading": (
                "ridge 0.001",
                "ridge 0.1",
                "ridge 1",
                "with log-determinant",
                "random chunklets of 2 vectors",
            )
        },
        title="Nearest neighbours under other readings of the distances",
        headings=SET,
        order=ORDER | {"reading": ("ridge 0.001", "ridge 0.1", "ridge 1")},
    ),
    Grid(
        ("data_set", "reading"),
        ("method",),
        details=("printed",),
        title="Nearest neighbours under other codings of the data",
        headings=SET,
        order=ORDER,
    ),
)
TREES = ()
BY_ROUNDS = ()
COVARIANCES = ()

LAYOUTS = {
    "figure1": FIGURE1,
    "table1": TABLE1,
    "figure2": FIGURE2,
    "figure3": FIGURE3,
    "table2": TABLE2,
    "figure4": FIGURE4,
    "figure5": FIGURE5,
    "rounds": ROUNDS,
    "distances": DISTANCES,
    "readings": READINGS,
    "codings": CODINGS,
    "trees": TREES,
    "by_rounds": BY_ROUNDS,
    "covariances": COVARIANCES,
}
"""The tables of each entry."""
