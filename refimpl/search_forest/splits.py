"""Splits of a node beyond eq. 18 of Li et al. (2011): stumps, best thresholds, moved planes.

By default a node is split by the plane of eq. 18,
:func:`refimpl.search_forest.algorithm.hyperplane`. A *stump* is a threshold on one coordinate; the
paper uses stumps for nodes of many points (§ 3.3, p. 6). The other two splits are not the paper's.
One takes the threshold that is best for eq. 17. The other moves the plane as long as eq. 17 rises,
since eq. 18 only approximates eq. 17.

A node is one of :mod:`refimpl.search_forest.trees`.

Not handled here: which nodes are split, and when to stop (``algorithm.py``).
"""

import numpy as np

from refimpl.products import length, times_vector, vector_times
from refimpl.search_forest.algorithm import augmented, hyperplane
from refimpl.search_forest.options import ForestOptions
from refimpl.search_forest.trees import Node, Split
from refimpl.typing import BoolArray, FloatArray, Kernels, Points

__all__ = ["best_split"]

FIT = 5  # conjugate gradient steps that fit a plane; 2 to 20 steps gave similar results on images


def best_split(
    X: Points,
    node: Node,
    options: ForestOptions,
    rng: np.random.Generator,
    kernels: Kernels,
    threads: int | None,
) -> Split:
    """Return the split of a node that the options ask for.

    Parameters
    ----------
    X : ndarray, shape (n, d), float32 or float64
        The node's points.
    node : Node
        The weights of their pairs.
    options : ForestOptions
    rng : numpy.random.Generator
        Draws the coordinates of stumps and the start of the eigensolver.
    kernels : module
    threads : int or None

    Returns
    -------
    refimpl.search_forest.algorithm.Split

    See Also
    --------
    refimpl.search_forest.algorithm.hyperplane : The split of eq. 18, p. 5.

    Examples
    --------
    >>> import refimpl.kernels
    >>> from refimpl.search_forest import label_similarity
    >>> from refimpl.search_forest.pairs import DensePairs
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> node = DensePairs(label_similarity([0, 0, 1, 1]), 0.3).root()
    >>> stumps = ForestOptions(stump_above=3)
    >>> split = best_split(X, node, stumps, np.random.default_rng(0), refimpl.kernels, None)
    >>> split.p, split.b
    (0, -4.5)
    """
    if options.stump_above is not None and node.n > options.stump_above:
        return stump(X, node, options.n_stumps, rng)
    split = hyperplane(
        X, node, rng, last=options.augment, tol=options.tol, kernels=kernels, threads=threads
    )
    assert not isinstance(split.p, int)  # a plane has a normal
    if options.offset == "best":
        split = with_best_threshold(X, node, split.p, kernels, threads)
    if options.refine:
        split = moved(X, node, split, options.refine, kernels, threads)
    return split


def stump(X: Points, node: Node, n_stumps: int, rng: np.random.Generator) -> Split:
    """Return the stump that maximises eq. 17 among `n_stumps` random coordinates (§ 3.3, p. 6)."""
    features = np.sort(rng.choice(X.shape[1], size=min(n_stumps, X.shape[1]), replace=False))
    A = np.ascontiguousarray(X[:, features], dtype=np.float64)
    crossing, threshold = node.best_thresholds(A)  # SF:eq17
    best = int(crossing.argmin())
    return Split(int(features[best]), -float(threshold[best]), A[:, best] - threshold[best] > 0)


def with_best_threshold(
    X: Points, node: Node, p: Points, kernels: Kernels, threads: int | None
) -> Split:
    """Return the split of normal p whose threshold maximises eq. 17."""
    values = kernels.plane_values(X, p, threads=threads)
    b = -float(node.best_thresholds(values[:, np.newaxis])[1][0])  # SF:eq17
    return Split(p, b, values + b > 0)


def moved(
    X: Points, node: Node, split: Split, n_moves: int, kernels: Kernels, threads: int | None
) -> Split:
    """Move the plane of `split` up to `n_moves` times, as long as eq. 17 rises.

    With s_i = 1 on one side and -1 on the other, J^k(1) + J^k(2) = (J^k + s^T M s) / 2, and M s
    says how strongly each point belongs to which side. The next plane is the plane that fits
    M s best, with its best threshold. All sums over M are exact (see ``pairs.py``), so no rise is
    due to rounding.
    """
    x = augmented(X, X.shape[1] ** -0.5)[0]
    worth, pull = _pull(node, split.left)
    for _ in range(n_moves):
        p = fitted(x, pull, kernels, threads)[:-1]
        size = length(p)
        if not size > 0:
            break
        p = (p / size).astype(X.dtype)
        other = with_best_threshold(X, node, p, kernels, threads)
        better, pull = _pull(node, other.left)
        if not better > worth:
            break
        worth = better
        split = other
    return split


def _pull(node: Node, left: BoolArray) -> tuple[float, FloatArray]:
    """Return J^k(1) + J^k(2) of the two sides, and M s."""
    s = np.where(left, 1.0, -1.0)
    u = node.product(s)
    return 0.5 * (node.J + np.einsum("i,i", s, u)), u


def fitted(
    A: FloatArray, u: FloatArray, kernels: Kernels | None = None, threads: int | None = None
) -> FloatArray:
    """Return p with A p near u, by a few conjugate gradient steps from p = 0.

    With fewer steps, p is smaller in directions in which A varies little.
    """
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
