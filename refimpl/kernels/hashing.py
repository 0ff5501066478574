"""Projections, and the votes of buckets: the kernels of hash tables and inverted lists.

A *bucket* is a list of points with the same hash value. A query falls into one bucket of each hash
table, and each of these buckets gives one vote to every point in it.
"""

import numpy as np

from refimpl.arrays import FloatArray, IntArray
from refimpl.kernels.contract import checked


@checked
def projections(X: FloatArray, A: FloatArray, *, threads: int | None = None) -> FloatArray:
    """Compute X A, adding in the order of the coordinates.

    Equal vectors therefore have equal projections, whatever the other rows are.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
    A : ndarray, shape (d, h), float64

    Returns
    -------
    ndarray, shape (n, h), float64

    See Also
    --------
    matrix_vector, vector_matrix : Products in another order, for search trees.

    Examples
    --------
    >>> projections(np.array([[1.0, 2.0]]), np.array([[3.0, 0.0], [4.0, -1.0]])).tolist()
    [[11.0, -2.0]]
    """
    P = np.zeros((len(X), A.shape[1]))
    for x, a in zip(X.T, A, strict=True):
        P += x[:, np.newaxis] * a
    return P


@checked
def bucket_votes(
    starts: IntArray,
    ends: IntArray,
    members: IntArray,
    buckets: IntArray,
    n: int,
    most: int,
    *,
    threads: int | None = None,
) -> tuple[IntArray, IntArray, IntArray]:
    """Collect the points in each query's buckets, by the number of buckets that hold them.

    Only the buckets that a query falls into are looked at, so a few queries of a large index take
    little time.

    Parameters
    ----------
    starts, ends : ndarray, shape (b,), int64
        Bucket j holds ``members[starts[j]:ends[j]]``.
    members : ndarray, shape (size,), int64
        Points. A point that stands in a bucket more than once counts once.
    buckets : ndarray, shape (n_Q, tables), int64
        The query's bucket in each table; -1 for none.
    n : int
        The number of points, at most 2**31 - 1.
    most : int
        The largest number of points for a query.

    Returns
    -------
    first : ndarray, shape (n_Q + 1,), int64
        The points found for query i are ``indices[first[i]:first[i + 1]]``.
    indices : ndarray, int64
        The point with most votes comes first; of equal votes the lowest index comes first.
    votes : ndarray, int64
        The number of tables in which the query's bucket holds the point.

    Raises
    ------
    ValueError
        If a bucket of a query is no part of `members` or holds a number that is no point.

    See Also
    --------
    refimpl.rivals.lsh : Hash tables that count votes in this way.

    Examples
    --------
    Point 1 is in the query's bucket of both tables, points 0 and 2 in one of them:

    >>> starts, ends, members = np.array([0, 2]), np.array([2, 4]), np.array([0, 1, 1, 2])
    >>> first, indices, votes = bucket_votes(starts, ends, members, np.array([[0, 1]]), 3, 2)
    >>> first.tolist(), indices.tolist(), votes.tolist()
    ([0, 2], [1, 0], [2, 1])
    """
    first = np.zeros(len(buckets) + 1, dtype=np.int64)
    indices = [np.empty(0, dtype=np.int64)]
    votes = [np.empty(0, dtype=np.int64)]
    for i, mine in enumerate(buckets):
        require_buckets(starts, ends, members, mine, n)
        contents = [np.unique(members[starts[b] : ends[b]]) for b in mine[mine >= 0]]
        points, count = np.unique(np.concatenate([indices[0], *contents]), return_counts=True)
        order = np.argsort(-count, kind="stable")[:most]
        first[i + 1] = first[i] + len(order)
        indices.append(points[order])
        votes.append(count[order])
    return first, np.concatenate(indices), np.concatenate(votes)


def require_buckets(
    starts: IntArray, ends: IntArray, members: IntArray, mine: IntArray, n: int
) -> None:
    """Raise ValueError if a query's bucket is no part of `members`, or holds no point's number."""
    for bucket in mine[mine >= 0]:
        start, end = starts[bucket], ends[bucket]
        if not 0 <= start <= end <= len(members):
            raise ValueError(
                f"starts[{bucket}] and ends[{bucket}] must be positions in members, "
                f"from 0 to {len(members)}, the start not after the end; got {start} and {end}"
            )
        wrong = np.flatnonzero((members[start:end] < 0) | (members[start:end] >= n))
        if len(wrong):
            place = start + wrong[0]
            raise ValueError(
                f"members[{place}] must be a point from 0 to {n - 1}; got {members[place]}"
            )
