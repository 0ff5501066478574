"""Metrics of clusters, learnt together and one by one (§ 5.1).

The paper says that several metrics cannot be learnt in a decoupled fashion, as by one problem
within each cluster, because their distances must be comparable. Here the clusters are those of
k-means; points, held-out points and clusters are the same for all ways to learn. The metrics that
are learnt one by one are also brought to one scale: under each of them the mean squared distance of
target neighbours is 1.

Not handled here: other numbers of metrics (`clusters`).
"""

from collections.abc import Iterator

import numpy as np

from paper_figures.lmnn.points import Points, in_training, per_cent, points, scaled
from paper_figures.rows import differences, means
from paper_figures.study import Gathered, Grid, Job, Observation, Seen, Study, View, grid
from refimpl.lmnn import LMNNOptions, classify, kmeans_partition, lmnn
from refimpl.lmnn.algorithm import target_neighbors
from refimpl.typing import BoolArray, FloatArray, IntArray, Kernels

K = 3
CHECKS = 30
ERROR = "test error (%)"
ONE, TOGETHER = "one metric", "learnt together"
APART, SCALED = "learnt one by one", "learnt one by one, then scaled"
ISOLET = ("isolet", "as they are", 3000, 50)
DIGITS = ("MNIST-10", "normalised", 3000, 50)
PAIRS = tuple((apart, other) for apart in (APART, SCALED) for other in (TOGETHER, ONE))


def compute(
    job: Job, *, data_set: str, preparation: str, n: int, d: int, p: int, run: int
) -> Iterator[Observation]:
    """Yield the test errors of one metric, and of p metrics by each way to learn them."""
    given = points(job, data_set, preparation, d, n)
    trains = in_training(given.y, job.rng_for("held out", data_set, run))
    clusters = kmeans_partition(given.X, p, rng=job.rng_for("clusters", data_set, run, p))
    X, y, inside = given.X[trains], given.y[trains], clusters[trains]
    apart, to_scale = one_by_one(given, trains, clusters, job.kernels)
    learnt = {
        ONE: learn(given, trains, np.zeros_like(clusters), job.kernels),
        TOGETHER: learn(given, trains, clusters, job.kernels),
        APART: apart,
        SCALED: to_scale,
    }
    for way, L in learnt.items():
        partition = np.zeros_like(inside) if way == ONE else inside
        said = classify(L, given.Q, X, y, K, partition=partition, kernels=job.kernels, threads=1)
        yield {"way": way, "error": per_cent(said, given.z)}


def learn(given: Points, trains: BoolArray, partition: IntArray, kernels: Kernels) -> FloatArray:
    """Return the metrics of a partition, learnt together; points held out end the steps."""
    held = ~trains
    options = LMNNOptions(
        solver="printed",
        validation=(given.X[held], given.y[held]) if held.any() else None,
        max_checks=CHECKS,
    )
    X, y = given.X[trains], given.y[trains]
    result = lmnn(X, y, K, partition=partition[trains], options=options, kernels=kernels, threads=1)
    return result.L


def one_by_one(
    given: Points, trains: BoolArray, clusters: IntArray, kernels: Kernels
) -> tuple[FloatArray, FloatArray]:
    """Return a metric for each cluster, learnt from its points alone, as it is and scaled."""
    # A class with too few points of a cluster plays no part there; a cluster of one class has the
    # Euclidean metric.
    as_learnt, to_scale = [], []
    for a in range(clusters.max() + 1):
        classes, counts = np.unique(given.y[trains & (clusters == a)], return_counts=True)
        known = (clusters == a) & np.isin(given.y, classes[counts > K])
        own = given._replace(X=given.X[known], y=given.y[known])
        L = np.eye(given.X.shape[1])
        if len(np.unique(own.y)) > 1:
            L = learn(own, trains[known], np.zeros(len(own.y), dtype=np.int64), kernels)[0]
        X, y = own.X[trains[known]], own.y[trains[known]]
        as_learnt.append(L)
        targets = target_neighbors(X, y, K, kernels=kernels, threads=1) if len(y) else None
        to_scale.append(L if targets is None else scaled(L, X, targets))
    return np.array(as_learnt), np.array(to_scale)


def gather(seen: Seen) -> Gathered:
    """Return the errors of each way, and their differences run by run."""
    keys = ("data_set", "p")
    rows = seen.absent({"data_set": "all", "p": None, "way": None})
    rows += means(seen.items, (*keys, "way"), "error")
    rows += differences(seen.items, keys, "error", PAIRS, over="way")
    note = (
        f"{ERROR[0].upper()}{ERROR[1:]}, means over runs, which hold out other points and start "
        "k-means elsewhere. The points that trained vote. One by one: each cluster's metric is "
        "learnt from the points of the cluster alone. Scaled: then the mean squared distance of "
        "target neighbours is made 1 in each cluster. Differences are taken run by run."
    )
    return Gathered(rows, [note])


STUDY = Study(
    "decoupled",
    compute,
    {
        "small": grid(
            data_set__preparation__n__d=(("digits", "as they are", 300, 20),), p=(3,), run=range(2)
        ),
        "paper": [
            *grid(data_set__preparation__n__d=(ISOLET,), p=(5,), run=range(40)),
            *grid(data_set__preparation__n__d=(DIGITS,), p=(5,), run=range(20)),
        ],
    },
    (
        View(
            "decoupled",
            "Metrics of clusters, learnt together and one by one",
            gather,
            layout=(
                Grid(
                    ("data_set", "p"),
                    ("way",),
                    where={"minus": (None,)},
                    headings={"p": "clusters"},
                ),
                Grid(
                    ("data_set", "p"),
                    ("way", "minus"),
                    headings={"p": "clusters"},
                    title="differences, run by run",
                ),
            ),
        ),
    ),
    version=2,  # the printed solver takes the certificate's coordinates
)
