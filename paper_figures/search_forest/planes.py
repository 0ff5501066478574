"""Forests whose planes are not learnt: Algorithms 1 and 2 with other splits than eq. 18.

The weights, the stopping rule of eq. 17, lambda and the depth are those of the search forest, so
that the planes alone differ:

* ``random``: a direction drawn from a sphere, at the median of the node's points;
* ``principal``: one of the node's five principal directions, drawn at random, at their median (the
  first alone makes the same tree again and again);
* ``two-means``: half-way between the two centres of 2-means, as in a k-means tree of two regions.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from refimpl.search_forest.model import Split, Tree, forest_of_rounds
from refimpl.search_forest.pairs import MeetingPairs, Node
from refimpl.search_forest.training import grow_rounds, grow_tree
from refimpl.typing import Kernels, Points

LEADING = 5  # principal directions to draw from
ROUNDS = 20  # of 2-means; it ends before where no point changes sides


def learn_other(
    planes: str,
    X: Points,
    S: Any,
    trees: int,
    lam: float,
    max_depth: int,
    rng: np.random.Generator,
    kernels: Kernels,
) -> Any:
    """Learn a forest with planes of one kind; X, S, lambda as ``search_forest`` has them."""
    pairs = MeetingPairs(S, lam, kernels)
    streams = iter(rng.spawn(trees))

    def learn(root: Node) -> Tree:
        stream = next(streams)

        def split(of_node: Points, node: Node) -> Split:
            return SPLITS[planes](of_node, stream, kernels)

        return grow_tree(X, root, split, max_depth)

    rounds = []
    history = []
    for r in grow_rounds(pairs, trees, learn):
        rounds.append(r)
        history.append((r.tree.J, r.similar, r.dissimilar, *pairs.loss_and_objective()))
    if not rounds:
        raise ValueError(f"no tree is worth its cost with lam={lam} and {planes} planes")
    return forest_of_rounds(rounds, history, X, lam, f"{planes} planes")


def random_plane(X: Points, rng: np.random.Generator, kernels: Kernels) -> Split:
    """Return the split at the median along a direction drawn from a sphere."""
    direction = rng.standard_normal(X.shape[1])
    return _at_median(X, direction, kernels)


def principal_plane(X: Points, rng: np.random.Generator, kernels: Kernels) -> Split:
    """Return the split at the median along one of the directions of the largest variance."""
    centred = X - X.mean(axis=0, dtype=np.float64)
    directions = np.linalg.eigh(centred.T @ centred)[1][:, -LEADING:]
    return _at_median(X, directions[:, rng.integers(directions.shape[1])], kernels)


def _at_median(X: Points, direction: Any, kernels: Kernels) -> Split:
    p: Any = (direction / np.linalg.norm(direction)).astype(X.dtype)
    values = kernels.plane_values(X, p)
    b = -float(np.median(values))
    return Split(p, b, values + b > 0)


def two_means_plane(X: Points, rng: np.random.Generator, kernels: Kernels) -> Split:
    """Return the split half-way between the centres of 2-means, from two points of the node."""
    centres = X[rng.choice(len(X), 2, replace=False)].astype(np.float64)
    left = np.zeros(len(X), dtype=bool)
    for _ in range(ROUNDS):
        p: Any = centres[0] - centres[1]
        b = -float(p @ (centres[0] + centres[1])) / 2
        before, left = left, np.einsum("ij,j", X, p) + b > 0
        if (left == before).all() or left.all() or not left.any():
            break
        centres = np.stack([X[left].mean(axis=0), X[~left].mean(axis=0)])
    p = p.astype(X.dtype)
    return Split(p, b, kernels.plane_values(X, p) + b > 0)


SPLITS: dict[str, Callable[[Points, np.random.Generator, Kernels], Split]] = {
    "random": random_plane,
    "principal": principal_plane,
    "two-means": two_means_plane,
}
