"""Weinberger & Saul, "Fast Solvers and Efficient Implementations for Distance Metric Learning"
(2008), as printed, in the paper's order.

A metric is M = L^T L. L has shape (metrics, r, d): §§ 2 to 4 have one metric, § 5 has several. Each
training point x_j belongs to one of them, ``partition[j]``, and all distances to x_j are under it.
The active set is a list of pairs (i, l), each for its triples (i, j, l) over the target neighbours
j of i. N, shape (pairs, k), marks the triples of N^t.

Not handled here: checks of the input, a proof of the optimum, early stopping, limits of memory, and
coordinates in which the steps come sooner to the optimum (``training.py``).
"""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, NamedTuple

import numpy as np

import refimpl.kernels
from refimpl.arrays import any_arrays, class_numbers
from refimpl.ball_trees import nearest_neighbors
from refimpl.typing import BoolArray, FloatArray, IntArray, Kernels, Labels

__all__ = [
    "Examples",
    "State",
    "d2",
    "epsilon",
    "factor_step",
    "gradient",
    "impostors",
    "impostors_in_trees",
    "lmnn",
    "lmnn_svd",
    "mapped",
    "metric_step",
    "nearest",
    "project",
    "push",
    "steps",
    "sum_of_C",
    "target_neighbors",
    "until_converged",
    "xi",
]

Pairs = tuple[IntArray, IntArray]


class Examples(NamedTuple):
    """What is learnt from: points (n, d), classes (n,), target neighbours (n, k), metrics (n,)."""

    X: FloatArray
    y: IntArray
    targets: IntArray
    partition: IntArray


# ---------------------------------------------------------------------------------------------- § 2


@any_arrays
def target_neighbors(
    X: FloatArray,
    y: Labels,
    k: int,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> IntArray:
    """Return the k nearest points j of the same class for each point i, shape (n, k): § 2."""
    targets = np.empty((len(X), k), dtype=np.int64)
    for c in np.unique(y):
        members = np.flatnonzero(y == c)
        near = nearest_neighbors(None, X[members], k, kernels=kernels, threads=threads)  # LM:2:1
        targets[members] = members[near.indices]
    return targets


@any_arrays
def mapped(X: FloatArray, L: FloatArray) -> FloatArray:
    """Return the points L x under each metric, one metric after the other: (metrics n, r)."""
    return np.concatenate([X @ one.T for one in L])


@any_arrays
def d2(
    Z: FloatArray,
    i: IntArray,
    j: IntArray,
    partition: IntArray,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> FloatArray:
    """Return (x_i - x_j)^T M (x_i - x_j) of pairs, by the mapped points Z: eqs. 1, 4 and 8."""
    metric = partition[j] * len(partition)  # LM:eq8, LM:5:5, LM:5:6  ERRATUM LM-3
    return kernels.pair_distances(Z, metric + i, metric + j, threads=threads)  # LM:eq1, LM:eq4


# ---------------------------------------------------------------------------------------------- § 3


@any_arrays
def xi(near: FloatArray, far: FloatArray, i: IntArray) -> FloatArray:
    """Return the slacks (pairs, k) of near d^2(x_i, x_j), (n, k), far d^2(x_i, x_l), (pairs,)."""
    return np.maximum((1 + near).take(i, axis=0) - far[:, None], 0)  # LM:eq2, LM:3:1  ERRATUM LM-1


@any_arrays
def epsilon(near: FloatArray, slacks: FloatArray, mu: float) -> float:
    """Return the objective: eq. 3."""
    return float(near.sum() + mu * slacks.sum())  # LM:eq3


def step_size(value: FloatArray, gradient: FloatArray, t: int) -> float:
    """Return eta, under which the t-th step is 0.3 / sqrt(t) times as long as the value, M or L."""
    length = np.linalg.norm(gradient)
    # where the sub-gradient is 0, eq. 3 is least
    return float(0.3 / np.sqrt(t) * np.linalg.norm(value) / length) if length > 0 else 0.0


@any_arrays
def metric_step(L: FloatArray, G: FloatArray, t: int) -> FloatArray:
    """Return a factor of M - eta G, projected back onto the cone: the t-th step of § 3."""
    M = np.swapaxes(L, -1, -2) @ L
    eta = step_size(M, G, t)  # open: step-size
    return project(M - eta * G)  # LM:3:2


@any_arrays
def project(M: FloatArray) -> FloatArray:
    """Return a factor L of the positive semidefinite L^T L nearest to M, (..., d, d): § 3."""
    values, vectors = np.linalg.eigh(M)
    values = np.maximum(values, 0.0)  # LM:3:3, LM:5:7
    L: FloatArray = np.sqrt(values)[..., :, None] * np.swapaxes(vectors, -1, -2)
    return L


@any_arrays
def sum_of_C(
    examples: Examples,
    i: IntArray,
    j: IntArray,
    w: FloatArray,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> FloatArray:
    """Return the sum of w C_ij over pairs, for the metric of each j: (metrics, d, d).

    C_ij = (x_i - x_j)(x_i - x_j)^T. Their sum is X^T times sums of w (x_i - x_j).
    """
    X, partition = examples.X, examples.partition
    sums = np.zeros((partition.max() + 1, X.shape[1], X.shape[1]))
    for alpha in np.flatnonzero(np.bincount(partition[j])):
        of = partition[j] == alpha
        rows, places = np.unique(np.concatenate([i[of], j[of]]), return_inverse=True)
        first, second = places.reshape(2, -1)
        pairs = adjacency(first, second, len(rows))
        W = kernels.weighted_differences(X[rows], *pairs, w[of], threads=threads)
        half = X[rows].T @ W
        sums[alpha] = (half + half.T) / 2  # a sum of symmetric matrices, but for rounding
    return sums


def adjacency(a: IntArray, b: IntArray, n: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return the pairs (a, b) by their n rows: starts of the rows' lists, other rows, pairs."""
    rows = np.concatenate([a, b])
    order = np.argsort(rows, kind="stable")
    pair = np.arange(len(a))
    start = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    return start, np.concatenate([b, a])[order], np.concatenate([pair, pair])[order]


@any_arrays
def push(
    examples: Examples,
    i: IntArray,
    l: IntArray,
    N: BoolArray,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> FloatArray:
    """Return the sum of C_ij - C_il over the triples (i, j, l) that N marks."""
    pair, place = np.divmod(np.flatnonzero(N), N.shape[1])
    i, j, l = i[pair], examples.targets[i[pair], place], l[pair]
    signs = np.repeat([1.0, -1.0], len(pair))
    others = np.concatenate([j, l])
    return sum_of_C(examples, np.tile(i, 2), others, signs, kernels=kernels, threads=threads)


@any_arrays
def gradient(
    examples: Examples,
    i: IntArray,
    l: IntArray,
    N: BoolArray,
    mu: float,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> FloatArray:
    """Return the sub-gradient of eq. 3 by each M, shape (metrics, d, d): eq. 5."""
    n, k = examples.targets.shape
    how: dict[str, Any] = {"kernels": kernels, "threads": threads}
    pull = sum_of_C(
        examples, np.repeat(np.arange(n), k), examples.targets.ravel(), np.ones(n * k), **how
    )
    return pull + mu * push(examples, i, l, N, **how)  # LM:eq5, LM:3:5


@any_arrays
def impostors(
    examples: Examples,
    Z: FloatArray,
    near: FloatArray,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> Pairs:
    """Return the pairs (i, l) of two classes with d^2(x_i, x_l) < d^2(x_i, x_j) + 1 for a j.

    Z : the mapped points, (metrics n, r)
    near : d^2(x_i, x_j), (n, k)
    """
    limits = 1 + near.max(axis=1)  # LM:4.2:3
    y, partition = examples.y, examples.partition
    pairs = []
    for alpha, images in enumerate(Z.reshape(-1, len(y), Z.shape[1])):
        members = np.flatnonzero(partition == alpha)
        i, l = kernels.impostors(images, images[members], limits, y, y[members], threads=threads)
        pairs.append((i, members[l]))
    i, l = np.concatenate(pairs, axis=1)
    return i, l


class State(NamedTuple):
    """The solver after t steps."""

    t: int
    L: FloatArray  # the factors, (metrics, r, d)
    objective: float  # eq. 3 over the active set
    i: IntArray  # the active set: pairs (i, l)
    l: IntArray
    N: BoolArray  # N^t, the triples of it that violate their margin, (pairs, k)
    G: FloatArray  # the sub-gradient, (metrics, d, d)
    found: int | None  # how many new pairs a full check found; None without one


@any_arrays
def steps(
    examples: Examples,
    mu: float,
    L: FloatArray,
    *,
    step: Callable[[FloatArray, FloatArray, int], FloatArray] = metric_step,
    look: Callable[..., Pairs] = impostors,
    between: int = 20,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> Iterator[State]:
    """Take sub-gradient steps from L without end, and yield the state before each of them: § 3.

    step : :func:`metric_step`, or :func:`factor_step` of § 4.3
    look : how a full check looks for impostors; by default :func:`impostors`
    between : at most so many steps between two full checks; with 1 every step searches, as in § 4.2
    """
    n, k = examples.targets.shape
    how: dict[str, Any] = {"kernels": kernels, "threads": threads}
    own = np.repeat(np.arange(n), k), examples.targets.ravel(), examples.partition
    active = np.empty(0, dtype=np.int64)  # the active set: pairs (i, l) as numbers i n + l
    N, G = np.empty((0, k), dtype=bool), np.empty(0)  # until the first full check
    due, gap = 0, 1  # the next full check, and the steps until the one after it
    for t in count():
        Z = mapped(examples.X, L)
        near = d2(Z, *own, **how).reshape(n, k)
        found = None
        if t == due:  # open: full-check
            i, l = look(examples, Z, near, **how)  # LM:3:8
            before, active = active, np.union1d(active, i * n + l)  # LM:3:7
            i, l = np.divmod(active, n)
            found = len(active) - len(before)
            due, gap = due + min(gap, between), 2 * gap
        slacks = xi(near, d2(Z, i, l, examples.partition, **how), i)
        N_next = slacks > 0  # LM:3:4
        if found is None:
            left = push(examples, i, l, N & ~N_next, **how)
            came = push(examples, i, l, N_next & ~N, **how)
            G = G - mu * left + mu * came  # LM:eq6, LM:3:6
        else:  # the active set may be another one
            G = gradient(examples, i, l, N_next, mu, **how)
        N = N_next
        yield State(t, L, epsilon(near, slacks, mu), i, l, N, G, found)
        L = step(L, G, t + 1)  # LM:3:10


def until_converged(
    states: Iterator[State], tol: float = 1e-4, checks: int = 200
) -> Iterator[tuple[State, tuple[float, FloatArray]]]:
    """Yield the states of full checks and, of these so far, the least objective and its L."""
    best: tuple[float, FloatArray] = (np.inf, np.empty(0))
    lows: list[float] = []
    for now in states:
        if now.found is None:
            continue
        # LM:2:2  open: best
        best = min(best, (now.objective, now.L), key=lambda pair: pair[0])
        lows.append(best[0])
        yield now, best
        # LM:3:9  open: convergence
        converged = len(lows) > 40 and not now.found and lows[-41] - lows[-1] <= tol * lows[-1]
        if converged or len(lows) == checks:
            return


# -------------------------------------------------------------------------------------------- § 4.1


def nearest_in_a_ball_tree(
    Z: FloatArray, Q: FloatArray, k: int, *, kernels: Kernels, threads: int | None
) -> tuple[FloatArray, IntArray]:
    """Return squared distances and rows of the k rows of Z nearest to each row of Q: eq. 7."""
    # LM:4.1:1, LM:4.1:2, LM:4.1:3
    tree = kernels.build_tree(Z, direction="principal", threads=threads)
    # LM:eq7, LM:4.1:4
    closest = kernels.tree_nearest(tree, Q, k, bound="ball", threads=threads)
    return closest[0], closest[1]


# -------------------------------------------------------------------------------------------- § 4.2


@any_arrays
def impostors_in_trees(
    examples: Examples,
    Z: FloatArray,
    near: FloatArray,
    *,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> Pairs:
    """Return :func:`impostors`, found in a ball tree of each class: the search of § 4.2."""
    limits = 1 + near.max(axis=1)
    y, partition = examples.y, examples.partition
    pairs = []
    for alpha, images in enumerate(Z.reshape(-1, len(y), Z.shape[1])):
        for c in np.unique(y[partition == alpha]):
            members = np.flatnonzero((partition == alpha) & (y == c))
            others = np.flatnonzero(y != c)
            # LM:4.2:4
            tree = kernels.build_tree(images[members], direction="principal", threads=threads)
            starts, found, *_ = kernels.tree_within(
                tree, images[others], limits[others], bound="ball", threads=threads
            )
            pairs.append((np.repeat(others, np.diff(starts)), members[found]))
    i, l = np.concatenate(pairs, axis=1)
    return i, l


# -------------------------------------------------------------------------------------------- § 4.3


@any_arrays
def lmnn_svd(M: FloatArray, r: int) -> FloatArray:
    """Return the factor of the r leading eigenvectors of M, longest row first: LMNN-SVD, § 4.3."""
    return project(M)[::-1][:r]  # LM:4.3:1


@any_arrays
def factor_step(L: FloatArray, G: FloatArray, t: int) -> FloatArray:
    """Return L - eta times the gradient by L: the t-th step of LMNN-RECT, § 4.3."""
    D: FloatArray = 2 * L @ G  # LM:4.3:2  eq. 3 as a function of L, M = L^T L
    eta = step_size(L, D, t)  # open: rect-step-size
    return L - eta * D  # LM:4.3:3


# ---------------------------------------------------------------------------------------------- § 5


@any_arrays
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
    """Return the k nearest training points of each query, each under its own metric: eq. 8.

    squares : (m, k), ascending
    indices : (m, k), rows of X; among equal distances the lowest comes first
    """
    all_squares = []
    all_indices = []
    for alpha in np.unique(partition):
        members = np.flatnonzero(partition == alpha)
        Z = X[members] @ L[alpha].T  # LM:5:1
        images, near = Q @ L[alpha].T, min(k, len(members))
        # LM:eq8
        squares, places = nearest_in_a_ball_tree(Z, images, near, kernels=kernels, threads=threads)
        all_squares.append(squares)
        all_indices.append(members[places])
    squares, indices = np.hstack(all_squares), np.hstack(all_indices)
    order = np.lexsort((indices, squares), axis=1)[:, :k]  # LM:5:2
    return np.take_along_axis(squares, order, axis=1), np.take_along_axis(indices, order, axis=1)


# -------------------------------------------------------------------------------------------- § 5.1


@any_arrays
def lmnn(
    X: FloatArray,
    y: Labels,
    k: int,
    mu: float = 1.0,
    partition: IntArray | None = None,
    *,
    look: Callable[..., Pairs] = impostors,
    kernels: Kernels = refimpl.kernels,
    threads: int | None = None,
) -> FloatArray:
    """Return the factors of the metrics that minimise eq. 3, shape (metrics, d, d): §§ 2, 3, 5.1.

    partition : the metric of each point, 0, 1, ...; by default there is one metric
    look : :func:`impostors` or :func:`impostors_in_trees`
    """
    y = class_numbers(y)
    partition = np.zeros(len(X), dtype=np.int64) if partition is None else partition  # LM:5:4
    targets = target_neighbors(X, y, k, kernels=kernels, threads=threads)
    unit = usual_spread(X)  # open: start  the Euclidean metric, by this unit of length
    L = np.repeat(np.eye(X.shape[1])[None], partition.max() + 1, axis=0)
    examples = Examples(X / unit, y, targets, partition)
    states = steps(examples, mu, L, look=look, kernels=kernels, threads=threads)
    *_, (_, best) = until_converged(states)
    return best[1] / unit


def usual_spread(X: FloatArray) -> float:
    """Return a power of two near the mean distance of a coordinate from its mean."""
    spread = np.abs(X - X.mean(axis=0)).mean()
    return float(2.0 ** np.round(np.log2(spread))) if spread > 0 else 1.0
