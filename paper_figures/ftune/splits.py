"""One random split of a data set, the similarity over its training part, and the methods of § 3."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from paper_figures.study import Job, Observation
from refimpl.ftune import (
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

MATRIX = ("matrix", "cityblock")  # preparations that make or are a matrix of similarities
# §§ 3.1 and 3.2: training, validation; the rest tests
SHARES = {True: (0.7, 0.1), False: (0.5, 0.2)}
OF_RANDOM = "FTUNE-S, d random landmarks"


@lru_cache(maxsize=2)
def _prepared(job: Job, data_set: str, how: str) -> tuple[Any, Any]:
    """Return the points, or the matrix of similarities, and the labels of a data set."""
    loaded = job.load(data_set)
    X = loaded.X
    if how == "standardised":
        X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    if how == "cityblock":  # a matrix that is not positive semidefinite, for the small scale
        X = cdist(X, X, "cityblock")
        X = 1.0 - X / X.max()
    return X, loaded.y


class Split:
    """Training, validation and test part of one run; all methods of a run see the same."""

    def __init__(self, job: Job, data_set: str, how: str, landmarks: int, run: int) -> None:
        X, y = _prepared(job, data_set, how)
        order = job.rng_for("split", data_set, run).permutation(len(y))
        share, more = SHARES[how in MATRIX]
        first, second = round(share * len(y)), round((share + more) * len(y))
        train, validation, test = np.split(order, [first, second])
        if how in MATRIX:
            parts = [X[np.ix_(part, train)] for part in (train, validation, test)]
            self.K = Similarity(parts[0])
        else:
            parts = [np.ascontiguousarray(X[part]) for part in (train, validation, test)]
            mean = mean_distance(parts[0], rng=job.rng_for("width", data_set, run))
            self.K = Similarity(Gaussian(mean), parts[0], pairwise=True)
        self.y, self.Q, self.q = y[train], parts[2], y[test]
        self.fast: dict[str, Any] = {"kernels": job.kernels, "threads": 1}
        self.options = {"validation": (parts[1], y[validation]), **self.fast}
        self.job, self.d, self.key = job, landmarks, (data_set, landmarks, run)

    def rng(self, what: str) -> np.random.Generator:
        """Return the generator of this run for one purpose."""
        return self.job.rng_for(what, *self.key)

    def fresh(self) -> Landmarks:
        """Draw d pairs for each class out of all training objects (Algorithm 2, line 1)."""
        return random_landmarks(self.y, self.d, rng=self.rng("pairs"))

    def common(self) -> Landmarks:
        """Draw d random landmarks for BBS, and pairs out of them: another reading of FTUNE."""
        return random_landmarks(self.y, self.d, rng=self.rng("landmarks"), pool=True)

    def diverse(self, per_problem: bool = False) -> Landmarks | None:
        """Return DSELECT's landmarks, d in all or a problem; two classes make one problem."""
        if per_problem and len(np.unique(self.y)) == 2:
            return None
        rng = self.rng("dselect")
        return dselect(self.K, self.y, self.d, rng=rng, per_problem=per_problem, **self.fast)

    def ftune(self, landmarks: Landmarks, **options: Any) -> Any:
        """Train FTUNE-S; `options` are fields of ``FTuneOptions``."""
        return ftune(self.K, self.y, landmarks, options=FTuneOptions(**options), **self.options)

    def seen(self, method: str, model: Any, **more: Any) -> Observation:
        """Return the share of the test objects that a classifier tells right."""
        right = float((model.predict(self.K, self.Q) == self.q).mean())
        return {"method": method, "accuracy": right} | more


def accuracies(
    job: Job, *, methods: Sequence[str], data_set: str, how: str, landmarks: int, run: int
) -> Iterator[Observation]:
    """Yield the test accuracies of the methods of § 3 with so many landmarks, or pairs a class."""
    # FTUNE+D has the d landmarks of DSELECT in all, FTUNE+DP d for each one-vs-all problem; -S is
    # one transfer function, -M one for each class. `compared` counts the similarities that a new
    # object costs.
    split = Split(job, data_set, how, landmarks, run)
    common = split.common()
    if "BBS" in methods:
        yield split.seen("BBS", bbs(split.K, split.y, common.L[:landmarks], **split.options))
    choices: dict[str, Callable[[], Landmarks | None]] = {
        "FTUNE": split.fresh,
        "FTUNE+D": split.diverse,
        "FTUNE+DP": lambda: split.diverse(per_problem=True),
    }
    for name, choose in choices.items():
        ways = [way for way in ("S", "M") if f"{name}-{way}" in methods]
        chosen = choose() if ways else None
        if chosen is None:
            continue
        if name == "FTUNE+D" and "BBS+D" in methods:
            yield split.seen("BBS+D", bbs(split.K, split.y, chosen.L[:landmarks], **split.options))
        models = ftune_single_and_per_class(split.K, split.y, chosen, **split.options)
        for way, model in zip(("S", "M"), models, strict=True):
            if way in ways:
                yield split.seen(f"{name}-{way}", model, compared=len(model.landmarks))
    if "DBOOST" in methods:
        boosted = dboost(split.K, split.y, landmarks, rng=split.rng("dboost"), **split.fast)
        yield split.seen("DBOOST", boosted)
    if OF_RANDOM in methods:
        yield split.seen(OF_RANDOM, split.ftune(common))
