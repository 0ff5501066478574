"""What Kar & Jain (2011) leave open, tried one thing at a time; a change here computes it anew.

Every public function is a task, as in :mod:`paper_figures.ftune.tasks`.
"""

import warnings
from typing import Any

import numpy as np

from paper_figures.ftune.tasks import Run, common_landmarks, fresh_pairs, training_options
from paper_figures.registry import Job
from refimpl.ftune import CS, SLOPES, Landmarks, bbs, dselect, ftune, landmarked
from refimpl.rivals.dboost import dboost

# classes at most for FTUNE by LIBLINEAR, which trains 24 machines for each, none to its optimum
FEW = 10


def readings(job: Job, *, data_set: str, preparation: str, d: int, run: int) -> dict[str, Any]:
    """Return accuracies of BBS and FTUNE-S with one open point at a time read in another way."""
    split = Run(job, data_set, preparation, run)
    common = common_landmarks(job, split, data_set, d, run)
    fresh = fresh_pairs(job, split, data_set, d, run)
    L = common.L[:d]
    rights = {}

    def with_bbs(name: str, on: Run, **options: Any) -> None:
        model = bbs(on.K, on.y, L, **training_options(on, **options))
        rights[name, "BBS"] = on.accuracy(model)

    def with_ftune(name: str, on: Run, landmarks: Landmarks, **options: Any) -> None:
        model = ftune(on.K, on.y, landmarks, **training_options(on, **options))
        rights[name, "FTUNE-S"] = on.accuracy(model)

    with_bbs("as here", split)
    with_ftune("as here", split, fresh)
    with_bbs("no bias", split, bias=0.0)
    with_ftune("no bias", split, fresh, bias=0.0)
    with_ftune("pairs out of d landmarks", split, common)
    with_ftune("f* by training loss", split, fresh, choose="training")
    with_bbs("C = 1 alone", split, C=1.0)
    with_bbs("C = 1000 alone", split, C=1000.0)
    rights["LIBLINEAR's own stop", "BBS"] = _liblinear_bbs(split, L)
    if len(np.unique(split.y)) <= FEW:
        rights["LIBLINEAR's own stop", "FTUNE-S"] = _liblinear_ftune(split, fresh)
    wide = Run(job, data_set, preparation, run, width=2**0.5)
    with_bbs("width with a 2", wide)
    with_ftune("width with a 2", wide, fresh)
    for other in {"raw", "standardised", "-1 to 1"} - {preparation}:
        changed = Run(job, data_set, other, run)
        with_bbs(f"features {other}", changed)
        with_ftune(f"features {other}", changed, fresh)
    return {"accuracies": [[*key, value] for key, value in sorted(rights.items())]}


def boosting(job: Job, *, data_set: str, preparation: str, d: int, run: int) -> dict[str, Any]:
    """Return accuracies of DBOOST by how it finds the pair of a round."""
    split = Run(job, data_set, preparation, run)
    rights = {}
    for m, number in ((1, "1 pair"), (10, "10 pairs")):
        for by_weight, way in ((True, "by weight"), (False, "uniformly")):
            rng = job.rng_for("dboost", data_set, d, run)
            model = dboost(
                split.K,
                split.y,
                d,
                rng=rng,
                m=m,
                by_weight=by_weight,
                kernels=split.kernels,
                threads=1,
            )
            rights[f"{number} a round, {way}", "DBOOST"] = split.accuracy(model)
    return {"accuracies": [[*key, value] for key, value in sorted(rights.items())]}


def matrix_readings(
    job: Job, *, data_set: str, preparation: str, d: int, run: int
) -> dict[str, Any]:
    """Return accuracies of BBS and FTUNE+D-S on a similarity matrix by the same readings."""
    split = Run(job, data_set, preparation, run)
    common = common_landmarks(job, split, data_set, d, run)
    rights = {}

    def diverse(**how: bool) -> Landmarks:
        rng = job.rng_for("dselect", data_set, d, run)
        return dselect(split.K, split.y, d, rng=rng, kernels=split.kernels, threads=1, **how)

    def with_ftune(name: str, landmarks: Landmarks, **options: Any) -> None:
        model = ftune(split.K, split.y, landmarks, **training_options(split, **options))
        rights[name, "FTUNE+D-S"] = split.accuracy(model)

    for name, bias in (("as here", 1.0), ("no bias", 0.0)):
        model = bbs(split.K, split.y, common.L[:d], **training_options(split, bias=bias))
        rights[name, "BBS"] = split.accuracy(model)
    of_all = diverse()
    of_classes = diverse(by_class=True)
    rights["LIBLINEAR's own stop", "FTUNE+D-S"] = _liblinear_ftune(split, of_all)
    with_ftune("as here", of_all)
    with_ftune("no bias", of_all, bias=0.0)
    with_ftune("landmarks by class", of_classes)
    with_ftune("no bias, landmarks by class", of_classes, bias=0.0)
    with_ftune("landmarks for each problem", diverse(per_problem=True))
    with_ftune("f* by training loss", of_all, choose="training")
    return {"accuracies": [[*key, value] for key, value in sorted(rights.items())]}


def penalty(job: Job, *, data_set: str, preparation: str, d: int, run: int) -> dict[str, Any]:
    """Return accuracies of BBS and FTUNE-S when the features are divided by sqrt(d) or d.

    g(x) of Theorem 2 is divided so.

    The penalty then weighs d or d^2 times as much: the weights of Phi / s and C are those of Phi
    and C / s^2.
    """
    split = Run(job, data_set, preparation, run)
    common = common_landmarks(job, split, data_set, d, run)
    fresh = fresh_pairs(job, split, data_set, d, run)
    rights = {}
    for name, s in (("sqrt(d)", d**0.5), ("d", float(d))):
        options = training_options(split, bias=s, C=tuple(C / s**2 for C in CS))
        model = bbs(split.K, split.y, common.L[:d], **options)
        rights[name, "BBS"] = split.accuracy(model)
        if name == "d":
            model = ftune(split.K, split.y, fresh, **options)
            rights[name, "FTUNE-S"] = split.accuracy(model)
    return {"accuracies": [[*key, value] for key, value in sorted(rights.items())]}


def _svc(C: float, A: Any, y: Any) -> Any:
    """Return LIBLINEAR with its command line's defaults.

    It has no bias, tolerance 0.1 and at most 1,000 passes.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LinearSVC(
            C=C, dual=True, tol=0.1, max_iter=1000, fit_intercept=False, random_state=0
        ).fit(A, y)


def _liblinear_bbs(run: Run, L: Any) -> float:
    """Return BBS with LIBLINEAR's dual coordinate descent as it stops by itself.

    C is chosen by validation.
    """
    A = run.K.within(None, L)
    V = run.K.between(run.V, L)
    Q = run.K.between(run.Q, L)
    models = [_svc(C, A, run.y) for C in CS]
    best = max(models, key=lambda model: (model.predict(V) == run.v).mean())
    return float((best.predict(Q) == run.q).mean())


def _liblinear_ftune(run: Run, P: Landmarks) -> float:
    """Return FTUNE-S with the same."""
    classes = np.unique(run.y)
    L = np.unique([P.plus, P.minus])
    S = run.K.within(None, L)
    V = run.K.between(run.V, L)
    Q = run.K.between(run.Q, L)
    g: dict[tuple[int, float], list[Any]] = {}
    for p in range(len(P.plus)):
        sign = np.where(run.y == classes[p if len(P.plus) > 1 else 1], 1, -1)
        plus = np.searchsorted(L, P.plus[p])
        minus = np.searchsorted(L, P.minus[p])
        A, B, T = (
            landmarked(part, plus, minus, SLOPES, kernels=run.kernels, threads=1)
            for part in (S, V, Q)
        )
        for f in range(len(SLOPES)):
            for C in CS:
                model = _svc(C, A[f], sign)
                scores = model.decision_function(B[f]), model.decision_function(T[f])
                g.setdefault((f, C), []).append(scores)

    def labels(columns: list[Any]) -> Any:
        if len(columns) == 1:
            return classes[(columns[0] > 0).astype(int)]
        return classes[np.argmax(columns, axis=0)]

    best = max(
        g.values(),
        key=lambda scores: (labels([validation for validation, _ in scores]) == run.v).mean(),
    )
    return float((labels([test for _, test in best]) == run.q).mean())
