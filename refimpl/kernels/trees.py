"""Ball trees (Weinberger & Saul 2008, § 4.1), their searches, and the early-terminating scan they are measured against.

A squared distance is (q_1 - x_1)^2 + (q_2 - x_2)^2 + ..., added in the order of the coordinates. All searches take this
sum, so they find the same neighbours as a comparison with every point, to the last bit and with the same ties.

No coordinate may be beyond 1e140 (only :func:`scan_nearest` takes larger ones, as long as the sums that it completes
are finite). What does not fit :data:`refimpl.kernels.contract.CONTRACT` raises TypeError or ValueError.
"""

from dataclasses import dataclass

import numpy as np

from refimpl.kernels.contract import checked
from refimpl.results import from_new_arrays, require_forms, result

ITERATIONS = 8  # power iterations towards the direction of largest variance
LARGEST = 1e140  # of a coordinate
TINY = 1e-140  # no bound below this is used: its square has lost digits to underflow


@result
@dataclass(frozen=True, eq=False)
class BallTree:
    """A complete binary tree of m balls: node j has the children 2j + 1 and 2j + 2, the last (m + 1) / 2 are leaves.

    Attributes
    ----------
    points : ndarray, shape (n, d), float64
        The points, those of a leaf one after the other.
    order : ndarray, shape (n,), int64
        Their indices in the data set; ascending within a leaf.
    starts, ends : ndarray, shape (m,), int64
        Node j holds ``points[starts[j]:ends[j]]``.
    centres : ndarray, shape (m, d), float64
        c of eq. 7, the mean of the node's points.
    radii : ndarray, shape (m,), float64
        r of eq. 7, the largest distance of one of them from c.
    low, high : ndarray, shape (m, d), float64
        The least and the largest value of each coordinate: the node's box.
    """

    points: np.ndarray
    order: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    centres: np.ndarray
    radii: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def __post_init__(self):
        tables = dict.fromkeys(("points", "centres", "low", "high"), (np.float64, 2, LARGEST))
        numbers = dict.fromkeys(("order", "starts", "ends"), (np.int64, 1))
        require_forms(self, radii=(np.float64, 1), **tables, **numbers)
        m, shape = len(self.starts), self.points.shape
        if min(shape) < 1 or self.order.shape != shape[:1] or m & (m + 1) or m < 1:
            raise ValueError(f"points, order, starts: shapes {shape}, {self.order.shape}, ({m},); no tree has them")
        for name in ("centres", "low", "high"):
            if getattr(self, name).shape != (m, shape[1]):
                raise ValueError(f"{name} has shape {getattr(self, name).shape}; it must be {(m, shape[1])}")
        if self.ends.shape != (m,) or self.radii.shape != (m,):
            raise ValueError(f"ends, radii: shapes {self.ends.shape}, {self.radii.shape}; both must be ({m},)")
        starts, ends = self.starts, self.ends
        halves = (starts[1::2] == starts[: m // 2]) & (ends[2::2] == ends[: m // 2]) & (ends[1::2] == starts[2::2])
        if starts[0] != 0 or ends[0] != shape[0] or not halves.all() or not (starts < ends).all():
            raise ValueError("starts, ends: the children of a node must divide its points between them")
        inside = (self.order >= 0) & (self.order < shape[0])
        if not inside.all() or not np.bincount(self.order, minlength=shape[0]).all():
            raise ValueError(f"order must hold each index from 0 to {shape[0] - 1} once")
        if self.radii.min() < 0 or (self.low > self.high).any():
            raise ValueError("radii, low, high: a radius must be at least 0, and low no higher than high")


def squared_distances(x, P):
    """Squared distances from x, shape (d,), to the rows of P, shape (p, d), in the order of the coordinates: (p,)."""
    return np.cumsum((x - P) ** 2, axis=1)[:, -1]


def require_enough(k, n, skip):
    """Refuse a k for which some query has too few points."""
    most = n if skip is None or (skip < 0).all() else n - 1
    if k > most:
        raise ValueError(f"k must be at most {most}, the number of points that each query is compared with; got {k}")


@checked
def build_tree(X, *, leaf_size=128, direction="axis", threads=None):
    """Build a ball tree: § 4.1 of Weinberger & Saul (2008).

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
    leaf_size : int
        At least 2. The tree has the least number of levels whose leaves hold no more points than this. Small leaves
        spare distances, large ones bounds, which take longer.
    direction : {"axis", "principal"}
        What a node's points are projected on: the axis of largest variance (the lowest of several), or the direction
        of largest variance after 8 power iterations from that axis.
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    BallTree
        Of equal projections the lower index goes left; of an odd number of points the left child has one more.
    """
    n, d = X.shape
    leaves = 1
    while -(-n // leaves) > leaf_size:
        leaves *= 2
    m = 2 * leaves - 1
    order, starts, ends = np.arange(n), np.zeros(m, dtype=np.int64), np.full(m, n)
    centres, radii, low, high = np.empty((m, d)), np.empty(m), np.empty((m, d)), np.empty((m, d))
    for j in range(m):
        I = order[starts[j] : ends[j]].copy()
        S = X[I]
        centres[j] = np.cumsum(S, axis=0)[-1] / len(S)  # LM:4.1:3  encloses the inputs of S
        radii[j] = np.sqrt(squared_distances(centres[j], S).max())
        low[j], high[j] = S.min(axis=0) + 0.0, S.max(axis=0) + 0.0  # 0.0 has no sign
        if j < leaves - 1:
            by_projection = np.argsort(projections(S, centres[j], direction), kind="stable")  # LM:4.1:1
            median = starts[j] + (len(S) + 1) // 2  # LM:4.1:2
            order[starts[j] : median] = np.sort(I[by_projection[: median - starts[j]]])
            order[median : ends[j]] = np.sort(I[by_projection[median - starts[j] :]])
            starts[2 * j + 1], ends[2 * j + 1] = starts[j], median
            starts[2 * j + 2], ends[2 * j + 2] = median, ends[j]
    return from_new_arrays(BallTree, X[order], order, starts, ends, centres, radii, low, high)


def projections(S, c, direction):
    """The points S, shape (p, d), with the mean c, on a direction of large variance: shape (p,)."""
    D = S - c
    axis = np.cumsum(D * D, axis=0)[-1].argmax()
    if direction == "axis":
        return S[:, axis]
    w = np.zeros(len(c))
    w[axis] = 1.0
    for _ in range(ITERATIONS):
        p = np.cumsum(D * w, axis=1)[:, -1]
        v = np.cumsum(p[:, np.newaxis] * D, axis=0)[-1]
        if not v.any():
            break
        w = v / np.abs(v).max()
    return np.cumsum(D * w, axis=1)[:, -1]


def lower_bound(x_t, c, r):
    """Eq. 7 of Weinberger & Saul (2008), squared: no point of the ball is nearer to x_t. Also the squared ||x_t - c||.

    What rounding may have added is taken off: (d + 8) 2^-52 of the two lengths is more than twice what it can be. So
    no distance, as :func:`squared_distances` computes it, falls below.
    """
    square = squared_distances(x_t, c[np.newaxis])[0]
    distance = np.sqrt(square)
    bound = distance - r - (len(c) + 8) * 2.0**-52 * (distance + r)  # LM:eq7
    return (bound * bound if bound > TINY else 0.0), square


def box_bound(x_t, low, high):
    """The squared distance from x_t to a box. No point inside is nearer, as computed: rounding is monotonic."""
    return np.cumsum(np.maximum(np.maximum(low - x_t, x_t - high), 0.0) ** 2)[-1]


def _bound(tree, j, x_t, bound):
    """(lower bound of node j, what orders the children); both squared."""
    if bound == "ball":
        return lower_bound(x_t, tree.centres[j], tree.radii[j])
    least = box_bound(x_t, tree.low[j], tree.high[j])
    return least, least


def _visited(tree, x_t, bound, limit):
    """The leaves that the bound does not rule out, as slices of points; the nearer child first."""
    stack = [(0.0, 0)]
    while stack:
        least, j = stack.pop()
        if least > limit():  # LM:4.1:4
            continue
        if 2 * j + 1 >= len(tree.starts):
            yield slice(tree.starts[j], tree.ends[j])
            continue
        (left, nearness), (right, other) = (_bound(tree, child, x_t, bound) for child in (2 * j + 1, 2 * j + 2))
        children = [(left, 2 * j + 1), (right, 2 * j + 2)]
        stack += children if other < nearness else children[::-1]


@checked
def tree_nearest(tree, Q, k, *, skip=None, bound="box", threads=None):
    """The k nearest points of each query, by depth-first search of the tree: § 4.1 of Weinberger & Saul (2008).

    Parameters
    ----------
    tree : BallTree
    Q : ndarray, shape (n_Q, d), float64
    k : int
        At least 1, at most n (n - 1 with `skip`).
    skip : ndarray, shape (n_Q,), int64, optional
        The index of a point that is no neighbour of the query, such as itself; -1 for none.
    bound : {"box", "ball"}
        What rules a node out: the distance to the box of its points, or eq. 7.
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    squares : ndarray, shape (n_Q, k), float64
        Squared distances, ascending.
    indices : ndarray, shape (n_Q, k), int64
        Of equal distances the lowest index comes first, and the lowest are found.
    computed : ndarray, shape (n_Q,), int64
        How many points the query was compared with: those of all leaves visited.
    """
    require_enough(k, len(tree.order), skip)
    squares, indices = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.int64)
    computed = np.zeros(len(Q), dtype=np.int64)
    for t, x_t in enumerate(Q):
        near, which = np.full(k, np.inf), np.full(k, len(tree.order))
        for rows in _visited(tree, x_t, bound, lambda near=near: near[-1]):  # LM:eq7, LM:4.1:4
            i, square = tree.order[rows], squared_distances(x_t, tree.points[rows])
            computed[t] += len(i)
            wanted = i != (-1 if skip is None else skip[t])
            i, square = np.append(which, i[wanted]), np.append(near, square[wanted])
            nearest = np.lexsort((i, square))[:k]
            near[:], which[:] = square[nearest], i[nearest]
        squares[t], indices[t] = near, which
    return squares, indices, computed


@checked
def tree_within(tree, Q, limits, *, strict=False, skip=None, bound="box", threads=None):
    """All points within a distance of each query, such as its impostors: § 4.2 of Weinberger & Saul (2008).

    Parameters
    ----------
    tree, skip, bound, threads
        As for :func:`tree_nearest`.
    Q : ndarray, shape (n_Q, d), float64
    limits : ndarray, shape (n_Q,), float64
        The query's own limit of the squared distance: a negative one finds nothing, infinity everything.
    strict : bool
        Whether the squared distance must be below the limit; else it may be equal.

    Returns
    -------
    starts : ndarray, shape (n_Q + 1,), int64
        Query t has found ``indices[starts[t]:starts[t + 1]]``.
    indices : ndarray, int64
        Ascending for each query.
    squares : ndarray, float64
        Their squared distances.
    computed : ndarray, shape (n_Q,), int64
        As for :func:`tree_nearest`.
    """
    computed, starts, found = np.zeros(len(Q), dtype=np.int64), np.zeros(len(Q) + 1, dtype=np.int64), []
    for t, x_t in enumerate(Q):
        found.append([(np.empty(0, dtype=np.int64), np.empty(0))])
        for rows in _visited(tree, x_t, bound, lambda t=t: limits[t]):  # LM:4.2:4
            i, square = tree.order[rows], squared_distances(x_t, tree.points[rows])
            computed[t] += len(i)
            near = square < limits[t] if strict else square <= limits[t]
            near &= i != (-1 if skip is None else skip[t])
            found[t].append((i[near], square[near]))
        starts[t + 1] = starts[t] + sum(len(i) for i, _ in found[t])
    indices, squares = np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1])
    for t, parts in enumerate(found):
        i, square = (np.concatenate(part) for part in zip(*parts, strict=True))
        indices[starts[t] : starts[t + 1]] = np.sort(i)
        squares[starts[t] : starts[t + 1]] = square[np.argsort(i)]
    return starts, indices, squares, computed


@checked
def scan_nearest(X, Q, k, *, skip=None, threads=None):
    """The k nearest points of each query, every sum broken off once it is too large: the baseline of § 4.2.

    The points come in their order; a sum ends after the first coordinate that takes it beyond the k-th smallest so
    far. The fewer coordinates decide, the better, so the leading ones should vary most.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
    Q, k, skip, threads
        As for :func:`tree_nearest`.

    Returns
    -------
    squares, indices
        As from :func:`tree_nearest`.
    terms : ndarray, shape (n_Q,), int64
        How many squares were added up for the query.

    Raises
    ------
    ValueError
        Also if a sum that was not broken off is infinite or NaN.
    """
    require_enough(k, len(X), skip)
    squares, indices = np.empty((len(Q), k)), np.empty((len(Q), k), dtype=np.int64)
    terms = np.zeros(len(Q), dtype=np.int64)
    for t, x_t in enumerate(Q):
        near, which = np.full(k, np.inf), np.full(k, len(X))
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
                near, which = np.insert(near, place, partial[-1])[:k], np.insert(which, place, i)[:k]
        squares[t], indices[t] = near, which
    return squares, indices, terms


def require_finite_square(square, t, i):
    """Refuse points without a finite squared distance."""
    if not np.isfinite(square):
        raise ValueError(f"X and Q must have finite squared distances; got {square} between Q[{t}] and X[{i}]")
