"""Weinberger & Saul, "Fast Solvers and Efficient Implementations for Distance Metric Learning" (2008), as printed.

In the paper's order: target neighbours (§ 2), the solver (§ 3), k-NN with ball trees (§§ 4.1 and 5, eqs. 7 and 8), low
rank (§ 4.3), the whole training, with one metric or several (§ 5). Eqs. 2, 3 and 5 over the active set are in
:mod:`refimpl.lmnn.problem`. How the steps of the paper's prose are numbered, and what it leaves open: PAPER.md.

Not handled here: checks of the input, a proof of the optimum, early stopping, limits of memory (``training.py``).
"""

import numpy as np

import refimpl.kernels
from refimpl.ball_trees import nearest_neighbors
from refimpl.lmnn.problem import LargeMarginProblem

# ------------------------------------------------------------------------------------------------ § 2


def target_neighbors(X, y, k, *, kernels=refimpl.kernels, threads=None):
    """Return the k nearest points of the same class, for each point: § 2.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
    y : ndarray, shape (n,)
    k : int
    kernels : module
    threads : int, optional

    Returns
    -------
    ndarray, shape (n, k), int64
        By Euclidean distance, nearest first, ties by index.
    """
    targets = np.empty((len(X), k), dtype=np.int64)
    for c in np.unique(y):
        members = np.flatnonzero(y == c)
        near = nearest_neighbors(X[members], None, k, kernels=kernels, threads=threads)  # LM:2:1
        targets[members] = members[near.indices]
    return targets


# ------------------------------------------------------------------------------------------------ § 3


def project(M):
    """Return a factor L of the positive semidefinite matrix L^T L that is nearest to M, shape (..., d, d)."""
    values, vectors = np.linalg.eigh(M)
    return np.sqrt(np.maximum(values, 0.0))[..., :, None] * np.swapaxes(vectors, -1, -2)  # LM:3:3


def metric_step(L, G, objective, t):
    """Return a factor of M - eta G, projected back onto the cone: the t-th step of § 3.

    Parameters
    ----------
    L : ndarray, shape (partitions, r, d), float64
        M = L^T L.
    G : ndarray, shape (partitions, d, d), float64
        The gradient by M.
    objective : float
        Eq. 3 at L.
    t : int
        1, 2, ...

    Returns
    -------
    ndarray, shape (partitions, d, d), float64
    """
    M = np.swapaxes(L, -1, -2) @ L
    m = np.linalg.norm(M)
    g = np.linalg.norm(G)
    eta = m / g * min(0.9, np.sqrt(objective / (m * g)) / t**0.65)  # open: step-size
    return project(M - eta * G)  # LM:3:2


def steps(problem, L, step=metric_step, *, tol=1e-4, checks=200):
    """Take sub-gradient steps on an active set, and check all triples now and then: § 3.

    A step may raise the objective; the best metric of the full checks is kept.

    Parameters
    ----------
    problem : refimpl.lmnn.problem.LargeMarginProblem
    L : ndarray, shape (partitions, r, d), float64
        Where to start: M = L^T L.
    step : function
        From L, the gradient by M, the objective and t to the next L: :func:`metric_step` or :func:`factor_step`.
    tol : float
        The steps end when forty full checks lower the best objective by less than this, relative to it.
    checks : int
        Full checks of all triples at most.

    Yields
    ------
    t : int
        Steps taken.
    best : float, ndarray
        The least objective of all full checks, and its L.
    now : refimpl.lmnn.problem.Evaluation
        At the full check just made.
    """
    best = np.inf, L
    lows = []
    t = 0
    for check in range(checks):
        missed = problem.add_pairs(*problem.impostors(L))  # LM:3:8, LM:4.2:3, LM:4.2:4  all triples
        now = problem.evaluate(L)  # LM:eq1, LM:eq2, LM:eq3, LM:eq4, LM:3:1, LM:3:4
        best = min(best, (now.objective, L), key=lambda one: one[0])
        lows.append(best[0])
        yield t, best, now
        converged = not missed and check >= 40 and lows[-41] - lows[-1] <= tol * lows[-1]  # LM:3:9  open: convergence
        if converged or check == checks - 1:
            return
        G = problem.gradient_M(now.weights)  # LM:eq5, LM:3:5, LM:3:10  with the triples just found
        for _ in range(min(20, 2**check)):  # open: full-check
            t += 1
            L = step(L, G, now.objective, t)  # LM:3:2, LM:3:3
            then = problem.evaluate(L)  # LM:3:7  of the active set alone
            G = G + problem.gradient_M(then.weights - now.weights)  # LM:eq6, LM:3:6
            now = then


# ------------------------------------------------------------------------------------ §§ 4.1 and 5, k-NN


def nearest(X, Q, k, L, partition, *, kernels=refimpl.kernels, threads=None):
    """Return the k nearest training points of each query, each under its own metric: eq. 8, by ball trees.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
    Q : ndarray, shape (m, d), float64
    k : int
    L : ndarray, shape (partitions, r, d), float64
    partition : ndarray, shape (n,), int64
        alpha_i of each training point.
    kernels : module
    threads : int, optional

    Returns
    -------
    squares : ndarray, shape (m, k), float64
        Squared distances, ascending.
    indices : ndarray, shape (m, k), int64
        Places in X; of equal distances the lowest comes first.
    """
    squares, indices = [], []
    for alpha in np.unique(partition):
        members = np.flatnonzero(partition == alpha)
        Z = X[members] @ L[alpha].T  # LM:5:1
        tree = kernels.build_tree(Z, direction="principal", threads=threads)  # LM:4.1:1, LM:4.1:2, LM:4.1:3
        near = min(k, len(members))
        found = kernels.tree_nearest(tree, Q @ L[alpha].T, near, bound="ball", threads=threads)  # LM:eq7, LM:4.1:4
        squares.append(found[0])  # LM:eq8
        indices.append(members[found[1]])
    squares, indices = np.hstack(squares), np.hstack(indices)
    order = np.lexsort((indices, squares), axis=1)[:, :k]  # LM:5:2
    return np.take_along_axis(squares, order, axis=1), np.take_along_axis(indices, order, axis=1)


# ------------------------------------------------------------------------------------------------ § 4.3


def lmnn_svd(M, r):
    """Return the factor of the r leading eigenvectors of M: LMNN-SVD, § 4.3. Shape (r, d), largest first."""
    return project(M)[::-1][:r]  # LM:4.3:1


def factor_step(L, G, objective, t):
    """Return L - eta times the gradient by L: the t-th step of LMNN-RECT, § 4.3. As for :func:`metric_step`."""
    D = 2 * L @ G  # LM:4.3:2  eq. 3 as a function of L, M = L^T L
    m = np.linalg.norm(L)
    g = np.linalg.norm(D)
    eta = m / g * min(0.9, np.sqrt(objective / (m * g)) / t**0.65)  # open: rect-step-size
    return L - eta * D  # LM:4.3:3


# ------------------------------------------------------------------------------------------------ § 5


def coordinates(problem):
    """Return maps X -> X R, one for each metric, under which the sum of C_ij over target neighbours is the identity.

    Eq. 3 is the same in all coordinates; the steps come near its optimum far sooner in these.

    Returns
    -------
    ndarray, shape (partitions, d, d), float64
    """
    values, vectors = np.linalg.eigh(problem.pull_gradient())
    return vectors / np.sqrt(values + 1e-6 * values.mean())[:, None, :]  # open: coordinates


def lmnn(X, y, k, mu=1.0, partition=None, *, search="product", kernels=refimpl.kernels, threads=None):
    """Return factors of the metrics that minimise eq. 3, one metric for each partition: §§ 2, 3 and 5.1.

    Its products are small, so the threads of BLAS cost more than they gain, and very much beside other work: call it
    within ``threadpoolctl.threadpool_limits(1, user_api="blas")``, as :func:`refimpl.lmnn.lmnn` does.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
    y : ndarray, shape (n,), int64
        Classes.
    k : int
        Target neighbours.
    mu : float
    partition : ndarray, shape (n,), int64, optional
        Of each point, 0, 1, ...; one metric without it.
    search : {"product", "trees"}
        How the full check looks for impostors: by products, or in one ball tree for each class (§ 4.2).
    kernels : module
    threads : int, optional

    Returns
    -------
    ndarray, shape (partitions, d, d), float64
        L, M = L^T L.
    """
    partition = np.zeros(len(X), dtype=np.int64) if partition is None else partition  # LM:5:4
    targets = target_neighbors(X, y, k, kernels=kernels, threads=threads)
    problem = LargeMarginProblem(X, y, targets, mu, partition, kernels, threads, search)
    R = coordinates(problem)
    problem = problem.within(X @ R)
    for _, best, _ in steps(problem, start(problem)):  # LM:2:2, LM:5:5, LM:5:6, LM:5:7
        L = best[1]
    return L @ np.swapaxes(R, -1, -2)


def start(problem):
    """Return c I for each metric, of which target neighbours are at a mean squared distance of 1."""
    identity = np.repeat(np.eye(problem.d)[None], problem.partitions, axis=0)
    return identity * np.sqrt(problem.targets.size / problem.evaluate(identity).pull)  # open: start
