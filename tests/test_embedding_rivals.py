"""The embeddings that BoostMap is compared with."""

import numpy as np
import oracles_embeddings as oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles_embeddings import WORDS, metric_matrix, odd_matrix

import refimpl
from refimpl.rivals import lipschitz as lip
from refimpl.spaces import CallableSpace, PrecomputedSpace


def rng(seed=0):
    return np.random.default_rng(seed)


# --- Lipschitz embeddings and Bourgain's -----------------------------------------------------------------------


def sets_of(embedding):
    return [embedding.members[a:b].tolist() for a, b in zip(embedding.starts, embedding.starts[1:], strict=False)]


@pytest.mark.parametrize("matrix", [metric_matrix(23), odd_matrix(23)])
def test_coordinates_are_least_distances_to_the_sets(matrix):
    space = PrecomputedSpace(matrix)
    for embedding in (
        lip.lipschitz(space, [[3], [1, 2, 22], [0, 3]]),
        lip.lipschitz(space, [5, 0, 5]),
        lip.random_singletons(space, 7, rng()),
        lip.random_sets(space, [1, 23, 4, 4], rng(1)),
        lip.bourgain(space, rng(2)),
        lip.bourgain(space, rng(3), subset=np.arange(4, 15), smallest=2),
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
    embedding = lip.random_singletons(space, 12, rng())
    assert sorted(embedding.members) == list(range(12))
    assert embedding.d == embedding.cost == 12
    vectors = embedding.embed(space, ["kitchen"])
    assert space.computed == 12
    np.testing.assert_array_equal(vectors[0], [oracle.edit_distance("kitchen", WORDS[r]) for r in embedding.members])
    assert lip.lipschitz(space, [5, 0, 5]).cost == 2


@pytest.mark.parametrize("n, log", [(2, 1), (3, 2), (4, 2), (5, 3), (23, 5), (64, 6), (65, 7)])
def test_bourgain_has_the_square_of_the_logarithm_of_sets(n, log):
    space = PrecomputedSpace(metric_matrix(n))
    sizes = [len(R) for R in sets_of(lip.bourgain(space, rng()))]
    assert sizes == [2**i for i in range(log) for _ in range(log)]
    assert max(sizes) < n
    printed = [len(R) for R in sets_of(lip.bourgain(space, rng(), smallest=2))]
    assert printed == [min(2**i, n) for i in range(1, log + 1) for _ in range(log)]
    for R in sets_of(lip.bourgain(space, rng())):
        assert len(set(R)) == len(R)


def test_bourgain_on_a_subset_measures_distances_to_the_subset_only():
    space = PrecomputedSpace(metric_matrix(40))
    subset = rng(1).permutation(40)[:11]
    embedding = lip.bourgain(space, rng(), subset=subset)
    assert embedding.d == 16
    assert set(embedding.members) <= set(subset)
    assert embedding.cost <= 11
    whole = lip.bourgain(space, rng())
    assert whole.cost > 30  # almost all objects of X


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 14), st.integers(0, 10**6), st.sampled_from([1.0, 1.5, 2.0, 7.0, np.inf]))
def test_embeddings_of_metric_spaces_are_contractive(n, seed, p):
    D = metric_matrix(n, seed)
    space = PrecomputedSpace(D)
    sizes = rng(seed).integers(1, n + 1, 5)
    for embedding in (
        lip.random_singletons(space, n, rng(seed)),
        lip.random_sets(space, sizes, rng(seed)),
        lip.bourgain(space, rng(seed)),
    ):
        F = embedding.embed(space)
        assert (abs(F[:, None] - F[None]).max(axis=2) <= D + 1e-12).all()
        assert (embedding.pairwise(F, F, p) <= D + 1e-12).all()


def test_scaled_minkowski_distances():
    A, B = rng().normal(size=(4, 3)), rng(1).normal(size=(5, 3))
    embedding = lip.random_singletons(PrecomputedSpace(metric_matrix(3)), 3, rng())
    for p in (1.0, 2.0, 3.5):
        expected = (abs(A[:, None] - B[None]) ** p).mean(axis=2) ** (1 / p)
        np.testing.assert_allclose(embedding.pairwise(A, B, p), expected, rtol=1e-12)
    np.testing.assert_array_equal(embedding.pairwise(A, B, np.inf), abs(A[:, None] - B[None]).max(axis=2))


def test_bad_arguments_of_lipschitz():
    space = PrecomputedSpace(odd_matrix(4))
    with pytest.raises(TypeError, match=r"space is a ndarray; pass PrecomputedSpace\(matrix\)"):
        lip.random_singletons(odd_matrix(4), 2, rng())
    with pytest.raises(ValueError, match="d is 5; the space has 4 objects"):
        lip.random_singletons(space, 5, rng())
    with pytest.raises(TypeError, match=r"rng is 0; pass a generator, .*default_rng\(0\)"):
        lip.random_singletons(space, 2, 0)
    with pytest.raises(ValueError, match="sizes holds 5; there are 4"):
        lip.random_sets(space, [2, 5], rng())
    with pytest.raises(ValueError, match=r"sizes\[1\] is 0"):
        lip.random_sets(space, [2, 0], rng())
    with pytest.raises(ValueError, match="sizes is empty"):
        lip.random_sets(space, [], rng())
    with pytest.raises(ValueError, match="sets is empty"):
        lip.lipschitz(space, [])
    with pytest.raises(ValueError, match=r"sets\[1\] is empty"):
        lip.lipschitz(space, [[0], []])
    with pytest.raises(ValueError, match=r"sets\[1\] holds 4; there are 4 database objects"):
        lip.lipschitz(space, [[0], [1, 4]])
    with pytest.raises(ValueError, match="subset is empty"):
        lip.bourgain(space, rng(), subset=[])
    with pytest.raises(ValueError, match="subset holds an index twice"):
        lip.bourgain(space, rng(), subset=[1, 1])
    with pytest.raises(ValueError, match="at least two objects"):
        lip.bourgain(space, rng(), subset=[1])
    with pytest.raises(ValueError, match="smallest is 3"):
        lip.bourgain(space, rng(), smallest=3)
    embedding = lip.lipschitz(space, [0, 3])
    with pytest.raises(ValueError, match="d is 3; the embedding has 2 dimensions"):
        embedding.truncated(3)
    with pytest.raises(ValueError, match="references holds 3; there are 3 database objects"):
        embedding.embed(PrecomputedSpace(odd_matrix(3)))
    with pytest.raises(ValueError, match="A has 3 columns; the embedding has 2 dimensions"):
        embedding.pairwise(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"p is 0\.5"):
        embedding.pairwise(np.ones((2, 2)), np.ones((2, 2)), p=0.5)


def test_a_saved_lipschitz_embedding_embeds_the_same(tmp_path):
    space = PrecomputedSpace(metric_matrix(19))
    embedding = lip.bourgain(space, rng())
    refimpl.save(tmp_path / "e.npz", embedding)
    np.testing.assert_array_equal(refimpl.load(tmp_path / "e.npz").embed(space), embedding.embed(space))
