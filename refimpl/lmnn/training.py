"""LMNN for use: Weinberger & Saul (2008), with checks, validation, limits of memory and a proof of the optimum.

The paper's algorithms stand in ``algorithm.py``. The default steps are not the paper's: see ``smoothed.py``.

Not handled here: k-NN search and classification (``neighbors.py``), low rank (``low_rank.py``), missing values.
"""

import numpy as np
from scipy.cluster.vq import kmeans2

from refimpl.checks import as_count, as_generator, as_kernels, as_matrix, one_of, positive
from refimpl.lmnn import algorithm, printed, smoothed
from refimpl.lmnn.arguments import (
    as_factors,
    as_mu,
    as_options,
    as_partition,
    as_targets,
    as_validation,
    checked,
)  # fmt: skip
from refimpl.lmnn.driver import until_done, with_what_was_left_out
from refimpl.lmnn.memory import most_pairs
from refimpl.lmnn.neighbors import metric_neighbors
from refimpl.lmnn.problem import LargeMarginProblem
from refimpl.lmnn.starts import few, scaled

FAR = 1000.0  # a direction starts with at most so many times the usual spread, in units of its pull


def target_neighbors(X, y, k):
    """Return the k nearest points of the same class, for each point: § 2.

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
    return algorithm.target_neighbors(X, classes, k)


SOLVERS = {"smoothed": smoothed.descend, "printed": printed.descend}


def lmnn(
    X, y, k=3, mu=1.0, *, partition=None, targets=None, start=None, solver=None, search="product", tol=1e-3,
    max_checks=200, rounds=1, validation=None, patience=5, callback=None, max_memory=None, kernels=None, threads=None,
):  # fmt: skip
    """Learn Mahalanobis metrics under which target neighbours are nearer than points of other classes.

    The default solver gives the same optimum as the paper's steps, with a proof: a lower bound on eq. 3.
    ``solver="printed"`` takes the paper's steps, :func:`refimpl.lmnn.algorithm.steps`. It is the default where a
    validation set stops the training of several metrics.

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
        the pull of the target neighbours; with a partition the training of one metric. ``solver="printed"`` starts as
        ``algorithm.py`` does, but several metrics with a validation set start from the training of one.
    solver : {"smoothed", "printed"}, optional
        :func:`refimpl.lmnn.smoothed.descend`, with a proof, or the steps of § 3 as ``algorithm.py`` has them. These
        come within 0.5 % of the optimum where the columns have like scales, and may stop short where they have not;
        the message and `converged` then say so. By default the first; the second where a validation set stops several
        metrics: its steps from one metric are what early stopping needs where the optimum fits the points too well.
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
        Gets a :class:`refimpl.lmnn.model.Step` after each full check.
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
    room = most_pairs(max_memory, *X.shape, k, int(partition.max()) + 1)
    validation = as_validation(validation, X, y)
    given = None if start is None else as_factors(start, X.shape[1], partition.max() + 1)
    targets = target_neighbors(X, classes, k) if targets is None else as_targets(targets, classes, k)
    if solver is None:
        solver = _usual_solver(X, targets, validation, partition)
    centred = X - X.mean(axis=0)
    while True:
        problem = LargeMarginProblem(centred, classes, targets, mu, partition, kernels, threads, search, X, room)
        L = _start(problem, X, solver, validation, patience, max_memory) if given is None else given
        steps = SOLVERS[solver](problem, L, tol, max_checks=max_checks)
        found = until_done(steps, tol, X, classes, partition, targets, mu, validation, patience, callback, max_checks)
        found = with_what_was_left_out(found, problem, tol)
        rounds -= 1
        if not rounds:
            return found
        given, targets = found.L, _nearest_of_class(X, classes, k, found.L, partition)


def _usual_solver(X, targets, validation, partition):
    """The printed steps where a validation set stops several metrics, if any target neighbours differ."""
    if validation is None or partition.max() == 0:
        return "smoothed"
    return "printed" if any((X[j] != X).any() for j in targets.T) else "smoothed"


def _start(problem, X, solver, validation, patience, max_memory):
    """Factors to start from, of which the steps choose the scale; None where algorithm.py has a start of its own."""
    if solver == "printed" and (validation is None or problem.partitions == 1):
        return None
    options = {name: getattr(problem, name) for name in ("search", "kernels", "threads")} | {"max_memory": max_memory}
    if problem.partitions > 1:
        one = lmnn(
            X, problem.classes, problem.k, problem.mu, targets=problem.targets, tol=1e-2, validation=validation,
            patience=patience, **options,
        )  # fmt: skip
        return np.repeat(one.L, problem.partitions, axis=0)
    rows = few(problem)
    if rows is not None:
        return scaled(problem, lmnn(X[rows], problem.classes[rows], problem.k, problem.mu, tol=3e-2, **options).L)
    spread = problem.coordinates.U[0].std(axis=0)
    usual = np.quantile(spread[spread > 0], 0.25, method="lower") if spread.any() else 1.0
    weights = np.minimum(1.0, FAR * usual / np.where(spread > 0, spread, usual))  # where there is next to no pull
    return scaled(problem, problem.coordinates.outward(np.diag(weights)[None]))


def kmeans_partition(X, p, rng):
    """Return clusters by k-means, for one metric each: § 5.1.

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
    labels = kmeans2(X, p, minit="++", rng=as_generator(rng))[1]  # LM:5:4
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _nearest_of_class(X, classes, k, L, partition):
    """Target neighbours under the learnt metrics, eq. 8."""
    targets = np.empty((len(X), k), dtype=np.int64)
    for c in range(classes.max() + 1):
        members = np.flatnonzero(classes == c)
        targets[members] = members[metric_neighbors(X[members], None, k, L, partition[members])[1]]
    return targets
