"""Linear scan of binary codes by Hamming distance, which Table 1 of Li et al. (2011) times.

A *code* is a row of 64-bit words, at least one and at most 65,536 of them. The *Hamming distance*
of two codes is the number of bits in which they differ.
"""

import numpy as np

from refimpl.arrays import Int32Array, IntArray, UInt64Array, blocks
from refimpl.kernels.contract import checked

# the fast twin counts the codes at each distance: 64 MOST_WORDS numbers for a query
MOST_WORDS = 2**16

# set bits of each byte
BITS = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)
BLOCK = 1 << 16  # codes compared at a time


@checked
def hamming_distances(Q: UInt64Array, X: UInt64Array, *, threads: int | None = None) -> Int32Array:
    """Count the bits in which every query differs from every point.

    Parameters
    ----------
    Q : ndarray, shape (n_Q, words), uint64
        Codes of the queries.
    X : ndarray, shape (n_X, words), uint64
        Codes of the points. They are only read, so the array may be mapped from a file.

    Returns
    -------
    ndarray, shape (n_Q, n_X), int32

    Raises
    ------
    ValueError
        If a code has no word or more than 65,536.

    See Also
    --------
    hamming_nearest : Find only the nearest codes.
    hamming_within : Find the codes within a distance.

    Examples
    --------
    >>> X = np.array([[0b0000], [0b0011], [0b1111]], dtype=np.uint64)
    >>> hamming_distances(X[1:2], X).tolist()
    [[2, 0, 2]]
    """
    require_words(X)
    distances = np.zeros((len(Q), len(X)), dtype=np.int32)
    for i, q in enumerate(Q):
        for part in blocks(len(X), BLOCK):
            differing = np.ascontiguousarray(X[part] ^ q).view(np.uint8)
            distances[i, part] = BITS[differing].sum(axis=1, dtype=np.int32)
    return distances


@checked
def hamming_nearest(
    Q: UInt64Array, X: UInt64Array, k: int, *, threads: int | None = None
) -> tuple[Int32Array, IntArray]:
    """Find the k codes nearest to each query, without holding the matrix of distances.

    Parameters
    ----------
    Q, X, threads
        As for :func:`hamming_distances`.
    k : int
        At least 0, at most n_X.

    Returns
    -------
    distances : ndarray, shape (n_Q, k), int32
        Ascending.
    indices : ndarray, shape (n_Q, k), int64
        Of equal distances the lowest index comes first.

    Raises
    ------
    ValueError
        As :func:`hamming_distances`.

    See Also
    --------
    refimpl.rivals.hamming_scan.hamming_scan : Check and pack the bits, then search.

    Examples
    --------
    >>> X = np.array([[0b0000], [0b0011], [0b1111]], dtype=np.uint64)
    >>> distances, indices = hamming_nearest(X[1:2], X, 2)
    >>> distances.tolist(), indices.tolist()
    ([[0, 2]], [[1, 0]])
    """
    require_words(X)
    distances = np.empty((len(Q), k), dtype=np.int32)
    indices = np.empty((len(Q), k), dtype=np.int64)
    for i in range(len(Q)):
        row = hamming_distances(Q[i : i + 1], X)[0]
        indices[i] = np.argsort(row, kind="stable")[:k]
        distances[i] = row[indices[i]]
    return distances, indices


@checked
def hamming_within(
    Q: UInt64Array, X: UInt64Array, radii: IntArray, *, threads: int | None = None
) -> tuple[IntArray, IntArray, Int32Array]:
    """Find all codes within a Hamming distance of each query, the nearest first.

    Parameters
    ----------
    Q, X, threads
        As for :func:`hamming_distances`.
    radii : ndarray, shape (n_Q,), int64
        The largest distance allowed for each query. A negative distance allows no code.

    Returns
    -------
    starts : ndarray, shape (n_Q + 1,), int64
        The codes found for query i are ``indices[starts[i]:starts[i + 1]]``.
    indices : ndarray, int64
        By ascending distance; of equal distances the lowest index comes first.
    distances : ndarray, int32
        The distances of these codes.

    Raises
    ------
    ValueError
        As :func:`hamming_distances`.

    See Also
    --------
    hamming_nearest : Find a number of codes instead of all within a distance.

    Examples
    --------
    >>> X = np.array([[0b0000], [0b0011], [0b1111]], dtype=np.uint64)
    >>> starts, indices, distances = hamming_within(X[:2], X, np.array([2, 0]))
    >>> starts.tolist(), indices.tolist(), distances.tolist()
    ([0, 2, 3], [0, 1, 1], [0, 2, 0])
    """
    require_words(X)
    starts = np.zeros(len(Q) + 1, dtype=np.int64)
    indices = [np.empty(0, dtype=np.int64)]
    distances = [np.empty(0, dtype=np.int32)]
    for i in range(len(Q)):
        row = hamming_distances(Q[i : i + 1], X)[0]
        order = np.argsort(row, kind="stable")
        order = order[row[order] <= radii[i]]
        starts[i + 1] = starts[i] + len(order)
        indices.append(order)
        distances.append(row[order])
    return starts, np.concatenate(indices), np.concatenate(distances)


def require_words(X: UInt64Array) -> None:
    """Raise ValueError if the codes have no word, or too many."""
    if not 1 <= X.shape[1] <= MOST_WORDS:
        raise ValueError(f"X must have from 1 to {MOST_WORDS} words; got {X.shape[1]}")
