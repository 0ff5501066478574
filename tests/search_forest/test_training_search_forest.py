"""Learning a search forest: degenerate nodes, limits, what is refused, files, and trainings that go
on.
"""

import re
from itertools import pairwise

import numpy as np
import pytest
from agreement import assert_same
from forest_problems import learn, points
from scipy import sparse
from sklearn.datasets import load_iris

from refimpl.search_forest import (
    ForestOptions,
    InvertedIndex,
    Round,
    estimate_memory,
    label_similarity,
    neighbor_similarity,
    search_forest,
    selection,
    to_terms,
)
from refimpl.search_forest.model import as_similarity

# --------------------------------------------------------------------------------- degenerate nodes


@pytest.mark.parametrize("pairs", ["dense", "meeting"])
def test_equal_points_stay_in_one_leaf(kernels, pairs):
    S = np.ones((6, 6))
    forest = learn(np.ones((6, 3)), S, 2, 0.5, kernels=kernels, pairs=pairs)
    assert forest.n_words == len(forest.c) == len(forest.left)
    # they cannot be told apart, and few are similar
    S[2:], S[:, 2:] = 0, 0
    assert learn(np.ones((6, 3)), S, 2, 0.5, kernels=kernels, pairs=pairs) is None


@pytest.mark.parametrize("pairs", ["dense", "meeting"])
def test_a_node_without_a_similar_pair_is_split_to_single_points(kernels, pairs):
    """Ten points far from two similar ones: nothing but cost among them."""
    X = np.concatenate([np.random.default_rng(0).normal(size=(10, 3)), np.full((2, 3), 50.0)])
    S = np.zeros((12, 12))
    S[10, 11] = S[11, 10] = 1
    forest = learn(X, S, 1, 0.2, kernels=kernels, pairs=pairs)
    words = to_terms(forest, X, kernels=kernels)[:, 0]
    assert len(set(words[:10])) == 10 and words[10] == words[11] and words[10] not in words[:10]
    # as if one dissimilar pair had been there
    assert forest.c[0] == pytest.approx(np.log(0.8 * 2 / 0.2))


def test_one_similar_pair_of_two_points(kernels):
    forest = learn([[0.0], [1.0]], [[0, 1], [1, 0]], 3, 0.5, kernels=kernels)
    assert (selection(forest, [[0.3]], [[0.0], [9.0]], kernels=kernels) > 0).all()


def test_a_training_draws_streams_for_the_trees_that_it_grows_alone():
    """So 10**9 trees, which mean "until it ends", take no memory."""
    rng = np.random.default_rng(0)
    S = label_similarity([0, 0, 1, 1])
    forest = search_forest([[0.0], [1.0], [8.0], [9.0]], S, 999, 0.3, rng=rng)
    assert rng.bit_generator.seed_seq.n_children_spawned <= len(forest.c) + 1 == 2


def test_the_limits_hold(kernels):
    X = points(200, 3)
    S = neighbor_similarity(X, 5)
    for options, check in (
        ({"max_depth": 3}, lambda f: f.n_words <= 8 * len(f.c)),
        ({"max_leaves": 5}, lambda f: f.word[: f.roots[1]].max() < 5 and f.n_words <= 10),
        ({"stump_above": 0}, lambda f: len(f.planes) == 0 and (f.feature >= 0).any()),
    ):
        forest = learn(X, S, 2, 0.02, kernels=kernels, **options)
        assert check(forest), options


# ------------------------------------------------------------------------------------ input, output


def test_similarities():
    X = points(30, 2)
    labels = np.arange(30) % 3
    S = neighbor_similarity(X, 4).toarray()
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    assert (S == (D <= np.sort(D, axis=1)[:, 3:4])).all()
    assert (label_similarity(labels).toarray() == (labels[:, None] == labels)).all()
    for message, S in (
        ("S must have shape (4, 4), as X has 4 points; got (3, 4)", np.ones((3, 4))),
        ("S must hold 0 and 1 only; got 0.5.", sparse.csr_matrix(np.full((4, 4), 0.5))),
        ("S must have a similar pair of different points; got none", np.eye(4)),
        ("S must have a similar pair", sparse.csr_matrix((4, 4))),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            as_similarity(S, 4)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"X": np.ones((5, 1))}, ValueError, r"S must have shape \(5, 5\), as X has 5 points"),
        ({"X": np.full((4, 1), 1e141)}, ValueError, "X must hold values within 1e140"),
    ],
)
def test_bad_arguments(change, error, message):
    rng = np.random.default_rng(0)
    arguments = {"X": np.arange(4.0)[:, None], "S": np.ones((4, 4)), "M": 2, "lam": 0.2, "rng": rng}
    with pytest.raises(error, match=message):
        search_forest(**{**arguments, **change})


def test_labels_that_are_none_for_each_vector_are_refused():
    for y in (5, None, np.array(5), {1, 2}, []):
        with pytest.raises(ValueError, match=r"y .*one label for each vector"):
            label_similarity(y)


def test_a_query_that_float32_does_not_hold_is_refused(kernels):
    X = points(60, 4, dtype=np.float32)
    forest = learn(X, neighbor_similarity(X, 6), 1, 0.05, kernels=kernels)
    for Q in (np.full((1, 4), 1e300), np.array([[0.0, 0.0, -1e39, 0.0]])):
        with pytest.raises(ValueError, match="Q must hold values within what float32"):
            to_terms(forest, Q, kernels=kernels)
    assert to_terms(forest, np.full((1, 4), 3e38), kernels=kernels).shape == (1, 1)


def test_a_dense_problem_may_not_be_too_large():
    n = 5001
    S = sparse.csr_matrix(([True], ([0], [1])), shape=(n, n))
    with pytest.raises(ValueError, match="'meeting'"):
        how = {"rng": np.random.default_rng(0), "options": ForestOptions(pairs="dense")}
        search_forest(np.zeros((n, 1)), S, 1, 0.1, **how)


def test_fewer_leaves_take_less_memory():
    X = points(60, 3)
    options = ForestOptions(max_leaves=4)
    few = estimate_memory(X, neighbor_similarity(X, 5), 9, 0.1, options=options, threads=1)
    assert few < estimate_memory(X, neighbor_similarity(X, 5), 9, 0.1)


def test_an_index_shows_what_it_holds():
    X = points(30, 3)
    forest = learn(X, neighbor_similarity(X, 4), 2, 0.1)
    shown = f"InvertedIndex(30 points, {len(forest.c)} trees, {forest.n_words} words)"
    assert repr(InvertedIndex(forest, X)) == shown


@pytest.mark.parametrize("pairs", ["meeting", "dense"])
def test_a_forest_ends_where_a_tree_repeats_the_last_one(pairs):
    """With lambda = .2 tree 9 would come again 14 times: with c lambda, c lambda^2, ... for c."""
    X = load_iris().data
    near = np.argsort(((X[:, np.newaxis] - X) ** 2).sum(axis=2), axis=1, kind="stable")[:, 1:21]
    S = np.zeros((150, 150), dtype=bool)
    S[np.arange(150)[:, np.newaxis], near] = True
    np.fill_diagonal(S, False)
    options = ForestOptions(max_depth=6, pairs=pairs)

    def train(M, start=None):
        return search_forest(
            X, S, M, 0.2, rng=np.random.default_rng(0), options=options, start=start
        )

    forest = train(50)
    assert len(forest.c) < 20 and forest.c.min() > 0.01 and "or repeat tree" in forest.message
    terms = to_terms(forest, X)
    parts = [np.unique(column, return_inverse=True)[1] for column in terms.T]
    for one, two in pairwise(parts):
        assert len(np.unique(np.stack([one, two]), axis=1).T) > max(one.max(), two.max()) + 1
    more = train(50, start=train(len(forest.c)))
    assert_same(more.c, forest.c)


def test_a_step_tells_of_its_tree():
    X = points(120, 4)
    steps = []
    rng = np.random.default_rng(7)
    forest = search_forest(X, neighbor_similarity(X, 8), 4, 0.05, rng=rng, callback=steps.append)
    for m, step in enumerate(steps):
        assert isinstance(step.state, Round) and step.state.m == m + 1
        assert step.state.c == forest.c[m] and step.state.tree.J == forest.history[m, 0]
        assert_same(step.result.c, forest.c[: m + 1])
    assert forest.message == "4 trees, as asked for"
    assert steps[1].result.message == "2 of 4 trees; the training may go on from here"
