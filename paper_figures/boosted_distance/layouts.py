"""The tables of the entries of Boosted Distance, in the paper's lines and columns."""

from paper_figures.comparisons import when
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
COUNTED = "from the means of all runs"
METHODS = ("NN, best of eight distances", "AdaBoost, stumps", "Boosted Distance", "difference")

FIGURE1 = (Grid(("data_set", "class", "quantity"), headings=SET, once="counted"),)
TABLE1 = (
    Grid(
        ("data_set",), ("quantity",), headings=SET, order=ORDER, alike=("quantity",), once="counted"
    ),
)
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
        once="counted",
    ),
)
FIGURE4 = (Grid(("data_set",), ("method",), headings=SET, order=ORDER),)
FIGURE5 = FIGURE4
ROUNDS = (Grid(("quantity",), ("rounds",), once="from the means of all runs of each data set"),)
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
HALVES = ("all sets", "first half of the sets", "second half of the sets")
_VARIANT = ("learner", "pruning", "start", "sample")
_ERRORS_OF_TREES = ("error (%)", "less AdaBoost with stumps", "less Boosted Distance")
TREES = (
    Grid(
        _VARIANT,
        ("data_set",),
        tables=("quantity",),
        where={"quantity": _ERRORS_OF_TREES},
        headings=SET | {"start": "starting weights"},
        order=ORDER | {"quantity": _ERRORS_OF_TREES},
    ),
    Grid(
        _VARIANT,
        ("quantity", "data_set"),
        title="What each variant shows, on all sets and on each half",
        once=COUNTED,
        headings=SET | {"start": "starting weights"},
        order={"data_set": HALVES},
        alike=("quantity",),
    ),
)
REDUCTIONS = (
    Grid(
        ("reading",),
        ("dimensions",),
        tables=("training", "data_set", "quantity"),
        headings=SET,
        order=ORDER,
    ),
)
_LEADS = ("error (%)", "less the error with stumps, paired")
DISTANCE_TREES = (
    Grid(
        ("data_set", "learner"),
        ("rounds",),
        tables=("quantity",),
        headings=SET | {"rounds": "T"},
        order=ORDER | {"quantity": _LEADS},
    ),
)
BY_ROUNDS = (
    Grid(
        ("method",),
        ("data_set", "rounds"),
        where={"data_set": HALVES},
        title="Which T is nearest to the print",
        once=COUNTED,
        headings=SET | {"rounds": "T"},
        order={"data_set": HALVES},
        alike=("method",),
    ),
    Grid(
        ("data_set", "method", "part"),
        ("rounds",),
        details=("printed",),
        headings=SET | {"rounds": "T"},
        order=ORDER,
        alike=("method",),
    ),
)
COVARIANCES = (
    Grid(
        ("handling", "RCA's W"),
        ("quantity", "data_set"),
        where={"data_set": HALVES},
        title="How many printed winners each rule keeps",
        once=COUNTED,
        headings=SET | {"quantity": ""},
        order={"data_set": HALVES},
        alike=("quantity",),
    ),
    Grid(
        ("data_set",),
        ("distance",),
        tables=("choice",),
        details=("handling", "RCA's W", "printed"),
        title="The eight distances under three rules",
        headings=SET | {"choice": "rule"},
        order=ORDER,
    ),
)

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
    "reductions": REDUCTIONS,
    "trees": TREES,
    "distance_trees": DISTANCE_TREES,
    "by_rounds": BY_ROUNDS,
    "covariances": COVARIANCES,
    "when": when.LAYOUT,
}
"""The tables of each entry."""
