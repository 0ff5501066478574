"""The loop over the full checks of a training: decides when it ends, and makes the result.

Not handled here: the steps (``smoothed.py``, ``printed.py``).
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from refimpl.lmnn.arguments import Request, Validation
from refimpl.lmnn.model import (
    Check,
    ConvergenceWarning,
    LMNNCallback,
    LMNNOptions,
    LMNNResult,
    relative_gap,
)
from refimpl.lmnn.neighbors import classify
from refimpl.lmnn.problem import LargeMarginProblem, zero_metric
from refimpl.progress import Step
from refimpl.resources import on_one_blas_thread
from refimpl.typing import FloatArray, IntArray

__all__ = ["Course", "stalled", "until_done", "warn_unless_finished", "with_what_was_left_out"]

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
    "neither the objective nor its bound moves any more; this can happen if the points, or the "
    "differences between target neighbours, nearly lie in a space of fewer dimensions"
)
STOPPED = "the callback or an interruption ended the training after full check {}"


@dataclass(frozen=True, eq=False)
class Course:
    """The rules of a training: when it ends, and which callback is called.

    Attributes
    ----------
    tol : float
    max_checks, patience : int
    validation : Validation or None
    callback : callable or None
    finish : callable
        A function that turns the result of the loop into the result for the callback and caller.
    checks_before, total : int
        The number of full checks in earlier rounds of target neighbours, and the largest number in
        all rounds.
    """

    tol: float
    max_checks: int
    patience: int
    validation: Validation | None
    callback: LMNNCallback | None
    finish: Callable[[LMNNResult], LMNNResult]
    checks_before: int
    total: int


def course(
    request: Request,
    tol: float,
    finish: Callable[[LMNNResult], LMNNResult] = lambda result: result,
    checks_before: int = 0,
) -> Course:
    """Return the course that a training's arguments ask for."""
    options = request.options
    return Course(
        tol=tol,
        max_checks=options.max_checks,
        patience=options.patience,
        validation=request.validation,
        callback=request.callback,
        finish=finish,
        checks_before=checks_before,
        total=options.max_checks * options.n_target_rounds,
    )


def until_done(
    checks: Iterator[Check], problem: LargeMarginProblem, course: Course
) -> tuple[LMNNResult, bool]:
    """Train until the bound, the validation set, the callback or the end of the steps stops it.

    Returns
    -------
    result : LMNNResult
    stopped : bool
        Whether the callback ended the training.
    """
    record = Record(problem, course)
    for check in on_one_blas_thread(checks):
        record.add(check)
        if record.told():
            return record.result(), True
        reason = record.reason_to_end()
        if reason is not None:
            break
    else:
        reason = OUT_OF_CHECKS if len(record.history) == course.max_checks else ENDED
    return record.result(reason), False


class Record:
    """The full checks of a training so far, and the result of ending there."""

    def __init__(self, problem: LargeMarginProblem, course: Course) -> None:
        self.problem = problem
        self.course = course
        self.little = negligible(problem.mu, problem.classes, problem.targets)
        self.history: list[tuple[float, ...]] = []
        self.errors: list[float] = []
        self.best: Check
        self.last: Check

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
        validation = self.course.validation
        if validation is not None:
            self.errors.append(self._error(check, validation))
        improved = len(self.errors) > 1 and self.errors[-1] < min(self.errors[:-1])
        if validation is None or len(self.errors) == 1 or improved:
            self.best = check
        self.last = check

    def _error(self, check: Check, validation: Validation) -> float:
        problem = self.problem
        classes = classify(
            check.L,
            validation.Q,
            problem.original,
            problem.classes,
            problem.k,
            partition=problem.partition,
        )
        return float((classes != validation.classes).mean())

    def told(self) -> bool:
        """Call the callback, and return whether it ends the training."""
        course = self.course
        if course.callback is None:
            return False
        count = len(self.history)
        best = self.best
        last = self.last
        step = Step(
            course.checks_before + count,
            course.total,
            last,
            make_result=lambda: self._result(count, best, last, None),
        )
        return bool(course.callback(step))

    def reason_to_end(self) -> str | None:
        """Return why the training ends after this check, or None if it continues."""
        if self._is_done(self.last):
            return ""
        if self.last.stuck:
            return STUCK
        if stalled(self.errors, self.course.patience):  # LM:5:8
            return f"the validation error has not fallen for {self.course.patience} full checks"
        return None

    def _is_done(self, check: Check) -> bool:
        return check.settled or certified(
            check.objective, check.bound, self.course.tol, self.little
        )

    def result(self, reason: str | None = None) -> LMNNResult:
        """Return the result of ending here; a reason of None means that the callback asked."""
        return self._result(len(self.history), self.best, self.last, reason)

    def _result(self, count: int, best: Check, last: Check, reason: str | None) -> LMNNResult:
        """Return the result after the first `count` full checks."""
        if reason is None:
            reason = (
                "" if self._is_done(last) else STOPPED.format(self.course.checks_before + count)
            )
        problem = self.problem
        tol = self.course.tol
        converged = best.settled or certified(best.objective, last.bound, tol, self.little)
        closeness = _closeness(converged, best, last, tol, self.little)
        result = LMNNResult(
            best.L,
            problem.partition,
            problem.targets,
            problem.mu,
            best.objective,
            last.bound,
            converged,
            f"{reason}; {closeness}" if reason else closeness,
            np.array(self.history[:count]),
            np.array(self.errors[:count]),
        )
        return self.course.finish(result)


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

    See Also
    --------
    refimpl.lmnn.lmnn : Its options `validation` and `patience`.

    Examples
    --------
    >>> from refimpl.lmnn import stalled
    >>> stalled([0.3, 0.2, 0.25], patience=2), stalled([0.3, 0.2, 0.25, 0.2], patience=2)
    (False, True)
    """
    return len(errors) > 0 and len(errors) - 1 - int(np.argmin(errors)) >= patience


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
    """Add to the message which dimensions the metric leaves out.

    If whole columns are left out, the bound is not valid and becomes 0.
    """
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
