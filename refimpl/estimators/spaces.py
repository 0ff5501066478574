"""Spaces (objects and their exact distance) made of an estimator's X and metric or kernel.

X is a table of vectors or a square matrix of distances (``metric="precomputed"``). If the metric is
a function, X may be any sequence of objects: strings, sets, images. The distances that an estimator
computes are counted.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import scipy
from sklearn.base import BaseEstimator

from refimpl.arrays import in_scale
from refimpl.estimators.arguments import validated
from refimpl.spaces import CallableSpace, PrecomputedSpace, Space
from refimpl.typing import ArrayLike, FloatArray

__all__ = [
    "Measure",
    "Objects",
    "QueryRows",
    "TrainingObjects",
    "as_query_objects",
    "as_training_objects",
    "holds_objects",
    "is_matrix",
    "named_distances",
    "space_of",
]

Objects: TypeAlias = ArrayLike | Sequence[Any]
"""X as users pass it: a table, a matrix of distances, or a sequence of objects."""
TrainingObjects: TypeAlias = Any
"""X after the checks: ndarray, shape (n, d) or (n, n), or a sequence of n objects."""
Measure: TypeAlias = str | Callable[..., Any]
"""A metric or kernel: "precomputed", a name, or a function of two objects."""


class QueryRows(PrecomputedSpace):
    """The space that remains of a matrix of distances after the training.

    Queries are the rows of their distances to the n objects.

    Parameters
    ----------
    n : int
        The number of training objects.

    See Also
    --------
    refimpl.spaces.PrecomputedSpace : The space of a whole matrix.

    Examples
    --------
    >>> QueryRows(3).distances([[0.5, 1.0, 2.0]], [2, 0]).tolist()
    [[2.0, 0.5]]
    """

    objects: Any

    def __init__(self, n: int) -> None:
        self.objects = range(n)


def holds_objects(X: Objects) -> bool:
    """Return whether X is a sequence of objects (strings, sets, images), not a table of numbers.

    Parameters
    ----------
    X : array_like or sequence

    Returns
    -------
    bool

    See Also
    --------
    as_training_objects : Check X for ``fit``.

    Examples
    --------
    >>> holds_objects(["map", "lap"]), holds_objects([[1.0, 2.0]])
    (True, False)
    """
    if hasattr(X, "toarray") or hasattr(X, "columns"):
        return False
    try:
        array = np.asarray(X)
    except ValueError:  # rows of several lengths
        return True
    return array.ndim > 0 and ((array.dtype.kind in "OSU" and array.ndim == 1) or array.ndim > 2)


def is_matrix(measure: Measure) -> bool:
    """Return whether X must hold the distances or similarities themselves.

    Parameters
    ----------
    measure : str or callable
        The metric or kernel.

    Returns
    -------
    bool

    See Also
    --------
    space_of : The space of X under a metric.

    Examples
    --------
    >>> is_matrix("precomputed"), is_matrix("euclidean")
    (True, False)
    """
    return isinstance(measure, str) and measure == "precomputed"


def as_training_objects(
    estimator: BaseEstimator, X: Objects, measure: Measure, least: int, needs: str
) -> TrainingObjects:
    """Return X of ``fit`` in the form that the metric or kernel takes.

    Parameters
    ----------
    estimator : estimator
        Its `n_features_in_` is set if X is a table.
    X : array_like or sequence of objects
        A table is copied, because the estimator keeps it.
    measure : str or callable
        The metric or kernel.
    least : int
        The least number of objects.
    needs : str
        The reason for `least`, which ends the message about too few objects.

    Returns
    -------
    ndarray or sequence

    Raises
    ------
    TypeError, ValueError
        If X is one string, has too few objects, or is not a table of finite numbers.

    See Also
    --------
    as_query_objects : The same for ``transform`` and ``predict``.

    Examples
    --------
    >>> as_training_objects(None, ["map", "lap"], lambda a, b: 0.0, 2, "a pair needs 2")
    ['map', 'lap']
    """
    _refuse_string(X)
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
    """Return X of ``transform`` or ``predict``, checked against X of ``fit``.

    Parameters
    ----------
    estimator : estimator
    X : array_like or sequence of objects
    measure : str or callable
        The metric or kernel.

    Returns
    -------
    ndarray or sequence

    Raises
    ------
    TypeError, ValueError
        If X is one string, or not a table of finite numbers with the columns of ``fit``.

    See Also
    --------
    as_training_objects : The same for ``fit``.

    Examples
    --------
    >>> as_query_objects(None, ["coat"], lambda a, b: 0.0)
    ['coat']
    """
    _refuse_string(X)
    if callable(measure) and holds_objects(X):
        return X
    return validated(estimator, X, dtype=np.float64, order="C", reset=False)


def _refuse_string(X: Objects) -> None:
    if isinstance(X, str | bytes):
        raise TypeError("X must be a list of objects or a table; got one string (pass [X])")


def space_of(X: TrainingObjects, metric: Measure, metric_params: Mapping[str, Any] | None) -> Space:
    """Return the space of the objects X under a metric.

    Parameters
    ----------
    X : ndarray, shape (n, d) or (n, n), float64, or a sequence of n objects
    metric : str or callable
        "precomputed", a name that ``sklearn.metrics.pairwise_distances`` knows, or ``metric(x,
        y)``.
    metric_params : dict or None
        Further arguments of the metric.

    Returns
    -------
    refimpl.spaces.Space

    Raises
    ------
    TypeError, ValueError
        If the metric is unknown, or X is not a matrix of distances.

    See Also
    --------
    refimpl.spaces.Space : What a space is.

    Examples
    --------
    >>> space = space_of(np.array([[0.0], [3.0]]), "euclidean", None)
    >>> space.distances([[1.0]], [0, 1]).tolist()
    [[1.0, 2.0]]
    """
    params = {} if metric_params is None else dict(metric_params)
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
    """Return the distances from the rows of A to those of B, by a metric's name.

    Euclidean distances are computed from the differences. scikit-learn computes them by a matrix
    product, in which the last bits of a distance depend on the other rows of the call.

    Parameters
    ----------
    A, B : ndarray, shape (m, d) and (n, d), float64
    metric : str
        A name that ``sklearn.metrics.pairwise_distances`` knows.
    **params
        Further arguments of the metric.

    Returns
    -------
    ndarray, shape (m, n), float64

    See Also
    --------
    sklearn.metrics.pairwise_distances : All metrics but the Euclidean one.

    Examples
    --------
    >>> named_distances(np.zeros((1, 2)), np.array([[3.0, 4.0]]), metric="euclidean").tolist()
    [[5.0]]
    """
    if metric in ("euclidean", "l2") and not params:
        euclidean: FloatArray = scipy.spatial.distance.cdist(A, B)
        return euclidean
    from sklearn.metrics import pairwise_distances  # it takes a while to import

    D: FloatArray = pairwise_distances(A, B, metric=metric, **params)
    return D
