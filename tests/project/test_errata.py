"""Each corrected line of ERRATA.md: the printed one is wrong."""

import math

import numpy as np
import oracles_forest
import pytest
import scipy.sparse
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import pdist, squareform

from refimpl.boosted_distance import boosted_distance, nearest_neighbor_boosted_distance, similarity
from refimpl.rivals.lipschitz import bourgain, bourgain_sizes
from refimpl.search_forest import best_c, search_forest
from refimpl.search_forest.pairs import DensePairs
from refimpl.spaces import PrecomputedSpace

X = np.array([[0.0], [0.2], [1.0], [1.3]])
LABELS = np.array([0, 0, 1, 1])


def test_bd_1_printed_weights_are_negative():
    model = boosted_distance(X, LABELS, 1)[0]
    beta = math.exp(-model.alpha[0])
    assert 1 / math.log(beta) < 0 < math.log(1 / beta)


def test_bd_2_the_printed_sum_leaves_the_unit_interval_and_decides_the_label():
    rng = np.random.default_rng(0)
    A, labels = rng.normal(size=(40, 3)), np.arange(40) % 4 == 0
    Y = rng.normal(size=(60, 3))
    models = boosted_distance(A, labels, 10)
    assert similarity(Y, models, A, labels, normalize=False).max() > 1 >= similarity(Y, models, A, labels).max()
    literal, normal = (nearest_neighbor_boosted_distance(Y, models, A, labels, normalize=n) for n in (False, True))
    assert (literal != normal).any()


def test_bd_3_no_error_gives_a_finite_weight():
    models = boosted_distance(np.array([[0.0], [0.0], [1.0], [1.0]]), LABELS, 3)
    assert all(np.isfinite(m.alpha).all() and m.alpha[0] > 36 for m in models.values())


def paths_in_a_random_graph(n, rng):
    """Shortest paths in the union of two random cycles through the same n vertices, an expander."""
    edges = np.zeros((n, n))
    for _ in range(2):
        cycle = rng.permutation(n)
        edges[cycle, np.roll(cycle, 1)] = 1
    return shortest_path(edges, directed=False, unweighted=True)


def test_bm_11_the_distortion_of_bourgains_embedding_grows_with_the_logarithm():
    distortion = {}
    for n in (16, 64, 256):
        rng = np.random.default_rng(n)
        space = PrecomputedSpace(paths_in_a_random_graph(n, rng))
        ratio = pdist(bourgain(space, rng).embed(space)) / squareform(space.objects)
        distortion[n] = ratio.max() / ratio.min()
        assert distortion[n] < math.log2(n)
    assert distortion[256] < 3 * distortion[16]  # log |X| has doubled, |X| is 16 times as large


@pytest.mark.parametrize("n", [6, 16, 23])
def test_bm_12_the_printed_sets_end_with_the_whole_space(n):
    rng = np.random.default_rng(n)
    log = math.ceil(math.log2(n))
    assert 2**log >= n > max(bourgain_sizes(n))
    space = PrecomputedSpace(paths_in_a_random_graph(n, rng))
    printed, corrected = (bourgain(space, rng, smallest=s).embed(space) for s in (2, 1))
    assert printed.shape == corrected.shape == (n, log**2)
    assert not printed[:, -log:].any()
    assert corrected.any(axis=0).all()


def test_bm_1_the_printed_test_of_a_removal_is_not_that_of_its_effect():
    """Steps 1-2 of § 7.3 compute Z_j(h, alpha') and then add -alpha': here the one is below 1, the other above."""
    from refimpl.kernels.stumps import on_grid
    from refimpl.kernels.triples import z

    u, w = np.array([1.0, 1.0, 1.0, -1.0]), on_grid(np.full(4, 0.25))  # right three times in four
    for alpha in (0.1, 0.5, 1.0):
        assert z(u, w, alpha)[0] < 1 < z(u, w, -alpha)[0]


def test_bm_5_r_must_grow_with_k():
    """§ 10 closes with "setting r = M - 1", its step 4 with r in 9 k, ..., 9 k + 9: only the latter is balanced.

    Without information (objects in random order, classes of equal size), the k-th nearest of q's own class lies
    about as far as the k (M - 1)-th of the others; the (M - 1)-th lies far nearer.
    """
    rng, M, k = np.random.default_rng(0), 10, 4
    ranks = []
    for _ in range(300):
        label = rng.permutation(np.arange(1000) % M)
        alike, others = np.flatnonzero(label == 0) + 1, np.flatnonzero(label != 0) + 1
        ranks.append((alike[k - 1], others[k * (M - 1) - 1], others[M - 1 - 1]))
    near, balanced, printed = np.mean(ranks, axis=0)
    assert abs(near - balanced) < 3 < near - printed


def test_bsf_1_the_printed_c_is_not_the_minimum():
    """Equation 14 with P_w[t = 1, s = 1] = 0.09, [1, 0] = 0.02, [0, 1] = 0.4; the rest has t = 0 and s = 0."""
    lam, met, wrong, missed = 0.3, 90.0, 20.0, 400.0

    def loss(c):
        return math.exp(-c * (1 - lam)) * met + math.exp(c * lam) * wrong

    c, printed = best_c(met, wrong, lam), math.log((1 - lam) * met / (lam * missed))
    assert c == pytest.approx(oracles_forest.best_c(met, wrong, lam), abs=1e-6)
    assert loss(c) < loss(printed) and loss(c) <= min(map(loss, (0, c - 0.01, c + 0.01)))


def test_bsf_2_the_printed_update_favours_what_was_wrong():
    """Two dissimilar points that have met weigh more than before by eq. 10, and less by line 4 as printed."""
    S, lam, c = scipy.sparse.csr_matrix([[0, 1, 0], [1, 0, 0], [0, 0, 0]]), 0.3, 0.8
    pairs = DensePairs(S, lam)
    pairs.meet(np.array([0, 0, 0]), c)
    w = pairs.weights()
    assert w[0, 1] == pytest.approx(oracles_forest.weight(c, True, lam)) and w[0, 1] < 1
    assert w[0, 2] == pytest.approx(oracles_forest.weight(c, False, lam)) and w[0, 2] > 1 > math.exp(-c)


def test_bsf_3_c_is_neither_negative_nor_infinite():
    assert best_c(1.0, 90.0, 0.3) == 0 and (0.7 * 1.0) / (0.3 * 90.0) < 1
    assert best_c(90.0, 0.0, 0.3) == pytest.approx(math.log(0.7 * 90 / 0.3))
    points, similar = np.array([[0.0], [0.1], [9.0], [9.1]]), [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    forest = search_forest(points, similar, 3, 0.5, rng=np.random.default_rng(0))
    assert (forest.c > 0).all() and np.isfinite(forest.c).all() and forest.history[0, 2] == 0
