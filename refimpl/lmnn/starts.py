"""Starts of the trainings of LMNN: factors of a good scale, and a subset of the points.

With many points a training starts from the result of a training on the subset.

Not handled here: the paper's own start (``algorithm.py``).
"""

import numpy as np

from refimpl.lmnn.problem import LargeMarginProblem
from refimpl.typing import FloatArray, IntArray

__all__ = ["few", "scaled", "zero_metric"]

COARSE = 10_000  # with more points than this a tenth of them is trained first


def few(problem: LargeMarginProblem) -> IntArray | None:
    """Return every tenth point of each class, and more of a small class.

    Return None if there are few points.
    """
    members = [np.flatnonzero(problem.classes == c) for c in range(problem.classes.max() + 1)]
    strides = [max(1, min(10, len(part) // (problem.k + 1))) for part in members]
    parts = [part[::stride] for part, stride in zip(members, strides, strict=True)]
    rows = np.sort(np.concatenate(parts))
    return rows if problem.n > COARSE and 2 * len(rows) < problem.n else None


def zero_metric(mu: float, classes: IntArray, k: int) -> float:
    """Return eq. 3 of M = 0: mu for each triple (i, j, l)."""
    sizes = np.bincount(classes).astype(np.float64)
    return mu * k * float((sizes * (len(classes) - sizes)).sum())


def scaled(problem: LargeMarginProblem, L: FloatArray, sample: int = 200) -> FloatArray:
    """Return c L for the number c that is best for eq. 3 on a sample of the points.

    The pull of c L is at most the objective of M = 0.
    """
    rows = np.unique(np.linspace(0, problem.n - 1, min(sample, problem.n)).astype(np.int64))
    Z = problem.mapped(L).reshape(problem.partitions, problem.n, -1)
    D = np.empty((len(rows), problem.n))
    for alpha in range(problem.partitions):
        members = problem.partition == alpha
        A = Z[alpha][rows]
        B = Z[alpha][members]
        D[:, members] = (A * A).sum(axis=1)[:, None] + (B * B).sum(axis=1) - 2 * A @ B.T
    pull = np.take_along_axis(D, problem.targets[rows], axis=1)
    D[problem.classes[rows][:, None] == problem.classes] = np.inf
    D.sort(axis=1)
    nearest = np.maximum(D[:, :5000], 0.0)

    def loss(log_c: float) -> float:
        c = np.exp(log_c)
        hinges = sum(
            np.maximum(1 + c * (pull[:, j : j + 1] - nearest), 0.0).sum() for j in range(problem.k)
        )
        return float(c * pull.sum() + problem.mu * hinges)

    sizes = (
        np.median(nearest[:, 0]),
        pull.mean(),
        nearest.max(initial=0.0, where=nearest < np.inf),
        1.0,
    )
    grid = -np.log(next(size for size in sizes if 0 < size < np.inf)) + np.linspace(-8, 12, 41)
    low = 0
    high = len(grid) - 1
    while low < high:  # the loss is convex in c
        middle = (low + high) // 2
        if loss(grid[middle]) <= loss(grid[middle + 1]):
            high = middle
        else:
            low = middle + 1
    c = np.exp(grid[low])
    whole = pull.mean() * problem.n * problem.k
    most = zero_metric(problem.mu, problem.classes, problem.k)
    best: FloatArray = np.sqrt(most / whole if c * whole > most else c) * L
    return best
