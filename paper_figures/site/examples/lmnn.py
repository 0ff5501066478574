"""LMNN on iris flowers."""

from typing import Any

import numpy as np

import refimpl.lmnn
from paper_figures.site.examples import Example, flowers
from paper_figures.site.pictures import Picture
from paper_figures.site.tracing import Trace
from refimpl.ball_trees import impostors as tree_impostors
from refimpl.lmnn import LMNNOptions, algorithm
from refimpl.lmnn.problem import LargeMarginProblem
from refimpl.rivals.rotated_scan import rotated_scan

__all__ = ["EXAMPLES"]

NAMES = ("sepal width", "petal length")
X, y = flowers(
    0, 14, 24, 41, 44, 33, 50, 57, 70, 77, 86, 98, 101, 106, 118, 126, 133, 138, columns=(1, 2)
)
K = 2
STEPS = 31
"""The steps of the first five full checks: 1 + 2 + 4 + 8 + 16."""


def problem(kernels: Any, partition: Any = None) -> LargeMarginProblem:
    alpha = np.zeros(len(X), dtype=np.int64) if partition is None else partition
    targets = algorithm.target_neighbors(X, y, K, kernels=kernels)
    return LargeMarginProblem(X, y, targets, 1.0, alpha, kernels)


def model(kernels: Any) -> None:
    algorithm.lmnn(X, y, K, kernels=kernels)


def solver(kernels: Any) -> None:
    given = problem(kernels)
    within = given.within(X @ algorithm.coordinates(given))
    for t, _, _ in algorithm.steps(within, algorithm.start(within), checks=6):
        del t


def draw_metric(trace: Trace, round: int) -> str:
    """The flowers, and the ellipse of M."""
    L = trace.latest("L", round)[0]
    R = np.asarray(algorithm.coordinates(problem(refimpl.kernels)))[0]
    L = L @ R.T  # in the coordinates of the points
    _, s, V = np.linalg.svd(L)
    root = V.T / np.maximum(s, 0.05 * s.max())
    root *= 2.5 / np.linalg.norm(root, axis=0).max()
    picture = Picture(X[:, 0], X[:, 1], f"The metric after step {round}", NAMES, equal=True)
    middle = X.mean(axis=0)
    picture.ellipse(middle, root)
    for i, (u, v) in enumerate(X):
        picture.point(u, v, int(y[i]), 4)
    return picture.svg()


def ball_tree(kernels: Any) -> None:
    every, _ = flowers(*range(150), columns=(1, 2))
    one = np.zeros(len(every), dtype=np.int64)
    algorithm.nearest(every, np.array([[3.0, 4.7]]), 3, np.eye(2)[None], one, kernels=kernels)


def impostors(kernels: Any) -> None:
    given = problem(kernels)
    next(algorithm.steps(given, algorithm.start(given)))
    limits = np.full(len(X), 1.5)
    tree_impostors(X, y, limits, kernels=kernels)
    rotated_scan(X, X[:3] + 0.1, 2, kernels=kernels)


def low_rank(kernels: Any) -> None:
    given = problem(kernels)
    algorithm.lmnn_svd(np.array([[2.0, 0.5], [0.5, 1.0]]), 1)
    L = algorithm.start(given)[:, :1]
    for _ in algorithm.steps(given, L, algorithm.factor_step, checks=4):
        pass


def several(kernels: Any) -> None:
    options = LMNNOptions(validation=(X[::3] + 0.05, y[::3]))
    refimpl.lmnn.kmeans_partition(X, 2, rng=np.random.default_rng(0))
    algorithm.lmnn(X, y, K, partition=y, kernels=kernels)
    L = np.stack([np.eye(2), np.diag([1.0, 0.5]), np.diag([0.5, 1.0])])
    algorithm.nearest(X, np.array([[3.0, 4.7]]), 3, L, y, kernels=kernels)
    refimpl.lmnn.leave_one_out_error(np.eye(2), X, y, 3, kernels=kernels)
    refimpl.lmnn.lmnn(X, y, K, options=options, kernels=kernels)


EXAMPLES = {
    "model": Example(model),
    "solver": Example(
        solver,
        "LM:3:2",
        inside="steps",
        rounds="step t",
        draw=draw_metric,
        caption="Eighteen flowers, a shape for each kind. All points of the ellipse have the "
        "same distance from its centre: it is narrow in the directions that count.",
    ),
    "ball_tree": Example(ball_tree),
    "impostors": Example(impostors),
    "low_rank": Example(low_rank, "LM:4.3:2", rounds="step t"),
    "several": Example(several, "LM:5:1", rounds="metric"),
}
