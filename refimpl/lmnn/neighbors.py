"""k nearest neighbours under one learnt metric or several: eq. 8 of Weinberger & Saul (2008).

The squared distance from a query to a training point is taken under the metric of the training
point's partition.
"""

from typing import Literal, TypeAlias

import numpy as np

from refimpl.arrays import as_array, as_matrix, as_vectors_like
from refimpl.ball_trees import nearest_neighbors
from refimpl.checks import as_count, as_labels
from refimpl.lmnn.model import LMNNResult, Metric, factors_of
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels, Labels

__all__ = ["classify", "leave_one_out_error", "metric_neighbors", "votes"]

Method: TypeAlias = Literal["auto", "tree", "scan", "brute"]


def metric_neighbors(
    metric: Metric,
    Q: ArrayLike | None,
    X: ArrayLike,
    k: int,
    *,
    partition: ArrayLike | None = None,
    method: Method = "auto",
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> tuple[FloatArray, IntArray]:
    """Return the k nearest points of X for each query: eq. 8.

    Parameters
    ----------
    metric : LMNNResult or array_like, shape (r, d) or (partitions, r, d)
        A result of :func:`lmnn` or :func:`lmnn_rect`, or factors L of metrics M = L^T L.
    Q : array_like, shape (m, d), or None
        Queries. With None the queries are the points of X, and no point is its own neighbour (leave
        one out).
    X : array_like, shape (n, d)
        Points to choose the neighbours from.
    k : int
        The number of neighbours: at most n, or n - 1 if Q is None.
    partition : array_like of int, shape (n,), optional
        The index of the metric of each point of X. It is needed with several metrics, unless
        `metric` is the result of a training on X.
    method : {"auto", "tree", "scan", "brute"}, default "auto"
        As for :func:`refimpl.ball_trees.nearest_neighbors`.
    kernels : module, optional
        :mod:`refimpl.kernels` by default.
    threads : int, optional
        None for all. The result does not depend on it.

    Returns
    -------
    squares : ndarray, shape (m, k), float64
        Squared distances, in ascending order.
    indices : ndarray, shape (m, k), int64
        Rows of X; among equal distances the lowest index comes first.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.

    See Also
    --------
    classify : The class of most of the neighbours.
    refimpl.ball_trees.nearest_neighbors : The same under one metric.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import metric_neighbors
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]])
    >>> squares, indices = metric_neighbors(np.diag([5.0, 1.0]), [[0.0, 1.0]], X, 2)
    >>> indices.tolist(), squares.tolist()
    ([[0, 2]], [[1.0, 4.0]])
    """
    points = as_matrix(X, "X")
    k = as_count(k, "k")
    L = factors_of(metric)
    places = _partition_of(metric, L, partition, len(points))
    queries = points if Q is None else as_vectors_like(Q, points, "Q")
    most = len(points) - (Q is None)
    if k > most:
        raise ValueError(f"k must be at most {most}, the points to choose from; got {k}")
    all_squares = []
    all_indices = []
    for alpha in np.unique(places):
        members = np.flatnonzero(places == alpha)
        count = min(k + (Q is None), len(members))  # one more, as the point itself is dropped
        near = nearest_neighbors(
            queries,
            points[members],
            count,
            L[alpha],
            method=method,
            kernels=kernels,
            threads=threads,
        )
        index = members[near.indices]
        itself = np.zeros(index.shape, dtype=bool)
        if Q is None:
            itself = index == np.arange(len(queries))[:, None]
        all_squares.append(np.where(itself, np.inf, near.squares))
        all_indices.append(index)
    squares = np.concatenate(all_squares, axis=1)
    indices = np.concatenate(all_indices, axis=1)
    order = np.lexsort((indices, squares), axis=1)[:, :k]  # LM:eq8, LM:5:2
    return np.take_along_axis(squares, order, axis=1), np.take_along_axis(indices, order, axis=1)


def _partition_of(metric: Metric, L: FloatArray, partition: ArrayLike | None, n: int) -> IntArray:
    """Return the index of the metric of each of n points."""
    if partition is None and len(L) == 1:
        return np.zeros(n, dtype=np.int64)
    if partition is None and isinstance(metric, LMNNResult):
        if len(metric.partition) != n:
            raise ValueError(
                "partition must be passed if X is not the X of the training, which had "
                f"{len(metric.partition)} points; got {n} points and partition=None"
            )
        return metric.partition
    if partition is None:
        raise ValueError(f"partition must say which of {len(L)} metrics each point has; got None")
    places = as_array(partition, "partition", "indices")
    if (
        places.shape != (n,)
        or places.dtype.kind not in "iu"
        or not ((places >= 0) & (places < len(L))).all()
    ):
        raise ValueError(
            f"partition must hold the index of a metric, 0 to {len(L) - 1}, for all {n} points; "
            f"got shape {places.shape}, dtype {places.dtype}"
        )
    return places.astype(np.int64)


def classify(
    metric: Metric,
    Q: ArrayLike | None,
    X: ArrayLike,
    y: ArrayLike,
    k: int,
    *,
    partition: ArrayLike | None = None,
    method: Method = "auto",
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> Labels:
    """Return for each query the majority class of its k nearest points of X: eq. 8.

    Among classes with equally many votes the first in sorted order wins, as in scikit-learn's k-NN.

    Parameters
    ----------
    metric, Q, X
        As for :func:`metric_neighbors`.
    y : array_like, shape (n,)
        Classes of the points of X.
    k : int
        The number of neighbours that vote.
    partition, method, kernels, threads
        As for :func:`metric_neighbors`.

    Returns
    -------
    ndarray, shape (m,)
        Classes, in the dtype of `y`.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.

    See Also
    --------
    metric_neighbors : The neighbours themselves.
    leave_one_out_error : The error on the points of X.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import classify
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"]
    >>> classify(np.eye(1), [[0.5], [9.0]], X, y, 1).tolist()
    ['low', 'high']
    """
    points = as_matrix(X, "X")
    labels, classes = np.unique(as_labels(y, len(points), "y"), return_inverse=True)
    indices = metric_neighbors(
        metric, Q, points, k, partition=partition, method=method, kernels=kernels, threads=threads
    )[1]
    winners: Labels = labels[votes(classes[indices], len(labels)).argmax(axis=1)]
    return winners


def votes(near: IntArray, n_classes: int) -> IntArray:
    """Return the number of neighbours of each class.

    Parameters
    ----------
    near : ndarray, shape (m, k), int64
        The classes 0, 1, ... of the neighbours of each query.
    n_classes : int

    Returns
    -------
    ndarray, shape (m, n_classes), int64
    """
    rows = np.arange(len(near))[:, None] * n_classes
    counts = np.bincount((rows + near).ravel(), minlength=len(near) * n_classes)
    return counts.reshape(-1, n_classes)


def leave_one_out_error(
    metric: Metric,
    X: ArrayLike,
    y: ArrayLike,
    k: int,
    *,
    partition: ArrayLike | None = None,
    method: Method = "auto",
    kernels: Kernels | None = None,
    threads: int | None = None,
) -> float:
    """Return the share of the points of X that their k nearest other points misclassify: § 5.

    Parameters
    ----------
    metric, X, y, k, partition, method, kernels, threads
        As for :func:`classify`.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.

    See Also
    --------
    classify : The classes of other queries.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import leave_one_out_error
    >>> leave_one_out_error(np.eye(1), [[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 0], 1)
    0.5
    """
    # LM:5:3
    classes = classify(
        metric, None, X, y, k, partition=partition, method=method, kernels=kernels, threads=threads
    )
    return float((classes != np.asarray(y)).mean())
