"""The estimators pass scikit-learn's own checks and fit its tools."""

import numpy as np
import pytest
from agreement import KERNELS
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from refimpl.estimators import BoostedDistanceClassifier

NAMES = ["reference", "fast"][: len(KERNELS)]


@pytest.mark.parametrize("kernels", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_check_estimator(kernels):
    check_estimator(BoostedDistanceClassifier(T=20, kernels=kernels))


@pytest.mark.parametrize("kernels", NAMES)
def test_in_a_pipeline_and_a_grid_search(kernels):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:90], np.array(["malignant", "benign"])[y[:90]]
    model = make_pipeline(StandardScaler(), BoostedDistanceClassifier(kernels=kernels))
    search = GridSearchCV(model, {"boosteddistanceclassifier__T": [1, 15]}, cv=2).fit(X, y)
    assert search.score(X, y) > 0.9 and set(search.predict(X)) == {"malignant", "benign"}
    fitted = search.best_estimator_[-1]
    *_, last = fitted.staged_predict(StandardScaler().fit_transform(X))
    assert (last == fitted.predict(StandardScaler().fit_transform(X))).all()


def test_kernels_are_named():
    with pytest.raises(ValueError, match="kernels"):
        BoostedDistanceClassifier(kernels="quick").fit([[0.0], [1.0]], [0, 1])
