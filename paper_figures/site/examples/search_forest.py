"""The Boosted Search Forest on iris flowers."""

from typing import Any

import numpy as np

from paper_figures.site.examples import flowers
from paper_figures.site.pictures import Picture
from paper_figures.site.tracing import Trace
from refimpl.search_forest import algorithm, neighbor_similarity
from refimpl.search_forest.pairs import DensePairs

PETALS = ("petal length from the mean", "petal width from the mean")
X, y = flowers(0, 7, 14, 24, 40, 45, 50, 54, 57, 66, 70, 77, 83, 98, 101, 106, 118, 126, 133, 138)
X = X - X.mean(axis=0)  # far from the origin no plane of eq. 18 divides the flowers
LAMBDA = 0.15
M = 3


SIMILAR = neighbor_similarity(X, 5).toarray() > 0


FOREST = algorithm.search_forest(X, SIMILAR, LAMBDA, M, 3)


def boosting(kernels: Any) -> None:
    algorithm.search_forest(X, SIMILAR, LAMBDA, M, 3)


def tree(kernels: Any) -> None:
    algorithm.search_forest(X, SIMILAR, 0.5, 1)


def worth(kernels: Any) -> None:
    for trees in range(1, M + 1):
        rounds = FOREST[:trees]
        pairs = DensePairs(neighbor_similarity(X, 5), LAMBDA)
        for round in rounds:
            pairs.meet(round.tree.leaf, round.c)
        pairs.loss_and_objective()
        leaves = np.array([round.tree.leaf for round in rounds]).T
        algorithm.selection(leaves, leaves, np.array([round.c for round in rounds]))


def draw_selected(trace: Trace, round: int) -> str:
    """Lines between the pairs that the forest selects: full for similar ones, else broken."""
    T = trace.latest("T", round)
    similar = neighbor_similarity(X, 5).toarray() > 0
    picture = Picture(X, f"The pairs that {round} trees select", PETALS)
    for i, j in zip(*np.nonzero(np.triu(T > 0, 1)), strict=True):
        style = "line" if similar[i, j] or similar[j, i] else "thin"
        picture.line(X[[i, j]], style)
    _points(picture)
    return picture.svg()


def _points(picture: Picture, leaf: np.ndarray[Any, Any] | None = None) -> None:
    for i, (a, b) in enumerate(X):
        picture.point(a, b, int(y[i]), 5)
        if leaf is not None:
            picture.text(a, b + 0.08, str(leaf[i]))


def draw_tree(trace: Trace, round: int) -> str:
    """The points with the number of the leaf that each reaches."""
    leaf = trace.latest("tree.leaf", round)
    picture = Picture(X, f"The leaves of tree {round}", PETALS)
    _points(picture, leaf)
    return picture.svg()


def draw_leaf(trace: Trace, round: int) -> str:
    """The leaf that is taken, with rings, and its plane."""
    rows = set(trace.latest("rows", round).tolist())
    p, b = trace.latest("split.p", round), trace.latest("split.b", round)
    picture = Picture(X, f"Leaf {trace.latest('k', round)} and its plane", PETALS)
    (x_0, x_1), (y_0, y_1) = picture.x_range, picture.y_range
    if abs(p[1]) > abs(p[0]):
        xs = np.array([x_0, x_1])
        picture.line(np.column_stack([xs, -(b + p[0] * xs) / p[1]]))
    else:
        ys = np.array([y_0, y_1])
        picture.line(np.column_stack([-(b + p[1] * ys) / p[0], ys]))
    for i, (u, v) in enumerate(X):
        picture.point(u, v, int(y[i]), 5, i in rows)
    return picture.svg()


EXAMPLES = {
    "worth": (worth, draw_selected),
    "boosting": (boosting, draw_tree),
    "tree": (tree, draw_leaf),
}
