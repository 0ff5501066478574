"""Four open readings of Kar & Jain (2011) in all combinations; a change here computes them anew.

The readings are where the pairs come from, whether there is a bias, whether features are divided by
d, and where LIBLINEAR stops. Beside them stand DBOOST's pairs of a round, FTUNE with one slope
alone, and DSELECT's landmarks beside as many random ones. Every public function is a task, as in
:mod:`paper_figures.ftune.tasks`.

Not handled here: the choice of a reading, which :func:`paper_figures.ftune.trials.choose` makes.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from paper_figures.ftune.tasks import (
    Run,
    common_landmarks,
    diverse_landmarks,
    fresh_pairs,
    training_options,
)
from paper_figures.registry import Job
from refimpl.ftune import CS, SLOPES, Landmarks, bbs, ftune, landmarked
from refimpl.rivals.dboost import dboost

FRESH, COMMON = "fresh for each class", "of d landmarks"
OPTIMUM, LIBLINEAR = "optimum", "LIBLINEAR's"
OF_RANDOM = "FTUNE-S, d random landmarks"
READINGS = tuple(
    {"pairs": pairs, "bias": bias, "divided": divided, "stop": stop}
    for stop in (OPTIMUM, LIBLINEAR)
    for pairs in (FRESH, COMMON)
    for bias in ("yes", "no")
    for divided in ("1", "d")
)
"""The combinations; the first is the one of tables 1 and 2 here."""


def factorial(
    job: Job,
    *,
    data_set: str,
    preparation: str,
    d: int,
    run: int,
    pairs: str,
    bias: str,
    divided: str,
    stop: str,
) -> dict[str, Any]:
    """Return accuracies of BBS and FTUNE-S under one reading of four open points.

    BBS has no pairs; its accuracy comes with fresh ones. Features divided by d are those of Theorem
    2. The weights of Phi / d with C are those of Phi with C / d^2 and a constant feature of d.
    """
    split = Run(job, data_set, preparation, run)
    common = common_landmarks(job, split, data_set, d, run)
    landmarks = fresh_pairs(job, split, data_set, d, run) if pairs == FRESH else common
    s = float(d) if divided == "d" else 1.0
    costs = tuple(C / s**2 for C in CS)
    constant = s if bias == "yes" else 0.0
    rights = {}
    if stop == OPTIMUM:
        options = training_options(split, bias=constant, C=costs)
        if pairs == FRESH:
            rights["BBS"] = split.accuracy(bbs(split.K, split.y, common.L[:d], **options))
        rights["FTUNE-S"] = split.accuracy(ftune(split.K, split.y, landmarks, **options))
    else:
        grid = LiblinearGrid(split, costs, constant)
        if pairs == FRESH:
            rights["BBS"] = grid.bbs(common.L[:d])
        rights["FTUNE-S"] = grid.ftune(landmarks)
    return {"accuracies": rights}


@dataclass(frozen=True)
class LiblinearGrid:
    """BBS and FTUNE-S by LIBLINEAR's dual coordinate descent as its command line ends it.

    The tolerance is 0.1, with at most 1,000 passes. C and f are those of the best validation
    accuracy.
    """

    split: Run
    costs: tuple[float, ...]
    bias: float

    def bbs(self, L: Any) -> float:
        """Return the test accuracy of BBS."""
        S, V, Q = self._similarities(L)
        return self._best([self._scores(S, V, Q, C) for C in self.costs])

    def ftune(self, P: Landmarks) -> float:
        """Return the test accuracy of FTUNE-S."""
        L = np.unique([P.plus, P.minus])
        parts = self._similarities(L)
        grid: dict[tuple[int, float], list[Any]] = {}
        for p, sign in enumerate(self._signs()):
            plus = np.searchsorted(L, P.plus[p])
            minus = np.searchsorted(L, P.minus[p])
            A, B, T = (
                landmarked(part, plus, minus, SLOPES, kernels=self.split.kernels, threads=1)
                for part in parts
            )
            for f in range(len(SLOPES)):
                for C in self.costs:
                    scores = self._one(A[f], sign, B[f], T[f], C)
                    grid.setdefault((f, C), []).append(scores)
        return self._best(list(grid.values()))

    def _similarities(self, L: Any) -> list[Any]:
        K = self.split.K
        return [K.within(None, L), K.between(self.split.V, L), K.between(self.split.Q, L)]

    def _signs(self) -> list[Any]:
        classes = np.unique(self.split.y)
        positives = classes[1:] if len(classes) == 2 else classes
        return [np.where(self.split.y == c, 1, -1) for c in positives]

    def _scores(self, S: Any, V: Any, Q: Any, C: float) -> list[Any]:
        return [self._one(S, sign, V, Q, C) for sign in self._signs()]

    def _one(self, A: Any, sign: Any, B: Any, T: Any, C: float) -> tuple[Any, Any]:
        """Return the scores of validation and test objects."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        model = LinearSVC(
            C=C,
            dual=True,
            tol=0.1,
            max_iter=1000,
            fit_intercept=self.bias > 0,
            intercept_scaling=self.bias or 1.0,
            random_state=0,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(A, sign)
        return model.decision_function(B), model.decision_function(T)

    def _best(self, grid: list[list[tuple[Any, Any]]]) -> float:
        """Return the test accuracy of the first machine of the best validation accuracy."""

        def share(columns: list[Any], truth: Any) -> float:
            classes = np.unique(self.split.y)
            if len(columns) == 1:
                return float((classes[(columns[0] > 0).astype(int)] == truth).mean())
            return float((classes[np.argmax(columns, axis=0)] == truth).mean())

        best = max(grid, key=lambda scores: share([v for v, _ in scores], self.split.v))
        return share([q for _, q in best], self.split.q)


def boosting(
    job: Job, *, data_set: str, preparation: str, d: int, run: int, pairs: int
) -> dict[str, Any]:
    """Return the accuracy of DBOOST that takes the best of several pairs in each round."""
    split = Run(job, data_set, preparation, run)
    model = dboost(
        split.K,
        split.y,
        d,
        rng=job.rng_for("dboost", data_set, d, run),
        m=pairs,
        kernels=split.kernels,
        threads=1,
    )
    return {"accuracy": split.accuracy(model), "classes": len(np.unique(split.y))}


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


def random_landmarks(
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
