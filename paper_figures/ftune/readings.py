"""What Kar & Jain (2011) leave open, tried one thing at a time; a change here computes it anew.

Every public function is a task, as in :mod:`paper_figures.ftune.tasks`.
"""

import warnings

import numpy as np

from paper_figures.ftune.tasks import Run, common_landmarks, fresh_pairs, training_options
from refimpl.ftune import CS, SLOPES, bbs, dselect, ftune
from refimpl.ftune.space import landmarked
from refimpl.rivals.dboost import dboost

FEW = 10  # classes at most for FTUNE by LIBLINEAR, which trains 24 machines for each, none to its optimum


def readings(job, *, data_set, preparation, d, run):
    """What the paper leaves open, one thing at a time: accuracies of BBS and FTUNE-S."""
    found, one = {}, Run(job, data_set, preparation, run)
    P, fresh = (draw(job, one, data_set, d, run) for draw in (common_landmarks, fresh_pairs))
    usual = training_options(one)
    found["as here", "BBS"] = one.accuracy(bbs(one.K, one.y, P.L[:d], **usual))
    found["as here", "FTUNE-S"] = one.accuracy(ftune(one.K, one.y, fresh, **usual))
    without = training_options(one, bias=0.0)
    found["no bias", "BBS"] = one.accuracy(bbs(one.K, one.y, P.L[:d], **without))
    found["no bias", "FTUNE-S"] = one.accuracy(ftune(one.K, one.y, fresh, **without))
    found["pairs out of d landmarks", "FTUNE-S"] = one.accuracy(ftune(one.K, one.y, P, **usual))
    found["f* by training loss", "FTUNE-S"] = one.accuracy(ftune(one.K, one.y, fresh, choose="training", **usual))
    for C in (1.0, 1000.0):
        found[f"C = {C:.0f} alone", "BBS"] = one.accuracy(bbs(one.K, one.y, P.L[:d], **(usual | {"C": C})))
    found["LIBLINEAR's own stop", "BBS"] = _liblinear(one, [one.K.within(None, P.L[:d])],
                                                      [one.K.between(part, P.L[:d]) for part in (one.V, one.Q)])
    if len(np.unique(one.y)) <= FEW:
        found["LIBLINEAR's own stop", "FTUNE-S"] = _liblinear_ftune(one, fresh)
    wide = Run(job, data_set, preparation, run, width=2**0.5)
    found["width with a 2", "BBS"] = wide.accuracy(bbs(wide.K, wide.y, P.L[:d], **training_options(wide)))
    found["width with a 2", "FTUNE-S"] = wide.accuracy(ftune(wide.K, wide.y, fresh, **training_options(wide)))
    for other in {"raw", "standardised", "-1 to 1"} - {preparation}:
        changed = Run(job, data_set, other, run)
        options = training_options(changed)
        found[f"features {other}", "BBS"] = changed.accuracy(bbs(changed.K, changed.y, P.L[:d], **options))
        found[f"features {other}", "FTUNE-S"] = changed.accuracy(ftune(changed.K, changed.y, fresh, **options))
    return {"accuracies": [[*key, value] for key, value in sorted(found.items())]}


def boosting(job, *, data_set, preparation, d, run):
    """How DBOOST may find the pair of a round: accuracies."""
    found, one = {}, Run(job, data_set, preparation, run)
    for m in (1, 10):
        for by_weight in (True, False):
            rng = job.rng_for("dboost", data_set, d, run)
            model = dboost(one.K, one.y, d, rng, m=m, by_weight=by_weight, kernels=one.kernels, threads=1)
            name = f"{m} pair{'s' if m > 1 else ''} a round, {'by weight' if by_weight else 'uniformly'}"
            found[name, "DBOOST"] = one.accuracy(model)
    return {"accuracies": [[*key, value] for key, value in sorted(found.items())]}


def matrix_readings(job, *, data_set, preparation, d, run):
    """The same for a similarity matrix: accuracies of BBS and FTUNE+D-S."""
    one = Run(job, data_set, preparation, run)
    P = common_landmarks(job, one, data_set, d, run)
    D, C, E = (
        dselect(one.K, one.y, d, job.rng_for("dselect", data_set, d, run), kernels=one.kernels, threads=1, **how)
        for how in ({}, {"by_class": True}, {"per_problem": True})
    )
    usual, without = training_options(one), training_options(one, bias=0.0)
    found = {
        ("as here", "BBS"): one.accuracy(bbs(one.K, one.y, P.L[:d], **usual)),
        ("no bias", "BBS"): one.accuracy(bbs(one.K, one.y, P.L[:d], **without)),
        ("LIBLINEAR's own stop", "FTUNE+D-S"): _liblinear_ftune(one, D),
    }
    for name, landmarks, options in (
        ("as here", D, usual), ("no bias", D, without), ("landmarks by class", C, usual),
        ("no bias, landmarks by class", C, without), ("landmarks for each problem", E, usual),
        ("f* by training loss", D, usual | {"choose": "training"}),
    ):  # fmt: skip
        found[name, "FTUNE+D-S"] = one.accuracy(ftune(one.K, one.y, landmarks, **options))
    return {"accuracies": [[*key, value] for key, value in sorted(found.items())]}


def penalty(job, *, data_set, preparation, d, run):
    """BBS and FTUNE-S when the landmarked features are divided by sqrt(d) or by d, as g(x) of Theorem 2 is.

    So the penalty weighs d or d^2 times as much: the weights of Phi / s and C are those of Phi and C / s^2.
    """
    one, found = Run(job, data_set, preparation, run), {}
    P, fresh = (draw(job, one, data_set, d, run) for draw in (common_landmarks, fresh_pairs))
    for name, s in (("sqrt(d)", d**0.5), ("d", float(d))):
        options = training_options(one, bias=s) | {"C": tuple(C / s**2 for C in CS)}
        found[name, "BBS"] = one.accuracy(bbs(one.K, one.y, P.L[:d], **options))
        if name == "d":
            found[name, "FTUNE-S"] = one.accuracy(ftune(one.K, one.y, fresh, **options))
    return {"accuracies": [[*key, value] for key, value in sorted(found.items())]}


def _svc(C, A, y):
    """LIBLINEAR with the defaults of its command line: no bias, tolerance 0.1, at most 1,000 passes."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LinearSVC(C=C, dual=True, tol=0.1, max_iter=1000, fit_intercept=False, random_state=0).fit(A, y)


def _liblinear(run, training, others):
    """BBS with LIBLINEAR's dual coordinate descent as it stops by itself; C by validation."""
    (A,), (V, Q) = training, others
    models = [_svc(C, A, run.y) for C in CS]
    best = max(models, key=lambda model: (model.predict(V) == run.v).mean())
    return float((best.predict(Q) == run.q).mean())


def _liblinear_ftune(run, P):
    """FTUNE-S with the same."""
    classes = np.unique(run.y)
    L = np.unique([P.plus, P.minus])
    S, V, Q = (run.K.within(None, L), run.K.between(run.V, L), run.K.between(run.Q, L))
    g = {}
    for p in range(len(P.plus)):
        sign = np.where(run.y == classes[p if len(P.plus) > 1 else 1], 1, -1)
        pairs = np.searchsorted(L, P.plus[p]), np.searchsorted(L, P.minus[p])
        A, B, T = (landmarked(one, *pairs, SLOPES, kernels=run.kernels, threads=1) for one in (S, V, Q))
        for f in range(len(SLOPES)):
            for C in CS:
                model = _svc(C, A[f], sign)
                g.setdefault((f, C), []).append((model.decision_function(B[f]), model.decision_function(T[f])))

    def labels(columns):
        return classes[(columns[0] > 0).astype(int) if len(columns) == 1 else np.argmax(columns, axis=0)]

    best = max(g, key=lambda key: (labels([one[0] for one in g[key]]) == run.v).mean())
    return float((labels([one[1] for one in g[best]]) == run.q).mean())
