"""The sub-gradient of LMNN: impostor search, slacks of the working set, weighted differences.

Weinberger & Saul (2008), § 3. A point's *target neighbours* are the points of its class that it
should be near to; an *impostor* is a point of another class that comes nearer than they allow.
A *pair* is two rows of a table of mapped points Z = X L^T; the squared distance of its rows is
the squared distance of the points under M = L^T L. A *working set* holds pairs (i, l) of
differently labelled points, sorted by i; each stands for the k triples (i, j, l) over the target
neighbours j of i.

Eqs. 5 and 6 consist of sums of w (x_a - x_b)(x_a - x_b)^T over pairs. Such a sum is X^T
times what :func:`weighted_differences` makes of X.
"""

import numpy as np
import scipy

from refimpl.arrays import BoolArray, FloatArray, IntArray, blocks
from refimpl.kernels.contract import checked

LANES = 8
HELD = 2**22  # numbers held at a time
CACHED = 2**16  # numbers that a processor's cache holds
SHARED = 2**20  # numbers that the cache shared by all processors holds
UNDERFLOW = 2.0**-1070  # more than a sum loses by a product that underflows


@checked
def pair_distances(
    Z: FloatArray, first: IntArray, second: IntArray, *, threads: int | None = None
) -> FloatArray:
    """Compute squared Euclidean distances of pairs of rows: eqs. 1 and 4 for mapped points.

    Source: Weinberger & Saul (2008). The sum is taken in 8 interleaved lanes: lane i adds
    coordinates i, i + 8, ...; then the lanes are added, from the first. A sum beyond float64 is
    infinite; NaN and infinities in Z pass into the sum.

    Parameters
    ----------
    Z : ndarray, shape (n, r), float64
    first, second : ndarray, shape (p,), int64
        Rows of Z.

    Returns
    -------
    ndarray, shape (p,), float64

    See Also
    --------
    impostors : Find the pairs that are near enough to matter.

    Examples
    --------
    >>> Z = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    >>> pair_distances(Z, np.array([0, 0]), np.array([1, 2])).tolist()
    [25.0, 1.0]
    """
    return _distances(Z, first, second)  # LM:eq1, LM:eq4  ERRATUM LM-2


def _distances(Z: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    r = Z.shape[1]
    out = np.empty(len(first))
    for part in blocks(len(out), CACHED // (r + LANES)):
        padded = np.zeros((len(out[part]), -(-max(r, 1) // LANES) * LANES))
        with np.errstate(over="ignore", invalid="ignore"):
            padded[:, :r] = Z[first[part]] - Z[second[part]]
            lanes = np.add.reduce((padded * padded).reshape(len(padded), -1, LANES), axis=1)
            out[part] = np.cumsum(lanes, axis=1)[:, -1]
    return out


@checked
def impostors(
    Q: FloatArray,
    X: FloatArray,
    radii: FloatArray,
    classes_Q: IntArray,
    classes_X: IntArray,
    *,
    threads: int | None = None,
) -> tuple[IntArray, IntArray]:
    """Find all pairs (q, x) of different classes whose squared distance is below the radius of q.

    § 4.2 of Weinberger & Saul (2008). The squared distance is that of :func:`pair_distances`, for
    all finite data, whether it underflows or overflows.

    Parameters
    ----------
    Q : ndarray, shape (n_Q, r), float64
        Mapped points around which impostors are looked for.
    X : ndarray, shape (n_X, r), float64
        Mapped points that may be impostors.
    radii : ndarray, shape (n_Q,), float64
        Squared radii; for LMNN 1 + the largest squared distance to a target neighbour. No point is
        within a radius of 0 or less.
    classes_Q, classes_X : ndarray, shapes (n_Q,) and (n_X,), int64

    Returns
    -------
    first, second : ndarray, shape (p,), int64
        Rows of Q and of X, ascending by row of Q, then of X.

    See Also
    --------
    tree_within : Search with a ball tree, without regard to classes.

    Examples
    --------
    >>> Q, X = np.array([[0.0]]), np.array([[0.5], [0.5], [3.0]])
    >>> first, second = impostors(Q, X, np.array([1.0]), np.array([0]), np.array([0, 1, 1]))
    >>> first.tolist(), second.tolist()
    ([0], [1])
    """
    pairs = [np.empty((2, 0), dtype=np.int64)]
    with np.errstate(over="ignore"):
        squares_Q = (Q * Q).sum(axis=1)
        squares_X = (X * X).sum(axis=1)
        largest = squares_Q + squares_X.max(initial=0.0)
        error = (Q.shape[1] + 8) * (
            2.0**-50 * largest + UNDERFLOW
        )  # more than the error of the product form
        limits = radii + error
    for part in blocks(len(Q), HELD // max(1, len(X))):
        with np.errstate(over="ignore", invalid="ignore"):
            # NaN is not far
            far = squares_Q[part, None] + squares_X - 2 * (Q[part] @ X.T) > limits[part, None]
        first, second = np.nonzero(~far & (classes_Q[part, None] != classes_X))
        D = _distances(np.concatenate([Q[part], X]), first, second + len(Q[part]))
        # LM:4.2:3  ERRATUM LM-5
        first = first + part.start
        pairs.append(np.array([first, second])[:, D < radii[first]])
    first, second = np.concatenate(pairs, axis=1)
    return first, second


@checked
def hinge_terms(
    targets: FloatArray, pairs: FloatArray, start: IntArray, h: float, *, threads: int | None = None
) -> tuple[FloatArray, FloatArray, IntArray, FloatArray, FloatArray]:
    """Compute the slacks of all triples of a working set, eq. 2, and their sums in eqs. 3 and 5.

    Weinberger & Saul (2008). The hinge may be smoothed: of width h, it is z^2 / (2 h) for z between
    0 and h, and z - h / 2 above. Its slope, the weight of the triple, is 1 at and above h, z / h
    below. h = 0 is the hinge itself, whose weight is 1 for z > 0. A slack may be NaN at a far step
    of a line search; then the sums that contain it are NaN, and its triple is not active.

    Parameters
    ----------
    targets : ndarray, shape (n, k), float64
        Squared distances of the points to their target neighbours.
    pairs : ndarray, shape (p,), float64
        Squared distances of the pairs (i, l).
    start : ndarray, shape (n + 1,), int64
        The pairs of point i are those from start[i] to before start[i + 1].
    h : float
        At least 0.

    Returns
    -------
    smooth : ndarray, shape (n,), float64
        Sums of the smoothed hinges over the triples of each point: by pair, then by target
        neighbour.
    hinge : ndarray, shape (n,), float64
        Sums of the slacks themselves, eq. 2.
    active : ndarray, shape (n,), int64
        Numbers of triples with positive slack.
    pair_weights : ndarray, shape (p,), float64
        Sums of the weights over the target neighbours.
    target_weights : ndarray, shape (n, k), float64
        Sums of the weights over the pairs of a point.

    See Also
    --------
    weighted_differences : Sum differences with these weights.

    Examples
    --------
    A point whose target neighbour is 2 away, with impostors at 2.5 and 4:

    >>> sums = hinge_terms(np.array([[2.0]]), np.array([2.5, 4.0]), np.array([0, 2]), 0.0)
    >>> [part.tolist() for part in sums]
    [[0.5], [0.5], [1], [1.0, 0.0], [[1.0]]]
    """
    n, k = targets.shape
    h = float(h)
    i = np.repeat(np.arange(n), np.diff(start))
    with np.errstate(over="ignore", invalid="ignore"):
        z = (1.0 + targets)[i] - pairs[:, None]  # ERRATUM LM-1
        xi = np.where(z <= 0, 0.0, z)  # LM:eq2, LM:3:1
        if h > 0:
            weights = np.where(z >= h, 1.0, xi / h)
            losses = np.where(z >= h, xi - 0.5 * h, 0.5 * xi * weights)
        else:
            weights = np.where(z > 0, 1.0, xi)
            losses = xi
    triples = np.repeat(i, k)
    smooth = _sums(triples, losses, n)
    hinge = _sums(triples, xi, n)
    active = _sums(triples, z > 0, n).astype(np.int64)  # LM:3:4
    pair_weights = np.cumsum(weights, axis=1)[:, -1].copy()
    target_weights = np.stack([_sums(i, weights[:, j], n) for j in range(k)], axis=1)
    return smooth, hinge, active, pair_weights, target_weights


def _sums(rows: IntArray, values: FloatArray | BoolArray, n: int) -> FloatArray:
    """Return the sums of the values of each row, shape (n,)."""
    # without any row bincount gives integers
    return np.bincount(rows, weights=values.ravel(), minlength=n).astype(np.float64)


@checked
def weighted_differences(
    Z: FloatArray,
    start: IntArray,
    other: IntArray,
    edge: IntArray,
    weights: FloatArray,
    *,
    threads: int | None = None,
) -> FloatArray:
    """Sum w (z_a - z_b) for each row a of Z over its neighbours b in a list of weighted pairs.

    Eqs. 5 and 6 of Weinberger & Saul (2008) are made of such sums.

    Parameters
    ----------
    Z : ndarray, shape (n, r), float64
    start : ndarray, shape (n + 1,), int64
        The neighbours of row a are those from start[a] to before start[a + 1].
    other : ndarray, shape (e,), int64
        Rows b.
    edge : ndarray, shape (e,), int64
        Where the weight of (a, b) stands in `weights`.
    weights : ndarray, shape (p,), float64
        Neighbours of weight 0 are skipped.

    Returns
    -------
    ndarray, shape (n, r), float64
        Sums in the order of the list.

    See Also
    --------
    hinge_terms : Compute the weights.

    Examples
    --------
    One pair, (0, 1), of weight 2; each of its rows has the other for a neighbour:

    >>> Z, other = np.array([[0.0], [3.0]]), np.array([1, 0])
    >>> start, edge, w = np.array([0, 1, 2]), np.array([0, 0]), np.array([2.0])
    >>> weighted_differences(Z, start, other, edge, w).tolist()
    [[-6.0], [6.0]]
    """
    out = np.empty(Z.shape)
    a = np.repeat(np.arange(len(Z)), np.diff(start))
    kept = weights[edge] != 0
    ends = np.concatenate([[0], np.cumsum(kept)])[start]
    edges = np.flatnonzero(kept)
    block = max(1, SHARED // max(1, Z.shape[1]))
    first = 0
    while first < len(Z):
        last = max(first + 1, int(np.searchsorted(ends, ends[first] + block, side="right")) - 1)
        part = edges[ends[first] : ends[last]]
        with np.errstate(over="ignore", invalid="ignore"):
            # LM:eq5, LM:eq6, LM:3:5, LM:3:6
            terms = weights[edge[part]][:, None] * (Z[a[part]] - Z[other[part]])
            # a product with ones adds the terms of each row in their order
            sums = scipy.sparse.csr_array(
                (np.ones(len(part)), np.arange(len(part)), ends[first : last + 1] - ends[first]),
                shape=(last - first, len(part)),
            )
            out[first:last] = sums @ terms
        first = last
    return out
