"""Boosted Distance on iris flowers."""

from typing import Any

import numpy as np

from paper_figures.site.examples import flowers
from paper_figures.site.pictures import Picture
from paper_figures.site.tracing import Trace
from refimpl.boosted_distance import algorithm
from refimpl.boosted_distance.model import StumpEnsemble

PETALS = ("petal length", "petal width")
DIFFERENCES = ("difference of length", "difference of width")
KINDS = ("setosa", "versicolor", "virginica")

# versicolor and virginica, where their petals are alike
TWO = (*range(66, 74), 77, 83, 86, 98, *range(118, 130))
X, kind = flowers(*TWO)
P, N = X[kind == 1], X[kind == 2]
T = 6

THREE, of_kind = flowers(0, 7, 14, 24, 50, 66, 70, 77, 106, 118, 126, 133)
TEN, labels = flowers(14, 24, 50, 66, 70, 77, 106, 119, 126, 133)
QUERY = np.array([[4.9, 1.6]])


def adaboost(kernels: Any) -> None:
    Phi = algorithm.adaboost(P, N, T, kernels=kernels)
    assert isinstance(Phi, StumpEnsemble)
    algorithm.H(np.vstack([P, N]), Phi)


def draw_stump(trace: Trace, round: int) -> str:
    """The points, as large as their weights, and the stump; what it gets wrong has a ring."""
    all_points = np.vstack([P, N])
    wrong, h_t = trace.latest("e", round), trace.latest("h_t", round)
    record = [r for r in trace.records if r.round == round and "h_t" in r.values][-1]
    weights = [r for r in trace.records[: trace.records.index(record)] if "w" in r.values]
    w = weights[-1].values["w"]
    picture = Picture(all_points, f"The stump of round {round} on the points", PETALS)
    picture.half(*h_t)
    for i, (x, y) in enumerate(all_points):
        words = f"{KINDS[1 + (i >= len(P))]}, weight {w[i]:.3f}"
        size = 14 * np.sqrt(w[i] / 0.25) if w[i] < 0.25 else 14
        picture.point(x, y, int(i >= len(P)), max(2.0, size), bool(wrong[i]), words)
    return picture.svg()


def classes(kernels: Any) -> None:
    algorithm.boosted_distance(THREE, of_kind, 3, kernels=kernels)


def draw_class(trace: Trace, round: int) -> str:
    """The difference vectors of a class: P within it, N from the other classes."""
    C = trace.latest("C", round)
    A = THREE[of_kind == C]
    near = (A[:, None] - A).reshape(-1, 2)
    far = (THREE[of_kind != C][:, None] - A).reshape(-1, 2)
    picture = Picture(np.vstack([near, far]), f"The differences of class {C}", DIFFERENCES)
    for kind_of_pair, differences in ((1, far), (0, near)):
        for x, y in differences:
            picture.point(x, y, kind_of_pair, 3.5)
    return picture.svg()


def nearest(kernels: Any) -> None:
    Phi = algorithm.boosted_distance(TEN, labels, 3, kernels=kernels)
    algorithm.nearest_neighbor_boosted_distance(QUERY, Phi, TEN, labels)


def draw_nearest(trace: Trace, round: int) -> str:
    """The training vectors, the query, and the vector of this round with a ring."""
    picture = Picture(np.vstack([TEN, QUERY]), f"Training vector {round}", PETALS)
    i = trace.latest("i", round)
    picture.line([QUERY[0], TEN[i]], "thin")
    for row, (x, y) in enumerate(TEN):
        picture.point(x, y, int(labels[row]), 5, row == i, f"{KINDS[labels[row]]}, i = {row}")
    picture.cross(*QUERY[0])
    return picture.svg()


Phi_C = StumpEnsemble(
    np.array([1.2, 0.7, 0.5, 0.3]),
    np.array([0, 1, 0, 1]),
    np.array([1, 1, -1, -1]),
    np.array([0.6, 0.25, -0.6, -0.3]),
)
SIDE = np.array([[length, width] for length in (-0.9, 0.0, 0.9) for width in (-0.4, 0.0, 0.4)])


def ensemble(kernels: Any) -> None:
    algorithm.H(SIDE, Phi_C)
    algorithm.similarity(SIDE, np.zeros((1, 2)), Phi_C, kernels=kernels)


def draw_ensemble(trace: Trace, round: int) -> str:
    """The differences, larger where the sum of the stumps so far is larger."""
    total = trace.latest("H", round)
    _, f, p, theta = (
        getattr(Phi_C, name)[round - 1] for name in ("alpha", "feature", "polarity", "threshold")
    )
    picture = Picture(SIDE, f"Stump {round} and the sum so far", DIFFERENCES)
    picture.half(int(f), int(p), float(theta))
    for (x, y), H in zip(SIDE, total, strict=True):
        picture.point(x, y, 0, 2 + 4 * H, words=f"H = {H:.2f}")
    return picture.svg()


EXAMPLES = {
    "ensemble": (ensemble, draw_ensemble),
    "classes": (classes, draw_class),
    "adaboost": (adaboost, draw_stump),
    "nearest": (nearest, draw_nearest),
}
