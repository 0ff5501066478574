"""Algorithms 1 and 2 of Li et al. (2011) for use: on pairs in any form, with more ways to end.

They are those of ``algorithm.py``. A node is a part of the points with the weights of their pairs
(:mod:`refimpl.search_forest.trees`), so that a list of pairs serves as well as the paper's
matrices. The leaf of least J^k, where most is to be gained, is split first.

Not handled here: the weights of pairs (``pairs.py``), splits (``splits.py``), checks of the input
(``training.py``).
"""

import heapq
from collections.abc import Callable, Iterator

import numpy as np

from refimpl.search_forest.algorithm import best_c, same_partition
from refimpl.search_forest.trees import Node, Pairs, Round, Split, Tree
from refimpl.typing import Points

__all__ = ["grow_rounds", "grow_tree"]


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
