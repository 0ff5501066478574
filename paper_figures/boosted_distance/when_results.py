"""The rows of `boosted_distance.when`."""

from collections.abc import Sequence

from paper_figures.boosted_distance.when import METHOD, N_TEST, N_TRAIN, REPETITIONS, ROUNDS
from paper_figures.comparisons import when
from paper_figures.registry import Context, Gathered, Result

RULE = (
    "Nobody is tuned: each learner has the settings of its library, and those that measure "
    "distances, but for Boosted Distance, get columns of mean 0 and variance 1. Processor time is "
    "that of one thread."
)


def reduce(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the rows of the entry."""
    together = when.gathered(results, METHOD)
    sizes = f"The paper's sets have its own training sizes, the six others {N_TRAIN} vectors"
    splits = REPETITIONS[context.scale]
    note = f"{sizes}; {splits} splits; at most {N_TEST:,} to test on; T = {ROUNDS[context.scale]}."
    return Gathered(together.rows, [*together.notes, note, RULE])
