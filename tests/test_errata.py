"""Each corrected line of ERRATA.md: the printed one is wrong."""

import math

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import pdist, squareform

from refimpl.boosted_distance import boosted_distance, nearest_neighbor_boosted_distance, similarity
from refimpl.rivals.lipschitz import bourgain, bourgain_sizes
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
    assert similarity(Y, models, A, labels).max() > 1
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
