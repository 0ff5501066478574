"""The tables of the entries of Boosted Distance, in the paper's lines and columns."""

from paper_figures.tasks import Grid

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
}
"""The tables of each entry."""
