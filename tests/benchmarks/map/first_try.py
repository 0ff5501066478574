"""What a user's first steps cost: an import, and a fit of each estimator at its defaults.

An import is of a Python of its own; nothing that it brings along is there before. What every
estimator needs of scikit-learn is imported before the estimators, and not counted. A fit is on two
thirds of a small set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import base, datasets

from refimpl import estimators
from tests.support.processes import output

from .measure import Elsewhere

SETS = ("iris", "wine", "breast cancer", "digits")
ESTIMATORS = (
    "BoostedDistanceClassifier",
    "BoostMap",
    "BoostMapClassifier",
    "LMNN",
    "MultiMetricLMNN",
    "SearchForestNeighbors",
    "FTuneClassifier",
    "LandmarkTransformer",
)


def two_thirds(name: str) -> tuple[Any, Any, Any]:
    """Return two thirds of a set with their labels, as its columns stand, and the other third."""
    X, y = getattr(datasets, f"load_{name.replace(' ', '_')}")(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    n = 2 * len(X) // 3
    return X[order[:n]], y[order[:n]], X[order[n:]]


def calls(estimator: str, name: str) -> dict[str, Callable[[Any], Any]]:
    """Return the calls to measure: the fit, and for an index the search of 600 queries."""
    X, y, rest = two_thirds(name)
    unfitted = getattr(estimators, estimator)(kernels="fast")
    if "random_state" in unfitted.get_params():
        unfitted.set_params(random_state=0)
    result: dict[str, Callable[[Any], Any]] = {"fit": lambda _: unfitted.fit(X, y)}
    if estimator == "SearchForestNeighbors":
        fitted = base.clone(unfitted).fit(X, y)
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
    """Return the call that measures an import in another process, of compiled modules."""
    before, imported = IMPORTS[name]
    code = CODE.format(before=before, name=imported)

    # an empty value lets Python keep what it compiles, whatever the environment says
    return {"import": lambda _: Elsewhere(float(output("-c", code, PYTHONDONTWRITEBYTECODE="")))}
