"""The tables of the entries of LMNN, in the paper's lines and columns."""

from paper_figures.comparisons import when
from paper_figures.registry import Grid

IMAGES = ("mean 0, length 1", "raw pixels", "deskewed images")
MEASURES = (
    "seconds",
    "active triples",
    "pairs of classes",
    "train error (%)",
    "train error, each point votes for itself (%)",
    "test error (%)",
    "test error, ties to the nearest (%)",
    "test error, all training points vote (%)",  # of an earlier record
    "eq. 3",
    "Euclidean test error (%)",
    "Euclidean test error, ties to the nearest (%)",
)
TABLE1 = (
    Grid(
        ("N",),
        ("measure",),
        tables=("images", "by"),
        order={"images": IMAGES, "measure": MEASURES},
        names={
            "measure": {
                "seconds": "time (s)",
                "active triples": "active set",
                "train error (%)": "train error, %",
                "train error, each point votes for itself (%)": "train error, itself votes, %",
                "test error (%)": "test error, %",
                "test error, ties to the nearest (%)": "test error, ties to the nearest, %",
                "Euclidean test error (%)": "Euclidean test error, %",
            }
        },
        alike=("measure",),
    ),
)
ACTIVE_SET = (Grid(("images", "N"), ("measure",)),)
PREPARATION = (Grid(("images",), ("measure",), alike=("measure",), once="deterministic"),)
STEPS = (
    Grid(
        ("N", "start", "steps", "eq. 3", "active"),
        details=("printed",),
        headings={"N": "digits", "active": "active triples"},
    ),
)
RIVALS = (
    Grid(
        ("solver",),
        ("measure",),
        tables=("N",),
        headings={"N": "digits"},
        order={
            "measure": (
                "eq. 3 at the end",
                "eq. 3, best multiple",
                "test error (%)",
                "seconds",
                "seconds until there",
                "seconds until ours is as low",
                "times sooner",
            )
        },
        alike=("measure",),
    ),
)
GROWTH = (Grid(("within", "solver"), ("N",), headings={"N": "digits"}),)
FIGURE1 = (Grid(("quantity",), once="deterministic"),)
FIGURE2 = (  # an earlier record has errors alone, and speed-ups beside them
    Grid(("method",), ("dimensions",), tables=("measure",), details=("speedup",)),
)
CHANGES = (
    Grid(("measure", "step"), ("N",), headings={"N": "digits", "step": "step size, times ours"}),
)
TRAINING_GAIN = (
    Grid(("N", "way"), ("dimensions",), tables=("measure",), headings={"N": "digits"}),
)
FIGURE3 = (Grid(("quantity",), once="deterministic"),)
FIGURE4 = (Grid(("data set", "voters"), ("metrics",), headings={"voters": "who votes"}),)
SMALL_SETS = (Grid(("method",), ("data set",), tables=("measure",)),)
FIGURE5 = (
    Grid(
        ("measure", "method"),
        ("data set", "points", "d"),
        details=("k",),
        tables=("training",),
        order={
            "data set": ("MNIST-10", "20news", "letters", "isolet", "yalefaces"),
            "measure": ("test", "train", "train, points learnt from"),
            "method": ("one metric", "several metrics"),
        },
        names={
            "data set": {"MNIST-10": "mnist"},
            "measure": {"test": "test error, %", "train": "train error, %"},
        },
    ),
)

LAYOUTS = {
    "table1": TABLE1,
    "active_set": ACTIVE_SET,
    "changes": CHANGES,
    "preparation": PREPARATION,
    "steps": STEPS,
    "rivals": RIVALS,
    "growth": GROWTH,
    "figure1": FIGURE1,
    "figure2": FIGURE2,
    "training_gain": TRAINING_GAIN,
    "figure3": FIGURE3,
    "figure4": FIGURE4,
    "small_sets": SMALL_SETS,
    "figure5": FIGURE5,
    "when": when.LAYOUT,
}
"""The tables of each entry."""
