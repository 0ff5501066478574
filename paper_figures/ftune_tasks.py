"""What the figures of Kar & Jain (2011) compute; a change here computes them anew.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters. A task is one run,
that is one random split, of one data set at one number of landmarks, so that all methods see the same split.
"""

import warnings
from functools import lru_cache

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.svm import SVC, LinearSVC

from refimpl.ftune import CS, SLOPES, bbs, dselect, ftune, random_landmarks
from refimpl.landmarked_space import landmarked
from refimpl.rivals.dboost import dboost
from refimpl.similarities import Gaussian, Similarity, mean_distance

MATRIX = ("matrix", "cityblock")  # preparations that make or are a matrix of similarities
SHARES = {True: (0.7, 0.1), False: (0.5, 0.2)}  # §§ 3.1 and 3.2: training, validation; the rest tests


@lru_cache(maxsize=2)
def _data(data_set, data_dir, preparation):
    from paper_figures.registry import Job

    loaded = Job(0, {}, "reference", data_dir, (data_set,)).load(data_set)
    X = loaded.X
    if preparation == "standardised":
        X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    if preparation == "-1 to 1":
        spread = np.ptp(X, axis=0)
        X = 2 * (X - X.min(axis=0)) / np.where(spread > 0, spread, 1.0) - 1
    if preparation == "cityblock":  # a matrix that is not positive semidefinite, for the small scale
        X = cdist(X, X, "cityblock")
        X = 1.0 - X / X.max()
    return X, loaded.y


class _Run:
    """One random split of a data set, and the similarity over its training part."""

    def __init__(self, job, data_set, preparation, run, width=1.0):
        X, y = _data(data_set, job.data_dir, preparation)
        rng = job.rng_for("split", data_set, run)
        order, (share, more) = rng.permutation(len(y)), SHARES[preparation in MATRIX]
        first, second = round(share * len(y)), round((share + more) * len(y))
        train, held, test = order[:first], order[first:second], order[second:]
        if preparation in MATRIX:
            parts = [X[np.ix_(part, train)] for part in (train, held, test)]
            self.K = Similarity(parts[0])
        else:
            parts = [np.ascontiguousarray(X[part]) for part in (train, held, test)]
            K = Gaussian(width * mean_distance(parts[0], rng=job.rng_for("width", data_set, run)), parts[0])
            self.K = Similarity(K, parts[0], pairwise=True)
        self.X, self.V, self.Q = parts
        self.y, self.v, self.q = y[train], y[held], y[test]
        self.kernels = job.kernels

    def accuracy(self, model):
        return float((model.predict(self.K, self.Q) == self.q).mean())


def _options(run, bias=1.0):
    return {"validation": (run.V, run.v), "kernels": run.kernels, "threads": 1, "bias": bias}


def accuracies(job, *, data_set, preparation, d, run, methods):
    """Test accuracies of the methods of § 3 with d landmarks, and what FTUNE chose."""
    one, found, chosen = _Run(job, data_set, preparation, run), {}, {}
    P = random_landmarks(one.y, d, job.rng_for("landmarks", data_set, d, run))
    D = None
    if any("+D" in method for method in methods):
        D = dselect(one.K, one.y, d, job.rng_for("dselect", data_set, d, run), kernels=one.kernels, threads=1)
    for name, landmarks in (("BBS", P), ("BBS+D", D)):
        if name in methods:
            found[name] = one.accuracy(bbs(one.K, one.y, landmarks.L[:d], **_options(one)))
    for name, landmarks in (("FTUNE", P), ("FTUNE+D", D)):
        wanted = [way for way in ("S", "M") if f"{name}-{way}" in methods]
        if wanted:
            models = ftune(one.K, one.y, landmarks, per_class="both", **_options(one))
            for way, model in zip(("S", "M"), models, strict=True):
                if way in wanted:
                    found[f"{name}-{way}"] = one.accuracy(model)
                    chosen[f"{name}-{way}"] = model.slopes[model.f]
    if "DBOOST" in methods:
        rng = job.rng_for("dboost", data_set, d, run)
        found["DBOOST"] = one.accuracy(dboost(one.K, one.y, d, rng, kernels=one.kernels, threads=1))
    return {"accuracies": found, "chosen": chosen, "n": len(one.y), "classes": len(np.unique(one.y))}


# ---------------------------------------------------------------------------------------------- readings


def readings(job, *, data_set, preparation, d, run):
    """What the paper leaves open, one thing at a time: accuracies of BBS, FTUNE-S and DBOOST."""
    found, one = {}, _Run(job, data_set, preparation, run)
    P = random_landmarks(one.y, d, job.rng_for("landmarks", data_set, d, run))
    usual = _options(one)
    found["as here", "BBS"] = one.accuracy(bbs(one.K, one.y, P.L[:d], **usual))
    found["as here", "FTUNE-S"] = one.accuracy(ftune(one.K, one.y, P, **usual))
    without = _options(one, bias=0.0)
    found["no bias", "BBS"] = one.accuracy(bbs(one.K, one.y, P.L[:d], **without))
    found["no bias", "FTUNE-S"] = one.accuracy(ftune(one.K, one.y, P, **without))
    fresh = random_landmarks(one.y, d, job.rng_for("pairs", data_set, d, run), pool=False)
    found["fresh pairs for each class", "FTUNE-S"] = one.accuracy(ftune(one.K, one.y, fresh, **usual))
    for C in (1.0, 1000.0):
        found[f"C = {C:.0f} alone", "BBS"] = one.accuracy(bbs(one.K, one.y, P.L[:d], **(usual | {"C": C})))
    found["LIBLINEAR's own stop", "BBS"] = _liblinear(one, [one.K.within(None, P.L[:d])],
                                                      [one.K.between(part, P.L[:d]) for part in (one.V, one.Q)])
    found["LIBLINEAR's own stop", "FTUNE-S"] = _liblinear_ftune(one, P)
    for m in (1, 10):
        for by_weight in (True, False):
            rng = job.rng_for("dboost", data_set, d, run)
            model = dboost(one.K, one.y, d, rng, m=m, by_weight=by_weight, kernels=one.kernels, threads=1)
            name = f"{m} pair{'s' if m > 1 else ''} a round, {'by weight' if by_weight else 'uniformly'}"
            found[name, "DBOOST"] = one.accuracy(model)
    if preparation not in MATRIX:
        wide = _Run(job, data_set, preparation, run, width=2**0.5)
        found["width with a 2", "BBS"] = wide.accuracy(bbs(wide.K, wide.y, P.L[:d], **_options(wide)))
        found["width with a 2", "FTUNE-S"] = wide.accuracy(ftune(wide.K, wide.y, P, **_options(wide)))
        for other in {"raw", "standardised", "-1 to 1"} - {preparation}:
            changed = _Run(job, data_set, other, run)
            for method, model in (("BBS", bbs(changed.K, changed.y, P.L[:d], **_options(changed))),
                                  ("FTUNE-S", ftune(changed.K, changed.y, P, **_options(changed)))):  # fmt: skip
                found[f"features {other}", method] = changed.accuracy(model)
    return {"accuracies": [[*key, value] for key, value in sorted(found.items())]}


def matrix_readings(job, *, data_set, preparation, d, run):
    """The same for a similarity matrix: accuracies of BBS and FTUNE+D-S."""
    one = _Run(job, data_set, preparation, run)
    P = random_landmarks(one.y, d, job.rng_for("landmarks", data_set, d, run))
    D, C = (
        dselect(one.K, one.y, d, job.rng_for("dselect", data_set, d, run), by_class=by_class, kernels=one.kernels,
                threads=1)
        for by_class in (None, True)
    )  # fmt: skip
    usual, without = _options(one), _options(one, bias=0.0)
    found = {
        ("as here", "BBS"): one.accuracy(bbs(one.K, one.y, P.L[:d], **usual)),
        ("no bias", "BBS"): one.accuracy(bbs(one.K, one.y, P.L[:d], **without)),
        ("LIBLINEAR's own stop", "FTUNE+D-S"): _liblinear_ftune(one, D),
    }
    for name, landmarks, options in (
        ("as here", D, usual), ("no bias", D, without), ("landmarks by class", C, usual),
        ("no bias, landmarks by class", C, without), ("f* by training loss", D, usual | {"choose": "training"}),
    ):  # fmt: skip
        found[name, "FTUNE+D-S"] = one.accuracy(ftune(one.K, one.y, landmarks, **options))
    return {"accuracies": [[*key, value] for key, value in sorted(found.items())]}


def _svc(C, A, y):
    """LIBLINEAR with the defaults of its command line: no bias, tolerance 0.1, at most 1,000 passes."""
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


# ----------------------------------------------------------------------------------------------- penalty


def penalty(job, *, data_set, preparation, d, run):
    """BBS and FTUNE-S when the landmarked features are divided by sqrt(d) or by d, as g(x) of Theorem 2 is.

    So the penalty weighs d or d^2 times as much: the weights of Phi / s and C are those of Phi and C / s^2.
    """
    one, found = _Run(job, data_set, preparation, run), {}
    P = random_landmarks(one.y, d, job.rng_for("landmarks", data_set, d, run))
    for name, s in (("sqrt(d)", d**0.5), ("d", float(d))):
        options = _options(one, bias=s) | {"C": tuple(C / s**2 for C in CS)}
        found[name, "BBS"] = one.accuracy(bbs(one.K, one.y, P.L[:d], **options))
        if name == "d":
            found[name, "FTUNE-S"] = one.accuracy(ftune(one.K, one.y, P, **options))
    return {"accuracies": [[*key, value] for key, value in sorted(found.items())]}


# ------------------------------------------------------------------------------------------------ beyond


def peers(job, *, data_set, preparation, d, run):
    """Beyond the paper: Nystroem's map with a linear SVM, and an SVM on the kernel with its spectrum clipped."""
    one = _Run(job, data_set, preparation, run)
    every = np.arange(len(one.y))
    S, V, Q = one.K.within(None, every), one.K.between(one.V, every), one.K.between(one.Q, every)
    values, vectors = np.linalg.eigh((S + S.T) / 2)
    clip = vectors[:, values > 0] @ vectors[:, values > 0].T  # Chen et al. (2009), § 2: P K for training and new rows
    found = {}
    machines = [SVC(C=C, kernel="precomputed").fit(S @ clip, one.y) for C in CS]
    best = max(machines, key=lambda model: (model.predict(V @ clip) == one.v).mean())
    found["SVM, clipped kernel"] = float((best.predict(Q @ clip) == one.q).mean())
    L = job.rng_for("nystroem", data_set, d, run).choice(len(one.y), min(d, len(one.y)), replace=False)
    maps = Nystroem(kernel="precomputed", n_components=len(L)).fit((S @ clip)[np.ix_(L, L)])
    columns = [maps.transform((part @ clip)[:, L]) for part in (S, V, Q)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machines = [LinearSVC(C=C, dual=False, random_state=0).fit(columns[0], one.y) for C in CS]
    best = max(machines, key=lambda model: (model.predict(columns[1]) == one.v).mean())
    found["Nystroem, linear SVM"] = float((best.predict(columns[2]) == one.q).mean())
    return {"accuracies": found, "negative": float(np.abs(values[values < 0]).sum() / np.abs(values).sum())}
