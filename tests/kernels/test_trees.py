"""Ball trees: against brute force, and twin against twin bit for bit."""

import dataclasses
from itertools import product

import numpy as np
import oracles_lmnn as oracle
import pytest
from agreement import KERNELS, assert_same, require_twins
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal
from shapes import points

from refimpl.kernels.growing import squared_distances
from refimpl.kernels.trees import box_bound, lower_bound

BOUNDS = ("box", "ball")
DIRECTIONS = ("axis", "principal")
SHAPES = ("normal", "ties", "line", "constant", "far", "tiny", "clusters", "grains")


@pytest.mark.parametrize("shape", SHAPES)
def test_no_bound_is_above_a_distance(shape):
    """Neither as computed nor in exact arithmetic, and eq. 7 is met but for the allowance for
    rounding.
    """
    rng = np.random.default_rng(7)
    for n, d in ((30, 2), (25, 7), (9, 20)):
        X = points(shape, rng, n, d)
        Q = np.concatenate([X[:3], points(shape, rng, 3, d) * 10.0 ** rng.integers(0, 120)])
        require_bounds(KERNELS[0].build_tree(X, leaf_size=int(rng.integers(2, 9))), Q)


def require_bounds(tree, Q):
    for q, j in product(Q, range(len(tree.starts))):
        squares = squared_distances(q, tree.points[tree.starts[j] : tree.ends[j]])
        ball, of_centre = lower_bound(q, tree.centres[j], tree.radii[j])
        box = box_bound(q, tree.low[j], tree.high[j])
        assert ball <= squares.min() and box <= squares.min()
        exact = min(oracle.exact_squared(q, x) for x in tree.points[tree.starts[j] : tree.ends[j]])
        assert ball <= exact
        allowed = 1e-13 * (np.sqrt(of_centre) + tree.radii[j]) + 1e-140
        assert np.sqrt(ball) >= oracle.eq_7(q, tree.centres[j], tree.radii[j]) - allowed


def test_squares_below_float32(kernels):
    """All points tie in float64; sums of float32 would fall to either side of the tie."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)) * 1e-155
    Q = rng.uniform(1.0, 9.0, (50, 5)) * 1e-22
    squares, indices, _ = kernels.tree_nearest(
        kernels.build_tree(X, leaf_size=8), Q, 3, bound="ball"
    )
    assert (indices == [0, 1, 2]).all()
    assert (squares == squared_distances(np.zeros(5), Q)[:, np.newaxis]).all()


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
        require_twins("scan_nearest", {"Q": Q, "X": X, "k": k, "skip": skip}, (1, 2))


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
        require_twins("build_tree", {"X": X, "leaf_size": 100, "direction": direction}, (1, 2))


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


@pytest.mark.parametrize("n", [3, 8, 9])
def test_differences_whose_squares_are_subnormal_give_no_warning(kernels, n):
    """NumPy 1.26 warned of an overflow, though no quotient is above 1."""
    X = np.outer([0.0, 1.0, 3.0, 7.0], np.full(n, 1e-155))
    tree = kernels.build_tree(X, leaf_size=2, direction="principal")
    assert kernels.tree_nearest(tree, X, 1)[1].tolist() == [[0], [1], [2], [3]]
