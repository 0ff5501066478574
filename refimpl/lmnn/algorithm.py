"""Weinberger & Saul, "Fast Solvers and Efficient Implementations for Distance Metric Learning"
(2008), as printed.

The functions are in the paper's order: target neighbours (§ 2), the solver (§ 3), k-NN with ball
trees (§§ 4.1 and 5, eqs. 7 and 8), low rank (§ 4.3), and the whole training with one metric or
several (§ 5). Eqs. 2, 3 and 5 over the active set are in :mod:`refimpl.lmnn.problem`. PAPER.md says
how the steps in the paper's prose are numbered, and what the paper leaves open.

Not handled here: checks of the input, a proof of the optimum, early stopping, limits of memory
(``training.py``).
"""

from collections.abc import Callable, Iterator

import numpy as np

import refimpl.kernels
from refimpl.ball_trees import nearest_neighbors
from refimpl.lmnn.options import Search
from refimpl.lmnn.problem import Evaluation, LargeMarginProblem
from refimpl.typing import FloatArray, IntArray, Kernels, Labels

__all__ = [
    "coordinates",
    "factor_step",
    "lmnn",
    "lmnn_svd",
    "metric_step",
    "nearest",
    "project",
    "start",
    "steps",
    "target_neighbors",
]

NextL = Callable[[FloatArray, FloatArray, float, int], FloatArray]

# ---------------------------------------------------------------------------------------------- § 2


def target_neighbors(
    X: FloatArray,
    y: Labels,
    k: int,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> IntArray:
    """Return the target neighbours of each point, its k nearest points of the same class: § 2.

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
        The nearest in Euclidean distance first; among equal distances the lowest index first.

    See Also
    --------
    refimpl.lmnn.target_neighbors : The form for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import algorithm
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> algorithm.target_neighbors(X, y, 1).tolist()
    [[1], [0], [3], [2]]
    """
    targets = np.empty((len(X), k), dtype=np.int64)
    for c in np.unique(y):
        members = np.flatnonzero(y == c)
        near = nearest_neighbors(None, X[members], k, kernels=kernels, threads=threads)  # LM:2:1
        targets[members] = members[near.indices]
    return targets


# ---------------------------------------------------------------------------------------------- § 3


def project(M: FloatArray) -> FloatArray:
    """Return a factor L of the positive semidefinite matrix L^T L that is nearest to M: § 3.

    Parameters
    ----------
    M : ndarray, shape (..., d, d), float64
        Symmetric.

    Returns
    -------
    ndarray, shape (..., d, d), float64
        The factor L; its rows ascend in length.

    See Also
    --------
    lmnn_svd : Keep only the longest rows.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import project
    >>> L = project(np.diag([4.0, -1.0]))
    >>> (L.T @ L).tolist()
    [[4.0, 0.0], [0.0, 0.0]]
    """
    values, vectors = np.linalg.eigh(M)
    L: FloatArray = np.sqrt(np.maximum(values, 0.0))[..., :, None] * np.swapaxes(vectors, -1, -2)
    return L  # LM:3:3


def metric_step(L: FloatArray, G: FloatArray, objective: float, t: int) -> FloatArray:
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

    See Also
    --------
    steps : The steps one after the other.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import algorithm
    >>> algorithm.metric_step(np.eye(2)[None], np.eye(2)[None], 1.0, 1).shape
    (1, 2, 2)
    """
    M = np.swapaxes(L, -1, -2) @ L
    eta = step_size(M, G, objective, t)  # open: step-size
    return project(M - eta * G)  # LM:3:2


def step_size(value: FloatArray, gradient: FloatArray, objective: float, t: int) -> float:
    """Return eta, the length of the t-th step: at most 0.9 of the value's norm, shorter as t grows.

    `value` is M or L, `gradient` the gradient of the objective by it.

    >>> step_size(np.array([[2.0]]), np.array([[4.0]]), objective=2.0, t=1)
    0.25
    """
    m = np.linalg.norm(value)
    g = np.linalg.norm(gradient)
    return float(m / g * min(0.9, np.sqrt(objective / (m * g)) / t**0.65))


def steps(
    problem: LargeMarginProblem,
    L: FloatArray,
    step: NextL = metric_step,
    *,
    tol: float = 1e-4,
    checks: int = 200,
) -> Iterator[tuple[int, tuple[float, FloatArray], Evaluation]]:
    """Take sub-gradient steps on an active set, and sometimes check all triples: § 3.

    The active set holds the triples that violated their margin so far. A step may raise the
    objective, so the best metric of the full checks is kept.

    Parameters
    ----------
    problem : refimpl.lmnn.problem.LargeMarginProblem
    L : ndarray, shape (partitions, r, d), float64
        The start: M = L^T L.
    step : function
        ``step(L, G, objective, t)`` returns the next L, where G is the gradient by M:
        :func:`metric_step` or :func:`factor_step`.
    tol : float
        The steps end when forty full checks lower the best objective by less than `tol` times its
        value.
    checks : int
        The largest number of full checks of all triples.

    Yields
    ------
    t : int
        The number of steps taken.
    best : float, ndarray
        The least objective of all full checks, and its L.
    now : refimpl.lmnn.problem.Evaluation
        The evaluation at the last full check.

    See Also
    --------
    lmnn : The whole training.

    Examples
    --------
    >>> import numpy as np
    >>> import refimpl.kernels
    >>> from refimpl.lmnn import algorithm
    >>> from refimpl.lmnn.problem import LargeMarginProblem
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> targets = algorithm.target_neighbors(X, y, 1)
    >>> problem = LargeMarginProblem(X, y, targets, 1.0, np.zeros(4, dtype=int), refimpl.kernels)
    >>> len(list(algorithm.steps(problem, algorithm.start(problem), checks=3)))
    3
    """
    best: tuple[float, FloatArray] = (np.inf, L)
    lows: list[float] = []
    t = 0
    for check in range(checks):
        missed = problem.add_pairs(*problem.impostors(L))  # LM:3:8, LM:4.2:3, LM:4.2:4  all triples
        now = problem.evaluate(L)  # LM:eq1, LM:eq2, LM:eq3, LM:eq4, LM:3:1, LM:3:4
        best = min(best, (now.objective, L), key=lambda pair: pair[0])
        lows.append(best[0])
        yield t, best, now
        # LM:3:9  open: convergence
        converged = not missed and check >= 40 and lows[-41] - lows[-1] <= tol * lows[-1]
        if converged or check == checks - 1:
            return
        G = problem.gradient_M(now.weights)  # LM:eq5, LM:3:5, LM:3:10  with the triples just found
        for _ in range(min(20, 2**check)):  # open: full-check
            t += 1
            L = step(L, G, now.objective, t)  # LM:3:2, LM:3:3
            then = problem.evaluate(L)  # LM:3:7  of the active set alone
            G = G + problem.gradient_M(then.weights - now.weights)  # LM:eq6, LM:3:6
            now = then


# ------------------------------------------------------------------------------- §§ 4.1 and 5, k-NN


def nearest(
    X: FloatArray,
    Q: FloatArray,
    k: int,
    L: FloatArray,
    partition: IntArray,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> tuple[FloatArray, IntArray]:
    """Return the k nearest training points of each query, by ball trees: eq. 8.

    The distance to a training point is taken under its own metric.

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
        Squared distances, in ascending order.
    indices : ndarray, shape (m, k), int64
        Rows of X; among equal distances the lowest index comes first.

    See Also
    --------
    refimpl.lmnn.metric_neighbors : The form for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import algorithm
    >>> X, Q = np.array([[0.0], [1.0], [4.0]]), np.array([[3.0]])
    >>> algorithm.nearest(X, Q, 2, np.ones((1, 1, 1)), np.zeros(3, dtype=int))[1].tolist()
    [[2, 1]]
    """
    all_squares = []
    all_indices = []
    for alpha in np.unique(partition):
        members = np.flatnonzero(partition == alpha)
        Z = X[members] @ L[alpha].T  # LM:5:1
        # LM:4.1:1, LM:4.1:2, LM:4.1:3
        tree = kernels.build_tree(Z, direction="principal", threads=threads)
        near = min(k, len(members))
        # LM:eq7, LM:4.1:4
        closest = kernels.tree_nearest(tree, Q @ L[alpha].T, near, bound="ball", threads=threads)
        all_squares.append(closest[0])  # LM:eq8
        all_indices.append(members[closest[1]])
    squares = np.hstack(all_squares)
    indices = np.hstack(all_indices)
    order = np.lexsort((indices, squares), axis=1)[:, :k]  # LM:5:2
    return np.take_along_axis(squares, order, axis=1), np.take_along_axis(indices, order, axis=1)


# -------------------------------------------------------------------------------------------- § 4.3


def lmnn_svd(M: FloatArray, r: int) -> FloatArray:
    """Return the factor of the r leading eigenvectors of M: LMNN-SVD, § 4.3.

    Parameters
    ----------
    M : ndarray, shape (d, d), float64
    r : int

    Returns
    -------
    ndarray, shape (r, d), float64
        The factor; its longest row comes first.

    See Also
    --------
    refimpl.lmnn.lmnn_svd : The form for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import algorithm
    >>> np.abs(algorithm.lmnn_svd(np.diag([1.0, 4.0]), 1)).tolist()
    [[0.0, 2.0]]
    """
    return project(M)[::-1][:r]  # LM:4.3:1


def factor_step(L: FloatArray, G: FloatArray, objective: float, t: int) -> FloatArray:
    """Return L - eta times the gradient by L: the t-th step of LMNN-RECT, § 4.3.

    Parameters
    ----------
    L, G, objective, t
        As for :func:`metric_step`.

    Returns
    -------
    ndarray, shape (partitions, r, d), float64

    See Also
    --------
    steps : The steps one after the other.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import algorithm
    >>> algorithm.factor_step(np.ones((1, 1, 2)), np.eye(2)[None], 1.0, 1).shape
    (1, 1, 2)
    """
    D: FloatArray = 2 * L @ G  # LM:4.3:2  eq. 3 as a function of L, M = L^T L
    eta = step_size(L, D, objective, t)  # open: rect-step-size
    return L - eta * D  # LM:4.3:3


# ---------------------------------------------------------------------------------------------- § 5


def coordinates(problem: LargeMarginProblem) -> FloatArray:
    """Return a matrix R for each metric; the points X R are in the coordinates of the steps.

    In these coordinates the sum of C_ij over target neighbours is the identity. Eq. 3 is the same
    in all coordinates, but in these the steps come near its optimum far sooner.

    Parameters
    ----------
    problem : refimpl.lmnn.problem.LargeMarginProblem

    Returns
    -------
    ndarray, shape (partitions, d, d), float64

    See Also
    --------
    lmnn : The training in these coordinates.

    Examples
    --------
    >>> import numpy as np
    >>> import refimpl.kernels
    >>> from refimpl.lmnn import algorithm
    >>> from refimpl.lmnn.problem import LargeMarginProblem
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> targets = algorithm.target_neighbors(X, y, 1)
    >>> problem = LargeMarginProblem(X, y, targets, 1.0, np.zeros(4, dtype=int), refimpl.kernels)
    >>> np.abs(algorithm.coordinates(problem)).round(3).tolist()  # four squares of 1
    [[[0.5]]]
    """
    values, vectors = np.linalg.eigh(problem.pull_gradient())
    R: FloatArray = vectors / np.sqrt(values + 1e-6 * values.mean())[:, None, :]
    return R  # open: coordinates


def lmnn(
    X: FloatArray,
    y: IntArray,
    k: int,
    mu: float = 1.0,
    partition: IntArray | None = None,
    *,
    search: Search = "product",
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> FloatArray:
    """Return the factors of the metrics that minimise eq. 3: §§ 2, 3 and 5.1.

    The matrix products are small, so BLAS is faster with one thread. Call the function within
    ``threadpoolctl.threadpool_limits(1, user_api="blas")``, as :func:`refimpl.lmnn.lmnn` does.

    Parameters
    ----------
    X : ndarray, shape (n, d), float64
    y : ndarray, shape (n,), int64
        Classes.
    k : int
        The number of target neighbours.
    mu : float
    partition : ndarray, shape (n,), int64, optional
        The index of each point's metric, 0, 1, ...; by default there is one metric.
    search : {"product", "trees"}
        How the full check looks for impostors: by products, or in a ball tree for each class
        (§ 4.2).
    kernels : module
    threads : int, optional

    Returns
    -------
    ndarray, shape (partitions, d, d), float64
        The factor L of each metric M = L^T L.

    See Also
    --------
    refimpl.lmnn.lmnn : The form for use.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import algorithm
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> algorithm.lmnn(X, y, 1).shape
    (1, 1, 1)
    """
    partition = np.zeros(len(X), dtype=np.int64) if partition is None else partition  # LM:5:4
    targets = target_neighbors(X, y, k, kernels=kernels, threads=threads)
    problem = LargeMarginProblem(X, y, targets, mu, partition, kernels, threads, search)
    R = coordinates(problem)
    problem = problem.within(X @ R)
    for _, best, _ in steps(problem, start(problem)):  # LM:2:2, LM:5:5, LM:5:6, LM:5:7
        L = best[1]
    return L @ np.swapaxes(R, -1, -2)


def start(problem: LargeMarginProblem) -> FloatArray:
    """Return c I for each metric: then target neighbours have a mean squared distance of 1.

    Parameters
    ----------
    problem : refimpl.lmnn.problem.LargeMarginProblem

    Returns
    -------
    ndarray, shape (partitions, d, d), float64

    See Also
    --------
    steps : Start from this factor.

    Examples
    --------
    >>> import numpy as np
    >>> import refimpl.kernels
    >>> from refimpl.lmnn import algorithm
    >>> from refimpl.lmnn.problem import LargeMarginProblem
    >>> X, y = np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([0, 0, 1, 1])
    >>> targets = algorithm.target_neighbors(X, y, 1)
    >>> problem = LargeMarginProblem(X, y, targets, 1.0, np.zeros(4, dtype=int), refimpl.kernels)
    >>> algorithm.start(problem).tolist()
    [[[0.5]]]
    """
    identity = np.repeat(np.eye(problem.d)[None], problem.partitions, axis=0)
    c = float(np.sqrt(problem.targets.size / problem.evaluate(identity).pull))
    return identity * c  # open: start
