"""Spaces (objects and their exact distance) made of an estimator's X and metric or kernel.

X is a table of vectors or a square matrix of distances (``metric="precomputed"``). If the metric is
a function, X may be any sequence of objects: strings, sets, images. The distances that an estimator
computes are counted.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import scipy

from refimpl.arrays import in_scale
from refimpl.estimators.arguments import params_of, validated
from refimpl.estimators.bases import BaseEstimator
from refimpl.spaces import CallableSpace, PrecomputedSpace, Space
from refimpl.typing import ArrayLike, FloatArray

Objects: TypeAlias = ArrayLike | Sequence[Any]
"""X as users pass it: a table, a matrix of distances, or a sequence of objects."""
TrainingObjects: TypeAlias = Any
"""X after the checks: ndarray, shape (n, d) or (n, n), or a sequence of n objects."""
Measure: TypeAlias = str | Callable[..., Any]
"""A metric or kernel: "precomputed", a name, or a function of two objects."""


class QueryRows(PrecomputedSpace):
    """The space after the training on a matrix: queries are rows of distances to n objects."""

    objects: Any

    def __init__(self, n: int) -> None:
        self.objects = range(n)


def holds_objects(X: Objects) -> bool:
    """Return whether X is a sequence of objects (strings, sets, images), not a table of numbers."""
    if hasattr(X, "toarray") or hasattr(X, "columns"):
        return False
    try:
        array = np.asarray(X)
    except ValueError:  # rows of several lengths
        return True
    if array.dtype.kind in "SUTO":  # also rows of texts, of one length or not
        texts = array.dtype.kind != "O" or any(isinstance(x, str | bytes) for x in array.flat)
        return array.ndim > 0 and (texts or array.ndim != 2)
    return array.ndim > 2


def is_matrix(measure: Measure) -> bool:
    """Return whether X must hold the distances or similarities themselves."""
    return isinstance(measure, str) and measure == "precomputed"


def as_training_objects(
    estimator: BaseEstimator, X: Objects, measure: Measure, least: int, needs: str
) -> TrainingObjects:
    """Return X of ``fit``: a copy of a table, a matrix, or a list of objects for a callable."""
    # The number of columns is set on the estimator. `needs` says why `least` objects are needed.
    _refuse_single(X)
    if callable(measure) and holds_objects(X):
        objects: TrainingObjects = X
        if len(objects) < least:
            raise ValueError(f"X must have at least {least} objects ({needs}); got {len(objects)}")
        return objects.copy() if isinstance(objects, np.ndarray) else list(objects)
    copy = not is_matrix(measure)
    options = {"dtype": np.float64, "order": "C", "copy": copy, "ensure_min_samples": least}
    points = validated(estimator, X, **options)
    # metrics and kernels with a name square differences or values
    return points if callable(measure) or is_matrix(measure) else in_scale(points, "X")


def as_query_objects(estimator: BaseEstimator, X: Objects, measure: Measure) -> TrainingObjects:
    """Return X of ``transform`` or ``predict``, checked against X of ``fit``."""
    _refuse_single(X)
    if callable(measure) and holds_objects(X):
        return X
    return validated(estimator, X, dtype=np.float64, order="C", reset=False)


def _refuse_single(X: Objects) -> None:
    if isinstance(X, str | bytes):
        raise TypeError("X must be a list of objects or a table; got one string (pass [X])")
    # a sparse matrix of keys is a dict; scikit-learn has words for it
    if isinstance(X, Mapping | Set) and not hasattr(X, "toarray"):
        raise TypeError(f"X must be a list of objects or a table; got a {type(X).__name__}")


def space_of(X: TrainingObjects, metric: Measure, metric_params: Mapping[str, Any] | None) -> Space:
    """Return the space of the objects X under a metric."""
    params = params_of(metric_params, "metric_params")
    if callable(metric):
        return CallableSpace(partial(metric, **params) if params else metric, X)
    if not isinstance(metric, str):
        raise TypeError(
            "metric must be 'precomputed', a metric's name or a function of two objects; got "
            f"{metric!r}"
        )
    if metric != "precomputed":
        return CallableSpace(partial(named_distances, metric=metric, **params), X, pairwise=True)
    if params:
        raise ValueError(
            f"metric_params must be None with metric='precomputed'; got {sorted(params)}"
        )
    try:
        return PrecomputedSpace(X)
    except ValueError as error:
        raise ValueError(f"X with metric='precomputed': {error}") from None


def named_distances(A: FloatArray, B: FloatArray, *, metric: str, **params: Any) -> FloatArray:
    """Return the distances from the rows of A to those of B, by a metric's name."""
    # Euclidean distances are computed from the differences. scikit-learn computes them by a matrix
    # product, in which the last bits of a distance depend on the other rows of the call.
    if metric in ("euclidean", "l2") and not params:
        euclidean: FloatArray = scipy.spatial.distance.cdist(A, B)
        return euclidean
    from sklearn.metrics import pairwise_distances  # it takes a while to import

    D: FloatArray = pairwise_distances(A, B, metric=metric, **params)
    return D
