"""k-means trees and their candidates: against brute force, and twin against twin bit for bit."""

import dataclasses

import numpy as np
import oracles_hashing as oracle
from agreement import assert_same
from hypothesis import given, settings
from hypothesis import strategies as st
from shapes import points

from refimpl.rivals.kmeans_trees import initial_centres, kmeans_trees

SHAPES = ("normal", "ties", "line", "constant", "constant features", "far")


@st.composite
def forests(draw, most=120):
    """Points, queries (some of them points), and how to build trees."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, most))
    d = draw(st.integers(1, 20))
    shape = draw(st.sampled_from(SHAPES))
    X = points(shape, rng, n, d)
    Q = np.concatenate([X[rng.integers(0, n, 2)], points(shape, rng, 2, d)])
    how = {
        "n_trees": draw(st.integers(1, 4)),
        "branching": draw(st.sampled_from([2, 3, 9, 18, 40])),
        "leaf_size": draw(st.sampled_from([None, 1, 7])),
        "iterations": draw(st.sampled_from([0, 1, 7])),
    }
    return X, Q, how, draw(st.integers(1, n)), draw(st.integers(0, 2**32))


def built(case, kernels, **options):
    X, _, how, _, seed = case
    return kmeans_trees(X, **how, rng=np.random.default_rng(seed), kernels=kernels, **options)


def as_lists(trees):
    return {field.name: getattr(trees, field.name).tolist() for field in dataclasses.fields(trees)}


@settings(max_examples=60, deadline=None)
@given(case=forests())
def test_a_tree_is_what_it_says(kernels, case):
    """Children divide the points, each with the nearest centre; only small or equal ones stay
    together.
    """
    X, _, how, *_ = case
    trees = built(case, kernels)
    leaf_size = how["branching"] - 1 if how["leaf_size"] is None else how["leaf_size"]
    T = as_lists(trees)
    assert len(T["roots"]) == how["n_trees"] and trees.n == len(X)
    for j in T["roots"]:
        assert sorted(oracle.leaf_points(T, j)) == list(range(len(X)))
    for j in range(len(T["first"])):
        below = oracle.children(T, j)
        mine = oracle.leaf_points(T, j)
        assert mine and len(below) <= how["branching"] and len(below) != 1
        if below:
            assert len(mine) > leaf_size
            assert sorted(mine) == sorted(
                i for child in below for i in oracle.leaf_points(T, child)
            )
            centres = [T["centres"][child] for child in below]
            for place, child in enumerate(below):
                assert all(
                    oracle.nearest_of(X[i].tolist(), centres) == place
                    for i in oracle.leaf_points(T, child)
                )
        else:
            assert mine == sorted(mine)
            equal = np.ptp(X[mine], axis=0).max() <= 1e-9 * np.abs(X).max()
            assert len(mine) <= leaf_size or equal or X.max() < 1e-150


@settings(max_examples=60, deadline=None)
@given(case=forests(most=60))
def test_searches_find_what_brute_force_finds(kernels, case):
    _, Q, _, most, _ = case
    trees = built(case, kernels)
    T = as_lists(trees)
    first = trees.candidates(Q, most, kernels=kernels)
    together = trees.colliding(Q, most, kernels=kernels)
    for i, q in enumerate(Q.tolist()):
        expected, _ = oracle.best_bin_first(T, q, most)
        assert list(zip(first.of(i).tolist(), scores(first, i), strict=True)) == expected
        reached = [oracle.descend(T, root, q, [])[0] for root in T["roots"]]
        expected = oracle.votes([oracle.leaf_points(T, j) for j in reached], most)
        assert list(zip(together.of(i).tolist(), scores(together, i), strict=True)) == expected
    assert (first.counts == most).all()


def scores(candidates, i):
    return candidates.scores[candidates.starts[i] : candidates.starts[i + 1]].tolist()


def test_a_shorter_list_is_the_beginning_of_a_longer_one_and_first_trees_are_those_of_fewer(
    kernels,
):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    Q = rng.normal(size=(7, 4))
    three, two = (
        kmeans_trees(X, t, rng=np.random.default_rng(5), branching=6, kernels=kernels)
        for t in (3, 2)
    )
    assert_same(three.truncated(2), two)
    long, short = (three.candidates(Q, most, kernels=kernels) for most in (200, 30))
    assert_same(long.head(30), short)
    assert three.candidates(Q, 10**6, kernels=kernels).counts.tolist() == [300] * 7


def test_equal_points_and_few_points():
    one = kmeans_trees([[3.0, 4.0]], 2, rng=np.random.default_rng(0))
    assert one.roots.tolist() == [0, 1] and one.leaves.tolist() == [0, 1]
    assert one.candidates([[0.0, 0.0]], 9).indices.tolist() == [0]
    assert one.colliding([[0.0, 0.0]]).scores.tolist() == [2]
    same = kmeans_trees(np.ones((50, 3)), rng=np.random.default_rng(0), branching=4)
    assert len(same.first) == 1
    assert same.candidates([[0.0, 0.0, 0.0]], 3).indices.tolist() == [0, 1, 2]
    few = kmeans_trees(
        [[0.0], [1.0], [5.0]], rng=np.random.default_rng(0), branching=40, leaf_size=1
    )
    assert len(few.leaves) == 3  # fewer points than regions
    X = np.repeat([[0.0], [7.0]], 30, axis=0)
    two = kmeans_trees(X, rng=np.random.default_rng(0), branching=5)
    assert len(two.leaves) == 2 and two.candidates([[6.0]], 30).indices.tolist() == list(
        range(30, 60)
    )


def test_initial_centres_are_different_points():
    rng = np.random.default_rng(0)
    X = np.repeat(np.arange(4.0), 500)[:, np.newaxis]
    X[::500] += 0.5
    for k in (2, 5, 20):
        chosen = initial_centres(X, np.arange(len(X)), k, rng)
        assert len(chosen) == min(k, 8) == len(np.unique(chosen)) and np.isin(chosen, X).all()
    assert initial_centres(X, np.arange(1, 400), 3, rng).tolist() == [[0.0]]
