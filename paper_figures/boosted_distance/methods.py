"""One random split of a data set (§ 4.1), and the errors of the classifiers on it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.linalg

from paper_figures.study import Job, Observation
from refimpl.boosted_distance import boosted_distance, selected_dimensions, staged_nearest_neighbor
from refimpl.rivals.adaboost import adaboost_classifier
from refimpl.rivals.nda import nonparametric_discriminant_analysis
from refimpl.rivals.nearest_neighbor import NAMES, Distance, fit_distance, nearest_neighbor
from refimpl.typing import FloatArray, IntArray, Labels

LARGE = dict.fromkeys(("ad", "gender", "MNIST", "arrhythmia"), 200)
OPTIONS: Mapping[str, dict[str, str]] = {
    "splice": {"order": "frequency"},
    "credit": {"order": "appearance"},
}
IMAGES = ("gender", "MNIST", "digits17")  # on which LDA fails, § 4.2
ROUNDS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500)
TREE_ROUNDS = (1, 3, 10, 30, 100)
FOLDS = 5
ROOTS = ("RCA", "RCA-D")  # open: W = C^-1, or C^(-1/2)


def split(
    job: Job, data_set: str, run: int, share: float | None = None
) -> tuple[FloatArray, Labels, IntArray, IntArray]:
    """Return X, y, and the rows of the training part (`share`, or as § 4.1 says) and test part."""
    loaded = job.load(data_set, **OPTIONS.get(data_set, {}))
    n = len(loaded.y)
    drawn_from = n if loaded.n_train is None else loaded.n_train
    order = job.rng_for("split", loaded.name, run).permutation(drawn_from)
    size = round(share * len(order)) if share else LARGE.get(loaded.name, round(0.2 * n))
    test = order[size:] if loaded.n_train is None else np.arange(loaded.n_train, n)
    return loaded.X, loaded.y, order[:size], test


def balanced_error(labels: Labels, truth: Labels) -> float:
    """Return the mean of the two classes' error rates, in per cent."""
    wrong = labels != truth
    return float(100 * np.mean([wrong[truth == C].mean() for C in np.unique(truth)]))


def boosted_stages(
    job: Job, X: FloatArray, y: Labels, Q: FloatArray, rounds: Sequence[int]
) -> Iterator[tuple[str, int, Labels, int | None]]:
    """Yield the labels of Boosted Distance and of AdaBoost with stumps after so many rounds."""
    fast: dict[str, Any] = {"kernels": job.kernels, "threads": 1}
    model = boosted_distance(X, y, max(rounds), **fast)
    for t, labels in staged_nearest_neighbor(model, Q, X, y, rounds, **fast):
        yield "boosted", t, labels, len(selected_dimensions(model.rounds(0, t)))
    stumps = adaboost_classifier(X, y, max(rounds), **fast)
    for t, labels in zip(rounds, stumps.staged_predict(Q, rounds), strict=True):
        yield "stumps", t, labels, None


def classifiers(job: Job, data_set: str, run: int, most: int) -> Iterator[Observation]:
    """Yield balanced errors (%) of every classifier of Table 2, after up to `most` rounds."""
    X, y, train, test = split(job, data_set, run)
    X, y, Q, truth = X[train], y[train], X[test], y[test]
    distances = {name: fit_distance(name, X, y) for name in NAMES}
    distances |= {f"{name}, root": square_root(distances[name]) for name in ROOTS}
    for name, distance in distances.items():
        labels = nearest_neighbor(distance, Q, X, y)
        yield {"method": name, "rounds": 0, "error": balanced_error(labels, truth)}
    for method, t, labels, used in boosted_stages(job, X, y, Q, [t for t in ROUNDS if t <= most]):
        seen = {"method": method, "rounds": t, "error": balanced_error(labels, truth)}
        yield seen if used is None else seen | {"used": used}
    yield from _trees(job, X, y, Q, truth, data_set, run)


def square_root(distance: Distance) -> Distance:
    """Return the distance of W^(1/2) in the place of W, for one W of all classes."""
    L = distance.factor
    if len(L) == 1:  # the diagonal of L
        return replace(distance, factor=np.sqrt(L))
    _, s, V = np.linalg.svd(L, full_matrices=False)  # W = V^T s^2 V
    kept = s > 1e-12 * s[0]
    factor = np.sqrt(s[kept])[:, None] * V[kept]
    return replace(distance, factor=factor, starts=np.array([0, len(factor)]))


def _trees(
    job: Job, X: FloatArray, y: Labels, Q: FloatArray, truth: Labels, data_set: str, run: int
) -> Iterator[Observation]:
    """Yield errors of AdaBoost with trees in the manner of C4.5, trained on drawn samples."""
    # A tree is trained on n vectors, drawn by their weights, so that boosting does not end at the
    # first tree without a training error. A sample on which a tree errs by half or more counts as
    # a round, and its tree is left out. Cost-complexity pruning is in the place of C4.5's own.
    from sklearn.tree import DecisionTreeClassifier

    rng = job.rng_for("trees", data_set, run)
    n = len(y)
    first, second = np.unique(y)
    w = np.where(y == first, 0.5 / (y == first).sum(), 0.5 / (y == second).sum())
    votes = np.zeros(len(Q))
    for t in range(1, max(TREE_ROUNDS) + 1):
        drawn = rng.choice(n, n, p=w)
        tree = DecisionTreeClassifier(
            criterion="entropy",
            min_samples_leaf=2,
            ccp_alpha=0.02,
            random_state=int(rng.integers(2**31)),
        ).fit(X[drawn], y[drawn])
        wrong = tree.predict(X) != y
        e = max(w[wrong].sum(), 0.5 / n)  # open: a tree without an error; half a vector's share
        if e < 0.5:
            beta = e / (1 - e)
            votes += np.log(1 / beta) * np.where(tree.predict(Q) == first, 1, -1)
            w = w * np.where(wrong, 1.0, beta)
            w /= w.sum()
        if t in TREE_ROUNDS:
            labels = np.where(votes >= 0, first, second)
            yield {"method": "trees", "rounds": t, "error": balanced_error(labels, truth)}


def validation(job: Job, data_set: str, run: int, most: int) -> Iterator[Observation]:
    """Yield cross-validated errors of the boosted classifiers within the training part of a run."""
    from sklearn.model_selection import StratifiedKFold

    X, y, train, _ = split(job, data_set, run)
    X, y = X[train], y[train]
    rounds = [t for t in ROUNDS if t <= most]
    guesses: dict[tuple[str, int], Labels] = {}
    for inside, held_out in StratifiedKFold(FOLDS).split(X, y):  # the sample is in random order
        for method, t, labels, _ in boosted_stages(job, X[inside], y[inside], X[held_out], rounds):
            guesses.setdefault((method, t), np.empty_like(y))[held_out] = labels
    for (method, t), labels in guesses.items():
        yield {"method": method, "rounds": t, "error": balanced_error(labels, y)}


# ------------------------------------------------------------------------------------ reductions

DIMENSIONS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 199)
MANY = (1, 2, 5, 10, 20, 50, 100, 200, 500)  # with most of the data as the training set


def reductions(
    job: Job, data_set: str, run: int, most: int, share: float | None
) -> Iterator[Observation]:
    """Yield NN errors (L2) after PCA, LDA, NDA to numbers of dimensions that they have."""
    # `share` is the part of the data to train on. None is the paper's protocol, in which LDA of the
    # image sets is also the generalised eigenproblem of the scatter matrices as they are (§ 4.2).
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y, train, test = split(job, data_set, run, share)
    X, y, Q, truth = X[train], y[train], X[test], y[test]
    pca = PCA().fit(X)
    nda = nonparametric_discriminant_analysis(X, y)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    maps = {
        "none": (X.shape[1], X, Q),
        "PCA": (pca.n_components_, pca.transform(X), pca.transform(Q)),
        "NDA": (len(nda.eigenvalues), nda.transform(X), nda.transform(Q)),
        "LDA": (1, lda.transform(X), lda.transform(Q)),
    }
    if data_set in IMAGES and share is None:
        v = singular_direction(X, y)
        maps["LDA, singular"] = (1, X @ v, Q @ v)
    several = [k for k in (DIMENSIONS if share is None else MANY) if k <= most]
    dimensions = {"none": [X.shape[1]], "LDA": [1], "LDA, singular": [1]}
    for method, (limit, A, B) in maps.items():
        for k in dimensions.get(method, several):
            if k <= limit:
                error = _l2_error(A[:, :k], y, B[:, :k], truth)
                yield {"method": method, "dimensions": k, "error": error}


def _l2_error(X: FloatArray, y: Labels, Q: FloatArray, truth: Labels) -> float:
    from sklearn.neighbors import KNeighborsClassifier

    tree = KNeighborsClassifier(1, algorithm="brute").fit(X, y)
    return balanced_error(tree.predict(Q), truth)


def singular_direction(X: FloatArray, y: Labels) -> FloatArray:
    """Return v of the largest |lambda| (infinity first) in S_b v = lambda S_w v, S_w singular."""
    classes = np.unique(y)
    means = np.array([X[y == C].mean(axis=0) for C in classes])
    centred = X - means[np.searchsorted(classes, y)]
    between = means[1] - means[0]
    ratio, vectors = scipy.linalg.eig(np.outer(between, between), centred.T @ centred)
    size = np.where(np.isnan(ratio), np.inf, np.abs(ratio))
    return np.real(vectors[:, [np.argmax(size)]])
