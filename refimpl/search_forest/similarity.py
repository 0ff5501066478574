"""Similarities of pairs of points: § 3.1 and § 4 of Li et al. (2011).

The *similarity* s_ij is 1 if point j should be found for point i, else 0.

Not handled here: graded similarities; a pair is similar or not.
"""

from __future__ import annotations  # scipy.sparse is imported when first used

from typing import Any

import numpy as np
import scipy

from refimpl.arrays import as_matrix
from refimpl.ball_trees import nearest_neighbors
from refimpl.checks import as_count, as_labels, as_number
from refimpl.kernels.contract import check_threads
from refimpl.resources import check_free_memory
from refimpl.typing import ArrayLike, Kernels, Labels, Points

__all__ = ["as_similarity", "label_similarity", "neighbor_similarity"]

PAIR_BYTES = 14  # for an entry: the product, its copy as bool, and their columns


def neighbor_similarity(
    X: ArrayLike, k: int = 100, *, kernels: Kernels | None = None, threads: int | None = None
) -> scipy.sparse.csr_matrix:
    """Return which points are similar: x_j to x_i if it is among the k nearest neighbours of x_i.

    Source: § 4 of Li et al. (2011), where k is called K.

    Parameters
    ----------
    X : array_like, shape (n, d)
    k : int, default 100
        Less than n. A point is not its own neighbour.
    kernels : module, optional
        :mod:`refimpl.kernels` (default) or a module with the same names, such as ``refimpl_fast``.
    threads : int, optional
        All processors by default.

    Returns
    -------
    scipy.sparse.csr_matrix of bool, shape (n, n)
        s_ij, with k entries in each row; not symmetric.

    Raises
    ------
    TypeError, ValueError
        If `X` is no matrix of finite numbers, or `k` is no integer from 1 to n - 1.

    See Also
    --------
    label_similarity : Points of the same class are similar.
    search_forest : Learn a forest from the similarity.

    Examples
    --------
    >>> from refimpl.search_forest import neighbor_similarity
    >>> neighbor_similarity([[0.0], [1.0], [3.0]], 1).astype(int).toarray()
    array([[0, 1, 0],
           [1, 0, 0],
           [0, 1, 0]])
    """
    points: Points = as_matrix(X, "X")
    k = as_count(k, "k")
    n = len(points)
    if k >= n:
        raise ValueError(f"k must be at most {n - 1}, as X has {n} points; got {k}")
    check_threads(threads)
    nearest = nearest_neighbors(None, points, k, kernels=kernels, threads=threads).indices
    starts = np.arange(0, nearest.size + 1, k)
    similar = np.ones(nearest.size, dtype=bool)
    S = scipy.sparse.csr_matrix((similar, nearest.ravel(), starts), shape=(n, n))
    S.sort_indices()
    return S


def label_similarity(y: ArrayLike) -> scipy.sparse.csr_matrix:
    """Return which points are similar: points with the same label.

    Source: § 1 of Li et al. (2011), semantic similarity.

    Parameters
    ----------
    y : array_like, shape (n,)
        Classes of n_1, n_2, ... points give n_1^2 + n_2^2 + ... entries.

    Returns
    -------
    scipy.sparse.csr_matrix of bool, shape (n, n)
        s_ij. Its diagonal is set; :func:`search_forest` does not read the diagonal.

    Raises
    ------
    TypeError, ValueError
        If `y` is no list of at least one label, or the labels are not of one type.
    MemoryError
        If the entries would not fit into the memory that is free.

    See Also
    --------
    neighbor_similarity : Near points are similar.
    search_forest : Learn a forest from the similarity.

    Examples
    --------
    >>> from refimpl.search_forest import label_similarity
    >>> label_similarity(["a", "b", "a"]).astype(int).toarray()
    array([[1, 0, 1],
           [0, 1, 0],
           [1, 0, 1]])
    """
    values: Any = y
    try:
        n = max(len(values), 1)
    except TypeError:  # of a number or a sparse matrix; as_labels says what y must be
        n = 1
    labels: Labels = as_labels(values, n, "y")
    places = np.unique(labels, return_inverse=True)[1]
    pairs = int((np.bincount(places) ** 2).sum())
    check_free_memory(PAIR_BYTES * pairs, "the similarity of all pairs of a class", "points")
    member = scipy.sparse.csr_matrix(
        (np.ones(len(places), dtype=np.int32), (np.arange(len(places)), places))
    )
    S = (member @ member.T).astype(bool).tocsr()
    S.sort_indices()
    return S


def as_similarity(S: Any, n: int) -> scipy.sparse.csr_matrix:
    """Return `S` as a sparse matrix of bool without a diagonal.

    Parameters
    ----------
    S : sparse matrix or array_like, shape (n, n), of 0 and 1
        s_ij of § 3.1 of Li et al. (2011).
    n : int
        The number of points.

    Returns
    -------
    scipy.sparse.csr_matrix of bool, shape (n, n)

    Raises
    ------
    TypeError, ValueError
        If `S` has another shape, holds other values than 0 and 1, or has no similar pair of
        different points.
    """
    if not scipy.sparse.issparse(S):
        S = scipy.sparse.csr_matrix(as_matrix(S, "S"))
    if S.shape != (n, n):
        raise ValueError(f"S must have shape ({n}, {n}), as X has {n} points; got {S.shape}")
    S = scipy.sparse.coo_matrix(S)
    if not np.isin(S.data, (0, 1)).all():
        other = S.data[~np.isin(S.data, (0, 1))][0]
        raise ValueError(
            f"S must hold 0 and 1 only; got {other}. A threshold makes it binary, such as S > 0.5"
        )
    kept = (S.data != 0) & (S.row != S.col)
    if not kept.any():
        raise ValueError("S must have a similar pair of different points; got none")
    S = scipy.sparse.csr_matrix(
        (np.ones(np.count_nonzero(kept), dtype=bool), (S.row[kept], S.col[kept])), shape=(n, n)
    )
    S.sum_duplicates()
    return S.astype(bool)


def as_lam(lam: float) -> float:
    """Return lambda of eq. 4, between 0 and 1, both excluded."""
    lam = as_number(lam, "lam", below=1.0)
    if lam == 0:
        raise ValueError("lam must be above 0, so that a candidate has a cost; got 0")
    return lam
