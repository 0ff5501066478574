"""What hash tables and inverted lists are made of: projections, and the votes of the buckets that a query falls into.

Not handled here: the rule that turns projections into buckets.
"""

import numpy as np

from refimpl.kernels.contract import checked


@checked
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


@checked
def bucket_votes(starts, ends, members, buckets, n, most, *, threads=None):
    """The union of each query's buckets, by the number of buckets that hold a point.

    Only the buckets that a query falls into are looked at: an index may be large, and a query is not.

    Parameters
    ----------
    starts, ends : ndarray, shape (b,), int64
        Bucket j holds ``members[starts[j]:ends[j]]``.
    members : ndarray, shape (size,), int64
        Points; one that stands in a bucket more than once counts once.
    buckets : ndarray, shape (m, tables), int64
        The query's bucket in each table; -1 for none.
    n : int
        The number of points, at most 2**31 - 1.
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
        In how many tables the query's bucket holds the point.
    """
    first = np.zeros(len(buckets) + 1, dtype=np.int64)
    indices, votes = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for i, mine in enumerate(buckets):
        require_buckets(starts, ends, members, mine, n)
        held = [np.unique(members[starts[bucket] : ends[bucket]]) for bucket in mine[mine >= 0]]
        found, count = np.unique(np.concatenate([indices[0], *held]), return_counts=True)
        order = np.argsort(-count, kind="stable")[:most]
        first[i + 1] = first[i] + len(order)
        indices.append(found[order])
        votes.append(count[order])
    return first, np.concatenate(indices), np.concatenate(votes)


def require_buckets(starts, ends, members, mine, n):
    """Raise ValueError if a bucket of a query is no part of `members`, or holds what is no point.

    Parameters
    ----------
    starts, ends, members, n
        As for :func:`bucket_votes`.
    mine : ndarray, shape (tables,), int64
        The query's buckets, from -1 to b - 1.
    """
    for bucket in mine[mine >= 0]:
        start, end = starts[bucket], ends[bucket]
        if not 0 <= start <= end <= len(members):
            raise ValueError(
                f"starts[{bucket}] and ends[{bucket}] must be places in members, from 0 to {len(members)}, "
                f"the start not after the end; got {start} and {end}"
            )
        wrong = np.flatnonzero((members[start:end] < 0) | (members[start:end] >= n))
        if len(wrong):
            place = start + wrong[0]
            raise ValueError(f"members[{place}] must be a point from 0 to {n - 1}; got {members[place]}")
