"""The rows of FTUNE's entry `when`; the runs are in `when.py`."""

from collections.abc import Sequence

from paper_figures.comparisons.when import gathered
from paper_figures.ftune.when import METHODS
from paper_figures.registry import Context, Gathered, Result

DIVERSE = METHODS[1]
LEFT_OUT = ("cod-rna", "isolet", "letters")
"""The paper's sets of vectors with 26 classes, or with 30,000 training objects."""


def gather(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the rows of the entry: FTUNE-S beside the others, and FTUNE+D-S beside them."""
    together = gathered(results, METHODS[0], forms=(DIVERSE,))
    note = (
        "SVM: the Gaussian kernel with FTUNE's width, or the matrix without its negative spectrum. "
        f"FTUNE has {max(r.params['d'] or 0 for r in results)} pairs for each class, FTUNE+D as "
        "many pairs of so many landmarks; Nystroem has as many landmarks as FTUNE, more than "
        "FTUNE+D. "
        "Where a matrix is given, the time of a query is without that of its similarities: FTUNE "
        "takes those to its landmarks, the others those to all training objects."
    )
    notes = [*together.notes, note]
    if context.scale == "paper":
        notes.append(
            "Of the paper's sets at hand cod-rna, isolet and letters are left out, because of the "
            "time that the others take there: an SVM of 30,000 objects, or 26 classes, for which "
            "FTUNE's pairs touch up to 7,900 objects, and Nystroem has as many landmarks. No other "
            "set of the paper has more than 10 classes or 10,000 training objects."
        )
    return Gathered(together.rows, notes)
