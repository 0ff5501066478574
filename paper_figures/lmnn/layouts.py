"""The tables of the entries of LMNN, in the paper's lines and columns."""

from paper_figures.tasks import Grid

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
    "figure1": FIGURE1,
    "figure2": FIGURE2,
    "training_gain": TRAINING_GAIN,
    "figure3": FIGURE3,
    "figure4": FIGURE4,
    "figure5": FIGURE5,
}
"""The tables of each entry."""
