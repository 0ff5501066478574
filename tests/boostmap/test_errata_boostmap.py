"""Each corrected line of BoostMap's paper: the printed one is wrong."""

import math

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import pdist, squareform

from refimpl.kernels.losses import z
from refimpl.rivals.lipschitz import bourgain, bourgain_sizes
from refimpl.spaces import PrecomputedSpace


def test_bm_1_the_printed_test_of_a_removal_is_not_that_of_its_effect():
    """Steps 1-2 of § 7.3 test alpha' and add -alpha': here one Z is below 1, the other above."""
    u = np.array([1.0, 1.0, 1.0, -1.0])
    x = np.log(np.full(4, 0.25))  # right three times in four
    for alpha in (0.1, 0.5, 1.0):
        assert z(u, x, alpha)[0] < 1 < z(u, x, -alpha)[0]


def test_bm_5_r_must_grow_with_k():
    """§ 10 closes with "setting r = M - 1", its step 4 with r in 9 k, ..., 9 k + 9: only the latter
    is balanced.

    Without information (objects in random order, classes of equal size), the k-th nearest of q's
    own class lies about as far as the k (M - 1)-th of the others; the (M - 1)-th lies far nearer.
    """
    rng = np.random.default_rng(0)
    M = 10
    k = 4
    ranks = []
    for _ in range(300):
        label = rng.permutation(np.arange(1000) % M)
        alike = np.flatnonzero(label == 0) + 1
        others = np.flatnonzero(label != 0) + 1
        ranks.append((alike[k - 1], others[k * (M - 1) - 1], others[M - 1 - 1]))
    near, balanced, printed = np.mean(ranks, axis=0)
    assert abs(near - balanced) < 3 < near - printed


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
        ratio = pdist(bourgain(space, rng=rng).embed(space)) / squareform(space.objects)
        distortion[n] = ratio.max() / ratio.min()
        assert distortion[n] < math.log2(n)
    assert distortion[256] < 3 * distortion[16]  # log |X| has doubled, |X| is 16 times as large


@pytest.mark.parametrize("n", [6, 16, 23])
def test_bm_12_the_printed_sets_end_with_the_whole_space(n):
    rng = np.random.default_rng(n)
    log = math.ceil(math.log2(n))
    assert 2**log >= n > max(bourgain_sizes(n))
    space = PrecomputedSpace(paths_in_a_random_graph(n, rng))
    printed, corrected = (bourgain(space, rng=rng, smallest=s).embed(space) for s in (2, 1))
    assert printed.shape == corrected.shape == (n, log**2)
    assert not printed[:, -log:].any()
    assert corrected.any(axis=0).all()
