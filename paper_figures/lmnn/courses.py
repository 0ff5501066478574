"""Figure 5: errors along the steps, with one metric and with one for each class; a change
here computes them anew.

Every public function is a task: it gets a :class:`paper_figures.registry.Job` and its parameters.

Not handled here: clusters by k-means, other solvers.
"""

from collections.abc import Sequence
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from paper_figures.lmnn.prepared import in_training, per_cent_wrong, points
from paper_figures.tasks import Job
from refimpl.lmnn import LMNNOptions, LMNNResult, lmnn, metric_neighbors, stalled
from refimpl.lmnn.model import Check
from refimpl.progress import Step
from refimpl.typing import BoolArray, FloatArray, IntArray, Kernels

K = 3
TOL = 1e-3
COARSE = 1e-2  # of the one metric that several start from
PATIENCE = 5  # full checks without a lower validation error that end a training


class Parts(NamedTuple):
    """Training points X with classes y, which of them train, test points Q with classes z."""

    X: FloatArray
    y: IntArray
    trains: BoolArray
    Q: FloatArray
    z: IntArray
    by_class: bool
    kernels: Kernels

    def metrics(self, y: IntArray) -> IntArray:
        """Return the index of the metric of each point."""
        return y if self.by_class else np.zeros(len(y), dtype=np.int64)


def course(
    job: Job,
    *,
    data_set: str,
    preparation: str,
    share: float,
    by_class: bool,
    split: int | None,
    ks: Sequence[int],
    checks: int,
    watched: bool,
) -> dict[str, Any]:
    """Train one metric, or one for each class, and measure errors on the way.

    Several metrics take the paper's steps, from one metric that is trained before. One metric is
    trained by the certified solver. With a split three of ten points of each class are held out:
    the steps go on beyond the least validation error, so that both are known. With None all points
    train.

    Returns
    -------
    dict
        ``checks``: eq. 3, active triples and errors after each full check, with training errors if
        `watched`. ``stopped`` (with a split): the metrics where early stopping ends, measured
        whole; ``end``: those of least eq. 3. Errors are in per cent, by k.
    """
    parts = _parts(job, data_set, preparation, share, by_class, split)
    log = _Log(parts, ks, watched)
    X, y = parts.X[parts.trains], parts.y[parts.trains]
    options = LMNNOptions(solver="printed" if by_class else "smoothed", tol=TOL, max_checks=checks)
    before = process_time()
    result = lmnn(
        X,
        y,
        K,
        partition=y if by_class else None,
        options=options,
        kernels=job.kernels,
        threads=1,
        callback=log.add,
        start=_single(parts) if by_class else None,
    )
    seconds = process_time() - before
    return {
        "d": X.shape[1],
        "seconds": seconds,
        "message": result.message,
        "gap": result.gap,
        "checks": log.passed,
        "stopped": None if split is None else log.stopped(),
        "end": _measured(parts, result.L, ks, train=True),
        "euclidean": _measured(parts, _euclidean(parts), ks, train=True),
    }


class _Log:
    """What each full check has, and the metrics where early stopping ends."""

    def __init__(self, parts: Parts, ks: Sequence[int], watched: bool) -> None:
        self.parts = parts
        self.ks = ks
        self.watched = watched
        self.passed: list[dict[str, Any]] = []
        self.least: FloatArray
        self.place = 0
        self.ended = False

    def add(self, step: Step[Check, LMNNResult]) -> None:
        """Measure a full check; note the metrics if the validation error is the least so far."""
        check = step.state
        measured = _measured(self.parts, check.L, self.ks, train=self.watched)
        state = {
            "check": check.t,
            "objective": check.objective,
            "active": check.active,
            "gradient_norm": check.gradient_norm,
        }
        self.passed.append(state | measured)
        if "validation" not in measured or self.ended:
            return
        errors = self.errors()
        if errors[-1] < min(errors[:-1], default=np.inf):
            self.least = check.L
            self.place = len(errors) - 1
        self.ended = stalled(errors, PATIENCE)

    def errors(self) -> list[float]:
        """Return the validation errors so far."""
        return [check["validation"][str(K)] for check in self.passed]

    def stopped(self) -> dict[str, Any]:
        """Return what the metrics have where early stopping ends, and at which check they were."""
        return {"check": self.passed[self.place]["check"]} | _measured(
            self.parts, self.least, self.ks, train=True
        )


def _single(parts: Parts) -> FloatArray:
    """Return the metric that several metrics start from: one metric, trained before them.

    If points are held out, it ends early, too.
    """
    held = ~parts.trains
    validation = (parts.X[held], parts.y[held]) if held.any() else None
    single = lmnn(
        parts.X[parts.trains],
        parts.y[parts.trains],
        K,
        options=LMNNOptions(tol=COARSE, validation=validation),
        kernels=parts.kernels,
        threads=1,
    )
    return np.repeat(single.L, parts.y.max() + 1, axis=0)


def _euclidean(parts: Parts) -> FloatArray:
    """Return the identity for each metric."""
    count = parts.y.max() + 1 if parts.by_class else 1
    return np.repeat(np.eye(parts.X.shape[1])[None], count, axis=0)


def _parts(
    job: Job, data_set: str, preparation: str, share: float, by_class: bool, split: int | None
) -> Parts:
    X, labels, Q, test_labels = points(job, data_set, preparation, share)
    classes = np.unique(labels)
    y, z = (np.searchsorted(classes, part) for part in (labels, test_labels))
    trains = np.ones(len(y), dtype=bool)
    if split is not None:
        trains = in_training(y, job.rng_for("held out", data_set, split))
    return Parts(X, y, trains, Q, z, by_class, job.kernels)


def _measured(parts: Parts, L: FloatArray, ks: Sequence[int], *, train: bool) -> dict[str, Any]:
    """Return errors by k: of the test points, of those held out and, if asked, of all that train.

    All training points vote, but those held out do not where they are measured. A training error
    leaves the point out: ``train`` is that of all training points, ``learnt`` that of those that
    the metrics were learnt from.
    """
    X, y, trains, Q, z, _, kernels = parts
    held = ~trains
    asked = {"test": (Q, z, X, y)}
    if held.any():
        asked["validation"] = (X[held], y[held], X[trains], y[trains])
    measured: dict[str, Any] = {}
    for name, (queries, classes, voters, labels) in asked.items():
        near = metric_neighbors(
            L, queries, voters, max(ks), partition=parts.metrics(labels), kernels=kernels, threads=1
        )[1]
        measured[name] = _by_k(labels[near], classes, ks)
    if train:
        near = y[
            metric_neighbors(
                L, None, X, max(ks), partition=parts.metrics(y), kernels=kernels, threads=1
            )[1]
        ]
        measured["train"] = _by_k(near, y, ks)
        measured["learnt"] = _by_k(near[trains], y[trains], ks)
    return measured


def _by_k(near: IntArray, classes: IntArray, ks: Sequence[int]) -> dict[str, float]:
    return {str(k): per_cent_wrong(near[:, :k], classes) for k in ks}
