"""k nearest neighbours under one learnt metric or several: eq. 8 of Weinberger & Saul (2008).

The squared distance from a query to a training point is taken under the metric of the training point's partition.
"""

import numpy as np

from refimpl.ball_trees import nearest_neighbors
from refimpl.checks import as_count, as_labels, as_matrix, as_vectors_like


def metric_neighbors(X, queries, k, L, partition=None, *, method="auto", kernels=None, threads=None):
    """The k nearest training points of each query by eq. 8.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Training points.
    queries : array_like, shape (m, d), or None
        None: the training points, none of which is its own neighbour (leave one out).
    k : int
        At most n, or n - 1 without queries.
    L : array_like, shape (r, d) or (partitions, r, d)
        Factors of the metrics.
    partition : array_like of int, shape (n,), optional
        Metric of each training point; not needed for one metric.
    method, kernels, threads
        As for :func:`refimpl.ball_trees.nearest_neighbors`.

    Returns
    -------
    squares : ndarray, shape (m, k), float64
        Squared distances, ascending.
    indices : ndarray, shape (m, k), int64
        Places in X; of equal distances the lowest comes first.
    """
    X, k, L = as_matrix(X, "X"), as_count(k, "k"), np.asarray(L, dtype=np.float64)
    L = L[None] if L.ndim == 2 else L
    partition = np.zeros(len(X), dtype=np.int64) if partition is None else np.asarray(partition)
    if partition.shape != (len(X),) or not ((partition >= 0) & (partition < len(L))).all():
        raise ValueError(f"partition must hold a place in L, 0 to {len(L) - 1}, for each of the {len(X)} points")
    Q = X if queries is None else as_vectors_like(queries, X, "queries")
    most = len(X) - (queries is None)
    if k > most:
        raise ValueError(f"k must be at most {most}, the neighbours that a query can have; got {k}")
    squares, indices = [], []
    for alpha in np.unique(partition):
        members = np.flatnonzero(partition == alpha)
        found = min(k + (queries is None), len(members))  # one more: the point itself goes out
        near = nearest_neighbors(X[members], Q, found, L[alpha], method=method, kernels=kernels, threads=threads)
        index = members[near.indices]
        itself = index == np.arange(len(Q))[:, None] if queries is None else np.zeros(index.shape, dtype=bool)
        squares.append(np.where(itself, np.inf, near.squares))
        indices.append(index)
    squares, indices = np.concatenate(squares, axis=1), np.concatenate(indices, axis=1)
    order = np.lexsort((indices, squares), axis=1)[:, :k]  # LM:eq8, LM:5:2
    return np.take_along_axis(squares, order, axis=1), np.take_along_axis(indices, order, axis=1)


def classify(X, y, queries, k, L, partition=None, *, method="auto", kernels=None, threads=None):
    """The class of most of the k nearest training points.

    Of classes with equally many votes the first in sorted order wins, as in scikit-learn's k-NN.

    Parameters
    ----------
    y : array_like, shape (n,)
        Classes of the training points.
    X, queries, k, L, partition, method, kernels, threads
        As for :func:`metric_neighbors`.

    Returns
    -------
    ndarray, shape (m,)
        In the dtype of `y`.
    """
    X = as_matrix(X, "X")
    labels, classes = np.unique(as_labels(y, len(X), "y"), return_inverse=True)
    near = classes[metric_neighbors(X, queries, k, L, partition, method=method, kernels=kernels, threads=threads)[1]]
    return labels[votes(near, len(labels)).argmax(axis=1)]


def votes(near, n_classes):
    """How many of the neighbours are of each class.

    Parameters
    ----------
    near : ndarray, shape (m, k), int64
        Classes 0, 1, ... of each query's neighbours.
    n_classes : int

    Returns
    -------
    ndarray, shape (m, n_classes), int64
    """
    rows = np.arange(len(near))[:, None] * n_classes
    return np.bincount((rows + near).ravel(), minlength=len(near) * n_classes).reshape(-1, n_classes)


def leave_one_out_error(X, y, k, L, partition=None, **options):
    """Share of the training points that their k nearest others misclassify; arguments as for :func:`classify`."""
    return float((classify(X, y, None, k, L, partition, **options) != np.asarray(y)).mean())  # LM:5:3
