"""LMNN on singular data, and the input that it refuses.

Not tested here: labels of a validation set (`tests/shared`), options (`test_lmnn_grammar.py`).
"""

import numpy as np
import pytest
from agreement import KERNELS
from lmnn_toys import blobs, trained, trained_rect

from refimpl.lmnn import (
    ConvergenceWarning,
    LMNNOptions,
    kmeans_partition,
    lmnn,
    lmnn_rect,
    lmnn_svd,
    target_neighbors,
)
from refimpl.lmnn.arguments import bytes_for
from refimpl.lmnn.problem import LargeMarginProblem, scaled

FASTEST = KERNELS[-1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.zeros(36)}, "y must hold at least .*got 1"),
        ({"k": 12}, r"k must be at most 11, the smallest class \(0\) has 12 points; got 12"),
        ({"X": np.ones((36, 4))}, "X must hold points that differ; got equal points only"),
        ({"targets": np.zeros((36, 1), dtype=int)}, "targets"),
        (
            {"targets": np.tile(np.arange(36)[:, None], (1, 2))},
            "must hold other points in each row; got 0 in row 0",
        ),
        (
            {"targets": (np.arange(36)[:, None] + np.array([1, 2])) % 36},
            "must hold points of the same class in each row; got",
        ),
        ({"start": np.ones((2, 3))}, "start"),
        ({"partition": [0, 1]}, "partition"),
        ({"options": LMNNOptions(validation=(np.ones((2, 3)), [0, 1]))}, "validation"),
    ],
)
def test_bad_input(change, message):
    X, y = blobs()
    with pytest.raises((TypeError, ValueError), match=message):
        lmnn(**{"X": X, "y": y, "k": 2, **change})


@pytest.mark.parametrize("mu", [1e15, 1e20, 1e60])
def test_a_weight_beside_which_rounding_hides_the_pull_gives_a_metric_and_no_bound(mu):
    X = np.arange(24.0).reshape(12, 2) ** 1.3
    y = np.arange(12) % 2
    with pytest.warns(ConvergenceWarning, match="this can happen if mu is above 1e12"):
        found = lmnn(X, y, 3, mu, kernels=FASTEST)
    proven = lmnn(X, y, 3, 1e9, kernels=FASTEST)
    assert found.bound == 0.0 and not found.converged and proven.converged
    assert found.objective / mu == pytest.approx(proven.objective / 1e9, rel=1e-2)


@pytest.mark.parametrize("scale", [1e-309, 1e-200, 1e-125])
def test_a_spread_whose_square_is_lost_is_refused(scale):
    X, y = blobs()
    X[:, 0] = 0.3  # a constant column is fine
    X[:, 2] *= scale
    for train in (lambda: trained(X, y, 2), lambda: trained_rect(X, y, 2, 2)):
        with pytest.raises(
            ValueError, match="column 2 of X must be constant or have a spread of at least 1e-120"
        ):
            train()


@pytest.mark.parametrize("scale", [1e145, 1e300])
def test_values_whose_squares_overflow_are_refused_also_with_targets(scale):
    X, y = blobs()
    targets = target_neighbors(X, y, 2)
    for train in (
        lambda: trained(scale * X, y, 2, targets=targets),
        lambda: trained_rect(scale * X, y, 2, 2, targets=targets),
        lambda: trained(scale * X, y, 2),
    ):
        with pytest.raises(ValueError, match=r"X must hold values from -1e\+140 to 1e\+140; got"):
            train()


@pytest.mark.parametrize("factor", [1e20, 1e60, 1e100])
@pytest.mark.parametrize("several", [False, True])
def test_the_printed_steps_go_on_from_a_start_however_far_apart_the_columns_are(factor, several):
    X, y = blobs()
    X = X[:, :3] * [factor, 1.0, 1 / factor]
    how = {"partition": y if several else None, "kernels": FASTEST}
    proven = lmnn(X, y, 2, **how)
    printed = LMNNOptions(solver="printed", max_checks=60)
    for start in (None, proven.L):
        found = lmnn(X, y, 2, options=printed, start=start, **how)
        assert proven.bound <= found.objective <= 1.01 * proven.objective
    validated = LMNNOptions(validation=(X, y), max_checks=3, patience=1)
    assert np.isfinite(lmnn(X, y, 2, options=validated, **how).L).all()


@pytest.mark.parametrize("size", [0.0, 1e-320, 1e-200, 1e-100, 1e7, 1e100, 1e200])
def test_a_start_of_another_length_ends_as_one_of_the_right_length(size):
    """As from a training on data in other units."""
    X, y = blobs()
    L = size * np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    low = trained_rect(X, y, 2, 2).objective
    assert trained_rect(X, y, 2, 2, start=L[:2]).objective == pytest.approx(low, rel=0.05)
    for partition in (None, y):
        proven = trained(X, y, 2, partition=partition)
        for solver in ("smoothed", "printed"):
            found = trained(X, y, 2, start=L, solver=solver, partition=partition)
            assert proven.bound <= found.objective <= 1.01 * proven.objective


def test_a_tolerance_below_what_can_be_proven_costs_no_more_than_the_least_that_can():
    X, y = blobs()
    with pytest.warns(ConvergenceWarning, match="or tol below 1e-10"):
        least, less = (trained(X, y, 2, tol=tol) for tol in (1e-12, 1e-300))
    assert less.full_checks == least.full_checks < 60 and less.gap == least.gap < 1e-9


@pytest.mark.parametrize("offset", [1.7e9, -1e12])
def test_k_means_of_points_far_from_0_is_as_good_as_near_0(offset):
    # exact at the offset, too; with fewer than five columns kmeans2 takes differences itself
    X = np.random.default_rng(0).integers(-16, 17, size=(400, 6)) / 16

    def spread(clusters):
        """Return the sum of squares within the clusters."""
        parts = [X[clusters == c] for c in np.unique(clusters)]
        return sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)

    near, far = (kmeans_partition(Z, 5, rng=np.random.default_rng(0)) for Z in (X, X + offset))
    assert spread(far) <= 1.05 * spread(near) <= 0.9 * spread(np.zeros(400))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("p", [2, 3, 12])
def test_k_means_of_few_different_points_has_a_cluster_of_each_at_most(p):
    X = np.tile([[0.0, 1.0], [1.0, 0.0], [9.0, 9.0]], (4, 1))
    for points, n in ((X, 3), (np.ones((12, 2)), 1)):
        clusters = kmeans_partition(points, p, rng=np.random.default_rng(0))
        assert len(np.unique(clusters)) == min(p, n)
        same = (points[:, None] == points).all(axis=2)
        assert (clusters[:, None] == clusters)[same].all()


def test_k_means_beside_an_outlier_keeps_the_points_apart():
    X = np.append(np.arange(5.0), 1e20)[:, None]
    assert len(np.unique(kmeans_partition(X, 6, rng=np.random.default_rng(0)))) == 6


def test_ranks_and_partitions_that_do_not_fit():
    X, y = blobs()
    assert bytes_for(60_000, 169, 3, 1, 4_000_000) < 8e9
    with pytest.raises(ValueError, match="r must be at most 4"):
        lmnn_rect(X, y, 5)
    for shape in ((2, 2, 3), (0, 3), (1, 0, 3)):
        with pytest.raises(ValueError, match="must be a single metric"):
            lmnn_svd(np.ones(shape), 1)
    with pytest.raises(ValueError, match="p must be at most 36"):
        kmeans_partition(X, 99, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    "targets",
    [
        [[2], [3], [0], [4]],  # there are points 0 to 3
        [[2], [3], [0], [-3]],
        [[2.0], [3.0], [0.0], [1.0]],
        [2, 3, 0, 1],
    ],
)
def test_targets_that_are_no_indices_are_refused(targets):
    with pytest.raises(ValueError, match="targets must hold indices of points, 0 to 3, in shape"):
        lmnn([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], 1, targets=targets)


def test_the_pull_of_a_scaled_metric_is_at_most_the_objective_of_zero():
    """Two classes of 3 points: zero leaves mu for each of 6 * 2 * 3 triples. With so small a mu the
    best scale is below all that are tried.
    """
    X = np.arange(6.0)[:, np.newaxis]
    y = np.array([0, 0, 0, 1, 1, 1])
    targets = np.array([[1, 2], [0, 2], [1, 0], [4, 5], [3, 5], [4, 3]])
    mu = 1e-9
    problem = LargeMarginProblem(X, y, targets, mu, np.zeros(6, dtype=int), FASTEST, 1)
    L = scaled(problem, np.ones((1, 1, 1)))
    pull = sum((X[i, 0] - X[j, 0]) ** 2 for i in range(6) for j in targets[i])
    assert pull * L.item() ** 2 == pytest.approx(36 * mu, rel=1e-12)
