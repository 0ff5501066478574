"""What a user's first steps cost: an import, and a fit of each estimator at its defaults.

An import is of a Python of its own; nothing that it brings along is there before. What every
estimator needs of scikit-learn is imported before the estimators, and not counted. A fit is on two
thirds of a small set.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from refimpl import estimators

from .measure import Elsewhere

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


SCIKIT_LEARN = "sklearn.base, sklearn.utils.metaestimators, sklearn.utils.multiclass"
IMPORTS = {  # what is there before, and what is imported
    "refimpl": ("sys", "refimpl"),
    "refimpl.estimators, beyond scikit-learn's own": (SCIKIT_LEARN, "refimpl.estimators"),
    "scikit-learn's own": ("sys", SCIKIT_LEARN),
}
CODE = """
import time, {before}
start = time.perf_counter()
import {name}
print(time.perf_counter() - start)
"""


def import_calls(name: str) -> dict[str, Callable[[Any], Any]]:
    """Return the call that measures an import in another process."""
    before, imported = IMPORTS[name]
    code = CODE.format(before=before, name=imported)

    def call(_: Any) -> Elsewhere:
        command = [sys.executable, "-c", code]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        return Elsewhere(float(run.stdout))

    return {"import": call}
