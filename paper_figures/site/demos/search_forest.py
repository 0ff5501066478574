"""The Boosted Search Forest: lambda, the number of trees, and the cells of the last tree."""

from functools import cache

import numpy as np

from paper_figures.site.demos import Frame, View, kinds, links, number, packed
from paper_figures.site.examples import flowers
from refimpl.search_forest import algorithm, neighbor_similarity
from refimpl.search_forest.model import Tree
from refimpl.typing import FloatArray

X, y = flowers(*range(0, 150, 5))
X = (X - X.mean(axis=0)) / X.std(axis=0)
SIMILAR = neighbor_similarity(X, 5).toarray() > 0
LAMBDAS = (0.02, 0.2, 0.3, 0.5, 0.7, 0.85)
TREES = (1, 2, 3, 4, 5, 6)
SETTINGS = (LAMBDAS, TREES)
DEPTH = 6
VIEW = View.around(X, 0.1)
CORNERS = np.array(
    [[VIEW.x[0], VIEW.y[0]], [VIEW.x[1], VIEW.y[0]], [VIEW.x[1], VIEW.y[1]], [VIEW.x[0], VIEW.y[1]]]
)


@cache
def forest(lam: float) -> tuple[algorithm.Round, ...]:
    """Return the trees of Algorithm 1: fewer than the most if no further tree is worth a weight."""
    return tuple(algorithm.search_forest(X, SIMILAR, lam, TREES[-1], DEPTH))


def selected(rounds: tuple[algorithm.Round, ...]) -> FloatArray:
    """Return T of all pairs of the flowers: eq. 8."""
    leaves = np.array([one.tree.leaf for one in rounds]).T
    return algorithm.selection(leaves, leaves, np.array([one.c for one in rounds]))


def values(lam: float, M: int) -> dict[str, str]:
    """Return the numbers of the last tree, and how many pairs the forest selects."""
    rounds = forest(lam)[:M]
    last, T = rounds[-1], selected(rounds) > 0
    np.fill_diagonal(T, False)
    return {
        "lam": f"{lam:g}",
        "rest": f"{1 - lam:g}",
        "c": number(last.c),
        "similar": number(last.similar),
        "dissimilar": number(max(last.dissimilar, 1.0)),
        "found": f"{int((T & SIMILAR).sum())} of {int(SIMILAR.sum())}",
        "extra": f"{int((T & ~SIMILAR).sum())}",
        "share": number(float((T & SIMILAR).sum() / SIMILAR.sum())),
        "trees": str(len(rounds)),
        "leaves": str(last.tree.n_leaves),
    }


def cells(tree: Tree) -> list[FloatArray]:
    """Return the part of the picture that reaches each leaf, as polygons."""
    found, waiting = [], [(0, CORNERS)]
    while waiting:
        k, corners = waiting.pop()
        if tree.left[k] < 0:
            found.append(corners)
            continue
        side = corners @ np.asarray(tree.p[k]) + tree.b[k]
        for child, sign in ((tree.left[k], 1.0), (tree.left[k] + 1, -1.0)):
            part = _cut(corners, sign * side)
            if len(part) > 2:
                waiting.append((child, part))
    return found


def _cut(corners: FloatArray, side: FloatArray) -> FloatArray:
    """Return the part of a polygon where `side`, given at its corners, is not below 0."""
    kept = []
    for i, here in enumerate(side):
        if here >= 0:
            kept.append(corners[i])
        j = (i + 1) % len(side)
        if here * side[j] < 0:
            kept.append(corners[i] + (corners[j] - corners[i]) * here / (here - side[j]))
    return np.array(kept)


def frame(lam: float, M: int) -> Frame:
    """Return what the demo shows for a setting of each slider."""
    rounds = forest(lam)[:M]
    T = np.triu(selected(rounds) > 0, 1)
    either = SIMILAR | SIMILAR.T
    good, bad = (list(zip(*np.nonzero(T & which), strict=True)) for which in (either, ~either))
    outline = "".join(VIEW.path(part, closed=True) for part in cells(rounds[-1].tree))
    ticks = ([-1.0, 0.0, 1.0, 2.0],) * 2
    layers = [
        *((("bad", links(bad)),) if bad else ()),
        *((("good", links(good)),) if good else ()),
        ("model", outline),
        *VIEW.axes(
            "petal length (standard deviations from the mean)", "petal width (the same)", ticks
        ),
        *kinds(y),
    ]
    return Frame(tuple(layers), values(lam, M), packed(VIEW.places(X)))
