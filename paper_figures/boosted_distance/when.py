"""When Boosted Distance pays: on the paper's own sets and on six others, beside other learners."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from paper_figures import when
from paper_figures.boosted_distance.protocol import OPTIONS, sets_of
from paper_figures.boosted_distance.splits import LARGE
from paper_figures.registry import Context, Gathered, Job, Result, Task

if TYPE_CHECKING:
    from refimpl.estimators import BoostedDistanceClassifier

METHOD = "Boosted Distance"
ROUNDS = {"small": 20, "paper": 100}
REPETITIONS = {"small": 2, "paper": 20}
BLOCK = 5  # repetitions of a task
N_TRAIN, N_TEST = 300, 1000
LEFT_OUT = ("ad", "gender")  # a substitute, and not here


def compare(
    job: Job,
    *,
    data_set: str,
    options: Mapping[str, Any],
    repetitions: Sequence[int],
    rounds: int,
    learners: Sequence[str],
) -> dict[str, Any]:
    """Return what each learner shows on each split; the method's own columns are not scaled.

    A set of the paper has as many vectors to train on as there, another one 300.
    """
    loaded = job.load(data_set, **options)
    own = {METHOD: partial(_own, job.kernels_name, rounds)}
    n_train = LARGE.get(data_set, round(0.2 * len(loaded.y)))
    if data_set in when.OTHERS:
        n_train = N_TRAIN
    chosen = own | {name: when.LEARNERS[name] for name in learners}
    runs = [
        when.compare(job, loaded, repetition, chosen, n_train=n_train, n_test=N_TEST)
        for repetition in repetitions
    ]
    return {"runs": runs}


def _own(kernels: Any, rounds: int, seed: int) -> "BoostedDistanceClassifier":
    from refimpl.estimators import BoostedDistanceClassifier

    return BoostedDistanceClassifier(rounds, kernels=kernels, n_jobs=1)


def tasks(context: Context) -> list[Task]:
    """Return the splits of all sets."""
    scale = context.scale
    names = [name for name in sets_of(context) if name not in LEFT_OUT]
    return [
        Task(
            "when",
            compare,
            {
                "data_set": name,
                "options": OPTIONS.get(name, {}),
                "repetitions": list(range(first, min(first + BLOCK, REPETITIONS[scale]))),
                "rounds": ROUNDS[scale],
                "learners": list(when.LEARNERS),
            },
            (name,),
            ("similarity", "stumps"),
        )
        for name in [*names, *(when.OTHERS if scale == "paper" else ())]
        for first in range(0, REPETITIONS[scale], BLOCK)
    ]


def reduce(context: Context, results: Sequence[Result]) -> Gathered:
    """Return the rows of the entry."""
    found = when.gathered(results, METHOD)
    sizes = f"The paper's sets have its own training sizes, the six others {N_TRAIN} vectors"
    note = f"{sizes}; at most {N_TEST:,} to test on; T = {ROUNDS[context.scale]}."
    return Gathered(found.rows, [*found.notes, note])
