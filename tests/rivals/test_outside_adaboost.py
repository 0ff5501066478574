"""Algorithm A.2 against scikit-learn's AdaBoost (SAMME, two classes).

The two are one algorithm where they start from the same weights and take the same stumps:

* SAMME gives a weak classifier of error e the weight log((1 - e) / e), A.2 with erratum BD-1 the
  same. SAMME multiplies the weights of the errors by (1 - e) / e, A.2 those of the others by e / (1
  - e); normalised, both are the same.
* SAMME starts from equal weights, A.2 from 1 / (2 n_P) and 1 / (2 n_N). They are the same for n_P =
  n_N; else the weights of A.2 are handed to ``fit``.
* scikit-learn's stumps minimise the Gini impurity, those of A.2 the error: they differ as a rule.
  Where a feature splits both classes in mirrored shares, the order by impurity is the order by
  error; the first test makes such data. The others hand scikit-learn a stump of least error, so
  that what they compare is the boosting alone.
* The decisions differ where the two sides' sums are equal; there is no such vector here.
"""

import itertools
import math

import numpy as np
import oracles_boosting as oracles
import pytest
from agreement import KERNELS
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from refimpl.rivals.adaboost import adaboost_classifier


def independent_features(errors, denominator):
    """Two classes of binary features; feature f alone is wrong in a share errors[f] of each,
    independently.
    """
    rows = []
    labels = []
    for label in (0, 1):
        for wrong in itertools.product((False, True), repeat=len(errors)):
            share = math.prod(e if no else 1 - e for e, no in zip(errors, wrong, strict=True))
            times = share * denominator ** len(errors)
            assert times == int(times)
            rows += [[label ^ no for no in wrong]] * int(times)
            labels += [label] * int(times)
    return np.array(rows, dtype=float), np.array(labels)


@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
def test_where_impurity_and_error_choose_the_same_stumps(kernels):
    """Round t takes feature t, of error e_t: given the class it is independent of those before."""
    errors = [1 / 8, 2 / 8, 3 / 8]
    X, labels = independent_features(errors, 8)
    ours = adaboost_classifier(X, labels, 3, kernels=kernels)
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=3).fit(X, labels)
    assert (
        [tree.tree_.feature[0] for tree in theirs.estimators_]
        == ours.ensemble.feature.tolist()
        == [0, 1, 2]
    )
    assert (
        [tree.tree_.threshold[0] for tree in theirs.estimators_]
        == ours.ensemble.threshold.tolist()
        == [0.5] * 3
    )
    np.testing.assert_allclose(
        ours.ensemble.alpha, [math.log((1 - e) / e) for e in errors], rtol=1e-12
    )
    np.testing.assert_allclose(theirs.estimator_weights_, ours.ensemble.alpha, rtol=1e-12)
    for t, predicted in enumerate(theirs.staged_predict(X), 1):
        np.testing.assert_array_equal(ours.staged_predict(X, t)[0], predicted)


class LeastErrorStump(ClassifierMixin, BaseEstimator):
    """The stump of least weighted error, by brute force."""

    def fit(self, X, y, sample_weight):
        self.classes_, positive = np.unique(y, return_inverse=True)
        w = sample_weight / sample_weight.sum()
        _, *self.stump_ = oracles.best_error(X.tolist(), w.tolist(), positive.tolist())
        return self

    def predict(self, X):
        f, p, theta = self.stump_
        return self.classes_[[oracles.stump(x[f], p, theta) for x in X]]


@pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("sizes", [(20, 20), (25, 9)])
def test_with_stumps_of_least_error(kernels, sizes):
    X, y = load_breast_cancer(return_X_y=True)
    rows = np.concatenate([np.flatnonzero(y == c)[:n] for c, n in enumerate(sizes)])
    X, X_test = X[rows, :3], X[:, :3]
    labels = np.array(["benign", "malignant"])[y[rows]]
    ours = adaboost_classifier(X, labels, 10, kernels=kernels)
    start = 1 / (2 * np.array(sizes)[y[rows]])
    theirs = AdaBoostClassifier(LeastErrorStump(), n_estimators=10).fit(
        X, labels, sample_weight=start
    )
    stumps = zip(
        ours.ensemble.feature, ours.ensemble.polarity, ours.ensemble.threshold, strict=True
    )
    assert [tuple(one.stump_) for one in theirs.estimators_] == list(stumps)
    np.testing.assert_allclose(theirs.estimator_weights_, ours.ensemble.alpha, rtol=1e-9)
    np.testing.assert_allclose(
        theirs.estimator_errors_, 1 / (1 + np.exp(ours.ensemble.alpha)), rtol=1e-9
    )
    assert abs(ours.margins(X_test, range(1, 11))).min() > 1e-9
    for t, predicted in enumerate(theirs.staged_predict(X_test), 1):
        np.testing.assert_array_equal(ours.staged_predict(X_test, t)[0], predicted)
