"""LMNN: Weinberger & Saul, "Fast Solvers and Efficient Implementations for Distance Metric Learning" (2008).

In the paper's order: the problem (§ 2), the solver (§ 3), low rank (§ 4.3), several metrics (§ 5). Ball trees (§ 4) are
in :mod:`refimpl.ball_trees`. The default steps are not the paper's: see :mod:`refimpl.lmnn.smoothed`.

Not handled here: k-NN search and classification (``ball_trees.py``, ``lmnn_neighbors.py``), missing values.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.cluster.vq import kmeans2

from refimpl.ball_trees import nearest_neighbors
from refimpl.checks import as_count, as_generator, as_kernels, as_matrix, one_of, positive
from refimpl.kernels.subgradient import HELD
from refimpl.lmnn import smoothed as lmnn_solver
from refimpl.lmnn.arguments import (
    as_factors,
    as_mu,
    as_options,
    as_partition,
    as_targets,
    as_validation,
    checked,
)  # fmt: skip
from refimpl.lmnn.certificate import Certificate
from refimpl.lmnn.neighbors import classify, metric_neighbors
from refimpl.lmnn.problem import LargeMarginProblem
from refimpl.products import MOST_SUMS
from refimpl.resources import check_memory
from refimpl.results import result

__all__ = [
    "LMNNResult", "estimate_memory", "kmeans_partition", "lmnn", "lmnn_rect", "lmnn_svd", "project",
    "subgradient_descent", "target_neighbors",
]  # fmt: skip

LITTLE = 1e-3  # this share of n k, or of the objective of M = 0 if that is less, counts as 0: the margin is 1
OUT_OF_CHECKS = "max_checks reached"
LEFT_OUT = (
    "{} left out, in which the points differ by no more than the rounding of the coordinates can make; such "
    "differences count as none in the bound"
)
ROUNDED = (
    "not converged: {} of X {} left out, the values of which differ by at most 16 units in the last place; subtract "
    "the mean or remove {}. Without {}: {}"
)
STUCK = (
    "neither the objective nor its bound moves any more, as can be where points or the differences between target "
    "neighbours lie very near to fewer dimensions"
)
PAIR = 260  # bytes that a pair of the working set takes
PAIR_TARGET = 48  # and for each target neighbour
FAR = 1000.0  # a direction starts with at most so many times the usual spread, in units of its pull
COARSE = 10_000  # points from which on a tenth of them is solved first


@result
@dataclass(frozen=True, eq=False)
class LMNNResult:
    """One learnt metric, or one for each partition.

    Attributes
    ----------
    L : ndarray, shape (partitions, r, d), float64
        Factors: M = L^T L. r is at most d.
    partition : ndarray, shape (n,), int64
        Partition of each training point; all 0 with one metric.
    targets : ndarray, shape (n, k), int64
        Target neighbours.
    mu : float
    objective : float
        Eq. 3 over all triples at `L`.
    bound : float
        No positive semidefinite M has a lower objective; 0 where that is not known (low rank, or a column was left out
        whose values differ by rounding at most). Columns that are sums of others but for the rounding of their
        coordinates, see :mod:`refimpl.lmnn.coordinates`, count as such sums.
    converged : bool
        Whether objective - bound is at most tol times the objective, or times a thousandth of n k or of the objective
        of M = 0 (mu for each triple), whichever is less, where the objective is less than that. Of
        :func:`lmnn_rect` it tells that the last steps gained less than tol, which proves nothing.
    message : str
        Why the training ended, and where `converged` is False how far from the optimum `L` may be.
    history : ndarray, shape (steps, 6), float64
        After each full check: the best objective so far, the bound, active triples, pairs in the working set, looks at
        the working set, and the norm of the gradient by L over that of the pull alone.
    validation_errors : ndarray, shape (steps,) or (0,), float64
        Share of the validation set misclassified after each full check.
    """

    L: np.ndarray
    partition: np.ndarray
    targets: np.ndarray
    mu: float
    objective: float
    bound: float
    converged: bool
    message: str
    history: np.ndarray
    validation_errors: np.ndarray

    def __post_init__(self):
        for name, kind in (("mu", float), ("objective", float), ("bound", float), ("converged", bool),
                           ("message", str)):  # fmt: skip
            object.__setattr__(self, name, kind(getattr(self, name)))  # a file gives arrays back

    @property
    def M(self):
        """The metrics, shape (partitions, d, d)."""
        return self.L.transpose(0, 2, 1) @ self.L

    @property
    def full_checks(self):
        """How often all triples were looked at."""
        return len(self.history)

    @property
    def gap(self):
        """How much the objective can be above the optimum, relative to it."""
        return (self.objective - self.bound) / self.objective if self.objective > 0 else 0.0


# ------------------------------------------------------------------------------------------------ § 2


def target_neighbors(X, y, k):
    """The k nearest points of the same class, for each point: § 2.

    Parameters
    ----------
    X : array_like, shape (n, d)
    y : array_like, shape (n,)
    k : int

    Returns
    -------
    ndarray, shape (n, k), int64
        By Euclidean distance, nearest first, ties by index. A point is never its own target neighbour; its duplicates
        may be.

    Raises
    ------
    ValueError
        If a class has fewer than k + 1 points.
    """
    X, classes, k = checked(X, y, k)
    targets = np.empty((len(X), k), dtype=np.int64)
    for c in np.unique(classes):
        members = np.flatnonzero(classes == c)
        near = nearest_neighbors(X[members], None, k)
        targets[members] = members[near.indices]
    return targets


# ------------------------------------------------------------------------------------------------ § 3


def project(M):
    """M with its negative eigenvalues set to 0: the nearest positive semidefinite matrix.

    Returns a factor L, M = L^T L, of the result; shape (..., d, d).
    """
    values, vectors = np.linalg.eigh(M)
    return np.sqrt(np.maximum(values, 0.0))[..., :, None] * np.swapaxes(vectors, -1, -2)


def _steps(problem, L, now, eta, certificate, tol, most):
    """Take up to `most` sub-gradient steps, stopping early when one gains little; the last result is how many."""
    M, G = np.swapaxes(L, -1, -2) @ L, problem.gradient_M(now.weights)  # eq. 5
    eta = 0.1 * np.linalg.norm(M) / np.linalg.norm(G) if eta is None else eta
    for tried in range(1, most + 1):  # noqa: B007
        step = project(M - eta * G)  # the sub-gradient step, and back onto the cone
        then = problem.evaluate(step)
        if then.objective >= now.objective:
            eta /= 2
            continue
        G = G + problem.gradient_M(then.weights - now.weights)  # eq. 6: only triples that left N^t or came to it
        gained = now.objective - then.objective
        now, L, eta = then, step, 1.2 * eta
        M = np.swapaxes(L, -1, -2) @ L
        certificate.add(_without_free(problem, L, now))
        if gained < 1e-3 * tol * now.objective:
            break
    return L, now, eta, tried


def _without_free(problem, L, now):
    """The evaluation in which pairs that differ in a direction without pull count as satisfied: the bound needs it."""
    free = problem.coordinates.is_free(problem.i, problem.l, problem.partition)
    return problem.evaluate_at(problem.mapped(L), without=free) if free.any() else now


def subgradient_descent(problem, L, tol, *, max_checks):
    """§ 3 of Weinberger & Saul (2008): sub-gradient steps with eq. 6, projection, active set and the full check.

    A step that would raise the objective is halved, one that lowers it is followed by a longer one: the paper leaves
    the rule open. The full check comes when a step gains less than tol / 1000, or after 1, 2, 4, ..., at last 20 steps,
    since M collapses where triples outside the active set are not looked at. The first full check is at the start.

    Parameters
    ----------
    problem : refimpl.lmnn.problem.LargeMarginProblem
    L : ndarray, shape (partitions, d, d)
        A factor of the metric to start from.
    tol, max_checks
        As for :func:`refimpl.lmnn.smoothed.descend`.

    Yields
    ------
    refimpl.lmnn.smoothed.Step
    """
    pull, eta, looks = problem.pull_gradient(), None, 0
    certificate = Certificate(problem, problem.coordinates, lmnn_solver.MIXED // 2)
    problem.add_pairs(*problem.impostors(L))
    now = problem.evaluate(L)
    best = now.objective, L
    for t in range(1, max_checks + 1):
        yield lmnn_solver.Step(
            t, best[1], best[0], min(certificate.bound, best[0]), now.active, len(problem.i), looks, 0.0, 0.0,
            np.linalg.norm(L @ problem.gradient_M(now.weights)) / max(1e-300, np.linalg.norm(L @ pull)),
        )  # fmt: skip
        if t == max_checks:
            return
        L, now, eta, tried = _steps(problem, L, now, eta, certificate, tol, min(20, 2 ** (t - 1)))
        looks += tried
        problem.add_pairs(*problem.impostors(L))  # is the active set still complete?
        now = problem.evaluate(L)
        if now.objective < best[0]:
            best = now.objective, L
        else:
            L, now, eta = best[1], problem.evaluate(best[1]), eta / 2
        certificate.improve(best[0])


SOLVERS = {"smoothed": lmnn_solver.descend, "subgradient": subgradient_descent}


def lmnn(
    X, y, k=3, mu=1.0, *, partition=None, targets=None, start=None, solver=None, search="product", tol=1e-3,
    max_checks=200, rounds=1, validation=None, patience=5, callback=None, max_memory=None, kernels=None, threads=None,
):  # fmt: skip
    """Mahalanobis metrics under which the k target neighbours of each point are nearer than any point of other classes.

    Minimises eq. 3 of Weinberger & Saul (2008) over positive semidefinite M: the sum over target neighbours j of i of
    d(i, j)^2 + mu * sum_l [1 + d(i, j)^2 - d(i, l)^2]_+. With a partition it is the problem of § 5.1, whose distances
    to a point are those of its partition's metric.

    An optimum always exists, at a finite M: where target neighbours differ in a direction the objective grows with the
    metric, and in the other directions a finite factor satisfies all triples whose points differ there.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Every column is constant or has a spread of at least 1e-120.
    y : array_like, shape (n,)
        Classes; every class needs k + 1 points.
    k : int
        Target neighbours of each point.
    mu : float
        What a violated margin counts: 1e-100 to 1e100.
    partition : array_like, shape (n,), optional
        One metric is learnt for each value: `y` for one for each class, :func:`kmeans_partition` for clusters.
    targets : array_like of int, shape (n, k), optional
        Target neighbours; by default the Euclidean nearest of the class.
    start : array_like, shape (r, d) or (partitions, r, d), or LMNNResult, optional
        Factors L to start from. By default the training of a tenth of the points, or for few points the inverse of
        the pull of the target neighbours; with a partition the training of one metric.
    solver : {"smoothed", "subgradient"}, optional
        :func:`refimpl.lmnn.smoothed.descend` or :func:`subgradient_descent`, the paper's. By default the first; the
        second where a validation set stops several metrics: its small steps from one metric are what early stopping
        needs where the optimum fits the training points too well.
    search : {"product", "trees"}
        How full checks look for impostors: by filtered scalar products, or in ball trees (§ 4.2), which is faster in
        few dimensions. The result is the same.
    tol : float
        The gap between the objective and the bound, relative to the objective, at which the training ends. An objective
        below a thousandth of n k, or of the objective of M = 0 (mu for each triple) if that is smaller, counts as 0:
        the gap is then taken relative to that thousandth.
    max_checks : int
        Full checks of all triples at most, in each round.
    rounds : int
        Times that target neighbours are chosen: first as `targets` says, then under the metric just learnt.
    validation : (array_like, array_like), optional
        Points and labels: the training ends when their k-NN error has not fallen for `patience` full checks, and the
        metrics of the lowest error are returned. The single metric that several start from is stopped likewise.
    patience : int
    callback : callable, optional
        Gets a :class:`refimpl.lmnn.smoothed.Step` after each full check.
    max_memory : int, optional
        Bytes; see :func:`estimate_memory`.
    kernels : module, optional
        :mod:`refimpl.kernels` by default.
    threads : int, optional
        None for all. The result does not depend on it.

    Returns
    -------
    LMNNResult
        With a `bound` that is valid for the whole problem, and `converged`.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.
    MemoryError
        If `max_memory` does not suffice: before the work starts where that is known, and else as soon as more pairs
        are found than it has room for, before they are stored.
    """
    X, classes, k = checked(X, y, k)
    kernels, rounds = as_kernels(kernels), as_count(rounds, "rounds")
    max_checks, patience, threads = as_options(max_checks, patience, callback, threads)
    mu, tol = as_mu(mu), positive(tol, "tol")
    if solver is not None:
        one_of(solver, SOLVERS, "solver")
    one_of(search, ("product", "trees"), "search")
    partition = as_partition(partition, len(X))
    if solver is None:
        solver = "subgradient" if validation is not None and partition.max() else "smoothed"
    most_pairs = _most_pairs(max_memory, *X.shape, k, int(partition.max()) + 1)
    validation = as_validation(validation, X, y)
    given = None if start is None else as_factors(start, X.shape[1], partition.max() + 1)
    targets = target_neighbors(X, classes, k) if targets is None else as_targets(targets, classes, k)
    centred = X - X.mean(axis=0)
    while True:
        problem = LargeMarginProblem(centred, classes, targets, mu, partition, kernels, threads, search, X, most_pairs)
        L = _start(problem, X, validation, patience, max_memory) if given is None else given
        steps = SOLVERS[solver](problem, L, tol, max_checks=max_checks)
        found = _until_done(steps, tol, X, classes, partition, targets, mu, validation, patience, callback)
        found = _with_what_was_left_out(found, problem, tol)
        rounds -= 1
        if not rounds:
            return found
        given, targets = found.L, _nearest_of_class(X, classes, k, found.L, partition)


def _until_done(steps, tol, X, classes, partition, targets, mu, validation, patience, callback):
    """Take steps until the bound, the validation set or the steps' end stops them."""
    history, errors = [], []
    best = None
    ended = OUT_OF_CHECKS
    little = _little(mu, classes, targets)
    for step in lmnn_solver.on_one_blas_thread(steps):
        history.append((step.objective, step.bound, step.active, step.pairs, step.evaluations, step.gradient_norm))
        if callback is not None:
            callback(step)
        if validation is not None:
            k = targets.shape[1]
            errors.append((classify(X, classes, validation[0], k, step.L, partition) != validation[1]).mean())
        if best is None or validation is None or errors[-1] < min(errors[:-1]):
            best = step
        if step.settled or _certified(step.objective, step.bound, tol, little):
            ended = ""
            break
        if step.stuck:
            ended = STUCK
            break
        if stalled(errors, patience):
            ended = f"the validation error has not fallen for {patience} full checks"
            break
    converged = best.settled or _certified(best.objective, step.bound, tol, little)
    message = _message(ended, converged, best, step, tol, little)
    return LMNNResult(
        best.L, partition, targets, mu, best.objective, step.bound, converged, message, np.array(history),
        np.array(errors),
    )  # fmt: skip


def stalled(errors, patience):
    """Whether the last `patience` validation errors were no lower than one before: the training ends."""
    return len(errors) > 0 and len(errors) - 1 - int(np.argmin(errors)) >= patience


def _little(mu, classes, targets):
    """An objective below this counts as 0."""
    return LITTLE * min(targets.size, lmnn_solver.zero_metric(mu, classes, targets.shape[1]))


def _certified(objective, bound, tol, little):
    return objective - bound <= tol * max(objective, little)


def _with_what_was_left_out(found, problem, tol):
    """Say which dimensions the metric leaves out; without whole columns the bound does not hold."""
    at, message = problem.coordinates, found.message
    if at.left_out:
        are = "1 dimension is" if at.left_out == 1 else f"{at.left_out} dimensions are"
        message = f"{message}; {LEFT_OUT.format(are)}"
    if not at.rounded:
        return replace(found, message=message)
    history = found.history.copy()
    history[:, 1] = 0.0
    if not _certified(found.objective, 0.0, tol, _little(problem.mu, problem.classes, problem.targets)):
        words = ("1 column", "is", "it", "it") if at.rounded == 1 else (f"{at.rounded} columns", "are", "them", "them")
        found = replace(found, converged=False)
        message = ROUNDED.format(*words, message)
    return replace(found, bound=0.0, message=message, history=history)


def _message(ended, converged, best, last, tol, little):
    """Why the training ended, and what is known of the metric that is returned."""
    gap = (best.objective - last.bound) / best.objective if best.objective > 0 else 0.0
    if converged and best.objective - last.bound <= tol * best.objective:
        known = f"the objective is within {gap:.1e} of the optimum"
    elif converged and best.settled:
        known = f"the last steps lowered the objective by less than {tol:.1e} of it"
    elif converged:
        known = f"the objective is {best.objective:.1e}, which counts as 0 since it is less than {little:.1e}"
        known += "" if last.bound > 0 else "; many metrics may reach that"
    elif last.bound > 0:
        known = f"not converged: the objective is within {gap:.1e} of the optimum, not within tol = {tol:.1e}"
    else:
        known = "not converged: how far the objective is from the optimum is not known"
    if best is not last:
        known = f"the metric of the lowest validation error is returned, for which: {known}"
    return f"{ended}; {known}" if ended else known


def _start(problem, X, validation, patience, max_memory):
    """Factors to start from, of which the steps choose the scale."""
    options = {"search": problem.search, "kernels": problem.kernels, "threads": problem.threads}
    options["max_memory"] = max_memory
    if problem.partitions > 1:
        one = lmnn(
            X, problem.classes, problem.k, problem.mu, targets=problem.targets, tol=1e-2, validation=validation,
            patience=patience, **options,
        )  # fmt: skip
        return np.repeat(one.L, problem.partitions, axis=0)
    few = _few(problem)
    if few is not None:
        return lmnn_solver.scaled(
            problem, lmnn(X[few], problem.classes[few], problem.k, problem.mu, tol=3e-2, **options).L
        )
    spread = problem.coordinates.U[0].std(axis=0)
    usual = np.quantile(spread[spread > 0], 0.25, method="lower") if spread.any() else 1.0
    weights = np.minimum(1.0, FAR * usual / np.where(spread > 0, spread, usual))  # where there is next to no pull
    return lmnn_solver.scaled(problem, problem.coordinates.outward(np.diag(weights)[None]))


def _few(problem):
    """Every tenth point of each class, or more where a class is small; None if there are not many points."""
    few = [np.flatnonzero(problem.classes == c) for c in range(problem.classes.max() + 1)]
    few = np.sort(np.concatenate([rows[:: max(1, min(10, len(rows) // (problem.k + 1)))] for rows in few]))
    return few if problem.n > COARSE and 2 * len(few) < problem.n else None


def estimate_memory(n, d, k=3, partitions=1, *, pairs=None):
    """Bytes that :func:`lmnn` or :func:`lmnn_rect` takes at most for n points in d dimensions, on either kernel.

    Parameters
    ----------
    n, d, k, partitions : int
    pairs : int, optional
        Pairs of a point and an impostor that are held at a time. They are not known before: the default is the most
        that there can be, n (n - 1), and few trainings come near it. ``result.history[:, 3].max()`` tells how many a
        training had, but for the training of one metric that several start from.
    """
    pairs = n * (n - 1) if pairs is None else min(pairs, n * (n - 1))
    held = min(HELD, n * n) + min(HELD, 2 * (pairs + n * k) * (d + 8))  # in the reference's kernels
    points = n * d * (12 + 6 * partitions + 5 * k) + n * k * 60 + 6 * n * min(n, 200)
    metrics = d * d * (partitions * (2 * lmnn_solver.MEMORY + 3 * lmnn_solver.MIXED + 30) + 10 + MOST_SUMS)
    return int(2**20 + 8 * (points + metrics + 4 * held) + (PAIR + PAIR_TARGET * k) * pairs)


def _most_pairs(max_memory, n, d, k, partitions):
    """How many pairs `max_memory` allows; None without a cap. Raises MemoryError if there is no room for any."""
    if max_memory is None:
        return None
    check_memory(estimate_memory(n, d, k, partitions, pairs=0), max_memory, "points or dimensions")
    low, high = 0, n * (n - 1)
    while low < high:
        middle = (low + high + 1) // 2
        fits = estimate_memory(n, d, k, partitions, pairs=middle) <= max_memory
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


# ---------------------------------------------------------------------------------------------- § 4.3


def lmnn_svd(M, r):
    """LMNN-SVD, § 4.3: the factor L of the metric's r leading eigenvectors.

    Parameters
    ----------
    M : array_like, shape (d, d), or LMNNResult with one metric
    r : int
        At most d.

    Returns
    -------
    ndarray, shape (r, d), float64
        Rows in descending order of eigenvalues; L^T L is the best approximation of M of rank r.
    """
    if isinstance(M, LMNNResult):
        if len(M.L) != 1:
            raise ValueError(f"M holds {len(M.L)} metrics; pass one of them, for example M.M[0]")
        M = M.M[0]
    M, r = as_matrix(M, "M"), as_count(r, "r")
    if M.shape[0] != M.shape[1] or r > len(M):
        raise ValueError(f"M, r: shape {M.shape} and {r}; M must be square, and r at most its size")
    return np.ascontiguousarray(project((M + M.T) / 2)[::-1][:r])


def lmnn_rect(
    X, y, r, k=3, mu=1.0, *, targets=None, start=None, tol=1e-4, max_checks=200, validation=None, patience=5,
    callback=None, max_memory=None, kernels=None, threads=None,
):  # fmt: skip
    """LMNN-RECT, § 4.3: eq. 3 minimised over a factor L of r rows. Not convex: a local minimum, without a bound.

    Parameters
    ----------
    r : int
        Rank of the metric, at most d.
    start : array_like, shape (r, d), optional
        By default the r leading principal components, or of more than 10,000 points what a tenth of them gives: under
        the components all have very many impostors.
    tol : float
        The training ends when a full check's steps lower the objective by less than this, relative to it.
    X, y, k, mu, targets, max_checks, validation, patience, callback, max_memory, kernels, threads
        As for :func:`lmnn`.

    Returns
    -------
    LMNNResult
        `L` has shape (1, r, d).
    """
    X, classes, k = checked(X, y, k)
    r, (max_checks, patience, threads) = as_count(r, "r"), as_options(max_checks, patience, callback, threads)
    mu, tol = as_mu(mu), positive(tol, "tol")
    if r > X.shape[1]:
        raise ValueError(f"r must be at most {X.shape[1]}, the dimensions of X; got {r}")
    most_pairs = _most_pairs(max_memory, *X.shape, k, 1)
    validation = as_validation(validation, X, y)
    targets = target_neighbors(X, classes, k) if targets is None else as_targets(targets, classes, k)
    centred = X - X.mean(axis=0)
    partition = np.zeros(len(X), dtype=np.int64)
    problem = LargeMarginProblem(
        centred, classes, targets, mu, partition, as_kernels(kernels), threads, given=X, most_pairs=most_pairs
    )
    if start is None:
        few = _few(problem)
        if few is None:
            L = lmnn_solver.scaled(problem, np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :r].T[None])
        else:
            L = lmnn_rect(X[few], classes[few], r, k, mu, tol=tol, kernels=kernels, threads=threads).L
    else:
        L = as_factors(start, X.shape[1], 1)
        if L.shape[1] != r:
            raise ValueError(f"start must have r = {r} rows; got {L.shape[1]}")
    steps = lmnn_solver.descend_low_rank(problem, np.ascontiguousarray(L), tol, max_checks=max_checks)
    return _until_done(steps, tol, X, classes, partition, targets, mu, validation, patience, callback)


# ------------------------------------------------------------------------------------------------ § 5


def kmeans_partition(X, p, rng):
    """Clusters by k-means, for one metric each: § 5.1.

    Parameters
    ----------
    X : array_like, shape (n, d)
    p : int
        Clusters, at most n. Clusters that k-means leaves empty are not in the result.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n,), int64
        0, 1, ... for the cluster of each point.
    """
    X, p = as_matrix(X, "X"), as_count(p, "p")
    if p > len(X):
        raise ValueError(f"p must be at most {len(X)}, the points of X; got {p}")
    labels = kmeans2(X, p, minit="++", rng=as_generator(rng))[1]
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _nearest_of_class(X, classes, k, L, partition):
    """Target neighbours under the learnt metrics, eq. 8."""
    targets = np.empty((len(X), k), dtype=np.int64)
    for c in range(classes.max() + 1):
        members = np.flatnonzero(classes == c)
        targets[members] = members[metric_neighbors(X[members], None, k, L, partition[members])[1]]
    return targets
