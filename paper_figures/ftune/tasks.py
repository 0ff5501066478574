"""What the figures of Kar & Jain (2011) compute; a change here computes them anew.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters. A task is one run,
that is one random split, of one data set at one number of landmarks, so that all methods see the same split.
"""

import warnings
from functools import lru_cache

import numpy as np
from scipy.spatial.distance import cdist

from refimpl.ftune import CS, bbs, dselect, ftune, random_landmarks
from refimpl.ftune.similarities import Gaussian, Similarity, mean_distance
from refimpl.rivals.dboost import dboost

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


class Run:
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


def training_options(run, bias=1.0):
    """How every method of a run is trained."""
    return {"validation": (run.V, run.v), "kernels": run.kernels, "threads": 1, "bias": bias}


def fresh_pairs(job, one, data_set, d, run):
    """Algorithm 2, line 1 for FTUNE: d pairs for each class out of all training objects."""
    return random_landmarks(one.y, d, job.rng_for("pairs", data_set, d, run))


def common_landmarks(job, one, data_set, d, run):
    """d random landmarks for BBS, and pairs out of them: another reading of FTUNE."""
    return random_landmarks(one.y, d, job.rng_for("landmarks", data_set, d, run), pool=True)


def accuracies(job, *, data_set, preparation, d, run, methods):
    """Test accuracies of the methods of § 3 with d landmarks or pairs, what FTUNE chose and what a new object costs."""
    one, found, chosen, compared = Run(job, data_set, preparation, run), {}, {}, {}
    P, D = fresh_pairs(job, one, data_set, d, run), None
    if any("+D" in method for method in methods):
        D = dselect(one.K, one.y, d, job.rng_for("dselect", data_set, d, run), kernels=one.kernels, threads=1)
    for name, landmarks in (("BBS", common_landmarks(job, one, data_set, d, run)), ("BBS+D", D)):
        if name in methods:
            found[name] = one.accuracy(bbs(one.K, one.y, landmarks.L[:d], **training_options(one)))
            compared[name] = min(d, len(landmarks.L))
    for name, landmarks in (("FTUNE", P), ("FTUNE+D", D)):
        wanted = [way for way in ("S", "M") if f"{name}-{way}" in methods]
        if wanted:
            models = ftune(one.K, one.y, landmarks, per_class="both", **training_options(one))
            for way, model in zip(("S", "M"), models, strict=True):
                if way in wanted:
                    found[f"{name}-{way}"] = one.accuracy(model)
                    chosen[f"{name}-{way}"] = model.slopes[model.f]
                    compared[f"{name}-{way}"] = len(model.landmarks)
    if "DBOOST" in methods:
        rng = job.rng_for("dboost", data_set, d, run)
        found["DBOOST"] = one.accuracy(dboost(one.K, one.y, d, rng, kernels=one.kernels, threads=1))
    return {"accuracies": found, "chosen": chosen, "compared": compared, "n": len(one.y),
            "classes": len(np.unique(one.y))}  # fmt: skip


# ------------------------------------------------------------------------------------------------ beyond


def peers(job, *, data_set, preparation, d, run):
    """Beyond the paper: Nystroem's map with a linear SVM, and an SVM on the kernel with its spectrum clipped."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.kernel_approximation import Nystroem
    from sklearn.svm import SVC, LinearSVC

    one = Run(job, data_set, preparation, run)
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
