"""Where the trainings of LMNN start: factors of a good scale, and the few points that many are begun with.

Not handled here: the paper's own start (``algorithm.py``).
"""

import numpy as np

COARSE = 10_000  # points from which on a tenth of them is solved first


def few(problem):
    """Every tenth point of each class, or more where a class is small; None if there are not many points."""
    members = [np.flatnonzero(problem.classes == c) for c in range(problem.classes.max() + 1)]
    some = np.sort(np.concatenate([rows[:: max(1, min(10, len(rows) // (problem.k + 1)))] for rows in members]))
    return some if problem.n > COARSE and 2 * len(some) < problem.n else None


def zero_metric(mu, classes, k):
    """Eq. 3 of M = 0: mu for each triple (i, j, l)."""
    sizes = np.bincount(classes).astype(np.float64)
    return mu * k * float((sizes * (len(classes) - sizes)).sum())


def scaled(problem, L, sample=200):
    """c L with the c that is best for eq. 3 on some of the points; its pull is no more than the objective of M = 0."""
    rows = np.unique(np.linspace(0, problem.n - 1, min(sample, problem.n)).astype(np.int64))
    Z = problem.mapped(L).reshape(problem.partitions, problem.n, -1)
    D = np.empty((len(rows), problem.n))
    for alpha in range(problem.partitions):
        members = problem.partition == alpha
        A, B = Z[alpha][rows], Z[alpha][members]
        D[:, members] = (A * A).sum(axis=1)[:, None] + (B * B).sum(axis=1) - 2 * A @ B.T
    pull = np.take_along_axis(D, problem.targets[rows], axis=1)
    D[problem.classes[rows][:, None] == problem.classes] = np.inf
    D.sort(axis=1)
    nearest = np.maximum(D[:, :5000], 0.0)

    def loss(log_c):
        c = np.exp(log_c)
        hinges = sum(np.maximum(1 + c * (pull[:, j : j + 1] - nearest), 0.0).sum() for j in range(problem.k))
        return c * pull.sum() + problem.mu * hinges

    sizes = np.median(nearest[:, 0]), pull.mean(), nearest.max(initial=0.0, where=nearest < np.inf), 1.0
    grid = -np.log(next(size for size in sizes if 0 < size < np.inf)) + np.linspace(-8, 12, 41)
    low, high = 0, len(grid) - 1
    while low < high:  # the loss is convex in c
        middle = (low + high) // 2
        low, high = (low, middle) if loss(grid[middle]) <= loss(grid[middle + 1]) else (middle + 1, high)
    c, whole = np.exp(grid[low]), pull.mean() * problem.n * problem.k
    most = zero_metric(problem.mu, problem.classes, problem.k)
    return np.sqrt(most / whole if c * whole > most else c) * L
