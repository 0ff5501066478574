"""Algorithms 1 and 2 of Li et al. (2011) for use: pairs in any form, other splits and endings.

They are those of ``algorithm.py``. A node is a part of the points with the weights of their pairs
(:mod:`refimpl.search_forest.trees`), so that a list of pairs serves as well as the paper's
matrices. The leaf of least J^k, where most is to be gained, is split first. The plane of eq. 18 is
taken in the points' own coordinates, as :func:`refimpl.search_forest.algorithm.hyperplane` does, or
in those of each node. A *stump* is a threshold on one coordinate; the paper uses stumps for nodes
of many points (§ 3.3, p. 6). Best thresholds for eq. 17, and planes that move as long as it rises,
are not the paper's.

Not handled here: the weights of pairs (``pairs.py``), planes and how they are moved
(``refimpl/kernels/planes.py``), checks of the input (``training.py``).
"""

import heapq
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from refimpl.search_forest.algorithm import augmented, best_c, same_partition
from refimpl.search_forest.model import ForestOptions
from refimpl.search_forest.trees import Node, Pairs, Round, Split, Tree
from refimpl.typing import Points

__all__ = ["best_split", "grow_rounds", "grow_tree"]


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


def grow_rounds(
    pairs: Pairs, M: int, learn: Callable[[Node], Tree], before: Tree | None = None
) -> Iterator[Round]:
    """Run Algorithm 1 on `pairs`, whose T grows with each round that is yielded.

    `learn` gets the node of all points. `before` is the last tree of earlier rounds.
    """
    for m in range(1, M + 1):
        tree = learn(pairs.root())
        if before is not None and same_partition(tree.leaf, before.leaf):
            return
        before = tree
        similar, dissimilar = pairs.masses(tree.leaf)
        c = best_c(similar, dissimilar, pairs.lam)
        if c <= 0:
            return
        pairs.meet(tree.leaf, c)
        yield Round(m, tree, c, similar, dissimilar)


def grow_tree(
    X: Points,
    root: Node,
    best_split: Callable[[Points, Node], Split],
    max_depth: int = 16,
    max_leaves: float = np.inf,
) -> Tree:
    """Run Algorithm 2 from the node of all points, with at most `max_leaves` leaves."""
    tree = Tree([-1], [None], [0.0], np.zeros(len(X), dtype=np.int64), root.J)
    queue = [(root.J, 0, 0, root, np.arange(len(X)))]
    while queue and tree.n_leaves < max_leaves:
        _, k, depth, node, rows = heapq.heappop(queue)
        split = best_split(X[rows], node)
        parts = node.split(split.left)
        rise = parts[0].J + parts[1].J - node.J
        if rise > node.negligible():
            children = tree.split(k, split, rows, rise)
            sides = (rows[split.left], rows[~split.left])
            for child, part, side in zip(children, parts, sides, strict=True):
                if part.n > 1 and depth + 1 < max_depth:
                    heapq.heappush(queue, (part.J, child, depth + 1, part, side))
    return tree
