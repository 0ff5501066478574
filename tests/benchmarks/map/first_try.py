"""What a user's first call costs: each estimator at its defaults, on two thirds of small sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from refimpl import estimators

SETS = ("iris", "wine", "breast cancer", "digits")
ESTIMATORS: dict[str, Callable[[], Any]] = {
    "BoostedDistanceClassifier": lambda: estimators.BoostedDistanceClassifier(kernels="fast"),
    "BoostMap": lambda: estimators.BoostMap(random_state=0, kernels="fast"),
    "BoostMapClassifier": lambda: estimators.BoostMapClassifier(random_state=0, kernels="fast"),
    "LMNN": lambda: estimators.LMNN(kernels="fast"),
    "MultiMetricLMNN": lambda: estimators.MultiMetricLMNN(random_state=0, kernels="fast"),
    "SearchForestNeighbors": lambda: estimators.SearchForestNeighbors(
        random_state=0, kernels="fast"
    ),
    "FTuneClassifier": lambda: estimators.FTuneClassifier(random_state=0, kernels="fast"),
    "LandmarkTransformer": lambda: estimators.LandmarkTransformer(random_state=0, kernels="fast"),
}


def two_thirds(name: str) -> tuple[Any, Any, Any]:
    """Return two thirds of a set with their labels, as its columns stand, and the other third."""
    from sklearn import datasets

    loaders = {
        "iris": datasets.load_iris,
        "wine": datasets.load_wine,
        "breast cancer": datasets.load_breast_cancer,
        "digits": datasets.load_digits,
    }
    X, y = loaders[name](return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    n = 2 * len(X) // 3
    return X[order[:n]], y[order[:n]], X[order[n:]]


def calls(estimator: str, name: str) -> dict[str, Callable[[Any], Any]]:
    """Return the calls to measure: the fit, and for an index the search of 600 queries."""
    X, y, rest = two_thirds(name)
    make = ESTIMATORS[estimator]
    result: dict[str, Callable[[Any], Any]] = {"fit": lambda _: make().fit(X, y)}
    if estimator == "SearchForestNeighbors":
        fitted = make().fit(X, y)
        Q = np.concatenate([rest] * (600 // len(rest) + 1))[:600]
        result["600 queries"] = lambda _: fitted.kneighbors(Q)
    return result
