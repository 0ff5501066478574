"""scikit-learn: ``python ask_scikit_learn.py VARIANT``.

Neighbours, decision stumps, AdaBoost with stumps, Lloyd's iterations, and the directions of LDA.

Not handled here: what a variant's name stands for (``tests/others/table.py``).
"""

from functools import partial

import numpy as np
from lines import serve, without
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import AdaBoostClassifier
from sklearn.neighbors import BallTree, KDTree, NearestNeighbors
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

# --------------------------------------------------------------------------------------- neighbours


def brute(Q, X, k, skip):
    model = NearestNeighbors(algorithm="brute").fit(X)
    distances, places = model.kneighbors(Q, min(len(X), k + (skip is not None)))
    return without(places, distances**2, skip, k)


def tree(kind):
    def answer(X, leaf_size, direction, Q, skip, bound, k):
        model = kind(X, leaf_size=leaf_size)
        distances, places = model.query(Q, min(len(X), k + (skip is not None)))
        return without(places, distances**2, skip, k)

    return answer


def within(X, leaf_size, direction, Q, skip, bound, limits, strict, radius):
    """Points with a distance of at most r; "below r" is not offered, so such a case is skipped."""
    if strict:
        return None
    model = BallTree(X, leaf_size=leaf_size)
    rows, squares = [], []
    for i, (q, limit) in enumerate(zip(Q, limits, strict=True)):
        places, distances = [np.array([], dtype=np.int64)], [np.array([])]
        if limit >= 0:
            places, distances = model.query_radius(q[None], radius(limit), True)
        order = np.argsort(places[0])
        order = order[places[0][order] != skip[i]] if skip is not None else order
        rows.append(places[0][order])
        squares.append(distances[0][order] ** 2)
    starts = np.cumsum([0, *map(len, rows)])
    return {"starts": starts, "indices": np.concatenate(rows), "squares": np.concatenate(squares)}


# ------------------------------------------------------------------------------------------- stumps


class LeastError(ClassifierMixin, BaseEstimator):
    """A stump of least weighted error: the sum of absolute errors of 0 and 1."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        model = DecisionTreeRegressor(criterion="absolute_error", max_depth=1, random_state=0)
        self.model_ = model.fit(X, y == self.classes_[-1], sample_weight)
        self.tree_ = model.tree_
        return self

    def predict(self, X):
        return self.classes_[(self.model_.predict(X) > 0.5).astype(int) * (len(self.classes_) - 1)]


def gini():
    return DecisionTreeClassifier(max_depth=1, random_state=0)


def as_stump(model):
    """Return f, p and theta with h(x) = p x < p theta; theta is -inf where h is constant."""
    tree = model.tree_
    if tree.value.shape[2] > 1:
        sides = [model.classes_[int(values.argmax())] for values in tree.value[:, 0]]
    else:
        sides = [values[0, 0] > 0.5 for values in tree.value]
        sides = [model.classes_[-1] if side else model.classes_[0] for side in sides]
    sides = [bool(side) for side in sides]
    if tree.node_count == 1 or sides[1] == sides[2]:
        return {"f": 0, "p": -1 if sides[-1] else 1, "theta": -np.inf}
    f, theta = int(tree.feature[0]), float(tree.threshold[0])  # left: x <= theta
    if sides[1]:
        return {"f": f, "p": 1, "theta": float(np.nextafter(theta, np.inf))}
    return {"f": f, "p": -1, "theta": theta}


def stump(model):
    """Return the kernel best_stump; the error of the library's stump is computed here."""

    def answer(A, B, w, l):
        X = A if B is None else (A[:, None] - B).reshape(-1, A.shape[1])
        chosen = as_stump(model().fit(X, l.astype(int), w))
        f, p, theta = chosen.values()
        wrong = (p * X[:, f] < p * theta) != l
        return {"epsilon": float((np.rint(w * 2.0**52) * 2.0**-52)[wrong].sum()), **chosen}

    return answer


def adaboost(model, halves):
    """Return Algorithm A.2; with `halves` both classes begin with half of the weight."""

    def answer(P, N, T):
        X = np.concatenate([P, N])
        l = np.arange(len(X)) < len(P)
        w = np.where(l, 1 / (2 * len(P)), 1 / (2 * len(N))) if halves else None
        boosting = AdaBoostClassifier(model(), n_estimators=T, random_state=0)
        try:
            boosting.fit(X, l.astype(int), w)
        except ValueError:  # a first stump that is no better than chance
            return None
        return [
            {**as_stump(one), "epsilon": float(epsilon), "alpha": float(alpha)}
            for one, epsilon, alpha in zip(
                boosting.estimators_,
                boosting.estimator_errors_,
                boosting.estimator_weights_,
                strict=False,
            )
        ]

    return answer


# ------------------------------------------------------------------------------------------- others


def lloyd(X, rows, centres, iterations):
    if len(rows) < len(centres) or not iterations:
        return None  # it refuses fewer points than clusters
    model = KMeans(len(centres), init=centres, n_init=1, max_iter=iterations, tol=0.0)
    model.fit(X[rows])
    return {"centres": model.cluster_centers_, "nearest": model.labels_.astype(np.int64)}


def lda(X, y):
    model = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    return {"direction": model.scalings_[:, 0]}


VARIANTS = {
    "brute": {"scan_nearest": brute},
    "ball-tree": {"tree_nearest": tree(BallTree)},
    "kd-tree": {"tree_nearest": tree(KDTree)},
    "ball-tree-within": {"tree_within": partial(within, radius=np.sqrt)},
    "ball-tree-next": {
        "tree_within": partial(within, radius=lambda limit: np.nextafter(np.sqrt(limit), np.inf))
    },
    "stump": {"best_stump": stump(gini)},
    "stump-absolute": {"best_stump": stump(LeastError)},
    "adaboost": {"adaboost": adaboost(gini, False)},
    "adaboost-halves": {"adaboost": adaboost(gini, True)},
    "adaboost-absolute": {"adaboost": adaboost(LeastError, True)},
    "lloyd": {"lloyd": lloyd},
    "lda": {"lda": lda},
}

if __name__ == "__main__":
    serve(VARIANTS)
