"""Filter and refine, and the measures of an embedding, against the paper's definitions."""

import copy
import math
import pickle

import numpy as np
import pytest
from oracles_embeddings import edit_distance, kullback_leibler

from refimpl.boostmap import BoostMapOptions, CandidateDistances, boostmap, nearby_triples
from refimpl.rivals.fastmap import fastmap
from refimpl.spaces import (
    CallableSpace,
    FilterAndRefine,
    PrecomputedSpace,
    best_dimensions,
    enn_ranks,
    percentile,
    vote,
)


def strings(n, seed):
    rng = np.random.default_rng(seed)
    seeds = ["".join(rng.choice(list("abcd"), 12)) for _ in range(6)]
    found = []
    for _ in range(n):
        word = list(seeds[rng.integers(6)])
        for _ in range(rng.integers(0, 4)):
            word[rng.integers(len(word))] = "abcd"[rng.integers(4)]
        found.append("".join(word))
    return found


def distributions(n, seed):
    return np.random.default_rng(seed).dirichlet(np.full(5, 0.7), n) + 1e-3


def trained(space, kernels, d=12):
    n = len(space)
    rng = np.random.default_rng(0)
    D = space.within(None, np.arange(n))
    return boostmap(
        CandidateDistances(D.T, D.T),
        nearby_triples(D, n // 3, 4000, rng=rng),
        d,
        rng=rng,
        options=BoostMapOptions(n_references=30, n_best=10, query_sensitive=5),
        kernels=kernels,
    )


@pytest.mark.parametrize(
    "make, distance", [(strings, edit_distance), (distributions, kullback_leibler)]
)
def test_recall_end_to_end_in_spaces_that_are_not_euclidean(kernels, make, distance):
    database = make(120, 1)
    queries = make(25, 2)
    space = CallableSpace(distance, database)
    index = FilterAndRefine(trained(space, kernels), space, kernels=kernels)
    exact = np.array([[distance(q, x) for x in database] for q in queries])
    before = index.computed
    ids, distances = index.query(queries, 3, 40)
    assert index.computed - before == len(queries) * (index.embedding.cost + 40)
    assert index.embedding.cost <= 24
    assert np.array_equal(np.take_along_axis(exact, ids, axis=1), distances)
    found = np.mean(distances[:, 2] <= np.sort(exact, axis=1)[:, 2])
    assert found > 0.8
    all_ids, all_distances = index.query(queries, 3, 120)
    order = np.argsort(exact, axis=1, kind="stable")[:, :3]
    assert np.array_equal(all_ids, order) and np.array_equal(
        all_distances, np.take_along_axis(exact, order, axis=1)
    )


def test_objects_come_and_go_without_training():
    words = strings(60, 3)
    space = CallableSpace(edit_distance, words[:50])
    index = FilterAndRefine(trained(space, None, d=6), space)
    assert index.add(words[50:]).tolist() == list(range(50, 60))
    ids, distances = index.query([words[55]], 1, 60)
    first = min(i for i, word in enumerate(words) if word == words[55])
    assert (ids[0, 0], distances[0, 0]) == (first, 0.0)
    index.remove([i for i, word in enumerate(words) if word == words[55]])
    ids, distances = index.query([words[55]], 2, len(index))
    assert words[55] not in {words[i] for i in ids[0]} and distances[0, 0] > 0
    index.remove(index.embedding.references[np.isin(index.embedding.references, index.ids)])
    assert index.query([words[0]], 1, 5)[0].shape == (1, 1)
    with pytest.raises(ValueError, match="has been removed already"):
        index.remove([55])
    with pytest.raises(ValueError, match="k must be at most p, and p at most"):
        index.query([words[0]], 3, 2)


def test_a_rival_in_the_filter_and_a_matrix_as_the_space():
    X = np.random.default_rng(0).normal(size=(80, 3))
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=-1))
    space = PrecomputedSpace(D[:60, :60])
    index = FilterAndRefine(fastmap(space, 3, rng=np.random.default_rng(1)), space)
    ids, _ = index.query(D[60:, :60], 4, 8)
    # Euclidean: FastMap is exact
    assert np.array_equal(ids, np.argsort(D[60:, :60], axis=1, kind="stable")[:, :4])
    with pytest.raises(TypeError, match="matrix of distances"):
        index.add([1])


class Line:
    """An embedding into the line, for the measures."""

    d = 1

    def pairwise(self, A, B):
        return np.abs(A - B.T)


@pytest.mark.parametrize("neighbours", [[[-1, 2]], [[0, 6]], [[0.0, 1.0]], [0, 1]])
def test_enn_ranks_refuse_what_are_no_places(neighbours):
    Q = np.zeros((1, 1))
    X = np.arange(6.0)[:, np.newaxis]
    with pytest.raises(ValueError, match="neighbors must hold"):
        enn_ranks(Line(), Q, X, neighbours, (1,))
    with pytest.raises(TypeError, match="k_values must be a list of integers; got 1"):
        enn_ranks(Line(), Q, X, [[0, 1]], 1)
    with pytest.raises(
        ValueError, match="Q must have 1 columns, as the training vectors have; got 2"
    ):
        enn_ranks(Line(), np.zeros((1, 2)), X, [[0, 1]], [1])


def test_percentiles_are_ranks_that_enough_queries_do_not_exceed():
    ranks = np.random.default_rng(0).integers(1, 50, 97)
    for percent in (1, 50, 95, 99, 100):
        rank = percentile(ranks, percent)
        assert np.mean(ranks <= rank) >= percent / 100 - 1e-12
        assert np.mean(ranks <= rank - 1) < percent / 100


def test_percentiles_and_votes_refuse_by_their_own_words():
    with pytest.raises(ValueError, match=r"percent must be at most 100; got 101"):
        percentile([1, 2], 101)
    with pytest.raises(ValueError, match=r"ranks must hold a row for each query; got shape \(0,\)"):
        percentile([], 50)
    rng = np.random.default_rng(0)
    for y, distances in (([[0, 1]], [[1.0, 2.0, 3.0]]), ([[], []], [[], []]), ([0], [1.0])):
        with pytest.raises(ValueError, match=r"y must have shape \(m, k\) with k >= 1, as dist"):
            vote(y, distances, rng=rng)
    for ranks in (["7"], [None]):
        with pytest.raises(TypeError, match="ranks must hold numbers; got dtype"):
            percentile(ranks, 50)
    with pytest.raises(ValueError, match="ranks must hold no NaN; got 1"):
        percentile([1.0, np.nan], 50)
    for labels, words in (
        ([1, "1", "b"], r"labels of one type; got 1 \(int\) and '1'"),
        (["a", "a\0", "b"], "labels that an array holds unchanged"),
        (["a", np.nan, "b"], r"labels of one type; got 'a' \(str\) and nan"),
        ([1.0, np.nan, 1.0], "a label for every vector; got NaN"),
    ):
        with pytest.raises((TypeError, ValueError), match=f"^y must (hold|have) {words}"):
            vote([labels], [[1.0, 2.0, 3.0]], rng=rng)
    for wrong in (np.nan, np.inf):  # with infinite ones the classes of fewest votes could win
        with pytest.raises(ValueError, match="distances must hold finite numbers; got 3"):
            vote([["a", "b", "b"]], [[wrong] * 3], rng=rng)
    assert vote([["a", "b", "b"]], [[1.0, 2.0, 3.0]], rng=rng).tolist() == ["b"]
    assert vote(np.empty((0, 3), int), np.empty((0, 3)), rng=rng).shape == (0,)


def test_dimensions_and_candidates_of_least_cost():
    ranks = {2: [100, 5, 7], 8: [20, 3, 3], 32: [19, 3, 3]}
    assert best_dimensions(ranks, {2: 4, 8: 16, 32: 64}, 100) == (8, 20, 36)
    assert best_dimensions(ranks, {2: 4, 8: 16, 32: 64}, 60) == (2, 7, 11)
    with pytest.raises(ValueError, match="must be for the same dimensions"):
        best_dimensions(ranks, {2: 4}, 90)


def test_votes_and_ties():
    labels = np.array([0, 1, 1, 0, 2])
    rng = np.random.default_rng(0)
    D = np.array([[1.0, 2.0, 3.0, 4.0, 5.0]])

    def winner(k):
        return vote(labels[None, :k], D[:, :k], rng=rng)

    assert winner(1) == [0]
    assert winner(3) == [1]  # two votes against one
    assert winner(4) == [0]  # two against two: class 0 has the nearest
    assert winner(2) == [0]
    even = np.ones((200, 2))
    share = np.mean(vote(np.tile(labels[:2], (200, 1)), even, rng=np.random.default_rng(1)))
    assert math.isclose(share, 0.5, abs_tol=0.15)  # nothing breaks the tie: at random


class FewPlaces:
    """An embedding into 0, 1 and 2 in turn, queries into 0: many candidates are equally far."""

    d = 1
    cost = 0

    def embed(self, space, Q=None):
        F = np.arange(len(space)) % 3 if Q is None else np.zeros(len(Q))
        return F[:, np.newaxis] / 1.0

    def pairwise(self, A, B):
        return np.abs(A - B.T)


def test_of_equally_far_candidates_the_first_are_kept():
    """All 1000 objects at 0 and the first 500 at 1, which are 1, 4, ..., 1498. The exact distance
    falls with the index, but is large at 0.
    """
    space = CallableSpace(lambda q, x: 1e4 - x if x % 3 else 1e5, list(range(3000)))
    ids, distances = FilterAndRefine(FewPlaces(), space).query([0], 3, 1500)
    assert ids.tolist() == [[1498, 1495, 1492]]
    assert distances.tolist() == [[8502.0, 8505.0, 8508.0]]


def test_no_queries_have_no_neighbours():
    space = CallableSpace(lambda q, x: abs(q - x), list(range(9)))
    ids, distances = FilterAndRefine(FewPlaces(), space).query([], 3, 5)
    assert ids.shape == distances.shape == (0, 3)
    with pytest.raises(ValueError, match="threads must be"):
        FilterAndRefine(FewPlaces(), space, threads=0)
    with pytest.raises(TypeError, match=r"embedding must have embed\(.*; got a NoneType"):
        FilterAndRefine(None, space)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda index: pickle.loads(pickle.dumps(index))]
)
def test_copies_of_a_database_change_alone(kernels, copied):
    words = strings(20, 3)
    space = CallableSpace(edit_distance, words)
    index = FilterAndRefine(trained(space, kernels), space, kernels=kernels)
    expected = [found.tolist() for found in index.query(words[:3], 2, 6)]
    other = copied(index)
    assert other.kernels is kernels
    assert other.add(["abcd"]).tolist() == [20] == index.add(["dddd"]).tolist()
    other.remove([0])
    index.remove([20])
    assert len(other) == len(index) == 20
    assert [found.tolist() for found in index.query(words[:3], 2, 6)] == expected
    assert other.query(["abcd"], 1, 20)[1].tolist() == [[0.0]]


def test_a_database_whose_distance_cannot_be_pickled_says_so():
    space = CallableSpace(lambda x, y: abs(x - y), [1.0, 5.0, 9.0])
    index = FilterAndRefine(fastmap(space, 1, rng=np.random.default_rng(0)), space)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(index)
