"""LMNN of low rank: Weinberger & Saul (2008), § 4.3.

LMNN-RECT is trained here by L-BFGS on a smoothed problem. The plain gradient steps of the paper are
in :func:`refimpl.lmnn.algorithm.factor_step`.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from refimpl.arrays import as_reals
from refimpl.checks import as_count
from refimpl.lmnn import algorithm
from refimpl.lmnn.arguments import USUAL, Request, as_request, room_for_pairs
from refimpl.lmnn.model import (
    Check,
    LMNNCallback,
    LMNNOptions,
    LMNNResult,
    Metric,
    factors_of,
    shape_of,
)
from refimpl.lmnn.problem import LargeMarginProblem, few, in_reach, scaled
from refimpl.lmnn.solvers import EARLY, FEW, ITERATIONS, SHRINK, Smoothed, full_check, reset
from refimpl.lmnn.training import problem_of, until_done, warn_unless_finished
from refimpl.resources import one_blas_thread
from refimpl.typing import ArrayLike, FloatArray, Kernels

TOL = 1e-4
SHARE = 1e-6  # this share of the mean pull is added to the pull in its coordinates
# at the start it resets its working set if this has more pairs than so many for each impostor
CROWD = 3
ROUNDED_OFF = 10  # it may end where the smoothing takes so many times tol, or less


def project(M: ArrayLike) -> FloatArray:
    """Return a factor L of the positive semidefinite matrix L^T L that is nearest to M: § 3.

    Parameters
    ----------
    M : array_like, shape (..., d, d)
        Finite. The symmetric part of M is used: it has the same nearest L^T L.

    Returns
    -------
    ndarray, shape (..., d, d), float64
        The factor L; its rows ascend in length.

    Raises
    ------
    ValueError
        If M holds no square matrices, or numbers that are not finite.

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
    M = as_reals(M, "M", "matrices")
    if M.ndim < 2 or M.shape[-1] != M.shape[-2]:
        raise ValueError(f"M must have shape (..., d, d); got {M.shape}")
    if not np.isfinite(M).all():
        raise ValueError("M must hold finite numbers; got NaN or infinity")
    M_T = np.swapaxes(M, -1, -2)
    # halves of equal numbers may vanish, and their sum may overflow
    return algorithm.project(np.where(M == M_T, M, M / 2 + M_T / 2))


def lmnn_svd(metric: Metric, r: int) -> FloatArray:
    """Return the factor of rank r made of the leading eigenvectors: LMNN-SVD, § 4.3.

    Parameters
    ----------
    metric : LMNNResult with one metric, or array_like, shape (rows, d)
        The metric M = L^T L, or its factor L.
    r : int
        The rank, at most d.

    Returns
    -------
    ndarray, shape (r, d), float64
        The factor L, with rows in descending order of eigenvalues. L^T L is the best approximation
        of M by a matrix of rank r.

    Raises
    ------
    TypeError, ValueError
        If `metric` is not a single metric, or r is above d.

    See Also
    --------
    lmnn_rect : Train a factor of r rows instead.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import lmnn_svd
    >>> np.abs(lmnn_svd(np.diag([1.0, 2.0]), 1)).tolist()
    [[0.0, 2.0]]
    """
    L = factors_of(metric)
    if L.ndim != 3 or len(L) != 1 or L.size == 0 or not np.isfinite(L).all():
        raise ValueError(
            "metric must be a single metric with a finite factor, such as LMNNResult.L[0]; "
            f"got shape {shape_of(metric)}"
        )
    r = as_count(r, "r", most=L.shape[2], why="the dimensions of the metric")
    # a power of 2 makes the largest value 1/2 to 1, so that no product over- or underflows
    exponent = np.frexp(np.abs(L).max())[1]
    factor = np.ldexp(L[0], -exponent)
    M = factor.T @ factor
    return np.ldexp(np.ascontiguousarray(algorithm.lmnn_svd((M + M.T) / 2, r)), exponent)


def lmnn_rect(
    X: ArrayLike,
    y: ArrayLike,
    r: int,
    k: int = 3,
    mu: float = 1.0,
    *,
    targets: ArrayLike | None = None,
    options: LMNNOptions = USUAL,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: LMNNCallback | None = None,
    start: Metric | None = None,
    max_memory: int | None = None,
) -> LMNNResult:
    """Train a metric of rank r: LMNN-RECT, § 4.3, which minimises eq. 3 over a factor L of r rows.

    The problem is not convex: the result is a local minimum, without a bound.

    Parameters
    ----------
    X, y
        As for :func:`lmnn`.
    r : int
        Rank of the metric, at most d.
    k, mu, targets
        As for :func:`lmnn`.
    options : LMNNOptions, optional
        The options `search`, `tol` (1e-4 by default), `max_checks`, `validation` and `patience` are
        used. The training ends when the steps between two full checks lower the objective by less
        than `tol` times its value. `solver` must be None and `n_target_rounds` must be 1.
    kernels, threads, callback
        As for :func:`lmnn`.
    start : LMNNResult or array_like, shape (r, d), optional
        The factor to start from; by default the r leading principal components. With more than
        10,000 points the default is the result of a training on a tenth of the points, because
        under the principal components there would be too many impostors. A factor more than a
        million times too long or too short is scaled, and rows of zeros are those of the default.
    max_memory : int, optional
        As for :func:`lmnn`, whose estimate for one metric is an upper bound whatever `r` is; with
        a small r the training may need far less.

    Returns
    -------
    LMNNResult
        `L` has shape (1, r, d), `bound` is 0.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As :func:`lmnn` does.

    Warns
    -----
    ConvergenceWarning
        As :func:`lmnn` does.

    See Also
    --------
    lmnn_svd : Truncate a metric of full rank instead.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import lmnn_rect
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 4)), np.arange(60) % 2
    >>> lmnn_rect(X, y, 2).L.shape
    (1, 2, 4)
    """
    request = as_request(
        X, y, k, mu, None, targets, options, kernels, threads, callback, start, max_memory
    )
    r = as_count(r, "r", most=request.X.shape[1], why="the dimensions of X")
    if options.solver is not None:
        raise ValueError(f"solver must be None in lmnn_rect; got {options.solver!r}")
    if options.n_target_rounds != 1:
        raise ValueError(f"n_target_rounds must be 1 in lmnn_rect; got {options.n_target_rounds}")
    if request.factors is not None and request.factors.shape[1] != r:
        raise ValueError(f"start must have r = {r} rows; got {request.factors.shape[1]}")
    result, stopped = _train(request, r)
    if not stopped:
        warn_unless_finished(result, options)
    return result


def _train(request: Request, r: int) -> tuple[LMNNResult, bool]:
    """Train a factor of r rows. Return also whether the callback ended the training."""
    room = room_for_pairs(request)
    tol = TOL if request.options.tol is None else request.options.tol
    problem = problem_of(request, request.targets, room)
    L = np.zeros((1, r, problem.d)) if request.factors is None else request.factors
    with one_blas_thread:
        if L.any():
            L = in_reach(problem, L)
        if not L.any(axis=2).all():  # no step leads away from a row of zeros
            L = np.where(L.any(axis=2, keepdims=True), L, _start(problem, request, r, tol))
    checks = descend_low_rank(
        problem, np.ascontiguousarray(L), tol, max_checks=request.options.max_checks
    )
    return until_done(checks, problem, request, tol)


def _start(problem: LargeMarginProblem, request: Request, r: int, tol: float) -> FloatArray:
    """Return r principal components, or with many points a factor trained on a tenth of them."""
    rows = few(problem)
    if rows is None:
        directions = np.linalg.eigh(problem.X.T @ problem.X)[1][:, ::-1]
        return scaled(problem, directions[:, :r].T[None])
    smaller = replace(
        request,
        X=request.X[rows],
        classes=request.classes[rows],
        partition=request.partition[rows],
        targets=None,
        options=LMNNOptions(tol=tol, search=request.options.search),
        callback=None,
        factors=None,
        validation=None,
    )
    return _train(smaller, r)[0].L


def descend_low_rank(
    problem: LargeMarginProblem, L: FloatArray, tol: float, *, max_checks: int
) -> Iterator[Check]:
    """Yield the state of LMNN-RECT after each full check, the last one `settled` below `tol`."""
    # there is no barrier and no bound; the smoothing shrinks until the steps end
    coordinates = problem.coordinates_with(SHARE)
    inner = problem.within(coordinates.U)
    smoothed = Smoothed(inner, np.zeros((1, 1)))
    V = coordinates.inward(L)
    best_L, now, _, _ = full_check(inner, coordinates, V, smoothed.h)
    best = now.objective
    before = np.inf
    growing = True
    for t in range(1, max_checks + 1):
        V, norm = smoothed.descend(V, ITERATIONS // 4 if t <= EARLY or growing else ITERATIONS)
        L, now, added, impostors = full_check(inner, coordinates, V, smoothed.h)
        if now.objective < best:
            best = now.objective
            best_L = L
        growing = added > FEW * len(inner.i)
        settled = not growing and before - now.smooth < tol * now.objective
        before = now.smooth
        final = settled and now.objective - now.smooth < ROUNDED_OFF * tol * now.objective
        yield replace(smoothed.state(t, best_L, best, 0.0, now, norm), settled=final)
        if final:
            return
        if settled:
            smoothed.h /= SHRINK
            before = np.inf
        # at the start nearly all pairs may violate the margin
        if settled or (t <= EARLY and len(inner.i) > CROWD * impostors):
            reset(inner, coordinates, V)
