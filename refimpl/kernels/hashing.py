"""What hash tables and inverted lists are made of: projections, and the votes of the buckets that a query falls into.

Not handled here: validation (the callers do it), the rule that turns projections into buckets.
"""

import numpy as np


def projections(X, A, *, threads=None):
    """X A, the sums taken in the order of the coordinates: equal vectors have equal projections, in whatever company.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
    A : ndarray, shape (d, h), float64
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    ndarray, shape (n, h), float64
    """
    P = np.zeros((len(X), A.shape[1]))
    for x, a in zip(X.T, A, strict=True):
        P += x[:, np.newaxis] * a
    return P


def bucket_votes(starts, ends, members, buckets, n, most, *, threads=None):
    """The union of each query's buckets, by the number of buckets that hold a point.

    Parameters
    ----------
    starts, ends : ndarray, shape (b,), int64
        Bucket j holds ``members[starts[j]:ends[j]]``.
    members : ndarray, int64
        Points; none twice in one bucket.
    buckets : ndarray, shape (m, tables), int64
        The query's bucket in each table; -1 for none.
    n : int
        The number of points.
    most : int
        At most so many points for a query.
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    first : ndarray, shape (m + 1,), int64
        Query i has found ``indices[first[i]:first[i + 1]]``.
    indices : ndarray, int64
        By falling votes; of equal votes the lowest index comes first.
    votes : ndarray, int64
        How many of the query's buckets hold the point.
    """
    first = np.zeros(len(buckets) + 1, dtype=np.int64)
    indices, votes = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for i, mine in enumerate(buckets):
        count = np.zeros(n, dtype=np.int64)
        for bucket in mine[mine >= 0]:
            count[members[starts[bucket] : ends[bucket]]] += 1
        order = np.argsort(-count, kind="stable")[: min(most, np.count_nonzero(count))]
        first[i + 1] = first[i] + len(order)
        indices.append(order)
        votes.append(count[order])
    return first, np.concatenate(indices), np.concatenate(votes)
