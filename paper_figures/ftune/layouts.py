"""The tables of the entries of FTUNE, in the paper's lines and columns."""

from typing import Any

from paper_figures.comparisons import when
from paper_figures.ftune import trials
from paper_figures.registry import Grid

MATRICES = (
    "AmazonBinary",
    "aural-sonar",
    "Patrol",
    "voting-similarity",
    "protein",
    "Mirex07",
    "Amazon47",
    "FaceRec",
)
VECTORS = (
    "cod-rna",
    "isolet",
    "letters",
    "magic",
    "pen-digits",
    "nursery",
    "faults",
    "mfeat-pixel",
    "mfeat-zernike",
    "opt-digits",
    "satellite",
    "segment",
)
ORDER = {
    "data_set": (*MATRICES, *VECTORS),
    "landmarks": (30, 300),
    "method": (
        "BBS",
        "BBS+D",
        "DBOOST",
        "FTUNE+D-S",
        "FTUNE+DP-S",
        "FTUNE+D-M",
        "FTUNE-S",
        "FTUNE-M",
    ),
}
SET = {"data_set": "data set", "best": "no worse than the highest mean by our t-test"}
NAMES: dict[str, dict[Any, str]] = {
    "data_set": {
        "aural-sonar": "AuralSonar",
        "voting-similarity": "Voting",
        "protein": "Protein",
        "cod-rna": "Cod-rna",
        "isolet": "Isolet",
        "letters": "Letters",
        "magic": "Magic",
        "pen-digits": "Pen-digits",
        "nursery": "Nursery",
        "faults": "Faults",
        "mfeat-pixel": "Mfeat-pixel",
        "mfeat-zernike": "Mfeat-zernike",
        "opt-digits": "Opt-digits",
        "satellite": "Satellite",
        "segment": "Segment",
    },
    "landmarks": {30: "30 landmarks", 300: "300 landmarks"},
}


def by_method(*more: str, rows: tuple[str, ...] = ("data_set",)) -> tuple[Grid, ...]:
    """Return the layout of tables 1 and 2: a line for a set, a column for landmarks and method."""
    return (
        Grid(
            rows,
            ("landmarks", "method", *more),
            best="best",
            headings=SET,
            order=ORDER,
            names=NAMES,
        ),
    )


TABLE1 = by_method()
TABLE2 = by_method()
CURVES = (
    Grid(
        ("data_set", "method"),
        ("landmarks",),
        headings=SET,
        order=ORDER,
        names={"data_set": NAMES["data_set"]},
    ),
)
READINGS = (
    Grid(
        ("reading",),
        ("data_set",),
        tables=("method", "landmarks"),
        order=ORDER | {"reading": ("as here",)},
        names={"data_set": NAMES["data_set"]},
    ),
)
PENALTY = by_method("divided by")
PAIRS = (
    Grid(
        ("data_set",),
        ("landmarks", "method", "pairs", "divided by"),
        best="best",
        headings=SET,
        order=ORDER,
        names=NAMES,
    ),
)
FACTORIAL = (
    Grid(
        ("stop", "pairs", "bias", "divided by"),
        ("data_set",),
        tables=("method", "landmarks"),
        details=("printed",),
        order=ORDER,
        names={"data_set": NAMES["data_set"]},
        folded=True,
    ),
)
CHECK = (
    Grid(
        ("stop", "pairs", "bias", "divided by"),
        ("data_set",),
        where={"method": (trials.DISTANCE,)},
        title="Which reading is nearest to the printed accuracies",
        headings={"data_set": "mean distance"},
        details=("printed", "method", "landmarks"),
        once="from the means of all splits",
    ),
    *FACTORIAL,
)
DBOOST = (
    Grid(
        ("classes", "data_set"),
        ("landmarks", "pairs a round"),
        headings=SET,
        details=("method", "printed"),
        order=ORDER,
        names=NAMES,
    ),
)
DIFFERENCES = (
    Grid(
        ("method", "minus"),
        ("data_set",),
        tables=("landmarks",),
        order=ORDER,
        names={"data_set": NAMES["data_set"]},
        folded=True,
    ),
)
BEYOND = by_method()

LAYOUTS = {
    "table1": TABLE1,
    "figure1": CURVES,
    "table2": TABLE2,
    "figure2": CURVES,
    "splits": DIFFERENCES,
    "readings": READINGS,
    "penalty": PENALTY,
    "pairs": PAIRS,
    "factorial": FACTORIAL,
    "check": CHECK,
    "dboost": DBOOST,
    "transfer": DIFFERENCES,
    "equal": DIFFERENCES,
    "when": when.LAYOUT,
    "beyond": BEYOND,
}
"""The tables of each entry."""
