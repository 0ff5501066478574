"""FastMap and MetricMap: exact where the space allows it, oracles elsewhere."""

import numpy as np
import oracles_embeddings as oracle
import pytest
from oracles_embeddings import metric_matrix, odd_matrix
from scipy.spatial.distance import cdist

from refimpl.rivals.fastmap import choose_distant_objects, fastmap
from refimpl.rivals.metricmap import MetricMapEmbedding, metricmap, pseudo_euclidean_vectors
from refimpl.spaces import CallableSpace, PrecomputedSpace


def rng(seed=0):
    return np.random.default_rng(seed)


# --- FastMap


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_fastmap_recovers_a_euclidean_set(dimension):
    X = rng(6).normal(size=(30, dimension))
    Y = rng(7).normal(size=(8, dimension))
    space = CallableSpace(cdist, X, pairwise=True)
    embedding = fastmap(space, 12, rng=rng())
    assert embedding.d == dimension  # nothing is left over for the others
    F = embedding.embed(space)
    G = embedding.embed(space, Y)
    np.testing.assert_allclose(embedding.pairwise(F, F), cdist(X, X), rtol=1e-9, atol=1e-7)
    np.testing.assert_allclose(embedding.pairwise(G, F), cdist(Y, X), rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("matrix", [metric_matrix(14), odd_matrix(14), metric_matrix(14) ** 3])
@pytest.mark.parametrize("clip", [False, True])
def test_fastmap_follows_the_recursion(matrix, clip):
    space = PrecomputedSpace(matrix)
    embedding = fastmap(space, 6, rng=rng(1), clip=clip)
    levels = oracle.FastMap(matrix, embedding.pivots, clip)
    expected = [[levels.coordinate(x, j) for j in range(embedding.d)] for x in range(14)]
    np.testing.assert_allclose(embedding.embed(space), expected, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(
        embedding.vectors, np.array(expected)[embedding.pivots], rtol=1e-8, atol=1e-8
    )
    for j, (a, b) in enumerate(embedding.pivots):
        squares = [levels.square(x, a, j) for x in range(14)]
        assert embedding.squared[j] == pytest.approx(max(squares)) == pytest.approx(squares[b])
        assert squares[b] > 0
    assert embedding.truncated(2).cost == len(set(embedding.pivots[:2].flat))


def test_the_farthest_pair_is_found_where_one_step_does_not_reach_it():
    X = np.array([0.0, 10.0, 4.0, 11.0, -3.0])
    residuals = lambda p: (X - X[p]) ** 2  # noqa: E731
    assert set(choose_distant_objects(residuals, np.array([2]), 1)) == {3, 4}
    D = np.array([[0.0, 5, 1, 1], [5, 0, 1, 6], [1, 1, 0, 7], [1, 6, 7, 0]])
    assert choose_distant_objects(lambda p: D[:, p] ** 2, np.array([0]), 1) == (1, 3)
    assert choose_distant_objects(lambda p: D[:, p] ** 2, np.array([0]), 2) == (2, 3)


def test_fastmap_tries_another_start_where_all_is_at_distance_zero():
    D = np.zeros((4, 4))
    D[2, 3] = D[3, 2] = 2.0
    assert choose_distant_objects(lambda p: D[:, p] ** 2, np.array([1, 3]), 3) == (2, 3)
    assert choose_distant_objects(lambda p: D[:, p] ** 2, np.array([1, 0]), 3) == (0, 0)
    D[0, 1] = D[1, 0] = 1e-9  # a rounding error is not a distance
    assert choose_distant_objects(lambda p: D[:, p] ** 2, np.array([1, 3]), 3) == (0, 1)
    assert choose_distant_objects(lambda p: D[:, p] ** 2, np.array([1, 3]), 3, lambda: 1e-12) == (
        2,
        3,
    )


# --- MetricMap


def pseudo_euclidean_set(positive, negative, n=40, seed=0):
    """Distances of points whose positive part prevails: every squared distance is positive."""
    X = rng(seed).normal(size=(n, positive + negative))
    X[:, positive:] *= 0.2 * np.sqrt(positive)
    S = oracle.pseudo_euclidean_squares(X, positive)
    while (S < 0).any():
        X[:, positive:] *= 0.8
        S = oracle.pseudo_euclidean_squares(X, positive)
    return np.sqrt(S)


@pytest.mark.parametrize("positive, negative", [(1, 0), (4, 0), (3, 1), (3, 3), (5, 2)])
@pytest.mark.parametrize("basis", [True, False])
def test_metricmap_recovers_pseudo_euclidean_sets_and_their_signature(positive, negative, basis):
    D = pseudo_euclidean_set(positive, negative)
    space = PrecomputedSpace(D[:30, :30])
    embedding = metricmap(space, positive + negative + 3, rng=rng(), basis=basis)
    assert embedding.signature == (positive, negative)
    assert embedding.d == positive + negative
    assert embedding.cost == (1 + embedding.d if basis else 2 * (embedding.d + 3))
    F = embedding.embed(space)
    G = embedding.embed(space, D[30:, :30])
    np.testing.assert_allclose(embedding.pairwise(F, F), D[:30, :30], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(embedding.pairwise(G, F), D[30:, :30], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(embedding.pairwise(G, G), D[30:, 30:], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("matrix", [metric_matrix(15), odd_matrix(15)])
def test_metricmap_on_the_whole_sample_has_the_form_of_the_sample(matrix):
    space = PrecomputedSpace(matrix)
    embedding = metricmap(space, 14, rng=rng(2), basis=False)
    M = oracle.bilinear_form(matrix, embedding.objects.tolist())
    eigenvalues = np.linalg.eigvalsh(M)
    np.testing.assert_allclose(np.sort(embedding.eigenvalues), eigenvalues, rtol=1e-9, atol=1e-9)
    assert (np.diff(abs(embedding.eigenvalues)) <= 0).all()
    assert embedding.signature == (np.sum(eigenvalues > 0), np.sum(eigenvalues < 0))
    if (matrix == matrix.T).all():
        F = embedding.embed(space)
        np.testing.assert_allclose(embedding.pairwise(F, F), matrix, rtol=1e-7, atol=1e-6)
        np.testing.assert_allclose(F[embedding.objects[0]], 0.0, atol=1e-9)


@pytest.mark.parametrize("basis", [True, False])
def test_metricmap_projects_by_the_gram_matrix_of_its_references(basis):
    D = odd_matrix(20)
    embedding = metricmap(PrecomputedSpace(D), 6, rng=rng(4), basis=basis)
    whole = metricmap(PrecomputedSpace(D), 6, rng=rng(4), basis=False).objects.tolist()
    M = oracle.bilinear_form(D, whole)
    eigenvalues, C = pseudo_euclidean_vectors(M, 6, 1e-10)
    np.testing.assert_allclose(M @ C.T, C.T * eigenvalues, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(C @ C.T, np.diag(abs(eigenvalues)), rtol=1e-9, atol=1e-9)
    assert (C.max(axis=1) >= -C.min(axis=1)).all()  # a sign for each eigenvector
    chosen = [whole.index(r) - 1 for r in embedding.objects[1:]]
    M_R = oracle.bilinear_form(D, embedding.objects.tolist())
    b = np.array([oracle.metricmap_b(row, D, embedding.objects.tolist()) for row in D])
    expected = [C[:, chosen] @ np.linalg.solve(M_R, b_x) for b_x in b]
    np.testing.assert_allclose(embedding.embed(PrecomputedSpace(D)), expected, rtol=1e-7, atol=1e-7)


def test_metricmap_chooses_independent_references():
    """Twenty copies of two objects and two others: only one choice spans the plane."""
    X = np.array([[0.0, 0.0]] * 10 + [[1.0, 0.0]] * 10 + [[3.0, 2.0], [2.0, 5.0]])
    space = CallableSpace(cdist, X, pairwise=True)
    for seed in range(10):
        embedding = metricmap(space, 2, rng=rng(seed), sample_size=22)
        F = embedding.embed(space)
        np.testing.assert_allclose(embedding.pairwise(F, F), cdist(X, X), atol=1e-6)


def test_pseudo_euclidean_distances_have_the_sign_of_their_square():
    embedding = MetricMapEmbedding(np.arange(3), np.ones(2), np.eye(2), np.array([2.0, -1.0]))
    got = embedding.pairwise([[0.0, 0.0]], [[3.0, 0.0], [0.0, 3.0], [5.0, 4.0], [2.0, 2.0]])
    np.testing.assert_array_equal(got, [[3.0, -3.0, 3.0, 0.0]])
