"""The embeddings that BoostMap is compared with: Lipschitz, Bourgain, SparseMap; errors of all."""

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
from refimpl.rivals.sparsemap import SparseMapEmbedding, greedy_resampling, sparsemap
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
        needed = {r for R in sets_of(embedding)[:3] for r in R}
        assert embedding.truncated(3).references.tolist() == sorted(needed)


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
    whole = lip.random_singletons(space, n, rng=rng(seed))  # the largest difference is the distance
    F = whole.embed(space)
    np.testing.assert_allclose(whole.pairwise(F, F, np.inf), D, rtol=1e-12)
    for p in (1.0, 3.5):
        expected = (np.abs(F[:, None] - F) ** p).mean(axis=2) ** (1 / p)
        np.testing.assert_allclose(whole.pairwise(F, F, p), expected, rtol=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("p", [1.0, 2.0, 3.5, 100.0, 999.0])
def test_a_scaled_minkowski_distance_does_not_depend_on_other_rows(p):
    """Those beside them may be so far away that powers of their differences leave float64."""
    units = np.array([1.0, 1e-200, 1e200, 1e-100, 1e100, 1.0])[:, None]
    A = rng().normal(size=(6, 3)) * units
    embedding = lip.random_singletons(PrecomputedSpace(metric_matrix(3)), 3, rng=rng())
    D = embedding.pairwise(A, A[::-1], p)[:, ::-1]
    sizes = abs(A[:, None] - A[None]).max(axis=2, keepdims=True)
    shares = abs(A[:, None] - A[None]) / np.where(sizes > 0, sizes, 1.0)
    wanted = sizes[:, :, 0] * (shares**p).mean(axis=2) ** (1 / p)
    np.testing.assert_allclose(D, wanted, rtol=1e-12)
    for i in range(6):
        for j in range(6):
            assert embedding.pairwise(A[i : i + 1], A[j : j + 1], p) == D[i, j]
    far = embedding.pairwise(np.zeros((1, 3)), np.full((1, 3), 1e308), p)
    np.testing.assert_allclose(far, 1e308, rtol=1e-12)  # their sum is beyond float64


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
    needed = sum(len(used) for _, used in expected)
    assert space.computed - before == needed <= len(outside) * embedding.cost
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


def test_sparsemap_blocks_of_queries_do_not_change_the_answer(monkeypatch):
    space = PrecomputedSpace(metric_matrix(30))
    embedding = sparsemap(space, 2, rng=rng())
    whole = embedding.embed(space)
    monkeypatch.setattr(sparsemap_module, "BLOCK_ENTRIES", 8 * len(embedding.references))
    np.testing.assert_array_equal(embedding.embed(space), whole)
    assert embedding.embed(space, np.empty((0, 30))).shape == (0, 25)


def test_resampling_keeps_the_dimensions_of_least_stress():
    for seed in range(5):
        differences = rng(seed).normal(size=(40, 9))
        D = rng(seed + 9).uniform(1, 2, 40)
        differences[:, 3] = differences[:, 7]  # a tie
        np.testing.assert_array_equal(
            greedy_resampling(differences, D, 6), oracle.greedy_resampling(differences, D, 6)
        )


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
