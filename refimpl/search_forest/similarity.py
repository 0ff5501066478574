"""Similarities s_ij of pairs of points: § 3.1 and § 4 of Li et al. (2011).

Not handled here: graded similarities; a pair is similar or not.
"""

import numpy as np
from scipy import sparse

from refimpl.ball_trees import nearest_neighbors
from refimpl.checks import as_count, as_labels, as_matrix
from refimpl.kernels.contract import check_threads

__all__ = ["as_similarity", "label_similarity", "neighbor_similarity"]


def neighbor_similarity(X, K=100, *, kernels=None, threads=None):
    """Return s(x_i, x_j) = 1 if x_j is among the K nearest neighbours of x_i: § 4 of Li et al. (2011).

    Parameters
    ----------
    X : array_like, shape (n, d)
    K : int, default 100
        Less than n. A point is not its own neighbour.
    kernels, threads
        As for :func:`refimpl.ball_trees.nearest_neighbors`.

    Returns
    -------
    scipy.sparse.csr_matrix of bool, shape (n, n)
        K entries in each row; not symmetric.
    """
    X, K = as_matrix(X, "X"), as_count(K, "K")
    if K >= len(X):
        raise ValueError(f"K must be at most {len(X) - 1}, as X has {len(X)} points; got {K}")
    check_threads(threads)
    found = nearest_neighbors(X, None, K, kernels=kernels, threads=threads).indices
    starts = np.arange(0, found.size + 1, K)
    S = sparse.csr_matrix((np.ones(found.size, dtype=bool), found.ravel(), starts), shape=(len(X), len(X)))
    S.sort_indices()
    return S


def label_similarity(labels):
    """Return s(x_i, x_j) = 1 if both points have the same label.

    Parameters
    ----------
    labels : array_like, shape (n,)
        Classes of n_1, n_2, ... points give n_1^2 + n_2^2 + ... entries.

    Returns
    -------
    scipy.sparse.csr_matrix of bool, shape (n, n)

    Raises
    ------
    TypeError, ValueError
        If it is no list of at least one label, or the labels are not of one type.
    """
    try:
        n = max(len(labels), 1)
    except TypeError:  # a number, an array without dimensions, a sparse matrix: as_labels says what must be
        n = 1
    labels = as_labels(labels, n, "labels")
    places = np.unique(labels, return_inverse=True)[1]
    member = sparse.csr_matrix((np.ones(len(places), dtype=np.int32), (np.arange(len(places)), places)))
    S = (member @ member.T).astype(bool).tocsr()
    S.sort_indices()
    return S


def as_similarity(S, n):
    """Return `S` as a sparse matrix of bool without a diagonal; every message says what must be.

    Parameters
    ----------
    S : sparse matrix or array_like, shape (n, n), of 0 and 1
    n : int

    Returns
    -------
    scipy.sparse.csr_matrix of bool, shape (n, n)
    """
    if not sparse.issparse(S):
        S = sparse.csr_matrix(as_matrix(S, "S"))
    if S.shape != (n, n):
        raise ValueError(f"S has shape {S.shape}; it must be ({n}, {n}), as X has {n} points")
    S = sparse.coo_matrix(S)
    if not np.isin(S.data, (0, 1)).all():
        raise ValueError("S holds values other than 0 and 1; a threshold makes it binary, for example S > 0.5")
    kept = (S.data != 0) & (S.row != S.col)
    if not kept.any():
        raise ValueError("S has no similar pair of different points; there is nothing to be found")
    S = sparse.csr_matrix((np.ones(np.count_nonzero(kept), dtype=bool), (S.row[kept], S.col[kept])), shape=(n, n))
    S.sum_duplicates()
    return S.astype(bool)
