"""LMNN on iris flowers."""

from itertools import islice
from typing import Any

import numpy as np

import refimpl.lmnn
from paper_figures.site.examples import flowers
from paper_figures.site.pictures import Picture
from paper_figures.site.tracing import Trace
from refimpl.ball_trees import impostors as tree_impostors
from refimpl.lmnn import LMNNOptions, algorithm
from refimpl.rivals.rotated_scan import rotated_scan
from refimpl.typing import FloatArray

NAMES = ("sepal width", "petal length")
X, y = flowers(
    0, 14, 24, 41, 44, 33, 50, 57, 70, 77, 86, 98, 101, 106, 118, 126, 133, 138, columns=(1, 2)
)
K = 2
STEPS = 31
"""The steps of the first five full checks: 1 + 2 + 4 + 8 + 16."""
SHOWN = 8
"""The flower whose target neighbours and impostors the pictures show."""
NEAR = 0.3
"""How far the nearest points of the ellipse are from its centre."""


def some_steps(kernels: Any, L: FloatArray, last: int, **how: Any) -> None:
    targets = algorithm.target_neighbors(X, y, K, kernels=kernels)
    examples = algorithm.Examples(X, y, targets, np.zeros(len(X), dtype=np.int64))
    states = algorithm.steps(examples, 1.0, L, kernels=kernels, **how)
    for _ in algorithm.until_converged(islice(states, last + 1)):
        pass


def model(kernels: Any) -> None:
    algorithm.lmnn(X, y, K, kernels=kernels)


def solver(kernels: Any) -> None:
    some_steps(kernels, np.eye(2)[None], STEPS)


def draw_metric(trace: Trace, round: int) -> str:
    """The flowers, and the ellipse of M after a step."""
    return _metric(trace.latest("L", round)[0], f"The metric after step {round}")


def draw_best(trace: Trace, round: int) -> str:
    """The flowers, and the ellipse of the best M up to a full check."""
    return _metric(trace.latest("best[1]", round)[0], f"The best metric up to full check {round}")


def _metric(L: FloatArray, title: str) -> str:
    _, s, V = np.linalg.svd(L)
    picture = Picture(X, title, NAMES, equal=True)
    axes = NEAR * s[0] / np.maximum(s, s[0] / 200)  # where M is singular, two lines
    picture.ellipse(X.mean(axis=0), V.T * axes)
    targets = algorithm.target_neighbors(X, y, K)[SHOWN]
    for j in targets:
        picture.line(X[[SHOWN, j]])
    square = (((X - X[SHOWN]) @ L.T) ** 2).sum(axis=1)
    impostors = (y != y[SHOWN]) & (square < square[targets].max() + 1)
    for i, (u, v) in enumerate(X):
        picture.point(u, v, int(y[i]), 4, bool(impostors[i]))
    return picture.svg()


EVERY, KIND = flowers(*range(150), columns=(1, 2))
QUERY = np.array([[3.0, 4.7]])


def ball_tree(kernels: Any) -> None:
    alike = np.zeros(len(EVERY), dtype=np.int64)
    algorithm.nearest(EVERY, QUERY, 3, np.eye(2)[None], alike, kernels=kernels)


def draw_balls(trace: Trace, round: int) -> str:
    """All flowers, the balls of the two leaves, the query, and rings around its neighbours."""
    centres, radii, near = (
        trace.latest(name, round) for name in ("tree.centres", "tree.radii", "closest[1]")
    )
    ends = np.vstack([centres[1:] - radii[1:, None], centres[1:] + radii[1:, None]])
    picture = Picture(ends, "Two balls around the flowers", NAMES, equal=True)
    for centre, radius in zip(centres[1:], radii[1:], strict=True):
        picture.ellipse(centre, radius * np.eye(2), "thin")
    for i, (u, v) in enumerate(EVERY):
        picture.point(u, v, int(KIND[i]), 2, i in near[0])
    picture.cross(*QUERY[0])
    return picture.svg()


def impostors(kernels: Any) -> None:
    for look in (algorithm.impostors, algorithm.impostors_in_trees):
        some_steps(kernels, np.eye(2)[None], 0, look=look)
    limits = np.full(len(X), 1.5)
    tree_impostors(X, y, limits, kernels=kernels)
    rotated_scan(X, X[:3] + 0.1, 2, kernels=kernels)


def low_rank(kernels: Any) -> None:
    algorithm.lmnn_svd(np.array([[2.0, 0.5], [0.5, 1.0]]), 1)
    some_steps(kernels, np.eye(1, 2)[None], 7, step=algorithm.factor_step)


def several(kernels: Any) -> None:
    options = LMNNOptions(validation=(X[::3] + 0.05, y[::3]))
    refimpl.lmnn.kmeans_partition(X, 2, rng=np.random.default_rng(0))
    algorithm.lmnn(X, y, K, partition=y, kernels=kernels)
    L = np.stack([np.eye(2), np.diag([1.0, 0.5]), np.diag([0.5, 1.0])])
    algorithm.nearest(X, np.array([[3.0, 4.7]]), 3, L, y, kernels=kernels)
    refimpl.lmnn.leave_one_out_error(np.eye(2), X, y, 3, kernels=kernels)
    refimpl.lmnn.lmnn(X, y, K, options=options, kernels=kernels)


EXAMPLES = {
    "model": (model, draw_best),
    "solver": (solver, draw_metric),
    "ball_tree": (ball_tree, draw_balls),
    "impostors": (impostors, None),
    "low_rank": (low_rank, None),
    "several": (several, None),
}
