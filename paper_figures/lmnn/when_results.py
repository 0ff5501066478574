"""The rows of `lmnn.when`."""

from collections.abc import Sequence

from paper_figures.comparisons import when
from paper_figures.lmnn import when as runs
from paper_figures.registry import Context, Gathered, Result

RULE = (
    "One rule for all: a quarter of the training points, of each class alike, chooses among few "
    "settings, and the learner is then trained on all of them; its time to fit is that of the "
    "choice as well. LMNN with one metric or several: k of 1, 3, 5, for the target neighbours and "
    "the votes. LDA and k-NN: k of the votes. NCA: the points' unit and k of the votes. SVC: an "
    "RBF kernel, C of 0.1 to 100. Random forest: the columns tried in a split. Gradient boosting: "
    "the learning rate of 0.05, 0.1. All else is the library's default."
)
POINTS = (
    "The paper's sets are on the principal components that keep 95 % of the variance, those of "
    "the six others are standardised. The random forest gets the columns as they are, and so does "
    f"gradient boosting where they are at most {runs.FEW_COLUMNS}. Processor time is that of one "
    "thread."
)


def reduce(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the rows of the entry."""
    together = when.gathered(results, runs.METHOD, (runs.SEVERAL,))
    scale = context.scale
    sizes = (
        f"{runs.REPETITIONS[scale]} splits; {runs.N_TRAIN[scale]:,} points to train on, two thirds "
        f"of a set at most, and {runs.N_TEST[scale]:,} of the rest to test on. What holds for more "
        "points is not tried."
    )
    return Gathered(together.rows, [*together.notes, sizes, RULE, POINTS])
