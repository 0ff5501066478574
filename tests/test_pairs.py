"""Sums over a node's pairs: against matrices, and twin against twin, on any number of threads."""

import numpy as np
import pytest
from agreement import KERNELS, assert_same
from hypothesis import given, settings
from hypothesis import strategies as st

from refimpl.kernels import pairs as reference

each = pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
fast_only = pytest.mark.skipif(len(KERNELS) == 1, reason="refimpl_fast is not built")
seeds = st.integers(0, 2**32)
threads = st.sampled_from([1, 2])


def some_pairs(rng, n, share):
    """Pairs i < j in ascending order, and weights on no grid."""
    first, second = (part.astype(np.int32) for part in np.triu_indices(n, k=1))
    kept = rng.random(len(first)) < share
    return first[kept], second[kept], rng.normal(size=kept.sum())


def as_matrix(n, first, second, values):
    V = np.zeros((n, n))
    V[first, second] = values
    return V


@each
@settings(max_examples=40, deadline=None)
@given(seed=seeds, n=st.integers(1, 30), share=st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_a_product_is_that_of_the_symmetric_matrix(kernels, seed, n, share):
    rng = np.random.default_rng(seed)
    first, second, v = some_pairs(rng, n, share)
    V, u = as_matrix(n, first, second, v), rng.normal(size=n)
    np.testing.assert_allclose(kernels.pair_product(first, second, v, u), (V + V.T) @ u, rtol=1e-12, atol=1e-12)


@each
@settings(max_examples=40, deadline=None)
@given(seed=seeds, n=st.integers(1, 30), share=st.sampled_from([0.0, 0.3, 1.0]), leaves=st.integers(1, 12))
def test_pairs_meet_as_in_a_matrix(kernels, seed, n, share, leaves):
    rng = np.random.default_rng(seed)
    first, second, T = some_pairs(rng, n, share)
    similar, leaf = rng.integers(0, 3, len(T)).astype(np.uint8), rng.integers(leaves, size=n)
    before = T.copy()
    found = kernels.meet_pairs(leaf, first, second, similar, T, 0.3)
    assert_same(T, before)  # the input stays as it was
    same = np.triu(leaf[:, np.newaxis] == leaf, k=1)
    listed = as_matrix(n, first, second, 1) > 0
    expected = np.nonzero(listed | same)
    assert_same(found[0], expected[0].astype(np.int32))
    assert_same(found[1], expected[1].astype(np.int32))
    assert_same(found[2], as_matrix(n, first, second, similar)[expected].astype(np.uint8))
    assert_same(found[3], (as_matrix(n, first, second, T) + 0.3 * same)[expected])


@fast_only
@settings(max_examples=60, deadline=None)
@given(seed=seeds, n=st.integers(1, 40), threads=threads)
def test_twins(seed, n, threads):
    rng, (one, two) = np.random.default_rng(seed), KERNELS
    A = rng.normal(size=(n, 3))
    A[:, 0] = np.rint(A[:, 0])
    A[:, 2] = -0.0
    first, second, v = some_pairs(rng, n, 0.4)
    u, T, similar, leaf = rng.normal(size=n), np.abs(v), (v > 0).astype(np.uint8), rng.integers(5, size=n)
    left, on_grid = rng.random(n) < 0.5, np.rint(v * 64) / 64
    for name, arguments in (
        ("best_thresholds", (A, first, second, on_grid, -0.25)),
        ("pair_product", (first, second, v, u)),
        ("split_pairs", (left, first, second, v)),
        ("meet_pairs", (leaf, first, second, similar, T, 0.7)),
    ):
        expected, found = getattr(one, name)(*arguments), getattr(two, name)(*arguments, threads=threads)
        for a, b in zip(flat(expected), flat(found), strict=True):
            assert_same(a, b)


def flat(found):
    """The arrays of a result, which may be a tuple of tuples."""
    return [found] if isinstance(found, np.ndarray) else [a for part in found for a in flat(part)]


@fast_only
def test_twins_where_the_pairs_are_worth_several_threads():
    """More pairs than one part holds, and more parts than threads."""
    rng, n, (one, two) = np.random.default_rng(0), 1500, KERNELS
    first, second, v = some_pairs(rng, n, 0.6)
    assert len(reference.parts_of(len(v))) > 4
    assert len(reference.parts_of(10 * reference.PARTS * reference.PART)) == reference.PARTS
    u, A, on_grid = rng.normal(size=n), rng.normal(size=(n, 2)), np.rint(v * 64) / 64
    product, thresholds = (
        one.pair_product(first, second, v, u),
        one.best_thresholds(A[:, :1], first, second, on_grid, -0.5),
    )
    both = one.best_thresholds(A, first, second, on_grid, -0.5)
    for threads in (1, 2, 3, 8, 64):
        assert_same(product, two.pair_product(first, second, v, u, threads=threads))
        for expected, coordinates in ((thresholds, A[:, :1].copy()), (both, A)):
            found = two.best_thresholds(coordinates, first, second, on_grid, -0.5, threads=threads)
            for a, b in zip(expected, found, strict=True):
                assert_same(a, b)


@fast_only
def test_the_fast_twin_refuses_what_would_crash_it():
    fast, X = KERNELS[1], np.zeros((5, 3))
    ones, leaf, similar = np.ones(1), np.zeros(5, dtype=np.int64), np.zeros(1, dtype=np.uint8)
    for i, j in ((0, 5), (-1, 3), (5, 6), (-3, -2)):
        pair = np.array([i], dtype=np.int32), np.array([j], dtype=np.int32), ones
        for call in (
            lambda pair=pair: fast.best_thresholds(X, *pair, 0.0),
            lambda pair=pair: fast.split_pairs(np.ones(5, dtype=bool), *pair),
            lambda pair=pair: fast.pair_product(*pair, np.ones(5)),
            lambda pair=pair: fast.meet_pairs(leaf, *pair[:2], similar, ones, 1.0),
        ):
            with pytest.raises(ValueError, match="first, second"):
                call()
    one, two = np.array([1], dtype=np.int32), np.array([1, 0], dtype=np.int32)
    for call in (
        lambda: fast.pair_product(one, one, ones, np.ones(5)),  # a point with itself
        lambda: fast.pair_product(two, two + np.int32(1), np.ones(2), np.ones(5)),  # not ascending
        lambda: fast.pair_product(two, one, np.ones(2), np.ones(5)),
        lambda: fast.meet_pairs(leaf, two, two + np.int32(2), np.zeros(2, dtype=np.uint8), np.ones(2), 1.0),
        lambda: fast.meet_pairs(leaf, one, one, np.zeros(2, dtype=np.uint8), ones, 1.0),
    ):
        with pytest.raises(ValueError, match="first"):
            call()


def test_midway_lies_between_neighbours():
    for low, high in ((1.0, np.nextafter(1.0, 2)), (-1e308, 1e308), (0.0, 5e-324), (-5e-324, 0.0)):
        assert low <= reference.midway(low, high) < high
