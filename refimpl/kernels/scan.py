"""The filter step of BoostMap's retrieval: weighted L1 distances, and the nearest vectors by them.

A distance may be NaN or infinite where the vectors or their weights are. NaN comes last, as
numpy.argsort puts it.
"""

import numpy as np

from refimpl.arrays import FloatArray, IntArray
from refimpl.kernels.contract import checked

LANES = 16


@checked
def weighted_l1(
    Q: FloatArray, A: FloatArray, X: FloatArray, *, threads: int | None = None
) -> FloatArray:
    """Compute D_q(q, x) = sum_c A_c(q) |q_c - x_c| for every query q and vector x.

    Eqs. 16 and 22 of Athitsos et al. (2005). The sum is taken in 16 interleaved lanes:
    lane i adds c = i, i + 16, ... to 0; then the lanes are added, from the first. So both
    twins return the same bits, and equal vectors are equally distant. Without coordinates every
    distance is 0.

    Parameters
    ----------
    Q : ndarray, shape (n_Q, d), float64
        Embedded queries.
    A : ndarray, shape (n_Q, d), float64
        The weights of the coordinates for each query.
    X : ndarray, shape (n_X, d), float64
        Embedded database.

    Returns
    -------
    ndarray, shape (n_Q, n_X), float64

    See Also
    --------
    weighted_l1_nearest : Find only the nearest vectors.

    Examples
    --------
    >>> Q, A = np.array([[0.0, 0.0]]), np.array([[1.0, 10.0]])
    >>> weighted_l1(Q, A, np.array([[3.0, 0.0], [0.0, 0.5]])).tolist()
    [[3.0, 5.0]]
    """
    n, d = X.shape
    groups = -(-d // LANES)
    padded = np.zeros((n, groups * LANES))
    out = np.empty((len(Q), n))
    for i, (q, a) in enumerate(zip(Q, A, strict=True)):
        padded[:, :d] = a * np.abs(q - X)  # BM:eq16, BM:eq22
        lanes = np.add.reduce(padded.reshape(n, groups, LANES), axis=1, initial=0.0)
        out[i] = np.cumsum(lanes, axis=1)[:, -1]
    return out


@checked
def weighted_l1_nearest(
    Q: FloatArray, A: FloatArray, X: FloatArray, k: int, *, threads: int | None = None
) -> tuple[FloatArray, IntArray]:
    """Find the k vectors nearest to each query by :func:`weighted_l1`, without holding the matrix.

    Parameters
    ----------
    Q, A, X, threads
        As for :func:`weighted_l1`.
    k : int
        From 0 to n_X.

    Returns
    -------
    distances : ndarray, shape (n_Q, k), float64
        Ascending, NaN last.
    indices : ndarray, shape (n_Q, k), int64
        Of equal distances, and of NaNs, the lowest index comes first.

    See Also
    --------
    weighted_l1 : Compute all distances.

    Examples
    --------
    >>> Q, A = np.array([[0.0, 0.0]]), np.array([[1.0, 10.0]])
    >>> distances, indices = weighted_l1_nearest(Q, A, np.array([[3.0, 0.0], [0.0, 0.5]]), 1)
    >>> distances.tolist(), indices.tolist()
    ([[3.0]], [[0]])
    """
    distances = np.empty((len(Q), k))
    indices = np.empty((len(Q), k), dtype=np.int64)
    for i in range(len(Q)):
        row = weighted_l1(Q[i : i + 1], A[i : i + 1], X)[0]
        indices[i] = np.argsort(row, kind="stable")[:k]  # BM:4.3:2
        distances[i] = row[indices[i]]
    return distances, indices
