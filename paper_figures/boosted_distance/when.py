"""When Boosted Distance pays: on the paper's own sets and on six others, beside other learners.

Not handled here: the rows (`when_results.py`), so that a change of these computes nothing anew.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from paper_figures.boosted_distance.protocol import OPTIONS, sets_of
from paper_figures.boosted_distance.splits import LARGE
from paper_figures.comparisons import learners as today
from paper_figures.registry import Context, Job, Task

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
    if data_set in today.OTHERS:
        n_train = N_TRAIN
    chosen = own | {name: today.LEARNERS[name] for name in learners}
    runs = [
        today.compare(job, loaded, repetition, chosen, n_train=n_train, n_test=N_TEST)
        for repetition in repetitions
    ]
    return {"runs": runs, "about": today.described(loaded, n_train)}


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
                "learners": list(today.LEARNERS),
            },
            (name,),
            ("similarity", "stumps"),
        )
        for name in [*names, *(today.OTHERS if scale == "paper" else ())]
        for first in range(0, REPETITIONS[scale], BLOCK)
    ]
