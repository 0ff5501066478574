"""Searches of ball trees, and the early-terminating scan as their baseline.

Weinberger & Saul (2008), §§ 4.1 and 4.2. A squared distance is (q_1 - x_1)^2 + (q_2 - x_2)^2 +
..., added in the order of the coordinates. All searches take this sum, so they find the same
neighbours as a comparison with every point, to the last bit and with the same ties.

No coordinate may be beyond 1e140 (only :func:`scan_nearest` takes larger ones, as long as the sums
that it completes are finite). What does not fit :data:`refimpl.kernels.contract.CONTRACT` raises
TypeError or ValueError.
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

import numpy as np

from refimpl.arrays import FloatArray, IntArray
from refimpl.kernels.contract import checked
from refimpl.kernels.growing import BallTree, squared_distances

Bound: TypeAlias = Literal["box", "ball"]
"""What rules out a node of a ball tree."""
TINY = 1e-140  # no bound below this is used: its square has lost digits to underflow


def require_enough(k: int, n: int, skip: IntArray | None) -> None:
    """Refuse a k for which some query has too few points."""
    most = n if skip is None or (skip < 0).all() else n - 1
    if k > most:
        raise ValueError(
            f"k must be at most {most}, the number of points that each query is compared with; "
            f"got {k}"
        )


def lower_bound(x_t: FloatArray, c: FloatArray, r: float) -> tuple[float, float]:
    """Return eq. 7 of Weinberger & Saul (2008), squared, and the squared ||x_t - c||."""
    # No point of the ball is nearer to x_t than eq. 7 says. The bound is lowered by (d + 8) 2^-52
    # of the two lengths, more than twice the largest possible rounding error. So no distance that
    # squared_distances computes falls below the bound.
    square = squared_distances(x_t, c[np.newaxis])[0]
    distance = np.sqrt(square)
    bound = distance - r - (len(c) + 8) * 2.0**-52 * (distance + r)  # LM:eq7
    return (bound * bound if bound > TINY else 0.0), square


def box_bound(x_t: FloatArray, low: FloatArray, high: FloatArray) -> float:
    """Return the squared distance to a box; none computed to a point inside is smaller."""
    # because rounding is monotonic
    outside = np.maximum(np.maximum(low - x_t, x_t - high), 0.0)
    return float(np.cumsum(outside**2)[-1])


def _bound(tree: BallTree, j: int, x_t: FloatArray, bound: Bound) -> tuple[float, float]:
    """Return the lower bound of node j and the distance by which children are ordered, squared."""
    if bound == "ball":
        return lower_bound(x_t, tree.centres[j], tree.radii[j])
    least = box_bound(x_t, tree.low[j], tree.high[j])
    return least, least


def _visited(tree: BallTree, x_t: FloatArray, bound: Bound, limit: FloatArray) -> Iterator[slice]:
    """Yield the leaves that may hold a near point, as slices of points; the nearer child first."""
    # The limit is the last entry of `limit`. The caller may lower it between two leaves.
    stack = [(0.0, 0)]
    while stack:
        least, j = stack.pop()
        if least > limit[-1]:  # LM:4.1:4
            continue
        if 2 * j + 1 >= len(tree.starts):
            yield slice(tree.starts[j], tree.ends[j])
            continue
        left, left_nearness = _bound(tree, 2 * j + 1, x_t, bound)
        right, right_nearness = _bound(tree, 2 * j + 2, x_t, bound)
        children = [(left, 2 * j + 1), (right, 2 * j + 2)]
        stack += children if right_nearness < left_nearness else children[::-1]


@checked
def tree_nearest(
    tree: BallTree,
    Q: FloatArray,
    k: int,
    *,
    skip: IntArray | None = None,
    bound: Bound = "box",
    threads: int | None = None,
) -> tuple[FloatArray, IntArray, IntArray]:
    """Find the k nearest points of each query by depth-first search of the tree.

    § 4.1 of Weinberger & Saul (2008).

    Parameters
    ----------
    tree : BallTree
    Q : ndarray, shape (n_Q, d), float64
    k : int
        At least 1, at most n (n - 1 with `skip`).
    skip : ndarray, shape (n_Q,), int64, optional
        The index of a point that is no neighbour of the query, such as itself; -1 for none.
    bound : {"box", "ball"}, default "box"
        The lower bound that rules a node out: the distance to the box of its points, or eq. 7.

    Returns
    -------
    squares : ndarray, shape (n_Q, k), float64
        Squared distances, ascending.
    indices : ndarray, shape (n_Q, k), int64
        Of equal distances the lowest index comes first. If more points are equally distant than
        there is room for, those of lowest index are returned.
    computed : ndarray, shape (n_Q,), int64
        How many points the query was compared with: those of all leaves visited.

    Raises
    ------
    ValueError
        If k is larger than the number of points that each query is compared with.

    See Also
    --------
    scan_nearest : The same without a tree.
    tree_within : All points within a distance.

    Examples
    --------
    >>> from refimpl.kernels import build_tree, tree_nearest
    >>> X = np.array([[0.0], [5.0], [1.0], [4.0]])
    >>> tree = build_tree(X, leaf_size=2)
    >>> squares, indices, computed = tree_nearest(tree, X[:2], 1, skip=np.array([0, 1]))
    >>> squares.tolist(), indices.tolist(), computed.tolist()
    ([[1.0], [1.0]], [[2], [3]], [2, 2])
    """
    require_enough(k, len(tree.order), skip)
    squares = np.empty((len(Q), k))
    indices = np.empty((len(Q), k), dtype=np.int64)
    computed = np.zeros(len(Q), dtype=np.int64)
    for t, x_t in enumerate(Q):
        near = np.full(k, np.inf)
        which = np.full(k, len(tree.order))
        for rows in _visited(tree, x_t, bound, near):
            i = tree.order[rows]
            square = squared_distances(x_t, tree.points[rows])
            computed[t] += len(i)
            allowed = i != (-1 if skip is None else skip[t])
            i = np.append(which, i[allowed])
            square = np.append(near, square[allowed])
            nearest = np.lexsort((i, square))[:k]
            near[:], which[:] = square[nearest], i[nearest]
        squares[t], indices[t] = near, which
    return squares, indices, computed


@checked
def tree_within(
    tree: BallTree,
    Q: FloatArray,
    limits: FloatArray,
    *,
    strict: bool = False,
    skip: IntArray | None = None,
    bound: Bound = "box",
    threads: int | None = None,
) -> tuple[IntArray, IntArray, FloatArray, IntArray]:
    """Find all points within a distance of each query, such as its impostors.

    § 4.2 of Weinberger & Saul (2008).

    Parameters
    ----------
    tree, skip, bound, threads
        As for :func:`tree_nearest`.
    Q : ndarray, shape (n_Q, d), float64
    limits : ndarray, shape (n_Q,), float64
        The limit of the squared distance for each query. A negative limit holds no point, an
        infinite limit holds all points.
    strict : bool, default False
        Whether the squared distance must be below the limit; if False it may equal the limit.

    Returns
    -------
    starts : ndarray, shape (n_Q + 1,), int64
        The points found for query t are ``indices[starts[t]:starts[t + 1]]``.
    indices : ndarray, int64
        Ascending for each query.
    squares : ndarray, float64
        The squared distances of these points.
    computed : ndarray, shape (n_Q,), int64
        As for :func:`tree_nearest`.

    See Also
    --------
    tree_nearest : Find a number of points instead of all within a distance.

    Examples
    --------
    >>> from refimpl.kernels import build_tree, tree_within
    >>> tree = build_tree(np.array([[0.0], [5.0], [1.0], [4.0]]), leaf_size=2)
    >>> starts, indices, squares, _ = tree_within(tree, np.array([[0.0]]), np.array([16.0]))
    >>> indices.tolist(), squares.tolist()
    ([0, 2, 3], [0.0, 1.0, 16.0])
    """
    computed = np.zeros(len(Q), dtype=np.int64)
    starts = np.zeros(len(Q) + 1, dtype=np.int64)
    near_points: list[list[tuple[IntArray, FloatArray]]] = []
    for t, x_t in enumerate(Q):
        near_points.append([(np.empty(0, dtype=np.int64), np.empty(0))])
        for rows in _visited(tree, x_t, bound, limits[t : t + 1]):
            i = tree.order[rows]
            square = squared_distances(x_t, tree.points[rows])
            computed[t] += len(i)
            near = square < limits[t] if strict else square <= limits[t]  # LM:4.2:4
            near &= i != (-1 if skip is None else skip[t])
            near_points[t].append((i[near], square[near]))
        starts[t + 1] = starts[t] + sum(len(i) for i, _ in near_points[t])
    indices = np.empty(starts[-1], dtype=np.int64)
    squares = np.empty(starts[-1])
    for t, parts in enumerate(near_points):
        i = np.concatenate([part for part, _ in parts])
        square = np.concatenate([part for _, part in parts])
        indices[starts[t] : starts[t + 1]] = np.sort(i)
        squares[starts[t] : starts[t + 1]] = square[np.argsort(i)]
    return starts, indices, squares, computed


@checked
def scan_nearest(
    Q: FloatArray,
    X: FloatArray,
    k: int,
    *,
    skip: IntArray | None = None,
    threads: int | None = None,
) -> tuple[FloatArray, IntArray, IntArray]:
    """Find the k nearest points of each query by a scan that stops adding when a sum is too large.

    The baseline of § 4.2 of Weinberger & Saul (2008). The points are compared in their order. The
    sum of a point ends after the first coordinate that takes it beyond the k-th smallest sum so
    far. The scan is fastest when the leading coordinates vary most.

    Parameters
    ----------
    Q, k, skip, threads
        As for :func:`tree_nearest`.
    X : ndarray, shape (n, d), float64

    Returns
    -------
    squares, indices
        As from :func:`tree_nearest`.
    terms : ndarray, shape (n_Q,), int64
        The number of squares that were added up for the query.

    Raises
    ------
    ValueError
        If k is too large, or a complete sum is infinite or NaN.

    See Also
    --------
    refimpl.rivals.rotated_scan.rotated_scan : The whole baseline, with its rotation.

    Examples
    --------
    The second point is ruled out by its first coordinate:

    >>> X = np.array([[0.0, 1.0], [5.0, 0.0]])
    >>> squares, indices, terms = scan_nearest(np.array([[0.0, 0.0]]), X, 1)
    >>> squares.tolist(), indices.tolist(), terms.tolist()
    ([[1.0]], [[0]], [3])
    """
    require_enough(k, len(X), skip)
    squares = np.empty((len(Q), k))
    indices = np.empty((len(Q), k), dtype=np.int64)
    terms = np.zeros(len(Q), dtype=np.int64)
    for t, x_t in enumerate(Q):
        near = np.full(k, np.inf)
        which = np.full(k, len(X))
        for i, x_i in enumerate(X):
            if skip is not None and skip[t] == i:
                continue
            with np.errstate(over="ignore", invalid="ignore"):
                partial = np.cumsum((x_t - x_i) ** 2)
            beyond = np.flatnonzero(partial > near[-1])  # LM:4.2:2
            terms[t] += beyond[0] + 1 if len(beyond) else len(partial)
            if not len(beyond):
                require_finite_square(float(partial[-1]), t, i)
            if not len(beyond) and partial[-1] < near[-1]:
                place = np.searchsorted(near, partial[-1], side="right")
                near = np.insert(near, place, partial[-1])[:k]
                which = np.insert(which, place, i)[:k]
        squares[t], indices[t] = near, which
    return squares, indices, terms


def require_finite_square(square: float, t: int, i: int) -> None:
    """Refuse points without a finite squared distance."""
    if not np.isfinite(square):
        raise ValueError(
            f"X and Q must have finite squared distances; got {square} between Q[{t}] and X[{i}]"
        )
