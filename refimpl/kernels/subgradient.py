"""The sub-gradient of LMNN: impostor search, slacks of the working set, sums of weighted differences.

Weinberger & Saul (2008), § 3. A pair is two rows of a table of mapped points Z = X L^T; its squared distance is that
under M = L^T L. A working set holds pairs (i, l) of differently labelled points, sorted by i; each stands for the k
triples (i, j, l) over the target neighbours j of i. The sum of w (x_a - x_b)(x_a - x_b)^T over pairs, that all of
eqs. 5 and 6 are made of, is X^T times what :func:`weighted_differences` makes of X.

What does not fit :data:`refimpl.kernels.contract.CONTRACT` raises TypeError or ValueError.

Not handled here: the choice of the working set, matrix products.
"""

import numpy as np

from refimpl.kernels.contract import checked

LANES = 8
HELD = 2**22  # numbers held at a time
UNDERFLOW = 2.0**-1070  # more than what sums lose for each product that underflows


@checked
def pair_distances(Z, first, second, *, threads=None):
    """Squared Euclidean distances of pairs of rows: eqs. 1 and 4 for mapped points.

    The sum is taken in 8 interleaved lanes, lane i adding coordinates i, i + 8, ...; then the lanes, from the first.
    A sum beyond float64 is infinite; NaN and infinities in Z pass into the sum.

    Parameters
    ----------
    Z : ndarray, shape (n, r), float64
    first, second : ndarray, shape (p,), int64
        Rows of Z.
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    ndarray, shape (p,), float64
    """
    return _distances(Z, first, second)  # LM:eq1, LM:eq4  ERRATUM LM-2


def _distances(Z, first, second):
    r = Z.shape[1]
    out = np.empty(len(first))
    block = max(1, HELD // (r + LANES))
    for start in range(0, len(out), block):
        part = slice(start, start + block)
        padded = np.zeros((len(out[part]), -(-max(r, 1) // LANES) * LANES))
        with np.errstate(over="ignore", invalid="ignore"):
            padded[:, :r] = Z[first[part]] - Z[second[part]]
            lanes = np.add.reduce((padded * padded).reshape(len(padded), -1, LANES), axis=1)
            out[part] = np.cumsum(lanes, axis=1)[:, -1]
    return out


@checked
def impostors(Q, X, radii, classes_Q, classes_X, *, threads=None):
    """All pairs (q, x) of different classes whose squared distance is less than the radius of q: § 4.2.

    The squared distance is that of :func:`pair_distances`, for all finite data, whether it underflows or overflows.

    Parameters
    ----------
    Q : ndarray, shape (n_Q, r), float64
        Mapped points with a perimeter.
    X : ndarray, shape (n_X, r), float64
        Mapped points that may invade it.
    radii : ndarray, shape (n_Q,), float64
        Squared; for LMNN 1 + the largest squared distance to a target neighbour. Nothing is within one of 0 or less.
    classes_Q, classes_X : ndarray, shapes (n_Q,) and (n_X,), int64
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    first, second : ndarray, shape (p,), int64
        Rows of Q and of X, ascending by row of Q, then of X.
    """
    found = [np.empty((2, 0), dtype=np.int64)]
    with np.errstate(over="ignore"):
        squares_Q, squares_X = (Q * Q).sum(axis=1), (X * X).sum(axis=1)
        largest = squares_Q + squares_X.max(initial=0.0)
        error = (Q.shape[1] + 8) * (2.0**-50 * largest + UNDERFLOW)  # the product form's, and more
        limits = radii + error
    block = max(1, HELD // max(1, len(X)))
    for start in range(0, len(Q), block):
        part = slice(start, start + block)
        with np.errstate(over="ignore", invalid="ignore"):
            far = squares_Q[part, None] + squares_X - 2 * (Q[part] @ X.T) > limits[part, None]  # NaN is not far
        first, second = np.nonzero(~far & (classes_Q[part, None] != classes_X))
        D = _distances(np.concatenate([Q[part], X]), first, second + len(Q[part]))
        found.append(np.array([first + start, second])[:, D < radii[first + start]])  # LM:4.2:3  ERRATUM LM-5
    first, second = np.concatenate(found, axis=1)
    return first, second


@checked
def hinge_terms(targets, pairs, start, h, *, threads=None):
    """Slacks of all triples of a working set, eq. 2, and what becomes of them in eqs. 3 and 5.

    The hinge may be smoothed: of width h, it is z^2 / (2 h) for z between 0 and h, and z - h / 2 above. Its slope, the
    weight of the triple, is 1 at and above h, z / h below; h = 0 is the hinge itself, whose weight is 1 for z > 0.
    A slack that is NaN, as far off in a line search, makes NaN of the sums that it enters, and is not active.

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
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    smooth : ndarray, shape (n,), float64
        Sums of the smoothed hinges over the triples of each point: by pair, then by target neighbour.
    hinge : ndarray, shape (n,), float64
        Sums of the slacks themselves, eq. 2.
    active : ndarray, shape (n,), int64
        Numbers of triples with positive slack.
    pair_weights : ndarray, shape (p,), float64
        Sums of the weights over the target neighbours.
    target_weights : ndarray, shape (n, k), float64
        Sums of the weights over the pairs of a point.
    """
    (n, k), h = targets.shape, float(h)
    i = np.repeat(np.arange(n), np.diff(start))
    with np.errstate(over="ignore", invalid="ignore"):
        z = (1.0 + targets)[i] - pairs[:, None]  # ERRATUM LM-1
        xi = np.where(z <= 0, 0.0, z)  # LM:eq2
        if h > 0:
            weights = np.where(z >= h, 1.0, xi / h)
            losses = np.where(z >= h, xi - 0.5 * h, 0.5 * xi * weights)
        else:
            weights, losses = np.where(z > 0, 1.0, xi), xi
    triples = np.repeat(i, k)
    smooth, hinge, active = (_sums(triples, a.ravel(), n) for a in (losses, xi, z > 0))  # LM:3:1, LM:3:4
    active = active.astype(np.int64)
    pair_weights = np.cumsum(weights, axis=1)[:, -1].copy()
    target_weights = np.stack([_sums(i, weights[:, j], n) for j in range(k)], axis=1)
    return smooth, hinge, active, pair_weights, target_weights


def _sums(rows, values, n):
    return np.bincount(rows, weights=values, minlength=n).astype(np.float64)  # integers without any row


@checked
def weighted_differences(Z, start, other, edge, weights, *, threads=None):
    """For each row a of Z the sum of w (z_a - z_b) over its neighbours b in a list of weighted pairs.

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
        Neighbours of weight 0 are passed over.
    threads : int, optional
        Not used by the reference.

    Returns
    -------
    ndarray, shape (n, r), float64
        Sums in the order of the list.
    """
    out = np.zeros(Z.shape)
    a = np.repeat(np.arange(len(Z)), np.diff(start))
    kept = np.flatnonzero(weights[edge] != 0)
    block = max(1, HELD // max(1, Z.shape[1]))
    for part in np.array_split(kept, -(-len(kept) // block) or 1):
        with np.errstate(over="ignore", invalid="ignore"):
            differences = Z[a[part]] - Z[other[part]]
            np.add.at(out, a[part], weights[edge[part]][:, None] * differences)  # LM:eq5, LM:eq6, LM:3:5, LM:3:6
    return out
