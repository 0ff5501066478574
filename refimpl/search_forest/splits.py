"""Splits of a search tree's nodes: § 3.3 of Li et al. (2011), eqs. 17 and 18.

A node is one of :mod:`refimpl.search_forest.pairs`. Its split is a plane p^T x + b = 0, from the leading eigenvector of
eq. 18, its threshold and then its direction moved as long as eq. 17 itself rises; or a stump.

Not handled here: which nodes are split, and when to stop (``search_forest.py``).
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh_tridiagonal

from refimpl.products import length, times_vector, vector_times

__all__ = ["Settings", "best_split", "top_eigenvector", "unit_of"]

STEPS, RESTARTS, LOOK = 60, 20, 5  # of the eigensolver: basis, restarts, steps between looks at the residual
FAR = 1e50  # the products of eq. 18 hold fourth powers of values, and sums of them
FIT = 5  # conjugate gradient steps that fit a plane: on digits and tiny images 2 to 20 served alike


@dataclass(frozen=True)
class Settings:
    """How trees are grown; see :func:`refimpl.search_forest.search_forest` and, for `unit`, :func:`unit_of`."""

    max_depth: int
    max_leaves: int | None
    stump_above: int | None
    stumps: int
    offset: str
    refine: int
    augment: float
    tol: float
    unit: float = 1.0


def unit_of(X, augment):
    """What points and `augment` are multiplied by before eq. 18: less than 1 if its products would leave float64.

    A power of two, so that the splits are what they would be without it.
    """
    far = max(float(X.max()), -float(X.min()), augment)
    return 2.0 ** -float(np.floor(np.log2(far))) if far > FAR else 1.0


def best_split(X, node, settings, rng, kernels, threads):
    """The best split of a node as (p, feature, b, left or not, child nodes); None if eq. 17 does not increase."""
    if settings.stump_above is not None and node.n > settings.stump_above:
        p, feature, b, values = _stump(X, node, settings, rng)
    else:
        p, feature, b, values = _hyperplane(X, node, settings, rng, kernels, threads)
    left = values + b > 0  # p^T x + b > 0
    if left.all() or not left.any():
        return None
    children = node.split(left)
    if not children[0].J + children[1].J - node.J > node.negligible():  # Alg. 2 l.5: J^k(1) + J^k(2) > J^k
        return None
    return p, feature, b, left, children


def _hyperplane(X, node, settings, rng, kernels, threads):
    """Eq. 18: p~ is the leading eigenvector of X~ M X~^T (the points are rows here)."""
    augmented = np.empty((len(X), X.shape[1] + 1))
    augmented[:, :-1], augmented[:, -1] = X, settings.augment  # x~ = [x^T 1]^T
    if settings.unit != 1:
        augmented *= settings.unit
    start = rng.normal(size=augmented.shape[1])

    def product(p):
        return vector_times(node.product(times_vector(augmented, p, kernels, threads)), augmented, kernels, threads)

    p = top_eigenvector(product, start, tol=settings.tol)
    p, b = p[:-1].astype(X.dtype), float(p[-1]) * settings.augment
    values = kernels.plane_values(X, p, threads=threads)
    if settings.offset == "best":
        b = -float(node.best_thresholds(values[:, np.newaxis])[1][0])
    return _refined(X, node, (p, -1, b, values), settings, kernels, threads)


def _refined(X, node, split, settings, kernels, threads):
    """Climb eq. 17 itself from where eq. 18 leads to, which only approximates it.

    With s_i = 1 on one side and -1 on the other, J^k(1) + J^k(2) = (J^k + s^T M s) / 2, and M s says of each point how
    much it belongs to which side. The plane that fits M s best is the next one, with its best threshold, as long as
    eq. 17 rises and ``refine`` permits. All sums over M are exact (see ``forest_pairs.py``), so a rise is a true one.
    """
    if not settings.refine:
        return split
    away = X - X.mean(axis=0, dtype=np.float64)
    if settings.unit != 1:
        away *= settings.unit
    A = np.empty((len(X), X.shape[1] + 1))
    A[:, :-1], A[:, -1] = away, np.sqrt(np.einsum("ij,ij", away, away) / away.size)
    found, pull = _pull(node, split[3] + split[2] > 0)
    for _ in range(settings.refine):
        p = fitted_by(A, pull, kernels, threads)[:-1]
        size = length(p)
        if not size > 0:
            break
        p = (p / size).astype(X.dtype)
        values = kernels.plane_values(X, p, threads=threads)
        b = -float(node.best_thresholds(values[:, np.newaxis])[1][0])
        better, pull = _pull(node, values + b > 0)
        if not better > found:
            break
        found, split = better, (p, -1, b, values)
    return split


def _pull(node, left):
    """J^k(1) + J^k(2) of sides, and M s."""
    s = np.where(left, 1.0, -1.0)
    u = node.product(s)
    return 0.5 * (node.J + np.einsum("i,i", s, u)), u


def fitted_by(A, u, kernels=None, threads=None):
    """Least squares A p = u by a few conjugate gradient steps from p = 0: fewer steps shrink p where A is thin."""
    p, r = np.zeros(A.shape[1]), vector_times(u, A, kernels, threads)
    q, rr = r, np.einsum("i,i", r, r)
    for _ in range(FIT):
        v = times_vector(A, q, kernels, threads)
        vv = np.einsum("i,i", v, v)
        if not (vv > 0 and rr > 0):
            break
        p, r, before = p + rr / vv * q, r - rr / vv * vector_times(v, A, kernels, threads), rr
        rr = np.einsum("i,i", r, r)
        q = r + rr / before * q
    return p


def _stump(X, node, settings, rng):
    """p. 6: a set of stump functions is attempted, and the one that maximises eq. 17 is selected."""
    features = np.sort(rng.choice(X.shape[1], size=min(settings.stumps, X.shape[1]), replace=False))
    A = np.ascontiguousarray(X[:, features], dtype=np.float64)
    crossing, threshold = node.best_thresholds(A)
    best = crossing.argmin()
    return None, int(features[best]), -float(threshold[best]), A[:, best]


def top_eigenvector(product, start, *, tol=1e-4):
    """The eigenvector of the largest eigenvalue of a symmetric matrix, by restarted Lanczos iterations.

    As ``scipy.sparse.linalg.eigsh`` does it, but the result is a function of the start vector alone: that solver keeps
    a random state of its own. New basis vectors are made orthogonal to all earlier ones. The products are those of
    :mod:`refimpl.products`, so the number of BLAS threads does not count.

    Parameters
    ----------
    product : callable
        v -> A v.
    start : ndarray, shape (d,), float64
    tol : float
        The length of A v - theta v is at most this times abs(theta), unless 20 restarts do not suffice.

    Returns
    -------
    ndarray, shape (d,), float64
        Of length 1; its largest entry in absolute value (the first of them) is positive.
    """
    v, d = start / length(start), len(start)
    for _ in range(RESTARTS):
        Q, alpha, beta, done = np.empty((min(STEPS, d), d)), [], [], False
        for j in range(len(Q)):
            Q[j] = v
            w = product(v)
            alpha.append(np.einsum("i,i", w, v))
            for _ in range(2):
                w = w - vector_times(times_vector(Q[: j + 1], w), Q[: j + 1])
            beta.append(length(w))
            closed = beta[-1] <= 1e-13 * max(map(abs, alpha + beta))  # A maps the basis into itself
            if closed or j + 1 == len(Q) or (j + 1) % LOOK == 0:
                theta, y = eigh_tridiagonal(alpha, beta[:-1], select="i", select_range=(j, j))
                done = closed or beta[-1] * abs(y[-1, 0]) <= tol * abs(theta[0])
                if done:
                    break
            v = w / beta[-1]
        v = vector_times(y[:, 0], Q[: j + 1])
        v /= length(v)
        if done or len(Q) == d:
            break
    return v if v[np.abs(v).argmax()] > 0 else -v
