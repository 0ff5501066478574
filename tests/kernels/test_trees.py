"""Ball trees: against brute force, and twin against twin bit for bit."""

import dataclasses
from itertools import product

import numpy as np
import oracles_lmnn as oracle
import pytest
from agreement import KERNELS, assert_same
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal
from shapes import points

from refimpl.kernels.growing import squared_distances
from refimpl.kernels.trees import box_bound, lower_bound

each = pytest.mark.parametrize("kernels", KERNELS, ids=lambda k: k.__name__)
BOUNDS = ("box", "ball")
DIRECTIONS = ("axis", "principal")
SHAPES = ("normal", "ties", "line", "constant", "far", "tiny", "clusters", "grains")


@st.composite
def searches(draw, most=120):
    """Points, queries (some are points), k, limits, points to skip, and how to build the tree."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, most))
    d = draw(st.integers(1, 20))
    shape = draw(st.sampled_from(SHAPES))
    X = points(shape, rng, n, d)
    Q = np.concatenate([X[rng.integers(0, n, 3)], points(shape, rng, 3, d)])
    if draw(st.booleans()):
        Q[-1] = np.clip(Q[-1] * draw(st.sampled_from([1e30, 1e133, 1e140])), -1e140, 1e140)
    k = draw(st.sampled_from([1, 3, n])) if n >= 3 else n
    limits = squared_distances(Q[0], X)[rng.integers(0, n, len(Q))]
    limits[rng.integers(0, len(Q))] = draw(st.sampled_from([-1.0, 0.0, np.inf]))
    how = {
        "leaf_size": draw(st.sampled_from([2, 5, 16, 33])),
        "direction": draw(st.sampled_from(DIRECTIONS)),
    }
    skip = rng.integers(-1, n, len(Q)) if draw(st.booleans()) and n > k else None
    return X, Q, k, limits, skip, how


@each
@settings(max_examples=60, deadline=None)
@given(case=searches(), bound=st.sampled_from(BOUNDS), strict=st.booleans())
def test_searches_find_what_brute_force_finds(kernels, case, bound, strict):
    X, Q, k, limits, skip, how = case
    tree = kernels.build_tree(X, **how)
    squares, indices, computed = kernels.tree_nearest(tree, Q, k, skip=skip, bound=bound)
    starts, found, near, looked_at = kernels.tree_within(
        tree, Q, limits, strict=strict, skip=skip, bound=bound
    )
    scanned = kernels.scan_nearest(Q, X, k, skip=skip)
    for t, q in enumerate(Q.tolist()):
        own = -1 if skip is None else int(skip[t])
        expected = oracle.nearest(X.tolist(), q, k, own)
        assert list(zip(squares[t].tolist(), indices[t].tolist(), strict=True)) == expected
        assert list(zip(scanned[0][t].tolist(), scanned[1][t].tolist(), strict=True)) == expected
        assert scanned[2][t] == oracle.scanned_terms(X.tolist(), q, k, own)
        mine = slice(starts[t], starts[t + 1])
        expected = oracle.within(X.tolist(), q, limits[t], strict, own)
        assert list(zip(found[mine].tolist(), near[mine].tolist(), strict=True)) == expected
    assert (computed >= k).all() and (computed <= len(X)).all() and (looked_at <= len(X)).all()


@each
@settings(max_examples=40, deadline=None)
@given(case=searches())
def test_the_tree_is_one(kernels, case):
    X, *_, how = case
    tree = kernels.build_tree(X, **how)
    n = len(X)
    assert sorted(tree.order.tolist()) == list(range(n))
    assert_same(tree.points, X[tree.order])
    leaves = (len(tree.starts) + 1) // 2
    for j in range(len(tree.starts)):
        I = tree.order[tree.starts[j] : tree.ends[j]]
        S = X[np.sort(I)]
        np.testing.assert_allclose(
            tree.centres[j], S.mean(axis=0), rtol=1e-12, atol=1e-12 * np.abs(S).max()
        )
        assert (tree.low[j] == S.min(axis=0)).all() and (tree.high[j] == S.max(axis=0)).all()
        assert tree.radii[j] == np.sqrt(
            max(oracle.squared(tree.centres[j].tolist(), x) for x in S.tolist())
        )
        if j < leaves - 1:
            left = 2 * j + 1
            right = 2 * j + 2
            assert (tree.starts[left], tree.ends[right]) == (tree.starts[j], tree.ends[j])
            assert tree.ends[left] == tree.starts[right] == tree.starts[j] + (len(S) + 1) // 2
            if how["direction"] == "axis":  # the median on the axis of largest variance
                axis = np.cumsum((S - tree.centres[j]) ** 2, axis=0)[-1].argmax()
                assert (
                    X[tree.order[tree.starts[left] : tree.ends[left]], axis].max()
                    <= tree.low[right, axis]
                )
        else:
            assert 1 <= len(S) <= how["leaf_size"] and (np.diff(I) > 0).all()


@settings(max_examples=100, deadline=None)
@given(case=searches(most=30))
def test_no_bound_is_above_a_distance(case):
    """Neither as computed nor in exact arithmetic, and eq. 7 is met but for the allowance for
    rounding.
    """
    X, Q, *_, how = case
    tree = KERNELS[0].build_tree(X, **how)
    for q, j in product(Q, range(len(tree.starts))):
        squares = squared_distances(q, tree.points[tree.starts[j] : tree.ends[j]])
        ball, of_centre = lower_bound(q, tree.centres[j], tree.radii[j])
        box = box_bound(q, tree.low[j], tree.high[j])
        assert ball <= squares.min() and box <= squares.min()
        exact = min(oracle.exact_squared(q, x) for x in tree.points[tree.starts[j] : tree.ends[j]])
        assert ball <= exact
        allowed = 1e-13 * (np.sqrt(of_centre) + tree.radii[j]) + 1e-140
        assert np.sqrt(ball) >= oracle.eq_7(q, tree.centres[j], tree.radii[j]) - allowed


@each
def test_squares_below_float32(kernels):
    """All points tie in float64; sums of float32 would fall to either side of the tie."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)) * 1e-155
    Q = rng.uniform(1.0, 9.0, (50, 5)) * 1e-22
    squares, indices, _ = kernels.tree_nearest(
        kernels.build_tree(X, leaf_size=8), Q, 3, bound="ball"
    )
    assert (indices == [0, 1, 2]).all() and (
        squares == squared_distances(np.zeros(5), Q)[:, np.newaxis]
    ).all()


def test_the_principal_direction_is_found():
    """Points along a diagonal: no axis separates the halves as the diagonal does."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [9.0, 1.0, 0.5]
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    for kernels in KERNELS:
        tree = kernels.build_tree(X @ turn, leaf_size=100, direction="principal")
        left = np.zeros(200, dtype=bool)
        left[tree.order[:100]] = True
        low = X[:, 0] <= np.median(X[:, 0])
        assert max((left == low).mean(), (left != low).mean()) >= 0.98


@each
def test_fewer_points_are_looked_at(kernels):
    """The tree prunes, the box more than the ball; a limit that nothing meets looks at nothing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    Q = rng.normal(size=(20, 3))
    tree = kernels.build_tree(X, leaf_size=16)
    box, ball = (kernels.tree_nearest(tree, Q, 3, bound=bound)[2].mean() for bound in BOUNDS)
    assert box < ball < 400
    starts, found, squares, computed = kernels.tree_within(tree, Q + 100.0, np.ones(20))
    assert not starts.any() and not len(found) and not len(squares) and not computed.any()


@each
def test_no_queries(kernels):
    X = np.arange(6.0).reshape(3, 2)
    tree = kernels.build_tree(X)
    Q = np.empty((0, 2))
    assert [a.shape for a in kernels.tree_nearest(tree, Q, 2)] == [(0, 2), (0, 2), (0,)]
    assert [a.shape for a in kernels.tree_within(tree, Q, np.empty(0))] == [(1,), (0,), (0,), (0,)]
    assert [a.shape for a in kernels.scan_nearest(Q, X, 2)] == [(0, 2), (0, 2), (0,)]


@st.composite
def wild_searches(draw):
    """Points and queries of all sizes up to 1e140, some equal or nearly so; limits that are
    distances, and a seed.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, 60))
    d = draw(st.integers(1, 20))
    low, high = draw(
        st.sampled_from(
            [(-323, 139), (-323, -300), (-170, -150), (-145, -135), (130, 139), (-10, 10)]
        )
    )
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(
        low, high, draw(st.sampled_from([(n, d), (n, 1), (1, d)]))
    )
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.3]))] = draw(
        st.sampled_from([0.0, -0.0, 5e-324, 1e-150])
    )
    X = X[rng.integers(0, n, n)] if draw(st.booleans()) else X
    X[rng.integers(0, n)] *= 10.0 ** rng.uniform(-100, 100)
    X += draw(st.sampled_from([0.0, 1.0, 1e139]))
    X = np.clip(X, -1e140, 1e140)
    near = X[rng.integers(0, n, 6)]
    Q = np.concatenate(
        [near, near * (1 + 2.0 ** -rng.integers(20, 53)), near * 10.0 ** rng.uniform(-100, 100)]
    )
    Q = np.clip(Q, -1e140, 1e140)
    limits = np.array([squared_distances(q, X)[rng.integers(0, n)] for q in Q])
    return X, Q, limits * draw(st.sampled_from([1.0, 1 + 2**-52, 0.5])), rng


@each
@settings(max_examples=60, deadline=None)
@given(case=wild_searches(), bound=st.sampled_from(BOUNDS), strict=st.booleans())
def test_searches_at_any_scale(kernels, case, bound, strict):
    """A filter of float32 drops nothing, whatever underflows in it."""
    X, Q, limits, rng = case
    k = int(rng.integers(1, len(X) + 1))
    tree = kernels.build_tree(X, leaf_size=int(rng.choice([2, 17, 60])))
    squares, indices, _ = kernels.tree_nearest(tree, Q, k, bound=bound)
    scanned = kernels.scan_nearest(Q, X, k)
    starts, found, _, _ = kernels.tree_within(tree, Q, limits, strict=strict, bound=bound)
    for t, q in enumerate(Q):
        D = squared_distances(q, X)
        nearest = np.lexsort((np.arange(len(X)), D))[:k]
        assert_same(indices[t], nearest)
        assert_same(squares[t], D[nearest])
        assert_same(scanned[1][t], nearest)
        within = D < limits[t] if strict else D <= limits[t]
        assert_same(found[starts[t] : starts[t + 1]], np.flatnonzero(within))


@each
def test_a_search_by_boxes_does_not_rely_on_the_radii(kernels):
    """Nor does its filter: a tree that was put together by hand may have any. In float32 the last
    point is 64 away.
    """
    base = 2.0**29
    X = np.concatenate([[base + 32.25], np.full(30, -base), [base + 32.125]])[:, np.newaxis]
    tree = kernels.build_tree(X, leaf_size=40)
    other = dataclasses.replace(tree, radii=np.ones(1), centres=np.zeros((1, 1)))
    for one in (tree, other):
        squares, indices, _ = kernels.tree_nearest(one, np.array([[base + 31.875]]), 1)
        assert indices.tolist() == [[31]] and squares.tolist() == [[0.0625]]


@each
def test_threads_beyond_the_processors(kernels):
    X = np.random.default_rng(0).normal(size=(300, 3))
    tree = kernels.build_tree(X, threads=100_000)

    def found(threads):
        return [
            *kernels.tree_nearest(tree, X, 2, threads=threads),
            *kernels.tree_within(tree, X, np.ones(300), threads=threads),
            *kernels.scan_nearest(X[:90], X, 2, threads=threads),
        ]

    of_one = found(1)
    for threads in (100_000, 2**29, 2**40):
        for a, b in zip(found(threads), of_one, strict=True):
            assert np.array_equal(a, b)


@pytest.mark.parametrize("d", [31, 32, 33, 70])
@pytest.mark.parametrize("fall", [0.0, 0.05, 0.5])
def test_a_scan_of_many_queries_and_coordinates(d, fall):
    """Points are compared sixteen at a time in their first 32 coordinates, then alone."""
    rng = np.random.default_rng(d)
    spread = np.exp(-fall * np.arange(d))
    X = np.round(rng.normal(size=(150, d)) * spread, 1)
    X = np.concatenate([X, X[40:90], X[:7]])
    Q = np.concatenate([X[:20], rng.normal(size=(21, d)) * spread])
    skip = np.concatenate([np.arange(20), np.full(21, -1)])
    for k in (1, 6):
        expected = KERNELS[0].scan_nearest(Q, X, k, skip=skip)
        for kernels, threads in product(KERNELS[1:], (1, 2)):
            found = kernels.scan_nearest(Q, X, k, skip=skip, threads=threads)
            for a, b in zip(found, expected, strict=True):
                assert_same(a, b)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_tree_of_many_points(direction):
    """Their median is looked for near the middle of a sample, where the sample is right."""
    rng = np.random.default_rng(4)
    columns = {
        "random": rng.normal(size=3000),
        "ties": rng.integers(0, 3, 3000).astype(float),
        "sorted": np.arange(3000.0),
        "misleading": np.where(np.arange(3000) % 23, 1.0, -5.0) + rng.normal(size=3000),
        "constant": np.zeros(3000),
        "one": np.where(np.arange(3000) == 7, 1.0, -0.0),
    }
    for column in columns.values():
        X = np.stack([column, rng.normal(size=3000) * 1e-3, np.zeros(3000)], axis=1)
        expected = KERNELS[0].build_tree(X, leaf_size=100, direction=direction)
        for kernels, threads in product(KERNELS[1:], (1, 2)):
            tree = kernels.build_tree(X, leaf_size=100, direction=direction, threads=threads)
            for field in dataclasses.fields(tree):
                assert_same(getattr(tree, field.name), getattr(expected, field.name))


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_a_scan_refuses_distances_that_are_not_finite(value):
    """Unless the sum is broken off before: it looks at no more than it needs."""
    X = np.zeros((5, 2))
    Q = np.zeros((3, 2))
    X[3, 1] = value
    square = np.float64(value) ** 2 if value != 1e200 else np.inf
    message = "ValueError: X and Q must have finite squared distances; "
    message += f"got {square} between Q[0] and X[3]"
    assert refusal("scan_nearest", Q, X, 4) == message
    assert refusal("scan_nearest", Q, X, 4, threads=2) == message
    X[3, 0] = 1.0
    for kernels in KERNELS:
        assert kernels.scan_nearest(Q, X, 1)[1].tolist() == [[0]] * 3


@each
@pytest.mark.parametrize("n", [3, 8, 9])
def test_differences_whose_squares_are_subnormal_give_no_warning(kernels, n):
    """NumPy 1.26 warned of an overflow, though no quotient is above 1."""
    X = np.outer([0.0, 1.0, 3.0, 7.0], np.full(n, 1e-155))
    tree = kernels.build_tree(X, leaf_size=2, direction="principal")
    assert kernels.tree_nearest(tree, X, 1)[1].tolist() == [[0], [1], [2], [3]]
