"""The embeddings that BoostMap is compared with: Lipschitz, Bourgain, SparseMap; costs, files,
errors of all.
"""

import numpy as np
import oracles_embeddings as oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles_embeddings import WORDS, metric_matrix, odd_matrix

from refimpl.rivals import lipschitz as lip
from refimpl.rivals import sparsemap as sparsemap_module
from refimpl.rivals.fastmap import fastmap
from refimpl.rivals.metricmap import metricmap
from refimpl.rivals.sparsemap import SparseMapEmbedding, candidates, greedy_resampling, sparsemap
from refimpl.spaces import CallableSpace, PrecomputedSpace


def rng(seed=0):
    return np.random.default_rng(seed)


# --- Lipschitz embeddings and Bourgain's


def sets_of(embedding):
    return [
        embedding.members[a:b].tolist()
        for a, b in zip(embedding.starts, embedding.starts[1:], strict=False)
    ]


@pytest.mark.parametrize("matrix", [metric_matrix(23), odd_matrix(23)])
def test_coordinates_are_least_distances_to_the_sets(matrix):
    space = PrecomputedSpace(matrix)
    for embedding in (
        lip.lipschitz(space, [[3], [1, 2, 22], [0, 3]]),
        lip.lipschitz(space, [5, 0, 5]),
        lip.random_singletons(space, 7, rng=rng()),
        lip.random_sets(space, [1, 23, 4, 4], rng=rng(1)),
        lip.bourgain(space, rng=rng(2)),
        lip.bourgain(space, rng=rng(3), subset=np.arange(4, 15), smallest=2),
    ):
        expected = [oracle.lipschitz(row, sets_of(embedding)) for row in matrix]
        before = space.computed
        np.testing.assert_array_equal(embedding.embed(space), expected)
        assert space.computed - before == 23 * embedding.cost
        np.testing.assert_array_equal(embedding.embed(space, matrix[4:6]), expected[4:6])
        short = embedding.truncated(3)
        np.testing.assert_array_equal(short.embed(space), np.array(expected)[:, :3])
        assert short.cost == len({r for R in sets_of(embedding)[:3] for r in R})


def test_singletons_cost_one_distance_a_dimension():
    space = CallableSpace(oracle.edit_distance, WORDS)
    embedding = lip.random_singletons(space, 12, rng=rng())
    assert sorted(embedding.members) == list(range(12))
    assert embedding.d == embedding.cost == 12
    vectors = embedding.embed(space, ["kitchen"])
    assert space.computed == 12
    np.testing.assert_array_equal(
        vectors[0], [oracle.edit_distance("kitchen", WORDS[r]) for r in embedding.members]
    )
    assert lip.lipschitz(space, [5, 0, 5]).cost == 2


@pytest.mark.parametrize("n, log", [(2, 1), (3, 2), (4, 2), (5, 3), (23, 5), (64, 6), (65, 7)])
def test_bourgain_has_the_square_of_the_logarithm_of_sets(n, log):
    space = PrecomputedSpace(metric_matrix(n))
    sizes = [len(R) for R in sets_of(lip.bourgain(space, rng=rng()))]
    assert sizes == [2**i for i in range(log) for _ in range(log)]
    assert max(sizes) < n
    printed = [len(R) for R in sets_of(lip.bourgain(space, rng=rng(), smallest=2))]
    assert printed == [min(2**i, n) for i in range(1, log + 1) for _ in range(log)]
    for R in sets_of(lip.bourgain(space, rng=rng())):
        assert len(set(R)) == len(R)


def test_bourgain_on_a_subset_measures_distances_to_the_subset_only():
    space = PrecomputedSpace(metric_matrix(40))
    subset = rng(1).permutation(40)[:11]
    embedding = lip.bourgain(space, rng=rng(), subset=subset)
    assert embedding.d == 16
    assert set(embedding.members) <= set(subset)
    assert embedding.cost <= 11
    whole = lip.bourgain(space, rng=rng())
    assert whole.cost > 30  # almost all objects of X


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 14), st.integers(0, 10**6), st.sampled_from([1.0, 1.5, 2.0, 7.0, np.inf]))
def test_embeddings_of_metric_spaces_are_contractive(n, seed, p):
    D = metric_matrix(n, seed)
    space = PrecomputedSpace(D)
    sizes = rng(seed).integers(1, n + 1, 5)
    for embedding in (
        lip.random_singletons(space, n, rng=rng(seed)),
        lip.random_sets(space, sizes, rng=rng(seed)),
        lip.bourgain(space, rng=rng(seed)),
    ):
        F = embedding.embed(space)
        assert (abs(F[:, None] - F[None]).max(axis=2) <= D + 1e-12).all()
        assert (embedding.pairwise(F, F, p) <= D + 1e-12).all()


def test_scaled_minkowski_distances():
    A = rng().normal(size=(4, 3))
    B = rng(1).normal(size=(5, 3))
    embedding = lip.random_singletons(PrecomputedSpace(metric_matrix(3)), 3, rng=rng())
    for p in (1.0, 2.0, 3.5):
        expected = (abs(A[:, None] - B[None]) ** p).mean(axis=2) ** (1 / p)
        np.testing.assert_allclose(embedding.pairwise(A, B, p), expected, rtol=1e-12)
    np.testing.assert_array_equal(
        embedding.pairwise(A, B, np.inf), abs(A[:, None] - B[None]).max(axis=2)
    )


def test_bad_arguments_of_lipschitz():
    space = PrecomputedSpace(odd_matrix(4))
    with pytest.raises(TypeError, match=r"space must .*got a ndarray"):
        lip.random_singletons(odd_matrix(4), 2, rng=rng())
    with pytest.raises(ValueError, match=r"d must .*got 5"):
        lip.random_singletons(space, 5, rng=rng())
    with pytest.raises(TypeError, match=r"rng must .*got 0"):
        lip.random_singletons(space, 2, rng=0)
    with pytest.raises(ValueError, match=r"sizes must .*got 5"):
        lip.random_sets(space, [2, 5], rng=rng())
    with pytest.raises(ValueError, match=r"sizes\[1\] must .*got 0"):
        lip.random_sets(space, [2, 0], rng=rng())
    with pytest.raises(ValueError, match=r"sizes must hold .*got none"):
        lip.random_sets(space, [], rng=rng())
    with pytest.raises(ValueError, match=r"sets must hold .*got none"):
        lip.lipschitz(space, [])
    with pytest.raises(ValueError, match=r"sets\[1\] must hold .*got none"):
        lip.lipschitz(space, [[0], []])
    with pytest.raises(ValueError, match=r"sets\[1\] must .*got 4"):
        lip.lipschitz(space, [[0], [1, 4]])
    with pytest.raises(ValueError, match=r"subset must hold .*got none"):
        lip.bourgain(space, rng=rng(), subset=[])
    with pytest.raises(ValueError, match=r"subset must .*got an index twice"):
        lip.bourgain(space, rng=rng(), subset=[1, 1])
    with pytest.raises(ValueError, match="at least two objects"):
        lip.bourgain(space, rng=rng(), subset=[1])
    with pytest.raises(ValueError, match=r"smallest must .*got 3"):
        lip.bourgain(space, rng=rng(), smallest=3)
    embedding = lip.lipschitz(space, [0, 3])
    with pytest.raises(ValueError, match=r"d must .*got 3"):
        embedding.truncated(3)
    with pytest.raises(ValueError, match=r"references must .*got 3"):
        embedding.embed(PrecomputedSpace(odd_matrix(3)))
    with pytest.raises(ValueError, match=r"Q must .*got 3"):
        embedding.pairwise(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"p must .*got 0\.5"):
        embedding.pairwise(np.ones((2, 2)), np.ones((2, 2)), p=0.5)


# --- SparseMap


@pytest.mark.parametrize("matrix", [metric_matrix(30), odd_matrix(30)])
@pytest.mark.parametrize("sigma", [1, 2, 5])
def test_sparsemap_follows_its_first_heuristic(matrix, sigma):
    inside = matrix[:24, :24]
    outside = matrix[24:, :24]
    space = PrecomputedSpace(inside)
    embedding = sparsemap(space, sigma, rng=rng(sigma))
    vectors = oracle.sparsemap_references(inside, sets_of(embedding), sigma)
    assert sorted(vectors) == embedding.references.tolist()
    np.testing.assert_array_equal(embedding.vectors, [vectors[r] for r in sorted(vectors)])
    before = space.computed
    F = embedding.embed(space, outside)
    expected = [oracle.sparsemap(row, sets_of(embedding), sigma, vectors) for row in outside]
    np.testing.assert_array_equal(F, [f for f, _ in expected])
    assert (
        space.computed - before
        == sum(len(used) for _, used in expected)
        <= len(outside) * embedding.cost
    )
    np.testing.assert_array_equal(embedding.embed(space)[embedding.references], embedding.vectors)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 16), st.integers(1, 6), st.integers(0, 10**6))
def test_sparsemap_fuzzed_with_ties(n, sigma, seed):
    D = rng(seed).integers(0, 4, (n, n))
    np.fill_diagonal(D, 0)
    embedding = sparsemap(PrecomputedSpace(D), sigma, rng=rng(seed))
    vectors = oracle.sparsemap_references(D, sets_of(embedding), sigma)
    np.testing.assert_array_equal(embedding.vectors, [vectors[r] for r in sorted(vectors)])


@pytest.mark.parametrize("matrix", [metric_matrix(21), odd_matrix(21)])
def test_sparsemap_with_all_distances_is_bourgains_embedding(matrix):
    space = PrecomputedSpace(matrix)
    for smallest in (1, 2):
        embedding = sparsemap(space, 21, rng=rng(4), smallest=smallest)
        whole = lip.bourgain(space, rng=rng(4), smallest=smallest)
        np.testing.assert_array_equal(embedding.embed(space), whole.embed(space))
        assert embedding.cost == whole.cost
        A = rng().normal(size=(3, whole.d))
        np.testing.assert_array_equal(embedding.pairwise(A, A, 1.5), whole.pairwise(A, A, 1.5))


def test_sparsemap_never_underestimates_a_distance_to_a_set():
    space = PrecomputedSpace(odd_matrix(40))
    approximate = sparsemap(space, 2, rng=rng()).embed(space)
    exact = lip.bourgain(space, rng=rng()).embed(space)
    assert (approximate >= exact).all()
    assert (approximate > exact).any()


def test_sparsemap_blocks_of_queries_do_not_change_the_answer(monkeypatch):
    space = PrecomputedSpace(metric_matrix(30))
    embedding = sparsemap(space, 2, rng=rng())
    whole = embedding.embed(space)
    monkeypatch.setattr(sparsemap_module, "BLOCK_ENTRIES", 8 * len(embedding.references))
    np.testing.assert_array_equal(embedding.embed(space), whole)
    assert embedding.embed(space, np.empty((0, 30))).shape == (0, 25)


def test_candidates_are_those_of_a_stable_sort():
    for seed in range(20):
        approximate = rng(seed).integers(0, 4, (9, 13)).astype(float)
        for sigma in (1, 4, 12, 13, 20):
            expected = np.sort(approximate.argsort(axis=1, kind="stable")[:, :sigma], axis=1)
            np.testing.assert_array_equal(candidates(approximate, sigma), expected)


def test_resampling_keeps_the_dimensions_of_least_stress():
    for seed in range(5):
        differences = rng(seed).normal(size=(40, 9))
        D = rng(seed + 9).uniform(1, 2, 40)
        differences[:, 3] = differences[:, 7]  # a tie
        np.testing.assert_array_equal(
            greedy_resampling(differences, D, 6), oracle.greedy_resampling(differences, D, 6)
        )


def test_resampling_ignores_a_common_factor_and_leaves_out_empty_dimensions():
    differences = rng().normal(size=(30, 8))
    D = rng(1).uniform(1, 2, 30)
    differences[:, 5] = 0
    order = greedy_resampling(differences, D, 8)
    np.testing.assert_array_equal(greedy_resampling(1e3 * differences, D, 8), order)
    assert order[0] != 5
    assert sorted(order) == list(range(8))


def test_resampled_sparsemap():
    D = metric_matrix(40)
    space = PrecomputedSpace(D)
    whole = sparsemap(space, 3, rng=rng(5))
    kept = sparsemap(space, 3, rng=rng(5), d=8, n_pairs=200)
    assert kept.d == 8
    assert kept.cost < whole.cost
    position = [sets_of(whole).index(R) for R in sets_of(kept)]
    assert position == sorted(position)
    vectors = oracle.sparsemap_references(D, sets_of(kept), 3)
    np.testing.assert_array_equal(kept.vectors, [vectors[r] for r in sorted(vectors)])
    everything = sparsemap(space, 3, rng=rng(5), d=whole.d, n_pairs=20)
    np.testing.assert_array_equal(everything.members, whole.members)
    np.testing.assert_array_equal(everything.vectors, whole.vectors)


def test_resampling_compares_the_differences_of_coordinates():
    """So many pairs are drawn that all 90 ordered pairs of 10 objects are among them."""
    D = metric_matrix(10)
    space = PrecomputedSpace(D)
    whole = sparsemap(space, 3, rng=rng(5))
    kept = sparsemap(space, 3, rng=rng(5), d=4, n_pairs=5000)
    F = whole.embed(space)
    pairs = [(a, b) for a in range(10) for b in range(10) if a != b]
    differences = np.array([F[a] - F[b] for a, b in pairs])
    chosen = oracle.greedy_resampling(differences, np.array([D[a, b] for a, b in pairs]), 4)
    assert sets_of(kept) == [sets_of(whole)[j] for j in sorted(chosen)]


def test_resampling_measures_no_pair_twice_and_no_object_against_itself():
    space = PrecomputedSpace([[0, 1], [2, 0]])
    sparsemap(space, 1, rng=rng(), d=1, n_pairs=500)
    # the reference, two objects, two pairs, the reference anew
    assert space.computed == 1 + 2 + 2 + 1


def test_bad_arguments_of_sparsemap():
    space = PrecomputedSpace(odd_matrix(4))
    with pytest.raises(ValueError, match=r"sigma must .*got 0"):
        sparsemap(space, 0, rng=rng())
    with pytest.raises(ValueError, match=r"d must .*got 5"):
        sparsemap(space, 1, rng=rng(), d=5)
    with pytest.raises(ValueError, match=r"n_pairs must .*got 0"):
        sparsemap(space, 1, rng=rng(), d=2, n_pairs=0)
    with pytest.raises(ValueError, match="the sampled pairs must have a distance above 0"):
        sparsemap(PrecomputedSpace(np.zeros((4, 4))), 1, rng=rng(), d=2)


# --- all of them

METHODS = {
    "singletons": lambda space: lip.random_singletons(space, 6, rng=rng(1)),
    "sets": lambda space: lip.random_sets(space, [1, 2, 5, 3], rng=rng(1)),
    "bourgain": lambda space: lip.bourgain(space, rng=rng(1)),
    "bourgain on a subset": lambda space: lip.bourgain(space, rng=rng(1), subset=[1, 4, 5, 8, 10]),
    "sparsemap": lambda space: sparsemap(space, 2, rng=rng(1)),
    "resampled": lambda space: sparsemap(space, 2, rng=rng(1), d=5, n_pairs=30),
    "fastmap": lambda space: fastmap(space, 4, rng=rng(1)),
    "clipped fastmap": lambda space: fastmap(space, 4, rng=rng(1), clip=True),
    "metricmap": lambda space: metricmap(space, 4, rng=rng(1)),
    "metricmap on the sample": lambda space: metricmap(space, 4, rng=rng(1), basis=False),
}


def odd_spaces():
    P = rng(8).dirichlet(np.ones(5), 16)
    yield oracle.edit_distance, WORDS, ["kitchen", "bit", "itinerary"]
    yield oracle.kullback_leibler, P[:12], P[12:]
    yield lambda x, y: abs(x - y) ** 3 + (x > y), list(range(12)), [3.5, 20.0, -1.0]


@pytest.mark.parametrize("method", METHODS)
def test_costs_and_agreement_of_spaces_on_asymmetric_and_non_metric_distances(method):
    for distance, objects, queries in odd_spaces():
        calls = []

        def counted(x, y, distance=distance, calls=calls):
            calls.append((tuple(np.atleast_1d(x)), tuple(np.atleast_1d(y))))
            return distance(x, y)

        space = CallableSpace(counted, objects)
        embedding = METHODS[method](space)
        assert space.computed == len(calls)
        least = embedding.cost
        if isinstance(embedding, SparseMapEmbedding):  # which distances depends on the object
            least = np.minimum(np.diff(embedding.starts), embedding.sigma).max()
        for query in queries:
            calls.clear()
            before = space.computed
            f = embedding.embed(space, [query])
            assert f.shape == (1, embedding.d)
            assert np.isfinite(f).all()
            assert space.computed - before == len(calls) == len(set(calls))
            assert least <= len(calls) <= embedding.cost
        assert embedding.cost <= len(embedding.references) <= len(objects)
        matrix = np.array([[distance(x, y) for y in objects] for x in [*objects, *queries]])
        other = PrecomputedSpace(matrix[: len(objects)])
        same = METHODS[method](other)
        np.testing.assert_array_equal(same.references, embedding.references)
        F = same.embed(other)
        G = same.embed(other, matrix[len(objects) :])
        np.testing.assert_array_equal(F, embedding.embed(space))
        np.testing.assert_array_equal(G, embedding.embed(space, queries))
        assert embedding.pairwise(G, F).shape == (len(queries), len(objects))


@pytest.mark.parametrize("method", METHODS)
def test_the_generator_alone_decides(method):
    space = PrecomputedSpace(metric_matrix(19))
    first = METHODS[method](space)
    second = METHODS[method](space)
    np.testing.assert_array_equal(first.embed(space), second.embed(space))


@pytest.mark.parametrize("method", METHODS)
def test_truncation_keeps_the_first_coordinates(method):
    space = PrecomputedSpace(metric_matrix(19))
    embedding = METHODS[method](space)
    short = embedding.truncated(3)
    np.testing.assert_allclose(
        short.embed(space), embedding.embed(space)[:, :3], rtol=1e-12, atol=1e-12
    )
    assert short.cost <= embedding.cost
    with pytest.raises(ValueError, match=f"d must .*got {embedding.d + 1}"):
        embedding.truncated(embedding.d + 1)


@pytest.mark.parametrize("method", METHODS)
def test_bad_spaces_and_queries(method):
    space = PrecomputedSpace(metric_matrix(19))
    embedding = METHODS[method](space)
    with pytest.raises(TypeError, match=r"space must .*got a ndarray"):
        embedding.embed(metric_matrix(19))
    with pytest.raises(ValueError, match=r"Q must .*; got"):
        embedding.embed(space, np.ones((1, 3)))
    with pytest.raises(ValueError, match="indices of the 2 database objects"):
        embedding.embed(PrecomputedSpace(metric_matrix(2)))
    with pytest.raises(ValueError, match=r"Q must .*got 99"):
        embedding.pairwise(np.ones((1, 99)), np.ones((1, 99)))
