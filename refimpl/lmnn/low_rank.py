"""LMNN of low rank: Weinberger & Saul (2008), § 4.3. LMNN-RECT here takes L-BFGS on a smoothed problem.

The paper's plain gradient steps by L are :func:`refimpl.lmnn.algorithm.factor_step`.
"""

import numpy as np

from refimpl.checks import as_count, as_kernels, as_matrix, positive
from refimpl.lmnn import algorithm
from refimpl.lmnn.arguments import as_factors, as_mu, as_options, as_targets, as_validation, checked
from refimpl.lmnn.driver import until_done
from refimpl.lmnn.memory import most_pairs
from refimpl.lmnn.model import LMNNResult
from refimpl.lmnn.problem import LargeMarginProblem
from refimpl.lmnn.smoothed import descend_low_rank
from refimpl.lmnn.starts import few, scaled
from refimpl.lmnn.training import target_neighbors


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
    return np.ascontiguousarray(algorithm.lmnn_svd((M + M.T) / 2, r))


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
    room = most_pairs(max_memory, *X.shape, k, 1)
    validation = as_validation(validation, X, y)
    targets = target_neighbors(X, classes, k) if targets is None else as_targets(targets, classes, k)
    centred = X - X.mean(axis=0)
    partition = np.zeros(len(X), dtype=np.int64)
    problem = LargeMarginProblem(
        centred, classes, targets, mu, partition, as_kernels(kernels), threads, given=X, most_pairs=room
    )
    if start is None:
        rows = few(problem)
        if rows is None:
            L = scaled(problem, np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :r].T[None])
        else:
            L = lmnn_rect(X[rows], classes[rows], r, k, mu, tol=tol, kernels=kernels, threads=threads).L
    else:
        L = as_factors(start, X.shape[1], 1)
        if L.shape[1] != r:
            raise ValueError(f"start must have r = {r} rows; got {L.shape[1]}")
    steps = descend_low_rank(problem, np.ascontiguousarray(L), tol, max_checks=max_checks)
    return until_done(steps, tol, X, classes, partition, targets, mu, validation, patience, callback, max_checks)
