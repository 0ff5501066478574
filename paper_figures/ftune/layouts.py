"""The tables of the entries of FTUNE, in the paper's lines and columns."""

from typing import Any

from paper_figures.tasks import Grid

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

LAYOUTS = {
    "table1": TABLE1,
    "figure1": CURVES,
    "table2": TABLE2,
    "figure2": CURVES,
    "splits": DIFFERENCES,
    "pairs": PAIRS,
    "transfer": DIFFERENCES,
    "equal": DIFFERENCES,
}
"""The tables of each entry."""
