"""Table 1 and Figure 1 of Kar & Jain (2011): similarity matrices (§ 3.1).

The paper draws 20 random splits of eight matrices. Three of them can be had; they are small, so
that 20 splits leave chance of a point: we draw 150. Beside the paper's methods there are BBS and
FTUNE-S on the landmarks of DSELECT and on as many random ones, and the differences of methods,
taken split by split.
"""

from functools import partial

from paper_figures.ftune import shown
from paper_figures.ftune.splits import OF_RANDOM, accuracies
from paper_figures.study import Gathered, Seen, Study, View, grid

METHODS = (
    *("BBS", "BBS+D", "DBOOST", "FTUNE-S", "FTUNE-M", "FTUNE+D-S", "FTUNE+D-M", "FTUNE+DP-S"),
    OF_RANDOM,
)
PRINTED = ("BBS", "DBOOST", "FTUNE+D-S")
ENDS = (10, 40, 30, 300)  # Table 1 has 30 and 300 landmarks
RIVALS = ("BBS", "DBOOST")
PAIRS = (
    *((ours, rival) for ours in ("FTUNE-S", "FTUNE+D-S") for rival in RIVALS),
    ("BBS+D", "BBS"),
    ("FTUNE+D-S", "FTUNE-S"),
    ("FTUNE-M", "FTUNE-S"),
    ("FTUNE+D-M", "FTUNE+D-S"),
    ("FTUNE+DP-S", "FTUNE+D-S"),
    ("FTUNE+D-S", OF_RANDOM),
)
SMALL = [("digits", "cityblock"), ("wine", "cityblock")]
PAPER = [("aural-sonar", "matrix"), ("voting-similarity", "matrix"), ("protein", "matrix")]


def table1(seen: Seen) -> Gathered:
    """Return the rows of BBS, DBOOST and FTUNE+D-S."""
    note = (
        f"Means of {shown.runs_of(seen)} random splits: 70 % for training, 10 % for validation, "
        "the rest tests. With fewer training objects than landmarks all of them are landmarks."
    )
    return Gathered(shown.table(seen, "table1.csv", PRINTED, ENDS), [note, shown.BEST])


def figure1(seen: Seen) -> Gathered:
    """Return the accuracies of all methods by the number of landmarks, and differences."""
    runs = shown.runs_of(seen)
    note = (
        f"Means of {runs} random splits. FTUNE's pairs are fresh ones for each class "
        "(Algorithm 2, line 1). The paper prints these as pictures only, so there are no numbers. "
        f"{OF_RANDOM}: the pairs come out of as many random landmarks as DSELECT has. The splits "
        "of one set share their objects, which the error of a difference does not count."
    )
    return shown.curves(seen, PAIRS, [note])


STUDY = Study(
    "matrices",
    partial(accuracies, methods=METHODS),
    {
        "small": grid(data_set__how=SMALL, landmarks=(10, 20, 40), run=range(3)),
        "paper": grid(data_set__how=PAPER, landmarks=(30, 50, 100, 200, 300), run=range(150)),
    },
    (
        View(
            "table1",
            "Accuracies on similarity matrices",
            table1,
            layout=(shown.TABLE,),
            uses=lambda cell: cell["landmarks"] in ENDS,
        ),
        View(
            "figure1",
            "Accuracy by the number of landmarks, similarity matrices",
            figure1,
            shown.draw_curves,
            alt=shown.CURVE,
            size=(5.2, 7.4),
            layout=(shown.CURVES, shown.DIFFERENCES),
        ),
    ),
)
