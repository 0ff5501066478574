"""Test errors with several metrics (figure 4): the runs; a change here computes them anew."""

from typing import Any

import numpy as np

from paper_figures.lmnn.prepared import in_training, per_cent, points
from paper_figures.tasks import Job
from refimpl.lmnn import LMNNOptions, classify, kmeans_partition, lmnn


def several(
    job: Job,
    *,
    data_set: str,
    preparation: str,
    n: int,
    d: int,
    k: int,
    p: int | None,
    run: int,
    max_checks: int,
) -> dict[str, Any]:
    """Train p metrics for clusters of k-means, or one for each class if p is None.

    The steps are the printed ones. The points held out end them. Runs differ in the points held out
    and in the start of k-means; all p of a run hold out the same points.

    Returns
    -------
    dict
        Test errors in per cent: ``error``, where the points that trained vote; ``all``, where those
        held out vote, too; ``euclidean``, where all vote. ``least`` is the validation error.
    """
    X, y, Q, z = points(job, data_set, preparation, d, n)
    trains = in_training(y, job.rng_for("held out", data_set, run))
    rng = job.rng_for("clusters", data_set, run, p)
    partition = y if p is None else kmeans_partition(X, p, rng=rng)
    metrics, inside = np.unique(partition[trains], return_inverse=True)
    options = LMNNOptions(
        solver="printed", validation=(X[~trains], y[~trains]), max_checks=max_checks
    )
    result = lmnn(X[trains], y[trains], k, partition=inside, options=options, kernels=job.kernels)
    # a cluster whose points are all held out takes the next metric
    places = np.searchsorted(metrics, partition).clip(max=len(metrics) - 1)
    by_trained = classify(result, Q, X[trains], y[trains], k, kernels=job.kernels)
    by_all = classify(result, Q, X, y, k, partition=places, kernels=job.kernels)
    return {
        "error": per_cent(by_trained, z),
        "all": per_cent(by_all, z),
        "euclidean": per_cent(classify(np.eye(d), Q, X, y, k, kernels=job.kernels), z),
        "least": 100 * float(result.validation_errors.min()),
        "metrics": len(metrics),
        "checks": result.full_checks,
        "message": result.message,
    }
