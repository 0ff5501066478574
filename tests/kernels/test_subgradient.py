"""The kernels of LMNN's sub-gradient: against literal loops, and twin against twin bit for bit."""

import numpy as np
import pytest
from agreement import assert_same
from hypothesis import given, settings
from hypothesis import strategies as st

from refimpl.kernels import subgradient as reference


def test_impostors_of_blocks_of_queries(monkeypatch):
    """The reference compares as many queries at a time as its memory allows: here two of 11."""
    rng = np.random.default_rng(0)
    Q = rng.normal(size=(11, 2))
    X = rng.normal(size=(9, 2))
    radii = rng.uniform(0, 3, 11)
    classes_Q = np.arange(11) % 2
    classes_X = np.arange(9) % 2
    D = ((Q[:, np.newaxis] - X) ** 2).sum(axis=2)
    expected = (D < radii[:, np.newaxis]) & (classes_Q[:, np.newaxis] != classes_X)
    monkeypatch.setattr(reference, "HELD", 18)
    first, second = reference.impostors(Q, X, radii, classes_Q, classes_X)
    assert np.array_equal([first, second], np.nonzero(expected)) and 10 < len(first) < 45


def test_impostors_among_other_points_and_none(kernels):
    Q = np.zeros((3, 1))
    X = np.array([[1.0], [3.0]])
    radii = np.array([2.0, 1.0, 10.0])
    classes_Q = np.array([0, 0, 1])
    classes_X = np.array([1, 0])
    first, second = kernels.impostors(Q, X, radii, classes_Q, classes_X)
    assert first.tolist() == [0, 2] and second.tolist() == [0, 1]
    first, second = kernels.impostors(Q, X[:0], radii, classes_Q, classes_X[:0])
    assert len(first) == len(second) == 0 and first.dtype == second.dtype == np.int64
    # a metric of rank 0
    first, second = kernels.impostors(Q[:, :0], X[:, :0], radii, classes_Q, classes_X)
    assert first.tolist() == [0, 1, 2] and second.tolist() == [0, 0, 1]


@pytest.mark.parametrize("h", [0.0, 0.25])
def test_a_slack_that_is_nan_is_not_hidden(kernels, h):
    """Nor does it touch other points."""
    targets = np.array([[np.nan, 1.0], [np.inf, 1.0], [3.0, 1.0]])
    terms = kernels.hinge_terms(targets, np.array([1.5, np.inf, 1.5]), np.array([0, 1, 2, 3]), h)
    smooth, hinge, active, pair_weights, target_weights = terms
    assert np.isnan([smooth[:2], hinge[:2], pair_weights[:2], target_weights[:2, 0]]).all()
    assert target_weights[:2, 1].tolist() == [1.0, 0.0] and active.tolist() == [1, 0, 2]
    assert (smooth[2], hinge[2], pair_weights[2]) == (3.0 - h, 3.0, 2.0)


# ------------------------------------------------------------------------------- scales of any size


def assert_all_are_found(kernels, Q, X, radii, classes_Q, classes_X, threads=None):
    """Compare with what the distances of all pairs say; return how many impostors there are."""
    i, l = np.divmod(np.arange(len(Q) * len(X)), len(X))
    D = kernels.pair_distances(np.concatenate([Q, X]), i, l + len(Q))
    within = (D < radii[i]) & (classes_Q[i] != classes_X[l])
    first, second = kernels.impostors(Q, X, radii, classes_Q, classes_X, threads=threads)
    assert_same(first, i[within])
    assert_same(second, l[within])
    return len(first)


def test_an_outlier_hides_no_impostor(kernels):
    Q = np.array([[0.0], [1e23]])
    X = np.array([[0.0]])
    classes = np.array([0, 0])
    assert assert_all_are_found(kernels, Q, X, np.ones(2), classes, np.array([1])) == 1
    assert assert_all_are_found(kernels, X, Q, np.ones(1), np.array([1]), classes) == 1
    rng = np.random.default_rng(0)
    for far in (1e5, 1e15, 1e22, 3e22, 1e23, 1e60, 1e150, 1e300):
        for among_points in (False, True):
            Q = rng.normal(size=(50, 3))
            classes = rng.integers(0, 2, 50)
            X = Q if among_points else Q.copy()
            Q[-1] = far
            assert assert_all_are_found(kernels, Q, X, np.full(50, 2.0), classes, classes) > 100


@pytest.mark.parametrize(
    "size", [1e-310, 1e-163, 1e-162, 1e-161, 1e-160, 1e-155, 1e-140, 1e-30, 1e30, 1e150, 1e153]
)
def test_impostors_of_any_size(kernels, size):
    """Squares that underflow are what they are, and those that overflow are infinite."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(60, 3)) * size
    classes = rng.integers(0, 3, 60)
    i, l = np.divmod(np.arange(3600), 60)
    D = kernels.pair_distances(Z, i, l).reshape(60, 60)
    D[~np.isfinite(D)] = 1.7e308
    for radii in (
        np.median(D, axis=1),
        D.max(axis=1),
        D[:, 0] + 5e-324,
        np.full(60, 5e-324),
        np.full(60, 1e308),
    ):
        assert_all_are_found(kernels, Z, Z, radii, classes, classes)
    for radii in (np.zeros(60), np.full(60, -5e-324), np.full(60, -1e308)):
        assert assert_all_are_found(kernels, Z, Z, radii, classes, classes) == 0


@st.composite
def wild_points(draw):
    """Points with coordinates of all sizes, some of them equal, and radii near some distances."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, 50))
    r = draw(st.integers(1, 9))
    low, high = draw(
        st.sampled_from([(-323, 150), (-170, -150), (-10, 10), (140, 154), (-323, 307), (20, 25)])
    )
    by = draw(st.sampled_from([(n, r), (n, 1), (1, r)]))
    Z = rng.normal(size=(n, r)) * 10.0 ** rng.integers(low, high, by)
    Z += rng.choice([0.0, 1.0, 1e9, 1e140]) * rng.integers(0, 2)
    Z[rng.random((n, r)) < draw(st.sampled_from([0.0, 0.5]))] = 0.0
    Z = Z[rng.integers(0, n, n)] if draw(st.booleans()) else Z
    return Z, rng


@settings(max_examples=150, deadline=None)
@given(case=wild_points(), factor=st.sampled_from([1.0, 1 + 2**-50, 2.0, 1e-9, 1e200, -1.0]))
def test_impostors_of_mixed_sizes(kernels, case, factor):
    Z, rng = case
    classes = rng.integers(0, 3, len(Z))
    with np.errstate(over="ignore"):
        radii = kernels.pair_distances(Z, np.arange(len(Z)), rng.permutation(len(Z))) * factor
    radii = np.clip(radii, -1e308, 1.7e308)
    assert_all_are_found(kernels, Z, Z, radii, classes, classes)
