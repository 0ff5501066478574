"""Splits of a search tree's nodes beyond eq. 18 of Li et al. (2011): § 3.3's stumps, best thresholds, moved planes.

A node is one of :mod:`refimpl.search_forest.pairs`. By default its split is the plane of eq. 18,
:func:`refimpl.search_forest.algorithm.hyperplane`. Stumps are the paper's, for nodes of many points. The other two are
not: a threshold that is the best for eq. 17, and planes that are moved as long as eq. 17 rises, which eq. 18 only
approximates.

Not handled here: which nodes are split, and when to stop (``algorithm.py``).
"""

from dataclasses import dataclass

import numpy as np

from refimpl.products import length, times_vector, vector_times
from refimpl.search_forest.algorithm import Split, augmented, hyperplane

__all__ = ["Settings", "best_split", "fitted", "moved", "stump", "with_best_threshold"]

FIT = 5  # conjugate gradient steps that fit a plane: on digits and tiny images 2 to 20 served alike


@dataclass(frozen=True)
class Settings:
    """How trees are grown; see :func:`refimpl.search_forest.search_forest`."""

    max_depth: int = 16
    max_leaves: int | None = None
    stump_above: int | None = None
    stumps: int = 16
    offset: str = "eigenvector"
    refine: int = 0
    augment: float = 0.1
    tol: float = 1e-4


def best_split(X, node, settings, rng, kernels, threads):
    """Return the :class:`~refimpl.search_forest.algorithm.Split` of a node that the settings ask for."""
    if settings.stump_above is not None and node.n > settings.stump_above:
        return stump(X, node, settings.stumps, rng)
    split = hyperplane(X, node, rng, last=settings.augment, tol=settings.tol, kernels=kernels, threads=threads)
    if settings.offset == "best":
        split = with_best_threshold(X, node, split.p, kernels, threads)
    if settings.refine:
        split = moved(X, node, split, settings.refine, kernels, threads)
    return split


def stump(X, node, most, rng):
    """Try up to `most` coordinates with every threshold; return the split that maximises eq. 17 (p. 6)."""
    features = np.sort(rng.choice(X.shape[1], size=min(most, X.shape[1]), replace=False))
    A = np.ascontiguousarray(X[:, features], dtype=np.float64)
    crossing, threshold = node.best_thresholds(A)  # SF:eq17
    best = crossing.argmin()
    return Split(int(features[best]), -float(threshold[best]), A[:, best] - threshold[best] > 0)


def with_best_threshold(X, node, p, kernels, threads):
    """Return the split of normal p whose threshold maximises eq. 17."""
    values = kernels.plane_values(X, p, threads=threads)
    b = -float(node.best_thresholds(values[:, np.newaxis])[1][0])  # SF:eq17
    return Split(p, b, values + b > 0)


def moved(X, node, split, most, kernels, threads):
    """Climb eq. 17 itself from `split`, in up to `most` moves; return the split where it ends.

    With s_i = 1 on one side and -1 on the other, J^k(1) + J^k(2) = (J^k + s^T M s) / 2, and M s says of each point how
    much it belongs to which side. The plane that fits M s best is the next one, with its best threshold, as long as
    eq. 17 rises. All sums over M are exact (see ``pairs.py``), so a rise is a true one.
    """
    x = augmented(X, X.shape[1] ** -0.5)[0]
    worth, pull = _pull(node, split.left)
    for _ in range(most):
        p = fitted(x, pull, kernels, threads)[:-1]
        size = length(p)
        if not size > 0:
            break
        other = with_best_threshold(X, node, (p / size).astype(X.dtype), kernels, threads)
        better, pull = _pull(node, other.left)
        if not better > worth:
            break
        worth = better
        split = other
    return split


def _pull(node, left):
    """J^k(1) + J^k(2) of sides, and M s."""
    s = np.where(left, 1.0, -1.0)
    u = node.product(s)
    return 0.5 * (node.J + np.einsum("i,i", s, u)), u


def fitted(A, u, kernels=None, threads=None):
    """Return p with A p near u, by a few conjugate gradient steps from p = 0: fewer shrink p where A is thin."""
    p = np.zeros(A.shape[1])
    r = vector_times(u, A, kernels, threads)
    q = r
    rr = np.einsum("i,i", r, r)
    for _ in range(FIT):
        v = times_vector(A, q, kernels, threads)
        vv = np.einsum("i,i", v, v)
        if not (vv > 0 and rr > 0):
            break
        p = p + rr / vv * q
        r = r - rr / vv * vector_times(v, A, kernels, threads)
        before = rr
        rr = np.einsum("i,i", r, r)
        q = r + rr / before * q
    return p
