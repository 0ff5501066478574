"""Splits of a node for use: planes of eq. 18 of Li et al. (2011), stumps, best thresholds, moves.

The plane of eq. 18 is taken in the points' own coordinates, as
:func:`refimpl.search_forest.algorithm.hyperplane` does, or in those of each node. A *stump* is a
threshold on one coordinate; the paper uses stumps for nodes of many points (§ 3.3, p. 6). The other
two splits are not the paper's. One takes the threshold that is best for eq. 17. The other moves the
plane as long as eq. 17 rises, since eq. 18 only approximates eq. 17.

A node is one of :mod:`refimpl.search_forest.trees`.

Not handled here: which nodes are split, and when to stop (``growing.py``); planes and how they
are moved (``refimpl/kernels/planes.py``).
"""

from typing import Any

import numpy as np

from refimpl.search_forest.algorithm import augmented
from refimpl.search_forest.options import ForestOptions
from refimpl.search_forest.trees import Node, Split
from refimpl.typing import Points

__all__ = ["best_split"]


def best_split(X: Points, node: Node, options: ForestOptions, rng: np.random.Generator) -> Split:
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

    Returns
    -------
    refimpl.search_forest.trees.Split

    See Also
    --------
    refimpl.search_forest.algorithm.hyperplane : The split of eq. 18, p. 5.

    Examples
    --------
    >>> from refimpl.search_forest import label_similarity
    >>> from refimpl.search_forest.pairs import DensePairs
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> node = DensePairs(label_similarity([0, 0, 1, 1]), 0.3).root()
    >>> stumps = ForestOptions(stump_above=3)
    >>> split = best_split(X, node, stumps, np.random.default_rng(0))
    >>> split.p, split.b
    (0, -4.5)
    """
    if options.stump_above is not None and node.n > options.stump_above:
        return stump(X, node, options.n_stumps, rng)
    start = rng.normal(size=X.shape[1] + 1)
    if options.coordinates == "given":
        x = augmented(X)
        p: Any = node.leading_direction(x, start, options.tol)
        return Split(p[:-1].astype(X.dtype), float(p[-1]), x @ p > 0)
    how = options.augment, options.tol, options.offset, options.refine
    return node.best_plane(X, start, *how)


def stump(X: Points, node: Node, n_stumps: int, rng: np.random.Generator) -> Split:
    """Return the stump that maximises eq. 17 among `n_stumps` random coordinates (§ 3.3, p. 6)."""
    features = np.sort(rng.choice(X.shape[1], size=min(n_stumps, X.shape[1]), replace=False))
    A = np.ascontiguousarray(X[:, features], dtype=np.float64)
    crossing, threshold = node.best_thresholds(A)
    best = int(crossing.argmin())
    return Split(int(features[best]), -float(threshold[best]), A[:, best] - threshold[best] > 0)
