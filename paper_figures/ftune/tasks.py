"""What the figures of Kar & Jain (2011) compute; a change here computes them anew.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters. A
task is one run, that is one random split, of one data set at one number of landmarks, so that all
methods see the same split.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from paper_figures.tasks import Job
from refimpl.ftune import (
    SLOPES,
    FTuneOptions,
    Landmarks,
    bbs,
    dselect,
    ftune,
    ftune_single_and_per_class,
    random_landmarks,
)
from refimpl.ftune.similarities import Gaussian, Similarity, mean_distance
from refimpl.rivals.dboost import dboost

OF_RANDOM = "FTUNE-S, d random landmarks"
MATRIX = ("matrix", "cityblock")  # preparations that make or are a matrix of similarities
# §§ 3.1 and 3.2: training, validation; the rest tests
SHARES = {True: (0.7, 0.1), False: (0.5, 0.2)}


@lru_cache(maxsize=2)
def _data(data_set: str, data_dir: Any, preparation: str) -> tuple[Any, Any]:
    loaded = Job(0, "reference", data_dir, (data_set,)).load(data_set)
    X = loaded.X
    if preparation == "standardised":
        X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    # a matrix that is not positive semidefinite, for the small scale
    if preparation == "cityblock":
        X = cdist(X, X, "cityblock")
        X = 1.0 - X / X.max()
    return X, loaded.y


class Run:
    """One random split of a data set, and the similarity over its training part."""

    def __init__(self, job: Job, data_set: str, preparation: str, run: int) -> None:
        X, y = _data(data_set, job.data_dir, preparation)
        order = job.rng_for("split", data_set, run).permutation(len(y))
        share, more = SHARES[preparation in MATRIX]
        first = round(share * len(y))
        second = round((share + more) * len(y))
        train, validation, test = np.split(order, [first, second])
        if preparation in MATRIX:
            parts = [X[np.ix_(part, train)] for part in (train, validation, test)]
            self.K = Similarity(parts[0])
        else:
            parts = [np.ascontiguousarray(X[part]) for part in (train, validation, test)]
            mean = mean_distance(parts[0], rng=job.rng_for("width", data_set, run))
            self.K = Similarity(Gaussian(mean, parts[0]), parts[0], pairwise=True)
        self.X, self.V, self.Q = parts
        self.y = y[train]
        self.v = y[validation]
        self.q = y[test]
        self.kernels = job.kernels

    def accuracy(self, model: Any) -> float:
        """Return the share of the test objects that a classifier tells right."""
        return float((model.predict(self.K, self.Q) == self.q).mean())


def training_options(run: Run, **options: Any) -> dict[str, Any]:
    """Return the keywords of every training of a run.

    `options` are fields of ``FTuneOptions``.
    """
    return {
        "validation": (run.V, run.v),
        "options": FTuneOptions(**options),
        "kernels": run.kernels,
        "threads": 1,
    }


def fresh_pairs(job: Job, split: Run, data_set: str, d: int, run: int) -> Landmarks:
    """Draw d pairs for each class out of all training objects (Algorithm 2, line 1)."""
    return random_landmarks(split.y, d, rng=job.rng_for("pairs", data_set, d, run))


def common_landmarks(job: Job, split: Run, data_set: str, d: int, run: int) -> Landmarks:
    """Draw d random landmarks for BBS, and pairs out of them: another reading of FTUNE."""
    rng = job.rng_for("landmarks", data_set, d, run)
    return random_landmarks(split.y, d, rng=rng, pool=True)


def diverse_landmarks(
    job: Job, split: Run, data_set: str, d: int, run: int, methods: Sequence[str]
) -> dict[str, Landmarks]:
    """Return DSELECT's landmarks for the methods that need them, d in all or for each problem.

    Two classes make one problem, so that the second choice is the first.
    """
    ways = {}
    for name, per_problem in (("FTUNE+D", False), ("FTUNE+DP", True)):
        needed = any(method.split("-")[0] in (name, "BBS" + name[5:]) for method in methods)
        if needed and not (per_problem and len(np.unique(split.y)) == 2):
            rng = job.rng_for("dselect", data_set, d, run)
            ways[name] = dselect(
                split.K,
                split.y,
                d,
                rng=rng,
                per_problem=per_problem,
                kernels=split.kernels,
                threads=1,
            )
    return ways


def accuracies(
    job: Job, *, data_set: str, preparation: str, d: int, run: int, methods: Sequence[str]
) -> dict[str, Any]:
    """Return test accuracies of the methods of § 3 with d landmarks or pairs.

    Beside them stand the slopes that FTUNE chose and the similarities that a new object costs.
    """
    split = Run(job, data_set, preparation, run)
    rights: dict[str, float] = {}
    chosen: dict[str, Any] = {}
    compared: dict[str, int] = {}
    fresh = fresh_pairs(job, split, data_set, d, run)
    common = common_landmarks(job, split, data_set, d, run)
    diverse = diverse_landmarks(job, split, data_set, d, run, methods)
    for name, landmarks in (("BBS", common), ("BBS+D", diverse.get("FTUNE+D"))):
        if name in methods and landmarks is not None:
            model = bbs(split.K, split.y, landmarks.L[:d], **training_options(split))
            rights[name] = split.accuracy(model)
            compared[name] = min(d, len(landmarks.L))
    for name, landmarks in ({"FTUNE": fresh} | diverse).items():
        ways = [way for way in ("S", "M") if f"{name}-{way}" in methods]
        if ways:
            models = ftune_single_and_per_class(
                split.K, split.y, landmarks, **training_options(split)
            )
            for way, model in zip(("S", "M"), models, strict=True):
                if way in ways:
                    rights[f"{name}-{way}"] = split.accuracy(model)
                    chosen[f"{name}-{way}"] = model.slopes[model.f]
                    compared[f"{name}-{way}"] = len(model.landmarks)
    if "DBOOST" in methods:
        rng = job.rng_for("dboost", data_set, d, run)
        boosted = dboost(split.K, split.y, d, rng=rng, kernels=split.kernels, threads=1)
        rights["DBOOST"] = split.accuracy(boosted)
    return {
        "accuracies": rights,
        "chosen": chosen,
        "compared": compared,
        "n": len(split.y),
        "classes": len(np.unique(split.y)),
    }


# ------------------------------------------------------------------------- slopes, equal landmarks


def transfer(job: Job, *, data_set: str, preparation: str, d: int, run: int) -> dict[str, Any]:
    """Return accuracies of FTUNE-S with one slope alone, and with the pairs of DSELECT.

    FTUNE+D-S has d landmarks in all. FTUNE+DP-S, for more than two classes, has d landmarks for
    each one-vs-all problem. The pairs and splits are those of table 2, where FTUNE-S stands.
    """
    split = Run(job, data_set, preparation, run)
    fresh = fresh_pairs(job, split, data_set, d, run)
    rights = {}
    chosen = {}
    for name, slope in (("slope 1 alone", SLOPES[0]), ("slope 1,000 alone", SLOPES[-1])):
        model = ftune(split.K, split.y, fresh, **training_options(split, family=(slope,)))
        rights[f"FTUNE-S, {name}"] = split.accuracy(model)
    ways = ("FTUNE+D-S", "FTUNE+DP-S")
    for method, landmarks in diverse_landmarks(job, split, data_set, d, run, ways).items():
        model = ftune(split.K, split.y, landmarks, **training_options(split))
        rights[f"{method}-S"] = split.accuracy(model)
        chosen[f"{method}-S"] = model.slopes[model.f]
    return {"accuracies": rights, "chosen": chosen}


def with_random_landmarks(
    job: Job, *, data_set: str, preparation: str, d: int, run: int
) -> dict[str, Any]:
    """Return the accuracy of FTUNE-S whose pairs come out of d random landmarks.

    A new object is compared with d others, as with the landmarks of DSELECT. These are the d
    landmarks of BBS in figure 1, on the same split.
    """
    split = Run(job, data_set, preparation, run)
    common = common_landmarks(job, split, data_set, d, run)
    model = ftune(split.K, split.y, common, **training_options(split))
    return {"accuracies": {OF_RANDOM: split.accuracy(model)}}
