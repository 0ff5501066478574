"""LMNN for use: Weinberger & Saul (2008), with checks, validation and a proof of the optimum.

The algorithms of the paper are in ``algorithm.py``, the default solver is in ``solvers.py``.

Not handled here: low rank (``low_rank.py``), missing values.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from refimpl.arrays import as_reals
from refimpl.checks import as_count
from refimpl.lmnn import algorithm, solvers
from refimpl.lmnn.arguments import USUAL, Request, Validation, as_request, room_for_pairs
from refimpl.lmnn.model import (
    Check,
    ConvergenceWarning,
    LMNNCallback,
    LMNNOptions,
    LMNNResult,
    Metric,
    Solver,
    classify,
    metric_neighbors,
    relative_gap,
)
from refimpl.lmnn.problem import (
    LargeMarginProblem,
    Room,
    few,
    in_order,
    in_reach,
    scaled,
    zero_metric,
)
from refimpl.progress import Step
from refimpl.resources import on_one_blas_thread, one_blas_thread
from refimpl.typing import ArrayLike, FloatArray, IntArray, Kernels

TOL = 1e-3
# the start weighs a direction by its pull, up to this multiple of the usual spread of the points
FAR = 1000.0
# an objective below this share of n k, or of the objective of M = 0 if that is less, counts as 0
LITTLE = 1e-3
OUT_OF_CHECKS = "max_checks reached"
LEFT_OUT = (
    "{} left out, because the points differ there by no more than rounding errors; the bound takes "
    "these differences as zero"
)
ROUNDED = (
    "not converged: {} of X {} left out, because the values differ by at most 16 units in the last "
    "place; subtract the mean or remove {}. Without {}: {}"
)
ENDED = (
    "forty full checks lowered the objective by less than the tolerance, and the last found no new "
    "triple"
)
STUCK = (
    "neither the objective nor its bound moves any more; this can happen if mu is above 1e12 or "
    "tol below 1e-10, or if the points, or the differences between target neighbours, nearly lie "
    "in a space of fewer dimensions"
)
STOPPED = "the callback or an interruption ended the training after full check {}"


def lmnn(
    X: ArrayLike,
    y: ArrayLike,
    k: int = 3,
    mu: float = 1.0,
    *,
    partition: ArrayLike | None = None,
    targets: ArrayLike | None = None,
    options: LMNNOptions = USUAL,
    kernels: Kernels | None = None,
    threads: int | None = None,
    callback: LMNNCallback | None = None,
    start: Metric | None = None,
    max_memory: int | None = None,
) -> LMNNResult:
    """Train metrics under which neighbours of the same class are nearer than other points.

    The *target neighbours* j of a point i are its k nearest points of the same class. The training
    minimises eq. 3 of Weinberger & Saul (2008) over positive semidefinite M: the sum over all i and
    j of d(i, j)^2 + mu * sum_l [1 + d(i, j)^2 - d(i, l)^2]_+, where l runs over the points of other
    classes. With a partition it solves the problem of § 5.1, in which each part of the points has a
    metric, and the distance to a point is taken under the metric of its part.

    The default solver reaches the same optimum as the steps of the paper, and proves it by a lower
    bound on eq. 3. ``LMNNOptions(solver="printed")`` takes the steps of the paper,
    :func:`refimpl.lmnn.algorithm.steps`. They are the default if a validation set stops the
    training of several metrics.

    An optimum always exists, at a finite M. If target neighbours differ in a direction, the
    objective grows with the metric in this direction. In every other direction a finite metric
    satisfies all triples whose points differ there.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Points. Every column must be constant or have a spread of at least 1e-120.
    y : array_like, shape (n,)
        Classes; every class needs at least k + 1 points.
    k : int, default 3
        The number of target neighbours of each point.
    mu : float, default 1.0
        The weight of the violated margins, 1e-100 to 1e100.
    partition : array_like, shape (n,), optional
        The part of each point. One metric is learnt for each different value: pass `y` for a metric
        for each class, or the result of :func:`kmeans_partition` for a metric for each cluster. The
        default is a single metric.
    targets : array_like of int, shape (n, k), optional
        The target neighbours of each point; by default its k nearest points of the same class in
        Euclidean distance.
    options : LMNNOptions, optional
        Solver, tolerance, validation and more.
    kernels : module, optional
        :mod:`refimpl.kernels` by default.
    threads : int, optional
        The number of threads; None for all processors. The result does not depend on it.
    callback : callable, optional
        ``callback(step)`` is called after each full check of all triples. `step` is a
        :class:`refimpl.Step`: `state` is a :class:`Check`, `number` counts the full checks of all
        rounds of target neighbours, `total` is their largest possible number, and `result` is the
        result of ending the training here. If the callback returns True, the training ends. It is
        not called in the short trainings that find a start.
    start : LMNNResult or array_like, shape (r, d) or (partitions, r, d), optional
        Factors L to start from. The optimum is the same from every start, but the steps are not
        those of an uninterrupted training. By default the start is a training on a tenth of the
        points or, with few points, the inverse of the pull. With a partition it is a training of
        one metric. The solver "printed" starts as ``algorithm.py`` does; with a validation set and
        several metrics it starts from a training of one metric. Factors more than a million times
        too long or too short are scaled.
    max_memory : int, optional
        The most bytes that it may take; see :func:`estimate_memory`. By default what is free when
        it starts; no limit where that is unknown. With little memory a search for impostors is
        divided, which takes longer; its result is the same.

    Returns
    -------
    LMNNResult
        Its `bound` is valid for the whole problem; `converged` says whether the gap to the bound is
        small enough.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.
    MemoryError
        If the training needs more than `max_memory`. It is raised before the training starts if
        this is known, and otherwise when more pairs are found than there is room for.

    Warns
    -----
    ConvergenceWarning
        If `converged` is False, unless the validation error or the callback ended the training.

    See Also
    --------
    lmnn_rect : A metric of low rank.
    classify, metric_neighbors : Use the metrics.
    refimpl.estimators.LMNN, refimpl.estimators.MultiMetricLMNN : The scikit-learn estimators.

    Examples
    --------
    >>> import numpy as np
    >>> from refimpl.lmnn import LMNNOptions, classify, lmnn
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    >>> X[:, 0] += 5 * y
    >>> model = lmnn(X, y, options=LMNNOptions(tol=1e-2))
    >>> model.converged, model.gap <= 1e-2
    (True, True)
    >>> classify(model, [[0.0, 0.0], [5.0, 0.0]], X, y, 3).tolist()
    [0, 1]
    """
    request = as_request(
        X, y, k, mu, partition, targets, options, kernels, threads, callback, start, max_memory
    )
    result, stopped = _train(request)
    if not stopped:
        warn_unless_finished(result, request.options)
    return result


def _train(request: Request) -> tuple[LMNNResult, bool]:
    """Train in rounds of target neighbours; return also whether the callback ended it."""
    room = room_for_pairs(request)
    options = request.options
    tol = TOL if options.tol is None else options.tol
    targets = request.targets
    factors = request.factors
    checks = 0
    for left in reversed(range(options.n_target_rounds)):
        problem = problem_of(request, targets, room)
        solver = options.solver or _usual_solver(request, problem)
        steps = _steps(problem, request, solver, factors, tol)
        finish = partial(with_what_was_left_out, problem=problem, tol=tol)
        result, stopped = until_done(steps, problem, request, tol, finish, checks)
        if stopped or not left:
            break
        checks += result.full_checks
        factors = result.L
        targets = _nearest_of_class(request, result)
    return result, stopped


def problem_of(request: Request, targets: IntArray | None, room: Room | None) -> LargeMarginProblem:
    """Return the problem of a request, by default with the nearest points as target neighbours."""
    X, classes, partition = request.X, request.classes, request.partition
    if targets is None:
        targets = algorithm.target_neighbors(X, classes, request.k)
    order = in_order(targets)
    if order is not None:
        X, classes, partition = X[order], classes[order], partition[order]
        targets = np.argsort(order)[targets[order]]
    return LargeMarginProblem(
        X - X.mean(axis=0),
        classes,
        targets,
        request.mu,
        partition,
        request.kernels,
        request.threads,
        request.options.search,
        given=X,
        room=room,
        order=order,
    )


def _steps(
    problem: LargeMarginProblem,
    request: Request,
    solver: Solver,
    factors: FloatArray | None,
    tol: float,
) -> Iterator[Check]:
    """Return the steps of the solver from `factors`, or from the default start if it is None."""
    max_checks = request.options.max_checks
    if solver == "smoothed":
        if factors is None:
            with one_blas_thread:
                factors = _start(problem, request)
        return solvers.descend(problem, factors, tol, max_checks=max_checks)
    if factors is None and request.validation is not None and problem.partitions > 1:
        factors = _start(problem, request)
    if factors is not None and factors.any():
        with one_blas_thread:
            factors = in_reach(problem, factors)
    return solvers.descend_as_printed(problem, factors, tol, max_checks=max_checks)


def _usual_solver(request: Request, problem: LargeMarginProblem) -> Solver:
    """Return "printed" if a validation set stops several metrics' training, else "smoothed"."""
    if request.validation is None or problem.partitions == 1:
        return "smoothed"
    # the printed steps need target neighbours that differ from their points
    X = problem.original
    differ = any((X[j] != X).any() for j in problem.targets.T)
    return "printed" if differ else "smoothed"


def _start(problem: LargeMarginProblem, request: Request) -> FloatArray:
    """Return factors to start from."""
    if problem.partitions > 1:
        single = _metric_of(problem, request, None, replace(request.options, tol=1e-2))
        return np.repeat(single, problem.partitions, axis=0)
    rows = few(problem)
    if rows is not None:
        options = replace(request.options, tol=3e-2, validation=None)
        return scaled(problem, _metric_of(problem, request, rows, options))
    spread = problem.coordinates.U[0].std(axis=0)
    usual = np.quantile(spread[spread > 0], 0.25, method="lower") if spread.any() else 1.0
    # the smaller weights are for directions with next to no pull
    weights = np.minimum(1.0, FAR * usual / np.where(spread > 0, spread, usual))
    return scaled(problem, problem.coordinates.outward(np.diag(weights)[None]))


def _metric_of(
    problem: LargeMarginProblem, request: Request, rows: IntArray | None, options: LMNNOptions
) -> FloatArray:
    """Return the factor, shape (1, r, d), of one metric for all points or for some rows."""
    part = slice(None) if rows is None else rows
    classes = request.classes[part]
    smaller = replace(
        request,
        X=request.X[part],
        classes=classes,
        partition=np.zeros(len(classes), dtype=np.int64),
        targets=problem.as_given()[1] if rows is None else None,
        options=replace(options, solver=None, max_checks=USUAL.max_checks, n_target_rounds=1),
        callback=None,
        factors=None,
        validation=None if options.validation is None else request.validation,
    )
    return _train(smaller)[0].L


def _nearest_of_class(request: Request, result: LMNNResult) -> IntArray:
    """Return the target neighbours under the learnt metrics: eq. 8."""
    targets = np.empty((len(request.X), request.k), dtype=np.int64)
    for c in range(request.classes.max() + 1):
        members = np.flatnonzero(request.classes == c)
        places = result.partition[members]
        near = metric_neighbors(result, None, request.X[members], request.k, partition=places)[1]
        targets[members] = members[near]
    return targets


# ------------------------------------------------------------------- the loop over the full checks


def until_done(
    checks: Iterator[Check],
    problem: LargeMarginProblem,
    request: Request,
    tol: float,
    finish: Callable[[LMNNResult], LMNNResult] = lambda result: result,
    checks_before: int = 0,
) -> tuple[LMNNResult, bool]:
    """Take steps until a rule or the callback ends them; return also whether the callback did."""
    # `finish` makes the result for the callback and the caller of that of the loop;
    # `checks_before` full checks were in earlier rounds of target neighbours
    record = Record(problem, request, tol, finish, checks_before)
    for check in on_one_blas_thread(checks):
        record.add(check)
        if record.told():
            return record.result(), True
        reason = record.reason_to_end()
        if reason is not None:
            break
    else:
        finished = len(record.history) == request.options.max_checks
        reason = OUT_OF_CHECKS if finished else ENDED
    return record.result(reason), False


@dataclass(eq=False)
class Record:
    """The full checks of a training so far, and the result of ending there."""

    problem: LargeMarginProblem
    request: Request
    tol: float
    finish: Callable[[LMNNResult], LMNNResult]
    checks_before: int
    best: Check = field(init=False)
    last: Check = field(init=False)

    def __post_init__(self) -> None:
        problem = self.problem
        self.little = negligible(problem.mu, problem.classes, problem.targets)
        self.history: list[tuple[float, ...]] = []
        self.errors: list[float] = []

    def add(self, check: Check) -> None:
        """Add a full check: compute its validation error, and note whether it is the best."""
        self.history.append(
            (
                check.objective,
                check.bound,
                check.active,
                check.pairs,
                check.evaluations,
                check.gradient_norm,
            )
        )
        validation = self.request.validation
        if validation is not None:
            self.errors.append(self._error(check, validation))
        improved = len(self.errors) > 1 and self.errors[-1] < min(self.errors[:-1])
        if validation is None or len(self.errors) == 1 or improved:
            self.best = check
        self.last = check

    def _error(self, check: Check, validation: Validation) -> float:
        request = self.request  # its points are in the caller's order, which decides ties
        classes = classify(
            check.L,
            validation.Q,
            request.X,
            request.classes,
            request.k,
            partition=request.partition,
        )
        return float((classes != validation.classes).mean())

    def told(self) -> bool:
        """Call the callback, and return whether it ends the training."""
        options, callback = self.request.options, self.request.callback
        if callback is None:
            return False
        so_far = len(self.history), self.best, self.last
        step = Step(
            self.checks_before + len(self.history),
            options.max_checks * options.n_target_rounds,
            self.last,
            make_result=lambda: self._result(*so_far, None),
        )
        return bool(callback(step))

    def reason_to_end(self) -> str | None:
        """Return why the training ends after this check, or None if it continues."""
        if self._is_done(self.last):
            return ""
        if self.last.stuck:
            return STUCK
        patience = self.request.options.patience
        if stalled(self.errors, patience):  # LM:5:8
            return f"the validation error has not fallen for {patience} full checks"
        return None

    def _is_done(self, check: Check) -> bool:
        return check.settled or certified(check.objective, check.bound, self.tol, self.little)

    def result(self, reason: str | None = None) -> LMNNResult:
        """Return the result of ending here; a reason of None means that the callback asked."""
        return self._result(len(self.history), self.best, self.last, reason)

    def _result(self, count: int, best: Check, last: Check, reason: str | None) -> LMNNResult:
        """Return the result after the first `count` full checks."""
        if reason is None:
            reason = "" if self._is_done(last) else STOPPED.format(self.checks_before + count)
        problem = self.problem
        tol = self.tol
        converged = best.settled or certified(best.objective, last.bound, tol, self.little)
        closeness = _closeness(converged, best, last, tol, self.little)
        result = LMNNResult(
            best.L,
            *problem.as_given(),
            problem.mu,
            best.objective,
            last.bound,
            converged,
            f"{reason}; {closeness}" if reason else closeness,
            np.array(self.history[:count]),
            np.array(self.errors[:count]),
        )
        return self.finish(result)


def stalled(errors: FloatArray | list[float], patience: int) -> bool:
    """Return whether the last `patience` validation errors were no lower than an earlier one.

    Parameters
    ----------
    errors : array_like, shape (full checks,)
        ``LMNNResult.validation_errors``.
    patience : int

    Returns
    -------
    bool
        Whether early stopping (§ 5.2) ends the training here.

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit.

    See Also
    --------
    refimpl.lmnn.lmnn : Its options `validation` and `patience`.

    Examples
    --------
    >>> from refimpl.lmnn import stalled
    >>> stalled([0.3, 0.2, 0.25], patience=2), stalled([0.3, 0.2, 0.25, 0.2], patience=2)
    (False, True)
    """
    e = as_reals(errors, "errors")
    if e.ndim != 1:
        raise ValueError(f"errors must be a list of numbers; got shape {e.shape}")
    patience = as_count(patience, "patience")
    return len(e) > 0 and len(e) - 1 - int(np.argmin(e)) >= patience


def warn_unless_finished(
    result: LMNNResult,
    options: LMNNOptions,
    category: type[Warning] = ConvergenceWarning,
    *,
    stacklevel: int = 3,
) -> None:
    """Warn if the training has not converged and no validation set ended it."""
    if result.converged or stalled(result.validation_errors, options.patience):
        return
    most = options.max_checks
    remedy = f". Raise max_checks = {most} or tol" if result.full_checks == most else ""
    where = f"the objective is {result.objective:.6g}, its lower bound {result.bound:.6g}"
    warnings.warn(
        f"LMNN did not converge: {where}; {result.message}{remedy}", category, stacklevel=stacklevel
    )


def negligible(mu: float, classes: IntArray, targets: IntArray) -> float:
    """Return the value below which an objective counts as 0."""
    return LITTLE * min(targets.size, zero_metric(mu, classes, targets.shape[1]))


def certified(objective: float, bound: float, tol: float, little: float) -> bool:
    """Return whether the bound proves that the objective is within `tol` of the optimum."""
    return objective - bound <= tol * max(objective, little)


def with_what_was_left_out(
    result: LMNNResult, problem: LargeMarginProblem, tol: float
) -> LMNNResult:
    """Say which dimensions the metric leaves out; without whole columns the bound becomes 0."""
    coordinates = problem.coordinates
    message = result.message
    if coordinates.left_out:
        left = coordinates.left_out
        are = "1 dimension is" if left == 1 else f"{left} dimensions are"
        message = f"{message}; {LEFT_OUT.format(are)}"
    if not coordinates.rounded:
        return replace(result, message=message)
    history = result.history.copy()
    history[:, 1] = 0.0
    little = negligible(problem.mu, problem.classes, problem.targets)
    if not certified(result.objective, 0.0, tol, little):
        words = ("1 column", "is", "it", "it")
        if coordinates.rounded > 1:
            words = (f"{coordinates.rounded} columns", "are", "them", "them")
        result = replace(result, converged=False)
        message = ROUNDED.format(*words, message)
    return replace(result, bound=0.0, message=message, history=history)


def _closeness(converged: bool, best: Check, last: Check, tol: float, little: float) -> str:
    """Return a sentence about how near the returned metric is to the optimum."""
    gap = relative_gap(best.objective, last.bound)
    if converged and best.objective - last.bound <= tol * best.objective:
        closeness = f"the objective is within {gap:.1e} of the optimum"
    elif converged and best.settled:
        closeness = f"the last steps lowered the objective by less than {tol:.1e} of it"
    elif converged:
        closeness = (
            f"the objective is {best.objective:.1e}, which counts as 0 because it is less than "
            f"{little:.1e}"
        )
        closeness += "" if last.bound > 0 else "; many metrics may reach this objective"
    elif last.bound > 0:
        closeness = (
            f"not converged: the objective is within {gap:.1e} of the optimum, not within "
            f"tol = {tol:.1e}"
        )
    else:
        closeness = "not converged: the distance of the objective from the optimum is not known"
    if best is not last:
        return (
            f"the metric with the lowest validation error is returned; for this metric {closeness}"
        )
    return closeness
