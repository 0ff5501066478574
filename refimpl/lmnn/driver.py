"""Drives a training of LMNN step by step: when it ends, and what is known of the result.

Not handled here: the steps (``smoothed.py``, ``printed.py``).
"""

from dataclasses import replace

import numpy as np

from refimpl.lmnn.model import LMNNResult
from refimpl.lmnn.neighbors import classify
from refimpl.lmnn.starts import zero_metric
from refimpl.resources import on_one_blas_thread

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
ENDED = "forty full checks lowered the objective by next to nothing, and the last found no new triple"
STUCK = (
    "neither the objective nor its bound moves any more, as can be where points or the differences between target "
    "neighbours lie very near to fewer dimensions"
)


def until_done(steps, tol, X, classes, partition, targets, mu, validation, patience, callback, max_checks):
    """Take steps until the bound, the validation set or the steps' end stops them."""
    history, errors = [], []
    best = None
    little = negligible(mu, classes, targets)
    for step in on_one_blas_thread(steps):
        history.append((step.objective, step.bound, step.active, step.pairs, step.evaluations, step.gradient_norm))
        if callback is not None:
            callback(step)
        if validation is not None:
            k = targets.shape[1]
            errors.append((classify(X, classes, validation[0], k, step.L, partition) != validation[1]).mean())
        if best is None or validation is None or errors[-1] < min(errors[:-1]):
            best = step
        if step.settled or certified(step.objective, step.bound, tol, little):
            ended = ""
            break
        if step.stuck:
            ended = STUCK
            break
        if stalled(errors, patience):  # LM:5:8
            ended = f"the validation error has not fallen for {patience} full checks"
            break
    else:
        ended = OUT_OF_CHECKS if len(history) == max_checks else ENDED
    converged = best.settled or certified(best.objective, step.bound, tol, little)
    message = _message(ended, converged, best, step, tol, little)
    return LMNNResult(
        best.L, partition, targets, mu, best.objective, step.bound, converged, message, np.array(history),
        np.array(errors),
    )  # fmt: skip


def stalled(errors, patience):
    """Whether the last `patience` validation errors were no lower than one before: the training ends."""
    return len(errors) > 0 and len(errors) - 1 - int(np.argmin(errors)) >= patience


def negligible(mu, classes, targets):
    """An objective below this counts as 0."""
    return LITTLE * min(targets.size, zero_metric(mu, classes, targets.shape[1]))


def certified(objective, bound, tol, little):
    return objective - bound <= tol * max(objective, little)


def with_what_was_left_out(found, problem, tol):
    """Say which dimensions the metric leaves out; without whole columns the bound does not hold."""
    at, message = problem.coordinates, found.message
    if at.left_out:
        are = "1 dimension is" if at.left_out == 1 else f"{at.left_out} dimensions are"
        message = f"{message}; {LEFT_OUT.format(are)}"
    if not at.rounded:
        return replace(found, message=message)
    history = found.history.copy()
    history[:, 1] = 0.0
    if not certified(found.objective, 0.0, tol, negligible(problem.mu, problem.classes, problem.targets)):
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
