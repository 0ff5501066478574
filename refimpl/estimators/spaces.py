"""What an estimator's X and metric (or kernel) are: objects and an exact distance that is counted.

X is a table of vectors, a square matrix of distances (``metric="precomputed"``) or, for a metric that is a function,
any sequence of objects: strings, sets, images.
"""

from functools import partial

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances
from sklearn.utils.validation import validate_data

from refimpl.spaces import CallableSpace, PrecomputedSpace


class QueryRows(PrecomputedSpace):
    """What is left of a matrix of distances when the training is done: queries' rows to n objects."""

    def __init__(self, n):
        self.objects = range(n)


def holds_objects(X):
    """Whether X is a sequence of objects rather than a table: strings, sets, images, but no vectors of numbers."""
    if hasattr(X, "toarray") or hasattr(X, "columns"):
        return False
    try:
        array = np.asarray(X)
    except ValueError:  # rows of several lengths
        return True
    return array.ndim > 0 and ((array.dtype.kind in "OSU" and array.ndim == 1) or array.ndim > 2)


def is_matrix(measure):
    """Whether X is to hold what the metric or kernel would give."""
    return isinstance(measure, str) and measure == "precomputed"


def as_training_objects(estimator, X, measure, least, needs):
    """X of ``fit`` in the form that the metric or kernel `measure` takes; a table is copied, as the estimator keeps it.

    Fewer objects than `least` are refused; of objects that are no vectors the message says what `needs` them.
    """
    if isinstance(X, str | bytes):
        raise TypeError("X is one string; it must be a list of objects, or a table: [X] if it is one object")
    if callable(measure) and holds_objects(X):
        if len(X) < least:
            raise ValueError(f"X has {len(X)} objects; {needs}")
        return X.copy() if isinstance(X, np.ndarray) else list(X)
    copy = not is_matrix(measure)
    return validate_data(estimator, X, dtype=np.float64, order="C", copy=copy, ensure_min_samples=least)


def as_query_objects(estimator, X, measure):
    """X of ``transform`` or ``predict``, checked against that of ``fit``."""
    if isinstance(X, str | bytes):
        raise TypeError("X is one string; it must be a list of objects, or a table: [X] if it is one object")
    if callable(measure) and holds_objects(X):
        return X
    return validate_data(estimator, X, dtype=np.float64, order="C", reset=False)


def space_of(X, metric, metric_params):
    """The space of the objects X under a metric.

    Parameters
    ----------
    X : ndarray, shape (n, d) or (n, n), float64, or a sequence of n objects
    metric : str or callable
        "precomputed", a name that ``sklearn.metrics.pairwise_distances`` knows, or ``metric(x, y)``.
    metric_params : dict or None
        Further arguments of the metric.

    Returns
    -------
    refimpl.spaces.Space

    Raises
    ------
    TypeError, ValueError
        If the metric is unknown, or X is not a matrix of distances.
    """
    params = {} if metric_params is None else dict(metric_params)
    if callable(metric):
        return CallableSpace(partial(metric, **params) if params else metric, X)
    if not isinstance(metric, str):
        raise TypeError(f"metric is {metric!r}; it must be 'precomputed', a metric's name or a function of two objects")
    if metric != "precomputed":
        return CallableSpace(partial(named_distances, metric=metric, **params), X, pairwise=True)
    if params:
        raise ValueError(f"metric_params holds {sorted(params)}; metric='precomputed' takes None")
    try:
        return PrecomputedSpace(X)
    except ValueError as error:
        raise ValueError(f"X with metric='precomputed': {error}") from None


def named_distances(A, B, *, metric, **params):
    """Distances from the rows of A to those of B, by a metric's name.

    Euclid's are taken from the differences: scikit-learn's own come from a matrix product, so that the last bits of one
    distance depend on the others that are computed with it.
    """
    if metric in ("euclidean", "l2") and not params:
        return cdist(A, B)
    return pairwise_distances(A, B, metric=metric, **params)
