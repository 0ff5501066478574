"""What the errors by set and number of rounds compute (Amores, Sebe & Radeva 2006, Table 2).

The tasks of table 2 hold as much and more; this one is as lean as to allow many splits.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from paper_figures.boosted_distance.splits import balanced_error, split_rows
from paper_figures.registry import Job
from refimpl.boosted_distance import boosted_distance, staged_nearest_neighbor
from refimpl.rivals.adaboost import adaboost_classifier


def stages(
    job: Job,
    *,
    data_set: str,
    options: Mapping[str, Any],
    repetitions: Sequence[int],
    rounds: Sequence[int],
) -> dict[str, Any]:
    """Return the errors of Boosted Distance and of AdaBoost with stumps after some rounds.

    An error is the mean of the two classes' rates, in per cent. Each method has two tables, "test"
    and "train", with a line for each repetition and a column for each number of rounds.
    """
    loaded = job.load(data_set, **options)
    errors: dict[str, dict[str, list[list[float]]]] = {
        method: {"test": [], "train": []} for method in ("boosted", "stumps")
    }
    for repetition in repetitions:
        train, test = split_rows(job, loaded, repetition)
        X, y = loaded.X[train], loaded.y[train]
        model = boosted_distance(X, y, max(rounds), kernels=job.kernels, threads=1)
        stumps = adaboost_classifier(X, y, max(rounds), kernels=job.kernels, threads=1)
        for part, rows in (("test", test), ("train", train)):
            Q, truth = loaded.X[rows], loaded.y[rows]
            staged = staged_nearest_neighbor(model, Q, X, y, rounds, kernels=job.kernels, threads=1)
            errors["boosted"][part].append([balanced_error(guess, truth) for _, guess in staged])
            guesses = stumps.staged_predict(Q, rounds)
            errors["stumps"][part].append([balanced_error(guess, truth) for guess in guesses])
    return {"errors": errors}
