"""FTUNE and DSELECT on iris flowers."""

from typing import Any

import numpy as np

from paper_figures.site.examples import flowers
from paper_figures.site.pictures import Picture
from paper_figures.site.tracing import Trace
from paper_figures.site.values import number
from refimpl.ftune import algorithm
from refimpl.ftune.goodness import (
    goodness,
    goodness_of_loss,
    hinge_at_margin,
    pairs_for_family,
    pairs_for_loss,
    pairs_for_margin,
)
from refimpl.ftune.similarities import Similarity

PETALS = ("petal length", "petal width")
X, kind = flowers(
    *(50, 54, 57, 66, 70, 72, 77, 83, 86, 98), *(106, 118, 119, 123, 126, 127, 133, 134, 138, 149)
)
l = np.where(kind == 1, 1.0, -1.0)
K = np.exp(-np.sum((X[:, None] - X) ** 2, axis=-1))
SLOPES = (1.0, 3.0, 10.0, 30.0, 100.0)
D = 6


TEN = np.arange(0, len(X), 2)
BETWEEN, SIDES = K[np.ix_(TEN, TEN)], l[TEN]


def measure(kernels: Any) -> None:
    goodness(BETWEEN, SIDES, np.sign, 0.01)
    goodness(BETWEEN, SIDES, np.asarray, 0.01)
    goodness_of_loss(BETWEEN, SIDES, np.asarray, hinge_at_margin(0.2))


def draw_margin(trace: Trace, round: int) -> str:
    """The flower of this round with lines to the others, and its margin."""
    x = (round - 1) % len(TEN)
    points, f = X[TEN], "the sign" if round <= len(TEN) else "the identity"
    margin = trace.latest("G", round)[x]
    picture = Picture(points, f"Flower {x} with {f}", PETALS)
    for i in [*range(x), *range(x + 1, len(TEN)), x]:  # on top: others may stand at its place
        style = "line" if SIDES[i] == SIDES[x] else "thin"
        u, v = points[i]
        picture.line(points[[x, i]], style)
        picture.point(u, v, int(SIDES[i] < 0), 4 + 4 * BETWEEN[x, i], i == x, f"flower {i}")
    low, high = picture.y_range
    words = f"f is {f}: margin {number(margin)}"
    picture.text(picture.x_range[0], high - 0.1 * (high - low), words, "start")
    return picture.svg()


def theorems(kernels: Any) -> None:
    pairs_for_margin(0.5, 0.1, 0.05)
    pairs_for_loss(0.2, 0.05)
    pairs_for_family(5, 0.2, 0.05)
    similarity = Similarity(K)
    f, w, P = algorithm.ftune(
        (1.0,), similarity, "hinge", l, D, np.random.default_rng(1), kernels=kernels
    )
    algorithm.g(similarity.within(None, P.T.ravel())[:8], f, w, kernels=kernels)


def dselect(kernels: Any) -> None:
    algorithm.dselect(
        Similarity(K), np.arange(len(X)), l, D, np.random.default_rng(3), kernels=kernels
    )


def draw_landmarks(trace: Trace, round: int) -> str:
    """The landmarks so far have a ring; a point is larger the less similar it is to them."""
    L = [int(i) for i in trace.latest("L", round)]
    picture = Picture(X, f"The landmarks after round {round}", PETALS)
    for i, (u, v) in enumerate(X):
        words = f"landmark {L.index(i) + 1}" if i in L else ""
        picture.point(u, v, int(kind[i]) - 1, 6 if i in L else 3.5, i in L, words)
    for place, i in enumerate(L):
        picture.text(X[i, 0] + 0.09, X[i, 1] + 0.03, str(place + 1), "start")
    return picture.svg()


def ftune(kernels: Any) -> None:
    algorithm.ftune(SLOPES, Similarity(K), "hinge", l, D, np.random.default_rng(1), kernels=kernels)


def draw_transfer(trace: Trace, round: int) -> str:
    """The transfer function of this round, and the losses so far."""
    u = np.linspace(-1, 1, 101)
    slope = SLOPES[round - 1]
    corners, labels = [(-1, -1.1), (1, 1.1)], ("difference of K", "f")
    picture = Picture(corners, f"The ramp of slope {slope:g}", labels)
    for other in SLOPES[:round]:
        ramp = np.column_stack([u, np.clip(other * u, -1, 1)])
        picture.line(ramp, "line" if other == slope else "thin")
    loss = trace.latest("L_of[f]", round)
    picture.text(-0.95, 0.85, f"slope {slope:g}: loss {loss:.3f}", "start")
    return picture.svg()


EXAMPLES = {
    "goodness": (measure, draw_margin),
    "theorems": (theorems, None),
    "dselect": (dselect, draw_landmarks),
    "ftune": (ftune, draw_transfer),
}
