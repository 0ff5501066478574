"""Linear scan of binary codes by Hamming distance: the search that Table 1 of Li et al. (2011) times.

A code is a row of at least one and at most 65,536 64-bit words.

Not handled here: making the codes, tables of codes.
"""

import numpy as np

from refimpl.kernels.contract import checked

MOST_WORDS = 2**16  # the fast twin counts the codes at each distance: 64 MOST_WORDS numbers for a query

BITS = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)  # set bits of each byte
BLOCK = 1 << 16  # codes compared at a time


@checked
def hamming_distances(codes, queries, *, threads=None):
    """In how many bits every query differs from every code.

    Parameters
    ----------
    codes : ndarray, shape (n, words), uint64
        Only read: an array mapped from a file will do.
    queries : ndarray, shape (m, words), uint64
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    ndarray, shape (m, n), int32
    """
    require_words(codes)
    distances = np.zeros((len(queries), len(codes)), dtype=np.int32)
    for i, q in enumerate(queries):
        for first in range(0, len(codes), BLOCK):
            differing = np.ascontiguousarray(codes[first : first + BLOCK] ^ q).view(np.uint8)
            distances[i, first : first + BLOCK] = BITS[differing].sum(axis=1, dtype=np.int32)
    return distances


@checked
def hamming_nearest(codes, queries, k, *, threads=None):
    """The k codes nearest to each query; the matrix of distances is never held.

    Parameters
    ----------
    codes, queries, threads
        As for :func:`hamming_distances`.
    k : int
        At least 0, at most n.

    Returns
    -------
    distances : ndarray, shape (m, k), int32
        Ascending.
    indices : ndarray, shape (m, k), int64
        Of equal distances the lowest index comes first.
    """
    require_words(codes)
    distances, indices = np.empty((len(queries), k), dtype=np.int32), np.empty((len(queries), k), dtype=np.int64)
    for i in range(len(queries)):
        row = hamming_distances(codes, queries[i : i + 1])[0]
        indices[i] = np.argsort(row, kind="stable")[:k]
        distances[i] = row[indices[i]]
    return distances, indices


@checked
def hamming_within(codes, queries, radii, *, threads=None):
    """All codes that differ from a query in no more than so many bits, the nearest first.

    Parameters
    ----------
    codes, queries, threads
        As for :func:`hamming_distances`.
    radii : ndarray, shape (m,), int64
        The query's own limit; a negative one finds nothing.

    Returns
    -------
    starts : ndarray, shape (m + 1,), int64
        Query i has found ``indices[starts[i]:starts[i + 1]]``.
    indices : ndarray, int64
        By ascending distance; of equal distances the lowest index comes first.
    distances : ndarray, int32
        Theirs.
    """
    require_words(codes)
    starts = np.zeros(len(queries) + 1, dtype=np.int64)
    indices, distances = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int32)]
    for i in range(len(queries)):
        row = hamming_distances(codes, queries[i : i + 1])[0]
        order = np.argsort(row, kind="stable")
        order = order[row[order] <= radii[i]]
        starts[i + 1] = starts[i] + len(order)
        indices.append(order)
        distances.append(row[order])
    return starts, np.concatenate(indices), np.concatenate(distances)


def require_words(codes):
    """Raise ValueError if the codes have no word, or too many."""
    if not 1 <= codes.shape[1] <= MOST_WORDS:
        raise ValueError(f"codes must have from 1 to {MOST_WORDS} words; got {codes.shape[1]}")
