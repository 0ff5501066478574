"""The kernels of LMNN's sub-gradient: against literal loops, and twin against twin bit for bit."""

import math

import numpy as np
import pytest
from agreement import KERNELS, assert_same
from hypothesis import given, settings
from hypothesis import strategies as st

each = pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
both = pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")


@st.composite
def cases(draw):
    """Points with classes, radii, some pairs, target distances, and weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, r, k = draw(st.integers(1, 70)), draw(st.integers(1, 40)), draw(st.integers(1, 3))
    Z = rng.normal(size=(n, r)) * 10.0 ** draw(st.integers(-3, 3))
    if draw(st.booleans()):  # ties and duplicates
        Z = np.rint(Z)
    classes = rng.integers(0, draw(st.integers(1, 4)), n)
    scale = max(float((Z * Z).sum(axis=1).mean()), 1e-30)
    radii = rng.random(n) * 3 * scale
    if draw(st.booleans()):  # radii that are distances: the inequality is strict
        radii = ((Z - Z[rng.permutation(n)]) ** 2).sum(axis=1)
    p = draw(st.integers(0, 100))
    first, second = np.sort(rng.integers(0, n, p)), rng.integers(0, n, p)
    return Z, classes, radii, first, second, rng.random((n, k)) * scale, rng


def lists(first, n):
    return np.concatenate([[0], np.cumsum(np.bincount(first, minlength=n))])


@each
@settings(max_examples=40, deadline=None)
@given(case=cases())
def test_pair_distances(kernels, case):
    Z, _, _, first, second, _, _ = case
    for a, b, found in zip(first, second, kernels.pair_distances(Z, first, second), strict=True):
        exact = math.fsum((u - v) ** 2 for u, v in zip(Z[a], Z[b], strict=True))
        assert found == pytest.approx(exact, rel=1e-13, abs=1e-300)


@each
@settings(max_examples=40, deadline=None)
@given(case=cases())
def test_impostors_are_all_pairs_of_two_classes_within_the_radius(kernels, case):
    Z, classes, radii, *_ = case
    n = len(Z)
    i, l = np.divmod(np.arange(n * n), n)
    D = kernels.pair_distances(Z, i, l)
    within = (D < radii[i]) & (classes[i] != classes[l])
    found = kernels.impostors(Z, Z, radii, classes, classes)
    assert_same(found[0], i[within])
    assert_same(found[1], l[within])


@each
def test_impostors_among_other_points_and_none(kernels):
    Q, X = np.zeros((3, 1)), np.array([[1.0], [3.0]])
    radii, classes_Q, classes_X = np.array([2.0, 1.0, 10.0]), np.array([0, 0, 1]), np.array([1, 0])
    first, second = kernels.impostors(Q, X, radii, classes_Q, classes_X)
    assert first.tolist() == [0, 2] and second.tolist() == [0, 1]
    first, second = kernels.impostors(Q, X[:0], radii, classes_Q, classes_X[:0])
    assert len(first) == len(second) == 0 and first.dtype == second.dtype == np.int64
    first, second = kernels.impostors(Q[:, :0], X[:, :0], radii, classes_Q, classes_X)  # a metric of rank 0
    assert first.tolist() == [0, 1, 2] and second.tolist() == [0, 0, 1]


@each
@settings(max_examples=40, deadline=None)
@given(case=cases(), h=st.sampled_from([0.0, 1e-6, 0.3, 2.0]))
def test_hinge_terms_are_sums_over_triples(kernels, case, h):
    Z, _, _, first, second, targets, _ = case
    pairs = kernels.pair_distances(Z, first, second)
    smooth, hinge, active, pair_weights, target_weights = kernels.hinge_terms(targets, pairs, lists(first, len(Z)), h)
    want = [np.zeros(len(Z)), np.zeros(len(Z)), np.zeros(len(Z)), np.zeros(len(pairs)), np.zeros(targets.shape)]
    for p, i in enumerate(first):
        for j in range(targets.shape[1]):
            z = 1 + targets[i, j] - pairs[p]
            if z <= 0:
                continue
            weight = 1.0 if z >= h else z / h
            want[0][i] += z - h / 2 if z >= h else z * z / (2 * h)
            want[1][i] += z
            want[2][i] += 1
            want[3][p] += weight
            want[4][i, j] += weight
    for found, expected in zip((smooth, hinge, active, pair_weights, target_weights), want, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
    assert (smooth <= hinge).all()


@each
@pytest.mark.parametrize("h", [0.0, 0.25])
def test_a_margin_that_is_just_kept_counts_nothing(kernels, h):
    targets, pairs = np.array([[1.0, 0.5]]), np.array([2.0, 1.5])  # z = 0 and -0.5, 0.5 and 0
    smooth, hinge, active, pair_weights, target_weights = kernels.hinge_terms(targets, pairs, np.array([0, 2]), h)
    assert (smooth[0], hinge[0], active[0]) == (0.5 - h / 2, 0.5, 1)
    assert pair_weights.tolist() == [0.0, 1.0] and target_weights.tolist() == [[1.0, 0.0]]


@each
@settings(max_examples=40, deadline=None)
@given(case=cases())
def test_weighted_differences_make_sums_of_outer_products(kernels, case):
    Z, _, _, first, second, _, rng = case
    weights = rng.normal(size=len(first)) * (rng.random(len(first)) < 0.7)
    rows = np.concatenate([first, second])
    order = np.argsort(rows, kind="stable")
    other, edge = np.concatenate([second, first])[order], np.tile(np.arange(len(first)), 2)[order]
    half = kernels.weighted_differences(Z, lists(rows, len(Z)), other, edge, weights)
    differences = Z[first] - Z[second]
    want = (differences * weights[:, None]).T @ differences
    np.testing.assert_allclose(Z.T @ half, want, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(Z).max() ** 2))


@both
@settings(max_examples=60, deadline=None)
@given(case=cases(), threads=st.sampled_from([1, 2]), h=st.sampled_from([0.0, 0.3, 2.0]))
def test_twins_agree_bit_for_bit(case, threads, h):
    Z, classes, radii, first, second, targets, rng = case
    one, two = KERNELS
    pairs = one.pair_distances(Z, first, second)
    assert_same(pairs, two.pair_distances(Z, first, second, threads=threads))
    start, edge, weights = lists(first, len(Z)), rng.permutation(len(first)), rng.normal(size=len(first))
    weights[rng.random(len(first)) < 0.3] = 0
    for name, arguments in (
        ("impostors", (Z, Z, radii, classes, classes)),
        ("hinge_terms", (targets, pairs, start, h)),
        ("weighted_differences", (Z, start, second, edge, weights)),
    ):
        a, b = getattr(one, name)(*arguments), getattr(two, name)(*arguments, threads=threads)
        for x, y in zip(a, b, strict=True) if isinstance(a, tuple) else ((a, b),):
            assert_same(x, y)


@both
@pytest.mark.parametrize("threads", [1, 2])
def test_twins_find_the_same_impostors_of_many_points(threads):
    """Threads take 256 queries at a time, and 1536 points stay in their cache meanwhile."""
    rng = np.random.default_rng(0)
    Q, X = np.rint(2 * rng.normal(size=(600, 4))), np.rint(2 * rng.normal(size=(3200, 4)))
    classes_Q, classes_X, radii = rng.integers(0, 3, 600), rng.integers(0, 3, 3200), rng.integers(0, 9, 600) * 1.0
    one, two = (kernels.impostors(Q, X, radii, classes_Q, classes_X, threads=threads) for kernels in KERNELS)
    assert len(one[0]) > 10_000 and one[1].max() > 3136 and (np.diff(one[0]) >= 0).all()
    for a, b in zip(one, two, strict=True):
        assert_same(a, b)


@pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
def test_arguments_that_do_not_fit_are_refused_by_the_fast_twin():
    fast, Z, places = KERNELS[1], np.zeros((2, 3)), np.zeros(1, dtype=np.int64)
    with pytest.raises(ValueError, match="first"):
        fast.pair_distances(Z, places + 2, places)
    with pytest.raises(ValueError, match="equally many"):
        fast.pair_distances(Z, places, places[:0])
    with pytest.raises(ValueError, match="start"):
        fast.hinge_terms(np.zeros((2, 1)), np.zeros(1), np.array([0, 1]), 0.0)
    with pytest.raises(ValueError, match="other"):
        fast.weighted_differences(Z, np.array([0, 1, 1]), places + 5, places, np.ones(1))
    with pytest.raises(ValueError, match="lengths"):
        fast.impostors(Z, Z, np.ones(1), np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64))
