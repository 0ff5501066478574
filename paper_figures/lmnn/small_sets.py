"""Several metrics on small sets, beside one metric and other methods: what `lmnn.small_sets` runs.

A change here computes the runs anew. The columns are standardised by the training points. Every
method of a split trains and is tested on the same points.
"""

import warnings
from collections.abc import Callable
from time import process_time
from typing import Any, TypeAlias

import numpy as np

from paper_figures.registry import Job
from refimpl.typing import FloatArray, Labels

PENALTIES = (0.1, 1.0, 10.0, 100.0)  # of the SVC, chosen by cross validation of three folds

Made: TypeAlias = Callable[[Job, int, int], Any]
"""Makes a classifier from the job, k and a seed."""


def _several(validation: float | None) -> Made:
    def make(job: Job, k: int, seed: int) -> Any:
        from refimpl.estimators import MultiMetricLMNN

        return MultiMetricLMNN(
            k,
            validation=validation,
            random_state=seed,
            kernels=job.kernels_name,  # type: ignore[arg-type] # one of the two names
            n_jobs=1,
        )

    return make


def _one(job: Job, k: int, seed: int) -> Any:
    from sklearn.pipeline import make_pipeline

    from refimpl.estimators import LMNN

    metric = LMNN(k, kernels=job.kernels_name, n_jobs=1)  # type: ignore[arg-type] # as above
    return make_pipeline(metric, _neighbors(k))


def _neighbors(k: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(k)


def _nca(job: Job, k: int, seed: int) -> Any:
    from sklearn.neighbors import NeighborhoodComponentsAnalysis
    from sklearn.pipeline import make_pipeline

    return make_pipeline(NeighborhoodComponentsAnalysis(random_state=seed), _neighbors(k))


def _svc(job: Job, k: int, seed: int) -> Any:
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    return GridSearchCV(SVC(), {"C": PENALTIES}, cv=3)


METHODS: dict[str, Made] = {
    "1-NN": lambda job, k, seed: _neighbors(1),
    "3-NN": lambda job, k, seed: _neighbors(3),
    "one metric": _one,
    "several metrics": _several(0.3),
    "several metrics, no validation": _several(None),
    "NCA": _nca,
    "SVC": _svc,
}


def small_set(
    job: Job, *, data_set: str, most: int, k: int, split: int
) -> dict[str, dict[str, float]]:
    """Train every method on two thirds of a set, on `most` points at most, and test on the rest.

    Returns
    -------
    dict
        For each method ``test`` and ``train``, errors in per cent, and ``seconds`` of the processor
        to train. Training errors of neighbours leave a point out.
    """
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    loaded = job.load(data_set)
    seed = int(job.rng_for("split", data_set, split).integers(2**31))
    n = min(most, 2 * len(loaded.X) // 3)
    X, Q, y, z = train_test_split(
        np.asarray(loaded.X, dtype=np.float64),
        np.unique(loaded.y, return_inverse=True)[1],
        train_size=n,
        stratify=loaded.y,
        random_state=seed,
    )
    scaler = StandardScaler().fit(X)
    X, Q = scaler.transform(X), scaler.transform(Q)
    return {name: _measured(make(job, k, seed), X, y, Q, z) for name, make in METHODS.items()}


def _measured(model: Any, X: FloatArray, y: Labels, Q: FloatArray, z: Labels) -> dict[str, float]:
    from sklearn.exceptions import ConvergenceWarning

    before = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    seconds = process_time() - before
    return {
        "test": 100 * float((model.predict(Q) != z).mean()),
        "train": 100 * float((_left_out(model, X) != y).mean()),
        "seconds": seconds,
    }


def _left_out(model: Any, X: FloatArray) -> Labels:
    """Return the predictions for training points; neighbours leave the point itself out."""
    from sklearn.neighbors import KNeighborsClassifier

    from refimpl.estimators import MultiMetricLMNN

    classes: Labels
    if isinstance(model, KNeighborsClassifier | MultiMetricLMNN):
        classes = model.predict(None)
    elif hasattr(model, "steps"):
        classes = model[-1].predict(None)
    else:
        classes = model.predict(X)
    return classes
